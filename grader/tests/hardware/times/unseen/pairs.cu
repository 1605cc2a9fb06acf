// Pairs that students compare: one or many blocks, large or small blocks, types, order of data, widths of loads, aliasing.
#include "../launch.cuh"

__global__ void dot_atomic(const float *a, const float *b, float *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, a[i] * b[i]);
}

__global__ void dot_tree(const float *a, const float *b, float *sum)
{
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    s[t] = a[i] * b[i];
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(sum, s[0]);
}

__global__ void dot_warp(const float *a, const float *b, float *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float p = a[i] * b[i];
    for (int d = 16; d > 0; d >>= 1)
        p += __shfl_down_sync(~0u, p, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, p);
}

template <typename T> __global__ void copy_grid(const T *in, T *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

template <typename T> __global__ void root(const T *in, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x = in[i], r = 1;
    for (int k = 0; k < 6; k++)
        r = (r + x / r) / 2;
    out[i] = r;
}

__global__ void root_fast(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], r = 1;
    for (int k = 0; k < 6; k++)
        r = (r + __fdividef(x, r)) * 0.5f;
    out[i] = r;
}

// Long work only for numbers below a limit.
__global__ void some_work(const float *in, float *out, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (x < limit)
        for (int k = 0; k < 100; k++)
            x = x * 0.99f + 0.01f * x * x;
    out[i] = x;
}

__global__ void column_sums(const float *m, float *sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int r = 0; r < rows; r++)
        s += m[r * cols + c];
    sums[c] = s;
}

__global__ void row_sums(const float *m, float *sums, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int c = 0; c < cols; c++)
        s += m[r * cols + c];
    sums[r] = s;
}

__global__ void row_sums_block(const float *m, float *sums, int rows, int cols)
{
    __shared__ float warps[8];
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        s += m[blockIdx.x * cols + c];
    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            s += warps[w];
        sums[blockIdx.x] = s;
    }
}

__global__ void may_alias(float *a, float *b, float *c)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; k++)
        c[i + k] = a[i + k] * b[i + k];
}

__global__ void restricted(const float *__restrict__ a, const float *__restrict__ b,
                           float *__restrict__ c)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; k++)
        c[i + k] = a[i + k] * b[i + k];
}

template <int CHAINS> __global__ void chains(const float *in, float *out, int n)
{
    float s[CHAINS] = {};
    int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all * CHAINS)
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            if (i + k * all < n)
                s[k] += sqrtf(in[i + k * all]);
    for (int k = 1; k < CHAINS; k++)
        s[0] += s[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[0];
}

int main()
{
    int n = 1 << 21;
    float *a = fractions<float>(n), *b = fractions<float>(n), *c = zeros<float>(2 * n);
    float *order = filled<float>(n, [=](size_t i) { return (float)i / n; });
    double *d = fractions<double>(n), *e = zeros<double>(n);
    TWICE(dot_atomic<<<n / 8 / 256, 256>>>(a, b, c));
    TWICE(dot_tree<<<n / 8 / 256, 256>>>(a, b, c));
    TWICE(dot_warp<<<n / 8 / 256, 256>>>(a, b, c));
    TWICE(copy_grid<char><<<1056, 256>>>((char *)a, (char *)c, n * 4));
    TWICE(copy_grid<int><<<1056, 256>>>((int *)a, (int *)c, n));
    TWICE(copy_grid<int4><<<1056, 256>>>((int4 *)a, (int4 *)c, n / 4));
    TWICE(root<float><<<n / 256, 256>>>(a, c));
    TWICE(root<double><<<n / 256, 256>>>(d, e));
    TWICE(root_fast<<<n / 256, 256>>>(a, c));
    TWICE(some_work<<<n / 256, 256>>>(a, c, 0.25f));
    TWICE(some_work<<<n / 256, 256>>>(order, c, 0.25f));
    TWICE(column_sums<<<4, 256>>>(a, c, 2048, 1024));
    TWICE(row_sums<<<8, 256>>>(a, c, 2048, 1024));
    TWICE(row_sums_block<<<2048, 256>>>(a, c, 2048, 1024));
    TWICE(may_alias<<<n / 4 / 256, 256>>>(a, b, c));
    TWICE(restricted<<<n / 4 / 256, 256>>>(a, b, c));
    TWICE(chains<1><<<132, 128>>>(a, c, n));
    TWICE(chains<8><<<132, 128>>>(a, c, n));
    TWICE(some_work<<<1, 1024>>>(a, c, 2));
    TWICE(some_work<<<32, 32>>>(a, c, 2));
}
