// Kernels whose time cannot be predicted, and one that looks like them. See test_predicted.c.
#include <cstdio>

/* Each block waits for the block before it. */
__global__ void chain(volatile int *flags)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x && !flags[blockIdx.x - 1])
            ;
        flags[blockIdx.x] = 1;
    }
}

/* A lock: the blocks wait for each other. */
__global__ void locked(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *(volatile int *)sum = *(volatile int *)sum + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* One of the threads always succeeds, so none waits. */
__global__ void maximum(int *best, const int *in)
{
    int mine = in[threadIdx.x], seen = *best;
    while (seen < mine) {
        int old = atomicCAS(best, seen, mine);
        if (old == seen)
            break;
        seen = old;
    }
}

static __device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursive(int *out, int n)
{
    out[threadIdx.x] = n ? fibonacci(n) : 0;
}

int main()
{
    int *words;
    cudaMalloc(&words, 4096);
    cudaMemset(words, 0, 4096);
    chain<<<8, 32>>>(words);
    locked<<<8, 32>>>(words + 64, words + 65);
    maximum<<<8, 32>>>(words + 128, words);
    recursive<<<1, 32>>>(words + 256, 5);
    recursive<<<1, 32>>>(words + 256, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
