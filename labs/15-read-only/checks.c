/* Lab 15: memories for read-only data.
 *
 * The figures are totals of the whole program: requests, passes, instructions and sectors. Constant
 * memory delivers one word at a time. So if the lanes of a request need several words, each word
 * after the first counts as one more request or pass.
 *
 * All numbers are whole numbers and their sums are below 2^24, so results are exact in any order,
 * except in rung 4. There, a texture rounds the position between four pixels to 1/256 in each
 * direction, and then rounds the weights of the four pixels. bound_of() returns the largest effect
 * on a result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/check.h"

LAB(.title = "Memories for read-only data", .file = "read_only.cu",
    .needs = {"05-pitched-alloc", "09-picture-sum"},
    .hints = {
        "Ask for each array: which words do the lanes of a warp want at the same time? The same word: use constant memory. Words side by side: use plain loads. Words close together in two directions: use a texture. Words anywhere in the array: use shared memory.",
        "TODO 1: let all lanes of a warp use the same filter: blockIdx.y can be its number. TODO 2: main() copies the curve to the GPU like the pixels; each block copies it to shared memory and waits. TODO 3: a store through one pointer might change the numbers that another points to; const and __restrict__ tell the compiler that it does not. TODO 4: tex2D<float>(picture, u, v) instead of the four pixels. TODO 5: use the memory of rung 1 for the mask, and that of rung 2 for the curve.",
        "TODO 1: int f = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x; and filter<<<dim3(blocks, FILTERS), THREADS>>>. TODO 2: __shared__ float here[GREYS]; for (int g = threadIdx.x; g < GREYS; g += blockDim.x) here[g] = curve[g]; __syncthreads(); TODO 3: const float *__restrict__ data. TODO 4: texture = new_texture(job.data, width, height, cudaFilterModeLinear, cudaAddressModeBorder); the kernel's first parameter is cudaTextureObject_t picture; dim3 square(8, 32), squares((width + 7) / 8, (height + 31) / 32). TODO 5: __constant__ int mask[3 * MASK]; cudaMemcpyToSymbol(mask, job.mask, sizeof mask).",
    });

#define FILTERS  8
#define TAPS     15
#define GREYS    256
#define EACH     4  /* number of results of rung 3 for each pixel */
#define MASK     15 /* number of weights of the mask: three rows of five */
#define MASK_SUM 32

enum rung { FILTER = 1, CURVE, SLOPES, ROTATE, DEVELOP };

/* An input and its right results. */
struct job {
    enum rung rung;
    int width, height, degrees;
    int count, results; /* number of pixels or numbers of the input, and number of results */
    float *data;        /* input of rungs 1, 3 and 4 */
    uint8_t *pixels;    /* input of rungs 2 and 5 */
    float *weights, *curve;
    int mask[MASK];
    double *right, *bounds;
};

/* Returns the number of results of RUNG for N numbers. */
static int results_of(enum rung rung, int n)
{
    return rung == FILTER ? FILTERS * n : rung == SLOPES ? EACH * n : n;
}

/* --- inputs ----------------------------------------------------------------------------------- */

/* Makes positive weights whose sum is MASK_SUM. */
static void fill_mask(struct check *check, int *mask)
{
    for (int k = 0; k < MASK; ++k)
        mask[k] = 1;
    for (int left = MASK_SUM - MASK; left > 0; --left)
        mask[check_random_int(check, 0, MASK - 1)]++;
}

static void fill(struct check *check, struct job *job)
{
    int n = job->width * job->height;
    job->count = job->rung == FILTER   ? n + TAPS - 1
                 : job->rung == SLOPES ? (job->width + 2) * (job->height + 2)
                                       : n;
    job->results = results_of(job->rung, n);
    if (job->rung == CURVE || job->rung == DEVELOP) {
        job->pixels = check_memory(check, (size_t)n, 1);
        for (int i = 0; i < n; ++i)
            job->pixels[i] = (uint8_t)check_random_int(check, 0, GREYS - 1);
        job->curve = check_random_wholes(check, GREYS, 1, 1 << 20);
    } else {
        job->data = check_random_wholes(check, (size_t)job->count, 0, GREYS - 1);
    }
    if (job->rung == FILTER)
        job->weights = check_random_wholes(check, FILTERS * TAPS, -1000, 1000);
    if (job->rung == DEVELOP)
        fill_mask(check, job->mask);
}

/* --- the right results ------------------------------------------------------------------------ */

static int between(int low, int value, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Returns the pixel at (X, Y). Outside of the picture, returns 0, or if CLAMPS is true, the nearest
 * pixel. */
static double pixel_of(const struct job *job, int x, int y, bool clamps)
{
    int a = between(0, x, job->width - 1), b = between(0, y, job->height - 1);
    int i = b * job->width + a;
    return (a != x || b != y) && !clamps ? 0 : job->data ? job->data[i] : job->pixels[i];
}

static double filtered(const struct job *job, int f, int i)
{
    double sum = 0;
    for (int k = 0; k < TAPS; ++k)
        sum += (double)job->weights[f * TAPS + k] * job->data[i + k];
    return sum;
}

/* A way to compute results, with one mistake. All members are 0 in the right way. */
struct way {
    bool weightless; /* for rungs 1 and 5: the weights are 0 */
    /* for rung 4: the texture's filter mode and address mode, and the direction of the rotation */
    bool nearest, clamps, backwards;
    double shift; /* for rung 4: distance in pixels by which positions are wrong */
    bool turned;  /* for rungs 1 and 5: rows and columns of the weights are exchanged */
    bool quarter; /* for rungs 1 and 5: only the first quarter of the weights' bytes is copied */
};

/* Returns result number WHICH of rung 3 for pixel (X, Y). */
static double slope(const struct job *job, int which, int x, int y)
{
    int pitch = job->width + 2;
    const float *p = job->data + (y + 1) * pitch + x + 1;
    double mean = ((double)p[1] + p[-1] + p[pitch] + p[-pitch]) / 4;
    return which == 0   ? (double)p[1] - p[-1]
           : which == 1 ? (double)p[pitch] - p[-pitch]
           : which == 2 ? mean
                        : 2 * (double)p[0] - mean;
}

/* Sets (U, V) to the position in the picture that is rotated to (X, Y), relative to the centre of
 * the first pixel. */
static void turn(const struct job *job, struct way way, int x, int y, double *u, double *v)
{
    double angle = job->degrees * M_PI / 180 * (way.backwards ? -1 : 1);
    double dx = x + 0.5 - job->width / 2.0, dy = y + 0.5 - job->height / 2.0;
    *u = cos(angle) * dx - sin(angle) * dy + job->width / 2.0 - 0.5 + way.shift;
    *v = sin(angle) * dx + cos(angle) * dy + job->height / 2.0 - 0.5 + way.shift;
}

static double rotated(const struct job *job, struct way way, int x, int y)
{
    double u, v;
    turn(job, way, x, y, &u, &v);
    if (way.nearest)
        return pixel_of(job, (int)floor(u + 0.5), (int)floor(v + 0.5), way.clamps);
    int left = (int)floor(u), top = (int)floor(v);
    double right = u - left, below = v - top, row[2];
    for (int k = 0; k < 2; ++k)
        row[k] = (1 - right) * pixel_of(job, left, top + k, way.clamps) +
                 right * pixel_of(job, left + 1, top + k, way.clamps);
    return (1 - below) * row[0] + below * row[1];
}

/* Returns the largest error that a texture's result at (X, Y) can have. Let D be the largest
 * difference among the 16 pixels around the position. The texture rounds the position to 1/256 of a
 * pixel, which is an error of 1/512 in each direction, and changes the result by at most D/256. It
 * also rounds two of the four weights to 1/256, each for a pair of pixels, which changes the result
 * by at most D/256 again. Positions are floats with errors of up to 1/8192. */
static double bound_of(const struct job *job, int x, int y)
{
    double u, v, least = GREYS, most = 0;
    turn(job, (struct way){0}, x, y, &u, &v);
    for (int k = 0; k < 16; ++k) {
        double pixel = pixel_of(job, (int)floor(u) - 1 + k % 4, (int)floor(v) - 1 + k / 4, false);
        least = fmin(least, pixel);
        most = fmax(most, pixel);
    }
    return (most - least) * (2.0 / 256 + 2.0 / 8192) + 1e-3;
}

static double developed(const struct job *job, int x, int y)
{
    double sum = 0;
    for (int k = 0; k < MASK; ++k)
        sum += job->mask[k] * pixel_of(job, x + k % 5 - 2, y + k / 5 - 1, false);
    return job->curve[(int)sum / MASK_SUM];
}

static double result_of(const struct job *job, struct way way, int i)
{
    int n = job->width * job->height, x = i % n % job->width, y = i % n / job->width;
    return job->rung == FILTER   ? filtered(job, i / n, i % n)
           : job->rung == CURVE  ? job->curve[job->pixels[i]]
           : job->rung == SLOPES ? slope(job, i / n, x, y)
           : job->rung == ROTATE ? rotated(job, way, x, y)
                                 : developed(job, x, y);
}

static void solve(struct check *check, struct job *job)
{
    job->right = check_memory(check, (size_t)job->results, sizeof *job->right);
    job->bounds = check_memory(check, (size_t)job->results, sizeof *job->bounds);
    for (int i = 0; i < job->results; ++i) {
        job->right[i] = result_of(job, (struct way){0}, i);
        if (job->rung == ROTATE)
            job->bounds[i] = bound_of(job, i % job->width, i / job->width);
    }
}

/* --- common mistakes -------------------------------------------------------------------------- */

static void *values_of(const struct case_data *input, const char *name)
{
    const struct case_array *array = case_find(input, name);
    return array ? (void *)array->values : NULL;
}

/* Copies BYTES of weights, in rows of WIDTH words, from FROM to TO, with the mistake in WAY. TO
 * contains zeros. */
static void change_weights(struct way way, void *to, const void *from, size_t width, size_t bytes)
{
    size_t words = bytes / sizeof(float), rows = words / width;
    for (size_t i = 0; way.turned && i < words; ++i)
        memcpy((float *)to + i, (const float *)from + i % width * rows + i / width, sizeof(float));
    if (!way.turned && !way.weightless)
        memcpy(to, from, way.quarter ? bytes / sizeof(float) : bytes);
}

/* Computes the results for INPUT in a wrong way. */
static void make_wrong(const struct case_data *input, const void *how, float *values)
{
    const struct way way = *(const struct way *)how;
    float weights[FILTERS * TAPS] = {0};
    int n = case_int(input, "width") * case_int(input, "height");
    struct job job = {.rung = (enum rung)case_int(input, "rung"),
                      .width = case_int(input, "width"),
                      .height = case_int(input, "height"),
                      .degrees = case_int(input, "degrees"),
                      .data = values_of(input, "data"),
                      .pixels = values_of(input, "pixels"),
                      .weights = weights,
                      .curve = values_of(input, "curve")};
    const int *mask = values_of(input, "mask");
    if (mask)
        change_weights(way, job.mask, mask, 5, sizeof job.mask);
    if (values_of(input, "weights"))
        change_weights(way, weights, values_of(input, "weights"), TAPS, sizeof weights);
    for (int i = 0; i < results_of(job.rung, n); ++i)
        values[i] = (float)result_of(&job, way, i);
}

#define GUESS(...) .make_so = make_wrong, CHECK_HOW(struct way, __VA_ARGS__)

static const struct check_guess filter_guesses[] = {
    {"as if all weights were 0; does main() copy them to the variable that the kernel reads?",
     GUESS(.weightless = true)},
    {"as if weight k of filter f were read as weights[k * FILTERS + f], not weights[f * TAPS + k]",
     GUESS(.turned = true)},
    {"as if only the first quarter of the weights were copied: cudaMemcpyToSymbol() takes a number of bytes",
     GUESS(.quarter = true)},
    {0}};

static const struct check_guess mask_guesses[] = {
    {"as if only the first quarter of the mask were copied: cudaMemcpyToSymbol() takes a number of bytes",
     GUESS(.quarter = true)},
    {"as if rows and columns of the mask were exchanged", GUESS(.turned = true)},
    {"as if the whole mask were 0; does main() copy it to the variable that the kernel reads?",
     GUESS(.weightless = true)},
    {0}};

static const struct check_guess turn_guesses[] = {
    {"as if each result were the nearest pixel, not the mean of four pixels",
     GUESS(.nearest = true), .at = "new_texture("},
    {"as if each pixel outside of the picture were the nearest pixel inside, not 0",
     GUESS(.clamps = true), .at = "new_texture("},
    {"as if each result were the nearest pixel, and pixels outside of the picture were not 0",
     GUESS(.nearest = true, .clamps = true), .at = "new_texture("},
    {"as if the picture were rotated in the other direction", GUESS(.backwards = true)},
    {"as if pixels were read half a pixel too far left and too far up: the centre of the first pixel is at 0.5, 0.5",
     GUESS(.shift = -0.5)},
    {0}};

/* --- runs ------------------------------------------------------------------------------------- */

static struct case_data *make_case(struct check *check, const struct job *job)
{
    static const char *const names[] = {[FILTER] = "filters",
                                        [CURVE] = "a curve",
                                        [SLOPES] = "slopes",
                                        [ROTATE] = "a turned picture",
                                        [DEVELOP] = "a blurred picture through a curve"};
    int rung = (int)job->rung;
    struct case_data *input = check_case(check, "rung %d, %s, %s x %s numbers", rung, names[rung],
                                         check_number(job->width), check_number(job->height));
    check_add_ints(input, {"rung", rung}, {"width", job->width}, {"height", job->height},
                   {"degrees", job->degrees});
    if (job->data)
        case_add(input, "data", CASE_FLOAT, job->data, (size_t)job->count);
    if (job->pixels)
        case_add(input, "pixels", CASE_BYTE, job->pixels, (size_t)job->count);
    if (job->weights)
        case_add(input, "weights", CASE_FLOAT, job->weights, FILTERS * TAPS);
    if (job->curve)
        case_add(input, "curve", CASE_FLOAT, job->curve, GREYS);
    if (job->rung == DEVELOP)
        case_add(input, "mask", CASE_INT, job->mask, MASK);
    return input;
}

/* Returns the number of pixels on which the results of rung 4 depend. Pixels with a small weight
 * are not counted, because rounded positions may exclude them. */
static uint64_t pixels_turned(struct check *check, const struct job *job)
{
    const double least = 1.0 / 64;
    bool *used = check_memory(check, (size_t)job->count, sizeof *used);
    uint64_t count = 0;
    for (int i = 0; i < job->results; ++i) {
        double u, v;
        turn(job, (struct way){0}, i % job->width, i / job->width, &u, &v);
        for (int k = 0; k < 4; ++k) {
            int x = (int)floor(u) + k % 2, y = (int)floor(v) + k / 2;
            bool is_inside = x >= 0 && x < job->width && y >= 0 && y < job->height;
            if (is_inside && (1 - fabs(u - x)) * (1 - fabs(v - y)) > least)
                used[y * job->width + x] = true;
        }
    }
    for (int i = 0; i < job->count; ++i)
        count += used[i];
    return count;
}

/* Returns the minimum number of bytes that kernels must read. In rung 4, this can be little,
 * because most of the rotated picture may be outside. */
static uint64_t least_read(struct check *check, const struct job *job)
{
    uint64_t n = (uint64_t)job->width * (uint64_t)job->height;
    return job->rung == ROTATE ? pixels_turned(check, job) * sizeof(float)
           : job->data         ? n * sizeof(float)
                               : n;
}

/* Runs RUNG on random numbers and judges the results. */
static const struct run *look_at(struct check *check, enum rung rung, int width, int height,
                                 int degrees)
{
    struct job job = {.rung = rung, .width = width, .height = height, .degrees = degrees};
    fill(check, &job);
    solve(check, &job);
    const struct run *run = check_run(check, make_case(check, &job));
    struct check_matrix want = {.height = job.results / width,
                                .width = width,
                                .values = job.right,
                                .bounds = rung == ROTATE ? job.bounds : NULL,
                                .guesses = rung == FILTER    ? filter_guesses
                                           : rung == ROTATE  ? turn_guesses
                                           : rung == DEVELOP ? mask_guesses
                                                             : NULL};
    check_within(check, run, "result", &want);
    if (width * height >= 16)
        check_comes_from(check, run, "result", least_read(check, &job));
    return run;
}

/* Advice about wrong results. */
static const char *const rung_hints[] = {
    [FILTER] =
        "Rung 1: result i of filter f is the sum of weights[f * TAPS + k] * data[i + k], and belongs in result[f * n + i]. Has main() copied the weights to the array that the kernel reads?",
    [CURVE] =
        "Rung 2: all threads of a block must have stored their part of the curve before one of them reads it. Which element of the curve does a pixel need?",
    [SLOPES] =
        "Rung 3: a row of the framed picture has width + 2 numbers, and the picture begins in row 1, column 1 of its frame.",
    [ROTATE] =
        "Rung 4: the centre of a texture's first pixel is at 0.5, 0.5. Outside of the picture, the texture must return 0.",
    [DEVELOP] =
        "Rung 5: pixels outside of the picture count as 0, and the sum is divided by MASK_SUM. Has main() copied the mask to the array that the kernel reads?",
};

/* Runs all rungs. If IF_WRONG is true, the hint of each rung replaces the hint of the check. */
static void look_at_all(struct check *check, int width, int height, bool if_wrong)
{
    for (enum rung rung = FILTER; rung <= DEVELOP; ++rung) {
        if (if_wrong)
            check_set_hint(check, rung_hints[rung]);
        look_at(check, rung, width, height, check_random_int(check, 10, 350));
    }
}

CHECK(correct, .title = "right results for 96 x 80 numbers", .points = 10,
      .hint = "Which array does each kernel read, and has main() copied it there?")
{
    look_at_all(check, 96, 80, true);
}

CHECK(
    ragged, .title = "right for 1 x 1 numbers and odd sizes, too", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the size is the problem: threads outside of the picture must store nothing, but they must reach each __syncthreads(). A curve has 256 numbers, even if the block has fewer threads.")
{
    look_at_all(check, 1, 1, false);
    look_at_all(check, check_random_int(check, 257, 300), 3, false);
    int height = check_random_int(check, 33, 70);
    look_at_all(check, check_random_int(check, 3, 31), height, false);
}

CHECK(
    sound, .title = "right every time, not by luck", .points = 5, .where = CHECK_COUNTS,
    .watched = true,
    .hint =
        "Between a write to shared memory and another thread's read of it, all threads of the block must wait at a __syncthreads().")
{
    look_at_all(check, 64, 20, true);
}

/* --- figures ---------------------------------------------------------------------------------- */

#define WIDTH  128
#define HEIGHT 64

/* The counters of requests to all kinds of memory. A request to constant memory counts once for
 * each word. */
#define REQUESTS                                                                                   \
    "global_load_requests global_atomic_requests texture_requests shared_load_requests "           \
    "shared_store_requests shared_atomic_requests local_load_requests constant_replays"

/* The counters of passes: lines of global memory, sectors of textures, wavefronts of shared memory,
 * and words of constant memory. */
#define OTHERS CHECK_SHARED_PASSES " texture_sectors local_load_sectors constant_replays"
#define PASSES "global_load_lines global_atomic_lines " OTHERS

/* The same as PASSES, but with sectors of global memory instead of lines. */
#define SECTORS "global_load_sectors global_atomic_sectors " OTHERS

/* The runs of a check: one of a fixed size, and one of a random size, because a program must not be
 * tuned for one size. `count` has the numbers of results, or of pixels in rung 3. */
struct runs {
    const struct run *run[2];
    int count[2];
};

static struct runs look_twice(struct check *check, enum rung rung, int height, int degrees)
{
    int width = 32 * check_random_int(check, 5, 7), more = 32 * check_random_int(check, 1, 2);
    int turn = degrees + check_random_int(check, 0, degrees / 10),
        times = rung == FILTER ? FILTERS : 1;
    struct runs runs = {.count = {times * WIDTH * height, times * width * (height + more)}};
    runs.run[0] = look_at(check, rung, WIDTH, height, degrees);
    runs.run[1] = look_at(check, rung, width, height + more, turn);
    return runs;
}

/* Returns the sum of COUNTERS of run INDEX for 32 numbers. */
static double for_a_warp(const struct runs *runs, int index, const char *counters)
{
    return check_counter(runs->run[index], counters) * 32 / runs->count[index];
}

/* Returns the larger sum of both runs. */
static double worst(const struct runs *runs, const char *counters)
{
    return fmax(for_a_warp(runs, 0, counters), for_a_warp(runs, 1, counters));
}

/* Fails the check if lanes often want different words of constant memory: savings elsewhere must not
 * pay for an array in the wrong memory. The solution has no replays. With the curve of rung 5 in
 * constant memory, there are 25.4 for 32 pixels. */
static void refuse_replays(struct check *check, const struct runs *runs, const char *hint)
{
    check_limit(
        check, runs->run[0], worst(runs, "constant_replays"), 0.5, hint,
        "for 32 results, lanes wait %s times for constant memory, because they want different words");
}

/* The number of lanes that may want the same word of global memory as another lane of their warp,
 * for 32 results of rung 1. A load of a weight has 31. */
#define MOST_COLLISIONS 31

CHECK(
    filter, .title = "rung 1: all lanes want the same weight", .points = 15, .where = CHECK_COUNTS,
    .slowest = 2.5,
    .figure = {.text = "for 32 results, a warp makes %s memory requests, counting each word of "
                       "constant memory",
               .want = "at most %s",
               .counter = REQUESTS,
               .budget = {.naive = 30, .solution = 15, .slack = 1.25},
               .constants = true,
               .judges = 1 << CHECK_PATH},
    .hint =
        "TODO 1: constant memory serves one word at a time to all lanes that want it. Which lanes want which weight? Give a warp's lanes one filter, and 32 places.")
{
    const struct runs runs = look_twice(check, FILTER, HEIGHT / 4, 0);
    const char *hint =
        "Declare the weights as __constant__, and copy them by cudaMemcpyToSymbol().";
    check_measure(check, runs.run[0], worst(&runs, REQUESTS));
    check_through_constants(check, runs.run[0], "result", hint);
    refuse_replays(check, &runs, "Let all lanes of a warp read the same word of constant memory.");
    check_limit(
        check, runs.run[0], worst(&runs, "load_collisions"), MOST_COLLISIONS,
        "Declare the weights as __constant__: weights in constant memory need no such loads.",
        "for 32 results, lanes load %s words from global memory that another lane of the warp loads, too");
}

CHECK(
    curve, .title = "rung 2: each lane wants another number", .points = 15, .where = CHECK_COUNTS,
    .figure = {.text = "32 pixels take %s memory transactions: lines, wavefronts, texture sectors, "
                       "constant words",
               .want = "at most %s",
               .counter = PASSES,
               .budget = {.naive = 29.8, .solution = 4.4, .slack = 2.2, .scale = JUDGE_LOGARITHMIC},
               .constants = true,
               .judges = 1 << CHECK_READS},
    .hint =
        "TODO 2: shared memory serves 32 banks at a time. Let all threads of a block copy the curve to it first, and wait.")
{
    const struct runs runs = look_twice(check, CURVE, HEIGHT, 0);
    check_measure(check, runs.run[0], worst(&runs, PASSES));
    refuse_replays(check, &runs,
                   "Copy the curve to the GPU like the pixels: lanes want different words of it.");
}

CHECK(
    slopes, .title = "rung 3: no pixel is loaded again after a store", .points = 15,
    .where = CHECK_COUNTS, .slowest = 2.5,
    .figure = {.text = "for 32 pixels, a warp executes %s loads",
               .want = "at most %s",
               .counter = REQUESTS,
               .budget = {.naive = 13, .solution = 5, .slack = 1.6},
               .constants = true,
               .judges = 1 << CHECK_PATH},
    .hint =
        "TODO 3: after each store the compiler must load the pixels again, unless it knows that no store changes the picture.")
{
    const struct runs runs = look_twice(check, SLOPES, HEIGHT, 0);
    check_measure(check, runs.run[0], worst(&runs, REQUESTS));
}

#define DEGREES 50

/* Fails the check if a texture fetch does not compute the mean of four pixels. Weighted means that
 * the texture unit computes are wide operations, at most 32 in a fetch. Some pixels come from outside
 * of the picture, so they need no fetch. */
static void filters(struct check *check, const struct runs *runs, int index)
{
    double fetches = for_a_warp(runs, index, "texture_requests");
    double means = fmin(for_a_warp(runs, index, "wide_operations"), 32 * fetches);
    if (fetches < 0.5 || fetches > 1.5 || means < 16)
        check_refuse(
            check, runs->run[index],
            "Let one tex2D() compute the weighted mean of four pixels: set the texture's filter mode to cudaFilterModeLinear.",
            "for 32 pixels, a warp makes %.1f texture fetches, which compute %.0f means; one fetch can compute all 32",
            fetches, means);
}

CHECK(
    filtering, .title = "rung 4: the texture unit computes the mean of four pixels", .points = 10,
    .where = CHECK_COUNTS,
    .figure = {.text = "for 32 pixels, a warp executes %s instructions",
               .want = "at most %s",
               .counter = "warp_instructions",
               .budget = {.naive = 125.5, .solution = 42, .slack = 1.2, .scale = JUDGE_LOGARITHMIC},
               .constants = true,
               .judges = 1 << CHECK_WORK | 1 << CHECK_PATH | 1 << CHECK_READS},
    .hint =
        "TODO 4: if the texture's filter mode is linear, one tex2D() computes the weighted mean of four pixels. With the border address mode, the kernel needs no tests for the edges.")
{
    const struct runs runs = look_twice(check, ROTATE, WIDTH, DEGREES);
    check_measure(check, runs.run[0], worst(&runs, "warp_instructions"));
    filters(check, &runs, 0);
    filters(check, &runs, 1);
}

CHECK(
    locality, .title = "rung 4: a warp reads pixels that lie close together", .points = 10,
    .where = CHECK_COUNTS,
    .figure =
        {.text = "32 pixels take %s memory transactions: sectors, wavefronts, constant words",
         .want = "at most %s",
         .counter = SECTORS,
         .budget = {.naive = 26.5, .solution = 11.7, .slack = 1.45, .scale = JUDGE_LOGARITHMIC},
         .constants = true,
         .judges = 1 << CHECK_READS},
    .hint =
        "TODO 4: 32 pixels of one row of the result come from 20 or more rows of the picture. Let a warp compute 8 x 4 pixels: a block is dim3(8, 32), and lanes are numbered along x first.")
{
    const struct runs runs = look_twice(check, ROTATE, WIDTH, DEGREES);
    check_measure(check, runs.run[0], worst(&runs, SECTORS));
}

CHECK(
    develop, .title = "rung 5: each array is in the right memory", .points = 10,
    .where = CHECK_COUNTS,
    .figure =
        {.text = "32 pixels take %s memory transactions: lines, wavefronts, texture sectors, "
                 "constant words",
         .want = "at most %s",
         .counter = PASSES,
         .budget = {.naive = 71.7, .solution = 19.8, .slack = 1.42, .scale = JUDGE_LOGARITHMIC},
         .constants = true,
         .judges = 1 << CHECK_READS},
    .hint =
        "TODO 5: do all lanes want the same word of the mask? Do all want the same word of the curve? Use the memories of rungs 1 and 2.")
{
    const struct runs runs = look_twice(check, DEVELOP, HEIGHT, 0);
    /* a load of one word by 32 lanes counts twice, since constant memory would serve it for nothing */
    double again = worst(&runs, "load_collisions") / 31;
    check_measure(check, runs.run[0], worst(&runs, PASSES) + again);
    refuse_replays(check, &runs,
                   "Keep the curve in shared memory: lanes want different words of it.");
}
