/* The pattern of an access: its addresses relative to the first lane's. To note an access takes
 * only its pattern's number and one address. An instruction mostly repeats its previous pattern. */
#ifndef GPU_OBSERVE_RACE_PATTERN_H
#define GPU_OBSERVE_RACE_PATTERN_H

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

#define PATTERN_BITS 10u /* of a pattern's number */
#define WORDS_AHEAD  64u /* words that a pattern is compared with at once */

/* What was done to a word. */
enum { WORD_READ = 1, WORD_WRITTEN = 2 };

struct race_pattern {
    _Alignas(64) uint8_t words[WORDS_AHEAD]; /* from the lowest on; 0xff: lanes access all of it */
    int32_t delta[WARP];                     /* a lane's address minus the first lane's */
    int32_t low, high;                       /* the least and the greatest delta */
    uint32_t pc, mask;
    uint8_t kind, bytes, element;
    bool is_near; /* `words` covers all accesses; a store's words differ */
};

struct race_patterns {
    struct race_pattern *list; /* [0] is unused */
    uint16_t *of;              /* by pc: its latest pattern, or 0 */
    uint16_t *slots;           /* a hash table of pattern numbers */
    uint32_t count, code_count;
};

/* False when memory is out. Close it even then. */
bool patterns_open(struct race_patterns *patterns, uint32_t code_count);
void patterns_close(struct race_patterns *patterns);
bool patterns_are_full(const struct race_patterns *patterns);
void patterns_forget(struct race_patterns *patterns);

/* The number of the access's pattern. 0: there is no room, or the lanes are too far apart. */
uint16_t patterns_find(struct race_patterns *patterns, const struct obs_access *access);

/* The access that has this pattern and its first lane at FIRST. */
struct obs_access pattern_access(const struct race_pattern *pattern, uint64_t first, uint32_t warp);

/* Marks the words that an access of this pattern at FIRST reads or writes, in memory of BYTES
 * bytes. WORDS has WORDS_AHEAD more entries than the memory has words. Lanes outside the memory
 * are ignored. False: it writes an accessed word or reads a written one; the marks are then
 * invalid. */
bool pattern_mark(const struct race_pattern *pattern, uint8_t *words, uint32_t bytes,
                  int64_t first);

#endif
