/* Lab 13: what is exact, what is fast.
 *
 * Five jobs on ROWS rows of numbers. For each, a bound says how far a result may be from the exact
 * one, in ulp: units in the last place of a float.
 *
 *     rung 1   the sum of each row; large numbers cancel                        1 ulp
 *     rung 2   the sum of the products of two rows                              1 ulp
 *     rung 3   the sum of each row of halves, which have 11 bits                exact
 *     rung 4   2 + sin(2 pi t) of each number t                                 8 ulp
 *     rung 5   capacity / (1 + ratio * e^-t) of each number t                   8 ulp
 *
 * The program is right, but it does everything in double, or in one half at a time. Many GPUs have
 * one unit for doubles for each 32 or 64 units for floats. Make the same results from floats only.
 *
 * Try it:      make run LAB=13-precision ARGS='rung=1 rows=8 width=1000'
 * Grade it:    make grade LAB=13-precision */
#include <cuda_fp16.h>

#include "lab.h"

#define WARP    32
#define THREADS 128 // of a block
#define ALL     0xffffffffu
#define BLOCKS  16 // of rungs 4 and 5
#define TWO_PI  6.2831853f

enum { SUMS = 1, PRODUCTS, HALVES, WAVES, GROWTH }; // rungs

// The input, in the CPU's memory.
struct job {
    int rung, rows, width, capacity, ratio;
    const float *data, *weights;
    const __half *halves;
};

// The sum over the lanes of a warp, in lane 0.
__device__ double add_lanes(double mine)
{
    for (int off = WARP / 2; off > 0; off /= 2)
        mine += __shfl_down_sync(ALL, mine, off);
    return mine;
}

// Rung 1: a warp adds up a row.
// TODO 1: with a float for `sum`, most of the digits are wrong: each addition rounds, and large
//         numbers that cancel leave little but what was rounded off. Keep that: make `sum` two
//         floats, the rounded sum and all that rounding has cut off. A float addition loses a
//         number that is itself a float, and three more additions find it:
//             sum = a + b;  part = sum - a;  lost = (a - (sum - part)) + (b - part);
//         Lanes must add up both floats, too.
__global__ void add_rows(const float *data, float *result, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = lane; i < width; i += WARP)
        sum += data[row * width + i];
    double total = add_lanes(sum);
    if (lane == 0)
        result[row] = (float)total;
}

// Rung 2: a warp multiplies a row by a row of weights.
// TODO 2: add up as in rung 1. A product has twice as many digits as a float has room for. What does
//         fmaf(a, b, -product) give, which rounds only once, at its end? Write __fmul_rn(a, b) for
//         the product: nvcc would fuse a * b with an addition that follows.
__global__ void multiply_rows(const float *data, const float *weights, float *result, int rows,
                              int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = lane; i < width; i += WARP)
        sum += (double)data[row * width + i] * weights[row * width + i];
    double total = add_lanes(sum);
    if (lane == 0)
        result[row] = (float)total;
}

// Rung 3: a warp adds up a row of 2 * WORDS halves.
// TODO 3: a warp loads 32 halves, 64 bytes, at a time. Load 32 __half2, and add up in float:
//         __half22float2(two) has the members x and y. How many bits does the sum of 8,192 whole
//         numbers below 2,048 have? Do you need two floats here?
__global__ void add_halves(const __half *halves, float *result, int rows, int words)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = lane; i < 2 * words; i += WARP)
        sum += __half2float(halves[2 * row * words + i]);
    double total = add_lanes(sum);
    if (lane == 0)
        result[row] = (float)total;
}

// Rung 4: a wave of each number.
// TODO 4: __sinf(x) is one instruction, and good to 2^-21 for x between -pi and pi. That is fine here,
//         because 2 is added. But TWO_PI * t in float is wrong by as much as t is large. Whole turns
//         change nothing: take them away *before* you multiply. rintf() is one instruction, too.
__global__ void make_waves(const float *data, float *result, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = (float)(2 + sin(6.283185307179586 * data[i]));
}

// Rung 5: the growth of each number.
// TODO 5: in float, ratio * expf(-t) is infinite for t = -86. With e = expf(-fabsf(t)), which is at
//         most 1, divide capacity by 1 + ratio * e if t >= 0, and capacity * e by e + ratio
//         otherwise. Then try the fast functions: __fdividef(a, b) is 0 if b is above 2^126, and
//         the error of __expf(t) grows with t. Which of the two can you use?
__global__ void grow(const float *data, float *result, int n, int capacity, int ratio)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = (float)(capacity / (1 + ratio * exp(-(double)data[i])));
}

// The exact result I, but for a few roundings in double, on the CPU.
static double exact(const struct job *job, int i)
{
    double sum = 0;
    if (job->rung == WAVES)
        return 2 + sin(6.283185307179586 * (job->data[i] - rint(job->data[i])));
    if (job->rung == GROWTH)
        return job->capacity / (1 + job->ratio * exp(-(double)job->data[i]));
    for (int k = i * job->width; k < (i + 1) * job->width; ++k)
        if (job->rung == HALVES)
            sum += __half2float(job->halves[k]);
        else
            sum += (double)job->data[k] * (job->rung == PRODUCTS ? job->weights[k] : 1);
    return sum;
}

// Prints the largest error, in ulp, when you run the program by hand.
static void print_error(const struct job *job, const float *result, int count)
{
    double worst = 0;
    for (int i = 0; i < count; ++i) {
        double want = exact(job, i), ulp = nextafterf(fabs(want), INFINITY) - (float)fabs(want);
        double error = fabs(result[i] - want) / ulp;
        worst = error <= worst ? worst : error; // a NaN is the worst
    }
    printf("the largest error is %.2f ulp\n", worst);
}

// The case's numbers. By hand: numbers between -1 and 1, for rungs 3 to 5 between -86 and 86.
static void get_numbers(struct lab *lab, struct job *job)
{
    int n = job->rows * job->width;
    if (job->rung == HALVES && !lab_by_hand(lab)) {
        job->halves = (const __half *)lab_ints(lab, "halves", n / 2);
        return;
    }
    job->data = lab_matrix(lab, "data", job->rows, job->width);
    if (job->rung == PRODUCTS)
        job->weights = lab_matrix(lab, "weights", job->rows, job->width);
    if (job->rung < HALVES || !lab_by_hand(lab))
        return;
    float *values = (float *)malloc(((size_t)n + 1) * sizeof *values);
    __half *halves = (__half *)malloc(((size_t)n + 1) * sizeof *halves);
    for (int i = 0; i < n; ++i) {
        values[i] = 86 * job->data[i];
        halves[i] = __float2half(values[i]);
    }
    job->data = values;
    job->halves = halves;
}

// Copies COUNT values to the GPU. NULL stays NULL.
template <typename T> static T *upload(const T *values, size_t count)
{
    T *on_gpu = NULL;
    if (!values)
        return NULL;
    CHECK_CUDA(cudaMalloc(&on_gpu, count * sizeof(T)));
    CHECK_CUDA(cudaMemcpy(on_gpu, values, count * sizeof(T), cudaMemcpyHostToDevice));
    return on_gpu;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    struct job job = {};
    job.rung = lab_int(&lab, "rung", SUMS);
    job.rows = lab_int(&lab, "rows", 8);
    job.width = lab_int(&lab, "width", 1000); // even in rung 3
    job.capacity = lab_int(&lab, "capacity", 1000);
    job.ratio = lab_int(&lab, "ratio", 50);
    get_numbers(&lab, &job);

    int n = job.rows * job.width, count = job.rung <= HALVES ? job.rows : n;
    const float *data = upload(job.data, n), *weights = upload(job.weights, n);
    const __half *halves = upload(job.halves, n);
    float *result = (float *)malloc(count * sizeof(float)), *result_on_gpu;
    CHECK_CUDA(cudaMalloc(&result_on_gpu, count * sizeof(float)));

    while (lab_again(&lab)) {
        int blocks = (job.rows * WARP + THREADS - 1) / THREADS; // a warp for each row
        if (job.rung == SUMS)
            add_rows<<<blocks, THREADS>>>(data, result_on_gpu, job.rows, job.width);
        else if (job.rung == PRODUCTS)
            multiply_rows<<<blocks, THREADS>>>(data, weights, result_on_gpu, job.rows, job.width);
        else if (job.rung == HALVES)
            add_halves<<<blocks, THREADS>>>(halves, result_on_gpu, job.rows, job.width / 2);
        else if (job.rung == WAVES)
            make_waves<<<BLOCKS, THREADS>>>(data, result_on_gpu, n);
        else
            grow<<<BLOCKS, THREADS>>>(data, result_on_gpu, n, job.capacity, job.ratio);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    CHECK_CUDA(cudaMemcpy(result, result_on_gpu, count * sizeof(float), cudaMemcpyDeviceToHost));
    lab_result(&lab, "result", LAB_FLOAT, result, count);
    if (lab_by_hand(&lab))
        print_error(&job, result, count);

    CHECK_CUDA(cudaFree(result_on_gpu));
    CHECK_CUDA(cudaFree((void *)halves));
    CHECK_CUDA(cudaFree((void *)weights));
    CHECK_CUDA(cudaFree((void *)data));
    free(result);
    return lab_close(&lab);
}
