/* Arrivals and waits at a cluster's barrier that do not alternate. */
#include "tests/support/kernel_rows.cuh"

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

// fine
__global__ void some_arrive_and_leave(int *g)
{
    asm volatile("barrier.cluster.arrive;");
    if (threadIdx.x < 32)
        return;
    asm volatile("barrier.cluster.wait;");
    g[blockIdx.x * 64 + threadIdx.x] = 1;
}

static const kernel_row rows[] = {
    PAIR(arrives_twice),
    PAIR(waits_without_arriving),
    PAIR(some_arrive_and_leave),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
