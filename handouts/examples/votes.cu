// Whom do __any_sync() and __all_sync() ask, and whom __syncthreads_and()? In this block of 64, threads 0 to 39 say yes.
#include "lab.h"

__global__ void ask()
{
    bool yes = threadIdx.x < 40;
    int any = __any_sync(0xffffffff, yes), all = __all_sync(0xffffffff, yes),
        block = __syncthreads_and(yes);
    if (threadIdx.x % 32 == 0)
        printf("warp %d: any %d, all %d; all of the block %d\n", threadIdx.x / 32, any, all, block);
}

int main()
{
    ask<<<1, 64>>>();
    CHECK_CUDA(cudaDeviceSynchronize());
    return 0;
}
