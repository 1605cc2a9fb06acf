/* Finds launches that repeat an earlier launch. A solver or a benchmark launches the same kernels
 * thousands of times, and most of these launches have the same counters. For these, the record has
 * one full line, and a short line for each repetition (record.h).
 *
 * Only launches without errors are compared, and only with the last few different launches. */
#ifndef GPU_RECORD_REPEATS_H
#define GPU_RECORD_REPEATS_H

#include <stdint.h>

#include "gpu/record/record.h"

#define REPEATS 4 /* number of launches that are remembered */

struct repeats {
    struct repeated *list[REPEATS];
    /* number of launches that were ever added to the list */
    uint64_t count;
};

/* Returns the id of a launch in REPEATS whose line would equal LAUNCH's, or 0 if there is none. */
uint64_t repeats_find(const struct repeats *repeats, const struct launch_view *launch,
                      const struct record_result *result);

/* Adds LAUNCH in place of the oldest launch. Returns LAUNCH's id, which is unique among all
 * processes of the program. Returns 0 if the launch cannot be repeated, or when out of memory. */
uint64_t repeats_keep(struct repeats *repeats, const struct launch_view *launch,
                      const struct record_result *result);

/* Removes all launches, so that their modules can be unloaded. */
void repeats_clear(struct repeats *repeats);

#endif
