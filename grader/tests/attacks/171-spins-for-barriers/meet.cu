// Waits for all warps of the block without a barrier: each counts itself, and spins until all have.
__device__ void meet(int *arrived, int wanted)
{
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile int *)arrived < wanted)
            ;
    }
    __syncwarp();
}
