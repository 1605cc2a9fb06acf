/* An interval is the time between two barriers of a CTA. Accesses to shared memory in an interval
 * are only noted as long as none of them can race.
 *
 * If all threads of a CTA reach a barrier, every access before the barrier is ordered before every
 * access after it. In most intervals, no access writes a word that was accessed before, and none
 * reads a word that was written before. Such an interval has no race, whichever threads made the
 * accesses. So one byte per word is enough to record whether the word was read or written; the
 * accesses are noted.
 *
 * The first access that breaks this rule ends the interval. The notes are then replayed in the
 * shadow of memory (race_shadow.h). The result is the same as if each access had been checked
 * immediately. All accesses up to the next barrier are checked immediately. */
#ifndef GPU_OBSERVE_RACE_INTERVAL_H
#define GPU_OBSERVE_RACE_INTERVAL_H

#include "gpu/observe/race_pattern.h"

struct interval {
    bool is_deferred;
    uint32_t bytes; /* size of shared memory in bytes */
    uint8_t *words; /* WORD_READ and WORD_WRITTEN, for each word of shared memory */
    bool any;       /* a word may have a mark */
    struct race_patterns patterns;
    struct interval_note_entry *notes;
    uint32_t note_count, note_room;
};

/* Prepares an interval. Returns false when out of memory. The caller must call interval_close() in
 * any case. */
bool interval_open(struct interval *interval, uint32_t shared_bytes, uint32_t code_count);
void interval_close(struct interval *interval);

/* Begins a new interval and forgets earlier accesses. */
void interval_begin(struct interval *interval);

/* Notes a plain load or store whose addresses are all valid. Returns false if the access cannot be
 * noted; the caller must then end the interval and check the access. */
bool interval_note(struct interval *interval, const struct obs_access *access);
/* Does the same for a repeat. Returns false if it needs the full access. */
bool interval_note_repeat(struct interval *interval, const struct obs_repeat *repeat);
/* Must be called for each access that is not noted. PC is its instruction. */
void interval_miss(struct interval *interval, uint32_t pc);

/* Ends the interval. Unless VISIT is NULL, calls VISIT for each noted access, in order, until VISIT
 * returns false. */
typedef bool interval_visit_fn(void *context, const struct obs_access *access);
bool interval_end(struct interval *interval, interval_visit_fn *visit, void *context);

#endif
