/* Device memory under racecheck: its log (race_log.h) and its shadow, page by page. */
#ifndef GPU_OBSERVE_RACE_GLOBAL_H
#define GPU_OBSERVE_RACE_GLOBAL_H

#include "gpu/observe/race_order.h"
#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

struct race;

struct race_global {
    struct shadow_map pages;
    struct race_patterns patterns;
    struct race_instant *instants; /* the times of notes; [0] is unused */
    uint32_t instant_count, instant_room;
    struct {
        uint64_t now;
        uint32_t instant;
    } latest[ORDER_WARPS]; /* by warp */
};

extern uint32_t race_max_instants; /* tests set it lower */

/* False when memory is out, here and below. Close it even then. */
bool global_open(struct race_global *global, uint32_t code_count);
void global_close(struct race_global *global);

/* Notes or checks an access. IS_PLAIN: it is weak and of whole words. */
bool global_visit(struct race *race, const struct obs_access *access, bool is_plain);
/* The same for a repeat of a plain access. False: needs the full access; nothing has changed. */
bool global_repeat(struct race *race, const struct obs_repeat *repeat);

#endif
