/* The state of a running launch.
 *
 *   launch ── workers ── clusters ── CTAs ── warps ── paths
 *
 * A worker is a CPU thread. It takes CTAs, usually one at a time, runs the warps of each CTA in
 * turn and counts how often each instruction was executed. A warp usually has one path: a stack of
 * (pc, reconvergence point, lanes), which warp.c explains.
 *
 * A warp, CTA or cluster "spins" if it does nothing but poll memory without success. schedule.h
 * defines "turn" and "slice". */
#ifndef GPU_EXECUTE_STATE_H
#define GPU_EXECUTE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/kernel.h"
#include "gpu/execute/launch.h"
#include "gpu/execute/pattern.h"
#include "gpu/lanes.h"

/* number of the cluster's barrier; a CTA's own barriers have lower numbers */
#define CLUSTER_BARRIER BARRIERS

/* One call of a function by some lanes of a warp. `params` has frame_bytes bytes for each lane,
 * which hold the parameters and results of the function, and of the calls that it makes. Path
 * entries refer to frames. */
struct frame {
    uint8_t *registers, *params;
    const struct image *image;
    struct frame *caller;
    const struct inst *call; /* the caller's call instruction */
    uint32_t local_base;     /* offset of the function's variables in a thread's local memory */
    uint32_t taken[WARP];    /* bytes that alloca gave each lane, after the variables */
    uint32_t holders;        /* reference count */
    struct frame *next;      /* the next frame in the list of free frames */
};

struct path_entry {
    /* `meet` is the pc at which the entry is popped and its lanes reconverge */
    uint32_t pc, meet, lanes;
    struct frame *frame;
};

enum path_state { PATH_READY, PATH_AT_BARRIER, PATH_AT_WARP_SYNC, PATH_AT_MEETING, PATH_DONE };

struct path {
    enum path_state state;
    bool gives_way; /* the path's latest KIND_WAIT found that the wait is not over */
    /* two polls of one KIND_WAIT failed in succession, without other work in between */
    bool is_stuck;
    uint32_t waits_at; /* pc of the KIND_WAIT that failed last, or NOWHERE (path.h) */
    bool has_met;      /* all lanes named by the KIND_MEET at the path's pc have arrived */
    uint32_t depth;
    uint32_t wait_mask;           /* lanes that the path waits for, at a warp sync or KIND_MEET */
    uint32_t wait_id, wait_count; /* number and thread count of the path's barrier */
    uint32_t votes;               /* the lanes' predicates, if the barrier has a reduction */
    const struct inst *barrier;   /* the barrier's instruction */
    uint32_t expected;            /* the warp's live lanes when the path reached the barrier */
    /* Fields for the detection of loops (see standstill.c). */
    uint64_t past;   /* hash of an earlier state */
    uint64_t age;    /* number of checks so far */
    bool goes_round; /* the path has returned to the state with that hash */
    uint32_t room;   /* allocated entries of the stack */
    struct path_entry *stack;
};

/* A pending cp.async, with the data that `lanes` have read, and its targets in shared memory. */
struct async_copy {
    struct async_copy *next;
    uint32_t lanes, bytes, pc;
    bool arrived; /* its thread has arrived for it at the mbarrier BARRIER, in phase PHASE */
    uint32_t barrier, phase;
    uint64_t start; /* number of instructions that the warp had executed when it started the copy */
    uint32_t group[WARP], to[WARP];
    uint8_t data[WARP][16];
};

struct absent;

struct warp {
    uint8_t *bank[BANK_COUNT];
    uint8_t *local;      /* the kernel's local variables, launch.own_bytes for each lane */
    uint8_t *stack;      /* local memory of called functions, stack_room bytes for each lane */
    uint32_t stack_room; /* grows with the depth of calls */
    struct frame *frame; /* frame of the current instruction */
    /* pending copies, in order, and copies free for reuse */
    struct async_copy *copies, *idle_copies;
    uint32_t groups[WARP];          /* groups of copies that each lane has committed */
    struct bulk_store *bulk_stores; /* pending copies to global memory (see bulk.c) */
    uint32_t bulk_groups[WARP];     /* the same as groups, for these copies */
    uint32_t runtime_error[WARP];   /* of each lane's calls, for cudaGetLastError() */
    /* values that a shuffle read from absent lanes, or NULL if there is none */
    struct absent *absent;
    struct cta *cta;
    uint32_t index;      /* number of the warp in the CTA */
    uint32_t alive;      /* lanes that have not exited */
    uint32_t pc;         /* pc of the current instruction */
    uint64_t executed;   /* warp instructions executed */
    uint64_t slept;      /* nanosleep instructions executed */
    uint64_t looked;     /* instructions executed that may poll */
    uint64_t failed;     /* polls that found no new value */
    bool moved;          /* some path has done more than spin */
    uint32_t at_cluster; /* lanes that have arrived at this phase of the cluster's barrier */
    uint32_t owes_wait;  /* lanes that have arrived at that barrier, but have not waited yet */
    uint32_t heard;      /* lanes released from that barrier, not yet reported to observers */
    struct path *paths[WARP];
    uint32_t path_count;
};

struct mbarrier {
    uint32_t at; /* the mbarrier's address in shared memory */
    uint32_t expected, pending, phase;
    int64_t
        bytes; /* bytes that copies must still store in this phase; negative if their number is not
                * announced yet */
};

struct cta {
    struct worker *worker;
    struct launch *launch;
    uint32_t index[3];
    uint64_t linear;
    uint32_t seat; /* number of this struct among the worker's (see struct obs_order) */
    uint32_t warp_count;
    uint32_t started;                     /* number of warps that have started so far */
    uint32_t rank;                        /* number of the CTA in its cluster */
    struct cta **cluster;                 /* the cluster's CTAs, by rank */
    struct cta *members[EMU_MAX_CLUSTER]; /* for rank 0 only, the array that `cluster` points to */
    uint64_t phase; /* for rank 0 only, how often the cluster's barrier has opened */
    bool has_ended;
    bool has_moved;   /* in its latest turn, the CTA did more than wait for other CTAs */
    bool gave_way;    /* MOST_LOOKS ended the CTA's latest turn, or for rank 0 the cluster's */
    uint32_t looks;   /* rounds in that turn in which threads polled, then passed a barrier */
    bool again;       /* the CTA reuses the memory of an earlier CTA of this launch */
    bool is_followed; /* an observer wants its steps */
    bool is_watched;  /* an observer wants its state after each instruction */
    uint8_t *shared;
    uint32_t shared_bytes;
    struct warp warps[MAX_WARPS];
    uint32_t arrived[BARRIERS]; /* threads that arrived without waiting (bar.arrive) */
    struct mbarrier *mbarriers;
    uint32_t mbarrier_count, mbarrier_room;
    /* copies to its shared memory that have not arrived (see bulk.c) */
    struct bulk_copy *bulk_copies;
    uint64_t idle_polls;  /* failed polls since a thread last did anything else */
    uint8_t *values;      /* the values in BANK_CTA */
    uint8_t *warp_values; /* the values in BANK_WARP, for all warps */
    uint8_t *local_memory;
    struct cta *next;
    uint64_t round; /* the worker's latest round in which this cluster only spun */
};

/* Counts how often a worker's CTAs executed one instruction. Within a stretch, these numbers are
 * differences (see stretch.c). */
struct profile {
    uint64_t warps, threads, divergent;
    uint64_t sectors; /* number of sectors of textures and surfaces */
    uint64_t exposed; /* number of copies that were awaited too soon (async.c) */
};

struct texture_sectors;

/* An observer of accesses and its state. */
struct listener {
    const struct observer *observer;
    void *state;
};

struct worker {
    struct launch *launch;
    struct profile *profile;           /* one for each instruction */
    uint64_t longest;                  /* instructions executed by the longest warp */
    uint32_t slices;                   /* slices that it has run (see heartbeat.c) */
    uint64_t unaccounted;              /* instructions not yet added to the launch's count */
    uint64_t executed;                 /* instructions executed so far */
    uint64_t watch_cost;               /* see struct launch */
    struct cta *idle;                  /* list of CTAs free for reuse */
    uint32_t seats;                    /* number of struct cta allocated */
    struct frame *idle_frames;         /* list of frames free for reuse */
    void *observer_state[OBS_MAX];     /* one for each observer of the launch */
    struct listener listener[OBS_MAX]; /* observers of all accesses come first */
    unsigned listeners[2];             /* number of listeners to loads, and to other accesses */
    struct listener follower;          /* the observer of steps, or NULL if there is none */
    struct pattern *patterns;          /* one for each instruction */
    /* sectors of its latest texture request, or NULL before the first request */
    struct texture_sectors *sectors;
    /* Fields for the detection of a standstill (see standstill.c). */
    /* rounds in which all CTAs only spun; a long round counts as several */
    uint64_t spun;
    uint64_t changes, epoch; /* number of memory changes, and the epoch, at the latest check */
    uint64_t atomic_changes; /* number of memory changes by atomics */
    bool watches;            /* atomics count their changes */
    struct deciders *deciders;
    /* epoch in which all paths of the worker looped, or 0 if there is none */
    atomic_uint_fast64_t still;
    atomic_bool is_tired; /* all its CTAs have only spun for a long time (see TIRED) */
    /* The list of started clusters, oldest first. Each is represented by its CTA of rank 0. */
    struct cta *first, **last;
    struct cta **turn; /* place in the list of the cluster that runs next */
    uint32_t waiting;  /* length of the list */
    bool may_begin;    /* new clusters may start */
    bool is_ahead;     /* the oldest cluster has just had an extra turn */
    uint64_t ended;    /* value of launch.ended at the latest extra turn */
    uint64_t round; /* number of the round; a round ends when all clusters have spun or one ends */
    uint32_t spinning; /* clusters that have only spun in this round */
};

/* The cost of one lane's reported access, which is added to the cost of the watch (struct launch).
 * The unit is the cost of a plain instruction. */
#define LANE_COST 3u

static inline void worker_add_cost(struct worker *worker, bool dense, uint32_t lanes)
{
    worker->watch_cost += dense ? LANE_COST : LANE_COST * (uint32_t)__builtin_popcount(lanes);
}

/* Returns the host address of an operand's lanes, in the current function. */
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
