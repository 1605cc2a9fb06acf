/* Findings: what was found wrong, once for each kind and source line, with how often. */
#ifndef GPU_OBSERVE_FINDINGS_H
#define GPU_OBSERVE_FINDINGS_H

#include <pthread.h>
#include <stdint.h>

#define FINDINGS_MAX 1000 /* kinds and places of one launch; more are only counted */

/* Another place that a finding is about, on the host: "allocated here". */
struct finding_note {
    const char *text, *file; /* file NULL: no such place */
    uint32_t line;
};
#define FINDING_NOTES 2

struct finding {
    const char *id; /* such as "out-of-bounds" */
    char message[400];
    uint32_t pc, related; /* related: of the other access of a pair, or NO_PC */
    uint64_t count;
    /* Of a loss, whose message tells the cause: sectors, wavefronts or warp instructions, all in all, and
     * as few as could be; the same of the worst request. Of an error 0. */
    uint64_t cost, ideal;
    uint32_t worst_cost, worst_ideal;
    const char *help; /* of a loss: what to try against this cause; NULL: what its kind says */
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

/* Counts one more of ID at instruction PC. The first one's message is kept: true if this is it, and
 * then the caller fills MESSAGE (with the lock held until findings_unlock). */
struct finding *findings_add(struct findings *findings, const char *id, uint32_t pc);
/* The same for COUNT of a pair of accesses, at PC and RELATED. */
struct finding *findings_add_pair(struct findings *findings, const char *id, uint32_t pc,
                                  uint32_t related, uint64_t count);
void findings_unlock(struct findings *findings);

#endif
