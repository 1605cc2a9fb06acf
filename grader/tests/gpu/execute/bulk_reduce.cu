/* Bulk copies that reduce: each element at the target becomes target op source, in global memory and
 * in the shared memory of the block. Prints the results in hexadecimal.
 *
 * bulk_reduce.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To record
 * it again: nvcc -I grader -arch=sm_90 -o b bulk_reduce.cu && ./b >bulk_reduce.expected The emulator
 * must print the same. */
#include "tests/support/bulk.cuh"
#include "tests/support/check.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define COUNT 32 /* elements */

typedef unsigned long long word;

/* Elements of 2, 4 or 8 bytes: the small numbers, those next to the ends of each type, and floats
 * that are denormal, large, infinite and no numbers. */
static void fill(word values[COUNT], unsigned bytes, unsigned turn)
{
    static const word two[] = {0,      1,      2,      3,      7,      0x3c00, 0xbc00, 0x0001,
                               0x8001, 0x03ff, 0x0400, 0x7bff, 0x7c00, 0xfc00, 0x7e01, 0x8000};
    static const word four[] = {0,          1,          2,          3,
                                7,          0x3f800000, 0xbf800000, 0x00000001,
                                0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                                0x7f800000, 0xff800000, 0x7fc00001, 0x80000000};
    static const word eight[] = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 0x3ff0000000000000,
                                 0xbff0000000000000,
                                 0x0000000000000001,
                                 0x8000000000000001,
                                 0x000fffffffffffff,
                                 0x0010000000000000,
                                 0x7fefffffffffffff,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff8000000000001,
                                 0x8000000000000000};
    const word *list = bytes == 2 ? two : bytes == 4 ? four : eight;
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = list[(turn ? i * 5 + 3 + i / 16 * 6 : i) % 16];
}

template <typename T> static __device__ void begin(T *tile, T *target, const T *from, const T *to)
{
    tile[threadIdx.x] = from[threadIdx.x];
    target[threadIdx.x] = to[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

#define GLOBAL(name, T, what)                                                                      \
    __global__ void name(T *to, const T *from)                                                     \
    {                                                                                              \
        __shared__ alignas(16) T tile[COUNT], unused[COUNT];                                       \
        begin(tile, unused, from, to);                                                             \
        if (threadIdx.x == 0) {                                                                    \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." what                \
                         " [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),                   \
                         "r"(shared_address(tile)), "r"((unsigned)sizeof tile)                     \
                         : "memory");                                                              \
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory"); \
        }                                                                                          \
    }

/* Each of two blocks reduces in the shared memory of the other one. An H100 refuses these outside of
 * clusters. */
#define SHARED(name, T, what)                                                                      \
    __global__ void __cluster_dims__(2) name(T *to, const T *from)                                 \
    {                                                                                              \
        __shared__ alignas(16) T tile[COUNT], target[COUNT];                                       \
        __shared__ unsigned long long full;                                                        \
        unsigned other = 1 - blockIdx.x, there, barrier;                                           \
        if (threadIdx.x == 0) {                                                                    \
            bulk_init(&full, 1);                                                                   \
            bulk_announce(&full, sizeof tile);                                                     \
        }                                                                                          \
        begin(tile, target, from, to);                                                             \
        cg::this_cluster().sync();                                                                 \
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"                                        \
                     : "=r"(there)                                                                 \
                     : "r"(shared_address(target)), "r"(other));                                   \
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"                                        \
                     : "=r"(barrier)                                                               \
                     : "r"(shared_address(&full)), "r"(other));                                    \
        if (threadIdx.x == 0)                                                                      \
            asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"  \
                         "::bytes." what " [%0], [%1], %2, [%3];" ::"r"(there),                    \
                         "r"(shared_address(tile)), "r"((unsigned)sizeof tile), "r"(barrier)       \
                         : "memory");                                                              \
        bulk_wait(&full, 0);                                                                       \
        if (blockIdx.x == 0)                                                                       \
            to[threadIdx.x] = target[threadIdx.x];                                                 \
        cg::this_cluster().sync();                                                                 \
    }

typedef unsigned short half_bits;

/* Each row: the kernel's name, the bits of an element, and the operation. */
#define GLOBALS(ROW)                                                                               \
    ROW(add_u32, unsigned, "add.u32")                                                              \
    ROW(add_s32, unsigned, "add.s32")                                                              \
    ROW(add_u64, word, "add.u64")                                                                  \
    ROW(add_f32, unsigned, "add.f32")                                                              \
    ROW(add_f64, word, "add.f64")                                                                  \
    ROW(add_f16, half_bits, "add.noftz.f16")                                                       \
    ROW(add_bf16, half_bits, "add.noftz.bf16")                                                     \
    ROW(min_u32, unsigned, "min.u32")                                                              \
    ROW(min_s32, unsigned, "min.s32")                                                              \
    ROW(min_u64, word, "min.u64")                                                                  \
    ROW(min_s64, word, "min.s64")                                                                  \
    ROW(min_f16, half_bits, "min.f16")                                                             \
    ROW(min_bf16, half_bits, "min.bf16")                                                           \
    ROW(max_u32, unsigned, "max.u32")                                                              \
    ROW(max_s32, unsigned, "max.s32")                                                              \
    ROW(max_u64, word, "max.u64")                                                                  \
    ROW(max_s64, word, "max.s64")                                                                  \
    ROW(max_f16, half_bits, "max.f16")                                                             \
    ROW(max_bf16, half_bits, "max.bf16")                                                           \
    ROW(inc_u32, unsigned, "inc.u32")                                                              \
    ROW(dec_u32, unsigned, "dec.u32")                                                              \
    ROW(and_b32, unsigned, "and.b32")                                                              \
    ROW(or_b32, unsigned, "or.b32")                                                                \
    ROW(xor_b32, unsigned, "xor.b32")                                                              \
    ROW(and_b64, word, "and.b64")                                                                  \
    ROW(or_b64, word, "or.b64")                                                                    \
    ROW(xor_b64, word, "xor.b64")
#define SHAREDS(ROW)                                                                               \
    ROW(here_add_u32, unsigned, "add.u32")                                                         \
    ROW(here_add_s32, unsigned, "add.s32")                                                         \
    ROW(here_add_u64, word, "add.u64")                                                             \
    ROW(here_min_u32, unsigned, "min.u32")                                                         \
    ROW(here_min_s32, unsigned, "min.s32")                                                         \
    ROW(here_max_u32, unsigned, "max.u32")                                                         \
    ROW(here_max_s32, unsigned, "max.s32")                                                         \
    ROW(here_inc_u32, unsigned, "inc.u32")                                                         \
    ROW(here_dec_u32, unsigned, "dec.u32")                                                         \
    ROW(here_and_b32, unsigned, "and.b32")                                                         \
    ROW(here_or_b32, unsigned, "or.b32")                                                           \
    ROW(here_xor_b32, unsigned, "xor.b32")

GLOBALS(GLOBAL)
SHAREDS(SHARED)

template <typename T> static void run(const char *name, void (*kernel)(T *, const T *), int blocks)
{
    word from[COUNT], to[COUNT];
    T *both;
    fill(from, sizeof(T), 1);
    fill(to, sizeof(T), 0);
    MUST(cudaMallocManaged(&both, 2 * COUNT * sizeof *both));
    for (int i = 0; i < COUNT; i++) {
        both[i] = (T)to[i];
        both[COUNT + i] = (T)from[i];
    }
    kernel<<<blocks, COUNT>>>(both, both + COUNT);
    FINISH();
    printf("%s", name);
    for (int i = 0; i < COUNT; i++)
        printf(" %llx", (word)both[i]);
    printf("\n");
    MUST(cudaFree(both));
}

int main()
{
#define RUN(name, T, what)       run<T>(#name, name, 1);
#define RUN_TWICE(name, T, what) run<T>(#name, name, 2);
    GLOBALS(RUN)
    SHAREDS(RUN_TWICE)
    return 0;
}
