/* Lab 10: how many blocks fit on a multiprocessor.
 *
 * The lab judges two figures with opposite requirements. The occupancy falls if a tile takes more
 * shared memory. The number of sectors that blocks read rises if a tile has fewer rows, because
 * each tile needs 40 rows of its neighbours. The occupancy is judged for three generations of GPUs,
 * because blocks that fill a multiprocessor of 64 warps may not fill a multiprocessor of 48 warps.
 *
 * Registers limit the occupancy, too, but the emulator only estimates them, so no points depend on
 * them. This lab does not judge run time: once the occupancy is sufficient, a higher one makes
 * nothing faster. */
#include <math.h>
#include <stdlib.h>

#include "checks/check.h"

LAB(.title = "How many blocks fit", .file = "block_size.cu", .needs = {"03-shared-reduce"},
    .hints = {
        "A multiprocessor takes blocks until one of its limits is reached: warps, blocks, shared memory, registers. build/lanewise occupancy --threads 32 --shared 6144 --cc all shows which. With one warp per block, which limit is reached first?",
        "Full multiprocessors have 32, 48 or 64 warps. A block's warps must divide all three, and there must be few enough blocks: at most 16 on 7.5 and 8.6. Then divide the shared memory by the number of blocks that you want: that is the largest tile.",
        "TODO 1: for (int j = threadIdx.y; j < ...; j += WARPS) in both loops. TODO 2: with #define WARPS 16, a multiprocessor of 7.5 is full with 2 blocks, one of 8.6 with 3, and one of 9.0 with 4. TODO 3: on 7.5, 2 blocks share 65,536 bytes of shared memory, so each may take 32,768 bytes. On 8.6, 3 blocks share 102,400 bytes, and each takes 1,024 bytes more than its arrays, so a little more fits there. A row of 32 floats has 128 bytes, so 32,768 bytes hold 256 rows. 40 of these rows are above or below the tile: that leaves 216 rows for TILE."});

#define LARGEST 255 /* sums of whole numbers up to this are exact in any order */
#define REACH   20

/* Returns the right answer: the exact sums. */
static double *blur(struct check *check, const float *data, int width, int height)
{
    double *sums = check_memory(check, (size_t)width * (size_t)height, sizeof *sums);
    for (int i = 0; i < width * height; ++i)
        for (int d = -REACH; d <= REACH; ++d)
            if (i / width + d >= 0 && i / width + d < height)
                sums[i] += (REACH + 1 - abs(d)) * (double)data[i + d * width];
    return sums;
}

/* --- common mistakes -------------------------------------------------------------------------- */

/* Returns a wrong weight for row D, from -REACH to REACH. */
typedef int weigh(int d);

static int one_less(int d)
{
    return REACH - abs(d);
}

static int all_equal(int d)
{
    (void)d;
    return 1;
}

static int by_distance(int d)
{
    return abs(d) + 1;
}

static int no_last(int d)
{
    return d < REACH ? REACH + 1 - abs(d) : 0;
}

static int no_first(int d)
{
    return d > -REACH ? REACH + 1 - abs(d) : 0;
}

/* Makes sums with wrong weights, of rows that are `shift` rows too far down. */
struct blur {
    weigh *weight;
    int shift;
};

static void blur_wrongly(const struct case_data *input, const void *how, float *sums)
{
    const struct blur *blur = how;
    int width = case_int(input, "width"), height = case_int(input, "height");
    const float *data = case_floats(input, "data");
    for (int i = 0; i < width * height; ++i) {
        double sum = 0;
        for (int d = -REACH; d <= REACH; ++d) {
            int y = i / width + d + blur->shift;
            sum += y >= 0 && y < height ? blur->weight(d) * (double)data[y * width + i % width] : 0;
        }
        sums[i] = (float)sum;
    }
}

static int right(int d)
{
    return REACH + 1 - abs(d);
}

#define GUESS(...) .make_so = blur_wrongly, CHECK_HOW(struct blur, __VA_ARGS__)

static const struct check_guess guesses[] = {
    {"exactly the result if all weights are 1 too small: 0 to 20, not 1 to 21", GUESS(one_less, 0)},
    {"exactly the result if all weights are 1", GUESS(all_equal, 0)},
    {"exactly the result if the nearest row has weight 1, and the other rows have more",
     GUESS(by_distance, 0)},
    {"as if row y + 20 did not count for row y", GUESS(no_last, 0)},
    {"as if row y - 20 did not count for row y", GUESS(no_first, 0)},
    {"as if each sum were made for the row below", GUESS(right, 1)},
    {"as if each sum were made for the row above", GUESS(right, -1)},
    {"as if row j of the shared memory were row first + j of the picture, not first + j - REACH",
     GUESS(right, REACH)},
    {0}};

/* The maximum size of static shared memory, in bytes. The emulator accepts PTX with larger arrays,
 * but the compiler for a GPU refuses them. */
#define MOST_STATIC 49152
static void compiles_for_gpus(struct check *check, const struct run *run)
{
    for (size_t i = 0; check_launch(run, i).blocks > 0; ++i)
        if (check_launch(run, i).static_shared_bytes > MOST_STATIC)
            check_refuse(check, run, "Lower TILE, so that the array gets smaller.",
                         "the kernel has %s bytes of static shared memory, but compilers for "
                         "GPUs accept at most %s",
                         check_number(check_launch(run, i).static_shared_bytes),
                         check_number(MOST_STATIC));
}

/* Runs the submission on a random picture and judges the result. */
static const struct run *run_on(struct check *check, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    const float *data = check_random_wholes(check, count, 0, LARGEST);
    struct case_data *input =
        check_case(check, "%s of %s", check_count(height, "row"), check_count(width, "number"));
    check_add_ints(input, {"width", width}, {"height", height});
    case_add(input, "data", CASE_FLOAT, data, count);
    const struct run *run = check_run(check, input);
    struct check_matrix want = {height, width, .values = blur(check, data, width, height),
                                .guesses = guesses};
    check_within(check, run, "blurred", &want);
    check_comes_from(check, run, "blurred", count * sizeof(float));
    compiles_for_gpus(check, run);
    return run;
}

CHECK(
    correct, .title = "right sums for 640 rows of 256 numbers", .points = 10,
    .hint =
        "A tile has TILE rows of sums and begins at row blockIdx.y * TILE. Row j of the shared memory is row first + j - REACH of the picture; rows outside of the picture are 0.")
{
    run_on(check, 256, 640);
}

CHECK(
    ragged, .title = "right sums for any width and height", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the blocks do not divide the picture: the grid must be rounded up, and threads that are outside of the picture must read and write nothing.")
{
    run_on(check, 1, 1);
    run_on(check, 33, 41);
    run_on(check, 31, check_random_int(check, 2, 20));
    int height = check_random_int(check, 200, 400), width = check_random_int(check, 65, 200);
    run_on(check, width, height);
    height = check_random_int(check, 1000, 1100);
    run_on(check, check_random_int(check, 2, 31), height);
}

CHECK(sound, .title = "right every time, not by luck", .points = 5, .where = CHECK_COUNTS,
      .watched = true,
      .hint = "Between the copy to shared memory and the sums, all threads of the block must wait.")
{
    run_on(check, 70, 450);
}

/* If several warps of a block load the same rows, sets the hint, because taller tiles would not
 * help then. A row of shared memory has 32 numbers, which fill 4 sectors. */
static void advise_rows(struct check *check, const struct run *run)
{
    struct check_launch launch = check_launch(run, 0);
    double rows = (launch.static_shared_bytes + launch.dynamic_shared_bytes) / (32 * sizeof(float));
    double loaded = launch.blocks > 0 ? check_sectors_read(run) / 4 / launch.blocks : 0;
    if (rows > 0 && loaded >= 1.5 * rows)
        check_hint(
            check,
            "A block loads %s rows of 32 numbers, but its shared memory has room for %s. Do "
            "several warps load the same rows? Let the warps take rows in turn: warp w takes "
            "rows w, w + WARPS, w + 2 * WARPS and so on.",
            check_number(floor(loaded + 0.5)), check_number(rows));
}

/* Returns whether blocks of THREADS threads can fill multiprocessors of 32, 48 and 64 warps without
 * exceeding the maximum number of blocks. */
static bool fits_all(double threads)
{
    int warps = (int)threads / 32;
    return warps >= 4 && 32 % warps == 0 && 48 % warps == 0;
}

/* The number of instructions that all warps together may execute for 32 sums. In the solution, they
 * execute 494: 12 for each of 41 rows, and a few more. */
#define MOST_WORK 750

/* Checks that the warps compute each sum once. Otherwise, warps that repeat the sums of other warps
 * would seem to fill the multiprocessor. SUMS is the number of sums. */
static void works_once(struct check *check, const struct run *run, int sums)
{
    double work = check_counter(run, "warp_instructions") / sums * 32;
    if (work > MOST_WORK)
        check_refuse(check, run, "Give each lane its own sums, so that each sum is computed once.",
                     "for 32 sums, the warps execute %.0f instructions, and the limit is %d", work,
                     MOST_WORK);
}

/* If the average warp executes less than this fraction of the longest warp's instructions, the
 * occupancy counts less (check_occupancy()). */
#define BUSY 0.7

/* Measures the occupancy for two pictures, and takes the lower one, because a program must not be
 * tuned for one picture. */
static void fill(struct check *check, unsigned capability)
{
    int height = check_random_int(check, 890, 910), other = check_random_int(check, 580, 600);
    const struct run *there = run_on(check, 256, height);
    double percent = check_occupancy(check, there, capability);
    /* This width is not a multiple of 128, but tiles of 128 columns still leave few warps without
     * work. */
    const struct run *run = run_on(check, 320, other);
    percent = fmin(percent, check_occupancy(check, run, capability));
    check_measure(check, run, percent);
    works_once(check, there, 256 * height);
    works_once(check, run, 320 * other);
    if (percent < 100 && check_counter(run, "warp_instructions") <
                             BUSY * check_counter(run, "occupied_instructions"))
        check_show_counter(check, run, "warp_instructions");
    else if (percent < 100)
        check_show_line(check,
                        fits_all(check_launch(run, 0).threads) ? "#define TILE" : "#define WARPS");
}

/* check_costs() does not limit reads, because the check `reads` judges them. */
#define FILLED(capability, naive_percent)                                                          \
    {                                                                                              \
        .text = "on " capability ", the blocks fill %s percent of a multiprocessor's warps",       \
        .want = "%s", .judges = 1 << CHECK_READS | 1 << CHECK_SHARED, .budget = {                  \
            .naive = naive_percent,                                                                \
            .solution = 100,                                                                       \
            .slack = 1                                                                             \
        }                                                                                          \
    }
#define FILLED_HINT(capability)                                                                    \
    "How many blocks fit on a multiprocessor of compute capability " capability                    \
    ", and which resource limits them? build/lanewise occupancy shows it."

CHECK(fills_75, .title = "blocks fill a multiprocessor of compute capability 7.5 (T4)",
      .points = 15, .where = CHECK_COUNTS, .slowest = 2.5, .figure = FILLED("7.5", 31.25),
      .hint = FILLED_HINT("7.5"))
{
    fill(check, 75);
}

CHECK(fills_86, .title = "blocks fill a multiprocessor of compute capability 8.6 (RTX 3060)",
      .points = 15, .where = CHECK_COUNTS, .slowest = 2.5, .figure = FILLED("8.6", 29.1667),
      .hint = FILLED_HINT("8.6"))
{
    fill(check, 86);
}

CHECK(fills_90, .title = "blocks fill a multiprocessor of compute capability 9.0 (H100)",
      .points = 15, .where = CHECK_COUNTS, .slowest = 2.5, .figure = FILLED("9.0", 50),
      .hint = FILLED_HINT("9.0"))
{
    fill(check, 90);
}

CHECK(
    reads, .title = "blocks read few rows of other tiles", .points = 30, .where = CHECK_COUNTS,
    .figure = {.text = "for 32 sums, warps read %s sectors of 32 bytes",
               .want = "at most %s",
               .counter = "global_load_sectors",
               .budget = {.naive = 23.77, .solution = 4.66, .slack = 1.2},
               .judges = 1 << CHECK_READS},
    .hint =
        "Each tile needs 20 rows above it and 20 below it. The taller the tile, the fewer such rows there are in all. How many rows can a tile have before fewer blocks fit?")
{
    const struct run *run = run_on(check, 256, 970);
    advise_rows(check, run);
    double sectors = check_sectors_read(run) + check_counter(run, "local_load_sectors");
    check_measure(check, run, sectors / (256 * 970 / 32));
}
