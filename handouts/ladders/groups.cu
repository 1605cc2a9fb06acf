/* Sums of groups of numbers that lie together: a thread for each group, an addition for each number, and lanes that add
 * up their groups first, in three ways. There are groups of 1 to 1,000 numbers, and groups of 1 to 4.
 *
 * Look at: the longest warp, how many lanes meet in one word, and how the way that walks depends on the groups. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "ladder.cuh"

#define main lab_main // the labs' own main(), which are not called here
namespace solution
{
#include "../../solutions/11-warp-votes/warp_votes.cu"
}
namespace skeleton
{
#include "../../labs/11-warp-votes/.skeleton.cu"
}
#undef main

__global__ void sum_by_atomics(const int *data, const int *ids, int n, int *sums)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        atomicAdd(&sums[ids[i]], data[i]);
}

// The lanes of a group lie side by side, so each adds the lane `off` behind it, if that is in the group.
__global__ void sum_matched(const int *data, const int *ids, int n, int *sums)
{
    int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
    int sum = i < n ? data[i] : 0, id = i < n ? ids[i] : -1;
    unsigned peers = __match_any_sync(ALL, id);
    int end = 32 - __clz(peers);
    for (int off = 1; off < 32; off *= 2) {
        int other = __shfl_down_sync(ALL, sum, off);
        if (lane + off < end)
            sum += other;
    }
    if (i < n && lane == __ffs(peers) - 1)
        atomicAdd(&sums[id], sum);
}

__global__ void sum_partition(const int *data, const int *ids, int n, int *sums)
{
    namespace cg = cooperative_groups;
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n)
        return;
    cg::coalesced_group group = cg::labeled_partition(cg::coalesced_threads(), ids[i]);
    int sum = cg::reduce(group, data[i], cg::plus<int>());
    if (group.thread_rank() == 0)
        atomicAdd(&sums[ids[i]], sum);
}

/* Makes the ids of N numbers in groups of 1 to LONGEST, and the right sums of DATA. */
static void make_groups(const int *data, int n, int longest, int *ids, int *sums)
{
    memset(sums, 0, n * sizeof *sums);
    for (int i = 0, id = -1, end = 0; i < n; ++i) {
        if (i == end)
            end += 1 + (int)((++id * 2654435761u >> 8) % longest);
        ids[i] = id;
        sums[id] += data[i];
    }
}

static void climb(const int *data, int n, int longest)
{
    int blocks = n / THREADS, *ids = (int *)malloc(n * sizeof *ids),
        *right = (int *)malloc(n * sizeof *right);
    make_groups(data, n, longest, ids, right);
    const int *data_on_gpu = ladder_upload(data, n), *ids_on_gpu = ladder_upload(ids, n);
    int *sums = ladder_alloc<int>(n);
    auto rung = [&](const char *name, const char *title, auto kernel) {
        ladder_rung(
            name, title, [&] { CHECK_CUDA(cudaMemsetAsync(sums, 0, n * sizeof *sums)); },
            [&] { kernel<<<blocks, THREADS>>>(data_on_gpu, ids_on_gpu, n, sums); },
            [&] { return ladder_same(sums, right, n); });
    };
    rung("walk", "a thread a group", skeleton::sum_groups);
    rung("atomics", "an addition a number", sum_by_atomics);
    rung("shuffles", "a ballot and shuffles", solution::sum_groups);
    rung("matched", "__match_any_sync(), shuffles", sum_matched);
    rung("partition", "cooperative groups", sum_partition);
    CHECK_CUDA(cudaFree(sums));
    CHECK_CUDA(cudaFree((void *)ids_on_gpu));
    CHECK_CUDA(cudaFree((void *)data_on_gpu));
    free(right);
    free(ids);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.large ? 1 << 26 : 1 << 16, *data = ladder_ints(n);
    ladder_size("", "groups of 1 to 1,000");
    climb(data, n, 1000);
    ladder_size("_short", "groups of 1 to 4");
    climb(data, n, 4);
    free(data);
    return 0;
}
