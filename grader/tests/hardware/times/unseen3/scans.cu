/* Running sums within blocks, and compaction. */
#include "expect.cuh"

/* Hillis and Steele's scan with two buffers, as in GPU Gems 3. Inclusive. */
static __global__ void scan_steps(int *out, const int *in)
{
    extern __shared__ int buffers[];
    int t = threadIdx.x, size = blockDim.x, *from = buffers, *to = buffers + size;
    to[t] = in[blockIdx.x * size + t];
    __syncthreads();
    for (int apart = 1; apart < size; apart *= 2) {
        int *swap = from;
        from = to;
        to = swap;
        to[t] = t >= apart ? from[t] + from[t - apart] : from[t];
        __syncthreads();
    }
    out[blockIdx.x * size + t] = to[t];
}

__device__ static int slot(int i, bool padded)
{
    return padded ? i + i / 32 : i;
}

/* Blelloch's scan of two numbers per thread, as in GPU Gems 3 and CUDA samples' older scan. Exclusive. */
template <bool PADDED> static __global__ void scan_tree(int *out, const int *in)
{
    extern __shared__ int tree[];
    int t = threadIdx.x, size = 2 * blockDim.x, apart = 1;
    const int *mine = in + blockIdx.x * size;
    tree[slot(t, PADDED)] = mine[t];
    tree[slot(t + size / 2, PADDED)] = mine[t + size / 2];
    for (int pairs = size / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs)
            tree[slot(apart * (2 * t + 2) - 1, PADDED)] +=
                tree[slot(apart * (2 * t + 1) - 1, PADDED)];
        apart *= 2;
    }
    if (t == 0)
        tree[slot(size - 1, PADDED)] = 0;
    for (int pairs = 1; pairs < size; pairs *= 2) {
        apart /= 2;
        __syncthreads();
        if (t < pairs) {
            int left = slot(apart * (2 * t + 1) - 1, PADDED);
            int right = slot(apart * (2 * t + 2) - 1, PADDED), value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    out[blockIdx.x * size + t] = tree[slot(t, PADDED)];
    out[blockIdx.x * size + t + size / 2] = tree[slot(t + size / 2, PADDED)];
}

/* With shuffles, as CUDA samples' shfl_scan. Inclusive. */
static __global__ void scan_warps(int *out, const int *in)
{
    __shared__ int totals[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = in[i];
    for (int apart = 1; apart < 32; apart *= 2) {
        int other = __shfl_up_sync(~0u, sum, apart);
        if (lane >= apart)
            sum += other;
    }
    if (lane == 31)
        totals[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        sum += totals[w];
    out[i] = sum;
}

/* A block moves its numbers below LIMIT to the front of its part of OUT: stream compaction with votes. */
static __global__ void compact(int *out, int *kept, const int *in, int limit)
{
    __shared__ int begin[33];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
    int value = in[blockIdx.x * blockDim.x + t];
    unsigned keep = __ballot_sync(~0u, value < limit);
    if (lane == 0)
        begin[warp + 1] = __popc(keep);
    __syncthreads();
    if (t == 0) {
        begin[0] = 0;
        for (int w = 0; w < warps; w++)
            begin[w + 1] += begin[w];
        kept[blockIdx.x] = begin[warps];
    }
    __syncthreads();
    if (value < limit)
        out[blockIdx.x * blockDim.x + begin[warp] + __popc(keep & ((1u << lane) - 1))] = value;
}

int main()
{
    const int n = 1 << 21, small = 1 << 20;
    int *in = integers(n, 1000), *out = zeros<int>(n), *kept = zeros<int>(n / 256);
    std::vector<int> host = fetched(in, n);
    auto expect_scan = [&](int count, int size, bool inclusive) {
        std::vector<int> found = fetched(out, count);
        for (int start = 0; start < count; start += 37 * size) {
            int sum = 0;
            for (int i = start; i < start + size; i++) {
                EXPECT(found[i] == (inclusive ? sum + host[i] : sum));
                sum += host[i];
            }
        }
        clear(out, count);
    };
    TWICE(scan_steps<<<small / 256, 256, 2 * 256 * sizeof(int)>>>(out, in));
    expect_scan(small, 256, true);
    TWICE(scan_steps<<<small / 1024, 1024, 2 * 1024 * sizeof(int)>>>(out, in));
    expect_scan(small, 1024, true);
    TWICE(scan_tree<false><<<small / 1024, 512, 1024 * sizeof(int)>>>(out, in));
    expect_scan(small, 1024, false);
    TWICE(scan_tree<true><<<small / 1024, 512, (1024 + 32) * sizeof(int)>>>(out, in));
    expect_scan(small, 1024, false);
    TWICE(scan_warps<<<small / 256, 256>>>(out, in));
    expect_scan(small, 256, true);
    TWICE(scan_warps<<<n / 512, 512>>>(out, in));
    expect_scan(n, 512, true);

    for (int limit : {100, 900}) {
        TWICE(compact<<<small / 256, 256>>>(out, kept, in, limit));
        std::vector<int> found = fetched(out, small), counts = fetched(kept, small / 256);
        for (int start = 0; start < small; start += 37 * 256) {
            int at = start;
            for (int i = start; i < start + 256; i++)
                if (host[i] < limit)
                    EXPECT(found[at++] == host[i]);
            EXPECT(counts[start / 256] == at - start);
        }
        clear(out, small);
    }
    return 0;
}
