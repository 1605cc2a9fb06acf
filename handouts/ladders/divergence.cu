/* The cost of a branch at which the lanes of a warp go different ways: 1, 2, 4 ... 32 ways of equal length.
 *
 * Look at: active lanes, which become half from rung to rung, and divergent branches. */
#include "ladder.cuh"

#define BLOCKS  1056
#define THREADS 256
#define STEPS   512

// Lanes with the same `lane % ways` go together while all others wait.
__global__ void go_ways(unsigned *out, int ways)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i;
    for (int way = 0; way < ways; ++way)
        if (threadIdx.x % ways == way)
            for (int step = 0; step < STEPS; ++step)
                x = x * 1664525 + way;
    out[i] = x;
}

static bool is_right(const unsigned *out, int n, int ways)
{
    unsigned *values = (unsigned *)malloc(n * sizeof *values), wrong = 0;
    ladder_download(values, out, n);
    for (int i = 0; i < n; ++i) {
        unsigned x = i;
        for (int step = 0; step < STEPS; ++step)
            x = x * 1664525 + i % THREADS % ways;
        wrong += values[i] != x;
    }
    free(values);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *title;
        int ways;
    } rungs[] = {{"ways-1", "one way", 1}, {"ways-2", "2 ways", 2},    {"ways-4", "4 ways", 4},
                 {"ways-8", "8 ways", 8},  {"ways-16", "16 ways", 16}, {"ways-32", "32 ways", 32}};
    ladder_open(argc, argv);
    int blocks = ladder.times ? BLOCKS : 1, n = blocks * THREADS;
    unsigned *out = ladder_alloc<unsigned>(n);
    ladder_size("", ladder.times ? "1,056 blocks of 256 threads" : "1 block of 256 threads");
    for (const auto &rung : rungs) {
        int ways = rung.ways;
        ladder_rung(
            rung.name, rung.title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof *out)); },
            [=] { go_ways<<<blocks, THREADS>>>(out, ways); },
            [=] { return is_right(out, n, ways); });
        ladder_value("ways", ways);
    }
    return 0;
}
