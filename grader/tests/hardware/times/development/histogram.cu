// Histograms and other atomics: in global and shared memory, with many or few collisions.
#include "../launch.cuh"

#define BINS 256

__global__ void global_bins(const int *data, int n, int *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
}

__global__ void shared_bins(const int *data, int n, int *bins)
{
    __shared__ int mine[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], mine[i]);
}

__global__ void sum_each(const float *data, int n, float *sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, data[i]);
}

__global__ void sum_thread(const float *data, int n, float *sum)
{
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i];
    atomicAdd(sum, mine);
}

__global__ void sum_warp(const float *data, int n, float *sum)
{
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i];
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_xor_sync(~0u, mine, off);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

// There is no instruction for this, so a loop retries.
__global__ void largest(const float *data, int n, unsigned *result)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float mine = data[i];
        unsigned old = *result;
        while (__uint_as_float(old) < mine) {
            unsigned seen = atomicCAS(result, old, __float_as_uint(mine));
            if (seen == old)
                break;
            old = seen;
        }
    }
}

__global__ void take_numbers(int *next, int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1);
}

int main()
{
    int n = 1 << 21;
    int *wide = integers(n, BINS), *few = integers(n, 4), *bins = zeros<int>(BINS);
    float *data = fractions<float>(n), *sum = zeros<float>(1);
    int *out = zeros<int>(n);
    TWICE(global_bins<<<528, 256>>>(wide, n, bins));
    TWICE(global_bins<<<528, 256>>>(few, n, bins));
    TWICE(shared_bins<<<528, 256>>>(wide, n, bins));
    TWICE(shared_bins<<<528, 256>>>(few, n, bins));
    TWICE(sum_each<<<528, 256>>>(data, n / 8, sum));
    TWICE(sum_thread<<<528, 256>>>(data, n, sum));
    TWICE(sum_warp<<<528, 256>>>(data, n, sum));
    TWICE(largest<<<528, 256>>>(data, n, (unsigned *)sum));
    TWICE(take_numbers<<<n / 64 / 256, 256>>>(bins, out));
}
