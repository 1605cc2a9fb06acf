/* Functions that call themselves. */
#include "tests/gpu/observe/planted/memory.cuh"

__device__ __noinline__ int depth(const int *a, int left)
{
    return left == 0 ? a[0]
                     : depth(a, left - 1) + a[left % 100 + 1]; // B of recursion_that_never_ends
}

// stack-overflow
__global__ void recursion_that_never_ends(int *a, int n)
{
    a[threadIdx.x + 200] = depth(a, -1);
}

// fine
__global__ void recursion_that_ends(int *a, int n)
{
    a[threadIdx.x + 200] = depth(a, n / 100);
}

int main()
{
    LAUNCH(recursion_that_never_ends, 1, 32);
    LAUNCH(recursion_that_ends, 1, 32);
}
