/* Sorting: the passes of a radix sort, bitonic networks, insertion sort a thread, merging by ranks. */
#include "expect.cuh"
#include <algorithm>

/* Digits of a block's keys, counted in shared memory; counts[digit][block]. */
__global__ void count_digits(const unsigned *keys, int *counts, int shift, int each)
{
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < each; k++) {
        unsigned key = keys[(blockIdx.x * each + k) * blockDim.x + threadIdx.x];
        atomicAdd(&bins[key >> shift & 15], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

/* Exclusive sums by one block, a run of COUNT / blockDim.x for a thread. */
__global__ void scan_counts(const int *counts, int *starts, int count)
{
    __shared__ int sums[1024];
    int each = count / blockDim.x, t = threadIdx.x, sum = 0;
    for (int k = 0; k < each; k++)
        sum += counts[t * each + k];
    sums[t] = sum;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += v;
        __syncthreads();
    }
    int run = sums[t] - sum;
    for (int k = 0; k < each; k++) {
        starts[t * each + k] = run;
        run += counts[t * each + k];
    }
}

/* Stable scatter; ranks inside a warp by ballots, between warps by a table. */
__global__ void scatter_digits(const unsigned *keys, const int *starts, unsigned *out, int shift,
                               int each)
{
    __shared__ int next[16], table[32][16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < 16)
        next[threadIdx.x] = starts[threadIdx.x * gridDim.x + blockIdx.x];
    for (int k = 0; k < each; k++) {
        unsigned key = keys[(blockIdx.x * each + k) * blockDim.x + threadIdx.x];
        unsigned digit = key >> shift & 15, same = ~0u;
        for (int b = 0; b < 4; b++) {
            unsigned votes = __ballot_sync(~0u, digit >> b & 1);
            same &= digit >> b & 1 ? votes : ~votes;
        }
        int rank = __popc(same & ((1u << lane) - 1));
        if (lane < 16)
            table[warp][lane] = 0;
        __syncwarp();
        if (rank == 0)
            table[warp][digit] = __popc(same);
        __syncthreads();
        if (threadIdx.x < 16) {
            int run = next[threadIdx.x];
            for (int w = 0; w < blockDim.x / 32; w++) {
                int c = table[w][threadIdx.x];
                table[w][threadIdx.x] = run;
                run += c;
            }
            next[threadIdx.x] = run;
        }
        __syncthreads();
        out[table[warp][digit] + rank] = key;
        __syncthreads();
    }
}

/* Each block sorts twice its threads' number of keys in shared memory. */
__global__ void bitonic_block(const unsigned *keys, unsigned *out)
{
    extern __shared__ unsigned s[];
    int n = blockDim.x * 2, t = threadIdx.x;
    s[t] = keys[blockIdx.x * n + t];
    s[t + blockDim.x] = keys[blockIdx.x * n + t + blockDim.x];
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            int p = 2 * t - (t & (stride - 1)), q = p + stride;
            unsigned a = s[p], b = s[q];
            if ((a > b) == ((p & size) == 0))
                s[p] = b, s[q] = a;
        }
    __syncthreads();
    out[blockIdx.x * n + t] = s[t];
    out[blockIdx.x * n + t + blockDim.x] = s[t + blockDim.x];
}

/* One step over the whole array. */
__global__ void bitonic_step(const unsigned *keys, unsigned *out, int size, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int p = 2 * t - (t & (stride - 1)), q = p + stride;
    unsigned a = keys[p], b = keys[q];
    bool swap = (a > b) == ((p & size) == 0);
    out[p] = swap ? b : a;
    out[q] = swap ? a : b;
}

/* Every thread sorts 16 keys of its own by insertion, in local memory. */
__global__ void insertion(const unsigned *keys, unsigned *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine[16];
    int have = 0;
    for (; have < 16; have++) {
        unsigned key = keys[t * 16 + have];
        int i = have;
        for (; i > 0 && mine[i - 1] > key; i--)
            mine[i] = mine[i - 1];
        mine[i] = key;
    }
    for (int i = 0; i < 16; i++)
        out[t * 16 + i] = mine[i];
}

/* Two sorted runs become one: each key finds its rank in the other run by bisection. */
__global__ void merge_ranks(const unsigned *keys, unsigned *out, int run)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int pair = t / (2 * run), inside = t % (2 * run);
    const unsigned *other = keys + pair * 2 * run + (inside < run ? run : 0);
    unsigned key = keys[t];
    int low = 0, high = run;
    while (low < high) {
        int middle = (low + high) / 2;
        if (inside < run ? other[middle] < key : other[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    out[pair * 2 * run + inside % run + low] = key;
}

int main()
{
    const int n = 1 << 19;
    unsigned *keys = filled<unsigned>(n, [](size_t i) { return scrambled(i); }),
             *out = zeros<unsigned>(n);
    unsigned *out2 = zeros<unsigned>(n);
    int *counts = zeros<int>(16 * 1024), *starts = zeros<int>(16 * 1024);
    auto h = fetched(keys, n);

    auto pass = [&](int shift) {
        auto o = fetched(out, n), w = h;
        std::stable_sort(w.begin(), w.end(), [=](unsigned a, unsigned b) {
            return (a >> shift & 15) < (b >> shift & 15);
        });
        for (int i = 0; i < n; i++)
            expect_same("radix", i, o[i], w[i]);
    };
    TWICE(count_digits<<<512, 256>>>(keys, counts, 8, n / 512 / 256));
    TWICE(scan_counts<<<1, 512>>>(counts, starts, 16 * 512));
    TWICE(scatter_digits<<<512, 256>>>(keys, starts, out, 8, n / 512 / 256));
    pass(8);
    TWICE(count_digits<<<128, 1024>>>(keys, counts, 28, n / 128 / 1024));
    TWICE(scan_counts<<<1, 1024>>>(counts, starts, 16 * 128));
    TWICE(scatter_digits<<<128, 1024>>>(keys, starts, out, 28, n / 128 / 1024));
    pass(28);

    auto runs = [&](const char *what, int run, const unsigned *memory, int count) {
        auto o = fetched(memory, count), w = std::vector<unsigned>(h.begin(), h.begin() + count);
        for (int i = 0; i < count; i += run)
            std::sort(w.begin() + i, w.begin() + i + run);
        for (int i = 0; i < count; i++)
            expect_same(what, i, o[i], w[i]);
    };
    TWICE(bitonic_block<<<n / 256, 128, 256 * 4>>>(keys, out));
    runs("bitonic", 256, out, n);
    TWICE(merge_ranks<<<n / 256, 256>>>(out, out2, 256));
    runs("merge", 512, out2, n);
    TWICE(bitonic_block<<<n / 2 / 2048, 1024, 2048 * 4>>>(keys, out));
    runs("bitonic", 2048, out, n / 2);
    TWICE(merge_ranks<<<n / 2 / 512, 512>>>(out, out2, 2048));
    runs("merge", 4096, out2, n / 2);
    TWICE(insertion<<<n / 16 / 64, 64>>>(keys, out));
    runs("insertion", 16, out, n);
    TWICE(insertion<<<n / 64 / 256, 256>>>(keys, out));
    TWICE(bitonic_step<<<n / 2 / 256, 256>>>(keys, out, 1 << 18, 1 << 17));
    TWICE(bitonic_step<<<n / 2 / 128, 128>>>(keys, out, 1 << 18, 4));
    auto o = fetched(out, n);
    for (size_t i : places(n, 2000)) {
        unsigned a = h[i], b = h[i ^ 4];
        bool up = (i & 1 << 18) == 0, first = (i & 4) == 0;
        expect_same("step", i, o[i], up == first ? std::min(a, b) : std::max(a, b));
    }
    return verdict("ordering");
}
