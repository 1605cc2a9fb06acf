/* The sum of squares in versions ("rungs") from one thread to an unrolled tree: the ladder that labs
 * and handouts climb, for int, float, 64-bit integers and double. Inputs are small whole numbers, so
 * that every order of summation gives the same bits. Usage: sum_ladder [ELEMENTS] */
#include "tests/support/check.cuh"

typedef long long wide;

enum { BLOCKS = 32, THREADS = 256 };

/* One thread does all the work. */
template <typename T> __global__ void one_thread(const T *in, int n, T *out)
{
    T sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i] * in[i];
    out[0] = sum;
}

/* Each thread sums its own chunk, so that neighbouring threads read addresses that are far apart. */
template <typename T> __global__ void chunks(const T *in, int n, T *out)
{
    int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    int size = (n + threads - 1) / threads, end = min(n, (t + 1) * size);
    T sum = 0;
    for (int i = t * size; i < end; i++)
        sum += in[i] * in[i];
    out[t] = sum;
}

/* Neighbouring threads read neighbouring words. */
template <typename T> __global__ void interleaved(const T *in, int n, T *out)
{
    int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int i = t; i < n; i += threads)
        sum += in[i] * in[i];
    out[t] = sum;
}

/* Measures the time in clock ticks, as the classic tutorial does. */
template <typename T> __global__ void timed(const T *in, int n, T *out, clock_t *ticks)
{
    clock_t start = clock();
    T sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += in[i] * in[i];
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *ticks = clock() - start;
}

/* The sum that a thread of the versions below contributes to its block. */
template <typename T> __device__ T own_share(const T *in, int n)
{
    int threads = gridDim.x * blockDim.x;
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        sum += in[i] * in[i];
    return sum;
}

/* Shared memory, summed by thread 0. */
template <typename T> __global__ void shared_serial(const T *in, int n, T *out)
{
    __shared__ T s[THREADS];
    s[threadIdx.x] = own_share(in, n);
    __syncthreads();
    if (threadIdx.x == 0) {
        T sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += s[i];
        out[blockIdx.x] = sum;
    }
}

/* A tree in which the working threads stay together, but their words are 2, 4, 8 ...
 * apart: bank conflicts. */
template <typename T> __global__ void tree_interleaved(const T *in, int n, T *out)
{
    __shared__ T s[THREADS];
    int t = threadIdx.x;
    s[t] = own_share(in, n);
    for (int off = 1; off < THREADS; off *= 2) {
        __syncthreads();
        int i = 2 * off * t;
        if (i < THREADS)
            s[i] += s[i + off];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* A tree in which the working threads are spread over all warps: divergence. */
template <typename T> __global__ void tree_modulo(const T *in, int n, T *out)
{
    __shared__ T s[THREADS];
    int t = threadIdx.x;
    s[t] = own_share(in, n);
    for (int off = 1; off < THREADS; off *= 2) {
        __syncthreads();
        if (t % (2 * off) == 0)
            s[t] += s[t + off];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* The same tree with a mask instead of a modulo, as in the classic tutorial. */
template <typename T> __global__ void tree_mask(const T *in, int n, T *out)
{
    __shared__ T s[THREADS];
    int t = threadIdx.x;
    s[t] = own_share(in, n);
    __syncthreads();
    for (int off = 1, mask = 1; off < THREADS; off *= 2, mask = mask * 2 + 1) {
        if ((t & mask) == 0)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* Adds the upper half to the lower half: no conflicts, and whole warps become idle. */
template <typename T> __global__ void tree_sequential(const T *in, int n, T *out)
{
    __shared__ T s[THREADS];
    int t = threadIdx.x;
    s[t] = own_share(in, n);
    __syncthreads();
    for (int off = THREADS / 2; off > 0; off /= 2) {
        if (t < off)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* The last warp continues alone, with an unrolled loop and without barriers of the whole block. */
template <typename T> __global__ void tree_unrolled(const T *in, int n, T *out)
{
    __shared__ T s[THREADS];
    int t = threadIdx.x;
    s[t] = own_share(in, n);
    __syncthreads();
    for (int off = THREADS / 2; off > 32; off /= 2) {
        if (t < off)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t < 32) {
        T sum = s[t];
#pragma unroll
        for (int off = 32; off > 0; off /= 2) {
            sum += s[t + off];
            __syncwarp();
            s[t] = sum;
            __syncwarp();
        }
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* The launch sets the block's size and its shared memory. */
template <typename T> __global__ void tree_dynamic(const T *in, int n, T *out)
{
    extern __shared__ char memory[];
    T *s = (T *)memory;
    int t = threadIdx.x;
    s[t] = own_share(in, n);
    __syncthreads();
    for (int off = blockDim.x / 2; off > 0; off /= 2) {
        if (t < off)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__device__ void add(int *to, int value)
{
    atomicAdd(to, value);
}
__device__ void add(float *to, float value)
{
    atomicAdd(to, value);
}
__device__ void add(double *to, double value)
{
    atomicAdd(to, value);
}
__device__ void add(wide *to, wide value)
{
    atomicAdd((unsigned long long *)to, (unsigned long long)value);
}

/* Every thread adds its share to one word. */
template <typename T> __global__ void atomics(const T *in, int n, T *out)
{
    add(out, own_share(in, n));
}

/* Loads four words at a time; n is a multiple of 4. */
__global__ void vectors(const int *in, int n, int *out)
{
    const int4 *in4 = (const int4 *)in;
    int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int i = t; i < n / 4; i += threads) {
        int4 v = in4[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    out[t] = sum;
}

/* --- the host ------------------------------------------------------------------------------------ */

template <typename T> struct data {
    int n;
    T right;
    T *in, *out;
};

static int value_at(int i)
{
    return (unsigned)i * 2654435761u >> 29; /* 0 to 7, in pseudo-random order */
}

template <typename T> static data<T> prepare(int n)
{
    data<T> d = {n, 0, nullptr, nullptr};
    T *in = (T *)malloc((n + 1) * sizeof(T));
    for (int i = 0; i < n; i++) {
        in[i] = (T)value_at(i);
        d.right += in[i] * in[i];
    }
    MUST(cudaMalloc(&d.in, (n + 1) * sizeof(T)));
    MUST(cudaMalloc(&d.out, BLOCKS * 1024 * sizeof(T)));
    MUST(cudaMemcpy(d.in, in, n * sizeof(T), cudaMemcpyHostToDevice));
    free(in);
    return d;
}

/* Adds up the COUNT results of the kernel just launched, and compares the sum. */
template <typename T> static void finish(const char *name, data<T> &d, int count)
{
    FINISH();
    T *out = (T *)malloc(count * sizeof(T)), sum = 0;
    MUST(cudaMemcpy(out, d.out, count * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        sum += out[i];
    free(out);
    expect(name, sum, d.right);
    /* so that no version can succeed with the results of the one before */
    MUST(cudaMemset(d.out, 0xff, BLOCKS * 1024 * sizeof(T)));
}

template <typename T> static void climb(int n)
{
    data<T> d = prepare<T>(n);
    one_thread<<<1, 1>>>(d.in, n, d.out);
    finish("one_thread", d, 1);
    chunks<<<1, THREADS>>>(d.in, n, d.out);
    finish("chunks, one block", d, THREADS);
    chunks<<<1, 1024>>>(d.in, n, d.out);
    finish("chunks, one block of 1024", d, 1024);
    chunks<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("chunks, a grid", d, BLOCKS * THREADS);
    interleaved<<<1, 512>>>(d.in, n, d.out);
    finish("interleaved, one block", d, 512);
    interleaved<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("interleaved, a grid", d, BLOCKS * THREADS);
    shared_serial<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("shared_serial", d, BLOCKS);
    tree_interleaved<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("tree_interleaved", d, BLOCKS);
    tree_modulo<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("tree_modulo", d, BLOCKS);
    tree_mask<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("tree_mask", d, BLOCKS);
    tree_sequential<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("tree_sequential", d, BLOCKS);
    tree_unrolled<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("tree_unrolled", d, BLOCKS);
    tree_dynamic<<<BLOCKS, 128, 128 * sizeof(T)>>>(d.in, n, d.out);
    finish("tree_dynamic", d, BLOCKS);
    MUST(cudaMemset(d.out, 0, sizeof(T)));
    atomics<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("atomics", d, 1);
    MUST(cudaFree(d.in));
    MUST(cudaFree(d.out));
}

static void measure(int n)
{
    data<int> d = prepare<int>(n);
    clock_t *device_ticks, ticks = 0;
    MUST(cudaMalloc(&device_ticks, sizeof ticks));
    timed<<<1, 256>>>(d.in, n, d.out, device_ticks);
    finish("timed", d, 256);
    MUST(cudaMemcpy(&ticks, device_ticks, sizeof ticks, cudaMemcpyDeviceToHost));
    expect("clock() advances", ticks > 0, true);
    vectors<<<BLOCKS, THREADS>>>(d.in, n, d.out);
    finish("vectors", d, BLOCKS * THREADS);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32768;
    printf("-- int\n");
    climb<int>(n);
    printf("-- float\n");
    climb<float>(n);
    printf("-- 64-bit\n");
    climb<wide>(n);
    printf("-- double\n");
    climb<double>(n);
    printf("-- ragged and tiny\n");
    climb<int>(10007);
    climb<float>(1);
    climb<double>(0);
    measure(n);
    return summary();
}
