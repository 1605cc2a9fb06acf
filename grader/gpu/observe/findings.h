/* Findings: the defects of a launch, one for each kind and source line, with a count. */
#ifndef GPU_OBSERVE_FINDINGS_H
#define GPU_OBSERVE_FINDINGS_H

#include <pthread.h>
#include <stdint.h>

#define FINDINGS_MAX 1000 /* in one launch; further ones are only counted */

/* Another place of a finding, in host code: "allocated here". */
struct finding_note {
    const char *text, *file; /* file NULL: no such place */
    uint32_t line;
};
#define FINDING_NOTES 2

struct finding {
    const char *id; /* such as "out-of-bounds" */
    char message[400];
    uint32_t pc, related; /* related: the other access of a pair, or NO_PC */
    uint64_t count;
    /* Of a loss: its total cost in sectors, wavefronts or warp instructions, the ideal cost, and
     * both for its worst request. The message gives the cause. Of an error: 0. */
    uint64_t cost, ideal;
    uint32_t worst_cost, worst_ideal;
    const char *help; /* of a loss: what to try; NULL: the advice for its kind */
    struct finding_note notes[FINDING_NOTES];
};
#define NO_PC UINT32_MAX

struct findings {
    pthread_mutex_t lock;
    struct finding *list;
    uint32_t count, room;
    uint64_t dropped;
};

void findings_init(struct findings *findings);
void findings_free(struct findings *findings);

/* Takes the lock and counts one more of ID at instruction PC. Returns the finding if it is new:
 * the caller then fills in its message. The caller always releases the lock with
 * findings_unlock(). */
struct finding *findings_add(struct findings *findings, const char *id, uint32_t pc);
/* The same for COUNT more of a pair of accesses, at PC and RELATED. */
struct finding *findings_add_pair(struct findings *findings, const char *id, uint32_t pc,
                                  uint32_t related, uint64_t count);
void findings_unlock(struct findings *findings);

#endif
