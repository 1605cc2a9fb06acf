/* Linear systems: the steps of Rodinia's lud and gaussian, tridiagonal systems by Thomas and by cyclic reduction, small
 * matrices by the batch, Cholesky in a block, Jacobi's iteration. */
#include "expect.cuh"

/* The factors of a diagonal block of 32 x 32, one block a matrix, 32 threads each. */
__global__ void lu_diagonal(const float *in, float *out)
{
    __shared__ float s[32][33];
    int t = threadIdx.x;
    const float *a = in + blockIdx.x * 1024;
    for (int r = 0; r < 32; r++)
        s[r][t] = a[r * 32 + t];
    __syncwarp();
    for (int k = 0; k < 31; k++) {
        if (t > k) {
            float f = s[t][k] / s[k][k];
            s[t][k] = f;
            for (int j = k + 1; j < 32; j++)
                s[t][j] -= f * s[k][j];
        }
        __syncwarp();
    }
    for (int r = 0; r < 32; r++)
        out[blockIdx.x * 1024 + r * 32 + t] = s[r][t];
}

/* out = a - l u for blocks of 16 x 16 of a matrix of n: the trailing update with a panel of 16. */
__global__ void lu_update(const float *a, float *out, int n)
{
    __shared__ float l[16][16], u[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = (blockIdx.y + 1) * 16 + y,
        column = (blockIdx.x + 1) * 16 + x;
    l[y][x] = a[row * n + x];
    u[y][x] = a[y * n + column];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += l[y][k] * u[k][x];
    out[row * n + column] = a[row * n + column] - sum;
}

/* Gaussian elimination's two steps for column k. */
__global__ void gauss_factors(const double *a, double *factors, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > k && i < n)
        factors[i] = a[(size_t)i * n + k] / a[(size_t)k * n + k];
}

__global__ void gauss_rows(const double *a, const double *factors, double *out, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > k && j >= k)
        out[(size_t)i * n + j] = a[(size_t)i * n + j] - factors[i] * a[(size_t)k * n + j];
}

/* Systems of SIZE unknowns with 1 beside the diagonal. Thomas: a thread a system, element[row][system]. */
template <typename T>
__global__ void thomas(const T *diagonal, const T *right, T *work, T *x, int size, int systems)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    T c = 0, d = 0;
    for (int i = 0; i < size; i++) {
        T m = 1 / (diagonal[i * systems + t] - c);
        c = m;
        d = (right[i * systems + t] - d) * m;
        work[i * systems + t] = c;
        x[i * systems + t] = d;
    }
    for (int i = size - 2; i >= 0; i--)
        x[i * systems + t] = d = x[i * systems + t] - work[i * systems + t] * d;
}

/* The same with element[system][row]. */
__global__ void thomas_rows(const float *diagonal, const float *right, float *work, float *x,
                            int size)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float c = 0, d = 0;
    for (int i = 0; i < size; i++) {
        float m = 1 / (diagonal[t * size + i] - c);
        c = m;
        d = (right[t * size + i] - d) * m;
        work[t * size + i] = c;
        x[t * size + i] = d;
    }
    for (int i = size - 2; i >= 0; i--)
        x[t * size + i] = d = x[t * size + i] - work[t * size + i] * d;
}

/* Parallel cyclic reduction: a block a system. */
__global__ void cyclic(const float *diagonal, const float *right, float *x)
{
    extern __shared__ float s[];
    int n = blockDim.x, t = threadIdx.x, i = blockIdx.x * n + t;
    float *a = s, *b = s + n, *c = b + n, *d = c + n;
    float p = t > 0, q = diagonal[i], r = t < n - 1, v = right[i];
    for (int step = 1; step < n; step *= 2) {
        a[t] = p, b[t] = q, c[t] = r, d[t] = v;
        __syncthreads();
        float f = 0, g = 0;
        if (t >= step)
            f = p / b[t - step];
        if (t + step < n)
            g = r / b[t + step];
        float np = 0, nr = 0;
        if (t >= step)
            q -= f * c[t - step], v -= f * d[t - step], np = -f * a[t - step];
        if (t + step < n)
            q -= g * a[t + step], v -= g * d[t + step], nr = -g * c[t + step];
        p = np, r = nr;
        __syncthreads();
    }
    x[i] = v / q;
}

/* The inverses of 4 x 4 matrices in registers; a thread a matrix. ARRAYS: element[k][matrix]. */
template <typename T> __global__ void invert_four(const T *in, T *out, int n, int step, int apart)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    T a[4][4], b[4][4];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        a[k / 4][k % 4] = in[k * step + t * apart] + (k / 4 == k % 4 ? 4 : 0);
        b[k / 4][k % 4] = k / 4 == k % 4;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        T p = 1 / a[k][k];
#pragma unroll
        for (int j = 0; j < 4; j++)
            a[k][j] *= p, b[k][j] *= p;
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (i != k) {
                T f = a[i][k];
#pragma unroll
                for (int j = 0; j < 4; j++)
                    a[i][j] -= f * a[k][j], b[i][j] -= f * b[k][j];
            }
    }
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[k * step + t * apart] = b[k / 4][k % 4];
}

/* Cholesky's factor of a matrix of 64 in shared memory, a block a matrix. */
template <typename T> __global__ void cholesky(const T *in, T *out)
{
    __shared__ T s[64][65];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x)
        s[k / 64][k % 64] = in[blockIdx.x * 4096 + k];
    for (int k = 0; k < 64; k++) {
        __syncthreads();
        if (threadIdx.x == 0)
            s[k][k] = sqrt(s[k][k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < 64; i += blockDim.x)
            s[i][k] /= s[k][k];
        __syncthreads();
        int left = 63 - k;
        for (int e = threadIdx.x; e < left * left; e += blockDim.x) {
            int i = k + 1 + e / left, j = k + 1 + e % left;
            if (j <= i)
                s[i][j] -= s[i][k] * s[j][k];
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x)
        out[blockIdx.x * 4096 + k] = k % 64 <= k / 64 ? s[k / 64][k % 64] : T(0);
}

int main()
{
    const int n = 1024, count = 512;
    float *blocks = filled<float>(count * 1024, [](size_t i) {
        return (scrambled(i) & 0xff) / 256.0f + (i % 1024 / 32 == i % 32 ? 40 : 0);
    });
    float *out = zeros<float>(n * n);
    auto hb = fetched(blocks, count * 1024);
    TWICE(lu_diagonal<<<count, 32>>>(blocks, out));
    TWICE(lu_diagonal<<<16, 32>>>(blocks, out));
    auto ho = fetched(out, count * 1024);
    for (size_t i : places(count * 1024, 1000)) {
        size_t base = i / 1024 * 1024, r = i % 1024 / 32, c = i % 32;
        double sum = 0;
        for (size_t k = 0; k <= std::min(r, c); k++)
            sum += (k == r ? 1 : ho[base + r * 32 + k]) * (double)ho[base + k * 32 + c];
        expect_near("diagonal", i, sum, hb[i], 1e-4);
    }
    float *a = fractions<float>(n * n);
    auto ha = fetched(a, n * n);
    TWICE(lu_update<<<dim3(n / 16 - 1, n / 16 - 1), dim3(16, 16)>>>(a, out, n));
    TWICE(lu_update<<<dim3(7, 7), dim3(16, 16)>>>(a, out, n));
    auto hu = fetched(out, n * n);
    for (size_t i : places(n * n, 1000)) {
        int r = i / n, c = i % n;
        double sum = ha[i];
        for (int k = 0; k < 16; k++)
            sum -= (double)ha[r * n + k] * ha[k * n + c];
        if (r >= 16 && c >= 16)
            expect_near("update", i, hu[i], sum, 1e-5);
    }
    double *da = fractions<double>(n * n), *dout = zeros<double>(n * n),
           *factors = zeros<double>(n);
    double *shifted = filled<double>(n * n, [&](size_t i) { return ha[i] + 1.0; });
    for (int k : {0, 700}) {
        TWICE(gauss_factors<<<k ? 16 : 4, k ? 64 : 256>>>(shifted, factors, n, k));
        TWICE(
            gauss_rows<<<dim3(n / (k ? 32 : 64), n / (k ? 8 : 4)), dim3(k ? 32 : 64, k ? 8 : 4)>>>(
                shifted, factors, dout, n, k));
        auto h = fetched(dout, n * n);
        for (size_t i : places(n * n, 500)) {
            int r = i / n, c = i % n;
            if (r > k && c >= k)
                expect_near("gauss", i, h[i],
                            ha[i] + 1.0 -
                                (ha[r * n + k] + 1.0) / (ha[k * n + k] + 1.0) *
                                    (ha[k * n + c] + 1.0),
                            1e-10);
        }
    }
    const int systems = 4096, size = 128;
    float *diagonal =
        filled<float>(systems * size, [](size_t i) { return 3 + (scrambled(i) & 0xff) / 256.0f; });
    float *work = zeros<float>(systems * size), *x = zeros<float>(systems * size);
    double *ddiagonal =
        filled<double>(systems * size, [](size_t i) { return 3 + (scrambled(i) & 0xff) / 256.0; });
    double *dwork = zeros<double>(systems * size), *dx = zeros<double>(systems * size);
    auto hd = fetched(diagonal, systems * size);
    auto check_system = [&](const char *what, auto *memory, int all, int length, int step,
                            int apart, double error) {
        auto h = fetched(memory, systems * size);
        for (size_t s : places(all, 50))
            for (int i = 0; i < length; i++) {
                size_t e = i * step + s * apart;
                double sum = (double)hd[e] * h[e] + (i ? (double)h[e - step] : 0) +
                             (i < length - 1 ? (double)h[e + step] : 0);
                expect_near(what, e, sum, ha[e], error);
            }
        CHECK(cudaMemset(memory, 0, systems * size * sizeof *memory));
    };
    TWICE(thomas<<<systems / 128, 128>>>(diagonal, a, work, x, size, systems));
    check_system("thomas", x, systems, size, systems, 1, 1e-4);
    TWICE(thomas<<<systems / 32, 32>>>(diagonal, a, work, x, size, systems));
    check_system("thomas", x, systems, size, systems, 1, 1e-4);
    TWICE(thomas<<<systems / 64, 64>>>(ddiagonal, da, dwork, dx, size, systems));
    check_system("thomas", dx, systems, size, systems, 1, 1e-10);
    TWICE(thomas_rows<<<systems / 128, 128>>>(diagonal, a, work, x, size));
    check_system("rows", x, systems, size, 1, size, 1e-4);
    TWICE(cyclic<<<systems, 128, 128 * 16>>>(diagonal, a, x));
    check_system("cyclic", x, systems, 128, 1, 128, 1e-4);
    TWICE(cyclic<<<systems / 8, 1024, 1024 * 16>>>(diagonal, a, x));
    check_system("cyclic", x, systems / 8, 1024, 1, 1024, 1e-4);

    const int many = 1 << 15;
    auto check_inverse = [&](const char *what, auto *memory, int step, int apart, double error) {
        auto h = fetched(memory, many * 16);
        for (size_t t : places(many, 200))
            for (int k = 0; k < 16; k++) {
                double sum = 0;
                for (int j = 0; j < 4; j++)
                    sum += (ha[(k / 4 * 4 + j) * step + t * apart] + (k / 4 == j ? 4.0 : 0)) *
                           h[(j * 4 + k % 4) * step + t * apart];
                expect_near(what, t, sum, k / 4 == k % 4, error);
            }
    };
    TWICE(invert_four<<<many / 128, 128>>>(a, out, many, many, 1));
    check_inverse("arrays", out, many, 1, 1e-4);
    TWICE(invert_four<<<many / 256, 256>>>(a, out, many, 1, 16));
    check_inverse("structs", out, 1, 16, 1e-4);
    TWICE(invert_four<<<many / 64, 64>>>(da, dout, many, many, 1));
    check_inverse("double", dout, many, 1, 1e-10);

    const int matrices = 64;
    float *spd = filled<float>(matrices * 4096, [](size_t i) {
        int r = i % 4096 / 64, c = i % 64;
        return r == c ? 64.0f : (scrambled(std::min(r, c) * 64 + std::max(r, c)) & 0xff) / 256.0f;
    });
    auto hs = fetched(spd, matrices * 4096);
    double *dspd = filled<double>(matrices * 4096, [&](size_t i) { return hs[i]; });
    auto check_cholesky = [&](const char *what, auto *memory, double error) {
        auto h = fetched(memory, matrices * 4096);
        for (size_t i : places(matrices * 4096, 500)) {
            size_t base = i / 4096 * 4096, r = i % 4096 / 64, c = i % 64;
            double sum = 0;
            for (int k = 0; k < 64; k++)
                sum += (double)h[base + r * 64 + k] * h[base + c * 64 + k];
            expect_near(what, i, sum, hs[i], error);
        }
    };
    TWICE(cholesky<<<matrices, 256>>>(spd, out));
    check_cholesky("cholesky", out, 1e-4);
    TWICE(cholesky<<<matrices, 64>>>(dspd, dout));
    check_cholesky("cholesky", dout, 1e-10);
    return verdict("elimination");
}
