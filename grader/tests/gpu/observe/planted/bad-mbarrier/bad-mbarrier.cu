/* mbarriers that are not initialised, and waits for mbarriers of another block. */
#include "tests/support/cluster.cuh"
#include "tests/support/kernel_rows.cuh"

// bad-mbarrier
__global__ void waits_for_another_block(int *g)
{
    __shared__ __align__(8) long long barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned own = (unsigned)__cvta_generic_to_shared(&barrier), far;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own));
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(1));
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.b64 p, [%0], 0;}" ::"l"(
            __cvta_shared_to_generic(far))); // B
    cluster.sync();
}

// fine
__global__ void arrives_at_another_block(int *g)
{
    __shared__ __align__(8) long long barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned own = (unsigned)__cvta_generic_to_shared(&barrier), far;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own));
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(1));
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far));
    cluster.sync();
}

// bad-mbarrier
__global__ void mbarrier_never_initialised(int *g)
{
    __shared__ __align__(8) long long barrier;
    unsigned own = (unsigned)__cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(own)); // B
    g[threadIdx.x] = 1;
}

// fine
__global__ void mbarrier_initialised(int *g)
{
    __shared__ __align__(8) long long barrier;
    unsigned own = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(own));
    __syncthreads();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(own));
    g[threadIdx.x] = 1;
}

static const kernel_row rows[] = {
    PAIR(waits_for_another_block),
    PAIR(arrives_at_another_block),
    ROW(mbarrier_never_initialised, 1, 64),
    ROW(mbarrier_initialised, 1, 64),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
