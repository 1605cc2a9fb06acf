/* Occupancy: how many CTAs and warps of a kernel one multiprocessor (SM) of the virtual GPU
 * holds at a time. The same function answers programs that ask, limits cooperative launches,
 * decides how many CTAs of a launch run together, and fills in the record. */
#ifndef GPU_OCCUPANCY_H
#define GPU_OCCUPANCY_H

#include <stdint.h>

#define EMU_SM_WARPS        64u
#define EMU_SM_CTAS         32u
#define EMU_SM_REGISTERS    65536u /* also the most that a CTA may have */
#define EMU_SM_SHARED       233472u
#define EMU_SHARED_RESERVED 1024u /* bytes that a CTA takes in addition to its own shared memory */
#define EMU_SHARED_UNIT     128u  /* shared memory comes in units of this many bytes */

/* The resource that leaves no room for more CTAs: the first of these, if several do. */
enum emu_occupancy_limit {
    EMU_BY_WARPS,
    EMU_BY_BLOCKS,
    EMU_BY_REGISTERS,
    EMU_BY_SHARED,
    EMU_OCCUPANCY_LIMITS
};

struct emu_occupancy {
    uint32_t ctas;  /* on one SM; 0: not even one CTA fits */
    uint32_t warps; /* in these CTAs: at most EMU_SM_WARPS */
    enum emu_occupancy_limit limit;
};

/* The resources that a CTA needs. */
struct emu_demand {
    uint32_t threads;   /* 1 to 1024 */
    uint32_t registers; /* per thread */
    uint64_t shared;    /* bytes, static and dynamic */
};

struct emu_occupancy emu_occupancy(const struct emu_demand *demand);
/* The same for a kernel that prefers only PERCENT of the largest shared memory; the rest is
 * cache. The SM gets the next larger division that exists and that holds a CTA. */
struct emu_occupancy emu_occupancy_carved(const struct emu_demand *demand, unsigned percent);

/* The number of clusters of SIZE CTAs that the GPU holds at once. A cluster stays within one
 * group of SMs. */
uint32_t emu_occupancy_clusters(const struct emu_demand *demand, uint32_t size);

/* The largest CTA, in threads, whose threads can have this many REGISTERS each: whole warps, at
 * most 1024. */
uint32_t emu_occupancy_threads(uint32_t registers);

/* "warps", "blocks", "registers" or "shared memory". */
const char *emu_occupancy_limit_name(enum emu_occupancy_limit limit);

#endif
