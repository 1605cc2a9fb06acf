/* Steps of LU and Cholesky, triangular systems, many small matrices. */
#include "common.cuh"

/* Out of place, so that every launch computes the same. */
__global__ void luColumn(double *L, const double *A, int n, int k)
{
    int r = k + 1 + own_index();
    if (r < n)
        L[r] = A[r * n + k] / A[k * n + k];
}

__global__ void luTrailing(double *out, const double *A, const double *L, int n, int k)
{
    int c = k + 1 + blockIdx.x * blockDim.x + threadIdx.x,
        r = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (c < n && r < n)
        out[r * n + c] = A[r * n + c] - L[r] * A[k * n + c];
}

/* One warp per matrix of 32 x 32, a row per lane, in shared memory. */
__global__ void choleskyWarp(float *out, const float *in)
{
    __shared__ float a[32][33];
    int lane = threadIdx.x;
    const float *mine = in + blockIdx.x * 1024;
    for (int r = 0; r < 32; r++)
        a[r][lane] = mine[r * 32 + lane];
    __syncwarp();
    for (int k = 0; k < 32; k++) {
        float root = sqrtf(a[k][k]);
        __syncwarp();
        if (lane >= k)
            a[lane][k] = lane == k ? root : a[lane][k] / root;
        __syncwarp();
        for (int c = k + 1; c <= lane; c++)
            a[lane][c] -= a[lane][k] * a[c][k];
        __syncwarp();
    }
    for (int r = 0; r < 32; r++)
        out[blockIdx.x * 1024 + r * 32 + lane] = lane <= r ? a[r][lane] : 0;
}

/* One thread a 4 x 4 matrix: its inverse by Gauss and Jordan, in registers. */
template <typename T> __global__ void invert4(T *out, const T *in, int count)
{
    int m = own_index();
    if (m >= count)
        return;
    T a[4][4], b[4][4];
#pragma unroll
    for (int i = 0; i < 16; i++) {
        a[i / 4][i % 4] = in[m * 16 + i];
        b[i / 4][i % 4] = i / 4 == i % 4;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        T by = 1 / a[k][k];
#pragma unroll
        for (int c = 0; c < 4; c++) {
            a[k][c] *= by;
            b[k][c] *= by;
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            T f = a[r][k];
            if (r != k) {
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    a[r][c] -= f * a[k][c];
                    b[r][c] -= f * b[k][c];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        out[m * 16 + i] = b[i / 4][i % 4];
}

/* The same, with element i of matrix m at i * COUNT + m. */
__global__ void determinant4(float *out, const float *in, int count)
{
    int m = own_index();
    if (m >= count)
        return;
    float a[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        a[i] = in[i * count + m];
    float s0 = a[0] * a[5] - a[1] * a[4], s1 = a[0] * a[6] - a[2] * a[4],
          s2 = a[0] * a[7] - a[3] * a[4];
    float s3 = a[1] * a[6] - a[2] * a[5], s4 = a[1] * a[7] - a[3] * a[5],
          s5 = a[2] * a[7] - a[3] * a[6];
    float c5 = a[10] * a[15] - a[11] * a[14], c4 = a[9] * a[15] - a[11] * a[13],
          c3 = a[9] * a[14] - a[10] * a[13];
    float c2 = a[8] * a[15] - a[11] * a[12], c1 = a[8] * a[14] - a[10] * a[12],
          c0 = a[8] * a[13] - a[9] * a[12];
    out[m] = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0;
}

/* One block solves U x = b from below, for one b. */
__global__ void backSubstitution(double *x, const double *U, const double *b, int n)
{
    extern __shared__ double left[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        left[i] = b[blockIdx.x * n + i];
    __syncthreads();
    for (int k = n - 1; k >= 0; k--) {
        double value = left[k] / U[k * n + k];
        if (threadIdx.x == 0)
            x[blockIdx.x * n + k] = value;
        for (int r = threadIdx.x; r < k; r += blockDim.x)
            left[r] -= U[r * n + k] * value;
        __syncthreads();
    }
}

/* A Householder reflection: every column of A less 2 v (v, column); one block per column. */
__global__ void reflect(float *out, const float *A, const float *v, int rows, int columns)
{
    __shared__ float part[32];
    int c = blockIdx.x, t = threadIdx.x;
    float sum = 0;
    for (int r = t; r < rows; r += blockDim.x)
        sum += v[r] * A[r * columns + c];
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < (int)blockDim.x / 32; w++)
        sum += part[w];
    for (int r = t; r < rows; r += blockDim.x)
        out[r * columns + c] = A[r * columns + c] - 2 * sum * v[r];
}

/* The same for 32 columns per block, so that loads are coalesced. */
__global__ void reflectTile(float *out, const float *A, const float *v, int rows, int columns)
{
    __shared__ float part[8][32];
    int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int r = threadIdx.y; r < rows; r += 8)
        sum += v[r] * A[r * columns + c];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; w++)
        sum += part[w][threadIdx.x];
    for (int r = threadIdx.y; r < rows; r += 8)
        out[r * columns + c] = A[r * columns + c] - 2 * sum * v[r];
}

int main()
{
    const int n = 900;
    auto A = made<double>(n * n, [=](size_t i) { return fraction(i) + (i / n == i % n ? n : 0); });
    double *L = zeros<double>(n), *out = zeros<double>(n * n);
    for (int k : {0, 700}) {
        int left = n - k - 1;
        TWICE(luColumn<<<blocks_for(left, 128), 128>>>(L, A.device, n, k));
        expect(
            "luColumn", L + k + 1, left,
            [&](size_t i) { return A[(k + 1 + i) * n + k] / A[k * n + k]; }, 1e-14);
        TWICE(luTrailing<<<dim3(blocks_for(left, 32), blocks_for(left, 8)), dim3(32, 8)>>>(
            out, A.device, L, n, k));
        expect(
            "luTrailing", out + (k + 1) * n, (size_t)left * n,
            [&](size_t i) {
                size_t r = i / n + k + 1, c = i % n;
                return (int)c <= k ? 0 : A[r * n + c] - A[r * n + k] / A[k * n + k] * A[k * n + c];
            },
            1e-12, (size_t)n * 3 + 899);
    }
    TWICE(luTrailing<<<dim3(blocks_for(n - 1, 8), blocks_for(n - 1, 32)), dim3(8, 32)>>>(
        out, A.device, L, n, 0));

    const int many = 1500;
    std::vector<float> spd(many * 1024);
    for (int m = 0; m < many; m++)
        for (int r = 0; r < 32; r++)
            for (int c = 0; c <= r; c++)
                spd[m * 1024 + r * 32 + c] = spd[m * 1024 + c * 32 + r] =
                    (float)(r == c ? 20 : fraction(m * 1024 + r * 32 + c));
    auto S = sent(spd);
    float *chol = zeros<float>(many * 1024);
    auto wrong = [&](int matrices) {
        if (!comparing())
            return;
        auto got = fetched(chol, matrices * 1024);
        for (int i = 0; i < matrices * 1024; i += 7) {
            const float *l = &got[i / 1024 * 1024];
            int r = i / 32 % 32, c = i % 32;
            double sum = 0;
            for (int k = 0; k < 32; k++)
                sum += (double)l[r * 32 + k] * l[c * 32 + k];
            if (std::fabs(sum - S[i]) > 1e-3) {
                fprintf(stderr, "choleskyWarp: %d: %g instead of %g\n", i, sum, S[i]);
                exit(4);
            }
        }
    };
    TWICE(choleskyWarp<<<many, 32>>>(chol, S.device));
    wrong(many);
    TWICE(choleskyWarp<<<64, 32>>>(chol, S.device));

    const int small = 60000;
    auto M = made<float>(small * 16,
                         [](size_t i) { return (float)(fraction(i) + (i % 16 % 5 == 0 ? 4 : 0)); });
    auto DM = made<double>(small * 16, [&](size_t i) { return (double)M[i]; });
    float *inverse = zeros<float>(small * 16);
    double *dinverse = zeros<double>(small * 16);
    auto product = [&](const char *what, auto got) { // the inverse times the matrix
        return [=, &M](size_t i) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += (double)got[i / 4 * 4 + k] * M[i / 16 * 16 + k * 4 + i % 4];
            bool good = std::fabs(sum - (i % 16 % 5 == 0)) < 1e-3;
            return good ? (double)got[i] : 1e30;
        };
    };
    TWICE(invert4<float><<<blocks_for(small, 128), 128>>>(inverse, M.device, small));
    expect("invert4", inverse, small * 16, product("invert4", fetched(inverse, small * 16)), 1e-3);
    TWICE(invert4<double><<<blocks_for(small, 128), 128>>>(dinverse, DM.device, small));
    expect("invert4, double", dinverse, small * 16,
           product("invert4", fetched(dinverse, small * 16)), 1e-3);
    TWICE(determinant4<<<blocks_for(small, 256), 256>>>(inverse, M.device, small));
    expect(
        "determinant4", inverse, small,
        [&](size_t m) {
            double a[4][4], d = 1;
            for (int i = 0; i < 16; i++)
                a[i / 4][i % 4] = M[i * small + m];
            for (int k = 0; k < 4; k++) {
                int best = k;
                for (int r = k; r < 4; r++)
                    if (std::fabs(a[r][k]) > std::fabs(a[best][k]))
                        best = r;
                if (best != k) {
                    d = -d;
                    for (int c = 0; c < 4; c++)
                        std::swap(a[k][c], a[best][c]);
                }
                d *= a[k][k];
                if (a[k][k] != 0)
                    for (int r = k + 1; r < 4; r++)
                        for (int c = 3; c >= k; c--)
                            a[r][c] -= a[r][k] / a[k][k] * a[k][c];
            }
            return d;
        },
        1e-2);

    const int u = 384;
    auto U = made<double>(u * u, [=](size_t i) { return fraction(i) + (i / u == i % u ? u : 0); });
    auto b = random_between<double>(u * 64, -1, 1);
    double *x = zeros<double>(u * 64);
    std::vector<double> solution(u);
    for (int k = u - 1; k >= 0; k--) {
        double sum = b[k];
        for (int c = k + 1; c < u; c++)
            sum -= U[k * u + c] * solution[c];
        solution[k] = sum / U[k * u + k];
    }
    TWICE(backSubstitution<<<1, 128, u * sizeof(double)>>>(x, U.device, b.device, u));
    expect(
        "backSubstitution", x, u, [&](size_t i) { return solution[i]; }, 1e-10);
    TWICE(backSubstitution<<<64, 384, u * sizeof(double)>>>(x, U.device, b.device, u));
    expect(
        "backSubstitution", x, u, [&](size_t i) { return solution[i]; }, 1e-10);

    const int rows = 1024, columns = 512;
    auto B = random_between<float>(rows * columns, -1, 1),
         v = random_between<float>(rows, -0.04, 0.04);
    std::vector<double> dots(columns);
    for (int i = 0; i < rows * columns; i++)
        dots[i % columns] += (double)B[i] * v[i / columns];
    float *reflected = zeros<float>(rows * columns);
    auto want = [&](size_t i) { return B[i] - 2 * dots[i % columns] * v[i / columns]; };
    TWICE(reflect<<<columns, 256>>>(reflected, B.device, v.device, rows, columns));
    expect("reflect", reflected, rows * columns, want, 1e-4);
    CHECK(cudaMemset(reflected, 0, rows * columns * sizeof(float)));
    TWICE(reflectTile<<<columns / 32, dim3(32, 8)>>>(reflected, B.device, v.device, rows, columns));
    expect("reflectTile", reflected, rows * columns, want, 1e-4);
    return 0;
}
