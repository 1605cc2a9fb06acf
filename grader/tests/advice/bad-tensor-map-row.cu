// Loads a box of a tensor from column 17 on, which is not at a multiple of 16 bytes.
#include <cuda.h>
#include <cuda/barrier>

namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out)
{
    const int column = 17, skip = 0;
    __shared__ alignas(128) int tile[8][16];
    __shared__ barrier ready;
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, column, 8, ready);
        token = cuda::device::barrier_arrive_tx(ready, 1, sizeof tile);
    } else {
        token = ready.arrive();
    }
    ready.wait(std::move(token));
    out[threadIdx.x] = tile[threadIdx.x / 12][threadIdx.x % 12 + skip];
}

int main()
{
    int *a, *out;
    CUtensorMap map;
    cuuint64_t size[] = {64, 64}, stride[] = {64 * sizeof(int)};
    cuuint32_t box[] = {16, 8}, step[] = {1, 1};
    decltype(cuTensorMapEncodeTiled) *encode;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                     cudaEnableDefault, &found);
    cudaMallocManaged(&a, 64 * 64 * sizeof(int));
    cudaMallocManaged(&out, 96 * sizeof(int));
    for (int i = 0; i < 64 * 64; i++)
        a[i] = i;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, a, size, stride, box, step,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    copy<<<1, 96>>>(map, out);
    if (cudaDeviceSynchronize())
        return 1;
    return out[95] != 15 * 64 + 17 + 11;
}
