/* Histograms, atomics and compaction. */
#include "common.cuh"

/* Two coordinates make the bin; weights are added. */
__global__ void joint(float *bins, const float2 *points, const float *weights, int side, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    int x = min((int)(points[i].x * side), side - 1), y = min((int)(points[i].y * side), side - 1);
    atomicAdd(&bins[y * side + x], weights[i]);
}

__global__ void jointShared(float *bins, const float2 *points, const float *weights, int side,
                            int n)
{
    extern __shared__ float own[];
    for (int b = threadIdx.x; b < side * side; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) {
        int x = min((int)(points[i].x * side), side - 1),
            y = min((int)(points[i].y * side), side - 1);
        atomicAdd(&own[y * side + x], weights[i]);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < side * side; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}

/* No atomics: every thread has 16 counters of a byte in shared memory. */
__global__ void byteCounters(int *bins, const uchar4 *in, int n)
{
    __shared__ unsigned char own[16][128];
    int t = threadIdx.x;
    for (int b = 0; b < 16; b++)
        own[b][t] = 0;
    for (int k = 0; k < 32; k++) {
        int i = blockIdx.x * 128 * 32 + k * 128 + t;
        if (i < n) {
            uchar4 v = in[i];
            own[v.x >> 4][t]++;
            own[v.y >> 4][t]++;
            own[v.z >> 4][t]++;
            own[v.w >> 4][t]++;
        }
    }
    __syncthreads();
    int b = t / 8, sum = 0;
    for (int k = 0; k < 16; k++)
        sum += own[b][(t % 8) * 16 + k];
    for (int d = 4; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d, 8);
    if (t % 8 == 0)
        atomicAdd(&bins[b], sum);
}

__global__ void sharedCounters(int *bins, const uchar4 *in, int n)
{
    __shared__ int own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        int i = blockIdx.x * 128 * 32 + k * 128 + threadIdx.x;
        if (i < n) {
            uchar4 v = in[i];
            atomicAdd(&own[v.x >> 4], 1);
            atomicAdd(&own[v.y >> 4], 1);
            atomicAdd(&own[v.z >> 4], 1);
            atomicAdd(&own[v.w >> 4], 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

/* Multiplication has no atomic. */
__global__ void multiplySwapped(unsigned long long *cells, const int *where, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned long long *cell = &cells[where[i]], seen = *cell, old;
    while ((old = atomicCAS(cell, seen, seen * 3)) != seen)
        seen = old;
}

/* Extremes of 64 bits. */
__global__ void latest(long long *cells, const int *where, const long long *stamps, int n)
{
    int i = own_index();
    if (i < n)
        atomicMax(&cells[where[i]], stamps[i]);
}

/* Bits of a set, read before they are written or not. */
template <bool LOOK> __global__ void markBits(unsigned *bits, const int *numbers, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    int x = numbers[i];
    unsigned mask = 1u << x % 32;
    if (!LOOK || !(bits[x / 32] & mask))
        atomicOr(&bits[x / 32], mask);
}

/* Compaction: the places come from a scan of flags. */
__global__ void scatterKept(int *out, const int *in, const int *place, int limit, int n)
{
    int i = own_index();
    if (i < n && in[i] < limit)
        out[place[i]] = in[i];
}

/* The blocks' places are known; warps find theirs by votes. */
__global__ void compactBlocks(int *out, const int *in, const int *first, int limit, int n)
{
    __shared__ int counts[32];
    int i = own_index(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = i < n ? in[i] : limit;
    unsigned votes = __ballot_sync(~0u, x < limit);
    if (lane == 0)
        counts[warp] = __popc(votes);
    __syncthreads();
    int before = first[blockIdx.x];
    for (int w = 0; w < warp; w++)
        before += counts[w];
    if (x < limit)
        out[before + __popc(votes & ((1u << lane) - 1))] = x;
}

/* Where runs of equal numbers begin: neighbours by shuffles. */
__global__ void heads(unsigned *flags, const int *in, int n)
{
    int i = own_index(), lane = threadIdx.x % 32;
    int x = i < n ? in[i] : -1, before = __shfl_up_sync(~0u, x, 1);
    if (lane == 0)
        before = i > 0 && i < n ? in[i - 1] : -2;
    unsigned votes = __ballot_sync(~0u, i < n && x != before);
    if (lane == 0 && i < n)
        flags[i / 32] = votes;
}

int main()
{
    const int n = 600000;
    auto xy = random_between<float>(2 * n, 0, 1), weights = random_between<float>(n, 0, 1, 3);
    float2 *points = (float2 *)xy.device;
    float *bins = zeros<float>(512 * 512);
    auto count = [&](int side, double times) {
        std::vector<double> want(side * side);
        for (int i = 0; i < n; i++)
            want[std::min((int)(xy[2 * i + 1] * side), side - 1) * side +
                 std::min((int)(xy[2 * i] * side), side - 1)] += weights[i] * times;
        expect(
            "joint", bins, side * side, [&](size_t b) { return want[b]; }, 1e-3);
        CHECK(cudaMemset(bins, 0, 512 * 512 * sizeof *bins));
    };
    for (int side : {512, 32}) {
        TWICE(joint<<<blocks_for(n, 256), 256>>>(bins, points, weights.device, side, n));
        count(side, 2);
    }
    TWICE(jointShared<<<132, 256, 4096>>>(bins, points, weights.device, 32, n));
    count(32, 2);
    TWICE(jointShared<<<264, 512, 36864>>>(bins, points, weights.device, 96, n));
    count(96, 2);

    auto bytes = made<unsigned char>(
        4 * n, [](size_t i) { return (unsigned char)(scrambled(i) & scrambled(i + 5)); });
    int *tallies = zeros<int>(16);
    auto tally = [&] {
        std::vector<int> want(16);
        for (auto b : bytes.host)
            want[b >> 4] += 2;
        expect("counters", tallies, 16, [&](size_t b) { return want[b]; });
        CHECK(cudaMemset(tallies, 0, 64));
    };
    TWICE(byteCounters<<<blocks_for(n, 4096), 128>>>(tallies, (uchar4 *)bytes.device, n));
    tally();
    TWICE(sharedCounters<<<blocks_for(n, 4096), 128>>>(tallies, (uchar4 *)bytes.device, n));
    tally();

    auto where = random_below(n, 20000), few = random_below(n, 50);
    auto ones = made<unsigned long long>(20000, [](size_t) { return 1ull; });
    TWICE(multiplySwapped<<<blocks_for(n / 4, 256), 256>>>(ones.device, where.device, n / 4));
    if (comparing()) {
        std::vector<unsigned long long> want(20000, 1);
        for (int i = 0; i < n / 4; i++)
            want[where[i]] *= 9;
        auto got = fetched(ones.device, 20000);
        if (got != want) {
            fprintf(stderr, "multiplySwapped: other products instead of the right ones\n");
            exit(4);
        }
    }
    TWICE(multiplySwapped<<<8, 128>>>(ones.device, few.device, 1024));
    auto stamps = made<long long>(n, [](size_t i) { return (long long)scrambled(i) << 8; });
    long long *cells = zeros<long long>(20000);
    TWICE(latest<<<blocks_for(n, 128), 128>>>(cells, where.device, stamps.device, n));
    std::vector<long long> newest(20000);
    for (int i = 0; i < n; i++)
        newest[where[i]] = std::max(newest[where[i]], stamps[i]);
    expect("latest", cells, 20000, [&](size_t i) { return newest[i]; });
    TWICE(latest<<<blocks_for(n, 128), 128>>>(cells, few.device, stamps.device, n));

    unsigned *bits = zeros<unsigned>(1 << 15);
    auto numbers = random_below(n, 1 << 17);
    std::vector<unsigned> set(1 << 12);
    for (int x : numbers.host)
        set[x / 32] |= 1u << x % 32;
    TWICE(markBits<false><<<blocks_for(n, 256), 256>>>(bits, numbers.device, n));
    expect("markBits", bits, 1 << 12, [&](size_t i) { return set[i]; });
    TWICE(markBits<true><<<blocks_for(n, 256), 256>>>(bits, numbers.device, n));
    expect("markBits", bits, 1 << 12, [&](size_t i) { return set[i]; });

    int *out = zeros<int>(n);
    for (int limit : {1 << 16, 1 << 13}) {
        std::vector<int> place(n), first(n / 256 + 2), kept;
        for (int i = 0; i < n; i++) {
            if (i % 256 == 0)
                first[i / 256] = (int)kept.size();
            place[i] = (int)kept.size();
            if (numbers[i] < limit)
                kept.push_back(numbers[i]);
        }
        auto places = sent(place), firsts = sent(first);
        TWICE(
            scatterKept<<<blocks_for(n, 256), 256>>>(out, numbers.device, places.device, limit, n));
        expect("scatterKept", out, kept.size(), [&](size_t i) { return kept[i]; });
        CHECK(cudaMemset(out, 0, n * sizeof *out));
        TWICE(compactBlocks<<<blocks_for(n, 256), 256>>>(out, numbers.device, firsts.device, limit,
                                                         n));
        expect("compactBlocks", out, kept.size(), [&](size_t i) { return kept[i]; });
    }
    auto runs = made<int>(n, [](size_t i) { return (int)(i / 7 + i / 50 * 3); });
    TWICE(heads<<<blocks_for(n, 512), 512>>>(bits, runs.device, n));
    expect("heads", bits, n / 32, [&](size_t w) {
        unsigned votes = 0;
        for (int k = 0; k < 32; k++)
            votes |= (unsigned)(w + k == 0 || runs[w * 32 + k] != runs[w * 32 + k - 1]) << k;
        return votes;
    });
    return 0;
}
