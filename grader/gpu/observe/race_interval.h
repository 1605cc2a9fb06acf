/* An interval is the time between two barriers of a CTA. While no access to shared memory can race,
 * the accesses in an interval are noted and not checked.
 *
 * At a barrier that all threads of a CTA reach, everything before the barrier comes before
 * everything after it. In most intervals, no access writes a word that was accessed before or reads
 * a word that was written before. Such an interval has no race, no matter which thread accessed
 * which word. So it is enough to record in one byte per word whether the word was read or written,
 * and to note the accesses. The first access that breaks this rule ends the interval. The notes are
 * then replayed in the shadow of memory (race_shadow.h), with the same result as if each access had
 * been checked immediately, and all accesses up to the next barrier are checked immediately. */
#ifndef GPU_OBSERVE_RACE_INTERVAL_H
#define GPU_OBSERVE_RACE_INTERVAL_H

#include "gpu/observe/race_pattern.h"

struct interval {
    bool is_deferred;
    uint32_t bytes; /* size of shared memory */
    uint8_t *words; /* WORD_READ and WORD_WRITTEN of each word */
    bool any;       /* some word may be marked */
    struct race_patterns patterns;
    struct interval_note_entry *notes;
    uint32_t note_count, note_room;
};

/* Prepares an interval. Returns false when out of memory. The caller must call interval_close()
 * even then. */
bool interval_open(struct interval *interval, uint32_t shared_bytes, uint32_t code_count);
void interval_close(struct interval *interval);

/* Begins an interval. Accesses before this point no longer matter. */
void interval_begin(struct interval *interval);

/* Notes a plain load or store whose addresses are all valid. Returns false if the caller must end
 * the interval and then check the access. */
bool interval_note(struct interval *interval, const struct obs_access *access);
/* Does the same as interval_note(), for a repeat. Returns false if the full access is needed. */
bool interval_note_repeat(struct interval *interval, const struct obs_repeat *repeat);
/* Records that an access by the instruction at PC was not noted. Must be called for each such
 * access. */
void interval_miss(struct interval *interval, uint32_t pc);

/* Ends the interval. Unless VISIT is NULL, calls it for each noted access, in order. */
/* returns false to stop */
typedef bool interval_visit_fn(void *context, const struct obs_access *access);
bool interval_end(struct interval *interval, interval_visit_fn *visit, void *context);

#endif
