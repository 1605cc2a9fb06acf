/* Values that threads exchange without memory: matches and reductions of a warp, votes of a block, and
 * the cooperative groups that use them. */
#include "tests/support/check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define THREADS 256

__host__ __device__ static unsigned key(unsigned t)
{
    return t * t % 7;
}

/* The lanes that have this lane's key, and whether all lanes of a half-warp agree. */
__global__ void matches(unsigned *same, unsigned *all)
{
    unsigned t = threadIdx.x, half = t & 16 ? 0xffff0000u : 0x0000ffffu;
    int agree;
    same[t] = __match_any_sync(0xffffffffu, (unsigned long long)key(t) << 40);
    unsigned mask = __match_all_sync(half, t / 32 % 2 ? key(t) : 5, &agree);
    all[t] = agree ? mask : 1;
}

__global__ void reductions(unsigned *out)
{
    unsigned t = threadIdx.x, value = key(t) + 3;
    int negative = 3 - (int)value;
#if __CUDA_ARCH__ >= 800
    out[t] = __reduce_add_sync(0xffffffffu, value) + 1000 * __reduce_max_sync(0xffffffffu, value) +
             100000 * __reduce_xor_sync(0xffffffffu, value) +
             __reduce_min_sync(0xffffffffu, negative);
#else
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    out[t] = cg::reduce(warp, value, cg::plus<unsigned>()) +
             1000 * cg::reduce(warp, value, cg::greater<unsigned>()) +
             100000 * cg::reduce(warp, value, cg::bit_xor<unsigned>()) +
             cg::reduce(warp, negative, cg::less<int>());
#endif
}

/* Votes of the block. Some become true only because of one warp. */
__global__ void votes(int *out)
{
    int t = threadIdx.x;
    int odd = __syncthreads_count(t & 1), none = __syncthreads_or(t > 1000);
    int some = __syncthreads_or(t == 77), every = __syncthreads_and(t < THREADS);
    int not_every = __syncthreads_and(t != 200);
    out[t] = odd + 1000 * none + 2000 * some + 4000 * every + 8000 * not_every;
}

/* Sums over the lanes with the same key, and results for odd and even keys separately. */
__global__ void partitions(unsigned *labeled, unsigned *binary, unsigned *scans)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    auto friends = cg::labeled_partition(warp, key(t));
    labeled[t] = cg::reduce(friends, t, cg::plus<unsigned>()) * 100 + friends.size();
    auto side = cg::binary_partition(warp, key(t) & 1);
    binary[t] = cg::reduce(side, t, cg::bit_or<unsigned>()) * 100 + side.thread_rank();
    scans[t] = cg::exclusive_scan(warp, key(t), cg::plus<unsigned>());
}

/* Lanes leave a lock one by one and must reconverge at the ballot. */
__global__ void locked(int *lock, int *count, unsigned *out)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)count += 1;
            __threadfence();
            done = true;
            atomicExch(lock, 0);
        }
    }
    out[threadIdx.x] = __ballot_sync(0xffffffffu, threadIdx.x % 3 == 0);
}

static unsigned out[3][THREADS];

static unsigned long long digest(const unsigned *words)
{
    unsigned long long sum = 0;
    for (unsigned i = 0; i < THREADS; i++)
        sum = sum * 31 + words[i];
    return sum;
}

static void check_matches()
{
    unsigned same[THREADS], all[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        same[t] = 0;
        bool agree = true;
        for (unsigned k = 0; k < 32; k++) {
            unsigned other = t / 32 * 32 + k;
            same[t] |= (unsigned)(key(other) == key(t)) << k;
            if (t / 32 % 2 && other / 16 == t / 16)
                agree &= key(other) == key(t / 16 * 16);
        }
        all[t] = !agree ? 1 : t & 16 ? 0xffff0000u : 0x0000ffffu;
    }
    expect("lanes with the same value", digest(out[0]), digest(same));
    expect("halves that agree", digest(out[1]), digest(all));
}

static void check_reductions()
{
    unsigned right[THREADS];
    for (unsigned w = 0; w < THREADS; w += 32) {
        unsigned sum = 0, most = 0, parity = 0;
        int least = 0;
        for (unsigned t = w; t < w + 32; t++) {
            unsigned value = key(t) + 3;
            sum += value;
            most = value > most ? value : most;
            parity ^= value;
            least = 3 - (int)value < least ? 3 - (int)value : least;
        }
        for (unsigned t = w; t < w + 32; t++)
            right[t] = sum + 1000 * most + 100000 * parity + least;
    }
    expect("reductions of a warp", digest(out[0]), digest(right));
}

static void check_partitions()
{
    unsigned labeled[THREADS], binary[THREADS], scans[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned sum = 0, size = 0, bits = 0, rank = 0, before = 0;
        for (unsigned k = t / 32 * 32; k < t / 32 * 32 + 32; k++) {
            sum += key(k) == key(t) ? k : 0;
            size += key(k) == key(t);
            bits |= (key(k) & 1) == (key(t) & 1) ? k : 0;
            rank += k < t && (key(k) & 1) == (key(t) & 1);
            before += k < t ? key(k) : 0;
        }
        labeled[t] = sum * 100 + size;
        binary[t] = bits * 100 + rank;
        scans[t] = before;
    }
    expect("labeled partitions", digest(out[0]), digest(labeled));
    expect("binary partitions", digest(out[1]), digest(binary));
    expect("exclusive scans", digest(out[2]), digest(scans));
}

int main()
{
    unsigned *d;
    int *lock;
    MUST(cudaMalloc(&d, sizeof out));
    MUST(cudaMalloc(&lock, 2 * sizeof *lock));
    MUST(cudaMemset(lock, 0, 2 * sizeof *lock));
    matches<<<1, THREADS>>>(d, d + THREADS);
    FINISH();
    MUST(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    check_matches();
    reductions<<<1, THREADS>>>(d);
    FINISH();
    MUST(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    check_reductions();
    votes<<<1, THREADS>>>((int *)d);
    FINISH();
    MUST(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    expect("votes of a block", out[0][0], 128u + 2000 + 4000);
    expect("every thread gets the votes", out[0][THREADS - 1], out[0][0]);
    partitions<<<1, THREADS>>>(d, d + THREADS, d + 2 * THREADS);
    FINISH();
    MUST(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    check_partitions();
    locked<<<1, 32>>>(lock, lock + 1, d);
    FINISH();
    MUST(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < 32; t++)
        if (out[0][t] != 0x49249249u)
            expect("ballot after a lock", out[0][t], 0x49249249u);
    return summary();
}
