// Sums: the classic ladder in one block's shared memory, shuffles, several numbers per thread.
#include "../launch.cuh"

#define THREADS 256

__global__ void by_thread_0(const int *data, int *sums)
{
    __shared__ int all[THREADS];
    all[threadIdx.x] = data[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += all[i];
        sums[blockIdx.x] = sum;
    }
}

__global__ void modulo(const int *data, int *sums)
{
    __shared__ int all[THREADS];
    int t = threadIdx.x;
    all[t] = data[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int off = 1; off < THREADS; off *= 2) {
        if (t % (2 * off) == 0)
            all[t] += all[t + off];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = all[0];
}

__global__ void interleaved(const int *data, int *sums)
{
    __shared__ int all[THREADS];
    int t = threadIdx.x;
    all[t] = data[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int off = 1; off < THREADS; off *= 2) {
        int i = 2 * off * t;
        if (i < THREADS)
            all[i] += all[i + off];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = all[0];
}

__global__ void sequential(const int *data, int *sums)
{
    __shared__ int all[THREADS];
    int t = threadIdx.x;
    all[t] = data[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int off = THREADS / 2; off > 0; off /= 2) {
        if (t < off)
            all[t] += all[t + off];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = all[0];
}

__device__ int of_warp(int sum)
{
    for (int off = 16; off > 0; off /= 2)
        sum += __shfl_down_sync(~0u, sum, off);
    return sum;
}

__device__ int of_block(int sum)
{
    __shared__ int warps[32];
    sum = of_warp(sum);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    return of_warp(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
}

__global__ void shuffles(const int *data, int *sums)
{
    int sum = of_block(data[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void grid_stride(const int *data, int n, int *sums)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += data[i];
    sum = of_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void vectors(const int4 *data, int n, int *sums)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = of_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void chunks(const int *data, int n, int *sums)
{
    int threads = gridDim.x * blockDim.x, each = n / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each, sum = 0;
    for (int i = first; i < first + each; i++)
        sum += data[i];
    atomicAdd(sums, sum);
}

int main()
{
    int n = 1 << 22, blocks = n / THREADS;
    int *data = integers(n, 10), *sums = zeros<int>(blocks);
    TWICE(by_thread_0<<<blocks, THREADS>>>(data, sums));
    TWICE(modulo<<<blocks, THREADS>>>(data, sums));
    TWICE(interleaved<<<blocks, THREADS>>>(data, sums));
    TWICE(sequential<<<blocks, THREADS>>>(data, sums));
    TWICE(shuffles<<<blocks, THREADS>>>(data, sums));
    TWICE(shuffles<<<n / 1024, 1024>>>(data, sums));
    TWICE(grid_stride<<<132, 1024>>>(data, n, sums));
    TWICE(grid_stride<<<32, 256>>>(data, n, sums));
    TWICE(vectors<<<264, 512>>>((int4 *)data, n / 4, sums));
    TWICE(chunks<<<64, 256>>>(data, n, sums));
    n = 1 << 25; // 128 MiB: more than the L2 cache
    data = integers(n, 10);
    TWICE(grid_stride<<<1056, 256>>>(data, n, sums));
    TWICE(vectors<<<1056, 256>>>((int4 *)data, n / 4, sums));
    TWICE(chunks<<<1056, 256>>>(data, n, sums));
}
