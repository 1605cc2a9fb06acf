/* Calls to runtime functions that Lanewise does not support. Each must fail and be named in the
 * report; none may crash. */
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
    cudaGraphConditionalHandle handle;
    cudaArraySparseProperties properties;
    show("cudaGraphConditionalHandleCreate", cudaGraphConditionalHandleCreate(&handle, nullptr));
    show("cudaGraphConditionalHandleCreate again",
         cudaGraphConditionalHandleCreate(&handle, nullptr));
    show("cudaArrayGetSparseProperties", cudaArrayGetSparseProperties(&properties, nullptr));
    show("last", cudaGetLastError());
    void *function = p;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
    show("cuLaunchKernel",
         cudaGetDriverEntryPointByVersion("cuLaunchKernel", &function, 13000, 0, &result));
    printf("%d, %d\n", result == cudaDriverEntryPointSymbolNotFound, function == nullptr);
    kernel<<<1, 1>>>(p);
    show("an ordinary launch after them", cudaDeviceSynchronize());
    return 0;
}
