/* Five jobs of lab 13, in float, in the ways of the lab's solution, and in double: the sums of rows in which large
 * numbers cancel, sums of products, sums of halves, waves and growth. Each rung also tells the largest error of its
 * results, in ulp of a float.
 *
 * Look at: the operations in double, and the errors. Which fast rungs are as exact as the slow ones? */
#include "ladder.cuh"
#include "precision.h"

#define main lab_main // the labs' own main(), which is not called here
namespace solution
{
#include "../../solutions/13-precision/precision.cu"
}
namespace doubles
{
#undef BLOCKS
#undef THREADS
#undef WARP
#undef ALL
#undef TWO_PI
#include "../../labs/13-precision/.skeleton.cu"
} // namespace doubles
#undef main

#define CHECKED     (1 << 20) // numbers whose results are compared with the CPU's
#define FULL_BLOCKS 1056      // an H100 runs as many blocks of 256 threads at once
#define ANY         INFINITY  // an error that is no reason to stop

// --- the ways that lose ------------------------------------------------------------------------

__device__ void store_sum(float mine, float *result)
{
    for (int off = WARP / 2; off > 0; off /= 2)
        mine += __shfl_down_sync(ALL, mine, off);
    if (threadIdx.x % WARP == 0)
        *result = mine;
}

__global__ void add_floats(const float *data, float *result, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    float sum = 0;
    for (int i = threadIdx.x % WARP; i < width; i += WARP)
        sum += data[row * width + i];
    store_sum(sum, &result[row]);
}

// Kahan's sum: it expects that the sum is larger than the next number.
__global__ void add_kahan(const float *data, float *result, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    float high = 0, lost = 0;
    for (int i = threadIdx.x % WARP; i < width; i += WARP) {
        float next = data[row * width + i] - lost, sum = high + next;
        lost = (sum - high) - next;
        high = sum;
    }
    solution::add_lanes({high, -lost}, &result[row]);
}

__global__ void multiply_floats(const float *data, const float *weights, float *result, int rows,
                                int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    float sum = 0;
    for (int i = threadIdx.x % WARP; i < width; i += WARP)
        sum = fmaf(data[row * width + i], weights[row * width + i], sum);
    store_sum(sum, &result[row]);
}

// Keeps what sums lose, but not what products lose.
__global__ void multiply_rounded(const float *data, const float *weights, float *result, int rows,
                                 int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    solution::pair sum = {0, 0};
    for (int i = threadIdx.x % WARP; i < width; i += WARP)
        sum = solution::add(sum, __fmul_rn(data[row * width + i], weights[row * width + i]));
    solution::add_lanes(sum, &result[row]);
}

__global__ void add_in_half(const __half *halves, float *result, int rows, int words)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const __half2 *twos = (const __half2 *)halves + row * words;
    __half2 sums = __half2(0, 0);
    for (int i = threadIdx.x % WARP; i < words; i += WARP)
        sums = __hadd2(sums, twos[i]);
    store_sum(__low2float(sums) + __high2float(sums), &result[row]);
}

#define EACH_NUMBER                                                                                \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

__global__ void waves_unreduced(const float *data, float *result, int n)
{
    EACH_NUMBER result[i] = 2 + __sinf(TWO_PI * data[i]);
}

__global__ void waves_rounded(const float *data, float *result, int n)
{
    EACH_NUMBER result[i] = 2 + sinf(TWO_PI * data[i]);
}

__global__ void waves_sinpi(const float *data, float *result, int n)
{
    EACH_NUMBER result[i] = 2 + sinpif(2 * data[i]);
}

__global__ void grow_fast_exp(const float *data, float *result, int n, int capacity, int ratio)
{
    EACH_NUMBER
    {
        float t = data[i], e = __expf(-fabsf(t));
        result[i] = __fdividef(t < 0 ? capacity * e : capacity, t < 0 ? e + ratio : 1 + ratio * e);
    }
}

__global__ void grow_overflowing(const float *data, float *result, int n, int capacity, int ratio)
{
    EACH_NUMBER result[i] = capacity / (1 + ratio * expf(-data[i]));
}

// --- input and errors ----------------------------------------------------------------------------

/* Number I of a fixed sequence, from 0 to 1. */
static double number(size_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9u;
    return (double)(i >> 11) / (double)(1ull << 53);
}

/* Rows of which each number nearly cancels another one, half a row further. WEIGHTS may be NULL. */
static void make_rows(float *data, float *weights, int rows, int width)
{
    for (size_t i = 0; i < (size_t)rows * width; ++i) {
        if (i % width >= width / 2)
            continue;
        size_t other = i + width / 2;
        double large = ldexp(1 + number(3 * i), 4 + (int)(8 * number(3 * i + 1))),
               factor = 0.5 + number(5 * i + 2);
        data[i] = (float)(number(7 * i) < 0.5 ? -large : large);
        data[other] =
            (float)(-data[i] * (1 + (number(11 * i) - 0.5) / 128) * (weights ? factor : 1));
        if (weights) {
            weights[i] = (float)(1 + 3 * number(13 * i));
            weights[other] = (float)(weights[i] / factor);
        }
    }
}

/* Makes the input of RUNG. */
static struct job make_job(int rung, int rows, int width)
{
    size_t n = (size_t)rows * width;
    float *data = (float *)malloc(n * sizeof *data), *weights = NULL;
    __half *halves = NULL;
    if (rung == PRODUCTS)
        weights = (float *)malloc(n * sizeof *weights);
    if (rung <= PRODUCTS)
        make_rows(data, weights, rows, width);
    if (rung == HALVES)
        halves = (__half *)malloc(n * sizeof *halves);
    for (size_t i = 0; i < n && halves; ++i)
        halves[i] = __float2half(128 + (int)(1024 * number(i)) / 8.f);
    for (size_t i = 0; i < n && rung > HALVES; ++i)
        data[i] = (float)((2 * number(i) - 1) * (rung == WAVES ? 1000 : 86));
    return {rung, rows, width, 1000, 50, data, weights, halves};
}

/* Returns the largest error of the results on the device, in ulp, of at most CHECKED numbers. */
static double worst_of(const struct job &job, const float *device)
{
    size_t n = (size_t)job.rows * job.width, numbers = n < CHECKED ? n : CHECKED;
    size_t count = job.rung <= HALVES ? numbers / job.width : numbers;
    float *result = (float *)malloc(count * sizeof *result);
    ladder_download(result, device, count);
    double worst = largest_error(&job, result, (int)count);
    free(result);
    return worst;
}

/* One job: its input on the device, and its rungs. */
struct climb {
    struct job job;
    float *data, *weights, *result;
    __half *halves;
    int n, blocks; // blocks: a warp for each row

    climb(int rung, int rows, int width) : job(make_job(rung, rows, width))
    {
        n = rows * width;
        blocks = rows * WARP / THREADS;
        data = upload(job.data, n);
        weights = upload(job.weights, n);
        halves = upload(job.halves, n);
        result = ladder_alloc<float>(n);
    }

    ~climb()
    {
        for (const void *memory : {(void *)data, (void *)weights, (void *)halves, (void *)result})
            CHECK_CUDA(cudaFree((void *)memory));
        for (const void *memory : {(void *)job.data, (void *)job.weights, (void *)job.halves})
            free((void *)memory);
    }

    // A rung whose results must be within MOST ulp.
    template <typename Work> void rung(const char *name, const char *title, double most, Work work)
    {
        ladder_rung(
            name, title, [=] { cudaMemsetAsync(result, 0xff, n * sizeof *result); }, work,
            [=] { return worst_of(job, result) <= most; });
        ladder_value("ulp", worst_of(job, result));
    }
};

static void climb_rows(int rows, int width)
{
    struct climb a(SUMS, rows, width), b(PRODUCTS, rows, width), c(HALVES, rows, width);
#define ROWS(it) <<<it.blocks, THREADS>>>
    a.rung("sums-float", "sums: float", ANY,
           [&] { add_floats ROWS(a)(a.data, a.result, rows, width); });
    a.rung("sums-kahan", "sums: float, Kahan", ANY,
           [&] { add_kahan ROWS(a)(a.data, a.result, rows, width); });
    a.rung("sums-pairs", "sums: two floats", 1,
           [&] { solution::add_rows ROWS(a)(a.data, a.result, rows, width); });
    a.rung("sums-double", "sums: double", 1,
           [&] { doubles::add_rows ROWS(a)(a.data, a.result, rows, width); });
    b.rung("products-float", "products: float", ANY,
           [&] { multiply_floats ROWS(b)(b.data, b.weights, b.result, rows, width); });
    b.rung("products-rounded", "products: two floats, rounded products", ANY,
           [&] { multiply_rounded ROWS(b)(b.data, b.weights, b.result, rows, width); });
    b.rung("products-pairs", "products: two floats, and fmaf()", 1,
           [&] { solution::multiply_rows ROWS(b)(b.data, b.weights, b.result, rows, width); });
    b.rung("products-double", "products: double", 1,
           [&] { doubles::multiply_rows ROWS(b)(b.data, b.weights, b.result, rows, width); });
    c.rung("halves-half", "halves: in half", ANY,
           [&] { add_in_half ROWS(c)(c.halves, c.result, rows, width / 2); });
    c.rung("halves-float", "halves: two a load, in float", 0,
           [&] { solution::add_halves ROWS(c)(c.halves, c.result, rows, width / 2); });
    c.rung("halves-double", "halves: one a load, in double", 0,
           [&] { doubles::add_halves ROWS(c)(c.halves, c.result, rows, width / 2); });
}

static void climb_functions(int rows, int width, int blocks)
{
    struct climb a(WAVES, rows, width), b(GROWTH, rows, width);
    int n = a.n, capacity = b.job.capacity, ratio = b.job.ratio;
#define FULL <<<blocks, 256>>>
    a.rung("waves-unreduced", "waves: __sinf() of all turns", ANY,
           [&] { waves_unreduced FULL(a.data, a.result, n); });
    a.rung("waves-rounded", "waves: sinf() of all turns", ANY,
           [&] { waves_rounded FULL(a.data, a.result, n); });
    a.rung("waves-fast", "waves: __sinf() of part of a turn", 8,
           [&] { solution::make_waves FULL(a.data, a.result, n); });
    a.rung("waves-sinpi", "waves: sinpif()", 8, [&] { waves_sinpi FULL(a.data, a.result, n); });
    a.rung("waves-double", "waves: sin() in double", 8,
           [&] { doubles::make_waves FULL(a.data, a.result, n); });
    b.rung("growth-overflow", "growth: expf(-t)", ANY,
           [&] { grow_overflowing FULL(b.data, b.result, n, capacity, ratio); });
    b.rung("growth-fast-exp", "growth: __expf(-|t|)", ANY,
           [&] { grow_fast_exp FULL(b.data, b.result, n, capacity, ratio); });
    b.rung("growth-float", "growth: expf(-|t|)", 8,
           [&] { solution::grow FULL(b.data, b.result, n, capacity, ratio); });
    b.rung("growth-double", "growth: exp() in double", 8,
           [&] { doubles::grow FULL(b.data, b.result, n, capacity, ratio); });
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int rows = ladder.large ? 8192 : 32, width = 4096;
    ladder_size("", ladder.large ? "8,192 rows of 4,096 numbers" : "32 rows of 4,096 numbers");
    climb_rows(rows, width);
    climb_functions(rows, width, ladder.large ? FULL_BLOCKS : 16);
    return 0;
}
