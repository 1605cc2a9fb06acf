/* Finds launches that repeat an earlier launch. A solver or a benchmark launches the same kernels
 * thousands of times, and most of these launches have the same counters. The record then has one
 * whole line, and a short line for each further launch (record.h).
 *
 * Only launches without errors are compared, and only with the last few different launches. */
#ifndef GPU_RECORD_REPEATS_H
#define GPU_RECORD_REPEATS_H

#include <stdint.h>

#include "gpu/record/record.h"

#define REPEATS 4 /* number of launches that are remembered */

struct repeats {
    struct repeated *list[REPEATS];
    /* number of launches that have been remembered, including those forgotten since */
    uint64_t count;
};

/* Returns the id of the remembered launch whose line would be the same as that of LAUNCH, or 0 if
 * there is none. */
uint64_t repeats_find(const struct repeats *repeats, const struct launch_view *launch,
                      const struct record_result *result);

/* Remembers LAUNCH in place of the oldest launch. Returns its id, which no other launch of any
 * process of the program has, or 0 if the launch cannot be repeated, or there is no memory. */
uint64_t repeats_keep(struct repeats *repeats, const struct launch_view *launch,
                      const struct record_result *result);

/* Forgets all launches. Their modules may be unloaded afterwards. */
void repeats_clear(struct repeats *repeats);

#endif
