/* Device memory under racecheck: what is noted down of it (race_log.h), and its shadow, page by page. */
#ifndef GPU_OBSERVE_RACE_GLOBAL_H
#define GPU_OBSERVE_RACE_GLOBAL_H

#include "gpu/observe/race_order.h"
#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

struct race;

struct race_global {
    struct shadow_map pages;
    struct race_patterns patterns;
    struct race_instant *instants; /* at which notes were made; [0] is none */
    uint32_t instant_count, instant_room;
    struct {
        uint64_t now;
        uint32_t instant;
    } latest[ORDER_WARPS]; /* of the warp's */
};

extern uint32_t race_most_instants; /* tests set it lower */

/* False when memory is out, here and below; close it then, too. */
bool global_open(struct race_global *global, uint32_t code_count);
void global_close(struct race_global *global);

/* Looks at an access. IS_PLAIN: it is weak and of whole words. */
bool global_visit(struct race *race, const struct obs_access *access, bool is_plain);
/* Takes in a plain one that repeats. False: it must be told in full; nothing has changed. */
bool global_repeat(struct race *race, const struct obs_repeat *repeat);

#endif
