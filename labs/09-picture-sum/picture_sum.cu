/* Lab 09: the sum of a picture, its histogram, and a better picture.
 *
 * A picture has n pixels, bytes from 0, black, to 255, white. Its histogram has a bin for each grey,
 * which counts the pixels of that grey. To equalise a picture, each grey is replaced by its rank
 * among all pixels: then a picture taken in fog uses all greys.
 *
 * The program is right, and slow. Do the TODOs in order; it stays right after each of them.
 *
 *     rung 0 to 2  sum_atomic    done: one atomicAdd() per pixel; 1 thread, 1 block, 16 blocks
 *     rung 3       sum_tree      TODO 1: a tree in shared memory, and one atomicAdd() per block
 *     rung 4       count_shared  TODO 2: a histogram in the shared memory of each block
 *     rung 5       count_copies  TODO 3: a histogram in which no lane of a warp waits for another
 *     rung 6       equalise      TODO 4: a table of the new greys in each block
 *
 * Try it:    make run LAB=09-picture-sum ARGS='rung=3 width=300 height=200'
 *            make run LAB=09-picture-sum ARGS='rung=6 picture=photo.pgm save=after.pgm'
 * Grade it:  make grade LAB=09-picture-sum */
#include "lab.h"
#include "picture.h"

#define BLOCKS  16
#define GREYS   256
#define THREADS GREYS // threads of a block: one for each grey
#define COPIES  32    // copies of each bin, in rung 5: one for each lane of a warp

// Rungs 0 to 2.
__global__ void sum_atomic(const unsigned char *pixels, int n, float *sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, (float)pixels[i]);
}

// Rung 3.
__global__ void sum_tree(const unsigned char *pixels, int n, float *sum)
{
    // TODO 1: each pixel is an atomicAdd() to the same word, so the threads queue for it.
    //         a) Let each thread add up its pixels in a float of its own.
    //         b) Put it into a __shared__ array of THREADS floats.
    //         c) Add these up by a tree, as in lab 04: in each step the first half of the threads
    //            adds the upper half of the sums to the lower half. All wait before each step.
    //         d) Thread 0 ends with one atomicAdd() for the block.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, (float)pixels[i]);
}

// Rung 4.
__global__ void count_shared(const unsigned char *pixels, int n, int *bins)
{
    // TODO 2: each pixel is an atomicAdd() to global memory. Count in a __shared__ array of GREYS
    //         ints instead, the block's own bins:
    //         a) Fresh shared memory may hold anything. Let thread t set bin t to 0; then all wait.
    //         b) Count with an atomicAdd() to the block's own bins; then all wait.
    //         c) Let thread t add the block's bin t to bins[t], with one atomicAdd().
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[pixels[i]], 1);
}

// Rung 5.
__global__ void count_copies(const unsigned char *pixels, int n, int *bins)
{
    // TODO 3: this is the slow kernel again. Do as in rung 4. But there, lanes of a warp whose
    //         pixels are equally grey meet in one bin and take turns: all 32 in a white sky. So give
    //         each lane a copy of each bin, next to the other lanes' copies:
    //
    //             bank         0        1        2     ...    31
    //             grey 0    copy 0   copy 1   copy 2   ...  copy 31     mine[0] to mine[31]
    //             grey 1    copy 0   copy 1   copy 2   ...  copy 31     mine[32] to mine[63]
    //
    //         Clear the copies side by side: thread t clears word t, then t + THREADS, and so on.
    //         Lane c counts in copy c. It still needs atomicAdd(), because lane c of every warp
    //         counts there. At the end thread g adds up the copies of grey g, beginning with
    //         copy g % COPIES: in which bank would all lanes meet if each began with copy 0?
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[pixels[i]], 1);
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
    // TODO 4: new_grey() reads up to 256 bins, again for each pixel, but there are only 256 greys.
    //         Let thread t first put new_grey() of grey t into a __shared__ table of the block. When
    //         all have done so, look up each pixel's new grey there.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        after[i] = new_grey(bins, n, pixels[i]);
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
