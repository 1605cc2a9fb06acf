/* Calls through pointers to functions. */
#include "tests/gpu/observe/planted/memory.cuh"

typedef int (*operation)(int);

__device__ __noinline__ int twice(int x)
{
    return 2 * x;
}

__device__ operation chosen = twice, never_set;

// bad-call
__global__ void calls_a_pointer_that_was_never_set(int *a, int n)
{
    a[threadIdx.x] = never_set(n); // B
}

// fine
__global__ void calls_a_function(int *a, int n)
{
    a[threadIdx.x] = chosen(n);
}

int main()
{
    LAUNCH(calls_a_pointer_that_was_never_set, 1, 32);
    LAUNCH(calls_a_function, 1, 32);
}
