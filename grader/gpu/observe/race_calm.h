/* Shared memory between two barriers, seen from afar: is there anything to look at?
 *
 * What a CTA did before a barrier that all its threads reached comes before all that it does behind it. In
 * between nearly always no word is written that somebody accessed, nor read that somebody wrote: then there
 * is no race, and who accessed which word need not be known. So as long as it is calm, a byte for each word
 * says whether it was read or written, and accesses are only noted down. With the first one that meets a
 * write, or writes what was accessed, the notes are handed over, to be looked at in the shadow of memory
 * (race_shadow.h) as if there had been no calm, and so is the rest up to the next barrier. */
#ifndef GPU_OBSERVE_RACE_CALM_H
#define GPU_OBSERVE_RACE_CALM_H

#include "gpu/observe/race_pattern.h"

struct calm {
    bool is_calm;
    uint32_t bytes; /* of shared memory */
    uint8_t *words; /* what was done to each: WORD_READ, WORD_WRITTEN */
    bool any;       /* something was */
    struct race_patterns patterns;
    struct calm_note *notes;
    uint32_t note_count, note_room;
};

/* False when memory is out; close it then, too. */
bool calm_open(struct calm *calm, uint32_t shared_bytes, uint32_t code_count);
void calm_close(struct calm *calm);

/* It is calm from now on: nothing that was done before matters any more. */
void calm_begin(struct calm *calm);

/* Takes in a plain load or store whose addresses are all good. False: it cannot be so simple, and the calm must
 * end before it. */
bool calm_take(struct calm *calm, const struct obs_access *access);
/* The same of one that repeats. False: it must be told in full. */
bool calm_take_again(struct calm *calm, const struct obs_repeat *repeat);
/* An access by the instruction at PC was made of which the calm was not told. */
void calm_miss(struct calm *calm, uint32_t pc);

/* Ends it and hands what was noted to VISIT, in order, unless that is NULL. */
typedef bool calm_fn(void *context, const struct obs_access *access); /* false ends it at once */
bool calm_end(struct calm *calm, calm_fn *visit, void *context);

#endif
