/* What goes wrong in clusters of blocks, and the same done right: see races.cuh. */
#include <cooperative_groups.h>

#define ERROR_STATUS 0 /* which is as it should be */
#include "tests/support/races.cuh"

namespace cg = cooperative_groups;

/* --- blocks that are not there --------------------------------------------------------------------- */

// cluster-access
__global__ void rank_that_there_is_not(int *g)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = 1;
    cluster.sync();
    g[blockIdx.x * 64 + threadIdx.x] =
        cluster.map_shared_rank(s, cluster.block_rank() + 1)[threadIdx.x]; // B
    cluster.sync();
}

// cluster-access
__global__ void rank_far_beyond(int *g)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    if (threadIdx.x < 32)
        cluster.map_shared_rank(s, 4000)[threadIdx.x] = 1; // B
    cluster.sync();
}

// cluster-access
__global__ void others_may_not_have_begun(int *g)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        cluster.map_shared_rank(s, 1)[0] = 1; // B
    cluster.sync();
}

// cluster-access
__global__ void others_have_ended(int *g)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = 1;
    cluster.sync();
    if (cluster.block_rank() == 0)
        atomicAdd(&cluster.map_shared_rank(s, 1)[threadIdx.x], 1); // B
}

// out-of-bounds
__global__ void behind_an_array_of_another_block(int *g)
{
    __shared__ int s[64], more[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = more[threadIdx.x] = 1;
    cluster.sync();
    if (cluster.block_rank() == 0)
        g[threadIdx.x] = cluster.map_shared_rank(s, 1)[threadIdx.x + 1]; // B
    cluster.sync();
    g[blockIdx.x * 64 + threadIdx.x + 64] = more[63 - threadIdx.x];
}

// out-of-bounds
__global__ void global_memory_is_not_mapped(int *g)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = threadIdx.x;
    cluster.sync();
    g[blockIdx.x * 64 + threadIdx.x] = *cluster.map_shared_rank(g, 1) + s[0]; // B
    cluster.sync();
}

/* --- the barrier ------------------------------------------------------------------------------------ */

// bad-cluster-barrier
__global__ void arrives_twice(int *g)
{
    asm volatile("barrier.cluster.arrive;");
    g[threadIdx.x] = 1;
    asm volatile("barrier.cluster.arrive;"); // B
    asm volatile("barrier.cluster.wait;");
}

// bad-cluster-barrier
__global__ void waits_without_arriving(int *g)
{
    g[threadIdx.x] = 1;
    asm volatile("barrier.cluster.wait;"); // B
}

// deadlock
__global__ void half_a_block_waits_for_the_block(int *g)
{
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 32)
        __syncthreads(); // C
    g[threadIdx.x] = 1;
    cluster.sync(); // B
}

// deadlock
__global__ void a_block_never_arrives(int *g)
{
    volatile int *never = g + 100;
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 1)
        while (!*never) // C
            ;
    cluster.sync(); // B
}

// bad-mbarrier
__global__ void mbarrier_of_another_block(int *g)
{
    __shared__ __align__(8) long long barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned own = (unsigned)__cvta_generic_to_shared(&barrier), far;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own));
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(1));
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far)); // B
    cluster.sync();
}

// divergent-barrier
__global__ void aligned_for_half_a_warp(int *g)
{
    asm volatile("barrier.cluster.arrive;");
    if (threadIdx.x % 2)
        asm volatile("barrier.cluster.wait.aligned;"); // B
}

// fine
__global__ void some_arrive_and_leave(int *g)
{
    asm volatile("barrier.cluster.arrive;");
    if (threadIdx.x < 32)
        return;
    asm volatile("barrier.cluster.wait;");
    g[blockIdx.x * 64 + threadIdx.x] = 1;
}

/* --- races ------------------------------------------------------------------------------------------ */

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

// race-global
__global__ void blocks_meet_in_global_memory(int *g)
{
    int t = blockIdx.x * 64 + threadIdx.x;
    g[t] = t; // A
    __syncthreads();
    g[t + 128] = g[t ^ 64]; // B
}

// fine
__global__ void global_memory_between_two_barriers(int *g)
{
    int t = blockIdx.x * 64 + threadIdx.x;
    for (int i = 0; i < 3; i++) {
        g[t] = t + i;
        cg::this_cluster().sync();
        g[t + 128] = g[t ^ 65];
        cg::this_cluster().sync();
    }
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
__global__ void neighbours_in_turns(int *g)
{
    __shared__ int s[2][64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned other = (cluster.block_rank() + 1) % cluster.num_blocks();
    s[0][t] = t;
    cluster.sync();
    for (int i = 0; i < 4; i++) {
        cluster.map_shared_rank(s[(i + 1) % 2], other)[t] = s[i % 2][t] + 1;
        cluster.sync();
    }
    g[blockIdx.x * 64 + t] = s[0][63 - t];
}

// fine
__global__ void atomics_from_all_blocks(int *g)
{
    __shared__ int s[16];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    if (t < 16)
        s[t] = 0;
    cluster.sync();
    atomicAdd(&cluster.map_shared_rank(s, t % cluster.num_blocks())[t / 4 % 16], 1);
    cluster.sync();
    if (t < 16)
        g[blockIdx.x * 16 + t] = s[t];
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

/* --- what nobody has written ------------------------------------------------------------------------ */

// uninitialised-read
__global__ void half_of_it_is_written(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    if (t < 32)
        s[t] = t; // A
    cluster.sync();
    g[blockIdx.x * 64 + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t]; // B
    cluster.sync();
}

// fine
__global__ void others_write_all_of_it(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t] = t;
    cluster.sync();
    g[blockIdx.x * 64 + t] = s[63 - t];
}

#define PAIR(kernel) ROW(kernel, 2, 64, 0, false, 2)

static const kernel_row rows[] = {
    PAIR(rank_that_there_is_not),
    PAIR(rank_far_beyond),
    PAIR(others_may_not_have_begun),
    PAIR(others_have_ended),
    PAIR(behind_an_array_of_another_block),
    PAIR(global_memory_is_not_mapped),
    PAIR(arrives_twice),
    PAIR(waits_without_arriving),
    PAIR(half_a_block_waits_for_the_block),
    PAIR(a_block_never_arrives),
    PAIR(mbarrier_of_another_block),
    PAIR(aligned_for_half_a_warp),
    PAIR(some_arrive_and_leave),
    PAIR(read_while_it_is_written),
    PAIR(both_write_to_one_block),
    PAIR(only_the_block_has_waited),
    PAIR(arrives_relaxed),
    PAIR(blocks_meet_in_global_memory),
    PAIR(global_memory_between_two_barriers),
    PAIR(the_barrier_is_one_of_the_block_too),
    PAIR(neighbours_in_turns),
    PAIR(atomics_from_all_blocks),
    PAIR(work_between_arriving_and_waiting),
    PAIR(half_of_it_is_written),
    PAIR(others_write_all_of_it),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
