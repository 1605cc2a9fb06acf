/* Registers and local memory: large local arrays, dynamic indices, limits on registers, long chains. */
#include "../launch.cuh"

/* The index is known only at run time: the array lies in local memory. */
__global__ void local_bins(int *out, const int *in, int each)
{
    int bins[32] = {}, base = (blockIdx.x * blockDim.x + threadIdx.x) * each, best = 0;
    for (int k = 0; k < each; k++)
        bins[in[base + k] & 31]++;
    for (int k = 0; k < 32; k++)
        best = bins[k] > bins[best] ? k : best;
    out[base / each] = best;
}

__global__ void insertion_sort(int *out, const int *in)
{
    int v[16], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++) {
        int key = in[i * 16 + k], at = k;
        for (; at && v[at - 1] > key; at--)
            v[at] = v[at - 1];
        v[at] = key;
    }
    for (int k = 0; k < 16; k++)
        out[i * 16 + k] = v[k];
}

/* The same keys, a network: every index is constant. */
__global__ void network_sort(int *out, const int *in)
{
    int v[16], i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k] = in[i * 16 + k];
#pragma unroll
    for (int round = 0; round < 16; round++)
#pragma unroll
        for (int k = round % 2; k < 15; k += 2) {
            int low = min(v[k], v[k + 1]);
            v[k + 1] = max(v[k], v[k + 1]);
            v[k] = low;
        }
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[i * 16 + k] = v[k];
}

/* 96 sums at a time, with registers for all of them or not. */
template <int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    many_sums(float *out, const float *in, int rounds)
{
    float sum[96];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 96; k++)
        sum[k] = in[i + k];
    for (int r = 0; r < rounds; r++) {
        float x = in[i + r];
#pragma unroll
        for (int k = 0; k < 96; k++)
            sum[k] = fmaf(sum[k], x, sum[(k + 7) % 96]);
    }
    float total = 0;
#pragma unroll
    for (int k = 0; k < 96; k++)
        total += sum[k];
    out[i] = total;
}

__global__ void large_local(float *out, const float *in, int length)
{
    float v[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < length; k++)
        v[k] = in[(i + k) & 0xffff];
    for (int step = 1; step < length; step *= 2)
        for (int k = length - 1; k >= step; k--)
            v[k] += v[k - step];
    out[i] = v[length - 1];
}

/* Small matrices, one per thread, are factored in registers. */
template <int N> __global__ void factor(float *out, const float *in)
{
    float a[N][N];
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#pragma unroll
    for (int r = 0; r < N; r++)
#pragma unroll
        for (int c = 0; c < N; c++)
            a[r][c] = in[(r * N + c) * all + i] + (r == c ? N : 0);
#pragma unroll
    for (int k = 0; k < N; k++) {
        float scale = 1 / a[k][k];
#pragma unroll
        for (int r = k + 1; r < N; r++) {
            a[r][k] *= scale;
#pragma unroll
            for (int c = k + 1; c < N; c++)
                a[r][c] -= a[r][k] * a[k][c];
        }
    }
#pragma unroll
    for (int r = 0; r < N; r++)
#pragma unroll
        for (int c = 0; c < N; c++)
            out[(r * N + c) * all + i] = a[r][c];
}

/* WAYS independent chains of FMAs. */
template <int WAYS> __global__ void chains(float *out, float x, int count)
{
    float v[WAYS], sum = 0;
    for (int w = 0; w < WAYS; w++)
        v[w] = threadIdx.x + w;
    for (int k = 0; k < count; k++)
#pragma unroll
        for (int w = 0; w < WAYS; w++)
            v[w] = fmaf(v[w], x, 0.5f);
    for (int w = 0; w < WAYS; w++)
        sum += v[w];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void chain_double(double *out, double x, int count)
{
    double v = threadIdx.x, w = 1;
    for (int k = 0; k < count; k++) {
        v = fma(v, x, 0.5);
        w = fma(w, x, v);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + w;
}

__global__ void chase(int *out, const int *next, int steps)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < steps; k++)
        at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void chase_shared(int *out, const int *next, int steps)
{
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        own[k] = next[k] & 1023;
    __syncthreads();
    int at = threadIdx.x;
    for (int k = 0; k < steps; k++)
        at = own[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

static __device__ __noinline__ float called(float x, int k)
{
    return k % 2 ? sqrtf(x + k) : x * 0.5f + k;
}

__global__ void calls(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < count; k++)
        x = called(x, k + (int)threadIdx.y);
    out[i] = x;
}

static __device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursive(int *out, int n)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = fibonacci(n + threadIdx.x % 2);
}

int main()
{
    const int n = 1 << 19;
    float *in = fractions<float>(2 * n), *out = zeros<float>(2 * n);
    int *keys = integers(n, 1 << 16), *sorted = zeros<int>(n), *next = integers(1 << 20, 1 << 20);
    double *wide = zeros<double>(1 << 16);
    TWICE(local_bins<<<64, 128>>>(sorted, keys, 64));
    TWICE(insertion_sort<<<64, 128>>>(sorted, keys));
    TWICE(network_sort<<<64, 128>>>(sorted, keys));
    TWICE(network_sort<<<256, 128>>>(sorted, keys));
    TWICE(many_sums<128, 1><<<132, 128>>>(out, in, 30));
    TWICE(many_sums<256, 4><<<66, 256>>>(out, in, 30));
    TWICE(many_sums<512, 2><<<33, 512>>>(out, in, 30));
    TWICE(large_local<<<32, 64>>>(out, in, 64));
    TWICE(large_local<<<8, 32>>>(out, in, 400));
    TWICE(factor<4><<<256, 128>>>(out, in));
    TWICE(factor<8><<<64, 64>>>(out, in));
    TWICE(chains<1><<<132, 64>>>(out, 0.9f, 600));
    TWICE(chains<8><<<132, 64>>>(out, 0.9f, 600));
    TWICE(chains<4><<<133, 1024>>>(out, 0.9f, 50));
    TWICE(chain_double<<<132, 128>>>(wide, 0.9, 200));
    TWICE(chain_double<<<1, 32>>>(wide, 0.9, 2000));
    TWICE(chase<<<1, 32>>>((int *)out, next, 500));
    TWICE(chase<<<264, 256>>>((int *)out, next, 12));
    TWICE(chase_shared<<<132, 32>>>((int *)out, next, 1000));
    TWICE(calls<<<133, 256>>>(out, in, 30));
    TWICE(recursive<<<16, 64>>>((int *)out, 9));
    return 0;
}
