/* Compares occupancy with cuda_occupancy.h, the header with which CUDA's own runtime computes it,
 * for every capability from 3.0 on that the header knows. For older capabilities, compares it with
 * rows computed by hand. test_hardware_occupancy.c compares it with a real GPU. */
#include "gpu/occupancy.h"

#include <criterion/criterion.h>
#include <cuda_occupancy.h>
#include <stdio.h>

TestSuite(occupancy, .timeout = 120);

static cudaOccDeviceProp properties_of(const struct emu_limits *l)
{
    return (cudaOccDeviceProp){
        .computeMajor = (int)l->capability / 10,
        .computeMinor = (int)l->capability % 10,
        .maxThreadsPerBlock = (int)l->block_threads,
        .maxThreadsPerMultiprocessor = (int)l->sm_warps * 32,
        .regsPerBlock = (int)l->block_registers,
        .regsPerMultiprocessor = (int)l->sm_registers,
        .warpSize = 32,
        .sharedMemPerBlock = l->block_shared,
        .sharedMemPerMultiprocessor = l->sm_shared,
        .numSms = 1,
        .sharedMemPerBlockOptin = l->block_shared_optin,
        .reservedSharedMemPerBlock = l->shared_reserved,
    };
}

/* Returns the header's number of blocks, or -1 if the header does not know the capability. */
static int blocks_by_header(const struct emu_limits *limits, const struct emu_demand *demand)
{
    cudaOccDeviceProp properties = properties_of(limits);
    cudaOccFuncAttributes attributes = {.maxThreadsPerBlock = INT_MAX,
                                        .numRegs = (int)demand->registers,
                                        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                        .maxDynamicSharedSizeBytes = limits->block_shared_optin,
                                        .numBlockBarriers = 1};
    cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult result;
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &properties, &attributes, &state, (int)demand->threads, demand->shared);
    return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

static bool agrees(const struct emu_limits *limits, struct emu_demand demand)
{
    int there = blocks_by_header(limits, &demand);
    int here = (int)emu_occupancy_of(limits, &demand).ctas;
    if (there != here)
        cr_log_error("%u: %u threads, %u registers, %zu bytes: %d blocks here, %d there",
                     limits->capability, demand.threads, demand.registers, (size_t)demand.shared,
                     here, there);
    return there == here;
}

/* Returns whether both agree for all sizes of blocks, first with all numbers of registers, then
 * with all sizes of shared memory. Only a few combinations of the two are tested, because they
 * limit the occupancy independently. */
static bool agrees_everywhere(const struct emu_limits *limits)
{
    for (uint32_t threads = 1; threads <= limits->block_threads + 1; threads++)
        for (uint32_t registers = 0; registers <= limits->thread_registers; registers++)
            if (!agrees(limits, (struct emu_demand){threads, registers, 0}))
                return false;
    for (uint32_t shared = 0; shared <= limits->block_shared_optin; shared++)
        for (uint32_t threads = 32; threads <= 1024; threads *= 4)
            if (!agrees(limits, (struct emu_demand){threads, shared % 64, shared}))
                return false;
    return true;
}

Test(occupancy, is_that_of_cuda_occupancy)
{
    const struct emu_limits *limits;
    uint32_t compared = 0;
    for (uint32_t i = 0; (limits = emu_limits_at(i)); i++) {
        bool is_known = blocks_by_header(limits, &(struct emu_demand){32, 32, 0}) >= 0;
        cr_expect_eq(is_known, limits->capability >= 30, "%u", limits->capability);
        if (is_known) {
            cr_expect(agrees_everywhere(limits));
            compared++;
        }
    }
    cr_expect_geq(compared, 20);
}

/* These rows were computed with the rules of the calculator of 2011 and, for 2.x, of
 * cuda_occupancy.h in CUDA 6.5. */
static const struct {
    uint32_t capability;
    struct emu_demand demand;
    uint32_t ctas, warps;
    enum emu_occupancy_limit limit;
} rows[] = {
    {10, {256, 10, 0}, 3, 24, EMU_BY_WARPS},     /* 24 / 8; 8192 / 2560 = 3, too */
    {10, {256, 11, 0}, 2, 16, EMU_BY_REGISTERS}, /* 8192 / 2816 */
    {10, {96, 10, 0}, 6, 18, EMU_BY_REGISTERS},  /* 24 / 3 = 8; 8192 / (4 x 320 = 1280) = 6 */
    {10, {96, 8, 0}, 8, 24, EMU_BY_WARPS},       /* 8192 / (4 x 256) = 8 */
    {11, {64, 9, 0}, 8, 16, EMU_BY_BLOCKS},      /* 8192 / (576 -> 768) = 10 */
    {11, {512, 17, 0}, 0, 0, EMU_BY_REGISTERS},  /* 8704 > 8192 */
    {11, {513, 1, 0}, 0, 0, EMU_BY_WARPS},       /* 512 threads at most */
    {13, {64, 9, 0}, 8, 16, EMU_BY_BLOCKS},      /* 16384 / (576 -> 1024) = 16 */
    {13, {64, 33, 0}, 6, 12, EMU_BY_REGISTERS},  /* 16384 / (2112 -> 2560) */
    {13, {128, 10, 5461}, 2, 8, EMU_BY_SHARED},  /* 16384 / (5461 -> 5632) */
    {13, {128, 10, 5120}, 3, 12, EMU_BY_SHARED}, /* 16384 / 5120 */
    {13, {32, 125, 0}, 0, 0, EMU_BY_REGISTERS},  /* 124 registers at most */
    {20, {256, 20, 0}, 6, 48, EMU_BY_WARPS},     /* 16384 / 640 = 25 a part; 50 / 8 = 6 */
    {20, {256, 21, 0}, 5, 40, EMU_BY_REGISTERS}, /* 672 -> 704 -> 768: 21 a part, 42 / 8 */
    {20, {192, 33, 0}, 5, 30, EMU_BY_REGISTERS}, /* 1056 -> 1088: 15 a part, 30 / 6 = 5 */
    {21, {1024, 33, 0}, 0, 0, EMU_BY_REGISTERS}, /* 32 x 1088 > 32768 */
    {20, {64, 63, 0}, 8, 16, EMU_BY_BLOCKS},     /* 2016 -> 2048: 8 a part, 16 / 2 = 8 */
    {20, {64, 16, 20000}, 2, 4, EMU_BY_SHARED},  /* 49152 / 20096 */
};

Test(occupancy, before_capability_3)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_occupancy o = emu_occupancy_of(emu_limits(rows[i].capability), &rows[i].demand);
        cr_expect(o.ctas == rows[i].ctas && o.warps == rows[i].warps && o.limit == rows[i].limit,
                  "row %zu: %u blocks, %u warps, limited by %s", i, o.ctas, o.warps,
                  emu_occupancy_limit_name(o.limit));
    }
}

/* The table is sorted and has no capability twice. Its limits of shared memory agree with each
 * other. */
Test(occupancy, the_table_is_consistent)
{
    const struct emu_limits *l;
    uint32_t before = 0;
    for (uint32_t i = 0; (l = emu_limits_at(i)); before = l->capability, i++) {
        cr_expect_gt(l->capability, before);
        cr_expect_eq(emu_limits(l->capability), l);
        cr_expect_eq(emu_limits_split(l, UINT64_MAX), l->sm_shared, "%u", l->capability);
        cr_expect_leq(l->block_shared_optin + l->shared_reserved, l->sm_shared, "%u",
                      l->capability);
        cr_expect_leq(l->block_registers, l->sm_registers, "%u", l->capability);
        cr_expect_eq(l->sm_registers % (l->register_unit * (l->register_parts ?: 1)), 0);
    }
    cr_expect_eq(before, 121);
    cr_expect_null(emu_limits(40));
}
