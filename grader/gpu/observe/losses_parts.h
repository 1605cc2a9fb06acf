/* Types and functions that losses.c and losses_memory.c share. losses.c reports the losses of
 * branches and whole kernels, losses_memory.c those of accesses to memory. */
#ifndef GPU_OBSERVE_LOSSES_PARTS_H
#define GPU_OBSERVE_LOSSES_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/losses.h"

#define LEAST_SHARE 0.05 /* a smaller share of the launch's cost is not reported */

/* All losses of one kind on one line. */
struct loss {
    const char *id;
    struct source_line place;
    uint32_t pc; /* the instruction whose sample is the most wasteful */
    uint64_t requests, cost, ideal, again;
    bool has_good; /* another access of this kind on the same line wastes nothing */
    /* The remaining fields are only for branches. latest_cost and latest_ideal are the part of
     * `cost` and `ideal` that the latest branch added, and latest_end is the end of its code.
     * `entries` counts how often warps reached a branch of the line. has_bad: one of the branches
     * alone is bad enough for a finding. is_loop: one of them closes a loop. */
    uint64_t latest_cost, latest_ideal;
    uint32_t latest_end;
    double entries;
    bool has_bad, is_loop;
};

/* The cost of an instruction in warp instructions and thread instructions. For a call, this
 * includes the called function. */
struct expense {
    double warps, threads;
};

struct report {
    const struct launch_view *launch;
    const struct emu_counters *counters;
    const struct sample *samples;
    struct emu_counters totals;
    struct expense *expenses; /* for each pc */
    uint32_t *loads;          /* pcs of the loads from global memory */
    uint32_t load_count;
    struct loss *list;
    uint32_t count, room;
};

/* Returns the loss ID on the line of PC, a new one if there is none. Returns NULL if the line
 * belongs to a library. */
struct loss *loss_at(struct report *report, const char *id, uint32_t pc);
/* Adds a finding about LOSS. WORST is its most wasteful access, or NULL if the loss is not one of
 * accesses. HELP is NULL if the general help fits. */
void loss_add_finding(const struct report *report, const struct loss *loss,
                      const struct sample *worst, const char *cause, const char *help);
uint64_t loss_ratio_of(uint64_t part, double share);

/* Reports the losses of accesses to memory. */
void losses_report_traffic(struct report *report);

#endif
