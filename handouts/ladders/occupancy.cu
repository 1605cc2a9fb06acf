/* How the number of warps that a multiprocessor holds affects the time: blocks of several sizes, and blocks of 256
 * threads that take more and more shared memory. The job is always the same: each thread follows three links, where
 * each number that it loads is the index of the next. A thread that waits has nothing else to do, so other warps
 * must use the time. A warp's numbers are side by side, in a line that no other warp needs: caches do not help.
 *
 * Look at: the occupancy, and what limits it. */
#include "ladder.cuh"

__global__ void follow(const int *next, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = next[next[next[i]]];
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *title;
        int threads, kib;
    } rungs[] = {
        {"threads-32", "32 threads", 32, 0},
        {"threads-64", "64 threads", 64, 0},
        {"threads-96", "96 threads", 96, 0},
        {"threads-128", "128 threads", 128, 0},
        {"threads-256", "256 threads", 256, 0},
        {"threads-512", "512 threads", 512, 0},
        {"threads-768", "768 threads", 768, 0},
        {"threads-1024", "1,024 threads", 1024, 0},
        {"shared-24", "256 threads, 24 KiB", 256, 24},
        {"shared-32", "256 threads, 32 KiB", 256, 32},
        {"shared-48", "256 threads, 48 KiB", 256, 48},
        {"shared-96", "256 threads, 96 KiB", 256, 96},
        {"shared-192", "256 threads, 192 KiB", 256, 192},
    };
    ladder_open(argc, argv);
    int n = ladder.times ? 1 << 24 : 1 << 14;
    int *next = (int *)malloc(n * sizeof *next), *right = (int *)malloc(n * sizeof *right);
    for (int i = 0; i < n; ++i)
        next[i] = (int)((unsigned)(i / 32) * 2654435761u % (n / 32) * 32) + i % 32;
    for (int i = 0; i < n; ++i)
        right[i] = next[next[next[i]]];
    const int *next_on_gpu = ladder_upload(next, n);
    int *out = ladder_alloc<int>(n);
    CHECK_CUDA(
        cudaFuncSetAttribute(follow, cudaFuncAttributeMaxDynamicSharedMemorySize, 192 << 10));

    ladder_size("", ladder.times ? "16,777,216 threads" : "16,384 threads");
    for (const auto &rung : rungs) {
        int threads = rung.threads, kib = rung.kib;
        ladder_rung(
            rung.name, rung.title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof *out)); },
            [=] {
                follow<<<(n + threads - 1) / threads, threads, kib << 10>>>(next_on_gpu, out, n);
            },
            [=] { return ladder_same(out, right, n); });
        ladder_value("threads", threads);
        ladder_value("shared_kib", kib);
    }
    return 0;
}
