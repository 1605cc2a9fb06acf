/* Flow: barriers, divergent branches, and code that does not fit the instruction caches. */
#include "chip.cuh"

#include <string>

static __global__ void barriers(int count, struct span *span)
{
    unsigned long long begin;
    span_begin(span, &begin);
#pragma unroll 1
    for (int i = 0; i < count; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            __syncthreads();
    }
    span_end(span, begin);
}

static __global__ void warp_barriers(int count, struct span *span)
{
    unsigned long long begin;
    span_begin(span, &begin);
#pragma unroll 1
    for (int i = 0; i < count; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("bar.warp.sync -1;");
    }
    span_end(span, begin);
}

/* A store and a fence that waits for it. */
template <bool all>
static __global__ void fences(volatile unsigned *word, int count, struct span *span)
{
    unsigned long long begin;
    span_begin(span, &begin);
    for (int i = 0; i < count; i++) {
        word[threadIdx.x] = i;
        if (all)
            __threadfence();
        else
            __threadfence_block();
    }
    span_end(span, begin);
}

/* A loop of one multiply-add, to measure the cost of a jump. */
static __global__ void loop(int count, float b, float c, struct span *span, unsigned *sink)
{
    unsigned long long begin;
    float a = threadIdx.x;
    span_begin(span, &begin);
#pragma unroll 1
    for (int i = 0; i < count; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(b), "f"(c));
    span_end(span, begin);
    if (count < 0)
        *sink = (unsigned)a;
}

/* WAYS paths, each with a chain of 16 multiply-adds: a lane takes path (lane % WAYS). */
static __global__ void ways(int ways, int count, float b, float c, struct span *span,
                            unsigned *sink)
{
    unsigned long long begin;
    float a = threadIdx.x;
    int way = (int)threadIdx.x % ways;
    span_begin(span, &begin);
#pragma unroll 1
    for (int i = 0; i < count; i++) {
#define WAY(k)                                                                                     \
    if (way == k)                                                                                  \
        for (int n = 0; n < 16; n++)                                                               \
            asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(b), "f"(c));
        WAY(0) else WAY(1) else WAY(2) else WAY(3)
    }
    span_end(span, begin);
    if (count < 0)
        *sink = (unsigned)a;
}

/* N multiply-adds of two chains without a jump: 16 bytes of code each. */
template <int n>
static __global__ void straight(int rounds, float b, float c, struct span *span, unsigned *sink)
{
    unsigned long long begin;
    float a = threadIdx.x, d = a + 1, e = a + 2, f = a + 3;
    span_begin(span, &begin);
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < n / 4; i++)
            asm volatile("fma.rn.f32 %0, %0, %4, %5; fma.rn.f32 %1, %1, %4, %5;"
                         "fma.rn.f32 %2, %2, %4, %5; fma.rn.f32 %3, %3, %4, %5;"
                         : "+f"(a), "+f"(d), "+f"(e), "+f"(f)
                         : "f"(b), "f"(c));
    }
    span_end(span, begin);
    if (rounds < 0)
        *sink = (unsigned)(a + d + e + f);
}

template <int n> static void of_code(void)
{
    for (int threads : {32, 1024}) {
        std::string key =
            "code_" + std::to_string(n / 64) + "k_" + std::to_string(threads / 32) + "w";
        chip_measure(
            key.c_str(), "cycles", "of a scheduler for an ffma, in a loop of so much code", [=] {
                return chip_cycles([=] {
                           straight<n><<<1, threads>>>(4, 1.0f, 1.0f, chip.span, chip.sink);
                       }) /
                       (4.0 * n * (threads == 32 ? 1 : 8));
            });
    }
}

/* N multiply-adds that run once: fetching their code takes longer than executing it. */
template <int n> static void of_first(void)
{
    auto once = [] {
        return chip_cycles([] { straight<n><<<1, 32>>>(1, 1.0f, 1.0f, chip.span, chip.sink); }) / n;
    };
    chip_measure(("code_once_" + std::to_string(n)).c_str(), "cycles",
                 "for each of so many ffma that run once, the same kernel before", once);
    chip_measure(("code_cold_" + std::to_string(n)).c_str(), "cycles",
                 "the same, a kernel with 256 KiB of code before", [=] {
                     straight<16384><<<264, 32>>>(1, 1.0f, 1.0f, chip.span, chip.sink);
                     return once();
                 });
}

void measure_flow(void)
{
    for (int warps : {1, 2, 4, 8, 16, 32})
        chip_measure(("barrier_" + std::to_string(warps) + "w").c_str(), "cycles",
                     "__syncthreads() of a block of so many warps", [=] {
                         return chip_cycles([=] { barriers<<<1, warps * 32>>>(512, chip.span); }) /
                                512;
                     });
    chip_measure("warp_barrier", "cycles", "__syncwarp()", [] {
        return chip_cycles([] { warp_barriers<<<1, 32>>>(512, chip.span); }) / 512;
    });
    chip_measure("fence", "cycles", "a store and __threadfence()", [] {
        return chip_cycles([] { fences<true><<<1, 32>>>(chip.sink, 256, chip.span); }) / 256;
    });
    chip_measure("fence_block", "cycles", "a store and __threadfence_block()", [] {
        return chip_cycles([] { fences<false><<<1, 32>>>(chip.sink, 256, chip.span); }) / 256;
    });
    chip_measure(
        "loop_1w", "cycles", "a loop: a multiply-add, an addition, a comparison, a jump", [] {
            return chip_cycles([] { loop<<<1, 32>>>(1024, 1.0f, 1.0f, chip.span, chip.sink); }) /
                   1024;
        });
    chip_measure("loop_32w", "cycles", "the same, a scheduler's cycles with 8 warps", [] {
        return chip_cycles([] { loop<<<1, 1024>>>(1024, 1.0f, 1.0f, chip.span, chip.sink); }) /
               (8 * 1024.0);
    });
    for (int n : {1, 2, 3, 4}) {
        chip_measure(("ways_" + std::to_string(n)).c_str(), "cycles",
                     "16 chained ffma in each of so many ways of a warp's lanes", [=] {
                         return chip_cycles([=] {
                                    ways<<<1, 32>>>(n, 256, 1.0f, 1.0f, chip.span, chip.sink);
                                }) /
                                256;
                     });
    }
    of_first<32>();
    of_first<128>();
    of_first<512>();
    of_first<2048>();
    of_code<512>();
    of_code<1024>();
    of_code<2048>();
    of_code<4096>();
    of_code<6144>();
    of_code<8192>();
    of_code<16384>();
}
