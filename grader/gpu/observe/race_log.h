/* The log of a page of global memory. At first, accesses to the page are only noted in the log;
 * they are checked when one of them might race. No race is possible while no access writes a word
 * that was accessed before, and none reads a word that was written before. Examples are an input
 * that all threads read, and an output whose words are written once. A loop of a warp takes only as
 * many notes as one iteration has accesses.
 *
 * The first access that breaks this rule ends the log. The noted accesses are then checked in order
 * against the shadow of the page (race_shadow.h). The result is the same as if each access had been
 * checked immediately. Every later access is checked immediately. If a log has too many notes of
 * reads, those that would leave no stamp in the shadow are dropped. */
#ifndef GPU_OBSERVE_RACE_LOG_H
#define GPU_OBSERVE_RACE_LOG_H

#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

#define LOG_NOTES 1024u        /* a log has at most this many notes */
extern uint32_t log_max_notes; /* a limit, which tests lower */

#define LOG_LOOP_BITS  4u
#define LOG_TIMES_BITS (32 - PATTERN_BITS - 5 - LOG_LOOP_BITS)

/* A note is one access, or the accesses that one instruction makes in all iterations of a loop.
 * FIRST is the offset of lane 0 in the page, and STEP its change from one iteration to the next.
 * The accesses of a loop are ordered by iteration, then by note. The last iteration may be
 * incomplete. */
struct race_note {
    int32_t first, step;
    /* the moment of the access, as a number chosen by the owner of the log; all notes of a loop
     * have the same number */
    uint32_t instant;
    uint32_t pattern : PATTERN_BITS, warp : 5;
    /* number of notes in the loop that begins with this note; 0 for the other notes of a loop */
    uint32_t loop : LOG_LOOP_BITS;
    uint32_t times : LOG_TIMES_BITS;
};

struct race_log {
    struct race_note *notes;
    uint32_t count, room;
    /* index of the first note of the latest loop, and position in this loop of the note that comes
     * next */
    uint32_t loop, next;
    /* for each word, the bits WORD_READ and WORD_WRITTEN; NULL if the page was only read */
    uint8_t *words;
};

struct race_log *log_open(void); /* NULL when out of memory */
void log_close(struct race_log *log);

/* Notes an access. Returns false if it may race with a noted access, or if the log is full. */
bool log_add(struct shadow *page, const struct race_pattern *patterns, struct race_note note);

/* Drops notes of reads that make no difference. A turn is the time during which a worker runs one
 * CTA without switching to another (race_order.h). For each word, log_tidy() keeps the reads in the
 * latest turn that read it, and the last read before that turn. TURN_OF returns the turn of an
 * instant. */
typedef uint64_t log_turn_fn(const void *context, uint32_t instant);
void log_tidy(struct race_log *log, const struct race_pattern *patterns, log_turn_fn *turn_of,
              const void *context);

/* Calls VISIT for all noted accesses, in order, until VISIT returns false. Then empties the log.
 * Returns false if VISIT has returned false. */
typedef bool log_visit_fn(void *context, const struct race_note *note, int64_t first);
bool log_empty(struct race_log *log, log_visit_fn *visit, void *context);

#endif
