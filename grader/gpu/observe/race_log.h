/* The log of a page of device memory. While no access can race, accesses are noted and not checked.
 * No access can race as long as no access writes a word that was accessed before, or reads a word
 * that was written before. This holds for an input that all threads read, and for an output whose
 * words are written once. The accesses of a warp's loop take as many notes as the accesses of one
 * iteration.
 *
 * The first access that breaks this rule ends the log. The notes are then replayed in the shadow of
 * the page (race_shadow.h), with the same result as if each access had been checked immediately.
 * Every later access is checked immediately. If there are many notes of reads, those that would
 * leave no trace in the shadow are dropped. */
#ifndef GPU_OBSERVE_RACE_LOG_H
#define GPU_OBSERVE_RACE_LOG_H

#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

#define LOG_NOTES 1024u        /* most notes in a log */
extern uint32_t log_max_notes; /* tests lower it */

#define LOG_LOOP_BITS  4u
#define LOG_TIMES_BITS (32 - PATTERN_BITS - 5 - LOG_LOOP_BITS)

/* One access, or the same access in each iteration of a loop. FIRST is lane 0's offset in the page,
 * STEP the distance from one iteration to the next. In each iteration, a loop makes the accesses of
 * its notes in order. The last iteration may be incomplete. */
struct race_note {
    int32_t first, step;
    /* the moment of the access, as a number that the log's owner chooses; one number for a whole
     * loop */
    uint32_t instant;
    uint32_t pattern : PATTERN_BITS, warp : 5;
    /* number of notes in the loop that begins here, or 0 if this note is inside a loop */
    uint32_t loop : LOG_LOOP_BITS;
    uint32_t times : LOG_TIMES_BITS;
};

struct race_log {
    struct race_note *notes;
    uint32_t count, room;
    /* index of the latest loop's first note, and number of that loop's note that comes next */
    uint32_t loop, next;
    uint8_t *words; /* marks of each word, or NULL if words were only read */
};

struct race_log *log_open(void); /* returns NULL when out of memory */
void log_close(struct race_log *log);

/* Notes an access. Returns false if it may race with a noted access, or the log is full. */
bool log_add(struct shadow *page, const struct race_pattern *patterns, struct race_note note);

/* Drops notes of reads that do not matter. For each word, only two things matter: its reads in the
 * latest turn of a CTA (race_order.h) that read it, and the last read before that turn. TURN_OF
 * returns the turn of an instant. */
typedef uint64_t log_turn_fn(const void *context, uint32_t instant);
void log_tidy(struct race_log *log, const struct race_pattern *patterns, log_turn_fn *turn_of,
              const void *context);

/* Calls VISIT for all accesses, in order, until it returns false. Then empties the log. Returns
 * false if VISIT did. */
typedef bool log_visit_fn(void *context, const struct race_note *note, int64_t first);
bool log_empty(struct race_log *log, log_visit_fn *visit, void *context);

#endif
