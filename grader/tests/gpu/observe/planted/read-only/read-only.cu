/* Stores to __constant__ variables. */
#include "tests/gpu/observe/planted/memory.cuh"

__constant__ int table[32];
__device__ int numbers[32];

// read-only
__global__ void writes_a_constant(int *a, int n)
{
    int *where = a[0] ? a : (int *)table;
    where[threadIdx.x] = n; // B
}

// fine
__global__ void writes_a_variable(int *a, int n)
{
    int *where = a[0] ? a : numbers;
    where[threadIdx.x] = n + table[threadIdx.x];
}

int main()
{
    LAUNCH(writes_a_constant, 1, 32);
    LAUNCH(writes_a_variable, 1, 32);
}
