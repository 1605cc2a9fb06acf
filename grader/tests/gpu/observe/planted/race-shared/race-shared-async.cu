/* Races in shared memory around all other ways to synchronise: barriers of some threads, locks, mbarriers,
 * asynchronous copies and clusters. */
#include "tests/support/kernel_rows.cuh"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

#pragma nv_diag_suppress static_var_with_dynamic_init /* barriers begin with init() */

namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> barrier;

#define THREADS 128
#define TURNS   4

/* --- barriers of some threads --------------------------------------------------------------- */

// fine
__global__ void named_barrier(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    g[t] = s[t ^ 63];
}

// race-shared
__global__ void named_barrier_of_others(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t; // A
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    g[t] = s[t ^ 64]; // B
}

// fine
__global__ void tiles_of_a_group(int *g)
{
    __shared__ int s[128];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t;
    tile.sync();
    g[t] = s[t ^ 7];
    tile.sync();
    s[t ^ 7] = 0;
}

// race-shared
__global__ void tiles_too_small(int *g)
{
    __shared__ int s[128];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t; // A
    tile.sync();
    g[t] = s[t ^ 8]; // B
}

// fine
__global__ void some_leave_early(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t >= 64)
        return;
    s[t] = t;
    __syncthreads();
    g[t] = s[63 - t];
}

// fine
__global__ void arrived_right(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = g[t];
        asm volatile("bar.arrive 3, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");
        g[t] = s[63 - t];
    }
}

// fine
__global__ void counted_right(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = g[t];
    int count = __syncthreads_count(t & 1);
    g[t] = s[THREADS - 1 - t] + count;
}

// race-shared
__global__ void counted_too_early(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    int count = __syncthreads_count(t & 1);
    s[t] = g[t];                       // A
    g[t] = s[THREADS - 1 - t] + count; // B
}

/* --- lanes that exchange values are not ordered by it --------------------------------------- */

// race-shared
__global__ void matched_lanes(int *g)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = g[t]; // A
    unsigned same = __match_any_sync(~0u, t / 4);
    g[t] = s[31 - t] + same; // B
}

// race-shared
__global__ void summed_lanes(int *g)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = g[t]; // A
    int sum = __reduce_add_sync(~0u, t);
    g[t] = s[31 - t] + sum; // B
}

// fine
__global__ void summed_lanes_right(int *g)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = g[t];
    int sum = __reduce_add_sync(~0u, t);
    __syncwarp();
    g[t] = s[31 - t] + sum;
}

/* --- locks and flags ------------------------------------------------------------------------ */

// fine
__global__ void lock_right(int *g)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1))
        ;
    __threadfence_block();
    sum += threadIdx.x;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncwarp();
    __syncthreads();
    g[threadIdx.x] = sum;
}

// race-shared
__global__ void lock_forgotten_by_some(int *g)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 2 == 0) {
        while (atomicCAS(&lock, 0, 1))
            ;
        sum += threadIdx.x; // A
        __threadfence_block();
        atomicExch(&lock, 0);
    } else {
        sum += 2 * threadIdx.x; // B
    }
    __syncwarp();
    __syncthreads();
    g[threadIdx.x] = sum;
}

// fine
__global__ void producer_consumer(int *g)
{
    __shared__ int data;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = g[0] + 7;
        __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready)
            ;
        g[1] = data;
    }
}

// race-shared
__global__ void producer_consumer_no_fence(int *g)
{
    __shared__ int data;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = g[0] + 7; // A
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready)
            ;
        g[1] = data; // B
    }
}

/* --- relaxed accesses: no data race in the memory model, but lanes are not ordered ------------ */

#define LOAD_RELAXED(value, at)                                                                    \
    asm volatile("ld.relaxed.cta.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory")
#define STORE_RELAXED(at, value)                                                                   \
    asm volatile("st.relaxed.cta.s32 [%0], %1;" ::"l"(at), "r"(value) : "memory")

// race-shared
__global__ void tail_relaxed(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x, other;
    s[t] = g[t];
    __syncthreads();
    if (t < 32) {
        LOAD_RELAXED(other, &s[t + 1]); // A
        STORE_RELAXED(&s[t], other);    // B
    }
    __syncthreads();
    g[t] = s[t];
}

// fine
__global__ void lane_waits_relaxed(int *g)
{
    __shared__ int ready;
    int t = threadIdx.x, now = 0;
    if (t == 0)
        ready = 0;
    __syncthreads();
    if (t == 0)
        STORE_RELAXED(&ready, 1);
    else if (t == 1)
        while (!now)
            LOAD_RELAXED(now, &ready);
    g[t] = 1;
}

// fine
__global__ void warps_exchange_relaxed(int *g)
{
    __shared__ int best[2];
    int t = threadIdx.x, now;
    if (t < 2)
        best[t] = 0;
    __syncthreads();
    if (t % 32 == 0)
        STORE_RELAXED(&best[t / 32], 7);
    else if (t % 32 == 1) {
        LOAD_RELAXED(now, &best[t / 32 ^ 1]);
        g[t] = now & 8;
    }
}

/* --- mbarriers ------------------------------------------------------------------------------ */

// fine
__global__ void barrier_right(int *g)
{
    __shared__ int s[THREADS];
    __shared__ barrier all;
    int t = threadIdx.x;
    if (t == 0)
        init(&all, THREADS);
    __syncthreads();
    for (int i = 0; i < TURNS; i++) {
        s[t] = g[t] + i;
        all.arrive_and_wait();
        g[t] += s[THREADS - 1 - t];
        all.arrive_and_wait();
    }
}

// race-shared
__global__ void barrier_not_waited_for(int *g)
{
    __shared__ int s[THREADS];
    __shared__ barrier all;
    int t = threadIdx.x;
    if (t == 0)
        init(&all, THREADS);
    __syncthreads();
    s[t] = g[t]; // A
    auto token = all.arrive();
    g[t] += s[THREADS - 1 - t]; // B
    all.wait(std::move(token));
}

// race-shared
__global__ void barrier_written_behind(int *g)
{
    __shared__ int s[THREADS];
    __shared__ barrier all;
    int t = threadIdx.x;
    if (t == 0)
        init(&all, THREADS);
    __syncthreads();
    auto token = all.arrive();
    s[t] = g[t]; // A
    all.wait(std::move(token));
    g[t] += s[THREADS - 1 - t]; // B
}

// race-shared
__global__ void barrier_once_a_turn(int *g)
{
    __shared__ int s[THREADS];
    __shared__ barrier all;
    int t = threadIdx.x;
    if (t == 0)
        init(&all, THREADS);
    __syncthreads();
    for (int i = 0; i < TURNS; i++) {
        s[t] = g[t] + i; // A
        all.arrive_and_wait();
        g[t] += s[THREADS - 1 - t]; // B
    }
}

// fine
__global__ void barrier_split(int *g)
{
    __shared__ int s[THREADS];
    __shared__ barrier full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, THREADS);
        init(&empty, THREADS);
    }
    __syncthreads();
    for (int i = 0; i < TURNS; i++) {
        if (t < 32) {
            for (int k = t; k < THREADS; k += 32)
                s[k] = g[k] + i;
            (void)full.arrive();
            empty.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            g[THREADS + t] += s[t] + s[t - 32];
            (void)empty.arrive();
        }
    }
}

// race-shared
__global__ void barrier_split_not_emptied(int *g)
{
    __shared__ int s[THREADS];
    __shared__ barrier full;
    int t = threadIdx.x;
    if (t == 0)
        init(&full, THREADS);
    __syncthreads();
    for (int i = 0; i < TURNS; i++) {
        if (t < 32) {
            for (int k = t; k < THREADS; k += 32)
                s[k] = g[k] + i; // A
            full.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            g[THREADS + t] += s[t]; // B
        }
    }
}

/* --- asynchronous copies -------------------------------------------------------------------- */

// fine
__global__ void copy_right(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], g + t, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    g[t] = s[THREADS - 1 - t];
}

// fine
__global__ void copy_of_ones_own(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], g + t, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    g[t] = s[t] + 1;
}

// race-shared
__global__ void copy_without_barrier(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], g + t, sizeof(int)); // A
    __pipeline_commit();
    __pipeline_wait_prior(0);
    g[t] = s[THREADS - 1 - t]; // B
}

// race-shared
__global__ void copy_over_what_is_read(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    for (int i = 0; i < TURNS; i++) {
        __pipeline_memcpy_async(&s[t], g + t, sizeof(int)); // A
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        g[t] += s[THREADS - 1 - t]; // B
    }
}

// race-shared: no wait for the asynchronous copy
__global__ void copy_too_far_ahead(int *g)
{
    __shared__ alignas(16) int tile[2][THREADS];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    for (int i = 0, ahead = 0; i < TURNS; i++) {
        for (; ahead < TURNS && ahead <= i + 2; ahead++) { /* one more than there are tiles */
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[ahead % 2][t], g + t, sizeof(int), pipe); // AB
            pipe.producer_commit();
        }
        __pipeline_wait_prior(0);
        sum += tile[i % 2][t];
        pipe.consumer_release();
    }
    g[t] = sum;
}

// fine
__global__ void copy_by_pipeline(int *g)
{
    __shared__ alignas(16) int tile[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int next = 0, i = 0; i < TURNS; i++) {
        for (; next < TURNS && next < i + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[next % 2], g + next * THREADS, sizeof tile[0], pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        g[4096 + threadIdx.x] += tile[i % 2][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
}

// race-shared
__global__ void copy_by_pipeline_not_waited_for(int *g)
{
    __shared__ alignas(16) int tile[THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int t = threadIdx.x;
    pipeline.producer_acquire();
    cuda::memcpy_async(block, tile, g, sizeof tile, pipeline); // A
    pipeline.producer_commit();
    g[4096 + t] += tile[THREADS - 1 - t]; // B
    pipeline.consumer_wait();
    pipeline.consumer_release();
}

// race-shared
__global__ void copy_behind_barrier_only(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &g[t], 4); // A
    __pipeline_commit();
    __syncthreads();
    g[WORDS / 2 + t] = s[THREADS - 1 - t]; // B
}

// race-shared
__global__ void copy_of_ones_own_at_once(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = 0;
    __pipeline_memcpy_async(&s[t], &g[t], 4); // A
    g[WORDS / 2 + t] = s[t];                  // B
    __pipeline_wait_prior(0);
}

// race-shared
__global__ void stage_waited_for_one_too_late(int *g)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, sum = 0;
    s[0][t] = s[1][t] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&s[0][t], &g[t], 4); // A
    __pipeline_commit();
    for (int k = 1; k <= TURNS; k++) {
        __pipeline_memcpy_async(&s[k & 1][t], &g[k * THREADS + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += s[~k & 1][THREADS - 1 - t]; // B
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    g[WORDS / 2 + t] = sum;
}

// fine
__global__ void stages_right(int *g)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &g[t], 4);
    __pipeline_commit();
    for (int k = 1; k <= TURNS; k++) {
        __pipeline_memcpy_async(&s[k & 1][t], &g[k * THREADS + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[~k & 1][THREADS - 1 - t];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    g[WORDS / 2 + t] = sum;
}

// race-shared
__global__ void overwritten_under_way(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &g[t], 4); // A
    __pipeline_commit();
    __syncthreads();
    s[THREADS - 1 - t] = t + 1; // B
    __pipeline_wait_prior(0);
    __syncthreads();
    g[WORDS / 2 + t] = s[t];
}

/* --- clusters ------------------------------------------------------------------------------- */

// race-shared
__global__ void read_while_it_is_written(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    s[t] = t;
    cluster.sync();
    s[t] = t + 1;                                                                     // A
    g[blockIdx.x * 64 + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t]; // B
    cluster.sync();
}

// race-shared
__global__ void both_write_to_one_block(int *g)
{
    __shared__ int s;
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&s, 0) = blockIdx.x; // AB
    cluster.sync();
    g[blockIdx.x] = *cluster.map_shared_rank(&s, 0);
    cluster.sync();
}

// race-shared
__global__ void only_the_block_has_waited(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    s[t] = t; // A
    __syncthreads();
    g[blockIdx.x * 64 + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[63 - t]; // B
    cluster.sync();
}

// race-shared
__global__ void arrives_relaxed(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    s[t] = t; // A
    asm volatile("barrier.cluster.arrive.relaxed;");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    g[blockIdx.x * 64 + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t]; // B
    cluster.sync();
}

// fine
__global__ void the_barrier_is_one_of_the_block_too(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int i = 0; i < 3; i++) {
        s[t] = t * i;
        cg::this_cluster().sync();
        g[blockIdx.x * 64 + t] += s[t ^ 33];
        cg::this_cluster().sync();
    }
}

// fine
__global__ void work_between_arriving_and_waiting(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    s[t] = t;
    auto token = cluster.barrier_arrive();
    g[blockIdx.x * 64 + t] = s[t] * 3;
    cluster.barrier_wait(std::move(token));
    g[blockIdx.x * 64 + t] += cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t ^ 40];
    cluster.sync();
}

static const kernel_row rows[] = {
    ROW(named_barrier, 1, 128),
    ROW(named_barrier_of_others, 1, 128),
    ROW(tiles_of_a_group, 1, 128),
    ROW(tiles_too_small, 1, 128),
    ROW(some_leave_early, 1, 128),
    ROW(arrived_right, 1, 64),
    ROW(counted_right, 1, THREADS),
    ROW(counted_too_early, 1, THREADS),
    ROW(matched_lanes, 1, 32),
    ROW(summed_lanes, 1, 32),
    ROW(summed_lanes_right, 1, 32),
    ROW(lock_right, 1, 64),
    ROW(lock_forgotten_by_some, 1, 64),
    ROW(producer_consumer, 1, 64),
    ROW(producer_consumer_no_fence, 1, 64),
    ROW(tail_relaxed, 1, 64),
    ROW(lane_waits_relaxed, 1, 64),
    ROW(warps_exchange_relaxed, 1, 64),
    ROW(barrier_right, 1, THREADS),
    ROW(barrier_not_waited_for, 1, THREADS),
    ROW(barrier_written_behind, 1, THREADS),
    ROW(barrier_once_a_turn, 1, THREADS),
    ROW(barrier_split, 1, THREADS),
    ROW(barrier_split_not_emptied, 1, THREADS),
    ROW(copy_right, 1, THREADS),
    ROW(copy_of_ones_own, 1, THREADS),
    ROW(copy_without_barrier, 1, THREADS),
    ROW(copy_over_what_is_read, 1, THREADS),
    ROW(copy_too_far_ahead, 1, THREADS),
    ROW(copy_by_pipeline, 1, THREADS),
    ROW(copy_by_pipeline_not_waited_for, 1, THREADS),
    ROW(copy_behind_barrier_only, 1, THREADS),
    ROW(copy_of_ones_own_at_once, 1, THREADS),
    ROW(stage_waited_for_one_too_late, 1, THREADS),
    ROW(stages_right, 1, THREADS),
    ROW(overwritten_under_way, 1, THREADS),
    PAIR(read_while_it_is_written),
    PAIR(both_write_to_one_block),
    PAIR(only_the_block_has_waited),
    PAIR(arrives_relaxed),
    PAIR(the_barrier_is_one_of_the_block_too),
    PAIR(work_between_arriving_and_waiting),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
