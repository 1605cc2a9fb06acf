/* Lab 10: how many blocks fit?
 *
 * The job: blur a picture up and down. Each number of the result is a sum of 41 numbers of its
 * column; nearer rows weigh more. Rows outside of the picture count as 0.
 *
 *     blurred[y][x] = 1 * data[y - 20][x] + 2 * data[y - 19][x] + ... + 21 * data[y][x] + ...
 *                                         + 2 * data[y + 19][x] + 1 * data[y + 20][x]
 *
 * A block copies a tile of the picture to shared memory, with 20 more rows above and below it, and
 * makes the sums from there. Two sizes are free: the warps of a block, and the rows of a tile.
 *
 *     low tiles     many of the rows that a block reads are not its own: 48 rows for 8 of sums
 *     tall tiles    take more shared memory: fewer blocks fit on a multiprocessor
 *     few warps     a multiprocessor is full of blocks long before it is full of warps
 *     many warps    large blocks do not fill a multiprocessor exactly: a part stays unused
 *
 * 16 warps fill multiprocessors of 32, 48 and 64 warps with none left over. With tiles of 200 rows, a
 * block takes 30,720 bytes: 2, 3 and 4 blocks fit, and a block reads only 1.2 rows for each of its
 * own.
 *
 * This is the solution: make grade LAB=10-block-size SUBMISSION=solutions/10-block-size */
#include "lab.h"

#define REACH   20  // a sum takes this many rows above its own row, and as many below it
#define COLUMNS 32  // columns of a tile: a warp's threads take neighbouring columns
#define WARPS   16  // warps of a block
#define TILE    200 // rows of a tile

__global__ void blur(const float *data, float *blurred, int width, int height)
{
    __shared__ float tile[TILE + 2 * REACH][COLUMNS];
    int column = threadIdx.x, x = blockIdx.x * COLUMNS + column;
    int first = blockIdx.y * TILE; // the first row of the tile

    // The warps take rows one after another.
    for (int j = threadIdx.y; j < TILE + 2 * REACH; j += WARPS) {
        int y = first + j - REACH;
        bool inside = x < width && y >= 0 && y < height;
        tile[j][column] = inside ? data[y * width + x] : 0;
    }
    __syncthreads(); // a sum needs rows that other warps have copied

    for (int j = threadIdx.y; j < TILE && first + j < height; j += WARPS) {
        float sum = 0;
        for (int d = 0; d <= 2 * REACH; ++d)
            sum += (REACH + 1 - abs(d - REACH)) * tile[j + d][column];
        if (x < width)
            blurred[(first + j) * width + x] = sum;
    }
}

// The same job on the CPU: counts the wrong numbers when you run the program by hand.
static int count_wrong(const float *data, const float *blurred, int width, int height)
{
    int wrong = 0;
    for (int i = 0; i < width * height; ++i) {
        float sum = 0;
        for (int d = -REACH; d <= REACH; ++d)
            if (i / width + d >= 0 && i / width + d < height)
                sum += (REACH + 1 - abs(d)) * data[i + d * width];
        wrong += !(fabsf(blurred[i] - sum) < 1e-3f); // a GPU and a CPU round differently
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int width = lab_int(&lab, "width", 64);
    int height = lab_int(&lab, "height", 400);
    const float *data = lab_matrix(&lab, "data", height, width);
    size_t bytes = (size_t)width * height * sizeof(float);
    float *blurred = (float *)memset(malloc(bytes), 0xff, bytes); // NaNs show a missing copy

    float *data_on_gpu, *blurred_on_gpu;
    CHECK_CUDA(cudaMalloc(&data_on_gpu, bytes));
    CHECK_CUDA(cudaMalloc(&blurred_on_gpu, bytes));
    CHECK_CUDA(cudaMemcpy(data_on_gpu, data, bytes, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        dim3 threads(COLUMNS, WARPS);
        dim3 blocks((width + COLUMNS - 1) / COLUMNS, (height + TILE - 1) / TILE);
        blur<<<blocks, threads>>>(data_on_gpu, blurred_on_gpu, width, height);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    CHECK_CUDA(cudaMemcpy(blurred, blurred_on_gpu, bytes, cudaMemcpyDeviceToHost));
    lab_result(&lab, "blurred", LAB_FLOAT, blurred, width * height);
    if (lab_by_hand(&lab))
        printf("CPU: %d numbers are wrong\n", count_wrong(data, blurred, width, height));

    CHECK_CUDA(cudaFree(blurred_on_gpu));
    CHECK_CUDA(cudaFree(data_on_gpu));
    free(blurred);
    return lab_close(&lab);
}
