#include "emulator/observe/race_calm.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/execute/machine.h"

enum { CALM_READ = 1, CALM_WRITTEN = 2 };

#define WINDOW        64u        /* words that a pattern is compared with at once */
#define MOST_PATTERNS 1024u      /* more are not remembered */
#define MOST_NOTES    (1u << 20) /* 8 MiB of them */

struct calm_pattern {
    _Alignas(64) uint8_t words[WINDOW]; /* from the lowest on: 0xff where lanes access all of it */
    int32_t delta[WARP];                /* a lane's address - the first lane's */
    int32_t low;                        /* the least of them */
    uint32_t pc, mask;
    uint8_t kind, bytes, element;
    bool is_window; /* `words` has all of them, each accessed once if it is a store */
};

/* An access: its pattern, and where the first lane's address is. */
struct calm_note {
    uint32_t first;
    uint16_t pattern, warp;
};

bool calm_open(struct calm *calm, uint32_t shared_bytes, uint32_t code_count)
{
    size_t patterns = MOST_PATTERNS * sizeof *calm->patterns;
    *calm = (struct calm){.bytes = shared_bytes, .code_count = code_count, .pattern_count = 1};
    if (!shared_bytes)
        return true;
    calm->words = calloc(shared_bytes / 4 + WINDOW + 1, 1);
    calm->patterns = aligned_alloc(_Alignof(struct calm_pattern), patterns);
    calm->pattern_of = calloc((size_t)code_count + 1, sizeof *calm->pattern_of);
    return calm->words && calm->patterns && calm->pattern_of;
}

void calm_close(struct calm *calm)
{
    free(calm->words);
    free(calm->patterns);
    free(calm->pattern_of);
    free(calm->notes);
}

static void forget_patterns(struct calm *calm)
{
    memset(calm->pattern_of, 0, calm->code_count * sizeof *calm->pattern_of);
    calm->pattern_count = 1;
}

void calm_begin(struct calm *calm)
{
    if (calm->any)
        memset(calm->words, 0, calm->bytes / 4 + 1);
    if (calm->pattern_count == MOST_PATTERNS)
        forget_patterns(calm);
    calm->any = false;
    calm->note_count = 0;
    calm->is_calm = calm->words;
}

/* --- patterns ------------------------------------------------------------------------------------------- */

/* Which words it accesses, if they lie near enough to each other. */
static void find_window(struct calm_pattern *pattern, uint64_t first)
{
    unsigned words = pattern->bytes / 4u, accessed = 0;
    memset(pattern->words, 0, sizeof pattern->words);
    pattern->is_window = pattern->bytes % 4 == 0 && first % 4 == 0;
    for (uint32_t left = pattern->mask; left && pattern->is_window; left &= left - 1) {
        uint32_t at = (uint32_t)(pattern->delta[__builtin_ctz(left)] - pattern->low);
        pattern->is_window = at % 4 == 0 && at / 4 + words <= WINDOW;
        for (unsigned w = 0; w < words && pattern->is_window; w++) {
            accessed += !pattern->words[at / 4 + w];
            pattern->words[at / 4 + w] = UINT8_MAX;
        }
    }
    if (pattern->kind != OBS_LOAD)
        pattern->is_window &= accessed == words * (unsigned)__builtin_popcount(pattern->mask);
}

static bool is_same_pattern(const struct calm_pattern *pattern, const struct obs_access *access)
{
    uint32_t other = pattern->mask ^ access->mask;
    for (uint32_t l = 0; l < WARP; l++)
        other |= (uint32_t)pattern->delta[l] ^ (uint32_t)(access->addr[l] - access->addr[0]);
    return !other;
}

/* The access's, which its instruction may have had before; 0: there is no room. */
static uint16_t find_pattern(struct calm *calm, const struct obs_access *access)
{
    uint16_t known = calm->pattern_of[access->pc];
    if (known && is_same_pattern(&calm->patterns[known], access))
        return known;
    calm->pattern_of[access->pc] = 0;
    if (calm->pattern_count == MOST_PATTERNS)
        return 0;
    struct calm_pattern *pattern = &calm->patterns[calm->pattern_count];
    pattern->pc = access->pc;
    pattern->mask = access->mask;
    pattern->kind = access->kind;
    pattern->bytes = access->bytes;
    pattern->element = access->element;
    pattern->low = 0;
    for (uint32_t l = 0; l < WARP; l++) { /* they lie in one CTA's shared memory */
        pattern->delta[l] = (int32_t)(access->addr[l] - access->addr[0]);
        pattern->low = pattern->delta[l] < pattern->low ? pattern->delta[l] : pattern->low;
    }
    find_window(pattern, access->addr[0]);
    return calm->pattern_of[access->pc] = (uint16_t)calm->pattern_count++;
}

/* --- words ----------------------------------------------------------------------------------------------- */

/* All at once. False: some access met another one. */
LANES_INLINE bool mark_window(struct calm *calm, const struct calm_pattern *pattern, uint32_t first)
{
    bool is_load = pattern->kind == OBS_LOAD;
    uint8_t mark = is_load ? CALM_READ : CALM_WRITTEN;
    uint8_t bad = is_load ? CALM_WRITTEN : CALM_READ | CALM_WRITTEN, met = 0, fresh = 0;
    uint8_t *words = calm->words + (first + (uint32_t)pattern->low) / 4;
    for (unsigned w = 0; w < WINDOW; w++) {
        met |= words[w] & pattern->words[w] & bad;
        fresh |= ~words[w] & pattern->words[w] & mark;
    }
    for (unsigned w = 0; w < WINDOW && fresh; w++) /* most reads have been made by others before */
        words[w] |= pattern->words[w] & mark;
    return !met;
}

static bool mark_lanes(struct calm *calm, const struct calm_pattern *pattern, uint32_t first)
{
    bool is_load = pattern->kind == OBS_LOAD;
    uint8_t mark = is_load ? CALM_READ : CALM_WRITTEN;
    uint8_t bad = is_load ? CALM_WRITTEN : CALM_READ | CALM_WRITTEN;
    for (uint32_t left = pattern->mask; left; left &= left - 1) {
        uint32_t addr = first + (uint32_t)pattern->delta[__builtin_ctz(left)];
        for (uint32_t w = addr / 4; w <= (addr + pattern->bytes - 1) / 4; w++) {
            if (calm->words[w] & bad)
                return false;
            calm->words[w] |= mark;
        }
    }
    return true;
}

/* --- accesses -------------------------------------------------------------------------------------------- */

static bool make_room(struct calm *calm)
{
    uint32_t room = calm->note_room ? 2 * calm->note_room : 1024;
    struct calm_note *notes = NULL;
    if (room <= MOST_NOTES)
        notes = realloc(calm->notes, room * sizeof *notes);
    if (!notes)
        return false;
    calm->notes = notes;
    calm->note_room = room;
    return true;
}

LANES_INLINE bool take(struct calm *calm, uint16_t number, uint64_t first, uint32_t warp)
{
    const struct calm_pattern *pattern = &calm->patterns[number];
    if (calm->note_count == calm->note_room && !make_room(calm))
        return false;
    calm->any = true;
    if (pattern->is_window ? !mark_window(calm, pattern, (uint32_t)first)
                           : !mark_lanes(calm, pattern, (uint32_t)first))
        return false;
    calm->notes[calm->note_count++] = (struct calm_note){(uint32_t)first, number, (uint16_t)warp};
    return true;
}

LANES_CLONES bool calm_take(struct calm *calm, const struct obs_access *access)
{
    uint16_t number = find_pattern(calm, access);
    return number && take(calm, number, access->addr[0], access->warp);
}

LANES_CLONES bool calm_take_again(struct calm *calm, const struct obs_repeat *repeat)
{
    uint16_t number = calm->pattern_of[repeat->pc];
    return number && take(calm, number, repeat->first, repeat->warp);
}

void calm_miss(struct calm *calm, uint32_t pc)
{
    if (calm->pattern_of)
        calm->pattern_of[pc] = 0;
}

bool calm_end(struct calm *calm, calm_fn *visit, void *context)
{
    bool ok = true;
    uint32_t count = visit && calm->is_calm ? calm->note_count : 0;
    calm->is_calm = false;
    for (uint32_t i = 0; i < count && ok; i++) {
        const struct calm_note *note = &calm->notes[i];
        const struct calm_pattern *pattern = &calm->patterns[note->pattern];
        struct obs_access access = {.pc = pattern->pc,
                                    .mask = pattern->mask,
                                    .kind = pattern->kind,
                                    .space = PTX_SHARED,
                                    .bytes = pattern->bytes,
                                    .element = pattern->element,
                                    .warp = note->warp};
        for (uint32_t l = 0; l < WARP; l++)
            access.addr[l] = note->first + (uint64_t)(int64_t)pattern->delta[l];
        ok = visit(context, &access);
    }
    return ok;
}
