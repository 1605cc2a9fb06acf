// A launch that no GPU accepts: a block has at most 1,024 threads.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void nothing()
{
}

static void launch(int threads)
{
    nothing<<<1, threads>>>();
    cudaError_t error = cudaGetLastError();
    printf("%d threads: %s\n", threads, cudaGetErrorString(error));
}

int main()
{
    launch(1024);
    launch(2048);
    return 0;
}
