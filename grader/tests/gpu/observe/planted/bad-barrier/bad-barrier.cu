/* Barriers with a number that a block does not have. */
#include "tests/support/kernel_rows.cuh"

#define WAIT(number) asm volatile("bar.sync %0, 64;" ::"r"(number) : "memory")

// bad-barrier
__global__ void barrier_16(int *g)
{
    WAIT(16 + g[0]); // B
    g[threadIdx.x + 64] = 1;
}

// fine
__global__ void barrier_15(int *g)
{
    WAIT(15 + g[0]);
    g[threadIdx.x + 64] = 1;
}

static const kernel_row rows[] = {
    ROW(barrier_16, 1, 64),
    ROW(barrier_15, 1, 64),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
