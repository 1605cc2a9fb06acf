/* Lab 16: a matrix product as fast as a library's.
 *
 * The figures of rungs 1 and 2 are requests of warps to shared and global memory for the factors of
 * the products. All figures are totals for one matrix product. A thread that keeps 4 x 4 elements
 * of C loads 8 numbers for 16 multiply-adds. A thread that keeps 8 x 8 elements loads 16 numbers
 * for 64 multiply-adds, four at a time. In rung 1, a wide request counts as the passes that it
 * needs: four floats a load take fewer requests, but only numbers that stay in registers take
 * fewer passes. Shuffles count as requests, and the number of instructions is limited, too.
 *
 * In rung 3, the warps must not wait for a tile. The figure counts loads, and copies by cp.async,
 * whose numbers a warp needs so soon that its multiply-adds do not hide the latency of memory.
 * Other instructions do not count: they could be useless. The number of multiply-adds is limited.
 *
 * Lab 06 explains the bound of the error for sums in float: (depth + 1) * u * M, where u = 2^-24
 * and M is the sum of the |products|. Tensor cores do not round, they cut off digits. In a step, an
 * H100 adds p = 4, 8 or 16 products to the sum. It cuts off each of these p + 1 terms 25 places
 * below the largest exponent, so each term loses at most u / 2 * M. Then it cuts off the new sum,
 * which loses at most 2 * u * M. So a step loses at most (p + 5) / 2 * u * M. All steps together
 * lose less than 9 / 8 * depth * u * M, plus the loss of one step. Inputs that a half can represent
 * lose no digits. */
#include "checks/check.h"

#include <math.h>
#include <string.h>

LAB(.title = "A fast matrix product", .file = "fast_product.cu",
    .needs = {"04-bank-conflicts", "06-tiled-matmul"},
    .hints = {
        "Count for one thread: how many numbers must it load from shared memory for each multiply-add if it computes one number of C? How many if it computes 4 x 4 numbers, or 8 x 8?",
        "TODO 1: float sum[4][4], a[4] and b[4] stay in registers if all loops over them have fixed bounds. TODO 2: one load fetches four numbers of a column of A only if the tile of A is stored by columns. TODO 3: start the copy of B and load the numbers of A for the next tiles right after the barrier, then multiply the tiles that have arrived. TODO 4: a warp keeps 4 x 2 fragments of sums, and loads 4 + 2 fragments for 8 products.",
        "TODO 2: float4 four = *(const float4 *)&a[...]; a_tile[column][row] = four.x; a_tile[column + 1][row] = four.y; and so on; a tile has rows of SIDE + 4 floats. TODO 3: __pipeline_wait_prior(0); __syncthreads(); start the next copy of B; load four numbers of A; multiply_tiles(); store the four numbers. TODO 4: fragment<matrix_a, 16, 16, 16, __half, row_major> a; load_matrix_sync(a, &pair[now].a[y][k], DEEP + 8); mma_sync(sum, a, b, sum); store_matrix_sync(c, sum, p.width, mem_row_major)."});

enum rung { TILES, REGISTERS, VECTORS, COPIES, TENSOR };

/* --- cases and their right answers ------------------------------------------------------------ */

/* Makes a mistake: each step multiplies the first pair of tiles, which have *SIDE numbers of the
 * depth. */
static void multiply_first(const struct case_data *input, const void *side, float *values)
{
    int numbers = *(const int *)side;
    const float *a = case_floats(input, "a"), *b = case_floats(input, "b");
    int height = case_int(input, "height"), width = case_int(input, "width");
    int depth = case_int(input, "depth");
    for (int i = 0; i < height * width; ++i) {
        double sum = 0;
        for (int k = 0; k < depth; ++k)
            sum += (double)a[i / width * depth + k % numbers] *
                   (double)b[k % numbers * width + i % width];
        values[i] = (float)sum;
    }
}

#define FIRST(side)                                                                                \
    "as if each step multiplied the first tiles of A and B again", .make_so = multiply_first,      \
                                                                   CHECK_HOW(int, side)

static const struct check_guess guesses[] = {{FIRST(8)}, {FIRST(16)}, {FIRST(32)}, {0}};

/* Returns the error allowed for a sum of DEPTH products, in units of u * M. */
static double units_of(int rung, int depth)
{
    return rung == TENSOR ? 1.125 * depth + 12 : depth + 1;
}

/* Returns COUNT numbers from -1 to 1. For rung 4, they are multiples of 1/1,024, which a half
 * represents exactly. */
static float *random_numbers(struct check *check, int rung, size_t count)
{
    float *numbers = check_random_floats(check, count, -1, 1);
    for (size_t i = 0; rung == TENSOR && i < count; ++i)
        numbers[i] = rintf(numbers[i] * 1024) / 1024;
    return numbers;
}

/* Runs JOB on random numbers. Checks that the result is right, and that kernels computed it from
 * these numbers on the GPU. */
static const struct run *grade_job(struct check *check, struct check_product job)
{
    const float *a = random_numbers(check, job.rung, (size_t)job.height * (size_t)job.depth);
    const float *b = random_numbers(check, job.rung, (size_t)job.depth * (size_t)job.width);
    return check_product_run(check, job, a, b, units_of(job.rung, job.depth), guesses);
}

static void grade_all(struct check *check, int height, int width, int depth)
{
    for (int rung = REGISTERS; rung <= TENSOR; ++rung)
        grade_job(check, (struct check_product){rung, height, width, depth});
}

/* Advice about wrong results. */
static const char *const rung_hints[] = {
    [REGISTERS] =
        "Rung 1: thread (tx, ty) computes rows ty, ty + 16, ... and columns tx, tx + 16, ... of its block's piece of C. A row of A has p.depth numbers; a row of B or C has p.width. Which numbers of the two tiles does step k multiply?",
    [VECTORS] =
        "Rung 2: the tile of A is stored by columns: a[k][row]. The next pair of tiles begins STEP columns further right in A, and STEP rows further down in B. store_sums() shows which rows and columns of C a thread computes.",
    [COPIES] =
        "Rung 3: each pair of tiles is filled while the other pair is multiplied. Is the first pair loaded before the loop? Does each step multiply the pair that has arrived? Does the last step multiply, too?",
    [TENSOR] =
        "Rung 4: the last argument of load_matrix_sync() is the length of a row: DEEP + 8 for the tile of A, SIDE + 8 for the tile of B. For C, store_matrix_sync() takes p.width. Set the sums to 0 at the start.",
};

/* --- right answers ---------------------------------------------------------------------------- */

CHECK(correct, .title = "right product if all tiles are full", .points = 10,
      .hint = "Take pencil and paper, and follow the thread that computes the number named above.")
{
    for (int rung = REGISTERS; rung <= TENSOR; ++rung) {
        check_set_hint(check, rung_hints[rung]);
        grade_job(check, (struct check_product){rung, 128, 256, 96});
    }
}

CHECK(
    ragged, .title = "right product for any sizes", .points = 10,
    .hint =
        "main() pads the matrices with zeros, so p.height, p.width and p.depth are always multiples of the tile's sides. If the check above has passed, do the kernels use other sizes than these three?")
{
    int height = check_random_int(check, 130, 200), width = check_random_int(check, 2, 120);
    int depth = check_random_int(check, 2, 90);
    grade_all(check, 1, 1, 1);
    grade_all(check, 5, 131, 33);
    grade_all(check, height, width, depth);
}

CHECK(
    sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
    .watched = true,
    .hint =
        "All threads must pass a __syncthreads() between the writes of a tile and its reads, and between its reads and the next writes. A thread waits for its own copies before that barrier.")
{
    grade_all(check, 128, 128, 96);
}

/* --- requests --------------------------------------------------------------------------------- */

#define N 256 /* rows and columns of the measured matrices */

/* The counters of requests that load numbers, in any way. Shuffles take the place of loads from
 * shared memory, and take as long. */
#define LOADS "global_load_requests global_atomic_requests shuffle_requests"
#define SHARED                                                                                     \
    "shared_load_requests shared_store_requests shared_atomic_requests local_load_requests "       \
    "local_store_requests"
#define PASSES CHECK_SHARED_PASSES " shuffle_requests"
/* The same as SHARED, but a request counts as the passes that it needs without bank conflicts. */
#define UP_TO_32                                                                                   \
    "shared_load_wavefronts_ideal shared_store_wavefronts_ideal shared_atomic_requests "           \
    "local_load_requests local_store_requests"

#define WAITS "waits_uncovered texture_requests"

/* The costs that check_costs() does not limit: shared memory, because the figures judge requests
 * and passes; and barriers, because smaller tiles need more barriers. */
#define OF_TILES (1 << CHECK_SHARED | 1 << CHECK_BARRIERS)

/* Fails the check if threads make multiply-adds that the product does not need, while they wait. */
static void refuse_idle_adds(struct check *check, const struct run *run, int depth)
{
    double adds = check_counter(run, "float_operations"), needed = (double)N * N * depth;
    if (adds > 1.01 * needed)
        check_refuse(check, run,
                     "Multiply the tiles that have arrived while the next ones are on their way.",
                     "the threads make %s additions and multiply-adds; the product needs %s",
                     check_number(adds), check_number(needed));
}

/* Runs RUNG. Fails the check if tensor cores make much of the work before rung 4: they can multiply
 * floats in parts, but then the lessons of the earlier rungs are missing. */
static const struct run *run_measured(struct check *check, int rung, int depth)
{
    const struct run *run = grade_job(check, (struct check_product){rung, N, N, depth});
    double wide = check_counter(run, "wide_operations"), all = (double)N * N * depth;
    if (rung < TENSOR && wide > all / 8)
        check_refuse(check, run, "Use tensor cores only in rung 4.",
                     "rungs 1 to 3 multiply floats, but tensor cores make %s multiply-adds",
                     check_number(wide));
    if (rung == TENSOR && wide > 1.1 * all)
        check_refuse(check, run, "Multiply each tile of A and each tile of B only once.",
                     "tensor cores make %s multiply-adds, but the product needs only %s",
                     check_number(wide), check_number(all));
    return run;
}

/* In the naive program, a thread makes one number of C, and loads four floats of a row of A and of a
 * column of B at once. */
CHECK(
    registers, .title = "rung 1: a thread keeps 4 x 4 numbers", .points = 15, .where = CHECK_COUNTS,
    .slowest = 2.5,
    .figure =
        {.text = "for 256 x 256 numbers of C, warps make %s memory requests of up to 32 words",
         .want = "at most %s",
         .counter = "shared_load_requests",
         .budget = {.naive = 589824, .solution = 294912, .slack = 1.2, .scale = JUDGE_LOGARITHMIC},
         .judges = OF_TILES},
    .hint =
        "TODO 1: for each k, load 4 numbers of A's tile and 4 of B's into registers, and use them for 16 multiply-adds.")
{
    const struct run *run = run_measured(check, REGISTERS, N);
    check_measure(check, run, check_counter(run, LOADS " " UP_TO_32));
}

/* The naive program is the solution of rung 1. */
CHECK(
    vectors, .title = "rung 2: four floats per load, 8 x 8 numbers per thread", .points = 15,
    .where = CHECK_COUNTS, .slowest = 2.5,
    .figure =
        {.text = "for 256 x 256 numbers of C, warps make %s memory requests",
         .want = "at most %s",
         .counter = "shared_load_requests",
         .budget = {.naive = 294912, .solution = 39936, .slack = 1.3, .scale = JUDGE_LOGARITHMIC},
         .judges = OF_TILES},
    .hint =
        "TODO 2: for each k, load 8 numbers of A's tile and 8 of B's, by two float4 each. This needs a tile of A that is stored by columns.")
{
    const struct run *run = run_measured(check, VECTORS, N);
    check_measure(check, run, check_counter(run, LOADS " " SHARED));
}

/* In the naive program, a thread computes 8 x 8 elements, but loads one float at a time. Two other
 * layouts take more passes than the solution, too: threads that compute 8 neighbouring elements of
 * a row, and warps of 16 x 2 lanes instead of 8 x 4. */
CHECK(
    passes, .title = "rung 2: few passes through shared memory", .points = 10,
    .where = CHECK_COUNTS, .slowest = 2.5,
    .figure =
        {.text = "for 256 x 256 numbers of C, warps make %s passes through shared memory",
         .want = "at most %s",
         .counter = PASSES,
         .budget = {.naive = 139264, .solution = 73728, .slack = 1.25, .scale = JUDGE_LOGARITHMIC},
         .judges = OF_TILES},
    .hint =
        "TODO 2: neighbouring lanes must load neighbouring float4. So give a thread 4 columns, and 4 more that lie 32 columns further right. Rows of SIDE + 4 floats avoid conflicts when lanes write a column. Let a warp have 8 x 4 threads: they share more numbers than 16 x 2.")
{
    const struct run *run = run_measured(check, VECTORS, N);
    check_measure(check, run, check_counter(run, PASSES));
}

#define DEPTH 1024 /* so that the first tiles, for which warps must wait, are a small part */

/* The naive program is the solution of rung 2. */
CHECK(
    copies, .title = "rung 3: no warp waits for a tile", .points = 10, .where = CHECK_COUNTS,
    .waits = true,
    .figure = {.text = "warps wait for %s loads from global memory",
               .want = "at most %s",
               .counter = WAITS,
               .budget = {.naive = 8192, .solution = 64, .slack = 16, .scale = JUDGE_LOGARITHMIC},
               .judges = OF_TILES},
    .hint =
        "TODO 3: copy the numbers of B by __pipeline_memcpy_async(), and load those of A into registers. Start both before you multiply. After multiplying, wait for the copies and store the numbers of A.")
{
    const struct run *run = run_measured(check, COPIES, DEPTH);
    check_measure(check, run, check_counter(run, WAITS));
    refuse_idle_adds(check, run, DEPTH);
}

/* --- instructions ----------------------------------------------------------------------------- */

/* The naive program uses the tiles of lab 06, with the block size of the skeleton, which computes a
 * larger part of C. */
CHECK(
    work, .title = "rung 3: most instructions are multiply-adds", .points = 10,
    .where = CHECK_COUNTS, .slowest = 2.5,
    .figure = {.text = "for 256 x 256 numbers of C, all warps together execute %s instructions",
               .want = "at most %s",
               .counter = "warp_instructions",
               .budget = {.naive = 2000000, .solution = 645792, .slack = 1.3},
               .judges = OF_TILES | 1 << CHECK_WORK | 1 << CHECK_IDLE},
    .hint =
        "TODO 3: a step makes 512 multiply-adds in each thread. Which other instructions does it execute? Let the compiler unroll the loop over k, and compute addresses outside of it.")
{
    const struct run *run = run_measured(check, COPIES, N);
    check_measure(check, run, check_counter(run, "warp_instructions"));
    refuse_idle_adds(check, run, N);
}

/* The naive program uses the tiles of lab 06. A program that loads each fragment again for each
 * product takes as many passes as the naive program. Products in TF32, whose numbers need twice the
 * bytes, keep most points. */
CHECK(
    tensor, .title = "rung 4: tensor cores multiply", .points = 10, .where = CHECK_COUNTS,
    .slowest = 2.5,
    .figure =
        {.text = "for 256 x 256 numbers of C, warps make %s passes through shared memory",
         .want = "at most %s",
         .counter = PASSES,
         .budget = {.naive = 1114112, .solution = 21504, .slack = 1.4, .scale = JUDGE_LOGARITHMIC},
         .judges = OF_TILES | 1 << CHECK_WORK | 1 << CHECK_PATH},
    .hint =
        "TODO 4: mma_sync() makes 4,096 multiply-adds in one instruction of a warp. Keep several fragments of sums, so that each loaded fragment is used more than once.")
{
    const struct run *run = run_measured(check, TENSOR, N);
    /* all wide operations in this lab are multiply-adds of tensor cores */
    double wide = check_counter(run, "wide_operations"), all = (double)N * N * N;
    double adds = check_counter(run, "float_operations");
    check_measure(check, run, check_counter(run, PASSES));
    if (adds > all / 2)
        check_refuse(check, run, "Take C from the fragments that mma_sync() adds up.",
                     "the threads make %s additions and multiply-adds besides the tensor cores",
                     check_number(adds));
    if (wide < all / 2)
        check_refuse(check, run, "Multiply fragments of halves by mma_sync().",
                     "tensor cores make %s of the %s multiply-adds", check_number(wide),
                     check_number(all));
}
