/* Numbers go to the GPU, change there and come back: from ordinary memory, from pinned memory, and in pieces
 * whose copies and kernels overlap in streams.
 *
 * Look at: the number of launches. What the streams gain shows only on a GPU. */
#include "ladder.cuh"

#define THREADS     256
#define MAX_STREAMS 8

__global__ void twice(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= 2;
}

// Moves all numbers in one stream, or one piece in each of several streams.
static void there_and_back(int *to, const int *from, int *on_gpu, int n,
                           const cudaStream_t *streams, int pieces)
{
    int part = n / pieces;
    size_t bytes = part * sizeof *to;
    for (int i = 0; i < pieces; ++i) {
        int at = i * part;
        CHECK_CUDA(
            cudaMemcpyAsync(on_gpu + at, from + at, bytes, cudaMemcpyHostToDevice, streams[i]));
        twice<<<(part + THREADS - 1) / THREADS, THREADS, 0, streams[i]>>>(on_gpu + at, part);
        CHECK_CUDA(
            cudaMemcpyAsync(to + at, on_gpu + at, bytes, cudaMemcpyDeviceToHost, streams[i]));
    }
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.times ? 1 << 26 : 1 << 16; // ints; the first is 256 MiB
    size_t bytes = n * sizeof(int);
    int *pageable_in = ladder_ints(n), *pageable_out = (int *)malloc(bytes),
        *right = (int *)malloc(bytes);
    int *pinned_in, *pinned_out, *on_gpu = ladder_alloc<int>(n);
    CHECK_CUDA(cudaMallocHost(&pinned_in, bytes));
    CHECK_CUDA(cudaMallocHost(&pinned_out, bytes));
    memcpy(pinned_in, pageable_in, bytes);
    for (int i = 0; i < n; ++i)
        right[i] = 2 * pageable_in[i];
    cudaStream_t streams[MAX_STREAMS]; // these and the events' (default) stream wait for each other
    for (int i = 0; i < MAX_STREAMS; ++i)
        CHECK_CUDA(cudaStreamCreate(&streams[i]));
    const cudaStream_t *in_order = streams;

    ladder_size("", ladder.times ? "256 MiB each way" : "256 KiB each way");
    auto rung = [=](const char *name, const char *title, int *to, const int *from, int pieces) {
        ladder_rung(
            name, title, [=] { memset(to, 0, bytes); },
            [=] { there_and_back(to, from, on_gpu, n, in_order, pieces); },
            [=] { return memcmp(to, right, bytes) == 0; });
        ladder_rate("gb_per_s", 2.0 * bytes);
    };
    rung("pageable", "pageable memory", pageable_out, pageable_in, 1);
    rung("pinned", "pinned memory", pinned_out, pinned_in, 1);
    rung("streams-2", "pinned, 2 streams", pinned_out, pinned_in, 2);
    rung("streams-4", "pinned, 4 streams", pinned_out, pinned_in, 4);
    rung("streams-8", "pinned, 8 streams", pinned_out, pinned_in, 8);

    int *copy = ladder_alloc<int>(n);
    ladder_rung(
        "on-gpu", "on the GPU, memory to memory", [=] {},
        [=] { CHECK_CUDA(cudaMemcpyAsync(copy, on_gpu, bytes, cudaMemcpyDeviceToDevice, 0)); },
        [=] { return ladder_same(copy, right, n); });
    ladder_rate("gb_per_s", 2.0 * bytes);
    return 0;
}
