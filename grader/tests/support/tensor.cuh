/* Tensor maps, and copies that use them, for test programs. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda.h>

#include "tests/support/bulk.cuh"

/* --- the host --------------------------------------------------------------------------------- */

typedef CUresult encode_function(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult replace_function(CUtensorMap *, void *);

/* Returns a function of the driver. */
template <typename Function> static Function *driver_function(const char *name)
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result);
    if (result != cudaDriverEntryPointSuccess) {
        fprintf(stderr, "there is no %s()\n", name);
        exit(3);
    }
    return (Function *)function;
}

/* A map of words in rows: HEIGHT rows of WIDTH words, with boxes of 8 rows of 16 words. */
static CUtensorMap map_words(void *words, unsigned width, unsigned height)
{
    CUtensorMap map;
    cuuint64_t size[] = {width, height}, stride[] = {width * 4ull};
    cuuint32_t box[] = {16, 8}, step[] = {1, 1};
    CUresult result = driver_function<encode_function>("cuTensorMapEncodeTiled")(
        &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, words, size, stride, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        exit(3);
    return map;
}

/* --- kernels ---------------------------------------------------------------------------------- */

struct point {
    int c[5];
};

#define TENSOR_AT_1 "{%3}"
#define TENSOR_AT_2 "{%3, %4}"
#define TENSOR_AT_3 "{%3, %4, %5}"
#define TENSOR_AT_4 "{%3, %4, %5, %6}"
#define TENSOR_AT_5 "{%3, %4, %5, %6, %7}"
#define TENSOR_LOAD(dims, words, more)                                                             \
    asm volatile("cp.async.bulk.tensor." #dims "d.shared::cluster.global" words                    \
                 " [%0], [%1, " TENSOR_AT_##dims "], [%2]" more ";" ::"r"(shared_address(to)),     \
                 "l"(map), "r"(shared_address(barrier)), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]), \
                 "r"(at.c[3]), "r"(at.c[4]), "h"(blocks), "l"(policy)                              \
                 : "memory")
#define TENSOR_STORE(opcode, dims, words, more)                                                    \
    asm volatile(opcode ".tensor." #dims "d.global.shared::cta" words " [%0, " TENSOR_AT_##dims    \
                 "], [%1]" more ";" ::"l"(map),                                                    \
                 "r"(shared_address(from)), "r"(0), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]),      \
                 "r"(at.c[3]), "r"(at.c[4]), "l"(policy)                                           \
                 : "memory")
#define TENSOR_COMPLETES ".mbarrier::complete_tx::bytes"

template <int D>
static __device__ void tensor_load(const void *map, void *to, point at, unsigned long long *barrier)
{
    unsigned short blocks = 0;
    unsigned long long policy = 0;
    if (D == 1)
        TENSOR_LOAD(1, TENSOR_COMPLETES, "");
    else if (D == 2)
        TENSOR_LOAD(2, ".tile" TENSOR_COMPLETES, "");
    else if (D == 3)
        TENSOR_LOAD(3, TENSOR_COMPLETES, "");
    else if (D == 4)
        TENSOR_LOAD(4, TENSOR_COMPLETES, "");
    else
        TENSOR_LOAD(5, TENSOR_COMPLETES, "");
}

/* Makes earlier stores to shared memory visible to bulk copies. */
static __device__ void tensor_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

template <int D> static __device__ void tensor_store(const void *map, const void *from, point at)
{
    unsigned long long policy = 0;
    if (D == 1)
        TENSOR_STORE("cp.async.bulk", 1, ".bulk_group", "");
    else if (D == 2)
        TENSOR_STORE("cp.async.bulk", 2, ".tile.bulk_group", "");
    else if (D == 3)
        TENSOR_STORE("cp.async.bulk", 3, ".bulk_group", "");
    else if (D == 4)
        TENSOR_STORE("cp.async.bulk", 4, ".bulk_group", "");
    else
        TENSOR_STORE("cp.async.bulk", 5, ".bulk_group", "");
}

static __device__ void tensor_stored()
{
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
