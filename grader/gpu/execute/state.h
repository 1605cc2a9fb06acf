/* Kernels, running: what changes while a launch runs.
 *
 *   launch ── workers ── clusters ── CTAs ── warps ── paths
 *
 * A worker is a CPU thread. It takes CTAs, usually one at a time, runs their warps in turn and
 * keeps a profile of each instruction. A warp usually has one path: a stack of (pc, reconvergence
 * point, lanes), which warp.c explains. */
#ifndef GPU_EXECUTE_STATE_H
#define GPU_EXECUTE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/kernel.h"
#include "gpu/execute/launch.h"
#include "gpu/execute/pattern.h"
#include "gpu/lanes.h"

#define CLUSTER_BARRIER BARRIERS /* number of the cluster's barrier, after the CTA's */

/* One activation of a function by some lanes of a warp. `params` has frame_bytes for each lane:
 * parameters and results of the function and of its calls. Path entries hold references to a
 * frame. */
struct frame {
    uint8_t *registers, *params;
    const struct image *image;
    struct frame *caller;
    const struct inst *call; /* in the caller */
    uint32_t local_base;     /* offset of its local variables in a thread's local memory */
    uint32_t taken[WARP];    /* bytes after them that alloca has given to each lane */
    uint32_t holders;        /* reference count */
    struct frame *next;      /* in the list of free frames */
};

struct path_entry {
    uint32_t pc, meet, lanes; /* meet: pc where the entry ends and its lanes reconverge */
    struct frame *frame;
};

enum path_state { PATH_READY, PATH_AT_BARRIER, PATH_AT_WARP_SYNC, PATH_AT_MEETING, PATH_DONE };

struct path {
    enum path_state state;
    bool gives_way;    /* its latest KIND_WAIT is not over */
    bool is_stuck;     /* that poll failed like the one before, and it did nothing in between */
    uint32_t waits_at; /* pc of that KIND_WAIT, or NOWHERE (path.h) */
    bool has_met;      /* has waited for the lanes that its KIND_MEET names */
    uint32_t depth;
    uint32_t wait_mask;           /* at a warp sync or a meeting: the lanes it waits for */
    uint32_t wait_id, wait_count; /* at a barrier */
    uint32_t votes;               /* at a barrier with a reduction: the lanes' predicates */
    const struct inst *barrier;
    uint32_t expected; /* at a barrier: the warp's lanes that were alive when this path arrived */
    /* Cycle detection, see standstill.c: */
    uint64_t past;   /* hash of an earlier state */
    uint64_t age;    /* checks so far */
    bool goes_round; /* it has returned to that state */
    uint32_t room;
    struct path_entry *stack;
};

/* A pending cp.async: the data that LANES have read, and where in shared memory it goes. */
struct async_copy {
    struct async_copy *next;
    uint32_t lanes, bytes, pc;
    uint32_t group[WARP], to[WARP];
    uint8_t data[WARP][16];
};

struct warp {
    uint8_t *bank[BANK_COUNT];
    uint8_t *local; /* own_bytes of the launch for each lane */
    uint8_t *stack; /* stack_room for each lane; it grows with the calls */
    uint32_t stack_room;
    struct frame *frame;                     /* of the current instruction */
    struct async_copy *copies, *idle_copies; /* pending, in order; free for reuse */
    uint32_t groups[WARP];                   /* groups of copies that each lane has committed */
    struct cta *cta;
    uint32_t index;      /* in the CTA */
    uint32_t alive;      /* lanes that have not exited */
    uint32_t pc;         /* of the current instruction */
    uint64_t executed;   /* warp instructions */
    uint64_t slept;      /* of these, nanosleep */
    uint64_t looked;     /* of these, instructions that may poll */
    uint32_t news;       /* polls of its latest slice that found another value than before */
    bool waits;          /* most of that slice was polling without success; kept for the next CTA */
    bool moved;          /* some path has done more than wait */
    uint32_t at_cluster; /* lanes that have arrived at this phase of the cluster's barrier */
    uint32_t owes_wait;  /* lanes that have arrived there and have not waited since */
    uint32_t heard;      /* lanes released from there that observers do not know of yet */
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
    uint32_t seat; /* among the worker's CTAs: see struct obs_order */
    uint32_t warp_count;
    uint32_t started;                     /* warps that have begun, in order */
    uint32_t rank;                        /* in its cluster */
    struct cta **cluster;                 /* the cluster's CTAs, by rank */
    struct cta *members[EMU_MAX_CLUSTER]; /* rank 0 only: that array */
    uint64_t phase;                       /* rank 0 only: phases of the cluster's barrier so far */
    bool has_ended;
    bool has_moved; /* did more in its latest turn than wait for other CTAs */
    bool gave_way;  /* ended that turn because of MOST_LOOKS; of rank 0: the cluster did */
    uint32_t looks; /* rounds of that turn in which threads polled, but the CTA moved on */
    bool again;     /* reuses the memory of an earlier CTA of this launch */
    uint8_t *shared;
    uint32_t shared_bytes;
    struct warp warps[MAX_WARPS];
    uint32_t arrived[BARRIERS]; /* threads that arrived without waiting (bar.arrive) */
    struct mbarrier *mbarriers;
    uint32_t mbarrier_count, mbarrier_room;
    uint64_t idle_polls;  /* failed polls while no thread did anything else */
    uint8_t *values;      /* BANK_CTA */
    uint8_t *warp_values; /* BANK_WARP of each warp */
    uint8_t *local_memory;
    struct cta *next;
    uint64_t round; /* the worker's latest round in which this cluster only spun */
};

/* What one instruction did in a worker's CTAs. In a stretch the numbers are differences: see
 * stretch.c. */
struct profile {
    uint64_t warps, threads, divergent;
    uint64_t sectors; /* of textures and surfaces */
};

struct texture_sectors;

/* An observer of accesses, and its state. */
struct listener {
    const struct observer *observer;
    void *state;
};

struct worker {
    struct launch *launch;
    struct profile *profile;           /* of each instruction */
    uint64_t longest;                  /* instructions of the longest warp */
    uint64_t unaccounted;              /* instructions not yet added to the launch's count */
    uint64_t executed;                 /* instructions so far */
    struct cta *idle;                  /* CTAs free for reuse */
    uint32_t seats;                    /* CTAs allocated */
    struct frame *idle_frames;         /* free for reuse */
    void *observer_state[OBS_MAX];     /* by observer of the launch */
    struct listener listener[OBS_MAX]; /* observers of all accesses come first */
    unsigned listeners[2];             /* number of listeners: to loads, to other accesses */
    struct pattern *patterns;          /* of each instruction */
    struct texture_sectors *sectors;   /* of its latest request to a texture; NULL: none yet */
    /* Detection of a standstill, see standstill.c: */
    uint64_t spun;           /* instructions of one CTA's slices while all CTAs only spun */
    uint64_t changes, epoch; /* of memory, at the latest check */
    uint64_t atomic_changes; /* changes of memory by atomics */
    bool polls_briefly;      /* some slice of this round was a WAITING_SLICE */
    bool watches;            /* atomics count their changes */
    struct deciders *deciders;
    atomic_uint_fast64_t still; /* the epoch in which all its paths looped, or 0 */
    atomic_bool is_tired;       /* its CTAs have only spun for long */
    /* The clusters under way, the oldest first. The CTA of rank 0 stands for its cluster. */
    struct cta *first, **last;
    struct cta **turn; /* whose turn is next */
    uint32_t waiting;  /* length of the list */
    bool may_begin;    /* new clusters may start */
    bool is_ahead;     /* the oldest one has just had an extra turn */
    uint64_t ended;    /* ended clusters of the launch when it had its latest extra turn */
    uint64_t round;    /* begins when all clusters have spun, or one has ended */
    uint32_t spinning; /* clusters that have only spun in this round */
};

/* The lanes of an operand in the current function. */
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
