/* What a stride costs in shared memory: lane i reads word stride * i, again and again.
 *
 * Look at: bank conflicts per request: they double with each power of 2, and odd strides have none.
 * With RULES=g80 there are 16 banks. */
#include "ladder.cuh"

#define WARPS 8
#define STEPS 1024
#define WORDS (31 * 33 + STEPS) // room for 32 lanes with stride 33

// Each step goes one word further, so that the compiler cannot reuse the value of the step before.
__global__ void read_shared(int *out, int stride)
{
    __shared__ int words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    int at = threadIdx.x % 32 * stride, sum = 0;
    for (int step = 0; step < STEPS; ++step)
        sum += words[at + step];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static bool is_right(const int *out, int n, int stride)
{
    int wrong = 0, *values = (int *)malloc(n * sizeof *values);
    ladder_download(values, out, n);
    for (int i = 0; i < n; ++i) {
        int sum = 0;
        for (int step = 0; step < STEPS && i < 32; ++step)
            sum += i * stride + step;
        wrong += i < 32 ? values[i] != sum : values[i] != values[i % 32];
    }
    free(values);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *title;
        int stride;
    } rungs[] = {
        {"stride-1", "stride 1", 1},    {"stride-2", "stride 2", 2},
        {"stride-3", "stride 3", 3},    {"stride-4", "stride 4", 4},
        {"stride-8", "stride 8", 8},    {"stride-16", "stride 16", 16},
        {"stride-17", "stride 17", 17}, {"stride-32", "stride 32", 32},
        {"stride-33", "stride 33", 33},
    };
    ladder_open(argc, argv);
    int blocks = ladder.times ? 1056 : 1, n = blocks * WARPS * 32;
    int *out = ladder_alloc<int>(n);
    auto reset = [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof *out)); };

    ladder_size("", ladder.times ? "1,056 blocks of 8 warps" : "1 block of 8 warps");
    for (const auto &rung : rungs) {
        int stride = rung.stride;
        ladder_rung(
            rung.name, rung.title, reset, [=] { read_shared<<<blocks, WARPS * 32>>>(out, stride); },
            [=] { return is_right(out, n, stride); });
        ladder_value("stride", stride);
    }
    return 0;
}
