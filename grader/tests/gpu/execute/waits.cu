/* Warps that wait for others in a loop whose condition all their lanes compute together. The
 * threads that they wait for must get their turn, whatever the function and the memory. */
#include "tests/support/check.cuh"

#include <cooperative_groups.h>
#include <cstring>

namespace cg = cooperative_groups;

#define FULL    0xffffffffu
#define WORKERS 6u /* warps, or blocks, that the first one waits for */

/* --- is any lane still waiting? ------------------------------------------------------------------ */

struct by_any {
    __device__ static bool vote(bool waits)
    {
        return __any_sync(FULL, waits);
    }
};
struct by_all {
    __device__ static bool vote(bool waits)
    {
        return !__all_sync(FULL, !waits);
    }
};
struct by_match_all {
    __device__ static bool vote(bool waits)
    {
        int same;
        __match_all_sync(FULL, (int)waits, &same);
        return !same; /* lane 0 never waits */
    }
};
struct by_ballot {
    __device__ static bool vote(bool waits)
    {
        return __ballot_sync(FULL, waits) != 0;
    }
};
struct by_match {
    __device__ static bool vote(bool waits)
    {
        return __match_any_sync(FULL, (int)waits) != FULL;
    }
};
struct by_add {
    __device__ static bool vote(bool waits)
    {
        return __reduce_add_sync(FULL, waits) != 0;
    }
};
struct by_bits {
    __device__ static bool vote(bool waits)
    {
        return __reduce_or_sync(FULL, waits) != 0;
    }
};
struct by_highest {
    __device__ static bool vote(bool waits)
    {
        return __reduce_max_sync(FULL, waits) != 0;
    }
};
struct by_shuffle {
    __device__ static bool vote(bool waits)
    {
        int count = waits;
        for (int k = 16; k > 0; k /= 2)
            count += __shfl_xor_sync(FULL, count, k);
        return __shfl_sync(FULL, count, 0);
    }
};
struct by_tile {
    __device__ static bool vote(bool waits)
    {
        return cg::tiled_partition<32>(cg::this_thread_block()).any(waits);
    }
};
/* Lanes that wait are on their own until they vote. */
struct in_two_steps {
    __device__ static bool vote(bool waits)
    {
        int mine = 0;
        if (waits)
            mine = __popc(__activemask());
        __syncwarp();
        return __any_sync(FULL, mine);
    }
};

/* --- the wait ------------------------------------------------------------------------------------ */

enum way { POLL, NAP, POLL_OFTEN, PLAIN_LOAD };

__device__ static bool is_missing(int *flags, unsigned lane, way how)
{
    bool waits = lane > 0 && lane <= WORKERS;
    if (how == PLAIN_LOAD)
        return waits && !flags[lane];
    /* long enough for several slices before each vote */
    for (int i = 0; how == POLL_OFTEN && i < 1000 && waits; i++)
        waits = !((volatile int *)flags)[lane];
    return waits && !((volatile int *)flags)[lane];
}

/* Each warp (or block) with a number above 0 adds up some squares and sets a flag. Number 0 waits
 * for all others and adds up their sums. */
template <typename condition>
__device__ static void work(unsigned number, int *flags, int *sums, way how)
{
    unsigned lane = threadIdx.x % 32;
    if (number == 0) {
        if (how == NAP)
            while (condition::vote(is_missing(flags, lane, NAP)))
                __nanosleep(20);
        else if (how == POLL)
            while (condition::vote(is_missing(flags, lane, POLL)))
                ;
        else if (how == POLL_OFTEN)
            while (condition::vote(is_missing(flags, lane, POLL_OFTEN)))
                ;
        else
            while (condition::vote(is_missing(flags, lane, PLAIN_LOAD)))
                __threadfence();
        __threadfence();
        if (lane > 0 && lane <= WORKERS)
            atomicAdd(&sums[0], ((volatile int *)sums)[lane]);
    } else if (lane == 0) {
        for (unsigned i = 0; i < 10 * number; i++)
            ((volatile int *)sums)[number] += i * i;
        __threadfence();
        ((volatile int *)flags)[number] = 1;
    }
}

template <typename condition> __global__ void among_warps(int *sums, way how)
{
    __shared__ int flags[WORKERS + 1];
    if (threadIdx.x <= WORKERS)
        flags[threadIdx.x] = 0;
    __syncthreads();
    work<condition>(threadIdx.x / 32, flags, sums, how);
}

template <typename condition> __global__ void by_global_memory(int *flags, int *sums, way how)
{
    work<condition>(threadIdx.x / 32, flags, sums, how);
}

template <typename condition> __global__ void among_blocks(int *flags, int *sums, way how)
{
    work<condition>(blockIdx.x, flags, sums, how);
}

/* A block whose other warps compute without a pause, and warps that read with an ordinary load
 * from an address that changes. */
__global__ void beside_a_busy_warp(int *flags, int *sums)
{
    unsigned warp = threadIdx.x / 32, at = 0;
    if (warp == 0) {
        while (!flags[32 * at])
            at ^= 1, __threadfence_block();
        sums[0] = 1;
    } else {
        volatile int *mine = sums + 1;
        for (int i = 0; i < 20000; i++)
            *mine = i;
        flags[threadIdx.x - 32] = 1;
    }
}

static int *flags, *sums;

static void begin()
{
    MUST(cudaMemset(flags, 0, 256));
    MUST(cudaMemset(sums, 0, 256));
}

static void end(const char *condition, const char *where, int how)
{
    char name[100];
    int sum = 0, right = 0;
    FINISH();
    MUST(cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
    for (unsigned w = 1; w <= WORKERS; w++)
        for (unsigned i = 0; i < 10 * w; i++)
            right += i * i;
    snprintf(name, sizeof name, "%s, %s, way %d", condition, where, how);
    expect(name, sum, right);
}

template <typename condition> static void check(const char *name)
{
    for (int how = POLL; how <= PLAIN_LOAD; how++) {
        begin();
        among_warps<condition><<<1, 32 * (WORKERS + 1)>>>(sums, (way)how);
        end(name, "warps", how);
        begin();
        by_global_memory<condition><<<1, 32 * (WORKERS + 1)>>>(flags, sums, (way)how);
        end(name, "warps, global memory", how);
        begin();
        among_blocks<condition><<<WORKERS + 1, 32>>>(flags, sums, (way)how);
        end(name, "blocks", how);
    }
}

int main()
{
    MUST(cudaMalloc(&flags, 256));
    MUST(cudaMalloc(&sums, 256));
    check<by_any>("any");
    check<by_all>("all");
    check<by_match_all>("match all");
    check<by_ballot>("ballot");
    check<by_match>("match");
    check<by_add>("sum");
    check<by_bits>("or");
    check<by_highest>("maximum");
    check<by_shuffle>("shuffles");
    check<by_tile>("a tile");
    check<in_two_steps>("lanes on their own");
    begin();
    beside_a_busy_warp<<<1, 64>>>(flags, sums);
    FINISH();
    int done = 0;
    MUST(cudaMemcpy(&done, sums, sizeof done, cudaMemcpyDeviceToHost));
    expect("an address that changes", done, 1);
    return summary();
}
