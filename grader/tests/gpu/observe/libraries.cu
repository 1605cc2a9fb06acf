/* CUDA's own libraries: correct code that looks wrong, and mistakes of callers. `libraries CASE` runs one case;
 * test_misleading.c has the expected output. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cub/block/block_reduce.cuh>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <vector>

namespace cg = cooperative_groups;

#define N 20000

struct by_rest {
    __device__ bool operator()(int a, int b) const
    {
        return a % 1000 < b % 1000;
    }
};

struct count {
    int *bins;
    __device__ void operator()(int x) const
    {
        bins[x % 16]++;
    }
};

__global__ void two_sums(const int *data, int *sum)
{
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    int one = Reduce(storage).Sum(data[threadIdx.x]);
    int other = Reduce(storage).Sum(2 * data[threadIdx.x] + 1);
    if (threadIdx.x == 0)
        *sum = one + other;
}

__global__ void tiles(const int *data, int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int x = cg::reduce(tile, data[threadIdx.x], cg::plus<int>());
    x += cg::reduce(tile, 2 * data[threadIdx.x], cg::plus<int>());
    tile.sync();
    out[threadIdx.x] = x + tile.shfl(x, 3);
}

int main(int argc, char **argv)
{
    std::vector<int> host(N);
    for (int i = 0; i < N; i++)
        host[i] = i * 7919 % N / 3;
    thrust::device_vector<int> data = host, bins(256);
    int *p = thrust::raw_pointer_cast(data.data()), *q = thrust::raw_pointer_cast(bins.data());
    switch (argc > 1 ? argv[1][0] : 0) {
    case 'u':
        thrust::sort(data.begin(), data.end());
        printf("%ld\n", (long)(thrust::unique(data.begin(), data.end()) - data.begin()));
        break;
    case 's':
        thrust::sort(data.begin(), data.end(), by_rest());
        break;
    case 'f':
        thrust::for_each(data.begin(), data.end(), count{q});
        break;
    case 'c':
        two_sums<<<1, 128>>>(p, q);
        break;
    case 't':
        tiles<<<1, 256>>>(p, q);
        break;
    }
    cudaDeviceSynchronize();
    return 0;
}
