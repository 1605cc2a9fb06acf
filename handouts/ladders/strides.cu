/* The cost of a stride and an offset: thread i reads in[stride * i + offset]. All threads write side
 * by side.
 *
 * Look at: the sectors of a load for each stride and offset. RULES=g80 and RULES=gt200 count as the cards of 2007
 * and 2008 did. */
#include "ladder.cuh"

#define THREADS 256

// Thread i reads one int and writes one.
__global__ void gather(const int *in, int *out, int stride, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(size_t)stride * i + offset];
}

// Makes the input on the device: in[i] = i.
__global__ void count_up(int *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        in[i] = (int)i;
}

static bool is_right(const int *out, int n, int stride, int offset)
{
    int wrong = 0, *values = (int *)malloc(n * sizeof *values);
    ladder_download(values, out, n);
    for (int i = 0; i < n; ++i)
        wrong += values[i] != stride * i + offset;
    free(values);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *title;
        int stride, offset;
    } rungs[] = {
        {"stride-1", "stride 1", 1, 0},    {"stride-2", "stride 2", 2, 0},
        {"stride-3", "stride 3", 3, 0},    {"stride-4", "stride 4", 4, 0},
        {"stride-8", "stride 8", 8, 0},    {"stride-16", "stride 16", 16, 0},
        {"stride-32", "stride 32", 32, 0}, {"offset-1", "offset 1", 1, 1},
        {"offset-8", "offset 8", 1, 8},    {"offset-31", "offset 31", 1, 31},
    };
    ladder_open(argc, argv);
    int n = ladder.times ? 1 << 24 : 1 << 14; // numbers read: a multiple of THREADS
    size_t room = (size_t)32 * n + 32;
    int *in = ladder_alloc<int>(room), *out = ladder_alloc<int>(n);
    count_up<<<(room + THREADS - 1) / THREADS, THREADS>>>(in, room);
    auto reset = [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof *out)); };

    ladder_size("", ladder.times ? "16,777,216 ints" : "16,384 ints");
    for (const auto &rung : rungs) {
        int stride = rung.stride, offset = rung.offset;
        ladder_rung(
            rung.name, rung.title, reset,
            [=] { gather<<<n / THREADS, THREADS>>>(in, out, stride, offset); },
            [=] { return is_right(out, n, stride, offset); });
        ladder_value("stride", stride);
        ladder_rate("gb_per_s", 2.0 * n * sizeof(int)); // requested bytes, read and written
    }
    return 0;
}
