// Each block reads what the other one wrote, without waiting for it.
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2) swap(int *a)
{
    __shared__ int own;
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    cluster.sync();
    own = blockIdx.x + 1;
    a[blockIdx.x] = *cluster.map_shared_rank(&own, 1 - cluster.block_rank());
    cluster.sync();
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 2 * sizeof(int));
    swap<<<2, 1>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 2 || a[1] != 1;
}
