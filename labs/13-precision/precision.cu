/* Lab 13: what is exact, what is fast.
 *
 * Five jobs on ROWS rows of numbers. For each, a bound says how far a result may be from the exact
 * result, in ulp: units in the last place of a float.
 *
 *     rung 1   the sum of each row; large numbers cancel                        1 ulp
 *     rung 2   the sum of the products of two rows                              1 ulp
 *     rung 3   the sum of each row of halves, which have 11 bits                exact
 *     rung 4   2 + sin(2 pi t) of each number t                                12 ulp
 *     rung 5   capacity / (1 + ratio * e^-t) of each number t                   8 ulp
 *
 * The program is right, but it does everything in double, or in one half at a time. Many GPUs have
 * one unit for doubles for each 32 or 64 units for floats. Make the same results from floats only.
 * By hand, the program prints the largest error in ulp.
 *
 * Try it:      make run LAB=13-precision ARGS='rung=1 rows=8 width=1000'
 * Grade it:    make grade LAB=13-precision */
#include "precision.h"

#define WARP    32
#define THREADS 128 // threads of a block
#define ALL     0xffffffffu
#define BLOCKS  16 // blocks, in rungs 4 and 5
#define TWO_PI  6.2831853f

// TODO 1 needs a struct of two floats here, and a function that adds a float to it.

// Stores the sum over the lanes of a warp.
__device__ void add_lanes(double mine, float *result)
{
    for (int off = WARP / 2; off > 0; off /= 2)
        mine += __shfl_down_sync(ALL, mine, off);
    if (threadIdx.x % WARP == 0)
        *result = (float)mine;
}

// Rung 1: a warp adds up a row.
// TODO 1: with a float for `sum`, most of the digits are wrong: each addition rounds, and large
//         numbers that cancel leave mostly rounding errors. Keep these errors: make `sum` two
//         floats, the rounded sum and the sum of all errors. A float addition loses a
//         number that is itself a float, and five more operations find it:
//             sum = a + b;  part = sum - a;  lost = (a - (sum - part)) + (b - part);
//         Write a second add_lanes() for both floats, because rungs 2 and 3 need the first. Beware:
//         __shfl_down_sync() reads the other lane's variable as it is now. Read both, then change.
__global__ void add_rows(const float *data, float *result, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = lane; i < width; i += WARP)
        sum += data[row * width + i];
    add_lanes(sum, &result[row]);
}

// Rung 2: a warp multiplies a row by a row of weights.
// TODO 2: add up as in rung 1. A product has twice as many digits as a float has room for, so half of
//         them are lost here. fmaf(a, b, c) is a * b + c, rounded only once, at its end. What then
//         is fmaf(a, b, -product)? Add it, too.
//         Write __fmul_rn(a, b) for the product: nvcc may fuse a * b with an addition that follows,
//         and then `product` is not the product that is added.
__global__ void multiply_rows(const float *data, const float *weights, float *result, int rows,
                              int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = lane; i < width; i += WARP)
        sum += (double)data[row * width + i] * weights[row * width + i];
    add_lanes(sum, &result[row]);
}

// Rung 3: a warp adds up a row of 2 * WORDS halves.
// TODO 3: a warp loads 32 halves, 64 bytes, at a time. Load 32 __half2 instead:
//             const __half2 *twos = (const __half2 *)halves + row * words;
//         __half22float2(twos[i]) is a float2, with the members x and y. Add up in float. A half
//         between 128 and 256 is a whole number of eighths, below 2,048. How many bits does the sum
//         of 8,192 such numbers have? So do you need two floats here?
__global__ void add_halves(const __half *halves, float *result, int rows, int words)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = lane; i < 2 * words; i += WARP)
        sum += __half2float(halves[2 * row * words + i]);
    add_lanes(sum, &result[row]);
}

// Rung 4: a wave of each number.
// TODO 4: __sinf(x) is one instruction, and good to 2^-21 for x between -pi and pi. That is fine here,
//         because 2 is added. But TWO_PI * t in float is rounded: the larger t, the larger its error,
//         and the sine has at least the same. Whole turns change nothing, so take them away before
//         you multiply: t - rintf(t) is exact. rintf() is one instruction, too; roundf() is several.
__global__ void make_waves(const float *data, float *result, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = (float)(2 + sin(6.283185307179586 * data[i]));
}

// Rung 5: the growth of each number.
// TODO 5: in float, ratio * expf(-t) is infinite for t = -86. Let e = expf(-fabsf(t)), which is at
//         most 1, and divide
//             capacity by 1 + ratio * e if t >= 0,
//             capacity * e by e + ratio if t < 0.
//         Which doubles are left? 1.0 is one. Then try the fast functions: __fdividef(a, b) is 0 if
//         b is above 2^126, and the error of __expf(t) grows with t. Which of the two can you use?
__global__ void grow(const float *data, float *result, int n, int capacity, int ratio)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = (float)(capacity / (1 + ratio * exp(-(double)data[i])));
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    struct job job = lab_job(&lab);
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
        printf("the largest error is %.2f ulp\n", largest_error(&job, result, count));

    for (const void *memory : {(const void *)data, (const void *)weights, (const void *)halves})
        CHECK_CUDA(cudaFree((void *)memory));
    CHECK_CUDA(cudaFree(result_on_gpu));
    free(result);
    return lab_close(&lab);
}
