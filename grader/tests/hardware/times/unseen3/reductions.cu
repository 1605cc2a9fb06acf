/* Sums of long arrays. */
#include "expect.cuh"

/* As the first step of CUDA samples' reduction: threads that work are scattered over all warps. */
static __global__ void sum_scattered(int *sums, const int *in)
{
    extern __shared__ int part[];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int apart = 1; apart < blockDim.x; apart *= 2) {
        if (t % (2 * apart) == 0)
            part[t] += part[t + apart];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

/* As its third: whole warps finish early. */
static __global__ void sum_halving(int *sums, const int *in)
{
    extern __shared__ int part[];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int apart = blockDim.x / 2; apart > 0; apart /= 2) {
        if (t < apart)
            part[t] += part[t + apart];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

/* A strided loop, then shuffles: as SHOC's Reduction and HeCBench's. */
static __global__ void sum_shuffled(int *sums, const int *in, int n)
{
    __shared__ int part[32];
    int sum = 0, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    if (lane == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    sum = lane < warps ? part[lane] : 0;
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    if (lane == 0)
        sums[blockIdx.x] = sum;
}

/* What a beginner writes after the lesson on atomics. The float keeps the compiler from adding up in the warp. */
static __global__ void sum_atomic(float *sum, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i]);
}

int main()
{
    const int n = 1 << 22;
    int *in = integers(n, 100), *sums = zeros<int>(n / 128);
    std::vector<int> host = fetched(in, n);
    auto expect_sums = [&](int length, int count) {
        long long sum = 0, found = 0;
        for (int i = 0; i < length; i++)
            sum += host[i];
        for (int part : fetched(sums, count))
            found += part;
        EXPECT(found == sum);
        clear(sums, count);
    };
    for (int block : {256, 1024}) {
        TWICE(sum_scattered<<<(1 << 20) / block, block, block * sizeof(int)>>>(sums, in));
        expect_sums(1 << 20, (1 << 20) / block);
        TWICE(sum_halving<<<(1 << 20) / block, block, block * sizeof(int)>>>(sums, in));
        expect_sums(1 << 20, (1 << 20) / block);
    }
    TWICE(sum_halving<<<n / 128, 128, 128 * sizeof(int)>>>(sums, in));
    expect_sums(n, n / 128);
    TWICE(sum_shuffled<<<1024, 256>>>(sums, in, n));
    expect_sums(n, 1024);
    TWICE(sum_shuffled<<<1, 1024>>>(sums, in, 1 << 16));
    expect_sums(1 << 16, 1);

    float *ones = filled<float>(1 << 18, [](size_t) { return 1.0f; }), *sum = zeros<float>(2);
    TWICE(sum_atomic<<<(1 << 12) / 256, 256>>>(sum, ones, 1 << 12));
    TWICE(sum_atomic<<<(1 << 16) / 256, 256>>>(sum + 1, ones, 1 << 16));
    std::vector<float> found = fetched(sum, 2); // exact as long as it is below 2^24 times 2^12
    EXPECT(found[0] > 0 && fmodf(found[0], 1 << 12) == 0);
    EXPECT(found[1] >= 1 << 17);
    return 0;
}
