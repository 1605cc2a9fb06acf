/* Lab 08: a transpose that reads rows and writes rows.
 *
 * The job: data has `height` rows and `width` columns. Turn it, so that its rows become columns:
 *
 *     turned[x][y] = data[y][x]
 *
 * `turned` has `width` rows and `height` columns. To move 32 numbers, a warp touches this many
 * sectors of 32 bytes:
 *
 *     rung 0  naive     4 to read a piece of a row, 32 to write it down a column
 *     rung 1  by_tile   4 to read and 4 to write. A tile in shared memory turns the numbers.
 *
 * Any height and width are allowed, not only multiples of 32.
 *
 * This is the solution: make grade LAB=08-transpose SUBMISSION=solutions/08-transpose */
#include "lab.h"

#define TILE 32 // rows and columns of a tile
#define ROWS 8  // rows of threads in a block: each thread moves TILE / ROWS numbers

struct matrices {
    const float *data;
    float *turned;
    int height, width; // of data
};

// Rung 0. A warp reads 32 neighbours of a row, and writes them one below the other.
__global__ void naive(struct matrices m)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (x < m.width && y + i < m.height)
            m.turned[x * m.height + y + i] = m.data[(y + i) * m.width + x];
}

// Rung 1. A block moves one tile. Its first number in data is in row y, column x.
__global__ void by_tile(struct matrices m)
{
    int tx = threadIdx.x, x = blockIdx.x * TILE;
    int ty = threadIdx.y, y = blockIdx.y * TILE;
    __shared__ float tile[TILE][TILE + 1]; // the words of a column are in 32 different banks
    for (int i = ty; i < TILE; i += ROWS)
        if (x + tx < m.width && y + i < m.height)
            tile[i][tx] = m.data[(y + i) * m.width + x + tx];
    __syncthreads(); // no thread reads before all have written
    for (int i = ty; i < TILE; i += ROWS)
        if (y + tx < m.height && x + i < m.width)
            m.turned[(x + i) * m.height + y + tx] = tile[tx][i];
}

// Starts the kernel of one rung.
static void transpose(int rung, struct matrices m)
{
    dim3 tiles((m.width + TILE - 1) / TILE, (m.height + TILE - 1) / TILE);
    dim3 threads(TILE, ROWS); // a warp is 32 neighbours in x
    if (rung == 0)
        naive<<<tiles, threads>>>(m);
    else
        by_tile<<<tiles, threads>>>(m);
}

// The same job on the CPU: counts the wrong numbers when you run the program by hand.
static int count_wrong(const float *data, const float *turned, int height, int width)
{
    int wrong = 0;
    for (int i = 0; i < height * width; ++i)
        wrong += turned[i % width * height + i / width] != data[i];
    return wrong;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 1);
    int height = lab_int(&lab, "height", 200), width = lab_int(&lab, "width", 300);
    const float *data = lab_matrix(&lab, "data", height, width);
    size_t bytes = (size_t)height * width * sizeof(float);
    float *turned = (float *)memset(malloc(bytes), 0xff, bytes); // NaNs show a missing copy

    float *data_on_gpu, *turned_on_gpu;
    CHECK_CUDA(cudaMalloc(&data_on_gpu, bytes));
    CHECK_CUDA(cudaMalloc(&turned_on_gpu, bytes));
    CHECK_CUDA(cudaMemcpy(data_on_gpu, data, bytes, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        transpose(rung, (struct matrices){data_on_gpu, turned_on_gpu, height, width});
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    // Waits for the kernel, and returns its error if it failed.
    CHECK_CUDA(cudaMemcpy(turned, turned_on_gpu, bytes, cudaMemcpyDeviceToHost));
    lab_result(&lab, "turned", LAB_FLOAT, turned, height * width);
    if (lab_by_hand(&lab))
        printf("CPU: %d numbers are wrong\n", count_wrong(data, turned, height, width));

    CHECK_CUDA(cudaFree(turned_on_gpu));
    CHECK_CUDA(cudaFree(data_on_gpu));
    free(turned);
    return lab_close(&lab);
}
