// Adds up two arrays with CUB. Both calls use the same temporary storage.
#include <cub/block/block_reduce.cuh>

__global__ void add_up(const int *a, const int *b, int *sums)
{
    typedef cub::BlockReduce<int, 128> reduce;
    __shared__ typename reduce::TempStorage storage;
    int one = reduce(storage).Sum(a[threadIdx.x]);
    int other = reduce(storage).Sum(b[threadIdx.x]);
    if (threadIdx.x == 0) {
        sums[0] = one;
        sums[1] = other;
    }
}

int main()
{
    int *a, *sums;
    cudaMallocManaged(&a, 256 * sizeof(int));
    cudaMallocManaged(&sums, 2 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    add_up<<<1, 128>>>(a, a + 128, sums);
    cudaDeviceSynchronize();
    return sums[0] != 127 * 64 || sums[1] != 127 * 64 + 128 * 128;
}
