// Prefix sums in a block: Hillis and Steele, Blelloch's tree with and without conflicts, shuffles.
#include "../launch.cuh"

#define THREADS 512

__global__ void hillis_steele(const int *in, int *out)
{
    __shared__ int buffers[2][THREADS];
    int t = threadIdx.x, now = 0;
    buffers[0][t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int off = 1; off < THREADS; off *= 2) {
        int sum = buffers[now][t] + (t >= off ? buffers[now][t - off] : 0);
        now = 1 - now;
        buffers[now][t] = sum;
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = buffers[now][t];
}

template <bool PADDED> __device__ int place(int i)
{
    return PADDED ? i + i / 32 : i;
}

template <bool PADDED> __global__ void blelloch(const int *in, int *out)
{
    __shared__ int all[2 * THREADS + 2 * THREADS / 32];
    int t = threadIdx.x, first = blockIdx.x * 2 * THREADS, off = 1;
    all[place<PADDED>(t)] = in[first + t];
    all[place<PADDED>(t + THREADS)] = in[first + t + THREADS];
    for (int d = THREADS; d > 0; d /= 2, off *= 2) {
        __syncthreads();
        if (t < d)
            all[place<PADDED>(off * (2 * t + 2) - 1)] += all[place<PADDED>(off * (2 * t + 1) - 1)];
    }
    if (t == 0)
        all[place<PADDED>(2 * THREADS - 1)] = 0;
    for (int d = 1; d < 2 * THREADS; d *= 2) {
        off /= 2;
        __syncthreads();
        if (t < d) {
            int a = place<PADDED>(off * (2 * t + 1) - 1), b = place<PADDED>(off * (2 * t + 2) - 1);
            int old = all[a];
            all[a] = all[b];
            all[b] += old;
        }
    }
    __syncthreads();
    out[first + t] = all[place<PADDED>(t)];
    out[first + t + THREADS] = all[place<PADDED>(t + THREADS)];
}

__device__ int scan_warp(int sum)
{
    for (int off = 1; off < 32; off *= 2) {
        int before = __shfl_up_sync(~0u, sum, off);
        if (threadIdx.x % 32 >= off)
            sum += before;
    }
    return sum;
}

__global__ void by_shuffles(const int *in, int *out)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
    int sum = scan_warp(in[i]);
    if (threadIdx.x % 32 == 31)
        warps[w] = sum;
    __syncthreads();
    if (w == 0)
        warps[threadIdx.x] = scan_warp(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
    __syncthreads();
    out[i] = sum + (w > 0 ? warps[w - 1] : 0);
}

int main()
{
    int n = 1 << 20;
    int *in = integers(n, 10), *out = zeros<int>(n);
    TWICE(hillis_steele<<<n / THREADS, THREADS>>>(in, out));
    TWICE(blelloch<false><<<n / 2 / THREADS, THREADS>>>(in, out));
    TWICE(blelloch<true><<<n / 2 / THREADS, THREADS>>>(in, out));
    TWICE(by_shuffles<<<n / THREADS, THREADS>>>(in, out));
    TWICE(by_shuffles<<<n / 128, 128>>>(in, out));
}
