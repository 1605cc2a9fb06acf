/* What the addresses of an access look like, kept so that to note an access down is to write its pattern's
 * number and one address. An instruction mostly repeats the pattern that it had before. */
#ifndef GPU_OBSERVE_RACE_PATTERN_H
#define GPU_OBSERVE_RACE_PATTERN_H

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

#define PATTERN_BITS 10u /* of a pattern's number */
#define WORDS_AHEAD  64u /* words that a pattern is compared with at once */

/* What was done to a word. */
enum { WORD_READ = 1, WORD_WRITTEN = 2 };

struct race_pattern {
    _Alignas(
        64) uint8_t words[WORDS_AHEAD]; /* from the lowest on: 0xff where lanes access all of it */
    int32_t delta[WARP];                /* a lane's address - the first lane's */
    int32_t low, high;                  /* the least and the greatest of them */
    uint32_t pc, mask;
    uint8_t kind, bytes, element;
    bool is_near; /* `words` has all of them, each accessed once if it is a store */
};

struct race_patterns {
    struct race_pattern *list; /* [0] is none */
    uint16_t *of;              /* by pc: its latest access's, or 0 */
    uint16_t *slots;           /* a hash table of their numbers */
    uint32_t count, code_count;
};

/* False when memory is out; close it then, too. */
bool patterns_open(struct race_patterns *patterns, uint32_t code_count);
void patterns_close(struct race_patterns *patterns);
bool patterns_are_full(const struct race_patterns *patterns);
void patterns_forget(struct race_patterns *patterns);

/* The number of the access's; 0: there is no room, or lanes lie too far apart. */
uint16_t patterns_find(struct race_patterns *patterns, const struct obs_access *access);

/* The access of this pattern whose first lane is at FIRST. */
struct obs_access pattern_access(const struct race_pattern *pattern, uint64_t first, uint32_t warp);

/* Marks what an access of this pattern at FIRST does to memory of so many BYTES, which has WORDS_AHEAD words
 * more than it needs; what lies outside of it does not count. False: a word is written that somebody accessed,
 * or read that somebody wrote; marks mean nothing any more. */
bool pattern_mark(const struct race_pattern *pattern, uint8_t *words, uint32_t bytes,
                  int64_t first);

#endif
