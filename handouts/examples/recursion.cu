// A kernel that calls a function that calls itself, and prints.
#include "lab.h"

__device__ int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__global__ void print_factorial()
{
    printf("thread %d: %d! = %d\n", threadIdx.x, threadIdx.x, factorial(threadIdx.x));
}

int main()
{
    print_factorial<<<1, 8>>>();
    CHECK_CUDA(cudaDeviceSynchronize());
    return 0;
}
