/* Calls to runtime functions that Lanewise does not support. Each must fail and be named in the
 * report; none may crash. */
#include "tests/support/tensor.cuh"

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
    cudaArraySparseProperties properties;
    cudaArrayMemoryRequirements needs;
    show("cudaArrayGetMemoryRequirements", cudaArrayGetMemoryRequirements(&needs, nullptr, 0));
    show("cudaArrayGetMemoryRequirements again",
         cudaArrayGetMemoryRequirements(&needs, nullptr, 0));
    show("cudaArrayGetSparseProperties", cudaArrayGetSparseProperties(&properties, nullptr));
    show("last", cudaGetLastError());
    void *function = p;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
    show("cuLaunchKernel",
         cudaGetDriverEntryPointByVersion("cuLaunchKernel", &function, 13000, 0, &result));
    printf("%d, %d\n", result == cudaDriverEntryPointSymbolNotFound, function == nullptr);
    CUtensorMap map;
    cuuint64_t size[] = {16, 16, 16}, stride[] = {64, 1024};
    cuuint32_t box[] = {4, 4, 4}, step[] = {1, 1, 1};
    printf("interleaved: %d\n",
           driver_function<encode_function>("cuTensorMapEncodeTiled")(
               &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, p, size, stride, box, step,
               CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    kernel<<<1, 1>>>(p);
    show("an ordinary launch after them", cudaDeviceSynchronize());
    return 0;
}
