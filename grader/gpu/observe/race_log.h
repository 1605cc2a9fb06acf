/* The log of a page of device memory: accesses are only noted while none can race. That holds
 * while no access writes an accessed word or reads a written one, as in an input that all
 * threads read or an output whose words are written once. A warp's loop takes as many notes as
 * one of its turns.
 *
 * The first access that breaks this ends the log. The notes are then replayed in the shadow of
 * the page (race_shadow.h), with the same result as checking at once, and every later access is
 * checked at once. If there are many notes of reads, those that would leave no trace in the
 * shadow are dropped. */
#ifndef GPU_OBSERVE_RACE_LOG_H
#define GPU_OBSERVE_RACE_LOG_H

#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

#define LOG_NOTES 1024u        /* at most */
extern uint32_t log_max_notes; /* tests set it lower */

#define LOG_LOOP_BITS  4u
#define LOG_TIMES_BITS (32 - PATTERN_BITS - 5 - LOG_LOOP_BITS)

/* One access, or the same access in each turn of a loop. FIRST is the first lane's offset in the
 * page, STEP the distance from one turn to the next. In each turn a loop makes the accesses of
 * its notes in order. Its last turn may be incomplete. */
struct race_note {
    int32_t first, step;
    uint32_t instant; /* its time, as the log's owner numbers it; one for a whole loop */
    uint32_t pattern : PATTERN_BITS, warp : 5;
    uint32_t loop : LOG_LOOP_BITS; /* notes in the loop that begins here; 0: inside a loop */
    uint32_t times : LOG_TIMES_BITS;
};

struct race_log {
    struct race_note *notes;
    uint32_t count, room;
    uint32_t loop, next; /* the latest loop's first note; the note to repeat next */
    uint8_t *words;      /* marks by word; NULL: they were only read */
};

struct race_log *log_open(void); /* NULL when memory is out */
void log_close(struct race_log *log);

/* Notes an access. False: it may race with a noted one, or the log is full. */
bool log_add(struct shadow *page, const struct race_pattern *patterns, struct race_note note);

/* Drops notes of reads that do not matter. For each word, the reads in the latest turn that read
 * it matter, and the last read before that turn. TURN_OF gives the turn of an instant. */
typedef uint64_t log_turn_fn(const void *context, uint32_t instant);
void log_tidy(struct race_log *log, const struct race_pattern *patterns, log_turn_fn *turn_of,
              const void *context);

/* Hands all accesses to VISIT, in order, until it returns false, and empties the log. Returns
 * false if VISIT did. */
typedef bool log_visit_fn(void *context, const struct race_note *note, int64_t first);
bool log_empty(struct race_log *log, log_visit_fn *visit, void *context);

#endif
