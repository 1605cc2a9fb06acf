// Sorting: steps of a bitonic sort in global and in shared memory, and the counts of a radix sort.
#include "../launch.cuh"

__global__ void bitonic_step(int *data, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other > i) {
        int a = data[i], b = data[other];
        if ((a > b) == ((i & k) == 0)) {
            data[i] = b;
            data[other] = a;
        }
    }
}

__global__ void bitonic_block(const int *in, int *out)
{
    __shared__ int all[512];
    int t = threadIdx.x;
    all[t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int k = 2; k <= 512; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t && (all[t] > all[other]) == ((t & k) == 0)) {
                int a = all[t];
                all[t] = all[other];
                all[other] = a;
            }
            __syncthreads();
        }
    out[blockIdx.x * 512 + t] = all[t];
}

__global__ void odd_even_warp(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32, mine = in[i];
    for (int step = 0; step < 32; step++) {
        int partner = (lane + step) % 2 ? lane - 1 : lane + 1;
        int other = __shfl_sync(~0u, mine, partner & 31);
        if (partner >= 0 && partner < 32)
            mine = partner > lane ? min(mine, other) : max(mine, other);
    }
    out[i] = mine;
}

__global__ void radix_counts(const int *data, int n, int shift, int *counts)
{
    __shared__ int mine[16];
    if (threadIdx.x < 16)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

int main()
{
    int n = 1 << 20;
    int *in = integers(n, 1 << 20), *out = zeros<int>(n);
    TWICE(bitonic_step<<<n / 256, 256>>>(in, 1, 2));
    TWICE(bitonic_step<<<n / 256, 256>>>(in, 1 << 12, 1 << 13));
    TWICE(bitonic_block<<<n / 512, 512>>>(in, out));
    TWICE(odd_even_warp<<<n / 256, 256>>>(in, out));
    TWICE(radix_counts<<<264, 256>>>(in, n, 8, out));
}
