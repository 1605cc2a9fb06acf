/* What an observer sees of a launch. Counters, memcheck and their like are observers, each in one file.
 *
 * An observer names the events that it wants; the machine does not build events that no observer wants. Workers
 * (CPU threads) run at the same time, so an observer has one state per worker. When the launch ends, the states are
 * joined into the first worker's.
 *
 * Observers use this header only, never the machine's own structures: gpu/execute/view.c fills struct launch_view
 * and implements the functions below. An observer on a hot path copies what it needs when it begins.
 *
 * To add an observer: write its file, which defines `obs_NAME`, and add one line to gpu/tools.def. */
#ifndef GPU_OBSERVE_VIEW_H
#define GPU_OBSERVE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/analyse/lines.h"
#include "gpu/counters.h"
#include "gpu/device.h"
#include "gpu/memory/heap.h"
#include "gpu/memory/memory.h"
#include "gpu/observe/findings.h"
#include "gpu/occupancy.h"
#include "gpu/ptx/module.h"

/* --- the launch ----------------------------------------------------------------------------------- */

struct kernel;

/* The fields do not change while the launch runs. */
struct launch_view {
    const struct emu_launch *request; /* grid, block, parameters */
    const struct emu_options *options;
    const struct ptx_module *module;
    const struct ptx_function *function; /* the kernel */
    const struct kernel *kernel;         /* opaque: for the functions below */
    uint32_t code_count;                 /* instructions: pc is below it */
    uint32_t function_count; /* the kernel is function 0, functions that it calls follow */
    uint64_t cta_count;
    uint32_t cluster_size; /* CTAs of a cluster; 1: there are no clusters */
    uint32_t warps;        /* of a CTA */
    uint32_t resident;     /* CTAs that a worker runs at a time, at most */
    uint32_t shared_bytes; /* of a CTA: static and dynamic */
    uint32_t static_shared_bytes;
    uint32_t constant_bytes; /* of the module's __constant__ variables */
    uint32_t own_bytes;   /* of a thread: the kernel's own local variables */
    uint32_t local_bytes; /* of a thread: what an address in local memory may reach */
    uint32_t registers;   /* of a thread: an estimate */
    bool uses_stack;      /* calls functions: their stack follows own_bytes in local memory */
    struct emu_occupancy occupancy;
    uint64_t limit;        /* warp instructions that the launch may execute; 0: no limit */
    const char *assertion; /* text of the first assert() that failed */
    struct memory *memory;
    struct heap *heap;
    struct findings *findings; /* where observers report */
    struct obs_recording *recording;
};

/* The source line of the instruction at PC. */
struct source_line view_line(const struct launch_view *launch, uint32_t pc);

/* The function that holds PC, and the instruction's index in the function's code. */
const struct ptx_function *view_function(const struct launch_view *launch, uint32_t pc,
                                         uint32_t *index);

/* The pcs of function NUMBER: from *FIRST on, up to but without *END. */
void view_range(const struct launch_view *launch, uint32_t number, uint32_t *first, uint32_t *end);

/* The variable at ADDR of a CTA's shared memory, or NULL. *BEGIN gets the address of its first byte. A variable
 * without a size reaches to the end of shared memory. */
const struct ptx_variable *view_shared_variable(const struct launch_view *launch, uint64_t addr,
                                                uint64_t *begin);

enum view_kind {
    VIEW_OTHER,
    VIEW_LOAD,
    VIEW_STORE,
    VIEW_ATOMIC,
    VIEW_COPY,     /* cp.async: loads from global memory, stores to shared memory */
    VIEW_MBARRIER, /* accesses an mbarrier */
    VIEW_MATRIX,   /* loads or stores a matrix */
    VIEW_BRANCH,
    VIEW_CALL,
    VIEW_RETURN,
    VIEW_EXIT,
};

/* What is known of an instruction before it runs. */
struct view_instruction {
    enum view_kind kind;
    bool has_guard;
    /* it may read what another thread writes meanwhile: loops that wait use such loads */
    bool may_poll;
    /* Memory instructions: */
    uint8_t bytes;  /* of one value of one lane */
    uint8_t type;   /* enum ptx_type */
    uint8_t access; /* enum obs_access_kind */
    uint8_t op;     /* VIEW_ATOMIC: enum ptx_modifier */
    bool adds_one;  /* VIEW_ATOMIC: an addition of the constant 1 */
    uint32_t low,
        high; /* bounds of the shared array that the access is meant for; high 0: unknown */
    /* VIEW_BRANCH: pcs of the target and of the point where the lanes reconverge. */
    uint32_t target, meet;
    uint32_t callee; /* VIEW_CALL: the function's number; NO_FUNCTION: unknown before it runs */
};
#define NO_FUNCTION UINT32_MAX

struct view_instruction view_instruction(const struct launch_view *launch, uint32_t pc);

/* --- accesses ------------------------------------------------------------------------------------- */

#define OBS_MAX     8          /* observers of a launch */
#define OBS_NO_SEAT UINT32_MAX /* the CTA has no seat */

/* OBS_WRITE: accesses except loads, for observers that do not want loads. */
enum obs_event { OBS_ACCESS = 1, OBS_FAULT = 2, OBS_ORDER = 4, OBS_WRITE = 8 };

enum obs_access_kind { OBS_LOAD, OBS_STORE, OBS_ATOMIC, OBS_REDUCTION };

/* One memory instruction of one warp, in one state space. */
struct obs_access {
    _Alignas(64) uint64_t addr[32]; /* inactive lanes repeat an active lane's address */
    uint32_t pc, mask;
    uint8_t kind; /* enum obs_access_kind */
    /* PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, or PTX_CLUSTER for shared memory of another
     * CTA of the cluster */
    uint8_t space;
    uint8_t bytes; /* of one lane: 1, 2, 4, 8 or 16 */
    bool dense;    /* all 32 lanes are active, each right behind the lane before */
    /* the same space, lanes and address differences as this worker's latest access by this
     * instruction that was not dense; moved, if at all, so that it touches the same numbers of
     * sectors, lines and banks */
    bool repeats;
    uint8_t element;         /* bytes of one value: a vector has bytes / element of them */
    uint8_t value_bytes;     /* from one lane's value to the next lane's */
    uint32_t warp;           /* in its CTA */
    uint64_t cta;            /* linear index, x first */
    uint32_t rank, seat;     /* PTX_CLUSTER: of the other CTA; OBS_NO_SEAT: it does not run */
    const uint8_t *value[4]; /* what a store will write: for each element, the lanes' values */
};

/* A repeat is an access with the lanes and the address differences of this worker's latest access by this
 * instruction. It is moved, if at all, so that it touches the same numbers of sectors, lines and banks; a dense
 * one may move anywhere. Observers answer how much of it they need. */
enum obs_answer {
    OBS_FULL, /* report the access in full; this call has changed nothing */
    OBS_DONE, /* the observer has recorded it */
    /* The observer has recorded it. While the pattern stays the same, one report at the end with the number of repeats
     * is enough. Repeats are reported so only if all observers answer this. */
    OBS_COUNT_ONLY,
};

struct obs_repeat {
    uint64_t first;    /* address of lane 0, as in obs_access */
    int32_t low, high; /* the lowest and the highest lane's address, relative to first */
    uint64_t cta;
    uint32_t pc, mask, warp;
    /* 1; or the number of repeats that were only counted: then first, low, high, cta and warp
     * are 0 */
    uint32_t times;
    uint8_t kind, space, bytes;
    bool dense;
};

/* --- what orders accesses ------------------------------------------------------------------------- */

/* What orders accesses of different threads, besides each thread's program order. All events between OBS_CTA_RUNS and
 * the next OBS_CTA_RUNS or OBS_CTA_ENDS at a worker belong to that CTA. */
enum obs_order_kind {
    OBS_CTA_RUNS, /* a CTA begins, or continues after other CTAs ran: cta, shared */
    OBS_CTA_ENDS,
    OBS_BARRIER, /* a barrier releases threads: arrived; whole: all threads that have not exited */
    OBS_WARP_SYNC, /* lanes of a warp are released: warp, lanes; whole: all lanes that have not exited */
    OBS_FENCE,  /* warp, lanes; wide: it orders for threads outside the CTA, too */
    OBS_ARRIVE, /* lanes arrive at phases of mbarriers: warp, lanes, place */
    OBS_WAITED, /* lanes have waited for phases of mbarriers to end: warp, lanes, place */
    OBS_COPIED, /* lanes have waited for the cp.async of pc: warp, lanes, place (in shared memory), bytes */
};

struct obs_order {
    uint8_t kind; /* enum obs_order_kind */
    bool whole,
        wide; /* OBS_ARRIVE and OBS_WAITED, wide: the mbarrier is shared by the whole grid */
    uint32_t warp, lanes, pc, bytes;
    const uint32_t *arrived; /* for each warp of the CTA, the lanes that the barrier releases */
    /* of each lane: an address in the mbarrier; each phase has another one */
    const uint64_t *place;
    uint64_t cta; /* linear index, x first */
    /* below launch_view.resident; CTAs that run at this worker have different seats */
    uint32_t seat;
    const uint8_t *shared; /* the bytes of the CTA's shared memory now */
};

/* --- faults --------------------------------------------------------------------------------------- */

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
    OBS_REMOTE_MBARRIER, /* of another CTA of the cluster */
    OBS_DEADLOCK,        /* the lanes wait for threads that never arrive */
    OBS_POLLS_FOREVER,   /* the lanes poll a value that no thread will write */
    OBS_POLLS_HOST,      /* the lanes poll a value that the program would have to write */
    OBS_ENDLESS_LOOP,
    OBS_TOO_MUCH_WORK, /* the launch executes too much, this warp does not */
    OBS_BAD_TEXTURE,
    OBS_OUTSIDE_SURFACE,
    OBS_DOUBLE_FREE,
    OBS_BAD_FREE,
    OBS_NO_SUCH_CTA,           /* the cluster has no CTA of rank `other` */
    OBS_CTA_ENDED,             /* the CTA of rank `other` has ended; its shared memory is gone */
    OBS_CTA_NOT_STARTED,       /* the CTA of rank `other` may not have begun */
    OBS_CLUSTER_ARRIVES_TWICE, /* arrives at the cluster's barrier twice without waiting in between */
    OBS_CLUSTER_WAITS_ONLY,    /* waits at the cluster's barrier without having arrived */
};

/* What one lane did wrong. */
struct obs_fault {
    uint8_t kind; /* enum obs_fault_kind */
    uint8_t access, space, bytes;
    uint32_t pc;
    uint32_t thread[3], cta[3];
    uint64_t addr;
    /* OBS_WARP_MASK: the mask; other: the faulty lane itself if its mask leaves it out, else the lane that the mask
     * names wrongly. OBS_DIVERGENT_BARRIER, OBS_DEADLOCK, OBS_POLLS_FOREVER, OBS_POLLS_HOST: the warp's lanes that wait
     * here. PTX_CLUSTER: other is the rank. */
    uint32_t mask, other;
};

/* --- observers ------------------------------------------------------------------------------------ */

/* A recorded access and what it cost: sectors or wavefronts. */
struct obs_recorded {
    struct obs_access access;
    struct source_line place;
    uint32_t step; /* number of the warp's access by this line, from 1 */
    uint32_t cost, ideal;
};

struct obs_recording {
    struct obs_recorded *list; /* malloc'd */
    uint32_t count;
};

struct observer {
    const char *name;
    unsigned events; /* of enum obs_event */
    bool is_serial;  /* one worker alone runs a launch that it watches */
    /* Returns the state of a worker; NULL when memory is out, which ends the launch. */
    void *(*begin)(const struct launch_view *launch);
    void (*access)(void *state, const struct obs_access *access);
    /* Called for a repeat. NULL: every access is reported in full. */
    enum obs_answer (*repeat)(void *state, const struct obs_repeat *repeat);
    void (*fault)(void *state, const struct launch_view *launch, const struct obs_fault *fault);
    void (*order)(void *state, const struct obs_order *order);
    /* The launch continues after a pause in which memory may have been allocated and freed: pointers to struct
     * mem_block are no longer valid. NULL: the observer keeps none. */
    void (*forget_memory)(void *state);
    /* Adds the worker's state to INTO, the first worker's, and frees it. */
    void (*join)(void *into, void *state);
    /* Adds to the counters of each instruction; the entry at code_count holds what belongs to no instruction. Frees the
     * state. PER_INSTRUCTION may be NULL. */
    void (*end)(void *state, const struct launch_view *launch,
                struct emu_counters *per_instruction);
};

#define T(tool, name, code, bits) extern const struct observer obs_##code;
#include "gpu/tools.def"
#undef T

/* Chooses the observers of a launch with OPTIONS; returns how many. COUNTED: the caller or a record wants the
 * counters. Else they are not kept, as they would cost a fifth of the program's time. */
unsigned observers_choose(const struct emu_options *options, bool counted,
                          const struct observer *chosen[OBS_MAX]);

/* What an access to global or shared memory costs: sectors or wavefronts, as the counters count them. */
void obs_measure(const struct obs_access *access, uint32_t *cost, uint32_t *ideal);

/* Whether synccheck reports a fault of this kind; memcheck reports all others. */
bool obs_is_synccheck(unsigned kind);

#endif
