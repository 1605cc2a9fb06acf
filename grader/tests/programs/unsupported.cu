/* Calls that the runtime has and Lanewise has not: each must fail and be named, none may crash. */
#include <cstdio>

__global__ void kernel(int *p)
{
    *p = 1;
}

static void show(const char *call, cudaError_t error)
{
    printf("%s: %s\n", call, cudaGetErrorName(error));
}

int main()
{
    int *p;
    cudaMalloc(&p, sizeof *p);
    void *args[] = {&p};
    cudaIpcMemHandle_t handle;
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    show("cudaIpcGetMemHandle", cudaIpcGetMemHandle(&handle, p));
    show("cudaIpcGetMemHandle again", cudaIpcGetMemHandle(&handle, p));
    show("cudaMallocMipmappedArray",
         cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(4, 4, 0), 2));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(2);
    config.attrs = &attribute;
    config.numAttrs = 1;
    show("cluster launch", cudaLaunchKernelExC(&config, (void *)kernel, args));
    show("last", cudaGetLastError());
    kernel<<<1, 1>>>(p);
    show("an ordinary launch after them", cudaDeviceSynchronize());
    return 0;
}
