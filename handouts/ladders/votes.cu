/* Compaction: half of the numbers are kept, in the steps of lab 11, on one core of the CPU, and by cooperative groups.
 * The first three ways on the GPU make one addition for each warp; in the first, nvcc sees to that.
 *
 * Look at: the atomics, the barriers, and the requests to shared memory. */
#include <cooperative_groups.h>

#include "ladder.cuh"

#define main lab_main // the lab's own main(), which is not called here
namespace solution
{
#include "../../solutions/11-warp-votes/warp_votes.cu"
}
#undef main

#define VALUES 8 // the numbers are from 0 to 7
#define LIMIT  4

__global__ void keep_add(const int *data, int n, int limit, int *kept, int *count)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && data[i] >= limit)
        kept[atomicAdd(count, 1)] = data[i];
}

__global__ void keep_coalesced(const int *data, int n, int limit, int *kept, int *count)
{
    int i = blockIdx.x * THREADS + threadIdx.x, first = 0;
    if (i >= n || data[i] < limit)
        return;
    cooperative_groups::coalesced_group keepers = cooperative_groups::coalesced_threads();
    if (keepers.thread_rank() == 0)
        first = atomicAdd(count, keepers.size());
    kept[keepers.shfl(first, 0) + keepers.thread_rank()] = data[i];
}

__global__ void keep_warps_32(const int *data, int n, int limit, int *kept, int *count)
{
    int i = blockIdx.x * THREADS + threadIdx.x, first = 0;
    bool keep = i < n && data[i] >= limit;
    unsigned votes = __ballot_sync(ALL, keep);
    if (threadIdx.x % 32 == 0 && votes != 0)
        first = atomicAdd(count, __popc(votes));
    first = __shfl_sync(ALL, first, 0);
    if (keep)
        kept[first + __popc(votes & IN_FRONT)] = data[i];
}

static int keep_on_cpu(const int *data, int n, int *kept)
{
    int count = 0;
    for (int i = 0; i < n; ++i)
        if (data[i] >= LIMIT)
            kept[count++] = data[i];
    return count;
}

/* Returns whether A and B, COUNT numbers each, are the same numbers in any order. */
static bool same_numbers(const int *a, const int *b, int count)
{
    int more[VALUES] = {0};
    for (int i = 0; i < count; ++i) {
        more[a[i] % VALUES]++;
        more[b[i] % VALUES]--;
    }
    for (int value = 0; value < VALUES; ++value)
        if (more[value] != 0)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.large ? 1 << 26 : 1 << 16, blocks = n / THREADS;
    int *data = ladder_ints(n), *right = (int *)malloc(n * sizeof *right),
        *got = (int *)malloc(n * sizeof *got);
    int count = keep_on_cpu(data, n, right), got_count = 0;
    const int *data_on_gpu = ladder_upload(data, n);
    int *kept = ladder_alloc<int>(n), *count_on_gpu = ladder_alloc<int>(2);
    ladder_size("", ladder.large ? "67,108,864 numbers, half of them kept"
                                 : "65,536 numbers, half of them kept");
    ladder_rung(
        "cpu", "one core of the CPU", [] {}, [&] { got_count = keep_on_cpu(data, n, got); },
        [&] { return got_count == count && same_numbers(got, right, count); });
    auto rung = [&](const char *name, const char *title, auto kernel, int each) {
        ladder_rung(
            name, title, [&] { CHECK_CUDA(cudaMemsetAsync(count_on_gpu, 0, sizeof count)); },
            [&] { kernel<<<blocks / each, THREADS>>>(data_on_gpu, n, LIMIT, kept, count_on_gpu); },
            [&] {
                ladder_download(&got_count, count_on_gpu, 1);
                ladder_download(got, kept, count);
                return got_count == count && same_numbers(got, right, count);
            });
    };
    rung("add", "an addition a number", keep_add, 1);
    rung("coalesced", "cooperative groups", keep_coalesced, 1);
    rung("warps-32", "ballots, 32 numbers a warp", keep_warps_32, 1);
    rung("scan", "a scan in shared memory", solution::keep_scan, 1);
    rung("ballot", "ballots, one addition a block", solution::keep_ballot, 1);
    rung("warps", "ballots, 256 numbers a warp", solution::keep_warps, EACH);
    return 0;
}
