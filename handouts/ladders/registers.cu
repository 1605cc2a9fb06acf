/* The cost of registers. Each thread keeps 8, 32, 64 or 128 numbers in registers, so fewer and fewer threads fit.
 * The last rung must leave room for many threads, so it keeps some numbers in local memory: it spills. The job is
 * always the same: each thread mixes its numbers with each other.
 *
 * Look at: the registers, which are an estimate, and the occupancy that they leave. The spills of the last rung
 * are not in PTX, and so not in our counts. */
#include "ladder.cuh"

#define THREADS 256
#define STEPS   16

// Mixes `count` numbers. All of them are needed until the end.
template <int count> __host__ __device__ void mix(unsigned *x)
{
    for (int step = 0; step < STEPS; ++step)
        for (int k = 0; k < count; ++k)
            x[k] = x[k] * 1664525 + x[(k + count / 2 + 1) % count];
}

// Neighbouring threads take neighbouring numbers: thread i has in[i], in[i + all], in[i + 2 * all] ...
template <int count> __device__ void mix_own(const unsigned *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    unsigned x[count];
#pragma unroll
    for (int k = 0; k < count; ++k)
        x[k] = in[i + k * all];
    mix<count>(x);
#pragma unroll
    for (int k = 0; k < count; ++k)
        out[i + k * all] = x[k];
}

template <int count> __global__ void keep(const unsigned *in, unsigned *out)
{
    mix_own<count>(in, out);
}

template <int count>
__global__ void __launch_bounds__(THREADS, 4) keep_few(const unsigned *in, unsigned *out)
{
    mix_own<count>(in, out);
}

template <int count> static void mix_on_cpu(const unsigned *in, unsigned *out, int n)
{
    int all = n / count;
    for (int i = 0; i < all; ++i) {
        unsigned x[count];
        for (int k = 0; k < count; ++k)
            x[k] = in[i + k * all];
        mix<count>(x);
        for (int k = 0; k < count; ++k)
            out[i + k * all] = x[k];
    }
}

static unsigned *numbers, *right;
static unsigned *in, *out; // on the GPU

template <int count, typename Kernel>
static void rung(const char *name, const char *title, int n, Kernel kernel)
{
    mix_on_cpu<count>(numbers, right, n);
    ladder_rung(
        name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof *out)); },
        [=] { kernel<<<n / count / THREADS, THREADS>>>(in, out); },
        [=] { return ladder_same(out, right, n); });
    if (!ladder.times) // the emulator only estimates registers
        return;
    struct cudaFuncAttributes attributes;
    int blocks = 0;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, (const void *)kernel));
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, 0));
    ladder_value("registers", attributes.numRegs);
    ladder_value("local_bytes", attributes.localSizeBytes);
    ladder_value("occupancy", 100.0 * blocks * THREADS / 2048);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.times ? 1 << 25 : 1 << 16;
    numbers = (unsigned *)ladder_ints(n);
    right = (unsigned *)malloc(n * sizeof *right);
    in = ladder_upload(numbers, n);
    out = ladder_alloc<unsigned>(n);
    ladder_size("", ladder.times ? "33,554,432 numbers" : "65,536 numbers");
    rung<8>("values-8", "8 values a thread", n, keep<8>);
    rung<32>("values-32", "32 values", n, keep<32>);
    rung<64>("values-64", "64 values", n, keep<64>);
    rung<128>("values-128", "128 values", n, keep<128>);
    rung<128>("spilled", "128 values, 64 registers", n, keep_few<128>);
    return 0;
}
