/* Occupancy: how much of a kernel one multiprocessor (SM) of the virtual GPU holds at a time. The same
 * function answers programs that ask, bounds cooperative launches, decides how many CTAs of a launch
 * are kept going together, and is what the record tells. */
#ifndef GPU_OCCUPANCY_H
#define GPU_OCCUPANCY_H

#include <stdint.h>

#define EMU_SM_WARPS        64u
#define EMU_SM_CTAS         32u
#define EMU_SM_REGISTERS    65536u /* and the most that a CTA may have */
#define EMU_SM_SHARED       233472u
#define EMU_SHARED_RESERVED 1024u /* what a CTA takes beside its own shared memory */
#define EMU_SHARED_UNIT     128u  /* in which shared memory is handed out */

/* What allows no more CTAs: the first of these, if several do. */
enum emu_occupancy_limit {
    EMU_BY_WARPS,
    EMU_BY_BLOCKS,
    EMU_BY_REGISTERS,
    EMU_BY_SHARED,
    EMU_OCCUPANCY_LIMITS
};

struct emu_occupancy {
    uint32_t ctas;  /* on one SM; 0: not even one fits */
    uint32_t warps; /* of these CTAs: at most EMU_SM_WARPS */
    enum emu_occupancy_limit limit;
};

/* What a CTA asks for. */
struct emu_demand {
    uint32_t threads;   /* 1 to 1024 */
    uint32_t registers; /* of a thread */
    uint64_t shared;    /* bytes, static and dynamic */
};

struct emu_occupancy emu_occupancy(const struct emu_demand *demand);
/* The same, where the kernel prefers that only PERCENT of what can be shared memory is: the rest is
 * cache. It gets the next larger division that there is, and one in which a CTA fits. */
struct emu_occupancy emu_occupancy_carved(const struct emu_demand *demand, unsigned percent);

/* How many clusters of SIZE CTAs the GPU holds at once: each stays within one of its parts. */
uint32_t emu_occupancy_clusters(const struct emu_demand *demand, uint32_t size);

/* The most threads of a CTA that have room for their REGISTERS: whole warps, at most 1024. */
uint32_t emu_occupancy_threads(uint32_t registers);

/* "warps", "blocks", "registers" or "shared memory". */
const char *emu_occupancy_limit_name(enum emu_occupancy_limit limit);

#endif
