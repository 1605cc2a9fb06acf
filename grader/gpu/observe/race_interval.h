/* An interval is the time between two barriers of a CTA. At first, accesses to shared memory in an
 * interval are only noted; they are checked when one of them might race.
 *
 * If all threads of a CTA reach a barrier, every access before the barrier is ordered before every
 * access after it. In most intervals, no access writes a word that was accessed before, and none
 * reads a word that was written before. Such an interval has no race, whichever threads made the
 * accesses. To detect this case, one byte per word records whether the word was read or written.
 *
 * The first access that breaks this rule ends the interval. The noted accesses are then checked in
 * order against the shadow of memory (race_shadow.h). The result is the same as if each access had
 * been checked immediately. All further accesses up to the next barrier are checked immediately. */
#ifndef GPU_OBSERVE_RACE_INTERVAL_H
#define GPU_OBSERVE_RACE_INTERVAL_H

#include "gpu/observe/race_pattern.h"

struct interval {
    bool is_deferred;
    uint32_t bytes; /* size of shared memory in bytes */
    uint8_t *words; /* for each word of shared memory, the bits WORD_READ and WORD_WRITTEN */
    bool any;       /* some word may be marked in `words` */
    struct race_patterns patterns;
    struct interval_note_entry *notes;
    uint32_t note_count, note_room;
};

/* Prepares the first interval. Returns false when out of memory. The caller must call
 * interval_close() in any case. */
bool interval_open(struct interval *interval, uint32_t shared_bytes, uint32_t code_count);
void interval_close(struct interval *interval);

/* Begins a new interval and forgets earlier accesses. */
void interval_begin(struct interval *interval);

/* Notes a plain load or store whose addresses are all valid. If this is not possible, returns
 * false. The caller must then end the interval and check the access. */
bool interval_note(struct interval *interval, const struct obs_access *access);
/* Does the same for a repeat. Returns false if it needs all addresses of the access. */
bool interval_note_repeat(struct interval *interval, const struct obs_repeat *repeat);
/* Must be called for each access that is not noted. PC is the pc of its instruction. */
void interval_miss(struct interval *interval, uint32_t pc);

/* Ends the interval. Calls VISIT for each noted access, in order, until VISIT returns false. VISIT
 * may be NULL. */
typedef bool interval_visit_fn(void *context, const struct obs_access *access);
bool interval_end(struct interval *interval, interval_visit_fn *visit, void *context);

#endif
