/* Scans and sorts. */
#include "../launch.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/* Hillis and Steele's scan of a block. */
__global__ void scan_steps(int *out, const int *in)
{
    __shared__ int sums[2][1024];
    int t = threadIdx.x, from = 0, i = blockIdx.x * blockDim.x + t;
    sums[0][t] = in[i];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        sums[1 - from][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[i] = sums[from][t];
}

/* Blelloch's scan, with its bank conflicts. */
__global__ void scan_tree(int *out, const int *in)
{
    __shared__ int sums[1024];
    int t = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n, step = 1;
    sums[2 * t] = in[base + 2 * t];
    sums[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = n / 2; d; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d)
            sums[step * (2 * t + 2) - 1] += sums[step * (2 * t + 1) - 1];
    }
    if (t == 0)
        sums[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int left = sums[step * (2 * t + 1) - 1];
            sums[step * (2 * t + 1) - 1] = sums[step * (2 * t + 2) - 1];
            sums[step * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    out[base + 2 * t] = sums[2 * t];
    out[base + 2 * t + 1] = sums[2 * t + 1];
}

static __device__ int scan_warp(int value)
{
    for (int step = 1; step < 32; step *= 2) {
        int left = __shfl_up_sync(~0u, value, step);
        if (threadIdx.x % 32 >= step)
            value += left;
    }
    return value;
}

static __device__ int scan_block(int value, int *warps)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = scan_warp(value);
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int whole = scan_warp(lane < blockDim.x / 32 ? warps[lane] : 0);
        __syncwarp();
        warps[lane] = whole;
    }
    __syncthreads();
    return sum + (warp ? warps[warp - 1] : 0);
}

__global__ void scan_shuffle(int *out, const int *in)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = scan_block(in[i], warps);
}

/* A scan of everything in one pass: a block waits for its neighbour's sum. A flag holds the launch's number. */
__global__ void scan_look_back(int *out, const int *in, unsigned *ticket, volatile int *sums,
                               volatile unsigned *flags)
{
    __shared__ int warps[32], before;
    __shared__ unsigned block, launch;
    if (threadIdx.x == 0) {
        unsigned number = atomicAdd(ticket, 1);
        block = number % gridDim.x;
        launch = number / gridDim.x + 1;
    }
    __syncthreads();
    int4 v = ((const int4 *)in)[block * blockDim.x + threadIdx.x];
    int sum = scan_block(v.x + v.y + v.z + v.w, warps);
    if (threadIdx.x == blockDim.x - 1) {
        int left = 0;
        if (block) {
            while (flags[block - 1] != launch)
                ;
            __threadfence();
            left = sums[block - 1];
        }
        sums[block] = left + sum;
        __threadfence();
        flags[block] = launch;
        before = left;
    }
    __syncthreads();
    int4 result;
    result.w = before + sum;
    result.z = result.w - v.w;
    result.y = result.z - v.z;
    result.x = result.y - v.y;
    ((int4 *)out)[block * blockDim.x + threadIdx.x] = result;
}

__global__ void bitonic_step(int *keys, int apart, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ apart;
    if (other < i)
        return;
    int a = keys[i], b = keys[other];
    if ((a > b) == ((i & size) == 0)) {
        keys[i] = b;
        keys[other] = a;
    }
}

__global__ void bitonic_block(int *out, const int *in)
{
    __shared__ int keys[1024];
    int t = threadIdx.x;
    keys[t] = in[blockIdx.x * blockDim.x + t];
    for (int size = 2; size <= blockDim.x; size *= 2)
        for (int apart = size / 2; apart; apart /= 2) {
            __syncthreads();
            int other = t ^ apart;
            if (other < t)
                continue;
            int a = keys[t], b = keys[other];
            if ((a > b) == ((t & size) == 0)) {
                keys[t] = b;
                keys[other] = a;
            }
        }
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = keys[t];
}

/* Every warp sorts 32 keys in registers. */
__global__ void bitonic_warp(int *out, const int *in)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = tile.thread_rank(), key = in[i];
    for (int size = 2; size <= 32; size *= 2)
        for (int apart = size / 2; apart; apart /= 2) {
            int other = tile.shfl_xor(key, apart);
            bool lower = (lane & apart) == 0, rising = (lane & size) == 0;
            key = lower == rising ? min(key, other) : max(key, other);
        }
    out[i] = key;
}

/* The counts of a 4-bit digit, a block's beside each other's. */
__global__ void radix_count(int *counts, const int *keys, int each, int shift)
{
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[keys[blockIdx.x * each + i] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

/* Sorts a block's keys by one digit: a split per bit. */
__global__ void radix_split(int *out, const int *in, int shift)
{
    __shared__ int keys[512], warps[32];
    int t = threadIdx.x, key = in[blockIdx.x * blockDim.x + t];
    for (int bit = shift; bit < shift + 4; bit++) {
        int one = key >> bit & 1, zeros = scan_block(1 - one, warps);
        int total = warps[blockDim.x / 32 - 1];
        keys[one ? total + t - zeros : zeros - 1] = key;
        __syncthreads();
        key = keys[t];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = key;
}

/* Merges pairs of sorted runs: each thread finds its key's place in the other run. */
__global__ void merge_runs(int *out, const int *in, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, mine = i / run, key = in[i];
    const int *other = in + (mine ^ 1) * run;
    int low = 0, high = run;
    while (low < high) {
        int middle = (low + high) / 2;
        if (other[middle] < key || (other[middle] == key && mine % 2))
            low = middle + 1;
        else
            high = middle;
    }
    out[mine / 2 * 2 * run + i % run + low] = key;
}

__global__ void odd_even(int *keys, int rounds)
{
    __shared__ int row[512];
    int t = threadIdx.x;
    row[2 * t] = keys[blockIdx.x * 512 + 2 * t];
    row[2 * t + 1] = keys[blockIdx.x * 512 + 2 * t + 1];
    for (int round = 0; round < rounds; round++) {
        __syncthreads();
        int i = 2 * t + round % 2;
        if (i + 1 < 512 && row[i] > row[i + 1]) {
            int swap = row[i];
            row[i] = row[i + 1];
            row[i + 1] = swap;
        }
    }
    __syncthreads();
    keys[blockIdx.x * 512 + 2 * t] = row[2 * t];
    keys[blockIdx.x * 512 + 2 * t + 1] = row[2 * t + 1];
}

int main()
{
    const int n = 1 << 18;
    int *in = integers(4 * n, 1 << 16), *out = zeros<int>(4 * n), *sums = zeros<int>(1024);
    int *sorted = filled<int>(n, [](size_t i) { return (int)(i % 1024 * 61 + i / 1024); });
    unsigned *ticket = zeros<unsigned>(1), *flags = zeros<unsigned>(1024);
    TWICE(scan_steps<<<n / 1024, 1024>>>(out, in));
    TWICE(scan_steps<<<n / 256, 256>>>(out, in));
    TWICE(scan_tree<<<n / 1024, 512>>>(out, in));
    TWICE(scan_shuffle<<<n / 1024, 1024>>>(out, in));
    TWICE(scan_shuffle<<<n / 128, 128>>>(out, in));
    TWICE(scan_look_back<<<1024, 256>>>(out, in, ticket, sums, flags));
    CHECK(cudaMemset(ticket, 0, sizeof *ticket));
    CHECK(cudaMemset(flags, 0, 1024 * sizeof *flags));
    TWICE(scan_look_back<<<64, 1024>>>(out, in, ticket, sums, flags));
    TWICE(bitonic_step<<<n / 256, 256>>>(out, 1, 2));
    TWICE(bitonic_step<<<n / 256, 256>>>(out, 65536, 131072));
    TWICE(bitonic_block<<<133, 1024>>>(out, in));
    TWICE(bitonic_block<<<4, 512>>>(out, in));
    TWICE(bitonic_warp<<<n / 128, 128>>>(out, in));
    TWICE(radix_count<<<256, 256>>>(out, in, 2048, 4));
    TWICE(radix_split<<<256, 512>>>(out, in, 4));
    TWICE(merge_runs<<<n / 256, 256>>>(out, sorted, 1024));
    TWICE(odd_even<<<32, 256>>>(out, 200));
    return 0;
}
