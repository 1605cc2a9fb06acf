/* Computes occupancy: the number of CTAs and warps of a kernel that one multiprocessor (SM) holds
 * at a time. The same function serves a program's occupancy queries, the limit of cooperative
 * launches, the choice of the number of CTAs that run together, the record, and the command
 * `lanewise occupancy`. */
#ifndef GPU_OCCUPANCY_H
#define GPU_OCCUPANCY_H

#include "gpu/limits.h"

/* The resource that limits the number of CTAs. If several resources have the same limit, it is the
 * first of them in this list. */
enum emu_occupancy_limit {
    EMU_BY_WARPS,
    EMU_BY_BLOCKS,
    EMU_BY_REGISTERS,
    EMU_BY_SHARED,
    EMU_OCCUPANCY_LIMITS
};

struct emu_occupancy {
    uint32_t ctas;  /* CTAs on one SM, or 0 if not even one CTA fits */
    uint32_t warps; /* warps of these CTAs, at most EMU_SM_WARPS */
    enum emu_occupancy_limit limit;
};

/* The resources that a CTA needs. */
struct emu_demand {
    uint32_t threads;   /* 1 to 1024 */
    uint32_t registers; /* registers per thread */
    uint64_t shared;    /* bytes of shared memory, static and dynamic */
};

/* Returns the number of warps of a CTA. */
uint32_t emu_occupancy_warps(const struct emu_demand *demand);

/* Returns the occupancy on the virtual GPU. */
struct emu_occupancy emu_occupancy(const struct emu_demand *demand);
/* Returns the occupancy on a GPU with these LIMITS. */
struct emu_occupancy emu_occupancy_of(const struct emu_limits *limits,
                                      const struct emu_demand *demand);

/* Sets MOST[r] to the number of CTAs per SM that resource r alone allows. The number is 0 if one
 * CTA needs more of r than a CTA may have, and UINT32_MAX if the kernel does not use r. */
void emu_occupancy_most(const struct emu_limits *limits, const struct emu_demand *demand,
                        uint32_t most[EMU_OCCUPANCY_LIMITS]);

/* Return the number of registers, and of bytes of shared memory, that an SM reserves for a CTA. */
uint32_t emu_occupancy_registers(const struct emu_limits *limits, const struct emu_demand *demand);
uint64_t emu_occupancy_shared(const struct emu_limits *limits, uint64_t shared);
/* Does the same as emu_occupancy(), for a kernel that requests only PERCENT of the SM's shared
 * memory and leaves the rest to the L1 cache. A GPU offers only a few sizes of shared memory. The
 * SM uses the smallest size that is at least PERCENT and large enough for one CTA. */
struct emu_occupancy emu_occupancy_carved(const struct emu_demand *demand, unsigned percent);

/* Returns the number of clusters of SIZE CTAs that the GPU holds at the same time. A cluster stays
 * within one group of SMs. */
uint32_t emu_occupancy_clusters(const struct emu_demand *demand, uint32_t size);

/* Returns the number of threads of the largest CTA in which each thread can have REGISTERS
 * registers. It is a multiple of the warp size, at most 1024. */
uint32_t emu_occupancy_threads(uint32_t registers);

/* Returns "warps", "blocks", "registers" or "shared memory". */
const char *emu_occupancy_limit_name(enum emu_occupancy_limit limit);

#endif
