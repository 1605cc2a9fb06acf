#include "gpu/observe/race_log.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_WORDS (SHADOW_PAGE / 4)

uint32_t log_max_notes = LOG_NOTES;

struct race_log *log_open(void)
{
    return calloc(1, sizeof(struct race_log));
}

void log_close(struct race_log *log)
{
    if (log) {
        free(log->notes);
        free(log->words);
    }
    free(log);
}

static bool make_room(struct shadow *page)
{
    struct race_log *log = page->log;
    uint32_t room = log->room ? 2 * log->room : 16;
    uint64_t more = (room - log->room) * sizeof *log->notes;
    struct race_note *notes = NULL;
    if (room <= log_max_notes && page->map->bytes + more <= SHADOW_MOST_BYTES)
        notes = realloc(log->notes, room * sizeof *notes);
    if (!notes)
        return false;
    page->map->bytes += more;
    log->notes = notes;
    log->room = room;
    return true;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Calls VISIT for the accesses of the loop in order or, if BACK is true, in reverse order. Returns
 * false as soon as VISIT returns false. */
LANES_INLINE bool walk(const struct race_note *loop, bool back, log_visit_fn *visit, void *context)
{
    uint32_t iterations = loop->times, length = loop->loop;
    for (uint32_t i = 0; i < iterations * length; i++) {
        uint32_t at = back ? iterations * length - 1 - i : i;
        const struct race_note *note = &loop[at % length];
        int64_t iteration = at / length;
        if (iteration < note->times && !visit(context, note, note->first + iteration * note->step))
            return false;
    }
    return true;
}

struct marking {
    const struct race_pattern *patterns;
    uint8_t *words;
};

static bool mark(void *context, const struct race_note *note, int64_t first)
{
    const struct marking *marking = context;
    return pattern_mark(&marking->patterns[note->pattern], marking->words, SHADOW_PAGE, first);
}

/* Allocates log->words before the first write to the page. Marks the words that have been read, as
 * recorded in the notes and in the shadow. */
static bool open_words(struct shadow *page, const struct race_pattern *patterns)
{
    struct race_log *log = page->log;
    struct marking marking = {patterns, calloc(PAGE_WORDS + WORDS_AHEAD, 1)};
    log->words = marking.words;
    for (uint32_t w = 0; log->words && w < PAGE_WORDS; w++)
        log->words[w] = page->read[0][w] ? WORD_READ : 0;
    for (uint32_t i = 0; log->words && i < log->count; i += log->notes[i].loop)
        walk(&log->notes[i], false, mark, &marking);
    return log->words;
}

bool log_empty(struct race_log *log, log_visit_fn *visit, void *context)
{
    bool ok = true;
    for (uint32_t i = 0; i < log->count && ok; i += log->notes[i].loop)
        ok = walk(&log->notes[i], false, visit, context);
    log->count = log->loop = log->next = 0;
    return ok;
}

/* --- notes ------------------------------------------------------------------------------------ */

#define MOST_LOOP  ((1u << LOG_LOOP_BITS) - 1)
#define MOST_TIMES ((1u << LOG_TIMES_BITS) - 1)

static bool is_alike(const struct race_note *one, const struct race_note *other)
{
    return one->warp == other->warp && one->instant == other->instant;
}

/* Returns whether NOTE is the access that HERE, a note of a loop, makes in the next iteration. */
static bool goes_on(const struct race_note *here, const struct race_note *note)
{
    int64_t step = here->times == 1 ? note->first - here->first : here->step;
    return here->pattern == note->pattern && is_alike(here, note) && here->times < MOST_TIMES &&
           note->first == here->first + here->times * step;
}

static void repeat(struct race_log *log, const struct race_note *note)
{
    struct race_note *here = &log->notes[log->loop + log->next];
    here->step = here->times == 1 ? note->first - here->first : here->step;
    here->times++;
    log->next = (log->next + 1) % log->notes[log->loop].loop;
}

/* If NOTE begins the second iteration of a loop, turns the latest notes into that loop. */
static bool find_loop(struct race_log *log, const struct race_note *note)
{
    for (uint32_t length = 1; length <= MOST_LOOP && length <= log->count; length++) {
        uint32_t at = log->count - length;
        struct race_note *begin = &log->notes[at];
        if (begin->times != 1 || begin->loop != 1 || !is_alike(begin, note))
            return false;
        if (begin->pattern != note->pattern)
            continue;
        for (uint32_t i = at + 1; i < log->count; i++)
            log->notes[i].loop = 0;
        begin->loop = length;
        log->loop = at;
        log->next = 0;
        return true;
    }
    return false;
}

bool log_add(struct shadow *page, const struct race_pattern *patterns, struct race_note note)
{
    struct race_log *log = page->log;
    const struct race_pattern *pattern = &patterns[note.pattern];
    if (pattern->kind != OBS_LOAD && !log->words && !open_words(page, patterns))
        return false;
    if (log->words && !pattern_mark(pattern, log->words, SHADOW_PAGE, note.first))
        return false;
    if ((log->count && goes_on(&log->notes[log->loop + log->next], &note)) ||
        find_loop(log, &note)) {
        repeat(log, &note);
        return true;
    }
    if (log->count == log->room && !make_room(page))
        return false;
    note.times = note.loop = 1;
    log->loop = log->count;
    log->next = 0;
    log->notes[log->count++] = note;
    return true;
}

/* --- dropping notes that make no difference --------------------------------------------------- */

/* For each word, log_tidy() stores the latest turn that read the word, as a number counted back
 * from the latest turn of all. NO_TURN: no turn is known to have read the word. ALL_KNOWN: two
 * turns have read the word, so earlier reads make no difference. */
enum { NO_TURN = 0, ALL_KNOWN = UINT16_MAX };

struct look_back {
    const struct race_pattern *patterns;
    uint16_t *words;
    uint16_t turn;
    bool matters; /* set if a read is needed; cleared by the caller */
};

LANES_INLINE uint16_t look_back_at(uint16_t word, uint16_t turn)
{
    return word == NO_TURN || word == turn ? turn : ALL_KNOWN;
}

LANES_INLINE bool look_near(const struct race_pattern *pattern, uint16_t *words, uint16_t turn)
{
    uint16_t news = 0;
    for (unsigned w = 0; w < WORDS_AHEAD; w++) {
        uint16_t known = words[w], mine = pattern->words[w] ? UINT16_MAX : 0;
        news |= mine & (uint16_t)~known;
        words[w] = (mine & look_back_at(known, turn)) | (~mine & known);
    }
    return news;
}

/* Handles one read for log_tidy(), which goes from the latest read to the earliest. */
LANES_CLONES static bool look_back(void *context, const struct race_note *note, int64_t first)
{
    struct look_back *past = context;
    const struct race_pattern *pattern = &past->patterns[note->pattern];
    uint16_t *words = past->words;
    int64_t low = first + pattern->low;
    bool is_inside = low >= 0 && first + pattern->high + pattern->bytes <= SHADOW_PAGE;
    if (pattern->is_near && is_inside)
        past->matters |= look_near(pattern, words + low / 4, past->turn);
    for (uint32_t left = pattern->is_near && is_inside ? 0 : pattern->mask; left;
         left &= left - 1) {
        uint64_t at = (uint64_t)(first + pattern->delta[__builtin_ctz(left)]);
        for (uint64_t w = at / 4; at < SHADOW_PAGE && w < (at + pattern->bytes) / 4; w++) {
            past->matters |= words[w] != ALL_KNOWN;
            words[w] = look_back_at(words[w], past->turn);
        }
    }
    return true;
}

/* Keeps only the loops for which NEEDED is set. */
static void keep(struct race_log *log, const bool *needed)
{
    uint32_t count = 0;
    for (uint32_t i = 0, next; i < log->count; i = next) {
        uint32_t length = log->notes[i].loop;
        next = i + length;
        if (!needed[i])
            continue;
        memmove(&log->notes[count], &log->notes[i], length * sizeof *log->notes);
        /* the latest loop always remains, because the latest reads are always needed */
        log->loop = count;
        count += length;
    }
    log->count = count;
}

void log_tidy(struct race_log *log, const struct race_pattern *patterns, log_turn_fn *turn_of,
              const void *context)
{
    uint16_t words[PAGE_WORDS + WORDS_AHEAD] = {NO_TURN};
    struct look_back past = {.patterns = patterns, .words = words};
    bool needed[LOG_NOTES];
    uint64_t turn = 0;
    for (uint32_t i = log->count; i-- > 0;) {
        const struct race_note *loop = &log->notes[i];
        if (!loop->loop)
            continue;
        past.turn += turn_of(context, loop->instant) != turn;
        past.matters = false;
        turn = turn_of(context, loop->instant);
        walk(loop, true, look_back, &past);
        needed[i] = past.matters;
    }
    keep(log, needed);
}
