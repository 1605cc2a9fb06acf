/* A walk is a trace of a warp: the instructions that it executed, in order, and its accesses to
 * memory. Walks are kept for a sample of a launch's CTAs. Of a long walk, only the beginning is
 * kept. */
#ifndef GPU_PREDICT_WALK_H
#define GPU_PREDICT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/view.h"

/* A run is a sequence of consecutive instructions that the same lanes execute. */
struct walk_run {
    uint32_t pc, count, lanes;
    /* the index of its first access in walk.accesses; its accesses are sorted by pc, and end where
     * the accesses of the next run begin */
    uint32_t accesses;
};

struct walk_access {
    uint32_t pc;
    uint32_t lines;      /* the index of its first line in walk.lines */
    uint16_t line_count; /* number of lines of 128 bytes, also for constants; 0 in shared memory */
    uint16_t passes;     /* number of wavefronts, or of distinct addresses for constants */
    uint16_t ideal;      /* the minimum number of passes or sectors */
    uint8_t kind, space, bytes;
    uint8_t lanes;
    uint8_t turns, same; /* for atomics; see count_turns() in walk.c */
};

/* A line is 128 bytes. It is stored as its address, with a bit for each accessed sector in the four
 * lowest bits. */
#define WALK_SECTORS(line) ((uint32_t)(line)&15u)
#define WALK_LINE(line)    ((line) & ~(uint64_t)127)

struct walk {
    struct walk_run *runs;
    struct walk_access *accesses;
    uint64_t *lines;
    uint32_t run_count, run_room, access_count, access_room, line_count, line_room;
    /* number of instructions that the warp executed, and number that the walk holds */
    uint64_t executed, kept;
    bool is_cut; /* the warp executed more instructions than the walk holds */
    bool failed; /* memory ran out */
};

struct walk_cta {
    uint64_t cta;
    uint32_t warps;
    struct walk_cta *next;
    struct walk walk[]; /* one for each warp */
};

/* The cost of an instruction's latest access. It is reused as long as the next accesses have the
 * same pattern, which most have. */
struct walk_cost {
    uint64_t distance[32]; /* bytes from the first lane's address to each lane's address */
    /* the lines, as in struct walk, relative to the line of the first lane's address */
    uint64_t lines[32];
    uint32_t mask; /* 0 if there was no access yet */
    uint8_t space, place, turns, same, line_count;
    /* the instruction's accesses that `repeats` (see struct obs_access) have this pattern */
    bool is_latest;
    uint16_t passes, ideal;
};

struct walk_cta *walk_new(uint64_t cta, uint32_t warps);
void walk_free(struct walk_cta *cta);
void walk_free_list(struct walk_cta *cta);
uint64_t walk_executed(const struct walk_cta *cta);
uint64_t walk_kept(const struct walk_cta *cta);

/* walk_step() adds a step to WALK, walk_access() an access of the latest step. Once a walk has MOST
 * instructions, further steps are only counted. COST belongs to the instruction at access->pc; the
 * caller must set `is_latest` to false after an access with another pattern that it does not add.
 * HALF_WARPS says that the chip coalesces the accesses of half-warps (chips.def). */
void walk_step(struct walk *walk, const struct obs_step *step, uint64_t most);
void walk_access(struct walk *walk, const struct obs_access *access, struct walk_cost *cost,
                 bool half_warps);

#endif
