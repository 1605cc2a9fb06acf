/* The state of a running launch.
 *
 *   launch ── workers ── clusters ── CTAs ── warps ── paths
 *
 * A worker is a CPU thread. It takes CTAs, usually one at a time, runs the warps of each CTA in
 * turn and counts how often each instruction was executed. A warp usually has one path. A path is a
 * stack of entries (pc, reconvergence point, lanes), which warp.c explains.
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

/* index of the cluster's barrier; a CTA's own barriers have lower indices */
#define CLUSTER_BARRIER BARRIERS

/* One call of a function by some lanes of a warp. `params` has frame_bytes bytes for each lane.
 * They hold the function's parameters and results, and the parameters and results of the calls that
 * it makes. Path entries refer to frames. */
struct frame {
    uint8_t *registers, *params;
    const struct image *image;
    struct frame *caller;
    const struct inst *call; /* the caller's call instruction */
    uint32_t local_base;     /* offset of the function's variables in a thread's local memory */
    uint32_t taken[WARP];    /* bytes per lane that alloca has allocated after the variables */
    uint32_t holders;        /* reference count */
    struct frame *next;      /* the next frame in the list of free frames */
};

struct path_entry {
    /* the entry is popped when `pc` reaches `meet`, where its lanes reconverge */
    uint32_t pc, meet, lanes;
    struct frame *frame;
};

enum path_state { PATH_READY, PATH_AT_BARRIER, PATH_AT_WARP_SYNC, PATH_AT_MEETING, PATH_DONE };

struct path {
    enum path_state state;
    bool gives_way; /* the path's latest KIND_WAIT must continue to wait */
    /* two polls of one KIND_WAIT failed in succession; the path did nothing else between them */
    bool is_stuck;
    uint32_t waits_at; /* pc of the KIND_WAIT that failed last, or NOWHERE (path.h) */
    bool has_met;      /* all lanes for which the KIND_MEET at the path's pc waits have arrived */
    uint32_t depth;
    uint32_t wait_mask;           /* lanes that the path waits for at a warp sync or KIND_MEET */
    uint32_t wait_id, wait_count; /* index and thread count of the path's barrier */
    uint32_t votes;               /* the lanes' predicates, if the barrier has a reduction */
    const struct inst *barrier;   /* the barrier's instruction */
    uint32_t expected; /* lanes of the warp that had not exited when the path reached the barrier */
    /* Fields for the detection of loops (see standstill.c). */
    uint64_t past;   /* hash of an earlier state */
    uint64_t age;    /* number of checks so far */
    bool goes_round; /* the path has returned to the state with hash `past` */
    uint32_t room;   /* number of stack entries allocated */
    struct path_entry *stack;
};

/* A pending cp.async: the data that LANES have read, and their destinations in shared memory. */
struct async_copy {
    struct async_copy *next;
    uint32_t lanes, bytes, pc;
    /* LANES have arrived for this copy at the mbarrier at address BARRIER, in phase PHASE */
    bool arrived;
    uint32_t barrier, phase;
    uint64_t start;   /* instructions that the warp had executed when it started the copy */
    uint64_t arrival; /* value of warp->added that covers the copy */
    uint32_t group[WARP], to[WARP];
    uint8_t data[WARP][16];
};

struct absent;

struct warp {
    uint8_t *bank[BANK_COUNT];
    uint8_t *local;      /* the kernel's local variables, launch.own_bytes bytes for each lane */
    uint8_t *stack;      /* local memory of called functions, stack_room bytes for each lane */
    uint32_t stack_room; /* grows with the depth of calls */
    struct frame *frame; /* frame of the current instruction */
    /* pending copies, oldest first, and copies free for reuse */
    struct async_copy *copies, *idle_copies;
    uint32_t groups[WARP];          /* number of copy groups that each lane has committed */
    struct bulk_store *bulk_stores; /* pending copies to global memory (see bulk.c) */
    uint32_t bulk_groups[WARP];     /* the same as `groups`, for bulk_stores */
    uint32_t runtime_error[WARP];   /* latest error of each lane's calls, for cudaGetLastError() */
    bool has_runtime_error;         /* some lane has had an error */
    /* tracks values that shuffles read from absent lanes; NULL if there are none */
    struct absent *absent;
    struct cta *cta;
    uint32_t index;    /* index of the warp in the CTA */
    uint32_t alive;    /* lanes that have not exited */
    uint32_t pc;       /* pc of the current instruction */
    uint64_t executed; /* warp instructions executed */
    uint64_t added;    /* additions and multiplications of floats by its lanes, within stretches */
    uint64_t arrival;  /* value of `added` that covers the latest copy (see async.c) */
    /* instructions of other warps for which it waited (see cta.c), or that it could have executed
     * while it slept */
    uint64_t waited;
    uint64_t slept;      /* nanosleep instructions executed */
    uint64_t looked;     /* executed instructions that may poll */
    uint64_t failed;     /* polls that found no new value */
    bool moved;          /* a path has done more than spin in the current turn */
    uint32_t at_cluster; /* lanes that have arrived in the current phase of the cluster's barrier */
    uint32_t owes_wait;  /* lanes that have arrived at the cluster's barrier but not waited yet */
    /* lanes that the cluster's barrier has released; not yet reported to the observers */
    uint32_t cluster_released;
    struct path *paths[WARP];
    uint32_t path_count;
};

struct mbarrier {
    uint32_t at; /* address of the mbarrier in shared memory */
    uint32_t expected, pending, phase;
    /* bytes that copies must still store in this phase; negative if more bytes have arrived than
     * were announced */
    int64_t bytes;
    /* the longest path that led to an arrival in this phase, and in the phase before it */
    uint64_t path, ended_path;
};

struct cta {
    struct worker *worker;
    struct launch *launch;
    uint32_t index[3];
    uint64_t linear;
    uint32_t seat; /* index of this struct among the worker's CTAs (see struct obs_order) */
    uint32_t warp_count;
    uint32_t started;                     /* number of warps that have started so far */
    uint32_t rank;                        /* rank of the CTA in its cluster */
    struct cta **cluster;                 /* the cluster's CTAs, by rank */
    struct cta *members[EMU_MAX_CLUSTER]; /* only for rank 0: the array that `cluster` points to */
    uint64_t phase; /* only for rank 0: number of times that the cluster's barrier has opened */
    /* only for rank 0: the longest path that led to an arrival at the cluster's barrier, in this
     * phase and in the phase before it */
    uint64_t cluster_path, cluster_opened_path;
    bool has_ended;
    bool has_moved; /* the CTA did more than wait for other CTAs in its latest turn */
    /* the latest turn of the CTA or, for rank 0, of the cluster ended because of MOST_LOOKS */
    bool gave_way;
    uint32_t looks; /* rounds of the current turn in which threads polled, then passed a barrier */
    bool again;     /* the CTA reuses the memory of an earlier CTA of this launch */
    bool is_followed; /* an observer receives an event for each step of the CTA */
    bool is_watched;  /* an observer receives the CTA's state after each instruction */
    uint8_t *shared;
    uint32_t shared_bytes;
    uint32_t arrived[BARRIERS]; /* number of threads that arrived without waiting (bar.arrive) */
    uint64_t arrived_path[BARRIERS]; /* the longest path that led to such an arrival */
    struct mbarrier *mbarriers;
    uint32_t mbarrier_count, mbarrier_room;
    /* copies to the CTA's shared memory that have not arrived (see bulk.c) */
    struct bulk_copy *bulk_copies;
    uint64_t idle_polls;  /* failed polls since a thread last did anything else */
    uint8_t *values;      /* the values in BANK_CTA */
    uint8_t *warp_values; /* the values in BANK_WARP, for all warps */
    uint8_t *local_memory;
    struct cta *next;
    uint64_t round;      /* the worker's latest round in which this cluster only spun */
    struct warp warps[]; /* `warp_count` warps */
};

/* Counts how often a worker's CTAs have executed one instruction: as warps, as threads, and with
 * only some lanes. Within a stretch, these numbers are differences (see stretch.c). */
struct profile {
    uint64_t warps, threads, divergent;
    uint64_t sectors; /* sectors that textures and surfaces have touched */
    uint64_t means;   /* number of weighted means of texels that lanes have fetched */
    /* number of copies that a warp waited for too soon, and of those that no additions or
     * multiplications of floats covered (async.c) */
    uint64_t exposed, uncovered;
};

struct texture_sectors;
struct signals;

/* The four words of each lane that the first load of a quad has loaded (see quads.c). */
struct quad {
    _Alignas(64) uint32_t words[4][WARP];
    uint64_t stretch; /* the worker's stretch in which it has loaded them */
    uint64_t pattern; /* serial number of its pattern */
    uint64_t first;   /* address of its first lane */
};

/* An observer of accesses, and the observer's state. */
struct listener {
    const struct observer *observer;
    void *state;
};

/* Aligned, because a CPU core that writes to a line takes it from the other cores. */
struct worker {
    _Alignas(128) struct launch *launch;
    struct profile *profile;       /* one entry for each instruction */
    uint64_t longest;              /* instructions that the longest warp has executed */
    uint64_t occupied;             /* the counter occupied_instructions */
    uint32_t slices;               /* number of slices that the worker has run (see heartbeat.c) */
    uint64_t unaccounted;          /* executed instructions not yet added to the launch's count */
    uint64_t executed;             /* instructions executed so far */
    uint64_t watch_cost;           /* the worker's part of watch_cost in struct launch */
    struct cta *idle;              /* list of CTAs free for reuse */
    uint32_t seats;                /* number of struct cta allocated */
    struct frame *idle_frames;     /* list of frames free for reuse */
    void *observer_state[OBS_MAX]; /* state of each observer of the launch */
    /* observers of accesses: first those of all accesses, then those of writes only */
    struct listener listener[OBS_MAX];
    unsigned listeners[2];    /* number of listeners to loads, and to other accesses */
    struct listener follower; /* the observer of steps; its `observer` is NULL if there is none */
    struct pattern *patterns; /* one entry for each instruction, and one that is never used */
    struct quad *quads;       /* one entry for each quad of the kernel */
    uint64_t stretches;       /* number of stretches that the worker has begun to run */
    uint64_t serial;          /* serial number of the latest new pattern */
    /* sectors of the latest texture request, or NULL before the first request */
    struct texture_sectors *sectors;
    struct signals *signals; /* the words that have been polled, or NULL (see signals.c) */
    /* Fields for the detection of a standstill (see standstill.c). */
    /* number of rounds in which all CTAs only spun; a long round counts several times */
    uint64_t spun;
    uint64_t changes, epoch; /* number of memory changes, and the epoch, at the latest check */
    uint64_t atomic_changes; /* number of memory changes by atomics */
    bool watches;            /* atomics count their changes in atomic_changes */
    struct deciders *deciders;
    /* epoch in which all paths of the worker looped, or 0 if there is none */
    atomic_uint_fast64_t still;
    atomic_bool is_tired; /* for a long time, all CTAs of the worker have only spun (see TIRED) */
    /* The list of started clusters, oldest first. The CTA of rank 0 represents its cluster. */
    struct cta *first, **last;
    struct cta **turn; /* the list's link to the cluster that runs next */
    uint32_t waiting;  /* length of the list */
    /* the clusters that the worker has taken and not started yet */
    uint64_t next_cluster, end_cluster;
    bool may_begin; /* new clusters may start */
    bool is_ahead;  /* the oldest cluster has just had an extra turn */
    uint64_t ended; /* value of launch.ended when the oldest cluster last had an extra turn */
    /* number of the current round; a round ends when all clusters have spun or one cluster ends */
    uint64_t round;
    uint32_t spinning; /* clusters that have only spun in this round */
};

/* The cost that each lane of a reported access adds to watch_cost (see struct launch). The unit is
 * the cost of a plain instruction. */
#define LANE_COST 3u

static inline void worker_add_cost(struct worker *worker, bool dense, uint32_t lanes)
{
    worker->watch_cost += dense ? LANE_COST : LANE_COST * (uint32_t)__builtin_popcount(lanes);
}

/* Returns the length of the warp's path: its own instructions, and those for which it waited. */
static inline uint64_t warp_path(const struct warp *warp)
{
    return warp->executed + warp->waited;
}

/* Lengthens the warp's path to LENGTH, because the warp has waited for a path of this length. */
static inline void warp_lengthen_path(struct warp *warp, uint64_t length)
{
    if (length > warp_path(warp))
        warp->waited = length - warp->executed;
}

/* Returns a pointer to the operand's values for the 32 lanes, in the current function's frame if it
 * is a register. */
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
