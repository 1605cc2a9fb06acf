/* Finds the cause of a race: which kind of barrier is missing, and where. */
#ifndef GPU_OBSERVE_RACE_CAUSE_H
#define GPU_OBSERVE_RACE_CAUSE_H

#include "gpu/analyse/gaps.h"
#include "gpu/observe/race.h"

/* Causes of a race, as bits. */
enum race_cause {
    CAUSE_UPDATE = 1, /* both threads read a word, then write it (read-modify-write) */
    CAUSE_WRITES = 2, /* both threads write a word with the same statement */
    /* a statement reads a word that another thread writes in the same statement */
    CAUSE_STATEMENT = 4,
    CAUSE_STRAIGHT = 8, /* there is no barrier on the straight path from one access to the other */
    CAUSE_ROUND = 16,   /* there is no barrier before the next iteration of the loop */
    CAUSE_CALLS = 32,   /* there is no barrier between two calls of CUDA's own libraries */
};
/* causes that a barrier cannot remove */
#define CAUSE_NO_BARRIER (CAUSE_UPDATE | CAUSE_WRITES)

/* The control-flow paths of the function that was searched last. */
struct race_causes {
    const struct race *race;
    struct gaps gaps;
    bool is_open;
};

void race_causes_open(struct race_causes *causes, const struct race *race);
void race_causes_close(struct race_causes *causes);

/* Returns the possible causes (CAUSE_ bits) of one pair, or 0 if they are unknown. */
unsigned race_causes_find(struct race_causes *causes, const struct race_pair *pair);

/* Returns the site of the store in the same statement as the load at SITE, or 0 if there is
 * none. */
uint32_t race_store_after(struct race *race, uint32_t site);

#endif
