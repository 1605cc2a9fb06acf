/* Latencies: one thread follows a chain of addresses, so each load waits for the one before. */
#include "chip.cuh"

#include <string>

#define LINE 128

/* Links N lines to a cycle in scrambled order: line i leads to (a * i + c) mod n, which visits every line once if
 * a - 1 is a multiple of all primes of n (and of 4), and c shares none with n. Here n = 2^k or 3 * 2^k. */
static __global__ void scramble(unsigned *next, unsigned long long n, unsigned stride)
{
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        next[i * stride] = (unsigned)((i * (12ull * 5431 + 1) + 7919) % n * stride);
}

/* Reads all lines through L2, so that L2 holds as many of them as possible. */
static __global__ void touch(const unsigned *next, unsigned long long n, unsigned stride,
                             unsigned *sink)
{
    unsigned sum = 0;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        sum += __ldcg(&next[i * stride]);
    if (sum == 1) // no line has its own number
        *sink = sum;
}

template <bool by_l1>
static __global__ void chase(const unsigned *next, int warm, int steps, struct span *span,
                             unsigned *sink)
{
    unsigned at = 0;
    unsigned long long begin;
    for (int i = 0; i < warm; i++)
        at = by_l1 ? next[at] : __ldcg(&next[at]);
    span_begin(span, &begin);
    for (int i = 0; i < steps; i++)
        at = by_l1 ? next[at] : __ldcg(&next[at]);
    if (at == ~0u)
        *sink = at;
    span_end(span, begin);
}

/* A load that hits L1 while the chain fits there, then L2, then DRAM. */
static void measure_global(void)
{
    static const int kib[] = {8,    32,    64,    128,   192,   256,   512,    1024,  4096,
                              8192, 16384, 24576, 32768, 49152, 65536, 131072, 524288};
    for (int size : kib) {
        unsigned long long n = (unsigned long long)size * 1024 / LINE;
        if ((size_t)size * 1024 > chip.big_bytes)
            break;
        unsigned stride = LINE / 4, *next = (unsigned *)chip.big;
        scramble<<<1024, 256>>>(next, n, stride);
        touch<<<1024, 256>>>(next, n, stride, chip.sink);
        std::string key = "latency_global_" + std::to_string(size) + "k";
        int warm = size <= 512 ? (int)n : 0, steps = 4096;
        chip_measure(key.c_str(), "cycles", "a load, chain of this many KiB", [=] {
            touch<<<1024, 256>>>(next, n, stride, chip.sink);
            return chip_cycles(
                       [=] { chase<true><<<1, 1>>>(next, warm, steps, chip.span, chip.sink); }) /
                   steps;
        });
    }
}

static __global__ void chase_shared(int steps, struct span *span, unsigned *sink)
{
    __shared__ volatile unsigned next[1024];
    unsigned long long begin;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        next[i] = (i + 33) % 1024;
    unsigned at = threadIdx.x;
    span_begin(span, &begin);
    for (int i = 0; i < steps; i++)
        at = next[at];
    if (at == ~0u)
        *sink = at;
    span_end(span, begin);
}

__constant__ unsigned constant_next[16384];

/* A constant whose address is known only at run time: 8 bytes in each step, from a small or a large range. */
static __global__ void chase_constant(int warm, int steps, struct span *span, unsigned *sink)
{
    unsigned at = 0;
    unsigned long long begin;
    for (int i = 0; i < warm; i++)
        at = constant_next[at];
    span_begin(span, &begin);
    for (int i = 0; i < steps; i++)
        at = constant_next[at];
    if (at == ~0u)
        *sink = at;
    span_end(span, begin);
}

static void measure_constant(void)
{
    static unsigned next[16384];
    for (int words = 128; words <= 16384; words *= 2) {
        for (int i = 0; i < words; i++)
            next[i] = (unsigned)(i + 16) % (unsigned)words; // the next 64 bytes
        CHECK(cudaMemcpyToSymbol(constant_next, next, sizeof next));
        std::string key = "latency_constant_" + std::to_string(words * 4) + "b";
        chip_measure(key.c_str(), "cycles", "a constant, chain of this many bytes, 64 apart", [=] {
            return chip_cycles([=] {
                       chase_constant<<<1, 1>>>(words / 16 * 2, 2048, chip.span, chip.sink);
                   }) /
                   2048;
        });
    }
}

static __global__ void chase_texture(cudaTextureObject_t next, int steps, struct span *span,
                                     unsigned *sink)
{
    unsigned at = 0;
    unsigned long long begin;
    span_begin(span, &begin);
    for (int i = 0; i < steps; i++)
        at = tex1Dfetch<unsigned>(next, (int)at);
    if (at == ~0u)
        *sink = at;
    span_end(span, begin);
}

cudaTextureObject_t chip_texture(const void *bytes, size_t size)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)bytes;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = size;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

static void measure_texture(void)
{
    for (int kib : {8, 1024}) {
        unsigned long long n = kib * 1024 / LINE;
        scramble<<<64, 256>>>((unsigned *)chip.big, n, LINE / 4);
        cudaTextureObject_t next = chip_texture(chip.big, (size_t)kib * 1024);
        std::string key = "latency_texture_" + std::to_string(kib) + "k";
        chip_measure(key.c_str(), "cycles", "tex1Dfetch(), chain of this many KiB", [=] {
            return chip_cycles([=] { chase_texture<<<1, 1>>>(next, 8192, chip.span, chip.sink); }) /
                   8192;
        });
        CHECK(cudaDestroyTextureObject(next));
    }
}

/* A local array whose index is known only at run time: a store, then a load of the same word. */
static __global__ void chase_local(int steps, unsigned zero, struct span *span, unsigned *sink)
{
    unsigned mine[64];
    unsigned at = steps & 1;
    unsigned long long begin;
    for (int i = 0; i < 64; i++)
        mine[i] = (i * steps + 3) % 64;
    span_begin(span, &begin);
    for (int i = 0; i < steps; i++) {
        mine[at] = (at * 5 + 3) % 64;
        at = mine[at ^ zero]; // ptxas does not know that it is the same word
    }
    if (at == ~0u)
        *sink = at;
    span_end(span, begin);
}

/* A result that the next step needs: an atomic addition with its old value. */
template <bool shared>
static __global__ void chase_atomic(unsigned *word, int steps, struct span *span)
{
    __shared__ unsigned inside;
    unsigned at = 0, *where = shared ? &inside : word;
    unsigned long long begin;
    inside = 0;
    span_begin(span, &begin);
    for (int i = 0; i < steps; i++)
        at = atomicAdd(where + (at >> 31), at & 1);
    if (at == ~0u)
        word[1] = at;
    span_end(span, begin);
}

void measure_latencies(void)
{
    measure_global();
    auto few = [](const char *key, const char *what, int steps, auto launch) {
        chip_measure(key, "cycles", what,
                     [=] { return chip_cycles([=] { launch(steps); }) / steps; });
    };
    few("latency_l2_cg", "a load that goes past L1 (ld.cg), chain of 1 MiB", 4096, [](int steps) {
        scramble<<<1024, 256>>>((unsigned *)chip.big, 8192, LINE / 4);
        touch<<<1024, 256>>>((unsigned *)chip.big, 8192, LINE / 4, chip.sink);
        chase<false><<<1, 1>>>((unsigned *)chip.big, 0, steps, chip.span, chip.sink);
    });
    few("latency_shared", "a load from shared memory", 4096,
        [](int steps) { chase_shared<<<1, 32>>>(steps, chip.span, chip.sink); });
    measure_constant();
    measure_texture();
    few("latency_local", "a store to local memory and its load", 1024,
        [](int steps) { chase_local<<<1, 32>>>(steps, 0, chip.span, chip.sink); });
    few("latency_atomic", "atomicAdd() to global memory, with its result", 1024,
        [](int steps) { chase_atomic<false><<<1, 1>>>(chip.sink, steps, chip.span); });
    few("latency_atomic_shared", "atomicAdd() to shared memory, with its result", 1024,
        [](int steps) { chase_atomic<true><<<1, 1>>>(chip.sink, steps, chip.span); });
}
