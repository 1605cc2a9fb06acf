/* Lab 09: the sum of a picture, its histogram, and a better picture.
 *
 * A picture has n pixels, bytes from 0, black, to 255, white. Its histogram has a bin for each grey,
 * which counts the pixels of that grey. To equalise a picture, each grey is replaced by its rank
 * among all pixels: then a picture taken in fog uses all greys.
 *
 *     rung 0 to 2  sum_atomic    one atomicAdd() per pixel; 1 thread, 1 block, 16 blocks
 *     rung 3       sum_tree      a tree in shared memory, and one atomicAdd() per block
 *     rung 4       count_shared  a histogram in the shared memory of each block
 *     rung 5       count_copies  a histogram in which no lane of a warp waits for another
 *     rung 6       equalise      a table of the new greys in each block
 *
 * This is the solution: make grade LAB=09-picture-sum SUBMISSION=solutions/09-picture-sum */
#include "lab.h"
#include "picture.h"

#define BLOCKS  16
#define GREYS   256
#define THREADS GREYS // threads of a block: one for each grey
#define COPIES  32    // copies of each bin: one for each lane of a warp

// Rungs 0 to 2.
__global__ void sum_atomic(const unsigned char *pixels, int n, float *sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, (float)pixels[i]);
}

// Rung 3.
__global__ void sum_tree(const unsigned char *pixels, int n, float *sum)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        mine += pixels[i];
    sums[t] = mine;
    for (int off = THREADS / 2; off > 0; off /= 2) {
        __syncthreads();
        if (t < off)
            sums[t] += sums[t + off];
    }
    if (t == 0)
        atomicAdd(sum, sums[0]);
}

// Rung 4.
__global__ void count_shared(const unsigned char *pixels, int n, int *bins)
{
    __shared__ int mine[GREYS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[pixels[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

// Rung 5. Copy c of bin g is mine[g * COPIES + c], in bank c: lane c's own word in its own bank.
__global__ void count_copies(const unsigned char *pixels, int n, int *bins)
{
    __shared__ int mine[GREYS * COPIES];
    for (int i = threadIdx.x; i < GREYS * COPIES; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[pixels[i] * COPIES + threadIdx.x % COPIES], 1);
    __syncthreads();
    int g = threadIdx.x, total = 0;
    for (int c = 0; c < COPIES; ++c)
        total += mine[g * COPIES + (g + c) % COPIES]; // each lane begins in another bank
    atomicAdd(&bins[g], total);
}

// Returns the rank of `grey` among all pixels, from 0 (the darkest) to 255 (the brightest).
__device__ unsigned char new_grey(const int *bins, int n, int grey)
{
    int first = 0, up_to = 0; // pixels of the darkest grey; pixels up to this grey
    for (int g = 0; g <= grey; ++g) {
        up_to += bins[g];
        first = first ? first : up_to;
    }
    return n == first ? grey : (up_to - first) * 255ll / (n - first);
}

// Rung 6.
__global__ void equalise(const unsigned char *pixels, int n, const int *bins, unsigned char *after)
{
    __shared__ unsigned char table[GREYS];
    table[threadIdx.x] = new_grey(bins, n, threadIdx.x);
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        after[i] = table[pixels[i]];
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 6);
    struct picture picture = lab_picture(&lab);
    int n = picture.width * picture.height, bins[GREYS], *bins_on_gpu;
    int blocks = rung < 2 ? 1 : BLOCKS, threads = rung < 1 ? 1 : THREADS;
    float sum, *sum_on_gpu;
    unsigned char *pixels, *after;
    CHECK_CUDA(cudaMalloc(&sum_on_gpu, sizeof sum));
    CHECK_CUDA(cudaMalloc(&bins_on_gpu, sizeof bins));
    CHECK_CUDA(cudaMalloc(&pixels, n));
    CHECK_CUDA(cudaMalloc(&after, n));
    CHECK_CUDA(cudaMemcpy(pixels, picture.pixels, n, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(sum_on_gpu, 0, sizeof sum));
        CHECK_CUDA(cudaMemset(bins_on_gpu, 0, sizeof bins));
        if (rung <= 2)
            sum_atomic<<<blocks, threads>>>(pixels, n, sum_on_gpu);
        else if (rung == 3)
            sum_tree<<<blocks, threads>>>(pixels, n, sum_on_gpu);
        else if (rung == 5)
            count_copies<<<blocks, threads>>>(pixels, n, bins_on_gpu);
        else
            count_shared<<<blocks, threads>>>(pixels, n, bins_on_gpu);
        if (rung == 6)
            equalise<<<blocks, threads>>>(pixels, n, bins_on_gpu, after);
        CHECK_CUDA(cudaGetLastError()); // did the kernels start?
    }

    if (rung <= 3) { // cudaMemcpy() also waits for the kernels, and reports if one failed
        CHECK_CUDA(cudaMemcpy(&sum, sum_on_gpu, sizeof sum, cudaMemcpyDeviceToHost));
        lab_result(&lab, "sum", LAB_FLOAT, &sum, 1);
    } else {
        CHECK_CUDA(cudaMemcpy(bins, bins_on_gpu, sizeof bins, cudaMemcpyDeviceToHost));
        lab_result(&lab, "bins", LAB_INT, bins, GREYS);
    }
    if (lab_by_hand(&lab))
        picture_compare(picture, rung <= 3 ? NULL : bins);
    if (rung == 6) {
        CHECK_CUDA(cudaMemcpy(picture.pixels, after, n, cudaMemcpyDeviceToHost));
        lab_result_picture(&lab, "after", picture);
    }
    CHECK_CUDA(cudaFree(after));
    CHECK_CUDA(cudaFree(pixels));
    CHECK_CUDA(cudaFree(bins_on_gpu));
    CHECK_CUDA(cudaFree(sum_on_gpu));
    return lab_close(&lab);
}
