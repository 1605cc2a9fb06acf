#include "gpu/observe/race_calm.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NOTES (1u << 20) /* 8 MiB of them */

/* An access: its pattern, and where the first lane's address is. */
struct calm_note {
    uint32_t first;
    uint16_t pattern, warp;
};

bool calm_open(struct calm *calm, uint32_t shared_bytes, uint32_t code_count)
{
    *calm = (struct calm){.bytes = shared_bytes};
    if (!shared_bytes)
        return true;
    calm->words = calloc(shared_bytes / 4 + WORDS_AHEAD + 1, 1);
    return patterns_open(&calm->patterns, code_count) && calm->words;
}

void calm_close(struct calm *calm)
{
    free(calm->words);
    patterns_close(&calm->patterns);
    free(calm->notes);
}

void calm_begin(struct calm *calm)
{
    if (calm->any)
        memset(calm->words, 0, calm->bytes / 4 + 1);
    if (patterns_are_full(&calm->patterns))
        patterns_forget(&calm->patterns);
    calm->any = false;
    calm->note_count = 0;
    calm->is_calm = calm->words;
}

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

static bool take(struct calm *calm, uint16_t number, uint64_t first, uint32_t warp)
{
    if (!number || (calm->note_count == calm->note_room && !make_room(calm)))
        return false;
    calm->any = true;
    if (!pattern_mark(&calm->patterns.list[number], calm->words, calm->bytes, (int64_t)first))
        return false;
    calm->notes[calm->note_count++] = (struct calm_note){(uint32_t)first, number, (uint16_t)warp};
    return true;
}

bool calm_take(struct calm *calm, const struct obs_access *access)
{
    return take(calm, patterns_find(&calm->patterns, access), access->addr[0], access->warp);
}

bool calm_take_again(struct calm *calm, const struct obs_repeat *repeat)
{
    return take(calm, calm->patterns.of[repeat->pc], repeat->first, repeat->warp);
}

void calm_miss(struct calm *calm, uint32_t pc)
{
    if (calm->patterns.of)
        calm->patterns.of[pc] = 0;
}

bool calm_end(struct calm *calm, calm_fn *visit, void *context)
{
    bool ok = true;
    uint32_t count = visit && calm->is_calm ? calm->note_count : 0;
    calm->is_calm = false;
    for (uint32_t i = 0; i < count && ok; i++) {
        const struct calm_note *note = &calm->notes[i];
        struct obs_access access =
            pattern_access(&calm->patterns.list[note->pattern], note->first, note->warp);
        access.space = PTX_SHARED;
        ok = visit(context, &access);
    }
    return ok;
}
