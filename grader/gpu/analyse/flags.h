/* Finds loops that poll a flag.
 *
 * racecheck uses this analysis to distinguish a thread that waits for another thread from a thread
 * that reads the other thread's data too early. racecheck must also recognise the load before a
 * compare-and-swap loop, because such a loop is correct even if the loaded value is out of date. */
#ifndef GPU_ANALYSE_FLAGS_H
#define GPU_ANALYSE_FLAGS_H

#include "gpu/ptx/module.h"

enum analyse_flag_use {
    FLAG_COMPARED = 1, /* no memory access and no call uses the value, so it is at most compared */
    FLAG_POLLED = 2,   /* the value decides when a loop that contains the load ends */
    FLAG_POLLED_THERE = 4, /* FLAG_POLLED, and the loop always loads from the same address */
    FLAG_GUESSED = 8,      /* an atomicCAS() compares the value with the value in memory */
};

/* Returns how FUNCTION uses the result of the load at PC, as bits of enum analyse_flag_use. Returns
 * 0 when out of memory. */
unsigned analyse_flag(const struct ptx_function *function, uint32_t pc);

/* Sets POLLS[i] to whether instruction i is a load, volatile or ordinary, that only polls: its
 * value decides when a loop ends, and this loop always loads from the same address and writes no
 * memory. POLLS has code_count entries. */
void analyse_polls(const struct ptx_function *function, bool *polls);

#endif
