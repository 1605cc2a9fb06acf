/* Lab 07: arrays of structures, and structures of arrays.
 *
 * The figures are totals for 32 structures: sectors read and written, and load requests. If a
 * program rearranges the structures, this cost is part of the total. A thread may get the words of
 * its vector in any way: through shared memory, by shuffles, or in wider loads.
 *
 * On an H100, only rungs 3 and 4, which read one field of many, differ visibly in time
 * (handouts/data/h100.tsv). In the other rungs, the remaining words of a vector are still in the
 * cache when its thread needs them. */
#include "checks/check.h"

#include <math.h>

LAB(.title = "Structures that warps read fast", .file = "structures.cu",
    .needs = {"03-shared-reduce", "05-pitched-alloc"},
    .hints = {
        "Write down the addresses that 32 neighbouring threads load from. In rung 0 they are 12 bytes apart, in rung 3 they are 32 bytes apart. How many words of a sector does a load use? Which load uses the other words?",
        "Rung 1: fetch the vectors of a block as 3 * THREADS words, no matter which vector a word belongs to. That matters only to the threads that add up. Rung 2: leave four unused bytes after each vector, and tell the compiler. Rung 4: read the particles once, and store their masses side by side.",
        "TODO 1: const float *from = (const float *)(vectors + first); for (int w = t; w < 3 * min(THREADS, n - first); w += THREADS) words[w] = from[w]; __syncthreads(); then words[3 * t], words[3 * t + 1], words[3 * t + 2]. TODO 2: in rung 2 only, pitch = sizeof(struct aligned_vector); cudaMalloc(&on_gpu, n * pitch); cudaMemcpy2D(on_gpu, pitch, data, size, size, n, cudaMemcpyHostToDevice). TODO 3: take_masses<<<blocks, THREADS>>>(particles, n, scratch); masses = scratch; apart = 1."});

enum rung { AS_THEY_COME, STAGED, ALIGNED, RECORDS, ARRAY };

#define PLANETS      10
#define MORE_PLANETS 15 /* number of planets in short inputs */
/* maximum of the words of vectors; results are exact for whole numbers up to this */
#define LARGEST 1000

/* --- cases and their right answers ------------------------------------------------------------ */

static bool has_vectors(int rung)
{
    return rung <= ALIGNED;
}

/* Returns the number of floats in a structure of RUNG. */
static int fields_of(int rung)
{
    return has_vectors(rung) ? 3 : 8;
}

/* Returns word WORD of structure I. */
static double word_of(const struct case_data *input, int i, int word)
{
    int fields = fields_of(case_int(input, "rung"));
    return (double)case_floats(input, "data")[i * fields + word];
}

/* Computes one row of the result: the lengths, or the weights on planet P. */
static void make_row(const struct case_data *input, int p, double *values)
{
    const float *gravity = case_floats(input, "gravity");
    bool vectors = has_vectors(case_int(input, "rung"));
    for (int i = 0; i < case_int(input, "n"); ++i) {
        double x = word_of(input, i, 0), y = word_of(input, i, 1), z = word_of(input, i, 2);
        values[i] =
            vectors ? x * x + y * y + z * z : (double)(gravity[p] * (float)word_of(input, i, 3));
    }
}

static struct case_data *make_case(struct check *check, int rung, int n)
{
    size_t count = (size_t)n * (size_t)fields_of(rung);
    int planets = n < 1000 ? MORE_PLANETS : PLANETS;
    /* A kernel must not compute masses from weights by a division. So particles are not
     * whole numbers: all bits of these floats are random, and rounding changes some of them. */
    const float *data = has_vectors(rung) ? check_random_wholes(check, count, -LARGEST, LARGEST)
                                          : check_random_floats(check, count, 1, 2);
    const float *gravity = check_random_floats(check, (size_t)planets, 1, 2);
    struct case_data *input = check_case(check, "rung %d, n = %s", rung, check_number(n));
    check_add_ints(input, {"rung", rung}, {"n", n}, {"planets", planets});
    case_add(input, "data", CASE_FLOAT, data, count);
    case_add(input, "gravity", CASE_FLOAT, gravity, (size_t)planets);
    return input;
}

/* Computes the result of a mistake: vector T of block B begins at word 256 * B + EACH * T. */
static void take_words(const struct case_data *input, const void *how, float *values)
{
    int each = *(const int *)how;
    const float *data = case_floats(input, "data");
    bool vectors = has_vectors(case_int(input, "rung"));
    for (int i = 0; vectors && i < case_int(input, "n"); ++i) {
        const float *at = data + i / 256 * 256 + each * (i % 256);
        values[i] = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
    }
}

/* Computes the result of a mistake: the kernel reads field FIELD of a particle instead of the
 * mass. */
static void take_field(const struct case_data *input, const void *field, float *values)
{
    const float *gravity = case_floats(input, "gravity");
    int rung = case_int(input, "rung"), n = case_int(input, "n");
    int count = has_vectors(rung) ? 0 : case_int(input, "planets") * n;
    for (int i = 0; i < count; ++i)
        values[i] = gravity[i / n] * (float)word_of(input, i % n, *(const int *)field);
}

#define GUESS(name, number) .make_so = name, CHECK_HOW(int, number)

static const struct check_guess guesses[] = {
    {"exactly the result for words i, i + 1 and i + 2: the words of vector i begin at 3 * i",
     GUESS(take_words, 1)},
    {"exactly the result if a block begins at word 256 * blockIdx.x: its vectors begin at word 3 * 256 * blockIdx.x",
     GUESS(take_words, 3)},
    {"exactly the results if x is taken in place of the mass", GUESS(take_field, 0)},
    {"exactly the results if the charge is taken in place of the mass", GUESS(take_field, 7)},
    {0}};

/* Checks that the result of RUN on INPUT is right. */
static void judge(struct check *check, const struct run *run, const struct case_data *input)
{
    bool vectors = has_vectors(case_int(input, "rung"));
    int n = case_int(input, "n"), rows = vectors ? 1 : case_int(input, "planets");
    double *values = check_memory(check, (size_t)n * (size_t)rows, sizeof *values);
    for (int p = 0; p < rows; ++p)
        make_row(input, p, values + p * n);
    struct check_matrix want = {rows, n, .values = values, .make_row = make_row,
                                .guesses = guesses};
    check_within(check, run, vectors ? "lengths" : "weights", &want);
}

/* Runs RUNG on N structures and judges the result. */
static const struct run *try_rung(struct check *check, int rung, int n)
{
    const struct case_data *input = make_case(check, rung, n);
    const struct run *run = check_run(check, input);
    judge(check, run, input);
    check_comes_from(check, run, has_vectors(rung) ? "lengths" : "weights",
                     (uint64_t)(n * fields_of(rung)) * sizeof(float));
    return run;
}

CHECK(correct, .title = "right results for 4,096 structures", .points = 10,
      .hint = "Which bytes of a structure does each thread need, and where do they lie?")
{
    check_set_hint(check, "Rung 1: word k of vector t is words[3 * t + k].");
    try_rung(check, STAGED, 4096);
    check_set_hint(check,
                   "Rung 2: the copy and the kernel must use the same distance between vectors.");
    try_rung(check, ALIGNED, 4096);
    check_set_hint(check, "Rung 4: take the masses before the loop begins. The results of planet "
                          "p begin at weights + p * n.");
    try_rung(check, ARRAY, 4096);
}

CHECK(
    ragged, .title = "right results for 1, 255, 257 and other numbers of structures", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the last block is the problem: it has fewer structures than threads, and must not read beyond them.")
{
    for (int rung = STAGED; rung <= ARRAY; ++rung) {
        if (rung == RECORDS)
            continue;
        try_rung(check, rung, 1);
        try_rung(check, rung, 255);
        try_rung(check, rung, 257);
        try_rung(check, rung, check_random_int(check, 1000, 9000));
    }
}

CHECK(
    sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
    .watched = true,
    .hint =
        "Between a write and another thread's read of the same word, all threads of the block must pass a __syncthreads().")
{
    try_rung(check, STAGED, 1000);
    try_rung(check, ALIGNED, 1000);
    try_rung(check, ARRAY, 1000);
}

/* --- totals ----------------------------------------------------------------------------------- */

#define MEASURED 16384

/* Returns a random number of structures near MEASURED, because a program must not be tuned for
 * MEASURED only. As with MEASURED, rows of this length begin at a line, but the last block is not
 * full. */
static int elsewhere(struct check *check)
{
    return 256 * check_random_int(check, 36, 58) + 32 * check_random_int(check, 1, 7);
}

/* Returns the figure of RUNG for 32 of N structures: load requests in rung 2, otherwise sectors. */
static double figure_of(const struct run *run, int rung, int n)
{
    double sectors = check_sectors_moved(run),
           requests = check_counter(run, "global_load_requests global_atomic_requests");
    return 32 * (rung == ALIGNED ? requests : sectors) / n;
}

static const struct run *measure(struct check *check, int rung)
{
    int other = elsewhere(check);
    double figure = figure_of(try_rung(check, rung, other), rung, other);
    const struct run *run = try_rung(check, rung, MEASURED);
    check_measure(check, run, fmax(figure_of(run, rung, MEASURED), figure));
    return run;
}

/* The number of sectors for 32 vectors of 16 bytes: 16 to read them, and 4 to write the results. */
#define ALIGNED_SECTORS 20

#define SECTORS(what, naive_sectors, solution_sectors)                                             \
    {                                                                                              \
        .text = "for 32 " what " the program touches %s sectors of 32 bytes",                      \
        .want = "at most %s", .counter = "global_load_sectors",                                    \
        .judges = 1 << CHECK_READS | 1 << CHECK_WRITES | 1 << CHECK_PATH, .budget = {              \
            .naive = naive_sectors,                                                                \
            .solution = solution_sectors,                                                          \
            .slack = 1.1                                                                           \
        }                                                                                          \
    }

/* Rung 1 earns points only if its vectors, which have 12 bytes, need fewer sectors than the vectors
 * of rung 2, which have 16 bytes. */
CHECK(
    staged, .title = "rung 1: neighbouring threads read neighbouring words of the vectors",
    .points = 25, .where = CHECK_COUNTS, .slowest = 5,
    .figure = SECTORS("vectors", ALIGNED_SECTORS, 16),
    .hint =
        "TODO 1: copy the words to shared memory in a loop. In each of its steps, thread t + 1 must fetch the word right after the one that thread t fetches.")
{
    const struct run *run = measure(check, STAGED);
    double requests = check_counter(run, "global_load_requests") * 32 / MEASURED;
    if (requests > 8)
        check_refuse(check, run, "Let all threads of the block fetch words in each step.",
                     "warps make %.1f requests to read 32 vectors; three are enough", requests);
}

CHECK(
    aligned, .title = "rung 2: one load fetches a vector", .points = 20, .where = CHECK_COUNTS,
    .slowest = 5,
    .figure = {.text = "for 32 vectors, the warps execute %s loads",
               .want = "at most %s",
               .counter = "global_load_requests",
               /* a block may also copy 16 bytes per lane to shared memory; the sectors are limited
                * below */
               .judges = 1 << CHECK_READS | 1 << CHECK_WRITES | 1 << CHECK_PATH |
                         1 << CHECK_SHARED | 1 << CHECK_BARRIERS,
               .budget = {.naive = 3, .solution = 1, .slack = 1.05}},
    .hint =
        "TODO 2: __align__(16) promises the compiler that each vector begins at a multiple of 16 bytes. If the kernel then copies a whole vector, the compiler uses one load of 16 bytes.")
{
    const struct run *run = measure(check, ALIGNED);
    double sectors = 32 * check_sectors_moved(run) / MEASURED;
    if (sectors > 1.05 * ALIGNED_SECTORS)
        check_refuse(
            check, run,
            "Let a vector have 16 bytes, and promise that it begins at a multiple of 16: __align__(16).",
            "for 32 vectors the program touches %s sectors; %d would be enough",
            check_number(sectors), ALIGNED_SECTORS);
    if (figure_of(run, ALIGNED, MEASURED) > 1.05 && !check_find_line(check, "__align__(16)"))
        check_show_line(check, "unused;");
}

CHECK(
    array, .title = "rung 4: the masses have an array of their own", .points = 25,
    .where = CHECK_COUNTS, .slowest = 5, .figure = SECTORS("particles and 10 planets", 360, 116),
    .hint =
        "TODO 3: read the particles once, before the loop. In the loop, a sector should hold eight masses.")
{
    const struct run *run = measure(check, ARRAY);
    if (check_requests(run, "copy copy_rows") > 0)
        check_refuse(check, run, "TODO 3: copy the masses in the kernel take_masses().",
                     "a copy on the GPU extracts the masses, but a kernel should extract them");
    if (check_requests(run, "launch") > 11) { /* 10 planets */
        check_hint(check, "TODO 3b: start take_masses() once, before the loop over the planets.");
        check_show_line(check, "take_masses<<<");
    }
}
