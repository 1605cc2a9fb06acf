// Launches more blocks than can run at the same time, although they wait for each other.
#include <cooperative_groups.h>

__global__ void wait(int *a)
{
    a[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync();
}

int main()
{
    int *a, blocks = 5000, most = 0;
    cudaMallocManaged(&a, 5000 * sizeof(int));
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, wait, 1024, 0);
    void *arguments[] = {&a};
    if (cudaLaunchCooperativeKernel((const void *)wait, blocks, 1024, arguments))
        return 1;
    cudaDeviceSynchronize();
    return a[0] != 1;
}
