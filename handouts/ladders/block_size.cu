/* The stencil of lab 10, with blocks of several sizes and tiles of several heights: what a block reads beyond its own
 * rows, how many blocks fit, and which of the two the clock shows. Each sum needs 20 rows above and below.
 *
 * Look at: how many sectors each tile's height costs, and the occupancy beside them. */
#include "ladder.cuh"

#define REACH   20
#define COLUMNS 32

template <int warps, int rows> __global__ void blur(const float *in, float *out, int n)
{
    extern __shared__ float words[];
    float(*tile)[COLUMNS] = (float(*)[COLUMNS])words;
    int column = threadIdx.x, x = blockIdx.x * COLUMNS + column, first = blockIdx.y * rows;
    for (int j = threadIdx.y; j < rows + 2 * REACH; j += warps) {
        int y = first + j - REACH;
        tile[j][column] = y >= 0 && y < n ? in[y * n + x] : 0;
    }
    __syncthreads();
    for (int j = threadIdx.y; j < rows && first + j < n; j += warps) {
        float sum = 0;
        for (int d = 0; d <= 2 * REACH; ++d)
            sum += (REACH + 1 - abs(d - REACH)) * tile[j + d][column];
        out[(first + j) * n + x] = sum;
    }
}

static float *numbers, *right, *in, *out; // the last two are on the GPU

template <int warps, int rows> static void rung(const char *name, const char *title, int n)
{
    size_t bytes = (rows + 2 * REACH) * COLUMNS * sizeof(float);
    ladder_rung(
        name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * n * sizeof *out)); },
        [=] {
            blur<warps, rows>
                <<<dim3(n / COLUMNS, (n + rows - 1) / rows), dim3(COLUMNS, warps), bytes>>>(in, out,
                                                                                            n);
        },
        [=] { return ladder_same(out, right, n * n); });
    ladder_value("shared_kib", bytes / 1024.0);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.times ? 8192 : 512;
    numbers = (float *)malloc(n * n * sizeof *numbers);
    right = (float *)calloc(n * n, sizeof *right);
    for (int i = 0; i < n * n; ++i)
        numbers[i] = (float)(i * 2654435761u >> 24);
    for (int d = -REACH; d <= REACH; ++d)
        for (int i = d < 0 ? -d * n : 0; i < n * n - (d > 0 ? d * n : 0); ++i)
            right[i] += (REACH + 1 - abs(d)) * numbers[i + d * n];
    in = ladder_upload(numbers, n * n);
    out = ladder_alloc<float>(n * n);
    ladder_size("", ladder.times ? "8,192 × 8,192 numbers" : "512 × 512 numbers");
    rung<1, 8>("warps-1", "1 warp, 8 rows", n);
    rung<16, 8>("rows-8", "16 warps, 8 rows", n);
    rung<16, 64>("rows-64", "16 warps, 64 rows", n);
    rung<16, 200>("rows-200", "16 warps, 200 rows", n);
    rung<24, 200>("warps-24", "24 warps, 200 rows", n);
    rung<32, 200>("warps-32", "32 warps, 200 rows", n);
    rung<4, 344>("warps-4", "4 warps, 344 rows", n);
    rung<1, 344>("warps-1-344", "1 warp, 344 rows", n);
    return 0;
}
