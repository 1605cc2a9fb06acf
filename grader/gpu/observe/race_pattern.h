/* The pattern of an access: its addresses relative to lane 0's address. An instruction mostly
 * repeats its previous pattern, so a note of an access can be small: it has the number of the
 * pattern and one address. */
#ifndef GPU_OBSERVE_RACE_PATTERN_H
#define GPU_OBSERVE_RACE_PATTERN_H

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

#define PATTERN_BITS 10u /* bits of a pattern's number */
#define WORDS_AHEAD  64u /* number of words that a pattern is compared with in one step */

/* The ways in which a word was accessed, as bits. */
enum { WORD_READ = 1, WORD_WRITTEN = 2 };

struct race_pattern {
    /* marks from the lowest word on; 0xff means that the lanes access the whole word */
    _Alignas(64) uint8_t words[WORDS_AHEAD];
    int32_t delta[WARP]; /* each lane's address minus lane 0's */
    int32_t low, high;   /* the lowest and the highest delta */
    uint32_t pc, mask;
    uint8_t kind, bytes, element;
    bool is_near; /* `words` covers the whole access, and no two lanes store to one word */
};

struct race_patterns {
    struct race_pattern *list; /* [0] is unused */
    uint16_t *of;              /* the number of each pc's latest pattern, or 0 */
    uint16_t *slots;           /* a hash table of pattern numbers */
    uint32_t count, code_count;
};

/* Prepares the patterns. Returns false when out of memory. The caller must call patterns_close()
 * even then. */
bool patterns_open(struct race_patterns *patterns, uint32_t code_count);
void patterns_close(struct race_patterns *patterns);
bool patterns_are_full(const struct race_patterns *patterns);
void patterns_forget(struct race_patterns *patterns);

/* Returns the number of the access's pattern, or 0 if there is no room for a new pattern, or if the
 * lanes are too far apart. */
uint16_t patterns_find(struct race_patterns *patterns, const struct obs_access *access);

/* Returns the access that has this pattern and whose lane 0 is at FIRST. */
struct obs_access pattern_access(const struct race_pattern *pattern, uint64_t first, uint32_t warp);

/* Marks the words that an access of this pattern at FIRST reads or writes, in memory of BYTES
 * bytes. WORDS has WORDS_AHEAD more entries than the memory has words. Lanes outside the memory are
 * ignored. Returns false if the access writes a marked word, or reads a word that is marked as
 * written; the marks are then invalid. */
bool pattern_mark(const struct race_pattern *pattern, uint8_t *words, uint32_t bytes,
                  int64_t first);

#endif
