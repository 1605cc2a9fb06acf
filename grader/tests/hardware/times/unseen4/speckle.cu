/* Speckle reducing anisotropic diffusion, one step, after Rodinia's srad. */
#include "expect.cuh"

__global__ void extract(const unsigned char *raw, float *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        image[i] = expf(raw[i] / 255.0f);
}

/* Sum and sum of squares by a tree in shared memory. */
__global__ void moments_tree(const float *image, float2 *partial, int n)
{
    __shared__ float sums[512], squares[512];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float v = i < n ? image[i] : 0;
    sums[t] = v;
    squares[t] = v * v;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sums[t] += sums[t + half];
            squares[t] += squares[t + half];
        }
    }
    if (t == 0)
        partial[blockIdx.x] = make_float2(sums[0], squares[0]);
}

/* The same, a grid of few blocks with loops and shuffles. */
__global__ void moments_shuffle(const float *image, float2 *partial, int n)
{
    __shared__ float2 warps[32];
    float sum = 0, square = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = image[i];
        sum += v;
        square += v * v;
    }
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        square += __shfl_xor_sync(~0u, square, d);
    }
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = make_float2(sum, square);
    __syncthreads();
    if (threadIdx.x == 0) {
        float2 all = make_float2(0, 0);
        for (int w = 0; w < blockDim.x / 32; w++) {
            all.x += warps[w].x;
            all.y += warps[w].y;
        }
        partial[blockIdx.x] = all;
    }
}

__device__ __host__ float coefficient(float c, float n, float s, float w, float e, float q0)
{
    n -= c, s -= c, w -= c, e -= c;
    float g2 = (n * n + s * s + w * w + e * e) / (c * c);
    float l = (n + s + w + e) / c;
    float num = 0.5f * g2 - 0.0625f * l * l, den = 1 + 0.25f * l;
    float q = num / (den * den);
    float k = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    return k < 0 ? 0 : k > 1 ? 1 : k;
}

__global__ void coefficients_flat(const float *image, float *c, int rows, int columns, float q0)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns)
        return;
    int row = i / columns, column = i % columns;
    int n = max(row - 1, 0) * columns + column, s = min(row + 1, rows - 1) * columns + column;
    int w = row * columns + max(column - 1, 0), e = row * columns + min(column + 1, columns - 1);
    c[i] = coefficient(image[i], image[n], image[s], image[w], image[e], q0);
}

__global__ void coefficients_tiled(const float *image, float *c, int rows, int columns, float q0)
{
    __shared__ float tile[18][18];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    tile[y][x] = image[row * columns + column];
    if (threadIdx.y == 0)
        tile[0][x] = image[max(row - 1, 0) * columns + column];
    if (threadIdx.y == 15)
        tile[17][x] = image[min(row + 1, rows - 1) * columns + column];
    if (threadIdx.x == 0)
        tile[y][0] = image[row * columns + max(column - 1, 0)];
    if (threadIdx.x == 15)
        tile[y][17] = image[row * columns + min(column + 1, columns - 1)];
    __syncthreads();
    c[row * columns + column] =
        coefficient(tile[y][x], tile[y - 1][x], tile[y + 1][x], tile[y][x - 1], tile[y][x + 1], q0);
}

__global__ void diffuse(const float *image, const float *c, float *out, int rows, int columns,
                        float lambda)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int i = row * columns + column;
    int s = min(row + 1, rows - 1) * columns + column,
        e = row * columns + min(column + 1, columns - 1);
    int n = max(row - 1, 0) * columns + column, w = row * columns + max(column - 1, 0);
    float v = image[i];
    float d = c[i] * (image[n] - v) + c[s] * (image[s] - v) + c[i] * (image[w] - v) +
              c[e] * (image[e] - v);
    out[i] = v + 0.25f * lambda * d;
}

int main()
{
    const int rows = 1024, columns = 1024, n = rows * columns;
    unsigned char *raw = filled<unsigned char>(n, [](size_t i) { return scrambled(i) >> 24; });
    float *image = zeros<float>(n), *c = zeros<float>(n), *c2 = zeros<float>(n),
          *out = zeros<float>(n);
    float2 *partial = zeros<float2>(n / 64);
    const float q0 = 0.3f;

    TWICE(extract<<<n / 1024, 1024>>>(raw, image, n));
    TWICE(extract<<<n / 128, 128>>>(raw, image, n));
    auto r = fetched(raw, n);
    auto v = fetched(image, n);
    double sum = 0, square = 0;
    for (int i = 0; i < n; i++)
        sum += v[i], square += (double)v[i] * v[i];
    for (size_t i : places(n, 1000))
        expect_near("extract", i, v[i], exp(r[i] / 255.0), 1e-5);

    auto moments = [&](const char *what, int blocks) {
        double a = 0, b = 0;
        for (float2 p : fetched(partial, blocks))
            a += p.x, b += p.y;
        expect_near(what, 0, a, sum, 1e-5);
        expect_near(what, 1, b, square, 1e-5);
    };
    TWICE(moments_tree<<<n / 512, 512>>>(image, partial, n));
    moments("tree", n / 512);
    TWICE(moments_tree<<<n / 64, 64>>>(image, partial, n / 8));
    TWICE(moments_tree<<<n / 128, 128>>>(image, partial, n));
    moments("tree", n / 128);
    TWICE(moments_shuffle<<<264, 256>>>(image, partial, n));
    moments("shuffle", 264);
    TWICE(moments_shuffle<<<32, 1024>>>(image, partial, n));
    moments("shuffle", 32);

    TWICE(coefficients_flat<<<n / 256, 256>>>(image, c, rows, columns, q0));
    TWICE(coefficients_tiled<<<dim3(columns / 16, rows / 16), dim3(16, 16)>>>(image, c2, rows,
                                                                              columns, q0));
    TWICE(diffuse<<<dim3(columns / 16, rows / 16), dim3(16, 16)>>>(image, c, out, rows, columns,
                                                                   0.5f));
    TWICE(
        diffuse<<<dim3(columns / 64, rows / 4), dim3(64, 4)>>>(image, c, out, rows, columns, 0.5f));
    TWICE(
        diffuse<<<dim3(columns / 4, rows / 64), dim3(4, 64)>>>(image, c, out, rows, columns, 0.5f));
    auto k = fetched(c, n), k2 = fetched(c2, n), o = fetched(out, n);
    for (size_t i : places(n, 2000)) {
        int y = i / columns, x = i % columns;
        int N = std::max(y - 1, 0) * columns + x, S = std::min(y + 1, rows - 1) * columns + x;
        int W = y * columns + std::max(x - 1, 0), E = y * columns + std::min(x + 1, columns - 1);
        expect_near("flat", i, k[i], coefficient(v[i], v[N], v[S], v[W], v[E], q0), 1e-4);
        expect_near("tiled", i, k2[i], k[i], 1e-5);
        double d = k[i] * (v[N] - v[i]) + k[S] * (v[S] - v[i]) + k[i] * (v[W] - v[i]) +
                   k[E] * (v[E] - v[i]);
        expect_near("diffuse", i, o[i], v[i] + 0.125 * d, 1e-5);
    }
    return verdict("speckle");
}
