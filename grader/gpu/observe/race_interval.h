/* Shared memory between two barriers: accesses are only noted while none can race.
 *
 * A barrier that all threads of a CTA reach orders everything before it before everything after
 * it. Between barriers nearly always no access writes an accessed word or reads a written one.
 * Then there is no race, and it does not matter which thread accessed which word. So a byte for
 * each word records only whether the word was read or written, and accesses are noted. The first
 * access that reads a written word, or writes an accessed one, ends this. The notes are then
 * replayed in the shadow of memory (race_shadow.h), with the same result as checking at once,
 * and all accesses up to the next barrier are checked at once. */
#ifndef GPU_OBSERVE_RACE_INTERVAL_H
#define GPU_OBSERVE_RACE_INTERVAL_H

#include "gpu/observe/race_pattern.h"

struct interval {
    bool is_deferred;
    uint32_t bytes; /* of shared memory */
    uint8_t *words; /* by word: WORD_READ, WORD_WRITTEN */
    bool any;       /* a word may be marked */
    struct race_patterns patterns;
    struct interval_note_entry *notes;
    uint32_t note_count, note_room;
};

/* False when memory is out. Close it even then. */
bool interval_open(struct interval *interval, uint32_t shared_bytes, uint32_t code_count);
void interval_close(struct interval *interval);

/* Starts to note accesses: none before this point matters any more. */
void interval_begin(struct interval *interval);

/* Notes a plain load or store whose addresses are all valid. False: it must be checked, and the
 * interval must end before it. */
bool interval_note(struct interval *interval, const struct obs_access *access);
/* The same for a repeat. False: the full access is needed. */
bool interval_note_repeat(struct interval *interval, const struct obs_repeat *repeat);
/* The instruction at PC made an access that was not noted. */
void interval_miss(struct interval *interval, uint32_t pc);

/* Ends the interval and hands its notes to VISIT, in order, unless VISIT is NULL. */
typedef bool interval_visit_fn(void *context, const struct obs_access *access); /* false: stop */
bool interval_end(struct interval *interval, interval_visit_fn *visit, void *context);

#endif
