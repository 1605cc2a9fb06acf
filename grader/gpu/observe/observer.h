/* Observers watch a launch: counters, memcheck and their like are each one observer in one file.
 *
 * An observer says which events it wants; an event that nobody wants is never made. Workers run at
 * the same time, so an observer keeps one state for each worker and joins them when the launch ends. */
#ifndef GPU_OBSERVE_OBSERVER_H
#define GPU_OBSERVE_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/analyse/lines.h"
#include "gpu/counters.h"
#include "gpu/observe/findings.h"

#define OBS_MAX     8
#define OBS_NO_SEAT UINT32_MAX

struct kernel;
struct launch;
struct pattern;

/* OBS_WRITE: accesses that are no loads, for those who do not want the rest. */
enum obs_event { OBS_ACCESS = 1, OBS_FAULT = 2, OBS_ORDER = 4, OBS_WRITE = 8 };

enum obs_access_kind { OBS_LOAD, OBS_STORE, OBS_ATOMIC, OBS_REDUCTION };

/* One warp-level memory instruction in one state space. */
struct obs_access {
    _Alignas(64) uint64_t addr[32]; /* inactive lanes repeat an active one's address */
    uint32_t pc, mask;
    uint8_t kind; /* enum obs_access_kind */
    uint8_t
        space; /* PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST; PTX_CLUSTER: shared memory of another
                    * CTA of the cluster */
    uint8_t bytes; /* of one lane: 1, 2, 4, 8 or 16 */
    bool dense;    /* all 32 lanes, each right behind the one before */
    bool repeats; /* as this worker's latest access by this instruction that was not dense: the same
                    * space, lanes and pattern, perhaps moved, but not so that it would meet other
                    * numbers of sectors, lines or banks */
    uint8_t element;         /* bytes of one value: a vector has bytes / element of them */
    uint8_t value_bytes;     /* from one lane's value to the next */
    uint32_t warp;           /* in the CTA that runs */
    uint64_t cta;            /* that CTA, x first */
    uint32_t rank, seat;     /* of PTX_CLUSTER: the other CTA; OBS_NO_SEAT: there is none */
    const uint8_t *value[4]; /* what a store will write: the lanes' values of each element */
};

/* An access by the lanes and with the pattern of this worker's latest one by this instruction, which the
 * observer was told of: only moved, and not so that it would meet other numbers of sectors, lines or banks,
 * unless it is dense. */
enum obs_answer {
    OBS_IN_FULL, /* it must be told in full, and will be next; nothing has changed */
    OBS_TAKEN,
    OBS_SILENT, /* taken; and as long as the pattern stays, it is enough to be told at last how often, if all
                 * others say so too */
};

struct obs_repeat {
    uint64_t first, last; /* addresses of lanes 0 and 31, as in obs_access */
    const struct pattern
        *pattern; /* how the lanes' addresses lie to the first: execute/pattern.h */
    uint64_t cta;
    uint32_t pc, mask, warp;
    uint32_t
        times; /* 1; or so many silent ones, of which the addresses, CTA and warp are not given */
    uint8_t kind, space, bytes;
    bool dense;
};

/* What orders accesses of different threads, beside each thread's own program. A CTA runs from
 * OBS_CTA_RUNS to the next one, or to its end: events in between are its own. */
enum obs_order_kind {
    OBS_CTA_RUNS, /* begins, or goes on after others had their turn: cta, shared */
    OBS_CTA_ENDS,
    OBS_BARRIER,   /* lets threads go: arrived; whole: all that have not exited */
    OBS_WARP_SYNC, /* lets lanes of a warp go: warp, lanes; whole, as above */
    OBS_FENCE,     /* warp, lanes, wide: beyond the CTA */
    OBS_ARRIVE,    /* at phases of mbarriers: warp, lanes, place */
    OBS_WAITED,    /* until phases of mbarriers were over: the same */
    OBS_COPIED,    /* for a cp.async, that of pc: warp, lanes, place (in shared memory), bytes */
};

struct obs_order {
    uint8_t kind;     /* enum obs_order_kind */
    bool whole, wide; /* wide, of OBS_ARRIVE and OBS_WAITED: place is one of the whole grid's */
    uint32_t warp, lanes, pc, bytes;
    const uint32_t *arrived; /* lanes of each of the CTA's warps */
    const uint64_t
        *place;    /* of each lane: an address in the mbarrier, another one for the next phase */
    uint64_t cta;  /* x first */
    uint32_t seat; /* below the launch's `resident`: no other CTA under way at this worker has it */
    const uint8_t *shared; /* the CTA's shared memory, as it is now */
};

enum obs_fault_kind {
    OBS_OUT_OF_BOUNDS,
    OBS_MISALIGNED,
    OBS_READ_ONLY,
    OBS_TRAPPED,
    OBS_ASSERTION,
    OBS_STACK_OVERFLOW,
    OBS_BAD_CALL,
    OBS_DIVERGENT_BARRIER,
    OBS_BAD_BARRIER,
    OBS_WARP_MASK,
    OBS_NO_MBARRIER,
    OBS_MBARRIER_COUNT,
    OBS_FAR_MBARRIER, /* of another CTA of the cluster */
    OBS_DEADLOCK,
    OBS_STANDSTILL, /* waits for a value, not for threads */
    OBS_UNANSWERED, /* the same, and the value is the program's to write */
    OBS_ENDLESS,
    OBS_TOO_MUCH, /* by other warps, not by this one */
    OBS_BAD_TEXTURE,
    OBS_OUTSIDE_SURFACE,
    OBS_DOUBLE_FREE,
    OBS_BAD_FREE,
    OBS_NO_CTA,          /* a rank that the cluster does not have: other */
    OBS_CTA_ENDED,       /* the cluster's CTA of rank `other` has, and its shared memory with it */
    OBS_CTA_NOT_BEGUN,   /* the same, too early */
    OBS_CLUSTER_ARRIVES, /* at the cluster's barrier, without having waited for the time before */
    OBS_CLUSTER_WAITS,   /* there, without having arrived */
};

/* Something that a kernel must not do, by one lane. */
struct obs_fault {
    uint8_t kind; /* enum obs_fault_kind */
    uint8_t access, space, bytes;
    uint32_t pc;
    uint32_t thread[3], cta[3];
    uint64_t addr;
    /* OBS_WARP_MASK: the mask, and the lane that it leaves out (the faulty one itself) or names in vain.
     * OBS_DIVERGENT_BARRIER, OBS_DEADLOCK, OBS_STANDSTILL, OBS_UNANSWERED: the warp's lanes that wait here.
     * Of PTX_CLUSTER: the rank. */
    uint32_t mask, other;
};

/* An access that was recorded, and what it cost: sectors or wavefronts. */
struct obs_recorded {
    struct obs_access access;
    struct source_line place;
    uint32_t step; /* which of its warp's accesses by this line, from 1 */
    uint32_t cost, ideal;
};

struct obs_recording {
    struct obs_recorded *list; /* malloc'd */
    uint32_t count;
};

/* Whether a fault is synccheck's affair; memcheck tells all others. */
bool obs_is_synccheck(unsigned kind);

/* What observers may know of a launch. */
struct obs_launch {
    const struct kernel *kernel;
    const struct launch *launch;
    struct findings *findings; /* where they report */
    struct obs_recording *recording;
};

struct observer {
    const char *name;
    unsigned events; /* of enum obs_event */
    /* A worker's state; NULL when memory is out, which ends the launch. */
    void *(*begin)(const struct obs_launch *launch);
    void (*access)(void *state, const struct obs_access *access);
    /* Takes in an access by less. NULL: all must be told in full. */
    enum obs_answer (*repeat)(void *state, const struct obs_repeat *repeat);
    void (*fault)(void *state, const struct obs_launch *launch, const struct obs_fault *fault);
    void (*order)(void *state, const struct obs_order *order);
    /* The launch goes on after a while in which memory may have been allocated and freed: struct mem_block may
     * lie elsewhere. NULL: nobody remembers one. */
    void (*forget_memory)(void *state);
    /* Adds the worker's state to INTO, the first worker's, and frees it. */
    void (*join)(void *into, void *state);
    /* Adds to each instruction's counters, and to one more that has what is of none; frees the state. */
    void (*end)(void *state, const struct obs_launch *launch, struct emu_counters *per_instruction);
};

extern const struct observer obs_counters, obs_counters_by_old_rules, obs_memcheck, obs_synccheck,
    obs_racecheck, obs_initcheck, obs_origins, obs_recorder;

/* What an access to global or shared memory costs as the counters see it: sectors or wavefronts. */
void obs_measure(const struct obs_access *access, uint32_t *cost, uint32_t *ideal);

#endif
