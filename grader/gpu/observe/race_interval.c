#include "gpu/observe/race_interval.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NOTES (1u << 20) /* the notes take 8 MiB */

/* A note of an access: the address of lane 0, the index of the access's pattern (race_pattern.h),
 * and the warp. */
struct interval_note_entry {
    uint32_t first;
    uint16_t pattern, warp;
};

bool interval_open(struct interval *interval, uint32_t shared_bytes, uint32_t code_count)
{
    *interval = (struct interval){.bytes = shared_bytes};
    if (!shared_bytes)
        return true;
    interval->words = calloc(shared_bytes / 4 + WORDS_AHEAD + 1, 1);
    return patterns_open(&interval->patterns, code_count) && interval->words;
}

void interval_close(struct interval *interval)
{
    free(interval->words);
    patterns_close(&interval->patterns);
    free(interval->notes);
}

void interval_begin(struct interval *interval)
{
    if (interval->any)
        memset(interval->words, 0, interval->bytes / 4 + 1);
    if (patterns_are_full(&interval->patterns))
        patterns_forget(&interval->patterns);
    interval->any = false;
    interval->note_count = 0;
    interval->is_deferred = interval->words;
}

static bool make_room(struct interval *interval)
{
    uint32_t room = interval->note_room ? 2 * interval->note_room : 1024;
    struct interval_note_entry *notes = NULL;
    if (room <= MOST_NOTES)
        notes = realloc(interval->notes, room * sizeof *notes);
    if (!notes)
        return false;
    interval->notes = notes;
    interval->note_room = room;
    return true;
}

static bool take(struct interval *interval, uint16_t number, uint64_t first, uint32_t warp)
{
    if (!number || (interval->note_count == interval->note_room && !make_room(interval)))
        return false;
    interval->any = true;
    if (!pattern_mark(&interval->patterns.list[number], interval->words, interval->bytes,
                      (int64_t)first))
        return false;
    interval->notes[interval->note_count++] =
        (struct interval_note_entry){(uint32_t)first, number, (uint16_t)warp};
    return true;
}

bool interval_note(struct interval *interval, const struct obs_access *access)
{
    return take(interval, patterns_find(&interval->patterns, access), access->addr[0],
                access->warp);
}

bool interval_note_repeat(struct interval *interval, const struct obs_repeat *repeat)
{
    return take(interval, interval->patterns.of[repeat->pc], repeat->first, repeat->warp);
}

void interval_miss(struct interval *interval, uint32_t pc)
{
    if (interval->patterns.of)
        interval->patterns.of[pc] = 0;
}

bool interval_end(struct interval *interval, interval_visit_fn *visit, void *context)
{
    bool ok = true;
    uint32_t count = visit && interval->is_deferred ? interval->note_count : 0;
    interval->is_deferred = false;
    for (uint32_t i = 0; i < count && ok; i++) {
        const struct interval_note_entry *note = &interval->notes[i];
        struct obs_access access =
            pattern_access(&interval->patterns.list[note->pattern], note->first, note->warp);
        access.space = PTX_SHARED;
        ok = visit(context, &access);
    }
    return ok;
}
