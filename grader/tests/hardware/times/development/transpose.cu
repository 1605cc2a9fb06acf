// Transposes: plain copy, uncoalesced stores or loads, a tile with and without conflicts.
#include "../launch.cuh"

#define TILE 32

__global__ void copy(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * n + x] = in[(y + j) * n + x];
}

__global__ void naive_stores(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[x * n + y + j] = in[(y + j) * n + x];
}

__global__ void naive_loads(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * n + x] = in[x * n + y + j];
}

template <int WIDTH> __global__ void tiled(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][WIDTH];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
    for (int n : {512, 2048, 4096}) {
        float *in = fractions<float>((size_t)n * n), *out = zeros<float>((size_t)n * n);
        dim3 blocks(n / TILE, n / TILE), threads(TILE, 8);
        TWICE(copy<<<blocks, threads>>>(in, out, n));
        TWICE(naive_stores<<<blocks, threads>>>(in, out, n));
        if (n < 4096)
            TWICE(naive_loads<<<blocks, threads>>>(in, out, n));
        TWICE(tiled<TILE><<<blocks, threads>>>(in, out, n));
        TWICE(tiled<TILE + 1><<<blocks, threads>>>(in, out, n));
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
}
