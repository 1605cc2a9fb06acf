/* Watches device memory for racecheck. Each page has a log (race_log.h) and a shadow
 * (race_shadow.h). */
#ifndef GPU_OBSERVE_RACE_GLOBAL_H
#define GPU_OBSERVE_RACE_GLOBAL_H

#include "gpu/observe/race_order.h"
#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

struct race;

struct race_global {
    struct shadow_map pages;
    struct race_patterns patterns;
    /* the moments at which notes were made; notes refer to them by index; [0] is unused */
    struct race_instant *instants;
    uint32_t instant_count, instant_room;
    struct {
        uint64_t now;
        uint32_t instant;
    } latest[ORDER_WARPS]; /* the latest time of each warp, and the instant that belongs to it */
};

extern uint32_t race_max_instants; /* tests lower it */

/* Opens the logs. Returns false when out of memory, as do the functions below. The caller must call
 * global_close() even then. */
bool global_open(struct race_global *global, uint32_t code_count);
void global_close(struct race_global *global);

/* Notes or checks an access. IS_PLAIN says that the access is RACE_WEAK and covers whole words. */
bool global_visit(struct race *race, const struct obs_access *access, bool is_plain);
/* Does the same as global_visit(), for a repeat of a plain access. Returns false if the full access
 * is needed; nothing has changed. */
bool global_repeat(struct race *race, const struct obs_repeat *repeat);

#endif
