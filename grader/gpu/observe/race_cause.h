/* Finds the cause of a race: which kind of barrier is missing, and where. */
#ifndef GPU_OBSERVE_RACE_CAUSE_H
#define GPU_OBSERVE_RACE_CAUSE_H

#include "gpu/analyse/gaps.h"
#include "gpu/observe/race.h"

/* A bit for each cause. */
enum race_cause {
    CAUSE_UPDATE = 1,    /* both threads read the word, and then write it */
    CAUSE_WRITES = 2,    /* both threads write it, with the same instruction */
    CAUSE_STATEMENT = 4, /* one statement reads what another thread writes in the same statement */
    CAUSE_STRAIGHT = 8,  /* there is no barrier between the two accesses */
    CAUSE_ROUND = 16,    /* there is no barrier before the loop's next iteration */
    CAUSE_CALLS = 32,    /* there is no barrier between two calls of CUDA's own libraries */
};
/* no barrier helps */
#define CAUSE_NO_BARRIER (CAUSE_UPDATE | CAUSE_WRITES)

/* The paths of the function that was searched last. */
struct race_causes {
    const struct race *race;
    struct gaps gaps;
    bool is_open;
};

void race_causes_open(struct race_causes *causes, const struct race *race);
void race_causes_close(struct race_causes *causes);

/* Returns the possible causes (CAUSE_ bits) of one pair alone, or 0 if it is unknown. */
unsigned race_causes_find(struct race_causes *causes, const struct race_pair *pair);

/* Returns the site of the store that ends the statement of the load at SITE, or 0 if there is
 * none. */
uint32_t race_store_after(struct race *race, uint32_t site);

#endif
