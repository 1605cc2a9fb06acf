/* Each thread reads its own chunk, or the threads read interleaved words; with few blocks and with many. The
 * loops are those of lab 02, but each thread stores its sum in a separate place: atomics would cost more than
 * the loads.
 *
 * Look at: the sectors of a load: 32 with chunks and 4 interleaved, however many blocks there are. */
#include "ladder.cuh"

#define THREADS     256
#define MOST_BLOCKS 4224

typedef unsigned long long wide;

__global__ void chunks(const int *data, int n, wide *sums)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int chunk = (n + all - 1) / all, begin = me * chunk, end = min(begin + chunk, n);
    wide mine = 0;
    for (int i = begin; i < end; ++i)
        mine += (wide)((long long)data[i] * data[i]);
    sums[me] = mine;
}

__global__ void interleaved(const int *data, int n, wide *sums)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    wide mine = 0;
    for (int i = me; i < n; i += all)
        mine += (wide)((long long)data[i] * data[i]);
    sums[me] = mine;
}

static void climb(int n)
{
    int *numbers = ladder_ints(n);
    const int *data = ladder_upload(numbers, n);
    wide right = 0, *sums = ladder_alloc<wide>(MOST_BLOCKS * THREADS);
    for (int i = 0; i < n; ++i)
        right += (wide)numbers[i] * numbers[i];
    auto rung = [=](const char *name, const char *title, auto kernel, int blocks) {
        int threads = blocks * THREADS;
        ladder_rung(
            name, title, [=] { CHECK_CUDA(cudaMemsetAsync(sums, 0xff, threads * sizeof *sums)); },
            [=] { kernel<<<blocks, THREADS>>>(data, n, sums); },
            [=] { return ladder_sum(sums, threads) == right; });
        ladder_rate("gb_per_s", (double)n * sizeof(int));
    };
    rung("chunks-132", "chunks, 132 blocks", chunks, 132);
    rung("interleaved-132", "interleaved, 132 blocks", interleaved, 132);
    rung("chunks-1056", "chunks, 1,056 blocks", chunks, 1056);
    rung("interleaved-1056", "interleaved, 1,056 blocks", interleaved, 1056);
    rung("chunks-4224", "chunks, 4,224 blocks", chunks, 4224);
    rung("interleaved-4224", "interleaved, 4,224 blocks", interleaved, 4224);
    CHECK_CUDA(cudaFree((void *)data));
    CHECK_CUDA(cudaFree(sums));
    free(numbers);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    ladder_size("", ladder.large ? "67,108,864 ints" : "16,777,216 ints");
    climb(ladder.large ? 1 << 26 : 1 << 24);
    if (ladder.times) {
        ladder_size("_256m", "268,435,456 ints");
        climb(1 << 28);
    }
    return 0;
}
