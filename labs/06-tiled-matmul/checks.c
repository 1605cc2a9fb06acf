/* Lab 06: a matrix product from tiles in shared memory.
 *
 * The figures are sectors of global memory and passes through shared memory. Other checks judge
 * races and the error of the result. Time earns no points, because caches hide most of the effect.
 * On an H200, tiles of 16 x 16 are only 1.07 to 1.29 times as fast as the naive kernel, for 512 to
 * 4,096 rows and columns (grader/tests/hardware/calibration.tsv). They are 3.7 times as fast as
 * loads of distant words.
 *
 * How large may the error be? Let u = 2^-24, which is half the step from 1 to the next float, and M
 * the sum of |a * b| over the products a * b that are added up to a number of C. The error is
 *
 *     if they are added up one by one, in any order    at most  depth * u * M
 *     if they are added up with compensation           at most  2 u * M
 *     if each product is rounded before                u * M more
 *
 * (Higham, Accuracy and Stability of Numerical Algorithms, chapter 4; terms in u^2 are left out).
 *
 * So the allowed error is (depth + 1) * u * M in rungs 1 and 2, and 4 u * M for any depth in rung
 * 3. No right program exceeds these bounds. With the numbers of make_hard(), plain addition exceeds
 * the bound of rung 3. */
#include "checks/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

LAB(.title = "A matrix product from tiles", .file = "tiled_matmul.cu",
    .needs = {"03-shared-reduce", "04-bank-conflicts", "05-pitched-alloc"},
    .hints = {
        "Take one block and 16 steps of its loop. Which numbers of A and of B do its 256 threads need? How many different numbers are there, and how often is each of them fetched?",
        "Each step over the depth has four parts. Every thread stores one number of A and one of B in the tiles. All threads wait. Every thread adds up 16 products from the tiles. All threads wait. Store 0 for numbers outside of a matrix. Only the store to C needs an `if`.",
        "TODO 2: a_tile[ty][tx] = at(p.a, p.height, p.depth, y, first + tx); b_tile[ty][tx] = at(p.b, p.depth, p.width, first + ty, x); __syncthreads(); the loop; __syncthreads(). TODO 3: float corrected = number - *excess; float next = *sum + corrected; *excess = (next - *sum) - corrected; *sum = next."});

enum rung { NAIVE, BY_ROW, BY_TILE, EXACT };

/* --- typical mistakes ------------------------------------------------------------------------- */

#define TILE 16 /* rows and columns of a tile in the skeleton */

/* A right or wrong way to add up products in floats. */
struct adding {
    bool fused; /* products are not rounded before they are added; the compiler may choose this */
    /* each addition is corrected by the rounding error of the previous one, times this factor: 1 is
     * right, 0 and -1 are wrong */
    float keeps;
    /* the rounding error is computed from the sum before the addition (right), from the sum after
     * it (wrong), or with the number before its correction (wrong) */
    enum { OLD_SUM, NEW_SUM, OLD_NUMBER } by;
};

static float add_up_one(const float *a, const float *b, int depth, int width, struct adding how)
{
    float sum = 0, lost = 0;
    for (int i = 0; i < (depth + TILE - 1) / TILE * TILE; ++i) { /* a tile is filled up with 0 */
        float one = i < depth ? a[i] : 0, other = i < depth ? b[i * width] : 0;
        float back = how.keeps * lost;
        float rounded = one * other;
        float corrected = how.fused && how.keeps != 0 ? fmaf(one, other, back) : rounded + back;
        float next = how.fused && how.keeps == 0 ? fmaf(one, other, sum) : sum + corrected;
        lost = how.by == NEW_SUM   ? corrected
               : how.by == OLD_SUM ? corrected - (next - sum)
               : how.fused         ? fmaf(one, other, sum - next)
                                   : rounded - (next - sum);
        sum = next;
    }
    return sum;
}

static void add_up(const struct case_data *input, const void *how, float *values)
{
    const float *a = case_floats(input, "a"), *b = case_floats(input, "b");
    int height = case_int(input, "height"), width = case_int(input, "width");
    int depth = case_int(input, "depth");
    for (int k = 0; k < height * width; ++k)
        values[k] = add_up_one(a + k / width * depth, b + k % width, depth, width,
                               *(const struct adding *)how);
}

/* Mistakes in filling the tiles of rung 2. With such a mistake, the thread that computes element
 * (Y, X) of C multiplies wrong elements of A or B in step I of the tile that begins at FIRST. */
enum filling { A_BY_TY, A_TURNED, B_BY_TX, B_TURNED, A_OF_TX, B_OF_TY };

/* The arrays of a case, which would take too long to find for each number. */
struct factors {
    const float *a, *b;
    int height, width, depth;
};

static float product_of(const struct factors *p, enum filling filling, int first, int i, int y,
                        int x)
{
    int tx = x % TILE, ty = y % TILE;
    int a_row = filling == A_TURNED ? y - ty + i : y, b_column = x;
    int a_column = first + (filling == A_BY_TY || filling == A_TURNED ? ty : i);
    int b_row = first + (filling == B_BY_TX || filling == B_TURNED ? tx : i);
    if (filling == B_TURNED)
        b_column = x - tx + i;
    if (filling == A_OF_TX)
        a_row = y - ty + tx;
    if (filling == B_OF_TY)
        b_column = x - tx + ty;
    bool exists =
        a_row < p->height && a_column < p->depth && b_row < p->depth && b_column < p->width;
    return exists ? p->a[a_row * p->depth + a_column] * p->b[b_row * p->width + b_column] : 0;
}

static void fill_wrongly(const struct case_data *input, const void *filling, float *values)
{
    const struct factors p = {case_floats(input, "a"), case_floats(input, "b"),
                              case_int(input, "height"), case_int(input, "width"),
                              case_int(input, "depth")};
    for (int k = 0; k < p.height * p.width; ++k) {
        float sum = 0;
        for (int i = 0; i < (p.depth + TILE - 1) / TILE * TILE; ++i)
            sum += product_of(&p, *(const enum filling *)filling, i / TILE * TILE, i % TILE,
                              k / p.width, k % p.width);
        values[k] = sum;
    }
}

#define ADDING(...)    .make_so = add_up, CHECK_HOW(struct adding, __VA_ARGS__)
#define FILLING(which) .make_so = fill_wrongly, CHECK_HOW(enum filling, which)

#define PLAIN_SUM      "exactly the plain sum of floats: what rounding cuts off is not kept"
#define WRONG_SIGN     "exactly the result if the excess has the wrong sign"

#define EXCESS         "*excess ="
#define FILLS_A        "a_tile[ty][tx] ="
#define FILLS_B        "b_tile[ty][tx] ="

static const struct check_guess guesses[] = {
    {PLAIN_SUM, ADDING(true, 0, OLD_SUM), .at = EXCESS},
    {PLAIN_SUM, ADDING(false, 0, OLD_SUM), .at = EXCESS},
    {WRONG_SIGN, ADDING(true, -1, OLD_SUM), .at = EXCESS},
    {WRONG_SIGN, ADDING(false, -1, OLD_SUM), .at = EXCESS},
    {"as if the excess were computed from the new sum: compute *excess before you change *sum",
     ADDING(true, 1, NEW_SUM), .at = EXCESS},
    {"as if the excess were computed from `number`, not from `corrected`",
     ADDING(false, 1, OLD_NUMBER), .at = EXCESS},
    {"as if the excess were computed from `number`, not from `corrected`",
     ADDING(true, 1, OLD_NUMBER), .at = EXCESS},
    {"as if the tile of A were filled from column first + ty, not first + tx", FILLING(A_BY_TY),
     .at = FILLS_A},
    {"as if the tile of B were filled from row first + tx, not first + ty", FILLING(B_BY_TX),
     .at = FILLS_B},
    {"as if the tile of A were filled as [tx][ty], but read as [ty][i]", FILLING(A_TURNED),
     .at = "a_tile[tx][ty] ="},
    {"as if the tile of A were filled as [ty][tx], but read as [i][ty]", FILLING(A_TURNED),
     .at = "a_tile[i][ty]"},
    {"as if the tile of B were filled as [tx][ty], but read as [i][tx]", FILLING(B_TURNED),
     .at = "b_tile[tx][ty] ="},
    {"as if the tile of B were filled as [ty][tx], but read as [tx][i]", FILLING(B_TURNED),
     .at = "b_tile[tx][i]"},
    {"as if a thread took row tx of A's tile, not row ty", FILLING(A_OF_TX), .at = "a_tile[tx][i]"},
    {"as if a thread took row tx of A's tile, not row ty", FILLING(A_OF_TX)},
    {"as if a thread took column ty of B's tile, not column tx", FILLING(B_OF_TY),
     .at = "b_tile[i][ty]"},
    {"as if a thread took column ty of B's tile, not column tx", FILLING(B_OF_TY)},
    {0}};

/* Runs JOB on random numbers. Checks that the result is right, and that kernels computed it from
 * these numbers on the GPU. */
static const struct run *grade_job(struct check *check, struct check_product job)
{
    size_t a_count = (size_t)job.height * (size_t)job.depth;
    size_t b_count = (size_t)job.depth * (size_t)job.width;
    const float *a = check_random_floats(check, a_count, -1, 1);
    const float *b = check_random_floats(check, b_count, -1, 1);
    return check_product_run(check, job, a, b, job.depth + 1, guesses);
}

CHECK(
    correct, .title = "right product if all sizes are multiples of 16", .points = 10,
    .hint =
        "Take pencil and paper, with height = width = depth = 32. Follow the thread that computes the number named above: which numbers of A and B does it multiply?")
{
    grade_job(check, (struct check_product){BY_ROW, 64, 48, 80});
    grade_job(check, (struct check_product){BY_TILE, 64, 48, 80});
}

CHECK(
    ragged, .title = "right product for any sizes", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise an edge is the problem: at() must return 0 for each row and column outside of a matrix, and the number of tiles must be rounded up.")
{
    const struct check_product jobs[] = {
        {0, 1, 100, 33},
        {0, 1, 1, 1},
        {0, 70, 1, 17},
        {0, 37, 300, 5},
        {0, 3, 5, 12288},
        {0, check_random_int(check, 2, 60), check_random_int(check, 2, 60),
         check_random_int(check, 2, 60)},
    };
    grade_job(check, (struct check_product){NAIVE, 20, 33, 17});
    for (int rung = BY_ROW; rung <= BY_TILE; ++rung)
        for (size_t i = 0; i < sizeof jobs / sizeof *jobs; ++i) {
            struct check_product job = jobs[i];
            job.rung = rung;
            grade_job(check, job);
        }
}

/* --- sectors ---------------------------------------------------------------------------------- */

/* 16 divides none of these sizes, but 8 does. So every row begins at a sector. */
static const struct check_product tiled = {BY_TILE, 120, 136, 200};

/* Returns COUNT per 32 multiply-adds. */
static double for_32(double count, const struct check_product *job)
{
    return count * 32 / (job->height * job->width * job->depth);
}

static const char *todo_of(int rung)
{
    return rung == BY_ROW ? "In the loop over i, read A's row from shared memory: TODO 1."
                          : "In the loop over i, read both numbers from the tiles: TODO 2.";
}

static double passes_of(const struct run *run, const char *access)
{
    char name[60];
    snprintf(name, sizeof name, "shared_%s_wavefronts shared_atomic_wavefronts", access);
    return check_counter(run, name);
}

/* The number of requests that a kernel may make to read global memory, for 32 multiply-adds. A
 * kernel that takes only one of the two factors of a product from a tile makes 1. A kernel with
 * tiles of 8 x 8 makes 0.3: 0.25 if all tiles are full, and a fifth more because tiles extend
 * beyond the edges. */
#define MOST_FETCHES 0.6

/* Fails the check if a kernel reads the factors of its products from global memory, or exchanges
 * them by shuffles. A right kernel stores all fetched numbers in a tile, 4 sectors in each pass, and
 * reads them there. */
static void uses_tiles(struct check *check, const struct run *run, const struct check_product *job)
{
    double fetches = for_32(check_counter(run, "global_load_requests global_atomic_requests"), job);
    double used = fmin(passes_of(run, "store"), passes_of(run, "load"));
    double needed = check_counter(run, "global_load_sectors_ideal") / 4;
    if (job->rung != BY_ROW && fetches > MOST_FETCHES)
        check_refuse(
            check, run, todo_of(job->rung),
            "rung %d does not take its numbers from its tiles: for each multiply-add, a warp reads global memory %s times",
            job->rung, check_number(fetches));
    else if (job->rung != BY_ROW && used < needed / 2)
        check_refuse(
            check, run, todo_of(job->rung),
            "rung %d does not take its numbers from its tiles: to store all fetched numbers in tiles takes %s passes through shared memory, but its stores or its loads make only %s",
            job->rung, check_number(needed), check_number(used));
    check_through_shared(check, run, "c", todo_of(job->rung));
}

/* Returns a random number of rows or columns. Tiles of 8, 16 or 32 are nearly full, so that good
 * programs are hardly worse than at multiples of 32. */
static int random_side(struct check *check)
{
    int tiles = check_random_int(check, 2, 4);
    return 32 * tiles - check_random_int(check, 0, 3);
}

/* Runs rung 2 on random sizes, too, because a kernel must not use tiles for the measured sizes
 * only. Returns the passes of ACCESS for 32 multiply-adds. */
static double passes_elsewhere(struct check *check, const char *access)
{
    struct check_product job = {BY_TILE, .height = random_side(check)};
    job.width = random_side(check);
    job.depth = random_side(check);
    const struct run *run = grade_job(check, job);
    uses_tiles(check, run, &job);
    return for_32(passes_of(run, access), &job);
}

/* Runs rung 1, and returns how often it fetches each row of A. In *RUN, each number of B is fetched
 * once for each row of A, which fills whole sectors. */
static double fetches_of_row(struct check *check, struct check_product job, const struct run **run)
{
    *run = grade_job(check, job);
    check_ran(check, *run, "by_row");
    double row = job.height * job.depth / 8.0;
    return fmax(check_sectors_read(*run) / row - job.width, 1);
}

/* The costs that check_costs() does not limit. They include the path of the longest warp, because a
 * thread may compute several elements of C, and shared memory, because separate checks judge it. */
#define OF_TILES (1 << CHECK_PATH | 1 << CHECK_SHARED)

/* The limit for rung 1. A thread that copies the row alone fetches one number at a time, so that it
 * fetches each sector 8 times. */
#define MOST_ROWS 12

CHECK(row, .title = "rung 1: each row of A is fetched once", .points = 15, .where = CHECK_COUNTS,
      .figure = {.text = "rung 1 fetches each row of A %s times",
                 .want = "at most %s",
                 .counter = "global_load_sectors",
                 .judges = 1 << CHECK_READS,
                 .budget = {.naive = 124, .solution = 1, .slack = 2, .scale = JUDGE_LOGARITHMIC}},
      .hint = "In the loop over i, read A's row from shared memory: row[i], not p.a[...].")
{
    const struct run *run, *other;
    struct check_product job = {BY_ROW, 11, 8 * check_random_int(check, 32, 60), 200};
    double elsewhere = fetches_of_row(check, job, &other);
    job.width = 488; /* check_costs() needs a fixed size */
    double fetches = fmax(fetches_of_row(check, job, &run), elsewhere);
    check_measure(check, run, fetches);
    if (fetches > MOST_ROWS)
        check_refuse(
            check, run, todo_of(BY_ROW),
            "rung 1 fetches each row of A %s times; this check gives no points for more than %s",
            check_number(fetches), check_number(MOST_ROWS));
    check_through_shared(check, run, "c", todo_of(BY_ROW));
}

CHECK(
    tile, .title = "rung 2: each tile of A and B is fetched once", .points = 25,
    .where = CHECK_COUNTS, .slowest = 10,
    .figure = {.text = "for 32 multiply-adds the loads touch %s sectors of 32 bytes",
               .want = "at most %s",
               .counter = "global_load_sectors",
               .judges = 1 << CHECK_READS | OF_TILES,
               .budget = {.naive = 4.11, .solution = 0.53, .slack = 1.1}},
    .hint =
        "In the loop over i, read both numbers from the tiles. Neighbouring threads, which have neighbouring tx, must fetch neighbouring numbers of a row.")
{
    const struct run *run = grade_job(check, tiled);
    double sectors = for_32(check_sectors_read(run), &tiled);
    check_measure(check, run, sectors);
    if (sectors < 1) { /* otherwise, the figure says enough */
        uses_tiles(check, run, &tiled);
        passes_elsewhere(check, "load");
    }
}

/* --- shared memory ---------------------------------------------------------------------------- */

/* Measures the passes through shared memory for 32 multiply-adds: passes of ACCESS ("load" or
 * "store"), and passes of atomics, which can replace loads and stores. */
static void measure_passes(struct check *check, const char *access)
{
    const struct run *run = grade_job(check, tiled); /* first, so that messages repeat and fold */
    uses_tiles(check, run, &tiled);
    double elsewhere = passes_elsewhere(check, access);
    check_measure(check, run, fmax(for_32(passes_of(run, access), &tiled), elsewhere));
}

#define PASSES(naive_passes, solution_passes, most, access)                                        \
    {                                                                                              \
        .text = "for 32 multiply-adds, " access "s of shared memory take %s passes",               \
        .want = "at most %s", .counter = "shared_" access "_wavefronts", .judges = OF_TILES,       \
        .budget = {                                                                                \
            .naive = naive_passes,                                                                 \
            .solution = solution_passes,                                                           \
            .slack = most                                                                          \
        }                                                                                          \
    }

CHECK(
    tile_writes, .title = "tiles are written without bank conflicts", .points = 5,
    .where = CHECK_COUNTS,
    /* slack 2, because tiles of 8 x 8, or rows of 17 words, take more passes */
    .figure = PASSES(0.66, 0.147, 2, "store"),
    .hint =
        "A warp writes two rows of a tile at once. If tx is the last index and a row has exactly 16 words, these 32 words lie side by side, in 32 banks. With a padding of one word, the first word of one row and the last word of the next are in the same bank.")
{
    measure_passes(check, "store");
}

CHECK(
    tile_reads, .title = "tiles are read without bank conflicts", .points = 10,
    .where = CHECK_COUNTS, .figure = PASSES(10.5, 2.35, 1.25, "load"),
    .hint =
        "In each step, the threads of a warp should read the same word or neighbouring words. Do they, in a_tile[ty][i] and in b_tile[i][tx]?")
{
    measure_passes(check, "load");
}

CHECK(
    no_race, .title = "no thread reads a word that another may still write", .points = 10,
    .where = CHECK_COUNTS, .watched = true,
    .hint =
        "Between a write and another thread's read of the same word, and between a read and the next write, all threads of the block must pass a __syncthreads().")
{
    for (int rung = BY_ROW; rung <= EXACT; ++rung) {
        const struct check_product job = {rung, check_random_int(check, 36, 40), 45, 50};
        uses_tiles(check, grade_job(check, job), &job);
    }
}

/* --- compensation ----------------------------------------------------------------------------- */

/* Makes numbers that cannot be added up accurately in any simple order: backwards, in k partial
 * sums for any k from 2 to 128, in pairs of blocks of 8 to 128 numbers, or large and small numbers
 * separately.
 *
 * A row of A repeats one number just below 1. A column of B has ones, and large numbers whose
 * products are a little above 2^24. Neighbouring floats of that size differ by 2, so adding a
 * number below 1 to them changes nothing.
 *
 *     columns 0 to 7    every 8th number is large, so that in a sum of 8, the 7 others are lost
 *     columns 8 to 12   about every 12th number is large, so that each of k partial sums has some
 *     the others        all numbers are equal: while the sum stays between two powers of 2, all
 *                       additions round the same way, with an error that differs from row to row
 *
 * In each of 1,000 gradings, each of these orders exceeded the bound in at least one column, with
 * or without fused multiply-adds, and compensated sums used at most three quarters of it. */
static void make_hard(struct check *check, const struct check_product *job, float *a, float *b)
{
    for (int y = 0; y < job->height; ++y) {
        float number = 1 - (float)check_random_int(check, 1, 330000) * 0x1p-24f;
        for (int i = 0; i < job->depth; ++i)
            a[y * job->depth + i] = number;
    }
    for (int i = 0; i < job->depth; ++i)
        for (int x = 0; x < job->width; ++x) {
            bool large = x < 8 ? i % 8 == x : x < 13 && check_random_int(check, 1, 12) == 1;
            b[i * job->width + x] = large ? 0x1.06p24f : 1;
        }
}

/* Runs rung 3 on an ordinary case, to see whether it computes a product at all, and then on the
 * hard numbers. The last tile is nearly full, so omitting it has a visible effect. */
static const struct run *add_up_hard(struct check *check)
{
    grade_job(check, (struct check_product){EXACT, 20, 50, 41});
    const struct check_product job = {EXACT, 33, 18, 16 * check_random_int(check, 125, 131) + 15};
    size_t a_count = (size_t)job.height * (size_t)job.depth;
    size_t b_count = (size_t)job.depth * (size_t)job.width;
    float *a = check_memory(check, a_count, sizeof *a);
    float *b = check_memory(check, b_count, sizeof *b);
    make_hard(check, &job, a, b);
    return check_product_run(check, job, a, b, 4, guesses);
}

/* This check judges only the answer, which the skeleton does not compute. A main() that computes it
 * on the CPU must not earn points, so .closed_input is set. */
CHECK(
    exact, .title = "rung 3: exact to the last bits, for any depth", .points = 5,
    .closed_input = true,
    .hint =
        "TODO 3: keep what rounding cuts off. Do not simplify the formula as on paper: its brackets and signs matter, and the simplified excess is 0.")
{
    add_up_hard(check);
}

/* check_costs() limits only the number of instructions. This limit is needed: a program could
 * replace additions of wide integers by comparisons, with one instruction for each bit. */
CHECK(in_floats, .title = "rung 3: the sums use only floats", .points = 10, .where = CHECK_COUNTS,
      .figure = {.judges = (1 << CHECK_COSTS) - 1 - (1 << CHECK_WORK)},
      .hint = "TODO 3: keep what rounding cuts off in a second float.")
{
    const struct run *run = add_up_hard(check);
    double operations = check_counter(run, "wide_operations"); /* double is wide, too */
    if (operations > 0)
        check_refuse(
            check, run,
            "TODO 3: keep what rounding cuts off in a second float. Many GPUs compute doubles 64 times slower than floats.",
            "the kernel makes %s additions and multiplications in double or in wide integers",
            check_number(operations));
    check_is_counted(check, run);
    check_costs(check, run);
}
