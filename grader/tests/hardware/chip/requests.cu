/* Requests: the cost of a warp's load or store for a multiprocessor, depending on how many sectors of 32 bytes and
 * lines of 128 bytes it touches, and the cost of a pass through shared memory.
 *
 * One block of 32 warps runs alone. Each warp repeats independent requests; cycles of the multiprocessor for each
 * of them. PATTERN: lane l touches word (l % words) of sector (l / words % sectors of a line) ... */
#include "chip.cuh"

#include <string>

/* Lane l's word: the request touches LINES lines and, of each, SECTORS sectors, evenly. */
static __device__ unsigned place(unsigned lane, unsigned lines, unsigned sectors)
{
    unsigned all = lines * sectors, k = lane * all / 32; // index of its sector
    unsigned within = all >= 32 ? 0 : lane % (32 / all) % 8;
    return k / sectors * 32 + k % sectors * 8 + within;
}

enum kind { LOAD_L1, LOAD_L2, STORE, RED };

/* WINDOW: the words that 8 requests of a warp touch; the windows of all warps fill `mask` + 1 words. */
template <enum kind kind, unsigned lines>
static __global__ void requests(unsigned *words, unsigned mask, unsigned sectors, int rounds,
                                struct span *span, unsigned *sink)
{
    const unsigned window = 8 * lines * 32;
    unsigned lane = threadIdx.x % 32, warp = blockIdx.x * 32 + threadIdx.x / 32, sum = 0;
    unsigned *mine = words + place(lane, lines, sectors);
    unsigned long long begin;
    if (kind == LOAD_L1)
        for (unsigned at = 0; at <= mask; at += 32)
            sum += words[at + lane];
    span_begin(span, &begin);
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        unsigned *at = mine + ((warp * rounds + r) * window & mask);
#pragma unroll
        for (unsigned i = 0; i < 8; i++) {
            unsigned value;
            if (kind == LOAD_L1 || kind == LOAD_L2) {
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at + i * lines * 32));
                sum ^= value;
            } else if (kind == STORE) {
                asm volatile("st.global.u32 [%0], %1;" ::"l"(at + i * lines * 32), "r"(r));
            } else {
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at + i * lines * 32), "r"(r));
            }
        }
    }
    if (sum == 12345)
        *sink = sum;
    span_end(span, begin);
}

static const struct {
    int lines, sectors;
} patterns[] = {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 4},  {4, 1},  {4, 2},
                {4, 4}, {8, 1}, {8, 2}, {8, 4}, {16, 1}, {16, 2}, {32, 1}};

template <enum kind kind>
static void launch_requests(int blocks, unsigned mask, int lines, int sectors, int rounds)
{
#define WITH(n)                                                                                    \
    case n:                                                                                        \
        requests<kind, n>                                                                          \
            <<<blocks, 1024>>>((unsigned *)chip.big, mask, sectors, rounds, chip.span, chip.sink); \
        break
    switch (lines) {
        WITH(1);
        WITH(2);
        WITH(4);
        WITH(8);
        WITH(16);
        WITH(32);
    }
#undef WITH
}

/* BYTES: the size of the memory that all requests access; it fits in the cache that is measured. */
template <enum kind kind> static void of_kind(const char *name, const char *what, unsigned bytes)
{
    for (auto p : patterns) {
        std::string key =
            std::string(name) + "_" + std::to_string(p.lines) + "x" + std::to_string(p.sectors);
        const int rounds = 64;
        unsigned mask = bytes / 4 - 1;
        chip_measure(key.c_str(), "cycles", what, [=] {
            return chip_cycles(
                       [=] { launch_requests<kind>(1, mask, p.lines, p.sectors, rounds); }) /
                   (32.0 * 8 * rounds);
        });
        if (kind == LOAD_L1)
            continue;
        chip_measure((key + "_all").c_str(), "cycles", "the same on all multiprocessors", [=] {
            auto us = [=](int rounds) {
                return chip_us(
                    [=] { launch_requests<kind>(chip.sms * 2, mask, p.lines, p.sectors, rounds); });
            };
            return (us(80) - us(16)) * chip.clock_mhz / (2 * 32.0 * 8 * 64);
        });
    }
}

/* --- widths --------------------------------------------------------------------------------------- */

template <typename T>
static __global__ void wide(const T *words, int rounds, struct span *span, unsigned *sink)
{
    unsigned long long begin;
    unsigned sum = 0;
    const T *mine = words + threadIdx.x % 128;
    for (int i = 0; i < 8; i++)
        sum += word_of(mine[i * 32]);
    span_begin(span, &begin);
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const T *at = mine + r % 4 * 32; // not always the same: otherwise ptxas loads only once
#pragma unroll
        for (int i = 0; i < 8; i++) {
            unsigned a, b = 0, c = 0, d = 0;
            if (sizeof(T) == 4)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(at + i * 32));
            else if (sizeof(T) == 8)
                asm volatile("ld.global.v2.u32 {%0, %1}, [%2];"
                             : "=r"(a), "=r"(b)
                             : "l"(at + i * 32));
            else
                asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                             : "l"(at + i * 32));
            sum ^= a ^ b ^ c ^ d;
        }
    }
    if (sum == 12345)
        *sink = sum;
    span_end(span, begin);
}

template <typename T> static void of_width(const char *key)
{
    const int rounds = 64;
    chip_measure(key, "cycles", "a warp's coalesced load of this width that hits L1", [=] {
        return chip_cycles([=] {
                   wide<T><<<1, 1024>>>((const T *)chip.big, rounds, chip.span, chip.sink);
               }) /
               (32.0 * 8 * rounds);
    });
}

/* --- shared memory --------------------------------------------------------------------------------- */

template <typename T, bool store>
static __global__ void shared(int stride, int rounds, struct span *span, unsigned *sink)
{
    __shared__ unsigned words[8192];
    unsigned long long begin;
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x)
        words[i] = i;
    volatile unsigned *mine = words + threadIdx.x % 32 * stride * (sizeof(T) / 4);
    span_begin(span, &begin);
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 16; i++) {
            unsigned at = (unsigned)__cvta_generic_to_shared((const void *)(mine + i * 32)), a,
                     b = 0, c = 0, d = 0;
            if (store && sizeof(T) == 4)
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(sum));
            else if (store && sizeof(T) == 16)
                asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at),
                             "r"(sum));
            else if (sizeof(T) == 4)
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
            else if (sizeof(T) == 8)
                asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                             : "=r"(a), "=r"(b)
                             : "r"(at));
            else
                asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                             : "r"(at));
            if (!store)
                sum ^= a ^ b ^ c ^ d;
        }
    if (sum == 12345)
        *sink = sum;
    span_end(span, begin);
}

template <typename T, bool store> static void of_shared(const char *name, int stride)
{
    const int rounds = 32;
    std::string key = std::string(name) + "_stride" + std::to_string(stride);
    chip_measure(key.c_str(), "cycles",
                 "a warp's access to shared memory, lanes so many accesses apart", [=] {
                     return chip_cycles([=] {
                                shared<T, store><<<1, 1024>>>(stride, rounds, chip.span, chip.sink);
                            }) /
                            (32.0 * 16 * rounds);
                 });
}

/* Constants and textures whose lanes ask for COUNT different words, APART words from each other, of a table of
 * MASK + 1 words. */
__constant__ unsigned constants[4096];

template <bool texture>
static __global__ void read_only(cudaTextureObject_t words, int count, int apart, int mask,
                                 struct span *span, unsigned *sink)
{
    unsigned long long begin;
    unsigned sum = 0, at = threadIdx.x % count * apart;
    span_begin(span, &begin);
#pragma unroll 1
    for (int r = 0; r < 16; r++, at ^= sum & (1 << 30))
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += texture ? tex1Dfetch<unsigned>(words, (int)((at + i * 32 + r * 512) & mask))
                           : constants[(at + i * 32 + r * 512) & mask];
    if (sum == 12345)
        *sink = sum;
    span_end(span, begin);
}

cudaTextureObject_t chip_texture(const void *bytes, size_t size);

static void measure_read_only(void)
{
    cudaTextureObject_t words = chip_texture(chip.big, 65536);
    auto measure = [=](const std::string &key, const char *what, auto kernel, int count, int apart,
                       int table) {
        chip_measure(key.c_str(), "cycles", what, [=] {
            return chip_cycles([=] {
                       kernel<<<1, 1024>>>(words, count, apart, table - 1, chip.span, chip.sink);
                   }) /
                   (32.0 * 16 * 16);
        });
    };
    for (int count : {1, 2, 4, 8, 16, 32}) {
        std::string n = std::to_string(count);
        for (int kib : {1, 4, 16})
            measure("constant_words_" + std::to_string(kib) + "k_" + n,
                    "a warp's load of so many different constants of a table of so many KiB",
                    read_only<false>, count, 1, kib * 256);
        measure("texture_words_" + n,
                "a warp's tex1Dfetch() of so many different words, side by side", read_only<true>,
                count, 1, 8192);
        measure("texture_lines_" + n, "a warp's tex1Dfetch() of so many different lines",
                read_only<true>, count, 32, 8192);
    }
}

void measure_requests(void)
{
    of_kind<LOAD_L1>("load_l1", "a load that hits L1, LINESxSECTORS of each", 32 << 10);
    of_kind<LOAD_L2>("load_l2", "a load that hits L2, LINESxSECTORS of each", 8 << 20);
    of_kind<STORE>("store", "a store, LINESxSECTORS of each", 8 << 20);
    of_kind<RED>("red", "an atomicAdd() without result, LINESxSECTORS of each", 8 << 20);
    of_width<unsigned>("load_l1_32bit");
    of_width<uint2>("load_l1_64bit");
    of_width<uint4>("load_l1_128bit");
    for (int stride : {1, 2, 4, 8, 16, 32}) {
        of_shared<unsigned, false>("shared_load32", stride);
        of_shared<unsigned, true>("shared_store32", stride);
    }
    for (int stride : {1, 2, 4}) {
        of_shared<uint2, false>("shared_load64", stride);
        of_shared<uint4, false>("shared_load128", stride);
        of_shared<uint4, true>("shared_store128", stride);
    }
    measure_read_only();
}
