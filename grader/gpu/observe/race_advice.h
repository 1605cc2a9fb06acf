/* Advice about a race. Pairs that have the same mistake as their cause form a group and share one
 * piece of advice. */
#ifndef GPU_OBSERVE_RACE_ADVICE_H
#define GPU_OBSERVE_RACE_ADVICE_H

#include "gpu/observe/race_cause.h"

struct race_group {
    uint32_t first;   /* index of its first pair, in the order of race->pairs */
    uint32_t example; /* distance of the example, the pair with the largest distance */
    uint32_t pairs;
    uint64_t count;
    unsigned causes; /* the causes of all its pairs */
    uint8_t distance;
};

/* Groups race->pairs, which are joined and sorted: pairs that share a line, and need the same kind
 * of advice, are in the same group. */
void race_find_groups(struct race *race);
/* Returns the group of pair I. */
struct race_group race_group_of(const struct race *race, uint32_t i);

struct source_line race_place_of(const struct race *race, const struct race_access *access);
int race_compare_places(struct source_line a, struct source_line b);

/* Returns the barrier that orders two accesses at DISTANCE. */
const char *race_barrier(const struct race *race, unsigned distance);
/* Returns whether blocks count each other by atomics without a fence. */
bool race_lacks_fence(const struct race *race);

/* Appends the number of further pairs of lines in the group. */
void race_print_others(char *text, size_t size, const struct race *race,
                       const struct race_group *group);
/* Writes the advice, or "" if the general advice for races fits best. */
void race_print_advice(char *text, size_t size, const struct race *race,
                       const struct race_group *group);

#endif
