/* Findings are the defects of a launch. There is one finding, with a count, for each kind of defect
 * and each instruction (or pair of instructions). */
#ifndef GPU_OBSERVE_FINDINGS_H
#define GPU_OBSERVE_FINDINGS_H

#include <pthread.h>
#include <stdint.h>

#define FINDINGS_MAX 1000 /* most findings of one launch; further findings are only counted */

/* A second place that belongs to a finding, in host code, such as "allocated here". */
struct finding_note {
    const char *text, *file; /* file is NULL if there is no such place */
    uint32_t line;
};
#define FINDING_NOTES 2
#define FINDING_PAIRS 16

struct finding {
    const char *id; /* such as "out-of-bounds" */
    char message[500];
    uint32_t pc, related; /* `related` is the pc of a pair's other access, or NO_PC */
    uint64_t count;
    /* For a loss, these are the total cost in sectors, wavefronts or warp instructions, the ideal
     * cost, and both figures for the worst request; `message` holds the cause. For an error, all
     * are 0. */
    uint64_t cost, ideal;
    uint32_t worst_cost, worst_ideal;
    /* what to try; if NULL, the report shows `advice` or, if that is "", the kind's general
     * advice */
    const char *help;
    char advice[320];
    const char *deduction; /* what `advice` is based on (gpu/deductions.h), or NULL */
    /* the array that a bad access was meant for, as far as it is known; otherwise 0 */
    struct {
        char name[32];          /* in shared memory, otherwise "" */
        uint64_t bytes, offset; /* the access begins at this byte of the array */
        uint32_t access_bytes;
    } array;
    struct finding_note notes[FINDING_NOTES];
    /* If a race lacks a barrier, these are the pcs of its pairs of accesses, as many as there is
     * room for. */
    uint32_t pairs[FINDING_PAIRS][2], pair_count;
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

/* Takes the lock and counts one more finding ID at instruction PC. Returns the finding if it is
 * new, so that the caller fills in its message; otherwise returns NULL. In both cases the caller
 * must release the lock with findings_unlock(). */
struct finding *findings_add(struct findings *findings, const char *id, uint32_t pc);
/* Does the same as findings_add(), but counts COUNT more occurrences of a pair of accesses, at PC
 * and RELATED. */
struct finding *findings_add_pair(struct findings *findings, const char *id, uint32_t pc,
                                  uint32_t related, uint64_t count);
void findings_unlock(struct findings *findings);

#endif
