/* Lab 08: a transpose that reads rows and writes rows.
 *
 * The figures are totals for 32 numbers: sectors read and written, and passes through shared
 * memory. A kernel that reads columns is no better than a kernel that writes columns, because it
 * touches as many sectors. Useless accesses only increase a total. Shared memory is not required:
 * lanes may also exchange their numbers by shuffles. */
#include "checks/check.h"

#include <math.h>
#include <string.h>

LAB(.title = "A transpose that reads rows and writes rows", .file = "transpose.cu",
    .needs = {"04-bank-conflicts", "05-pitched-alloc"},
    .hints = {
        "Take one warp of the naive kernel. Which 32 numbers does it read, and how far apart are they? Which 32 numbers does it write? A tile of 32 x 32 numbers has 32 rows to read and 32 rows to write. Which warp could write a row of the result?",
        "The kernel has two loops with a __syncthreads() between them. In the first, a warp copies a row of the data's tile into a row of the tile in shared memory. In the second, a warp takes a column of that tile and writes it as a row of the result. So x and y of the block are exchanged, but tx and i are not.",
        "First loop: tile[i][tx] = m.data[(y + i) * m.width + x + tx]. Second loop: if (y + tx < m.height && x + i < m.width) m.turned[(x + i) * m.height + y + tx] = tile[tx][i]. TODO 2: tile[TILE][TILE + 1]."});

enum rung { NAIVE, BY_TILE };

/* The size of one run: the number of the data's rows and columns. */
struct job {
    int height, width;
};

/* --- cases and their right answers ------------------------------------------------------------ */

static struct job job_of(const struct case_data *input)
{
    return (struct job){case_int(input, "height"), case_int(input, "width")};
}

/* Computes row Y of the result, which is column Y of the data. */
static void make_row(const struct case_data *input, int y, double *values)
{
    struct job job = job_of(input);
    const float *data = case_floats(input, "data");
    for (int i = 0; i < job.height; ++i)
        values[i] = (double)data[i * job.width + y];
}

/* Computes the result of a mistake: copies the data without transposing it. */
static void copy(const struct case_data *input, float *values)
{
    struct job job = job_of(input);
    memcpy(values, case_floats(input, "data"),
           (size_t)job.height * (size_t)job.width * sizeof *values);
}

/* Computes the result of a mistake: the second loop reads rows of the tile, too. A tile that
 * extends beyond the matrix then lacks some of the numbers. */
static void keep_tiles(const struct case_data *input, float *values)
{
    struct job job = job_of(input);
    const float *data = case_floats(input, "data");
    for (int x = 0; x < job.width; ++x)
        for (int y = 0; y < job.height; ++y) {
            int row = y / 32 * 32 + x % 32, column = x / 32 * 32 + y % 32;
            if (row < job.height && column < job.width)
                values[x * job.height + y] = data[row * job.width + column];
        }
}

/* Computes the result of a mistake: in each step, the second loop reads column threadIdx.y of the
 * tile. */
static void repeat_columns(const struct case_data *input, float *values)
{
    struct job job = job_of(input);
    const float *data = case_floats(input, "data");
    for (int x = 0; x < job.width; ++x)
        for (int y = 0; y < job.height; ++y)
            values[x * job.height + y] = data[y * job.width + x / 32 * 32 + x % 8];
}

static const struct check_guess guesses[] = {
    {"exactly the data, not transposed", .make = copy},
    {"exactly the result if each tile goes to the right place, but is not transposed itself: [tx][i] is a column of the tile, [i][tx] a row",
     .make = keep_tiles},
    {"exactly the result if all steps of the second loop take column ty of the tile: [tx][ty] in place of [tx][i]",
     .make = repeat_columns},
    {0}};

static struct case_data *make_case(struct check *check, int rung, struct job job)
{
    size_t count = (size_t)job.height * (size_t)job.width;
    const float *data = check_random_floats(check, count, -1, 1);
    struct case_data *input = check_case(check, "%s of %s", check_count(job.height, "row"),
                                         check_count(job.width, "number"));
    check_add_ints(input, {"rung", rung}, {"height", job.height}, {"width", job.width});
    case_add(input, "data", CASE_FLOAT, data, count);
    return input;
}

/* Checks that the result of RUN on INPUT is right. */
static void judge(struct check *check, const struct run *run, const struct case_data *input)
{
    struct job job = job_of(input);
    double *values = check_memory(check, (size_t)job.height * (size_t)job.width, sizeof *values);
    for (int y = 0; y < job.width; ++y)
        make_row(input, y, values + y * job.height);
    struct check_matrix want = {job.width, job.height, .values = values, .make_row = make_row,
                                .guesses = guesses};
    check_within(check, run, "turned", &want);
}

/* Runs rung 1 on JOB and judges the result. */
static const struct run *turn(struct check *check, struct job job)
{
    const struct case_data *input = make_case(check, BY_TILE, job);
    const struct run *run = check_run(check, input);
    judge(check, run, input);
    if (job.height == 1 || job.width == 1)
        /* the result has the same bytes as the data, so a copy without a kernel would be right,
         * too */
        return run;
    check_comes_from(check, run, "turned",
                     (uint64_t)job.height * (uint64_t)job.width * sizeof(float));
    return run;
}

CHECK(
    correct, .title = "right transpose if 32 divides height and width", .points = 10,
    .hint =
        "Take pencil and paper, and follow the number in row 1, column 40 of 64 x 96 numbers. Which thread of which block reads it? Where is it in the tile? Which thread writes it, and to which place? Does the `if` before each line test the row and the column that the line uses?")
{
    turn(check, (struct job){64, 96});
    turn(check, (struct job){320, 256});
}

CHECK(
    ragged, .title = "right transpose for any height and width", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise an edge is the problem: the second loop writes row x + i, column y + tx of the result. Both must be inside of the result.")
{
    turn(check, (struct job){1, 1});
    turn(check, (struct job){1, 700});
    turn(check, (struct job){1030, 1});
    turn(check, (struct job){33, 95});
    turn(check, (struct job){check_random_int(check, 2, 31), check_random_int(check, 65, 300)});
    turn(check, (struct job){32 * check_random_int(check, 4, 9) + 1, 200});
}

CHECK(
    sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
    .watched = true,
    .hint =
        "Other warps write the column that a warp reads. All threads of the block must pass a __syncthreads() between the two loops.")
{
    turn(check, (struct job){95, 130});
}

/* On an H100, the solution is 6 times as fast as the naive kernel, and 1.8 times as fast as a tile
 * without padding (hardware/calibration.tsv). */
CHECK(
    speed, .title = "the program is faster than the naive kernel", .points = 20,
    .where = CHECK_GPU_ONLY,
    .figure = {.text = "the program is %s times as fast as with the naive kernel",
               .want = "at least %s",
               .budget = {.slack = 1.3}},
    .hint =
        "TODO 1: a warp reads a part of a row and writes a part of a row. TODO 2: a column of the tile must not lie in one bank.")
{
    const struct job job = {4096, 4000}, small = {512, 512};
    check_each_pass(check, make_case(check, BY_TILE, small), 512 * 512 * sizeof(float));
    check_time(check, CHECK_NAIVE, make_case(check, NAIVE, job));
    while (check_again(check)) {
        const struct case_data *input = make_case(check, BY_TILE, job);
        judge(check, check_time(check, CHECK_YOURS, input), input);
        check_time(check, CHECK_SOLUTION, input);
    }
    check_speed(check);
}

/* --- totals ----------------------------------------------------------------------------------- */

/* Returns COUNT for 32 numbers of JOB. */
static double for_32(double count, struct job job)
{
    return 32 * count / job.height / job.width;
}

/* Returns a random number of rows or columns, of 1 to 3 tiles or of 10 to 14. If RAGGED, the last
 * tile is nearly full, so that good programs are hardly worse than at multiples of 32. */
static int random_side(struct check *check, bool ragged, bool is_long)
{
    int side = 32 * (is_long ? check_random_int(check, 10, 14) : check_random_int(check, 1, 3));
    return ragged ? side - 2 * check_random_int(check, 0, 2) - 1 : side;
}

/* Measures the figure for JOB and for a random size, and takes the worst, because a program must
 * not be tuned for one size. If RAGGED, measures random sizes with short and with long sides. */
static void measure_worst(struct check *check, struct job job, bool ragged,
                          double (*figure)(struct check *check, const struct run *run,
                                           struct job job))
{
    double worst = 0;
    for (int i = ragged ? 0 : 3; i < 4; ++i) {
        struct job other = {.height = random_side(check, ragged, i & 1)};
        other.width = random_side(check, ragged, i & 2);
        worst = fmax(worst, figure(check, turn(check, other), other));
    }
    const struct run *run = turn(check, job);
    check_measure(check, run, fmax(figure(check, run, job), worst));
    check_copies_seldom(check, run, 32, "Copy the matrix in one call, and let the kernel turn it.");
}

static double sectors(struct check *check, const struct run *run, struct job job)
{
    double stored = check_counter(run, "global_store_sectors_ideal");
    double times = stored * 8 / ((double)job.height * job.width);
    if (times > 1.7) /* the message is about the number of stores, not about their order */
        check_hint(
            check,
            "Each number is stored about %s times. Do both loops step by ROWS, so that only one thread moves each number?",
            check_number(floor(times + 0.5)));
    return for_32(check_sectors_moved(run), job);
}

/* The number of sectors that a kernel may touch for 32 numbers. If both its loads and its stores
 * are coalesced, it touches 8. If a warp moves 8 x 4 numbers, and its lanes do not exchange them,
 * it touches 12. */
#define MOST_SECTORS 11

/* Returns the passes through shared memory for 32 numbers of JOB. */
static double passes_of(const struct run *run, struct job job)
{
    return for_32(check_counter(run, CHECK_SHARED_PASSES), job);
}

/* Returns passes_of(). Fails the check if a kernel needs no passes because its loads or its stores
 * are not coalesced. */
static double passes(struct check *check, const struct run *run, struct job job)
{
    if (sectors(check, run, job) > MOST_SECTORS)
        check_refuse(
            check, run,
            "Let a warp read and write 32 neighbouring numbers, as in the checks above. Keep TILE at 32, and make only the rows of the array longer.",
            "moving 32 numbers touches %s sectors; this check gives no points for more than %s",
            check_number(sectors(check, run, job)), check_number(MOST_SECTORS));
    return passes_of(run, job);
}

/* The costs that check_costs() does not limit. They include the path of the longest warp, because
 * one warp may transpose a whole tile, and shared memory, because another check judges it. */
#define JUDGED (1 << CHECK_READS | 1 << CHECK_WRITES | 1 << CHECK_PATH | 1 << CHECK_SHARED)

#define SECTORS(naive_sectors, solution_sectors)                                                   \
    {                                                                                              \
        .text = "moving 32 numbers touches %s sectors of 32 bytes", .want = "at most %s",          \
        .counter = "global_load_sectors global_store_sectors", .judges = JUDGED, .budget = {       \
            .naive = naive_sectors,                                                                \
            .solution = solution_sectors,                                                          \
            .slack = 1.05                                                                          \
        }                                                                                          \
    }

CHECK(sectors, .title = "reads and writes are coalesced", .points = 30, .where = CHECK_COUNTS,
      .slowest = 2.5, .figure = SECTORS(36, 8),
      .hint = "TODO 1: the lanes of a warp must read neighbouring numbers of a row in the first "
              "loop, and write neighbouring numbers of a row in the second. tx is the number of "
              "the lane.")
{
    measure_worst(check, (struct job){480, 352}, false, sectors);
}

/* Checks that a tile is as good at a ragged size as where 32 divides both sides. Kernels that move
 * whole tiles in registers may use a good tile for the edges. */
static void use_same_tiles(struct check *check)
{
    struct job whole = {480, 352}, ragged = {.height = random_side(check, true, true)};
    ragged.width = random_side(check, true, true);
    double passes = passes_of(turn(check, whole), whole);
    const struct run *run = turn(check, ragged);
    if (passes_of(run, ragged) > 2 * fmax(passes, 2))
        check_refuse(
            check, run, "Use the same tile for every size, with rows of 33 words.",
            "moving 32 numbers takes %s passes through shared memory, but only %s if 32 divides height and width",
            check_number(passes_of(run, ragged)), check_number(passes));
}

CHECK(any_size, .title = "reads and writes are coalesced at any size", .points = 20,
      .where = CHECK_COUNTS, .slowest = 2.5, .figure = SECTORS(36.9, 9.83),
      .hint = "Use the same tiles for every size. Only the `if`s care about the edges.")
{
    measure_worst(check, (struct job){497, 363}, true, sectors);
    use_same_tiles(check);
}

CHECK(
    conflicts, .title = "no bank conflicts in shared memory", .points = 20,
    .where = CHECK_EMULATOR_ONLY, .slowest = 2.5,
    .figure = {.text = "moving 32 numbers takes %s passes through shared memory",
               .want = "at most %s",
               .counter = "shared_load_wavefronts",
               .judges = JUDGED,
               /* each halving of the passes earns the same number of points */
               .budget = {.naive = 33, .solution = 2, .slack = 1.25, .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "TODO 2: which banks hold the words of a column, if a row of the tile has 32 words? And if it has 33?")
{
    measure_worst(check, (struct job){480, 352}, false, passes);
}
