/* Reductions of all kinds. */
#include "common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

/* Partial sums of squares, a tree in shared memory, two loads per thread. */
template <typename T> __global__ void squaresTree(T *partial, const T *in, int n)
{
    extern __shared__ unsigned char raw[];
    T *s = (T *)raw;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    T x = i < n ? in[i] : T(0), y = i + (int)blockDim.x < n ? in[i + blockDim.x] : T(0);
    s[t] = x * x + y * y;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

/* The last warp without barriers. */
__global__ void squaresUnrolled(float *partial, const float *in, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    float x = i < n ? in[i] : 0, y = i + 256 < n ? in[i + 256] : 0;
    s[t] = x * x + y * y;
    __syncthreads();
    if (t < 128)
        s[t] += s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        float sum = s[t] + s[t + 32];
        for (int d = 16; d; d >>= 1)
            sum += __shfl_down_sync(~0u, sum, d);
        if (t == 0)
            partial[blockIdx.x] = sum;
    }
}

/* Smallest and where it is, by a pair of shuffles. */
__global__ void argMin(float *value, int *where, const float *in, int n)
{
    __shared__ float values[32];
    __shared__ int places[32];
    float best = 1e30f;
    int place = -1;
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x)
        if (in[i] < best) {
            best = in[i];
            place = i;
        }
    for (int round = 0; round < 2; round++) {
        for (int d = 16; d; d /= 2) {
            float other = __shfl_down_sync(~0u, best, d);
            int theirs = __shfl_down_sync(~0u, place, d);
            if (other < best || (other == best && theirs < place)) {
                best = other;
                place = theirs;
            }
        }
        if (round)
            break;
        if (threadIdx.x % 32 == 0) {
            values[threadIdx.x / 32] = best;
            places[threadIdx.x / 32] = place;
        }
        __syncthreads();
        if (threadIdx.x >= 32)
            return;
        best = threadIdx.x < blockDim.x / 32 ? values[threadIdx.x] : 1e30f;
        place = threadIdx.x < blockDim.x / 32 ? places[threadIdx.x] : -1;
    }
    if (threadIdx.x == 0) {
        value[blockIdx.x] = best;
        where[blockIdx.x] = place;
    }
}

/* Mean and variance by Welford's rule, merged in shared memory. */
__global__ void welford(float3 *out, const float *in, int n)
{
    __shared__ float3 s[256];
    float mean = 0, m2 = 0, count = 0;
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], d = x - mean;
        count += 1;
        mean += d / count;
        m2 += d * (x - mean);
    }
    s[threadIdx.x] = make_float3(mean, m2, count);
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (threadIdx.x < d) {
            float3 a = s[threadIdx.x], b = s[threadIdx.x + d];
            float all = a.z + b.z, delta = b.x - a.x;
            if (all > 0)
                s[threadIdx.x] = make_float3(a.x + delta * b.z / all,
                                             a.y + b.y + delta * delta * a.z * b.z / all, all);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

/* A block adds up a segment; segments differ in length. */
__global__ void segmentBlocks(float *out, const float *in, const int *starts)
{
    __shared__ float part;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    float sum = 0;
    for (int i = starts[blockIdx.x] + threadIdx.x; i < starts[blockIdx.x + 1]; i += blockDim.x)
        sum += in[i];
    sum = cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), sum, cg::plus<float>());
    if (threadIdx.x % 32 == 0)
        atomicAdd(&part, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = part;
}

__global__ void segmentThreads(float *out, const float *in, const int *starts, int segments)
{
    int s = own_index();
    if (s >= segments)
        return;
    float sum = 0;
    for (int i = starts[s]; i < starts[s + 1]; i++)
        sum += in[i];
    out[s] = sum;
}

/* How many are odd: votes and one atomic per warp, or barriers that count. */
__global__ void countVotes(unsigned *count, const int *in, int n)
{
    unsigned own = 0;
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x)
        own += __popc(__ballot_sync(__activemask(), in[i] & 1)) * (threadIdx.x % 32 == 0);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, own);
}

__global__ void countBarriers(unsigned *count, const int *in, int n)
{
    unsigned own = 0;
    for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        int i = first + threadIdx.x;
        own += __syncthreads_count(i < n && (in[i] & 1));
    }
    if (threadIdx.x == 0)
        atomicAdd(count, own);
}

/* Sums that lose nothing: Kahan's, many additions that wait for each other. */
__global__ void kahan(float *out, const float *in, int each)
{
    int i = own_index(), threads = gridDim.x * blockDim.x;
    float sum = 0, lost = 0;
    for (int k = 0; k < each; k++) {
        float y = in[k * threads + i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    out[i] = sum;
}

__global__ void andOrXor(unsigned *out, const unsigned *in, int n)
{
    unsigned all = ~0u, any = 0, odd = 0;
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) {
        all &= in[i];
        any |= in[i];
        odd ^= in[i];
    }
    all = __reduce_and_sync(~0u, all);
    any = __reduce_or_sync(~0u, any);
    odd = __reduce_xor_sync(~0u, odd);
    if (threadIdx.x % 32 == 0) {
        atomicAnd(&out[0], all);
        atomicOr(&out[1], any);
        atomicXor(&out[2], odd);
    }
}

int main()
{
    const int n = 2000000;
    auto in = random_between<float>(n, -1, 1);
    auto din = random_between<double>(n / 2, -1, 1);
    float *out = zeros<float>(1 << 18);
    double *dout = zeros<double>(1 << 13);
    auto squares = [&](int each, int length) {
        return [&, each, length](size_t b) {
            double sum = 0;
            for (size_t i = b * each; i < (b + 1) * each && i < length; i++)
                sum += (double)in[i] * in[i];
            return sum;
        };
    };
    for (int block : {64, 256, 1024}) {
        TWICE(squaresTree<float>
              <<<blocks_for(n, 2 * block), block, block * 4>>>(out, in.device, n));
        expect("squaresTree", out, blocks_for(n, 2 * block), squares(2 * block, n), 1e-4);
    }
    TWICE(squaresTree<float><<<8, 256, 1024>>>(out, in.device, 4000));
    TWICE(squaresTree<double><<<blocks_for(n / 2, 512), 256, 2048>>>(dout, din.device, n / 2));
    expect(
        "squaresTree, double", dout, blocks_for(n / 2, 512),
        [&](size_t b) {
            double sum = 0;
            for (size_t i = b * 512; i < (b + 1) * 512 && i < n / 2; i++)
                sum += din[i] * din[i];
            return sum;
        },
        1e-12);
    TWICE(squaresUnrolled<<<blocks_for(n, 512), 256>>>(out, in.device, n));
    expect("squaresUnrolled", out, blocks_for(n, 512), squares(512, n), 1e-4);

    int *where = zeros<int>(1024);
    auto smallest = [&](int blocks, int length) {
        auto places = fetched(where, blocks);
        int best = places[0];
        for (int p : places)
            if (p >= 0 && (in[p] < in[best] || (in[p] == in[best] && p < best)))
                best = p;
        int real =
            (int)(std::min_element(in.host.begin(), in.host.begin() + length) - in.host.begin());
        if (comparing() && in[best] != in[real]) {
            fprintf(stderr, "argMin: %d instead of %d\n", best, real);
            exit(4);
        }
    };
    TWICE(argMin<<<264, 256>>>(out, where, in.device, n));
    smallest(264, n);
    TWICE(argMin<<<1, 1024>>>(out, where, in.device, 60000));
    smallest(1, 60000);

    float3 *moments = zeros<float3>(1024);
    auto mean = [&](int blocks, int length) {
        if (!comparing())
            return;
        double got = 0, want = 0, got2 = 0;
        for (auto &m : fetched(moments, blocks)) {
            got += (double)m.x * m.z;
            got2 += m.y + (double)m.x * m.x * m.z;
        }
        double want2 = 0;
        for (int i = 0; i < length; i++) {
            want += in[i];
            want2 += (double)in[i] * in[i];
        }
        if (std::fabs(got - want) > 1e-3 * length || std::fabs(got2 - want2) > 1e-3 * length) {
            fprintf(stderr, "welford: %g instead of %g\n", got, want);
            exit(4);
        }
    };
    TWICE(welford<<<528, 256>>>(moments, in.device, n));
    mean(528, n);
    TWICE(welford<<<16, 128>>>(moments, in.device, 100000));
    mean(16, 100000);

    std::vector<int> long_starts{0}, short_starts{0};
    while (long_starts.back() < n)
        long_starts.push_back(
            std::min(n, long_starts.back() + 200 + (int)(scrambled(long_starts.size()) % 4000)));
    while (short_starts.back() < n / 2)
        short_starts.push_back(
            std::min(n / 2, short_starts.back() + 1 + (int)(scrambled(short_starts.size()) % 30)));
    auto longs = sent(long_starts), shorts = sent(short_starts);
    const int many = (int)long_starts.size() - 1, more = (int)short_starts.size() - 1;
    auto segment = [&](const std::vector<int> &starts) {
        return [&](size_t s) {
            double sum = 0;
            for (int i = starts[s]; i < starts[s + 1]; i++)
                sum += in[i];
            return sum;
        };
    };
    TWICE(segmentBlocks<<<many, 128>>>(out, in.device, longs.device));
    expect("segmentBlocks", out, many, segment(long_starts), 1e-3);
    TWICE(segmentThreads<<<blocks_for(many, 64), 64>>>(out, in.device, longs.device, many));
    expect("segmentThreads", out, many, segment(long_starts), 1e-3);
    TWICE(segmentThreads<<<blocks_for(more, 256), 256>>>(out, in.device, shorts.device, more));
    expect("segmentThreads, short", out, more, segment(short_starts), 1e-4);
    TWICE(segmentBlocks<<<more / 4, 32>>>(out, in.device, shorts.device));
    expect("segmentBlocks, short", out, more / 4, segment(short_starts), 1e-4);

    auto numbers = random_below(n, 1 << 20);
    unsigned *count = zeros<unsigned>(4);
    auto odd = [&](size_t) {
        unsigned sum = 0;
        for (int x : numbers.host)
            sum += x & 1;
        return 2 * sum;
    };
    TWICE(countVotes<<<256, 256>>>(count, numbers.device, n));
    expect("countVotes", count, 1, odd);
    CHECK(cudaMemset(count, 0, 4));
    TWICE(countBarriers<<<256, 256>>>(count, numbers.device, n));
    expect("countBarriers", count, 1, odd);
    TWICE(kahan<<<128, 128>>>(out, in.device, 120));
    expect(
        "kahan", out, 128 * 128,
        [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < 120; k++)
                sum += in[k * 128 * 128 + i];
            return sum;
        },
        1e-6);
    unsigned start[4] = {~0u, 0, 0, 0};
    CHECK(cudaMemcpy(count, start, sizeof start, cudaMemcpyHostToDevice));
    TWICE(andOrXor<<<132, 512>>>(count, (unsigned *)numbers.device, n));
    expect("andOrXor", count, 3, [&](size_t k) {
        unsigned all = ~0u, any = 0;
        for (int x : numbers.host) {
            all &= x;
            any |= x;
        }
        return k == 0 ? all : k == 1 ? any : 0; // an odd number twice
    });
    return 0;
}
