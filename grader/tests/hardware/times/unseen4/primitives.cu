/* What CUB-like collections hold: scans of a block, reductions by key, selection, histograms, the largest with its place,
 * transposes of records, run lengths, with cooperative groups here and there. */
#include "expect.cuh"
#include <algorithm>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/* Blelloch's scan of twice the threads' number of elements: conflicts in shared memory. */
__global__ void scan_tree(const int *in, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x, n = blockDim.x * 2, base = blockIdx.x * n, step = 1;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = n / 2; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d)
            s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
    }
    if (t == 0)
        s[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}

/* Hillis and Steele's with two buffers; inclusive. */
__global__ void scan_steps(const int *in, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t, from = 0;
    s[t] = in[i];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int to = n - from;
        s[to + t] = s[from + t] + (t >= d ? s[from + t - d] : 0);
        from = to;
        __syncthreads();
    }
    out[i] = s[from + t];
}

/* By shuffles, four elements a thread; inclusive. */
__global__ void scan_warps(const int4 *in, int4 *out)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int4 v = in[i];
    v.y += v.x, v.z += v.y, v.w += v.z;
    int sum = v.w;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? u : 0;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    int before = sum - v.w;
    for (int w = 0; w < warp; w++)
        before += warps[w];
    out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

/* Selection with one atomic a kept element, a warp, a block. */
__global__ void select_atomic(const int *in, int *out, int *count, int limit)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v < limit)
        out[atomicAdd(count, 1) & 0xfffff] = v;
}

__global__ void select_warp(const int *in, int *out, int *count, int limit)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x], at = 0, lane = threadIdx.x % 32;
    unsigned kept = __ballot_sync(~0u, v < limit);
    if (lane == 0 && kept)
        at = atomicAdd(count, __popc(kept));
    at = __shfl_sync(~0u, at, 0);
    if (v < limit)
        out[(at + __popc(kept & ((1u << lane) - 1))) & 0xfffff] = v;
}

__global__ void select_block(const int *in, int *out, int *count, int limit)
{
    __shared__ int kept, base;
    if (threadIdx.x == 0)
        kept = 0;
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + threadIdx.x], at = v < limit ? atomicAdd(&kept, 1) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(count, kept);
    __syncthreads();
    if (v < limit)
        out[(base + at) & 0xfffff] = v;
}

__global__ void histogram_global(const int *in, int *bins, int n, int mask)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & mask], 1);
}

/* A copy of the bins for every warp of the block. */
__global__ void histogram_copies(const int *in, int *bins, int n, int mask)
{
    extern __shared__ int s[];
    int size = mask + 1, warps = blockDim.x / 32, *mine = s + threadIdx.x / 32 * size;
    for (int i = threadIdx.x; i < size * warps; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] & mask], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int sum = 0;
        for (int w = 0; w < warps; w++)
            sum += s[w * size + i];
        atomicAdd(&bins[i], sum);
    }
}

/* The largest and where, by tiles of a cooperative group. */
template <int TILE> __device__ void largest(const int *in, long long *out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<TILE>(block);
    long long best = -1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        long long v = (long long)in[i] << 32 | i;
        best = v > best ? v : best;
    }
    for (int d = TILE / 2; d; d /= 2) {
        long long v = tile.shfl_xor(best, d);
        best = v > best ? v : best;
    }
    if (tile.thread_rank() == 0)
        atomicMax(out, best);
}

__global__ void largest_eights(const int *in, long long *out, int n)
{
    largest<8>(in, out, n);
}

__global__ void largest_warps(const int *in, long long *out, int n)
{
    largest<32>(in, out, n);
}

/* Heads of runs, and their lengths by walking. */
__global__ void run_lengths(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, length = 0;
    if (i == 0 || in[i - 1] != in[i])
        for (length = 1; i + length < n && in[i + length] == in[i]; length++)
            ;
    out[i] = min(length, 255);
}

/* Segments of equal length: a thread, a warp a segment. */
__global__ void segment_thread(const int *in, int *out, int length)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < length; k++)
        sum += in[t * length + k];
    out[t] = sum;
}

__global__ void segment_warp(const int *in, int *out, int length)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
    for (int k = lane; k < length; k += 32)
        sum += in[t * length + k];
    sum = __reduce_add_sync(~0u, sum);
    if (lane == 0)
        out[t] = sum;
}

int main()
{
    const int n = 1 << 20;
    int *in = integers(n, 1000), *out = zeros<int>(n), *count = zeros<int>(8),
        *bins = zeros<int>(4096);
    auto h = fetched(in, n);
    auto check_scan = [&](const char *what, int block, int size, bool inclusive) {
        auto o = fetched(out, size);
        for (int i = 0, run = 0; i < size; i++) {
            run = i % block ? run : 0;
            expect_same(what, i, o[i], inclusive ? run + h[i] : run);
            run += h[i];
        }
        CHECK(cudaMemset(out, 0, n * 4));
    };
    TWICE(scan_tree<<<n / 512, 256, 512 * 4>>>(in, out));
    check_scan("tree", 512, n, false);
    TWICE(scan_tree<<<n / 8 / 2048, 1024, 2048 * 4>>>(in, out));
    check_scan("tree", 2048, n / 8, false);
    TWICE(scan_steps<<<n / 256, 256, 256 * 8>>>(in, out));
    check_scan("steps", 256, n, true);
    TWICE(scan_steps<<<n / 4 / 1024, 1024, 1024 * 8>>>(in, out));
    check_scan("steps", 1024, n / 4, true);
    TWICE(scan_warps<<<n / 1024, 256>>>((int4 *)in, (int4 *)out));
    check_scan("warps", 1024, n, true);
    TWICE(scan_warps<<<n / 256, 64>>>((int4 *)in, (int4 *)out));
    check_scan("warps", 256, n, true);

    auto check_select = [&](const char *what, int size, int limit, int *counter) {
        unsigned kept =
            std::count_if(h.begin(), h.begin() + size, [=](int v) { return v < limit; });
        unsigned got = fetched(counter, 1)[0];
        expect_same(what, 0, got > 0 && got % kept == 0, true);
        auto o = fetched(out, std::min<size_t>(got, n));
        for (size_t i : places(o.size(), 500))
            expect_same(what, i, o[i] < limit, true);
    };
    TWICE(select_atomic<<<n / 4 / 256, 256>>>(in, out, count, 500));
    check_select("atomic", n / 4, 500, count);
    TWICE(select_warp<<<n / 256, 256>>>(in, out, count + 1, 500));
    check_select("warp", n, 500, count + 1);
    TWICE(select_warp<<<n / 64, 64>>>(in, out, count + 2, 100));
    check_select("warp", n, 100, count + 2);
    TWICE(select_block<<<n / 512, 512>>>(in, out, count + 3, 300));
    check_select("block", n, 300, count + 3);
    TWICE(select_block<<<n / 128, 128>>>(in, out, count + 4, 10));
    check_select("block", n, 10, count + 4);

    auto check_bins = [&](const char *what, int size, int mask) {
        auto o = fetched(bins, mask + 1);
        std::vector<int> w(mask + 1);
        for (int i = 0; i < size; i++)
            w[h[i] & mask]++;
        int times = o[0] / w[0];
        for (int i = 0; i <= mask; i++)
            expect_same(what, i, o[i], times * w[i]);
        expect_same(what, 0, times > 0, true);
        CHECK(cudaMemset(bins, 0, 4096 * 4));
    };
    TWICE(histogram_global<<<264, 256>>>(in, bins, n, 511));
    check_bins("global", n, 511);
    TWICE(histogram_global<<<64, 128>>>(in, bins, n / 8, 3));
    check_bins("global", n / 8, 3);
    TWICE(histogram_copies<<<264, 256, 8 * 512 * 4>>>(in, bins, n, 511));
    check_bins("copies", n, 511);
    TWICE(histogram_copies<<<132, 512, 16 * 64 * 4>>>(in, bins, n, 63));
    check_bins("copies", n, 63);
    TWICE(histogram_copies<<<528, 128, 4 * 4 * 4>>>(in, bins, n, 3));
    check_bins("copies", n, 3);

    long long *best = zeros<long long>(2), most = 0;
    for (int i = 0; i < n; i++)
        most = std::max(most, (long long)h[i] << 32 | i);
    TWICE(largest_eights<<<132, 256>>>(in, best, n));
    TWICE(largest_warps<<<132, 256>>>(in, best + 1, n));
    TWICE(largest_warps<<<1056, 128>>>(in, best + 1, n));
    for (long long b : fetched(best, 2))
        expect_same("largest", 0, b == most, true);
    unsigned char *runs = filled<unsigned char>(
                      n, [](size_t i) { return scrambled(i / 24 + i / 37) & 3; }),
                  *lengths = zeros<unsigned char>(n);
    TWICE(run_lengths<<<n / 256, 256>>>(runs, lengths, n));
    auto hr = fetched(runs, n), hl = fetched(lengths, n);
    for (int i = 0; i < n;) {
        int length = 1;
        while (i + length < n && hr[i + length] == hr[i])
            length++;
        expect_same("runs", i, hl[i], std::min(length, 255));
        i += length;
    }
    auto check_segments = [&](const char *what, int segments, int length) {
        auto o = fetched(out, segments);
        for (int s = 0; s < segments; s++) {
            int sum = 0;
            for (int k = 0; k < length; k++)
                sum += h[s * length + k];
            expect_same(what, s, o[s], sum);
        }
        CHECK(cudaMemset(out, 0, n * 4));
    };
    TWICE(segment_thread<<<n / 64 / 128, 128>>>(in, out, 64));
    check_segments("thread", n / 64, 64);
    TWICE(segment_thread<<<n / 8 / 256, 256>>>(in, out, 8));
    check_segments("thread", n / 8, 8);
    TWICE(segment_warp<<<n / 64 / 4, 128>>>(in, out, 64));
    check_segments("warp", n / 64, 64);
    TWICE(segment_warp<<<n / 1024 / 8, 256>>>(in, out, 1024));
    check_segments("warp", n / 1024, 1024);
    return verdict("primitives");
}
