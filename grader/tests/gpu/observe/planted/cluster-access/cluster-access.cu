/* Accesses to the shared memory of blocks that are not running. */
#include "tests/support/cluster.cuh"
#include "tests/support/kernel_rows.cuh"

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

static const kernel_row rows[] = {
    PAIR(rank_that_there_is_not), PAIR(rank_far_beyond),     PAIR(others_may_not_have_begun),
    PAIR(others_have_ended),      PAIR(neighbours_in_turns), PAIR(atomics_from_all_blocks),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
