/* A product of two n x n matrices of floats: the kernels of lab 06; a kernel that is worse than the lab's first;
 * and three more rungs, with pitched rows and with padded tiles of 16 and of 32.
 *
 * Look at: the sectors of global memory from the naive kernel to the tiles, and the instructions of the exact
 * sums. */
#include "matrices.cuh"

#define main lab_main // the lab's own main(), which is not called here
namespace solution
{
#include "../../solutions/06-tiled-matmul/tiled_matmul.cu"
}
#undef main
using solution::product;

// x and y swapped: neighbouring threads walk down a column, far apart in memory.
__global__ void swapped(product p)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= p.width || y >= p.height)
        return;
    float sum = 0;
    for (int i = 0; i < p.depth; ++i)
        sum += p.a[y * p.depth + i] * p.b[i * p.width + x];
    p.c[y * p.width + x] = sum;
}

// A matrix whose rows are `pitch` floats apart.
struct pitched {
    float *first;
    size_t pitch;
};

// by_row() of lab 06, with pitched matrices.
__global__ void by_pitched_row(pitched a, pitched b, pitched c, int n)
{
    extern __shared__ float row[]; // a row of A
    int y = blockIdx.x;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        row[i] = a.first[y * a.pitch + i];
    __syncthreads();
    for (int x = threadIdx.x; x < n; x += blockDim.x) {
        float sum = 0;
        for (int i = 0; i < n; ++i)
            sum += row[i] * b.first[i * b.pitch + x];
        c.first[y * c.pitch + x] = sum;
    }
}

// Tiles, for sizes that are multiples of `tile`: no tests at the edges.
template <int tile> __global__ void by_full_tile(const float *a, const float *b, float *c, int n)
{
    int tx = threadIdx.x, x = blockIdx.x * tile + tx;
    int ty = threadIdx.y, y = blockIdx.y * tile + ty;
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    float sum = 0;
    for (int first = 0; first < n; first += tile) {
        a_tile[ty][tx] = a[y * n + first + tx];
        b_tile[ty][tx] = b[(first + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < tile; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

/* --- the host ----------------------------------------------------------------------------------- */

// Returns a copy of the matrix on the device. Rows are PITCH floats apart; zeros fill it up to PITCH and ROWS.
static pitched upload(const float *values, int n, size_t pitch, int rows)
{
    pitched matrix = {ladder_alloc<float>(pitch * rows), pitch};
    CHECK_CUDA(cudaMemset(matrix.first, 0, pitch * rows * sizeof(float)));
    CHECK_CUDA(cudaMemcpy2D(matrix.first, pitch * sizeof(float), values, n * sizeof(float),
                            n * sizeof(float), n, cudaMemcpyHostToDevice));
    return matrix;
}

struct matrices {
    pitched a, b, c;
};

static void climb(int n)
{
    using namespace solution;
    float *a = random_matrix(n, 1), *b = random_matrix(n, 2);
    auto rung = [=](const char *name, const char *title, matrices m, auto work) {
        double error = 0;
        ladder_rung(
            name, title,
            [=] { CHECK_CUDA(cudaMemsetAsync(m.c.first, 0xff, m.c.pitch * n * sizeof(float))); },
            work,
            [=, &error] { return (error = largest_error(a, b, m.c.first, m.c.pitch, n)) < 1e-2; });
        ladder_value("error", error);
        ladder_rate("gflops", 2.0 * n * n * n);
    };
    auto prepare = [=](size_t pitch, int rows) {
        return matrices{upload(a, n, pitch, rows), upload(b, n, pitch, rows),
                        upload(a, n, pitch, rows)};
    };
    int round16 = (n + 15) / 16 * 16, round32 = (n + 31) / 32 * 32;
    matrices plain = prepare(n, n), pitch = prepare((n + 127) / 128 * 128, n);
    matrices by16 = prepare(round16, round16), by32 = prepare(round32, round32);
    product p = {plain.a.first, plain.b.first, plain.c.first, n, n, n};
    rung("swapped", "x and y swapped", plain,
         [=] { swapped<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(p); });
    rung("naive", "naive", plain, [=] { multiply(0, p); });
    rung("row", "row in shared memory", plain, [=] { multiply(1, p); });
    rung("row-pitched", "the same, pitched", pitch,
         [=] { by_pitched_row<<<n, 256, n * sizeof(float)>>>(pitch.a, pitch.b, pitch.c, n); });
    rung("tiles-16", "tiles of 16", plain, [=] { multiply(2, p); });
    rung("tiles-16-padded", "tiles of 16, padded", by16, [=] {
        by_full_tile<16><<<dim3(round16 / 16, round16 / 16), dim3(16, 16)>>>(
            by16.a.first, by16.b.first, by16.c.first, round16);
    });
    rung("tiles-32-padded", "tiles of 32, padded", by32, [=] {
        by_full_tile<32><<<dim3(round32 / 32, round32 / 32), dim3(32, 32)>>>(
            by32.a.first, by32.b.first, by32.c.first, round32);
    });
    rung("kahan", "tiles of 16, exact sums", plain, [=] { multiply(3, p); });
    for (const matrices &m : {plain, pitch, by16, by32})
        for (float *memory : {m.a.first, m.b.first, m.c.first})
            CHECK_CUDA(cudaFree(memory));
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    if (!ladder.predicts) {
        ladder_size("", ladder.times ? "2,048 x 2,048" : "250 x 250");
        climb(ladder.times ? 2048 : 250);
    }
    if (ladder.large) {
        ladder_size("_1000", "1,000 x 1,000");
        climb(1000);
    }
    return 0;
}
