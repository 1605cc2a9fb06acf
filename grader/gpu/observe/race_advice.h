/* Advice about races. Pairs of accesses with the same mistake form a group, which gets one text of
 * advice. */
#ifndef GPU_OBSERVE_RACE_ADVICE_H
#define GPU_OBSERVE_RACE_ADVICE_H

#include "gpu/observe/race_cause.h"

struct race_group {
    uint32_t first;   /* index of the group's first pair in race->pairs */
    uint32_t example; /* index of the pair with the largest distance */
    uint32_t pairs;
    uint64_t count;
    unsigned causes; /* the causes of all pairs of the group */
    uint8_t distance;
};

/* Groups race->pairs, which must be joined and sorted. Two pairs are in one group if they share a
 * line and both lack a barrier. */
void race_find_groups(struct race *race);
/* Returns the group to which pair I belongs. */
struct race_group race_group_of(const struct race *race, uint32_t i);

struct source_line race_place_of(const struct race *race, const struct race_access *access);
int race_compare_places(struct source_line a, struct source_line b);

/* Returns the name of the barrier that would order two accesses at DISTANCE. */
const char *race_barrier(const struct race *race, unsigned distance);
/* Returns whether the kernel has an atomic whose old value is used, but no fence for other blocks.
 * Kernels often use such an atomic to find the block that ends last. */
bool race_lacks_fence(const struct race *race);

/* Appends the number of further pairs of lines in the group. */
void race_print_others(char *text, size_t size, const struct race *race,
                       const struct race_group *group);
/* Writes advice for the group, or "" if the general advice for races fits best. */
void race_print_advice(char *text, size_t size, const struct race *race,
                       const struct race_group *group);

#endif
