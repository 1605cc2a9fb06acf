#include "gpu/observe/race_pattern.h"

#include <stdlib.h>
#include <string.h>

/* at most this many patterns are stored, including the unused pattern 0 */
#define MOST_PATTERNS (1u << PATTERN_BITS)
#define SLOTS         (2 * MOST_PATTERNS)

bool patterns_open(struct race_patterns *patterns, uint32_t code_count)
{
    *patterns = (struct race_patterns){.count = 1, .code_count = code_count};
    patterns->list =
        aligned_alloc(_Alignof(struct race_pattern), MOST_PATTERNS * sizeof *patterns->list);
    patterns->of = calloc((size_t)code_count + 1, sizeof *patterns->of);
    patterns->slots = calloc(SLOTS, sizeof *patterns->slots);
    return patterns->list && patterns->of && patterns->slots;
}

void patterns_close(struct race_patterns *patterns)
{
    free(patterns->list);
    free(patterns->of);
    free(patterns->slots);
}

bool patterns_are_full(const struct race_patterns *patterns)
{
    return patterns->count == MOST_PATTERNS;
}

void patterns_forget(struct race_patterns *patterns)
{
    memset(patterns->of, 0, patterns->code_count * sizeof *patterns->of);
    memset(patterns->slots, 0, SLOTS * sizeof *patterns->slots);
    patterns->count = 1;
}

/* Sets `words` to the accessed words, and `is_near` to whether they fit into `words`. */
static void find_words(struct race_pattern *pattern, uint64_t first)
{
    unsigned words = pattern->bytes / 4u, accessed = 0;
    memset(pattern->words, 0, sizeof pattern->words);
    pattern->is_near = pattern->bytes % 4 == 0 && first % 4 == 0;
    for (uint32_t left = pattern->mask; left && pattern->is_near; left &= left - 1) {
        uint32_t at = (uint32_t)(pattern->delta[__builtin_ctz(left)] - pattern->low);
        pattern->is_near = at % 4 == 0 && at / 4 + words <= WORDS_AHEAD;
        for (unsigned w = 0; w < words && pattern->is_near; w++) {
            accessed += !pattern->words[at / 4 + w];
            pattern->words[at / 4 + w] = UINT8_MAX;
        }
    }
    if (pattern->kind != OBS_LOAD)
        pattern->is_near &= accessed == words * (unsigned)__builtin_popcount(pattern->mask);
}

LANES_INLINE bool is_same(const struct race_pattern *pattern, const struct obs_access *access)
{
    uint64_t other = (pattern->mask ^ access->mask) | (pattern->pc ^ access->pc);
    for (uint32_t l = 0; l < WARP; l++)
        other |= (uint64_t)(int64_t)pattern->delta[l] ^ (access->addr[l] - access->addr[0]);
    return !other;
}

/* Sets the deltas. Returns false if a lane is so far away that a sum of deltas could overflow an
 * int. */
LANES_INLINE bool find_deltas(struct race_pattern *pattern, const struct obs_access *access)
{
    const uint64_t farthest = 1u << 30;
    uint64_t wide = 0;
    pattern->low = pattern->high = 0;
    for (uint32_t l = 0; l < WARP; l++) {
        uint64_t far = access->addr[l] - access->addr[0];
        int32_t delta = (int32_t)far;
        wide |= (far + farthest) / (2 * farthest);
        pattern->delta[l] = delta;
        pattern->low = delta < pattern->low ? delta : pattern->low;
        pattern->high = delta > pattern->high ? delta : pattern->high;
    }
    return !wide;
}

/* Returns the slot that holds the access's pattern or, if there is none, the free slot for it. */
LANES_INLINE uint16_t *find_slot(const struct race_patterns *patterns,
                                 const struct obs_access *access)
{
    uint64_t hash = access->pc * 0x9e3779b97f4a7c15u ^ access->mask;
    for (uint32_t l = 1; l < WARP; l = 2 * l + 1) /* lanes 1, 3, 7, 15 and 31 */
        hash = (hash ^ (access->addr[l] - access->addr[0])) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 40) % SLOTS;
    while (patterns->slots[at] && !is_same(&patterns->list[patterns->slots[at]], access))
        at = (at + 1) % SLOTS;
    return &patterns->slots[at];
}

LANES_CLONES uint16_t patterns_find(struct race_patterns *patterns, const struct obs_access *access)
{
    uint16_t *of = &patterns->of[access->pc];
    if (*of && is_same(&patterns->list[*of], access))
        return *of;
    uint16_t *slot = find_slot(patterns, access);
    *of = *slot;
    if (*slot || patterns_are_full(patterns))
        return *of;
    struct race_pattern *pattern = &patterns->list[patterns->count];
    if (!find_deltas(pattern, access))
        return 0;
    pattern->pc = access->pc;
    pattern->mask = access->mask;
    pattern->kind = access->kind;
    pattern->bytes = access->bytes;
    pattern->element = access->element;
    find_words(pattern, access->addr[0]);
    return *of = *slot = (uint16_t)patterns->count++;
}

LANES_CLONES struct obs_access pattern_access(const struct race_pattern *pattern, uint64_t first,
                                              uint32_t warp)
{
    struct obs_access access = {.pc = pattern->pc,
                                .mask = pattern->mask,
                                .kind = pattern->kind,
                                .bytes = pattern->bytes,
                                .element = pattern->element,
                                .warp = warp};
    for (uint32_t l = 0; l < WARP; l++)
        access.addr[l] = first + (uint64_t)(int64_t)pattern->delta[l];
    return access;
}

/* --- marks ------------------------------------------------------------------------------------ */

/* Marks all words of the pattern in one step. */
LANES_INLINE bool mark_near(const struct race_pattern *pattern, uint8_t *words)
{
    bool is_load = pattern->kind == OBS_LOAD;
    uint8_t mark = is_load ? WORD_READ : WORD_WRITTEN;
    uint8_t bad = is_load ? WORD_WRITTEN : WORD_READ | WORD_WRITTEN, met = 0, fresh = 0;
    for (unsigned w = 0; w < WORDS_AHEAD; w++) {
        met |= words[w] & pattern->words[w] & bad;
        fresh |= ~words[w] & pattern->words[w] & mark;
    }
    /* most reads find all words already marked */
    for (unsigned w = 0; w < WORDS_AHEAD && fresh; w++)
        words[w] |= pattern->words[w] & mark;
    return !met;
}

static bool mark_lanes(const struct race_pattern *pattern, uint8_t *words, uint32_t bytes,
                       int64_t first)
{
    bool is_load = pattern->kind == OBS_LOAD;
    uint8_t mark = is_load ? WORD_READ : WORD_WRITTEN;
    uint8_t bad = is_load ? WORD_WRITTEN : WORD_READ | WORD_WRITTEN;
    for (uint32_t left = pattern->mask; left; left &= left - 1) {
        uint64_t at = (uint64_t)(first + pattern->delta[__builtin_ctz(left)]);
        for (uint64_t w = at / 4; at < bytes && w <= (at + pattern->bytes - 1) / 4; w++) {
            if (words[w] & bad)
                return false;
            words[w] |= mark;
        }
    }
    return true;
}

LANES_CLONES bool pattern_mark(const struct race_pattern *pattern, uint8_t *words, uint32_t bytes,
                               int64_t first)
{
    int64_t low = first + pattern->low;
    bool is_inside = low >= 0 && first + pattern->high + pattern->bytes <= (int64_t)bytes;
    return pattern->is_near && is_inside ? mark_near(pattern, words + low / 4)
                                         : mark_lanes(pattern, words, bytes, first);
}
