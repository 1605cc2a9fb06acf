/* Stencils in two and three dimensions, and finite differences in double precision. */
#include "../launch.cuh"

__global__ void five_points(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
        y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width - 1 || y >= height - 1)
        return;
    const float *at = in + y * width + x;
    out[y * width + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-width] + at[width]);
}

__global__ void five_points_shared(float *out, const float *in, int width, int height)
{
    __shared__ float tile[18][34];
    int left = blockIdx.x * 32, top = blockIdx.y * 16;
    for (int i = threadIdx.x; i < 18 * 34; i += blockDim.x) {
        int x = min(left + i % 34, width - 1), y = min(top + i / 34, height - 1);
        tile[i / 34][i % 34] = in[y * width + x];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        int x = i % 32, y = i / 32;
        if (left + x < width - 2 && top + y < height - 2)
            out[(top + y + 1) * width + left + x + 1] =
                0.2f * (tile[y + 1][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2] + tile[y][x + 1] +
                        tile[y + 2][x + 1]);
    }
}

/* Threads along y: no two lanes of a warp read from one line. */
__global__ void five_points_strided(float *out, const float *in, int width, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x + 1,
        x = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width - 1 || y >= height - 1)
        return;
    const float *at = in + y * width + x;
    out[y * width + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-width] + at[width]);
}

__global__ void seven_points(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int i = (z * n + y) * n + x;
    out[i] =
        in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n] - 6 * in[i];
}

/* A column of the grid a thread; three planes' values stay in registers. */
__global__ void seven_points_march(float *out, const float *in, int n, int planes)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int first = max(1, (int)blockIdx.z * planes), last = min(n - 1, ((int)blockIdx.z + 1) * planes);
    int i = (first * n + y) * n + x;
    float below = in[i - n * n], here = in[i];
    for (int z = first; z < last; z++, i += n * n) {
        float above = in[i + n * n];
        out[i] = in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + below + above - 6 * here;
        below = here;
        here = above;
    }
}

__global__ void twenty_seven(double *out, const double *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y + 1, z = blockIdx.z + 1;
    if (x >= n - 1)
        return;
    double sum = 0;
    for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++)
                sum += in[((z + c) * n + y + b) * n + x + a] / (1 + a * a + b * b + c * c);
    out[(z * n + y) * n + x] = sum;
}

/* Waves of the eighth order along one axis. */
__global__ void wave(double *next, const double *now, const double *before, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 4;
    if (i >= n - 4)
        return;
    double sum = -2.847222222 * now[i];
    sum += 1.6 * (now[i - 1] + now[i + 1]) - 0.2 * (now[i - 2] + now[i + 2]);
    sum += 0.025396825 * (now[i - 3] + now[i + 3]) - 0.001785714 * (now[i - 4] + now[i + 4]);
    next[i] = 2 * now[i] - before[i] + 0.1 * sum;
}

/* Tridiagonal systems, one per thread: interleaved if STEP is the number of systems, or one behind the other. */
__global__ void thomas(double *x, const double *d, double *work, int length, int step, int apart)
{
    size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * apart;
    double c = 0, v = 0;
    for (int i = 0; i < length; i++) {
        double scale = 1 / (4 - c);
        c = scale;
        v = (d[at + (size_t)i * step] + v) * scale;
        work[at + (size_t)i * step] = c;
        x[at + (size_t)i * step] = v;
    }
    for (int i = length - 2; i >= 0; i--) {
        v = x[at + (size_t)i * step] + work[at + (size_t)i * step] * v;
        x[at + (size_t)i * step] = v;
    }
}

/* Heat along a rod in the shared memory of one block. */
__global__ void rod(float *out, const float *in, int steps)
{
    __shared__ float u[2][1026];
    int i = threadIdx.x + 1;
    u[0][i] = u[1][i] = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x < 2)
        u[threadIdx.x][0] = u[threadIdx.x][blockDim.x + 1] = 0;
    for (int step = 0; step < steps; step++) {
        __syncthreads();
        const float *from = u[step % 2];
        u[1 - step % 2][i] = from[i] + 0.25f * (from[i - 1] - 2 * from[i] + from[i + 1]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = u[steps % 2][i];
}

int main()
{
    const int n = 1024 * 1024;
    float *in = fractions<float>(n), *out = zeros<float>(n);
    double *a = fractions<double>(n), *b = zeros<double>(n), *c = fractions<double>(n);
    TWICE(five_points<<<dim3(32, 128), dim3(32, 8)>>>(out, in, 1024, 1024));
    TWICE(five_points<<<dim3(128, 64), dim3(8, 16)>>>(out, in, 1024, 1024));
    TWICE(five_points<<<dim3(1, 1022), dim3(1024)>>>(out, in, 1024, 1024));
    TWICE(five_points_shared<<<dim3(32, 64), 256>>>(out, in, 1024, 1024));
    TWICE(five_points_strided<<<dim3(16, 64), dim3(32, 8)>>>(out, in, 512, 512));
    TWICE(seven_points<<<dim3(3, 12, 96), dim3(32, 8)>>>(out, in, 96));
    TWICE(seven_points<<<dim3(12, 12, 24), dim3(8, 8, 4)>>>(out, in, 96));
    TWICE(seven_points_march<<<dim3(3, 12), dim3(32, 8)>>>(out, in, 96, 96));
    TWICE(seven_points_march<<<dim3(3, 12, 6), dim3(32, 8)>>>(out, in, 96, 16));
    TWICE(twenty_seven<<<dim3(1, 46, 46), 64>>>(b, a, 48));
    TWICE(wave<<<n / 256, 256>>>(b, a, c, n));
    TWICE(wave<<<66, 512>>>(b, a, c, 66 * 512));
    TWICE(thomas<<<32, 64>>>(b, a, c, 64, 2048, 1));
    TWICE(thomas<<<32, 64>>>(b, a, c, 64, 1, 64));
    TWICE(rod<<<1, 1024>>>(out, in, 400));
    TWICE(rod<<<140, 512>>>(out, in, 50));
    return 0;
}
