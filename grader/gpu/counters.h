/* Keeps the counters of one launch, or of one source line in a launch. counters.def has their names
 * and units. */
#ifndef GPU_COUNTERS_H
#define GPU_COUNTERS_H

#include <stdint.h>

enum emu_counter {
#define C(name, unit) EMU_##name,
#include "counters.def"
#undef C
    EMU_COUNTER_COUNT
};

/* To hide the latency of global memory, a warp must execute this number of instructions between a
 * request and the wait for its data. The latency is about 800 cycles, and a scheduler is assumed to
 * issue from four warps in turn. */
#define EMU_HIDES_LATENCY 200u

/* The counter waits_uncovered assumes the same of instructions that add or multiply floats. The
 * data of several requests arrive one after the other: each needs this number of instructions. */
#define EMU_HIDES_NEXT 8u

struct emu_counters {
    uint64_t value[EMU_COUNTER_COUNT]; /* indexed by enum emu_counter */
};

/* The record omits this counter and all later counters if they are 0. */
#define EMU_COUNTERS_ALWAYS EMU_rows_outside_bytes

/* Returns how many float additions and multiplications the lanes of a warp must have made when the
 * data of a new request arrive. ADDED is their number so far, and LAST the result for the request
 * before. */
static inline uint64_t counters_arrival(uint64_t added, uint64_t last)
{
    uint64_t first = added + 32 * EMU_HIDES_LATENCY, next = last + 32 * EMU_HIDES_NEXT;
    return first > next ? first : next;
}

/* Returns the counter's name in reports, such as "global_load_sectors". */
const char *emu_counter_name(enum emu_counter counter);

/* Adds FROM to INTO. The longest_warp_... counters become the maximum of both, all other counters
 * the sum. */
void emu_counters_add(struct emu_counters *into, const struct emu_counters *from);

#endif
