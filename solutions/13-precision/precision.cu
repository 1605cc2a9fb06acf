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
 * Floats are enough, if rounding errors are kept (1, 2), do not occur (3), or are small (4, 5).
 *
 * This is the solution: make grade LAB=13-precision SUBMISSION=solutions/13-precision */
#include "precision.h"

#define WARP    32
#define THREADS 128 // threads of a block
#define ALL     0xffffffffu
#define BLOCKS  16 // blocks, in rungs 4 and 5
#define TWO_PI  6.2831853f

// The number high + low. `low` has the digits that do not fit into `high`.
struct pair {
    float high, low;
};

// Adds b. `high` becomes the rounded sum, and `low` grows by the rounding error, which is a float.
__device__ struct pair add(struct pair a, float b)
{
    float sum = a.high + b, part = sum - a.high; // part: the share of b
    a.low += (a.high - (sum - part)) + (b - part);
    a.high = sum;
    return a;
}

// Stores the sum over the lanes of a warp.
__device__ void add_lanes(struct pair mine, float *result)
{
    for (int off = WARP / 2; off > 0; off /= 2) {
        float high = __shfl_down_sync(ALL, mine.high, off);
        float low = __shfl_down_sync(ALL, mine.low, off); // before add() changes it
        mine = add(mine, high);
        mine.low += low;
    }
    if (threadIdx.x % WARP == 0)
        *result = mine.high + mine.low;
}

// Rung 1: a warp adds up a row.
__global__ void add_rows(const float *data, float *result, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    struct pair sum = {0, 0};
    for (int i = lane; i < width; i += WARP)
        sum = add(sum, data[row * width + i]);
    add_lanes(sum, &result[row]);
}

// Rung 2: a warp multiplies a row by a row of weights.
__global__ void multiply_rows(const float *data, const float *weights, float *result, int rows,
                              int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    struct pair sum = {0, 0};
    for (int i = lane; i < width; i += WARP) {
        float a = data[row * width + i], b = weights[row * width + i];
        float product = __fmul_rn(a, b); // never becomes part of a fused multiply-add
        sum = add(sum, product);
        sum.low += fmaf(a, b, -product); // the product's error, exactly
    }
    add_lanes(sum, &result[row]);
}

// Rung 3: a warp adds up a row of 2 * WORDS halves, two at a time.
__global__ void add_halves(const __half *halves, float *result, int rows, int words)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    const __half2 *twos = (const __half2 *)halves + row * words;
    float sum = 0; // exact: a float has room for the sum of 8,192 numbers of 11 bits
    for (int i = lane; i < words; i += WARP) {
        float2 two = __half22float2(twos[i]);
        sum += two.x + two.y;
    }
    for (int off = WARP / 2; off > 0; off /= 2)
        sum += __shfl_down_sync(ALL, sum, off);
    if (lane == 0)
        result[row] = sum;
}

// Rung 4: a wave of each number.
__global__ void make_waves(const float *data, float *result, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = 2 + __sinf(TWO_PI * (data[i] - rintf(data[i]))); // at most half a turn
}

// Rung 5: the growth of each number.
__global__ void grow(const float *data, float *result, int n, int capacity, int ratio)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float t = data[i], e = expf(-fabsf(t)); // at most 1, so nothing overflows
        float above = t < 0 ? capacity * e : capacity;
        float below = t < 0 ? e + ratio : 1 + ratio * e;
        result[i] = __fdividef(above, below); // below is far from 2^126
    }
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
