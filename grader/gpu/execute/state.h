/* Kernels, running: what changes while a launch runs.
 *
 *   launch ── workers ── clusters ── CTAs ── warps ── paths
 *
 * A worker is a CPU thread. It takes CTAs, usually one at a time, runs their warps in turn and keeps a profile of each
 * instruction. A warp usually has one path: a stack of (pc, reconvergence point, lanes), which warp.c explains. */
#ifndef GPU_EXECUTE_STATE_H
#define GPU_EXECUTE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/kernel.h"
#include "gpu/execute/launch.h"
#include "gpu/execute/pattern.h"
#include "gpu/lanes.h"

#define CLUSTER_BARRIER BARRIERS /* what stands for the cluster's among them */

/* A function's activation in some lanes of a warp: registers, and the parameters and results of it
 * and of its calls, frame_bytes for each lane. Path entries hold on to it. */
struct frame {
    uint8_t *registers, *params;
    const struct image *image;
    struct frame *caller;
    const struct inst *call; /* in the caller */
    uint32_t local_base;     /* where its local variables begin */
    uint32_t taken[WARP];    /* bytes behind them that alloca has given to each lane */
    uint32_t holders;
    struct frame *next; /* in the list of free ones */
};

struct path_entry {
    uint32_t pc, meet, lanes;
    struct frame *frame;
};

enum path_state { PATH_READY, PATH_AT_BARRIER, PATH_AT_WARP_SYNC, PATH_AT_MEETING, PATH_DONE };

struct path {
    enum path_state state;
    bool gives_way;    /* its latest wait is not over */
    bool is_stuck;     /* nor was it the time before, and it has done nothing since but ask */
    uint32_t waits_at; /* pc of that wait, or NOWHERE (path.h) */
    bool has_met;      /* has waited for the lanes that its KIND_MEET names */
    uint32_t depth;
    uint32_t wait_mask;           /* at a warp sync or a meeting: the lanes waited for */
    uint32_t wait_id, wait_count; /* at a barrier */
    uint32_t votes;               /* at a barrier that reduces: the lanes' predicates */
    const struct inst *barrier;
    uint32_t expected; /* at a barrier: the warp's lanes that were alive when this path came */
    uint64_t past,
        age; /* a state that it was in, and how often it was looked at since: standstill.c */
    bool goes_round; /* it was in that state again */
    uint32_t room;
    struct path_entry *stack;
};

/* A cp.async under way: what LANES have read, and where in shared memory it goes. */
struct async_copy {
    struct async_copy *next;
    uint32_t lanes, bytes, pc;
    uint32_t group[WARP], to[WARP];
    uint8_t data[WARP][16];
};

struct warp {
    uint8_t *bank[BANK_COUNT];
    uint8_t *local; /* the launch's own_bytes for each lane */
    uint8_t *stack; /* stack_room for each lane: it grows with the calls */
    uint32_t stack_room;
    struct frame *frame;                     /* of the instruction that runs */
    struct async_copy *copies, *idle_copies; /* under way, in order; to be used again */
    uint32_t groups[WARP];                   /* of copies, that each lane has closed */
    struct cta *cta;
    uint32_t index;      /* in the CTA */
    uint32_t alive;      /* lanes that have not exited */
    uint32_t pc;         /* of the instruction that runs */
    uint64_t executed;   /* warp instructions */
    uint64_t slept;      /* nanosleeps among them */
    uint64_t looked;     /* instructions among them that may be waiting for others */
    int64_t ahead;       /* what it has had of its first slice before it had a path */
    uint32_t news;       /* of them in its latest slice: found what they had not found before */
    bool waits;          /* that slice did little but look, in vain; kept for the next CTA */
    bool moved;          /* some path has done more than wait */
    uint32_t at_cluster; /* lanes that have arrived at the cluster's barrier, for this time */
    uint32_t owes_wait;  /* lanes that have arrived there, and not waited since */
    uint32_t heard;      /* lanes that it let go, and nobody has been told of */
    struct path *paths[WARP];
    uint32_t path_count;
};

struct mbarrier {
    uint32_t at; /* in shared memory */
    uint32_t expected, pending, phase;
};

struct cta {
    struct worker *worker;
    struct launch *launch;
    uint32_t index[3];
    uint64_t linear;
    uint32_t seat;                        /* among those of the worker: see struct obs_order */
    uint32_t warp_count, started;         /* the first of them have */
    uint32_t rank;                        /* in its cluster */
    struct cta **cluster;                 /* the CTAs of the launch's cluster_size, by rank */
    struct cta *members[EMU_MAX_CLUSTER]; /* these, if it is the one of rank 0 */
    uint64_t phase;                       /* the same: how often they have met at their barrier */
    bool has_ended, has_moved; /* has_moved: done more in its latest turn than wait for others */
    bool gave_way;  /* it has, and its turn ended all the same; of rank 0: the cluster's has */
    uint32_t looks; /* of that turn: how often it looked at what others may change, and moved */
    bool again;     /* it has been another CTA of this launch */
    uint8_t *shared;
    uint32_t shared_bytes;
    struct warp warps[MAX_WARPS];
    uint32_t arrived[BARRIERS]; /* threads that did not wait */
    struct mbarrier *mbarriers;
    uint32_t mbarrier_count, mbarrier_room;
    uint64_t idle_polls; /* waits that were not over while nobody did anything else */
    uint8_t *values, *warp_values, *local_memory; /* BANK_CTA; BANK_WARP of each warp */
    struct cta *next;
    uint64_t round; /* of the worker, in which it did nothing but spin at the latest */
};

/* What one instruction did in the CTAs of one worker; as stretch.c says, if it is in a stretch. */
struct profile {
    uint64_t warps, threads, divergent;
};

/* An observer that wants to know of accesses, and its state. */
struct listener {
    const struct observer *observer;
    void *state;
};

struct worker {
    struct launch *launch;
    struct profile *profile; /* of each instruction */
    uint64_t longest;        /* instructions of one warp */
    uint64_t unaccounted;    /* instructions that the launch does not know of yet */
    uint64_t executed;       /* instructions so far */
    uint64_t ask_at;         /* of these, from when on the kernel is worth a translation */
    struct native_use *uses; /* of the translation, by where it was entered; NULL: not yet */
    uint64_t tries;          /* warps that began in it, */
    uint64_t throughs;       /* and those of them that it brought to their end */
    struct cta *idle;        /* CTAs whose memory can be used again */
    uint32_t seats;          /* CTAs that there are */
    struct frame *idle_frames;
    void *observer_state[OBS_MAX];
    struct listener listener[OBS_MAX]; /* those who want to know of all accesses come first */
    unsigned listeners[2];             /* of loads; of anything else */
    struct pattern *patterns;          /* of each instruction */
    /* See standstill.c: the slices of rounds in which no CTA did more than spin, added up; what had changed memory
     * at the latest look, and the epoch then; the epoch in which all went round, or 0. */
    uint64_t spun, changes, epoch, atomic_changes;
    bool polls_briefly; /* some slice of this round was a WAITING_SLICE */
    bool watches;       /* atomics count their changes */
    struct deciders *deciders;
    atomic_uint_fast64_t still;
    atomic_bool is_tired; /* its CTAs have done nothing but spin for long */
    /* The clusters that are under way, each by its CTA of rank 0, the oldest one first; where the one is whose turn
     * it is; and whether new ones may still be begun. */
    struct cta *first, **last, **turn;
    uint32_t waiting;
    bool may_begin;
    bool is_ahead;     /* the oldest one has had a turn before its time */
    uint64_t ended;    /* clusters of the launch, the latest time that it had */
    uint64_t round;    /* since all clusters have spun, or one has ended */
    uint32_t spinning; /* those that have done nothing else in this round */
};

static inline uint8_t *slot_at(const struct warp *warp, struct slot slot)
{
    return warp->bank[slot.bank] + slot.offset;
}

static inline uint32_t slot_predicate(const struct warp *warp, struct slot slot)
{
    uint32_t bits = *(const uint32_t *)slot_at(warp, slot);
    return slot.negated ? ~bits : bits;
}

static inline void slot_set_predicate(const struct warp *warp, struct slot slot, uint32_t bits,
                                      uint32_t mask)
{
    if (slot.offset == NO_SLOT)
        return;
    uint32_t *p = (uint32_t *)slot_at(warp, slot);
    *p = (*p & ~mask) | (bits & mask);
}

#endif
