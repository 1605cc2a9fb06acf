// Linear algebra besides products of large matrices: matrix by vector, many small products, solves, norms.
#include "../launch.cuh"

template <typename real>
__global__ void gemv_thread(const real *A, const real *x, real *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    real s = 0;
    for (int c = 0; c < cols; ++c)
        s += A[(size_t)r * cols + c] * x[c];
    y[r] = s;
}

template <typename real>
__global__ void gemv_warp(const real *A, const real *x, real *y, int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= rows)
        return;
    real s = 0;
    for (int c = lane; c < cols; c += 32)
        s += A[(size_t)r * cols + c] * x[c];
    for (int d = 16; d; d >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, d);
    if (!lane)
        y[r] = s;
}

// A is stored by columns.
__global__ void gemv_columns(const float *A, const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int c = 0; c < cols; ++c)
        s += A[(size_t)c * rows + r] * x[c];
    y[r] = s;
}

__global__ void outer(const float *u, const float *v, float *A, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    A[r * cols + c] += u[r] * v[c];
}

// One 8 x 8 product for each 64 threads.
__global__ void batched8(const float *A, const float *B, float *C)
{
    __shared__ float a[4][64], b[4][64];
    int m = threadIdx.x >> 6, e = threadIdx.x & 63, at = (blockIdx.x * 4 + m) * 64 + e;
    a[m][e] = A[at];
    b[m][e] = B[at];
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        s += a[m][e / 8 * 8 + k] * b[m][k * 8 + e % 8];
    C[at] = s;
}

// A thread solves a tridiagonal system by Thomas' method: the numbers of a system are stored together.
__global__ void thomas(const float *a, const float *b, const float *c, float *d, float *work, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    float w = c[first] / (2 + b[first]), x = d[first] / (2 + b[first]);
    work[first] = w;
    for (int i = 1; i < n; ++i) {
        float m = 1 / (2 + b[first + i] - a[first + i] * w);
        w = c[first + i] * m;
        x = (d[first + i] - a[first + i] * x) * m;
        work[first + i] = w;
    }
    for (int i = n - 2; i >= 0; --i)
        d[first + i] -= work[first + i] * 0.5f;
}

__global__ void forward_substitution(const double *L, double *b, int n)
{
    __shared__ double pivot;
    for (int k = 0; k < n; ++k) {
        if (threadIdx.x == 0)
            pivot = b[k] = b[k] / (1 + L[k * n + k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            b[i] -= L[i * n + k] * pivot;
        __syncthreads();
    }
}

__global__ void lu_update(float *A, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > k && j > k && i < n && j < n)
        A[i * n + j] -= A[i * n + k] * A[k * n + j] * 1e-3f;
}

__global__ void distances(const float *P, const float *Q, float *D, int n, int dims)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < dims; ++k) {
        float d = P[i * dims + k] - Q[j * dims + k];
        s += d * d;
    }
    D[i * n + j] = sqrtf(s);
}

// The same, with Q stored by columns.
__global__ void distances_columns(const float *P, const float *Q, float *D, int n, int dims)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < dims; ++k) {
        float d = P[i * dims + k] - Q[k * n + j];
        s += d * d;
    }
    D[i * n + j] = sqrtf(s);
}

int main()
{
    const int n = 2048;
    float *A = fractions<float>(n * n), *x = fractions<float>(n * n), *y = zeros<float>(n * n);
    double *D = fractions<double>(1024 * 1024), *v = fractions<double>(1024);
    TWICE(gemv_thread<float><<<n / 64, 64>>>(A, x, y, n, n));
    TWICE(gemv_warp<float><<<n / 8, 256>>>(A, x, y, n, n));
    TWICE(gemv_columns<<<n / 64, 64>>>(A, x, y, n, n));
    TWICE(gemv_warp<double><<<1024 / 4, 128>>>(D, v, (double *)y, 1024, 1024));
    TWICE(outer<<<dim3(n / 256, n), 256>>>(x, x, A, n));
    TWICE(batched8<<<n * n / 256, 256>>>(A, x, y));
    TWICE(thomas<<<128, 128>>>(A, x, y, A, y, 128));
    TWICE(forward_substitution<<<1, 256>>>(D, v, 512));
    TWICE(lu_update<<<dim3(64, 128), dim3(32, 16)>>>(A, n, 5));
    TWICE(distances<<<dim3(32, 64), dim3(16, 8)>>>(A, x, y, 512, 24));
    TWICE(distances_columns<<<dim3(32, 64), dim3(16, 8)>>>(A, x, y, 512, 24));
}
