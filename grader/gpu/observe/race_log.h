/* The log of a page of global memory. Accesses to the page are only noted as long as none of them
 * can race. This is the case while no access writes a word that was accessed before, and none reads
 * a word that was written before. Examples are an input that all threads read, and an output whose
 * words are written once. A loop of a warp takes as many notes as one of its iterations.
 *
 * The first access that breaks this rule ends the log. The notes are then replayed in the shadow of
 * the page (race_shadow.h). The result is the same as if each access had been checked immediately.
 * Every later access is checked immediately. If there are too many notes of reads, those that would
 * leave no trace in the shadow are dropped. */
#ifndef GPU_OBSERVE_RACE_LOG_H
#define GPU_OBSERVE_RACE_LOG_H

#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

#define LOG_NOTES 1024u        /* a log has at most this many notes */
extern uint32_t log_max_notes; /* limit, which tests lower */

#define LOG_LOOP_BITS  4u
#define LOG_TIMES_BITS (32 - PATTERN_BITS - 5 - LOG_LOOP_BITS)

/* One access, or the accesses that one instruction makes in all iterations of a loop. FIRST is the
 * offset of lane 0 in the page, and STEP its change from one iteration to the next. A loop makes
 * the accesses of its notes in order, iteration after iteration. Its last iteration may be
 * incomplete. */
struct race_note {
    int32_t first, step;
    /* the moment of the access, as a number that the owner of the log chooses; the same for a whole
     * loop */
    uint32_t instant;
    uint32_t pattern : PATTERN_BITS, warp : 5;
    /* number of notes in the loop that begins with this note; 0 for the other notes of a loop */
    uint32_t loop : LOG_LOOP_BITS;
    uint32_t times : LOG_TIMES_BITS;
};

struct race_log {
    struct race_note *notes;
    uint32_t count, room;
    /* index of the first note of the latest loop, and number within this loop of the next note */
    uint32_t loop, next;
    uint8_t *words; /* WORD_READ and WORD_WRITTEN of each word, or NULL if the page was only read */
};

struct race_log *log_open(void); /* NULL when out of memory */
void log_close(struct race_log *log);

/* Notes an access. Returns false if it may race with a noted access, or if the log is full. */
bool log_add(struct shadow *page, const struct race_pattern *patterns, struct race_note note);

/* Drops notes of reads that do not matter. A turn is the time during which a CTA runs without a
 * pause (race_order.h). For each word, two things matter: its reads in the latest turn that read
 * it, and the last read before that turn. TURN_OF returns the turn of an instant. */
typedef uint64_t log_turn_fn(const void *context, uint32_t instant);
void log_tidy(struct race_log *log, const struct race_pattern *patterns, log_turn_fn *turn_of,
              const void *context);

/* Calls VISIT for all noted accesses, in order, until it returns false. Then empties the log.
 * Returns false if VISIT has returned false. */
typedef bool log_visit_fn(void *context, const struct race_note *note, int64_t first);
bool log_empty(struct race_log *log, log_visit_fn *visit, void *context);

#endif
