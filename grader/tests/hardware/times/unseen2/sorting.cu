/* Sorting: whole arrays in blocks, and single passes. */
#include "common.cuh"

/* A block sorts pairs of key and value. */
__global__ void bitonicPairs(unsigned *keysOut, int *valuesOut, const unsigned *keys,
                             const int *values)
{
    extern __shared__ unsigned k[];
    int *v = (int *)(k + blockDim.x * 2), t = threadIdx.x, n = blockDim.x * 2,
        first = blockIdx.x * n;
    for (int i = t; i < n; i += blockDim.x) {
        k[i] = keys[first + i];
        v[i] = values[first + i];
    }
    for (int size = 2; size <= n; size *= 2)
        for (int d = size / 2; d; d /= 2) {
            __syncthreads();
            int a = 2 * t - (t & (d - 1)), b = a + d;
            bool up = (a & size) == 0;
            if ((k[a] > k[b]) == up) {
                unsigned key = k[a];
                int value = v[a];
                k[a] = k[b];
                v[a] = v[b];
                k[b] = key;
                v[b] = value;
            }
        }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        keysOut[first + i] = k[i];
        valuesOut[first + i] = v[i];
    }
}

/* One step over the whole array, into another one. */
template <typename T> __global__ void bitonicPass(T *out, const T *in, int size, int d)
{
    int i = own_index();
    T mine = in[i], other = in[i ^ d];
    bool small = ((i & size) == 0) == ((i & d) == 0);
    out[i] = small ? min(mine, other) : max(mine, other);
}

/* A block sorts 2 x its threads by odd-even transposition. */
__global__ void oddEvenBlock(int *out, const int *in)
{
    __shared__ int s[512];
    int t = threadIdx.x, n = blockDim.x * 2, first = blockIdx.x * n;
    s[t] = in[first + t];
    s[t + n / 2] = in[first + t + n / 2];
    __syncthreads();
    for (int round = 0; round < n; round++) {
        int a = 2 * t + (round & 1);
        if (a + 1 < n && s[a] > s[a + 1]) {
            int x = s[a];
            s[a] = s[a + 1];
            s[a + 1] = x;
        }
        __syncthreads();
    }
    out[first + t] = s[t];
    out[first + t + n / 2] = s[t + n / 2];
}

/* Everyone counts how many are smaller. */
__global__ void rankSort(float *out, const float *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float x = in[i];
    int rank = 0;
    for (int k = 0; k < n; k++)
        rank += in[k] < x || (in[k] == x && k < i);
    out[rank] = x;
}

__global__ void rankSortTiled(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    int i = own_index(), rank = 0;
    float x = i < n ? in[i] : 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = first + threadIdx.x < n ? in[first + threadIdx.x] : 1e30f;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++)
            rank += tile[k] < x || (tile[k] == x && first + k < i);
        __syncthreads();
    }
    if (i < n)
        out[rank] = x;
}

/* A pass of radix sort by 4 bits: the digits' places are known for every block; a warp at a time ranks its keys. */
__global__ void radixScatter(unsigned *out, const unsigned *in, const int *offsets, int shift)
{
    __shared__ int next[16];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x < 16)
        next[threadIdx.x] = offsets[threadIdx.x * gridDim.x + blockIdx.x];
    __syncthreads();
    unsigned key = in[own_index()], digit = key >> shift & 15;
    for (int w = 0; w < blockDim.x / 32; w++) {
        if (warp == w) {
            unsigned same = __match_any_sync(~0u, digit);
            int place = next[digit] + __popc(same & ((1u << lane) - 1));
            __syncwarp();
            if (__ffs(same) - 1 == lane)
                next[digit] += __popc(same);
            out[place] = key;
        }
        __syncthreads();
    }
}

__global__ void radixHistogram(int *counts, const unsigned *in, int shift)
{
    __shared__ int own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[in[own_index()] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

/* Every thread merges EACH elements, from where the diagonal meets the path. */
__global__ void mergePath(int *out, const int *a, const int *b, int n, int each)
{
    int diagonal = own_index() * each;
    if (diagonal >= 2 * n)
        return;
    int low = max(0, diagonal - n), high = min(diagonal, n);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = 0; k < each && diagonal + k < 2 * n; k++)
        out[diagonal + k] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

/* A thread sorts 16 of its own by Shell's method, in local memory. */
__global__ void shellSort(int *out, const int *in, int n)
{
    int first = own_index() * 16, own[16];
    if (first >= n)
        return;
    for (int i = 0; i < 16; i++)
        own[i] = in[first + i];
    for (int gap = 7; gap; gap /= 2)
        for (int i = gap; i < 16; i++) {
            int x = own[i], k = i;
            for (; k >= gap && own[k - gap] > x; k -= gap)
                own[k] = own[k - gap];
            own[k] = x;
        }
    for (int i = 0; i < 16; i++)
        out[first + i] = own[i];
}

static std::vector<int> sorted_runs(std::vector<int> v, size_t run)
{
    for (size_t i = 0; i + run <= v.size(); i += run)
        std::sort(v.begin() + i, v.begin() + i + run);
    return v;
}

int main()
{
    const int n = 1 << 18;
    auto keys = random_below(n, 1 << 30), places = made<int>(n, [](size_t i) { return (int)i; });
    int *out = zeros<int>(n), *values = zeros<int>(n);
    std::vector<int> want;
    auto sorted = [&](size_t i) { return want[i]; };
    for (int block : {64, 256, 512}) {
        want = sorted_runs(keys.host, 2 * block);
        TWICE(bitonicPairs<<<n / block / 2, block, block * 16>>>(
            (unsigned *)out, values, (unsigned *)keys.device, places.device));
        expect("bitonicPairs", out, n, sorted);
        auto moved = fetched(values, n);
        expect("bitonicPairs, values", out, n, [&](size_t i) { return keys[moved[i]]; });
    }
    TWICE(bitonicPass<int><<<n / 256, 256>>>(out, keys.device, 1 << 18, 1 << 17));
    auto pass = [&](size_t i) {
        size_t d = 1 << 17;
        return i & d ? std::max(keys[i], keys[i ^ d]) : std::min(keys[i], keys[i ^ d]);
    };
    expect("bitonicPass", out, n, pass);
    TWICE(bitonicPass<int><<<n / 256, 256>>>(out, keys.device, 1 << 10, 4));
    auto wide = made<long long>(n, [&](size_t i) { return (long long)keys[i] << 20 | i; });
    long long *wide_out = zeros<long long>(n);
    TWICE(bitonicPass<long long><<<n / 256, 256>>>(wide_out, wide.device, 1 << 18, 1 << 17));
    expect("bitonicPass, long", wide_out, n, [&](size_t i) {
        size_t d = 1 << 17;
        return i & d ? std::max(wide[i], wide[i ^ d]) : std::min(wide[i], wide[i ^ d]);
    });
    want = sorted_runs(keys.host, 512);
    TWICE(oddEvenBlock<<<128, 256>>>(out, keys.device));
    expect("oddEvenBlock", out, 128 * 512, sorted);
    want = sorted_runs(keys.host, 64);
    TWICE(oddEvenBlock<<<1024, 32>>>(out, keys.device));
    expect("oddEvenBlock", out, 1024 * 64, sorted);

    const int ranks = 5000;
    auto fkeys = random_between<float>(ranks, 0, 1);
    float *fout = zeros<float>(ranks);
    auto fwant = fkeys.host;
    std::sort(fwant.begin(), fwant.end());
    TWICE(rankSort<<<blocks_for(ranks, 128), 128>>>(fout, fkeys.device, ranks));
    expect("rankSort", fout, ranks, [&](size_t i) { return fwant[i]; });
    TWICE(rankSortTiled<<<blocks_for(ranks, 256), 256>>>(fout, fkeys.device, ranks));
    expect("rankSortTiled", fout, ranks, [&](size_t i) { return fwant[i]; });
    TWICE(rankSortTiled<<<4, 256>>>(fout, fkeys.device, 1000));

    for (int block : {128, 512}) {
        int blocks = n / block, shift = block == 128 ? 4 : 26;
        int *counts = zeros<int>(16 * blocks);
        TWICE(radixHistogram<<<blocks, block>>>(counts, (unsigned *)keys.device, shift));
        std::vector<int> tally(16 * blocks), offsets(16 * blocks);
        for (int i = 0; i < n; i++)
            tally[(keys[i] >> shift & 15) * blocks + i / block]++;
        expect("radixHistogram", counts, 16 * blocks, [&](size_t i) { return tally[i]; });
        for (int i = 0, sum = 0; i < 16 * blocks; sum += tally[i++])
            offsets[i] = sum;
        auto given = sent(offsets);
        TWICE(radixScatter<<<blocks, block>>>((unsigned *)out, (unsigned *)keys.device,
                                              given.device, shift));
        want = keys.host;
        std::stable_sort(want.begin(), want.end(),
                         [=](int a, int b) { return (a >> shift & 15) < (b >> shift & 15); });
        expect("radixScatter", out, n, sorted);
    }
    auto a = sent(sorted_runs(keys.host, n)),
         b = sent(sorted_runs(random_below(n, 1 << 30, 5).host, n));
    int *merged = zeros<int>(2 * n);
    want.resize(2 * n);
    std::merge(a.host.begin(), a.host.end(), b.host.begin(), b.host.end(), want.begin());
    for (int each : {4, 32}) {
        TWICE(
            mergePath<<<blocks_for(2 * n / each, 128), 128>>>(merged, a.device, b.device, n, each));
        expect("mergePath", merged, 2 * n, sorted);
    }
    want = sorted_runs(keys.host, 16);
    TWICE(shellSort<<<n / 16 / 64, 64>>>(out, keys.device, n));
    expect("shellSort", out, n, sorted);
    return 0;
}
