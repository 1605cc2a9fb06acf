/* A pattern is the set of addresses of an access, relative to the address of lane 0. An instruction
 * mostly repeats its previous pattern. An access can therefore be noted in little memory, as the
 * index of a pattern and one address. */
#ifndef GPU_OBSERVE_RACE_PATTERN_H
#define GPU_OBSERVE_RACE_PATTERN_H

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

#define PATTERN_BITS 10u /* bits of a pattern's index */
#define WORDS_AHEAD  64u /* a pattern is compared with this many words of memory in one step */

/* How a word was accessed, as bits. */
enum { WORD_READ = 1, WORD_WRITTEN = 2 };

struct race_pattern {
    /* for each word, from the lowest accessed word on: 0xff if the lanes access it, otherwise 0 */
    _Alignas(64) uint8_t words[WORDS_AHEAD];
    int32_t delta[WARP]; /* bytes from lane 0's address to each lane's address */
    int32_t low, high;   /* lowest and highest delta */
    uint32_t pc, mask;
    uint8_t kind, bytes, element;
    bool is_near; /* `words` covers all lanes, and no two lanes store to the same word */
};

struct race_patterns {
    struct race_pattern *list; /* [0] is unused */
    uint16_t *of;              /* index of each pc's latest pattern, or 0 */
    uint16_t *slots;           /* hash table of the patterns' indices */
    uint32_t count, code_count;
};

/* Prepares the patterns. Returns false when out of memory. The caller must call patterns_close() in
 * any case. */
bool patterns_open(struct race_patterns *patterns, uint32_t code_count);
void patterns_close(struct race_patterns *patterns);
bool patterns_are_full(const struct race_patterns *patterns);
void patterns_forget(struct race_patterns *patterns);

/* Returns the index of the access's pattern. Adds the pattern if it is new. Returns 0 if there are
 * too many patterns, or if the lanes are too far apart. */
uint16_t patterns_find(struct race_patterns *patterns, const struct obs_access *access);

/* Returns an access by WARP that has this pattern, with lane 0 at address FIRST. */
struct obs_access pattern_access(const struct race_pattern *pattern, uint64_t first, uint32_t warp);

/* Marks in WORDS the words that an access with this pattern reads or writes. FIRST is the offset of
 * lane 0 in a memory of BYTES bytes. WORDS has one entry per word of this memory, and WORDS_AHEAD
 * more entries. Lanes outside of the memory are ignored. Returns false if the access writes a
 * marked word, or reads a word that is marked as written. WORDS is then invalid. */
bool pattern_mark(const struct race_pattern *pattern, uint8_t *words, uint32_t bytes,
                  int64_t first);

#endif
