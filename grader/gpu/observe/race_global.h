/* Checks accesses to global memory for racecheck. Each page of memory has a log of accesses that
 * are not checked yet (race_log.h), and a shadow, which records the latest accesses
 * (race_shadow.h). */
#ifndef GPU_OBSERVE_RACE_GLOBAL_H
#define GPU_OBSERVE_RACE_GLOBAL_H

#include "gpu/observe/race_order.h"
#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

struct race;

#define RACE_SPREADS 8u

/* The pages of the latest access with PATTERN, if the pattern is at least as wide as a page. While
 * lane 0's address is from LOW to HIGH, no lane leaves its page. */
struct race_spread {
    uint64_t low, high;
    uint32_t pattern, count; /* there are no pages if count is 0 */
    struct shadow *pages[WARP];
};

struct race_global {
    struct shadow_map pages;
    struct race_patterns patterns;
    struct race_spread spreads[RACE_SPREADS]; /* a pattern's is at [index % RACE_SPREADS] */
    /* the moments of the accesses in the logs; a note refers to a moment by its index in this
     * array, where [0] is unused */
    struct race_instant *instants;
    uint32_t instant_count, instant_room;
    struct {
        uint64_t now;
        uint32_t instant;
    } latest[ORDER_WARPS]; /* latest time of each warp, and the index of its instant */
};

extern uint32_t race_max_instants; /* a limit, which tests lower */

/* Opens the logs. Returns false when out of memory, as do the functions below. The caller must call
 * global_close() in any case. */
bool global_open(struct race_global *global, uint32_t code_count);
void global_close(struct race_global *global);

/* Notes or checks an access. IS_PLAIN says that the access is RACE_WEAK and covers whole words (4
 * bytes). */
bool global_visit(struct race *race, const struct obs_access *access, bool is_plain);
/* Does the same for a repeat of a plain access. If it needs all addresses of the access, returns
 * false and has changed nothing. */
bool global_repeat(struct race *race, const struct obs_repeat *repeat);

#endif
