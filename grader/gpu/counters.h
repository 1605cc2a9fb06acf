/* Keeps the counters of one launch, or of one source line in it. counters.def has their names and
 * units. */
#ifndef GPU_COUNTERS_H
#define GPU_COUNTERS_H

#include <stdint.h>

enum emu_counter {
#define C(name, unit) EMU_##name,
#include "counters.def"
#undef C
    EMU_COUNTER_COUNT
};

/* The number of instructions that a warp must execute between a request to global memory and the
 * wait for its data, so that the latency is hidden. The latency is about 800 cycles, and four warps
 * take turns at a scheduler. */
#define EMU_HIDES_LATENCY 200u

struct emu_counters {
    uint64_t value[EMU_COUNTER_COUNT]; /* indexed by enum emu_counter */
};

/* The record leaves out this counter and all later ones if they are 0. */
#define EMU_COUNTERS_ALWAYS EMU_rows_outside_bytes

/* Returns the counter's name in reports, such as "global_load_sectors". */
const char *emu_counter_name(enum emu_counter counter);

/* Adds FROM to INTO. The result is the maximum of the longest_warp_... counters, and the sum of all
 * other counters. */
void emu_counters_add(struct emu_counters *into, const struct emu_counters *from);

#endif
