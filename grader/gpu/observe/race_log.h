/* A page of device memory seen from afar: as long as nobody writes what another access met, or reads what was
 * written, there is no race, and accesses are only noted down: an input that all read, an output of which each
 * word is written once. What a loop of a warp does is as many notes as one turn of it.
 *
 * With the first access that is not so simple the notes are looked at in the shadow of the page
 * (race_shadow.h), as if there had been no log, and so is from then on every access. Where there are many
 * notes of reads, those are dropped of which the shadow would remember nothing. */
#ifndef GPU_OBSERVE_RACE_LOG_H
#define GPU_OBSERVE_RACE_LOG_H

#include "gpu/observe/race_pattern.h"
#include "gpu/observe/race_shadow.h"

#define LOG_NOTES 1024u         /* at most */
extern uint32_t log_most_notes; /* tests set it lower */

#define LOG_LOOP_BITS  4u
#define LOG_TIMES_BITS (32 - PATTERN_BITS - 5 - LOG_LOOP_BITS)

/* An access, or one of each turn of a loop: the first one's first lane is at FIRST, from the page's start, the
 * next one's a step further. The accesses of a loop follow each other: the first of each note, the second of
 * each, and so on; the last turn may be cut short. */
struct race_note {
    int32_t first, step;
    uint32_t instant; /* when, as the log's owner knows: one for all of a loop */
    uint32_t pattern : PATTERN_BITS, warp : 5;
    uint32_t loop : LOG_LOOP_BITS; /* notes of the loop that begins here; 0: it has begun before */
    uint32_t times : LOG_TIMES_BITS;
};

struct race_log {
    struct race_note *notes;
    uint32_t count, room;
    uint32_t loop, next; /* where the latest loop begins, and its note whose turn it is */
    uint8_t *words;      /* what was done to each; NULL: they were only read */
};

struct race_log *log_open(void); /* NULL when memory is out */
void log_close(struct race_log *log);

/* Notes one access down. False: it meets another one, or there is no room. */
bool log_add(struct shadow *page, const struct race_pattern *patterns, struct race_note note);

/* Drops notes of reads that do not matter: of each word, those before the last one that was made before the
 * latest turn in which it was read. TURN_OF tells the turn of an instant. */
typedef uint64_t log_turn_fn(const void *context, uint32_t instant);
void log_tidy(struct race_log *log, const struct race_pattern *patterns, log_turn_fn *turn_of,
              const void *context);

/* Hands all accesses to VISIT, in order, until it returns false; then false. Nothing is noted any more. */
typedef bool log_visit_fn(void *context, const struct race_note *note, int64_t first);
bool log_empty(struct race_log *log, log_visit_fn *visit, void *context);

#endif
