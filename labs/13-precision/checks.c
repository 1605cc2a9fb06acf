/* Lab 13: what is exact, and what is fast.
 *
 * Results are compared with numbers that MPFR has rounded correctly, and the bounds are in ulp. In
 * rungs 1 and 2, large numbers cancel: a row's sum is thousands of times smaller than its numbers.
 * So additions or products in float lose most of the digits, with every seed and in every order.
 * Numbers that cancel are far apart, so no two neighbours cancel each other first.
 *
 * The figures are operations in double for each number, requests that load half-precision numbers
 * ("halves"), and the cost of the instructions for 32 numbers. An instruction for doubles costs as
 * much as 32 others, because a T4 has one unit for doubles for each 32 units for floats. The
 * emulator rounds the result of sin.approx correctly. On a GPU, sin.approx has an error of up to
 * 2^-21, which the bound of rung 4 allows. */
#include <limits.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "checks/check.h"

LAB(.title = "Exact sums and fast functions", .file = "precision.cu",
    .needs = {"04-bank-conflicts"},
    .hints = {
        "For each operation, ask yourself: what does rounding cut off? In rungs 1 and 2 the part that is cut off is a float, too, and other float operations can compute it. In rung 3 nothing is cut off. In rungs 4 and 5, choose operations whose errors stay small.",
        "TODO 1: struct pair { float high, low; }. Adding b to a: sum = a.high + b; part = sum - a.high; a.low += (a.high - (sum - part)) + (b - part); a.high = sum. The lanes: float high = __shfl_down_sync(ALL, mine.high, off), low = __shfl_down_sync(ALL, mine.low, off); mine = add(mine, high); mine.low += low. The row's sum is high + low of lane 0.",
        "TODO 2: add the rounded product as in TODO 1, and the product's error to low: product = __fmul_rn(a, b); sum = add(sum, product); sum.low += fmaf(a, b, -product).",
        "TODO 3: a sum of 8,192 such halves has at most 24 bits, so one float is enough: float2 two = __half22float2(twos[i]); sum += two.x + two.y. Then the lanes add up their floats by shuffles.",
        "TODO 4: the whole turns are rintf(t): turns = t - rintf(t); 2 + __sinf(TWO_PI * turns).",
        "TODO 5: e = expf(-fabsf(t)); test t < 0 to choose the numerator and the denominator. Write 1, not 1.0. __fdividef() is precise enough here, since it divides by at most ratio + 1; __expf() is not.",
    });

enum rung { SUMS = 1, PRODUCTS, HALVES, WAVES, GROWTH };

#define MOST_TURNS 1000 /* numbers of rung 4 are between -MOST_TURNS and MOST_TURNS */
#define LONGEST    86   /* numbers of rung 5 are between -86 and 86; e^86 and e^-86 are floats */
#define EXACT_BITS 700  /* number of bits for an exact sum of products of floats */
#define ROUGH_BITS 120  /* number of bits for the functions of rungs 4 and 5 */
/* maximum number of halves in a row; a sum of 8,192 whole numbers below 2,048 is exact in float */
#define MOST_HALVES 8192

/* The allowed errors of results, in ulp. */
static const double most_ulps[] = {
    [SUMS] = 1, [PRODUCTS] = 1, [HALVES] = 0, [WAVES] = 12, [GROWTH] = 8};

/* An input and its right results. */
struct job {
    enum rung rung;
    int rows, width, capacity, ratio;
    float *data, *weights;
    uint16_t *halves;
    double *right;
};

static int results_of(const struct job *job)
{
    return job->rung <= HALVES ? job->rows : job->rows * job->width;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static float random_float(struct check *check, double low, double high)
{
    return (float)(low + (high - low) * check_random_int(check, 0, INT_MAX) / INT_MAX);
}

/* Fills a row with pairs of numbers that nearly cancel. If WEIGHTS is not NULL, the numbers'
 * products with the weights nearly cancel instead. The scales of the rows differ, so that sums in
 * fixed point fail. */
static void fill_cancelling(struct check *check, float *row, float *weights, int width)
{
    int scale = check_random_int(check, -40, 40);
    for (int i = 0; i < width; i += 2) {
        int exponent = scale + check_random_int(check, 4, 12);
        double large = ldexp(random_float(check, 1, 2), exponent);
        double sign = check_random_int(check, 0, 1) ? 1 : -1, factor = random_float(check, 0.5, 2);
        double nearly = 1 + random_float(check, -1.f / 256, 1.f / 256);
        row[i] = (float)(sign * large);
        if (weights)
            weights[i] = random_float(check, 1, 4);
        if (i + 1 < width)
            row[i + 1] = (float)(-sign * large * nearly * (weights ? factor : 1));
        if (weights && i + 1 < width)
            weights[i + 1] = (float)(weights[i] / factor);
    }
}

static void swap(float *numbers, int i, int j)
{
    float number = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = number;
}

static void shuffle(struct check *check, float *row, float *weights, int width)
{
    for (int i = width - 1; i > 0; --i) {
        int j = check_random_int(check, 0, i);
        swap(row, i, j);
        if (weights)
            swap(weights, i, j);
    }
}

/* Returns the bits of a random half: a whole number below 2,048, divided by 8. A quarter of the
 * halves are negative. */
static uint16_t random_half(struct check *check)
{
    int eighths = check_random_int(check, 1, 2047), place = ilogb(eighths);
    int sign = check_random_int(check, 0, 3) ? 0 : 0x8000;
    return (uint16_t)(sign | (place + 12) << 10 | ((eighths << (10 - place)) & 0x3ff));
}

static double value_of_half(uint16_t half)
{
    double size = ldexp(0x400 | (half & 0x3ff), (half >> 10 & 0x1f) - 25);
    return half & 0x8000 ? -size : size;
}

/* Returns a random number for rungs 4 and 5. In rung 5, one number in eight makes capacity / (1 +
 * ratio * e^-t) tiny. */
static float random_number(struct check *check, enum rung rung)
{
    if (rung == WAVES)
        return random_float(check, -MOST_TURNS, MOST_TURNS);
    return check_random_int(check, 0, 7) ? random_float(check, -LONGEST, LONGEST)
                                         : random_float(check, -LONGEST, 6 - LONGEST);
}

/* Returns whether so much of a row cancels that even a right kernel, which keeps the rounding
 * errors in a second float, would have an error of more than an ulp. */
static bool cancels_too_much(const float *row, const float *weights, int width)
{
    long double sum = 0, size = 0;
    for (int i = 0; i < width; ++i) {
        long double term = (long double)row[i] * (weights ? weights[i] : 1);
        sum += term;
        size += fabsl(term);
    }
    return fabsl(sum) < size * 0x1p-18L;
}

static void fill(struct check *check, struct job *job)
{
    size_t n = (size_t)job->rows * (size_t)job->width;
    if (job->rung == HALVES)
        job->halves = check_memory(check, n, sizeof *job->halves);
    else
        job->data = check_memory(check, n, sizeof *job->data);
    if (job->rung == PRODUCTS)
        job->weights = check_memory(check, n, sizeof *job->weights);
    for (size_t i = 0; i < n; ++i)
        if (job->rung == HALVES)
            job->halves[i] = random_half(check);
        else if (job->rung > HALVES)
            job->data[i] = random_number(check, job->rung);
    for (int y = 0; y < job->rows && job->rung < HALVES; ++y) {
        float *row = job->data + y * job->width;
        float *weights = job->weights ? job->weights + y * job->width : NULL;
        do {
            fill_cancelling(check, row, weights, job->width);
            shuffle(check, row, weights, job->width);
        } while (cancels_too_much(row, weights, job->width));
    }
}

/* --- the right results ------------------------------------------------------------------------ */

/* Returns the exact sum of a row, rounded to double. */
static double sum_row(const struct job *job, int row)
{
    mpfr_t sum, product;
    mpfr_inits2(EXACT_BITS, sum, product, (mpfr_ptr)NULL);
    mpfr_set_zero(sum, 1);
    for (int i = row * job->width; i < (row + 1) * job->width; ++i) {
        mpfr_set_d(product, job->rung == HALVES ? value_of_half(job->halves[i]) : job->data[i],
                   MPFR_RNDN);
        if (job->weights)
            mpfr_mul_d(product, product, job->weights[i], MPFR_RNDN);
        mpfr_add(sum, sum, product, MPFR_RNDN);
    }
    double result = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(sum, product, (mpfr_ptr)NULL);
    return result;
}

/* Returns 2 + sin(2 pi T). */
static double wave(mpfr_t x, double t)
{
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul_d(x, x, 2 * t, MPFR_RNDN);
    mpfr_sin(x, x, MPFR_RNDN);
    mpfr_add_ui(x, x, 2, MPFR_RNDN);
    return mpfr_get_d(x, MPFR_RNDN);
}

/* Returns CAPACITY / (1 + RATIO * e^-T). */
static double growth(mpfr_t x, double t, int capacity, int ratio)
{
    mpfr_set_d(x, -t, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_mul_si(x, x, ratio, MPFR_RNDN);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_si_div(x, capacity, x, MPFR_RNDN);
    return mpfr_get_d(x, MPFR_RNDN);
}

static void solve(struct check *check, struct job *job)
{
    mpfr_t x;
    mpfr_init2(x, ROUGH_BITS);
    job->right = check_memory(check, (size_t)results_of(job), sizeof *job->right);
    for (int i = 0; i < results_of(job); ++i)
        job->right[i] = job->rung <= HALVES  ? sum_row(job, i)
                        : job->rung == WAVES ? wave(x, job->data[i])
                                             : growth(x, job->data[i], job->capacity, job->ratio);
    mpfr_clear(x);
    mpfr_free_cache();
}

/* --- runs ------------------------------------------------------------------------------------- */

static struct case_data *make_case(struct check *check, const struct job *job)
{
    static const char *const names[] = {[SUMS] = "sums",
                                        [PRODUCTS] = "sums of products",
                                        [HALVES] = "sums of halves",
                                        [WAVES] = "waves",
                                        [GROWTH] = "growth"};
    size_t n = (size_t)job->rows * (size_t)job->width;
    int rung = (int)job->rung;
    struct case_data *input = check_case(check, "rung %d, %s, %s x %s numbers", rung, names[rung],
                                         check_number(job->rows), check_number(job->width));
    check_add_ints(input, {"rung", rung}, {"rows", job->rows}, {"width", job->width},
                   {"capacity", job->capacity}, {"ratio", job->ratio});
    if (job->rung == HALVES)
        case_add(input, "halves", CASE_INT, job->halves, n / 2);
    else
        case_add(input, "data", CASE_FLOAT, job->data, n);
    if (job->weights)
        case_add(input, "weights", CASE_FLOAT, job->weights, n);
    return input;
}

/* --- common mistakes -------------------------------------------------------------------------- */

/* The sums of rungs 1 to 3, in the order in which the skeleton adds: lane l of a warp adds up
 * the numbers l, l + 32, ... of a row; then the lanes add up their sums by shuffles. A guess must
 * equal the wrong result exactly, so a program with another order fits no guess. */
#define LANES 32

struct pair {
    float high, low;
};

/* A mistake in a student's program for rungs 1 and 2. All members are false if there is none. */
struct mistake {
    bool drops;      /* drops the rounding errors of additions */
    bool lanes_drop; /* drops the rounding errors of adding up the lanes' sums */
    bool own_low;    /* leaves out `low` of the other lanes */
    bool late_low;   /* reads `low` of another lane after it has changed */
    bool high_first; /* changes `high` before it computes the error */
    bool fuses;      /* adds products to a single float, by fused multiply-adds */
    bool no_product; /* leaves out the rounding errors of products */
};

static struct pair add(struct pair a, float b, const struct mistake *mistake)
{
    float sum = a.high + b, part = sum - a.high, rest = sum - part;
    float one = (mistake->high_first ? sum : a.high) - rest, other = b - part, lost = one + other;
    return (struct pair){sum, a.low + lost};
}

/* Adds up the sums of a warp's lanes. Returns the row's sum. */
static float add_lanes(struct pair *lanes, const struct mistake *mistake)
{
    for (int off = LANES / 2; off > 0; off /= 2) {
        struct pair old[LANES];
        memcpy(old, lanes, sizeof old);
        /* A lane without a partner adds its own sum. This does not affect lane 0, unless `low` is
         * read too late. */
        for (int l = 0; l < LANES; ++l) {
            int from = l + off < LANES ? l + off : l;
            struct pair sum = add(old[l], old[from].high, mistake);
            lanes[l] = mistake->lanes_drop ? (struct pair){sum.high, old[l].low} : sum;
        }
        for (int l = 0; l + off < LANES && !mistake->own_low; ++l)
            lanes[l].low += mistake->late_low ? lanes[l + off].low : old[l + off].low;
    }
    return mistake->drops ? lanes[0].high : lanes[0].high + lanes[0].low;
}

static struct pair add_product(struct pair sum, float a, float b, const struct mistake *mistake)
{
    if (mistake->fuses)
        return (struct pair){fmaf(a, b, sum.high), 0};
    float product = a * b;
    sum = add(sum, product, mistake);
    if (!mistake->no_product)
        sum.low += fmaf(a, b, -product);
    return sum;
}

static void add_rows(const struct case_data *input, const void *mistake, float *values)
{
    int rows = case_int(input, "rows"), width = case_int(input, "width");
    const float *data = case_floats(input, "data");
    bool has_weights = case_int(input, "rung") == PRODUCTS;
    const float *weights = has_weights ? case_floats(input, "weights") : NULL;
    for (int y = 0; y < rows; ++y) {
        struct pair lanes[LANES] = {{0}};
        for (int x = 0; x < width; ++x) {
            struct pair *sum = &lanes[x % LANES];
            int i = y * width + x;
            *sum = weights ? add_product(*sum, data[i], weights[i], mistake)
                           : add(*sum, data[i], mistake);
        }
        values[y] = add_lanes(lanes, mistake);
    }
}

#define GUESS(...) .make_so = add_rows, CHECK_HOW(struct mistake, __VA_ARGS__)

#define OF_PAIRS                                                                                   \
    {"as if the rounding errors were dropped when the lanes add up their sums",                    \
     GUESS(.lanes_drop = true)},                                                                   \
        {"as if the second floats of the other lanes were left out", GUESS(.own_low = true)},      \
        {"as if a lane read the other lane's second float after that lane had changed it",         \
         GUESS(.late_low = true), .at = ".low, off)"},                                             \
    {                                                                                              \
        "as if the error were computed from the new sum: compute it before you change the sum",    \
            GUESS(.high_first = true), .at = "(b - part)"                                          \
    }

static const struct check_guess sum_guesses[] = {
    {"as if the rounding errors of the additions were dropped", GUESS(.drops = true)},
    OF_PAIRS,
    {0}};

static const struct check_guess product_guesses[] = {
    {"as if the rounding errors of the products were dropped", GUESS(.no_product = true),
     .at = "__fmul_rn("},
    {"as if the rounding errors of the additions and of the products were dropped",
     GUESS(.drops = true)},
    {"as if the rounding errors of the additions were dropped",
     GUESS(.fuses = true, .drops = true)},
    OF_PAIRS,
    {0}};

/* Returns NUMBER rounded to a half. In this lab, the last bit of a half has the value 1/8 or
 * more. */
static double round_to_half(double number)
{
    int exponent;
    frexp(number, &exponent);
    double unit = ldexp(1, exponent - 11), rounded = nearbyint(number / unit) * unit;
    return fabs(rounded) >= 65536 ? copysign(INFINITY, number) : rounded;
}

/* The mistake in rung 3 of adding in half precision, by the place where the program does so. */
enum half_place {
    IN_WORDS, /* it adds the two numbers of a word */
    IN_TWOS,  /* it adds up the first numbers of all words, and their second numbers */
    IN_TURN,  /* it adds up the numbers l, l + 32, ... of a row */
};

static void add_halves(const struct case_data *input, const void *how, float *values)
{
    enum half_place place = *(const enum half_place *)how;
    int rows = case_int(input, "rows"), width = case_int(input, "width");
    const uint16_t *halves = case_find(input, "halves")->values;
    for (int y = 0; y < rows; ++y) {
        struct pair lanes[LANES] = {{0}};
        double sums[LANES][2] = {{0}};
        for (int x = 0; x < width; ++x) {
            double half = value_of_half(halves[y * width + x]);
            double *sum = place == IN_TURN ? &sums[x % LANES][0] : &sums[x / 2 % LANES][x % 2];
            *sum = place == IN_WORDS ? half : round_to_half(*sum + half);
            if (place == IN_WORDS && x % 2 == 1)
                lanes[x / 2 % LANES].high += (float)round_to_half(sum[-1] + half);
        }
        for (int l = 0; l < LANES && place != IN_WORDS; ++l)
            lanes[l].high = (float)(sums[l][0] + sums[l][1]);
        values[y] = add_lanes(lanes, &(struct mistake){.drops = true});
    }
}

#define ADDED(place) .make_so = add_halves, CHECK_HOW(enum half_place, place)

static const struct check_guess half_guesses[] = {
    {"as if both numbers of a __half2 were added in half precision", ADDED(IN_WORDS)},
    {"as if each lane added up in half precision", ADDED(IN_TWOS)},
    {"as if each lane added up in half precision", ADDED(IN_TURN)},
    {0}};

static const struct check_guess *const guesses_of[] = {
    [SUMS] = sum_guesses, [PRODUCTS] = product_guesses, [HALVES] = half_guesses, [GROWTH] = NULL};

/* --- the runs of all rungs -------------------------------------------------------------------- */

/* Runs RUNG on random numbers and judges the results. */
static const struct run *run_on(struct check *check, enum rung rung, int rows, int width)
{
    struct job job = {.rung = rung, .rows = rows, .width = width};
    job.capacity = check_random_int(check, 500, 2000);
    job.ratio = check_random_int(check, 20, 1000);
    fill(check, &job);
    solve(check, &job);
    const struct run *run = check_run(check, make_case(check, &job));
    bool is_row = rung <= HALVES;
    check_within(check, run, "result",
                 &(struct check_matrix){.height = is_row ? 1 : rows,
                                        .width = is_row ? rows : width,
                                        .values = job.right,
                                        .ulps = most_ulps[rung],
                                        .guesses = guesses_of[rung],
                                        .exact_guesses = is_row});
    check_comes_from(check, run, "result",
                     (uint64_t)rows * (uint64_t)width * (rung == HALVES ? 2 : 4));
    return run;
}

/* Advice about wrong results, for each rung. */
static const char *const rung_hints[] = {
    [SUMS] =
        "Rung 1: an addition must compute its error before it changes the sum. A lane must read both floats of another lane before it changes its own.",
    [PRODUCTS] =
        "Rung 2: the product's error is fmaf(a, b, -product), with a minus. Add it to the sum, too.",
    [HALVES] =
        "Rung 3: the sums of floats are exact here. Does each lane add up both numbers of each __half2, and does each row begin in the right place?",
    [WAVES] = "Rung 4: subtract whole turns before you multiply by 2 pi.",
    [GROWTH] =
        "Rung 5: how large can each intermediate result be? Is e at most 1 for each sign of t?",
};

/* Advice for rungs 4 and 5 about results that are wrong only for some sizes. The checks' own advice
 * is about the rows of rungs 1 to 3. */
#define REACHES CHECK_FIRST_FIX "does the loop reach every number, and none after the last one?"
static const char *const size_hints[] = {[WAVES] = REACHES, [GROWTH] = REACHES};

/* Runs all rungs. If HINTS is not NULL, its elements replace the check's hint, each for one rung. A
 * rung whose element is NULL keeps the check's hint. */
static void run_all(struct check *check, int rows, int width, const char *const *hints)
{
    for (enum rung rung = SUMS; rung <= GROWTH; ++rung) {
        check_set_hint(check, hints ? hints[rung] : NULL);
        run_on(check, rung, rows, width);
    }
    check_set_hint(check, NULL);
}

CHECK(correct, .title = "right results for 32 rows of 1,000 numbers", .points = 10,
      .hint = "What does rounding cut off in each operation?")
{
    run_all(check, 32, 1000, rung_hints);
}

CHECK(
    ragged, .title = "right for one row, two numbers, and long rows, too", .points = 10,
    .hint = CHECK_FIRST_FIX
    "a row may have fewer numbers than a warp has lanes, and the last block may have more warps than rows are left. All 32 lanes of a warp must reach each __shfl_down_sync().")
{
    run_all(check, 1, 2, size_hints);
    int width = 2 * check_random_int(check, 8, 40);
    run_all(check, check_random_int(check, 33, 60), width, size_hints);
    run_on(check, SUMS, 3, 2 * check_random_int(check, 1000, 2000) + 1);
    run_on(check, PRODUCTS, 3, 2 * check_random_int(check, 1000, 2000) + 1);
    run_on(check, HALVES, 5, MOST_HALVES);
}

CHECK(sound, .title = "right every time, not by luck", .points = 5, .where = CHECK_COUNTS,
      .watched = true,
      .hint = "If threads exchange numbers in shared memory, all must wait between a write and "
              "another thread's read. Shuffles need no wait.")
{
    run_all(check, 6, 500, NULL);
}

/* --- figures ---------------------------------------------------------------------------------- */

#define ROWS  16
#define WIDTH 4096

/* an instruction for doubles takes as long as 32 instructions for floats */
#define DOUBLE_PRICE 32

/* Returns the figure of RUNG for each of N numbers. */
static double figure_of(const struct run *run, enum rung rung, double n)
{
    double doubles = check_counter(run, "double_operations");
    double instructions = check_counter(run, "warp_instructions");
    return (rung == HALVES  ? 1024 * check_counter(run, "global_load_requests")
            : rung == WAVES ? 32 * instructions + (DOUBLE_PRICE - 1) * doubles
                            : doubles) /
           n;
}

/* The limit of wide operations for each number of rungs 1 and 2. It is needed because tensor cores
 * multiply doubles, too, but the counter of operations in double does not include them. Each matrix
 * product of tensor cores counts as 256 wide operations, and adds up at most 56 numbers. */
#define MOST_WIDE 4

/* The limit of instructions for 1,024 halves. The solution executes 145. A program that uses two
 * floats for each sum executes 350. */
#define MOST_FOR_HALVES 260

/* Limits what the sums of N numbers cost beside the figure. */
static void limit_sums(struct check *check, const struct run *run, enum rung rung, double n)
{
    if (rung < HALVES)
        check_limit(
            check, run, check_counter(run, "wide_operations") / n, MOST_WIDE,
            "Add and multiply floats only, and use fused multiply-adds of floats.",
            "for each number, the kernel executes %s operations on types wider than a float");
    if (rung != HALVES)
        return;
    check_limit(check, run, 8 * check_counter(run, "double_operations") / n, 1,
                "Add up in float: the sums are exact.",
                "for 8 numbers, lanes execute %s operations in double");
    check_limit(
        check, run, 1024 * check_counter(run, "warp_instructions") / n, MOST_FOR_HALVES,
        "One plain addition for each half-precision number is enough: these additions are exact.",
        "for 1,024 halves, warps execute %s instructions");
}

/* Measures the figure for rows of WIDTH numbers and for a random size, because a program must not be
 * tuned for one size. */
static void measure(struct check *check, enum rung rung, int width)
{
    /* little variation, because check_costs() compares with the solution's costs for one seed */
    int rows = ROWS + check_random_int(check, 5, 8),
        wider = width + 64 * check_random_int(check, 1, 2);
    const struct run *run = run_on(check, rung, ROWS, width);
    const struct run *elsewhere = run_on(check, rung, rows, wider);
    double n = ROWS * width, others = rows * wider;
    check_measure(check, run, fmax(figure_of(run, rung, n), figure_of(elsewhere, rung, others)));
    check_costs(check, elsewhere);
    limit_sums(check, run, rung, n);
    limit_sums(check, elsewhere, rung, others);
}

/* Lanes that combine their sums in double execute 0.04 operations for each number. */
#define DOUBLES                                                                                    \
    .text = "for each number, the kernel executes %s operations in double", .want = "%s",          \
    .counter = "double_operations", .budget = {.naive = 0.17, .solution = 0, .slack = 1}

CHECK(
    sums, .title = "rung 1: precise sums without doubles", .points = 15, .where = CHECK_COUNTS,
    .slowest = 1.7, .figure = {DOUBLES},
    .hint =
        "TODO 1: keep two floats, the rounded sum and what rounding has cut off. Each step needs six additions and subtractions, and none of them in double.")
{
    measure(check, SUMS, WIDTH);
}

CHECK(
    products, .title = "rung 2: precise products without doubles", .points = 15,
    .where = CHECK_COUNTS, .slowest = 1.7, .figure = {DOUBLES},
    .hint =
        "TODO 2: fmaf(a, b, -product) is the rounding error of the product. Compute product by __fmul_rn(a, b), which the compiler does not fuse with an addition.")
{
    measure(check, PRODUCTS, WIDTH);
}

CHECK(
    halves, .title = "rung 3: two halves per load, added up in float", .points = 15,
    .where = CHECK_COUNTS, .slowest = 1.7,
    .figure = {.text = "to load 1,024 halves, warps execute %s loads",
               .want = "at most %s",
               .counter = "global_load_requests",
               .budget = {.naive = 32, .solution = 16, .slack = 1.05}},
    .hint =
        "TODO 3: read the row as __half2, as in the last lines of the TODO. __half22float2() makes two floats of it.")
{
    measure(check, HALVES, WIDTH);
}

CHECK(
    waves, .title = "rung 4: a fast sine, where it is good enough", .points = 15,
    .where = CHECK_COUNTS, .slowest = 1.7,
    .figure =
        {.text =
             "for 32 numbers, a warp executes %s instructions; an instruction for doubles counts as 32",
         .want = "at most %s",
         .counter = "warp_instructions",
         .judges = 1 << CHECK_WORK | 1 << CHECK_PATH,
         .budget = {.naive = 520, .solution = 14.75, .slack = 2, .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "TODO 4: t - rintf(t) is exact, and between -1/2 and 1/2. Then one multiplication, __sinf() and one addition are enough.")
{
    measure(check, WAVES, WIDTH / 4);
}

CHECK(
    growth, .title = "rung 5: exponentials without overflow, without doubles", .points = 15,
    .where = CHECK_COUNTS, .slowest = 1.7, .figure = {DOUBLES},
    .hint =
        "TODO 5: with e = expf(-fabsf(t)), nothing overflows. A constant such as 1.0 is a double, and it turns the whole operation into double: write 1 or 1.0f.")
{
    measure(check, GROWTH, WIDTH / 4);
}
