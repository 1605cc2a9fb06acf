/* Findings are the defects of a launch. Defects of the same kind at the same instruction, or at the
 * same pair of instructions, are one finding with a count. */
#ifndef GPU_OBSERVE_FINDINGS_H
#define GPU_OBSERVE_FINDINGS_H

#include <pthread.h>
#include <stdint.h>

/* at most this many findings of a launch; later defects are only counted */
#define FINDINGS_MAX 1000

/* A line of host code that explains a finding. TEXT says how, such as "allocated here". */
struct finding_note {
    const char *text, *file; /* file is NULL if there is no note */
    uint32_t line;
};
#define FINDING_NOTES 2
#define FINDING_PAIRS 16

struct finding {
    const char *id; /* kind of defect, such as "out-of-bounds" */
    char message[500];
    /* `related` is the pc of the other access if the defect is a pair of accesses, otherwise
     * NO_PC */
    uint32_t pc, related;
    uint64_t count;
    /* Only for a loss (losses.h): the total cost in sectors, wavefronts or warp instructions, and
     * the ideal total. worst_... are the same for the worst request. `message` holds the cause of
     * the loss. */
    uint64_t cost, ideal;
    uint32_t worst_cost, worst_ideal;
    /* Advice for the student. If `help` is NULL, the report shows `advice`. If that is empty, it
     * shows the general advice for this kind of defect. */
    const char *help;
    char advice[320];
    const char *deduction; /* what `advice` is based on (gpu/deductions.h), or NULL */
    /* the array that a bad access probably meant to reach; unknown members are 0 or "" */
    struct {
        char name[32]; /* name of an array in shared memory, otherwise "" */
        /* size of the array, and the byte of it at which the access begins */
        uint64_t bytes, offset;
        uint32_t access_bytes;
    } array;
    struct finding_note notes[FINDING_NOTES];
    /* For a race that lacks a barrier: the pcs of its pairs of accesses, at most FINDING_PAIRS of
     * them. */
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

/* Takes the lock and counts a defect of kind ID at instruction PC. If it is the first such defect,
 * returns its new finding, and the caller must fill in the message. Otherwise returns NULL. In both
 * cases the caller must release the lock with findings_unlock(). */
struct finding *findings_add(struct findings *findings, const char *id, uint32_t pc);
/* Does the same for COUNT defects at a pair of accesses, PC and RELATED. */
struct finding *findings_add_pair(struct findings *findings, const char *id, uint32_t pc,
                                  uint32_t related, uint64_t count);
void findings_unlock(struct findings *findings);

#endif
