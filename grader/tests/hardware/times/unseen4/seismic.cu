/* Stencils in three dimensions: the wave equation with 8th order differences after NVIDIA's FDTD3d sample, and 7 point
 * Jacobi steps the ways of Parboil's stencil and Polybench's 3DCONV. */
#include "expect.cuh"

__constant__ float taps[5] = {-2.5f, 1.6f, -0.2f, 0.025f, -0.0018f};

__device__ __host__ inline size_t index(int x, int y, int z, int nx, int ny)
{
    return ((size_t)z * ny + y) * nx + x;
}

template <typename T> __global__ void jacobi_point(const T *in, T *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    size_t i = index(x, y, z, nx, ny);
    out[i] = T(0.5) * in[i] + T(0.0625) * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                                           in[i - nx * ny] + in[i + nx * ny]);
}

/* A thread a column in z, the values above and below in registers. */
template <typename T> __global__ void jacobi_column(const T *in, T *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1)
        return;
    size_t i = index(x, y, 0, nx, ny);
    T below = in[i], here = in[i + nx * ny];
    for (int z = 1; z < nz - 1; z++) {
        i += nx * ny;
        T above = in[i + nx * ny];
        out[i] = T(0.5) * here +
                 T(0.0625) * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above);
        below = here;
        here = above;
    }
}

/* x is walked by the slow thread index: everything strided. */
__global__ void jacobi_strided(const float *in, float *out, int nx, int ny, int nz)
{
    int z = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y == 0 || z == 0 || y >= ny - 1 || z >= nz - 1)
        return;
    for (int x = 1; x < nx - 1; x++) {
        size_t i = index(x, y, z, nx, ny);
        out[i] = 0.5f * in[i] + 0.0625f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                                           in[i - nx * ny] + in[i + nx * ny]);
    }
}

/* The wave equation: planes in shared memory with a border of 4, z in a queue of registers. */
template <int W, int H>
__global__ void wave_planes(const float *now, const float *before, float *next, int nx, int ny,
                            int nz)
{
    __shared__ float plane[H + 8][W + 8];
    int x = blockIdx.x * W + threadIdx.x + 4, y = blockIdx.y * H + threadIdx.y + 4;
    int tx = threadIdx.x + 4, ty = threadIdx.y + 4, step = nx * ny;
    size_t i = index(x, y, 0, nx, ny);
    float queue[9];
#pragma unroll
    for (int k = 0; k < 8; k++)
        queue[k + 1] = now[i + k * step];
    i += 3 * step;
    for (int z = 4; z < nz - 4; z++) {
        i += step;
#pragma unroll
        for (int k = 0; k < 8; k++)
            queue[k] = queue[k + 1];
        queue[8] = now[i + 4 * step];
        __syncthreads();
        plane[ty][tx] = queue[4];
        if (threadIdx.y < 4) {
            plane[threadIdx.y][tx] = now[i - 4 * nx];
            plane[ty + H][tx] = now[i + H * nx];
        }
        if (threadIdx.x < 4) {
            plane[ty][threadIdx.x] = now[i - 4];
            plane[ty][tx + W] = now[i + W];
        }
        __syncthreads();
        float sum = 3 * taps[0] * queue[4];
#pragma unroll
        for (int k = 1; k <= 4; k++)
            sum += taps[k] * (queue[4 - k] + queue[4 + k] + plane[ty - k][tx] + plane[ty + k][tx] +
                              plane[ty][tx - k] + plane[ty][tx + k]);
        next[i] = 2 * queue[4] - before[i] + 0.1f * sum;
    }
}

__global__ void wave_point(const float *now, const float *before, float *next, int nx, int ny,
                           int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 4,
        y = blockIdx.y * blockDim.y + threadIdx.y + 4, z = blockIdx.z + 4;
    size_t i = index(x, y, z, nx, ny);
    float v = now[i], sum = 3 * taps[0] * v;
    for (int k = 1; k <= 4; k++)
        sum += taps[k] * (now[i - k] + now[i + k] + now[i - k * nx] + now[i + k * nx] +
                          now[i - k * nx * ny] + now[i + k * nx * ny]);
    next[i] = 2 * v - before[i] + 0.1f * sum;
}

int main()
{
    const int nx = 256, ny = 128, nz = 64;
    const size_t n = (size_t)nx * ny * nz;
    float *in = fractions<float>(n), *out = zeros<float>(n);
    double *din = fractions<double>(n), *dout = zeros<double>(n);
    auto h = fetched(in, n);
    auto check_jacobi = [&](const char *what, auto *memory, int depth) {
        auto o = fetched(memory, n);
        for (size_t i : places(n, 2000)) {
            int x = i % nx, y = i / nx % ny, z = i / nx / ny;
            if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z >= depth - 1)
                continue;
            double w = 0.5 * h[i] + 0.0625 * ((double)h[i - 1] + h[i + 1] + h[i - nx] + h[i + nx] +
                                              h[i - nx * ny] + h[i + nx * ny]);
            expect_near(what, i, o[i], w, 1e-5);
        }
        CHECK(cudaMemset(memory, 0, n * sizeof *memory));
    };
    TWICE(jacobi_point<<<dim3(nx / 32, ny / 4, nz / 2), dim3(32, 4, 2)>>>(in, out, nx, ny, nz));
    check_jacobi("point", out, nz);
    TWICE(jacobi_point<<<dim3(nx / 128, ny, nz), dim3(128, 1, 1)>>>(in, out, nx, ny, nz));
    check_jacobi("point", out, nz);
    TWICE(jacobi_point<<<dim3(nx / 8, ny / 8, nz / 8), dim3(8, 8, 8)>>>(in, out, nx, ny, nz));
    check_jacobi("point", out, nz);
    TWICE(jacobi_point<<<dim3(nx / 64, ny / 4, nz), dim3(64, 4, 1)>>>(din, dout, nx, ny, nz));
    check_jacobi("point double", dout, nz);
    TWICE(jacobi_column<<<dim3(nx / 32, ny / 4), dim3(32, 4)>>>(in, out, nx, ny, nz));
    check_jacobi("column", out, nz);
    TWICE(jacobi_column<<<dim3(nx / 16, ny / 16), dim3(16, 16)>>>(in, out, nx, ny, nz));
    check_jacobi("column", out, nz);
    TWICE(jacobi_column<<<dim3(nx / 64, ny / 2), dim3(64, 2)>>>(din, dout, nx, ny, nz / 2));
    check_jacobi("column double", dout, nz / 2);
    TWICE(jacobi_strided<<<dim3(nz / 32, ny / 2), dim3(32, 2)>>>(in, out, nx, ny, nz));
    check_jacobi("strided", out, nz);

    /* Borders of 4 around 256 x 64 x 56 points. */
    const int wx = 264, wy = 72, wz = 64;
    const size_t m = (size_t)wx * wy * wz;
    float *before =
        filled<float>(m, [](size_t i) { return (scrambled(i + 99) & 0xfff) / 4096.0f; });
    auto hb = fetched(before, m);
    const float t[5] = {-2.5f, 1.6f, -0.2f, 0.025f, -0.0018f};
    auto check_wave = [&](const char *what) {
        auto o = fetched(out, m);
        for (size_t k : places((size_t)256 * 64 * 56, 1000)) {
            size_t i = index(k % 256 + 4, k / 256 % 64 + 4, k / 256 / 64 + 4, wx, wy);
            double sum = 3 * t[0] * h[i];
            for (int d = 1; d <= 4; d++)
                sum += t[d] * ((double)h[i - d] + h[i + d] + h[i - d * wx] + h[i + d * wx] +
                               h[i - d * wx * wy] + h[i + d * wx * wy]);
            expect_near(what, i, o[i], 2.0 * h[i] - hb[i] + 0.1 * sum, 1e-5);
        }
        CHECK(cudaMemset(out, 0, n * sizeof *out));
    };
    TWICE(wave_planes<32, 16><<<dim3(8, 4), dim3(32, 16)>>>(in, before, out, wx, wy, wz));
    check_wave("planes");
    TWICE(wave_planes<16, 8><<<dim3(16, 8), dim3(16, 8)>>>(in, before, out, wx, wy, wz));
    check_wave("planes");
    TWICE(wave_point<<<dim3(8, 8, 56), dim3(32, 8)>>>(in, before, out, wx, wy, wz));
    check_wave("wave");
    TWICE(wave_point<<<dim3(1, 64, 56), dim3(256, 1)>>>(in, before, out, wx, wy, wz));
    check_wave("wave");
    return verdict("seismic");
}
