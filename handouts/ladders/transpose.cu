/* The transpose of a matrix: it reads rows and writes columns. A tile in shared memory exchanges them.
 *
 * Look at: the sectors of a store in the naive kernel, then the bank conflicts of the first tile. */
#include "ladder.cuh"

#define TILE 32
#define ROWS 8 // rows of threads in a block; a thread moves TILE / ROWS numbers

__global__ void copy(const int *in, int *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        out[(y + i) * n + x] = in[(y + i) * n + x];
}

__global__ void naive(const int *in, int *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        out[x * n + y + i] = in[(y + i) * n + x];
}

// With `width` = TILE, all numbers of a column are in one bank. One word more shifts each row by one bank.
template <int width> __global__ void tiled(const int *in, int *out, int n)
{
    __shared__ int tile[TILE][width];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE, y = blockIdx.y * TILE; // the tile's first number in `in`
    for (int i = 0; i < TILE; i += ROWS)
        tile[ty + i][tx] = in[(y + ty + i) * n + x + tx];
    __syncthreads();
    for (int i = 0; i < TILE; i += ROWS)
        out[(x + ty + i) * n + y + tx] = tile[tx][ty + i];
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.times ? 8192 : 256;
    size_t count = (size_t)n * n;
    int *numbers = (int *)malloc(count * sizeof *numbers),
        *turned = (int *)malloc(count * sizeof *turned);
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = (int)i;
        turned[i % n * n + i / n] = (int)i;
    }
    const int *in = ladder_upload(numbers, count);
    int *out = ladder_alloc<int>(count);

    ladder_size("", ladder.times ? "8,192 x 8,192 ints" : "256 x 256 ints");
    auto rung = [=](const char *name, const char *title, auto kernel, const int *right) {
        ladder_rung(
            name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, count * sizeof *out)); },
            [=] { kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(in, out, n); },
            [=] { return ladder_same(out, right, count); });
        ladder_rate("gb_per_s", 2.0 * count * sizeof(int));
    };
    rung("copy", "only copied", copy, numbers);
    rung("naive", "naive", naive, turned);
    rung("tile", "tile of 32 x 32", tiled<TILE>, turned);
    rung("tile-padded", "tile of 32 x 33", tiled<TILE + 1>, turned);
    return 0;
}
