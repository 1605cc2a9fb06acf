/* An observer's view of a launch. The counters, memcheck and similar tools are observers, each in a
 * separate file.
 *
 * An observer names the events that it wants; the emulator does not produce events that no observer
 * wants. Workers (CPU threads) run at the same time, so an observer has one state per worker. When
 * the launch ends, the states are joined into the first worker's. A worker runs several CTAs in
 * turns. Each of these CTAs has a seat, a small number that is reused after the CTA has ended.
 *
 * Observers use only this header, never the emulator's own structures: gpu/execute/view.c fills
 * struct launch_view and implements the functions below. An observer on a hot path copies the data
 * that it needs when it begins.
 *
 * To add an observer: write its file, which defines `obs_NAME`, and add one line to
 * gpu/tools.def. */
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
#include "gpu/touch.h"

/* --- the launch ------------------------------------------------------------------------------- */

struct cta;
struct frame;
struct kernel;
struct predictor;

/* The fields do not change while the launch runs. */
struct launch_view {
    const struct emu_launch *request; /* grid, block, parameters */
    const struct emu_options *options;
    const struct ptx_module *module;
    const struct ptx_function *function; /* the kernel */
    const struct kernel *kernel;         /* opaque, for the functions below */
    uint32_t code_count;                 /* number of instructions; every pc is lower */
    /* number of functions: the kernel (number 0) and the functions that it calls */
    uint32_t function_count;
    uint64_t number; /* number of the launch on its device, from 1 */
    uint64_t cta_count;
    uint32_t cluster_size; /* number of CTAs in a cluster, or 1 if there are no clusters */
    uint32_t warps;        /* number of warps in a CTA */
    uint32_t resident;     /* most CTAs that a worker runs at a time */
    uint32_t shared_bytes; /* size of a CTA's shared memory, static and dynamic */
    uint32_t static_shared_bytes;
    uint32_t constant_bytes; /* size of the module's __constant__ variables */
    uint32_t own_bytes;      /* size of the kernel's own local variables in a thread */
    /* size of the part of a thread's local memory that addresses may reach */
    uint32_t local_bytes;
    uint32_t registers; /* estimated number of registers of a thread */
    bool reads_clock;   /* the kernel reads clocks or timers */
    bool uses_stack; /* the kernel calls functions; their stack follows own_bytes in local memory */
    struct emu_occupancy occupancy;
    uint64_t limit;        /* warp instructions that the launch may execute, or 0 for no limit */
    const char *assertion; /* text of the first assert() that failed */
    struct memory *memory;
    struct heap *heap;
    struct findings *findings; /* where observers report defects */
    struct obs_recording *recording;
    struct obs_touched *touched; /* where the footprint observer appends touches */
    struct predictor *predictor; /* predicts the launch's time, or NULL if not wanted */
};

/* Returns the source line of the instruction at PC. */
struct source_line view_line(const struct launch_view *launch, uint32_t pc);

enum view_author {
    VIEW_STUDENT,
    /* a header of CUDA's own libraries, such as CUB, which the student's kernel calls */
    VIEW_LIBRARY,
    /* library code that a student cannot misuse: a library's own kernel, or cooperative groups */
    VIEW_TRUSTED,
};

/* Returns the author of the code at PC. Libraries use shared memory in ways that look wrong but are
 * not. */
enum view_author view_author(const struct launch_view *launch, uint32_t pc);

/* Returns the function that contains PC. *INDEX gets the instruction's index in that function's
 * code, which has no instruction for the exit that the emulator adds at the end of each function:
 * there, *INDEX is the function's code_count. */
const struct ptx_function *view_function(const struct launch_view *launch, uint32_t pc,
                                         uint32_t *index);
/* Returns the PTX instruction at PC, or NULL if PC is such an added exit. */
const struct ptx_instruction *view_ptx(const struct launch_view *launch, uint32_t pc);

/* Gets the pcs of function NUMBER: from *FIRST up to *END, which is not included. */
void view_range(const struct launch_view *launch, uint32_t number, uint32_t *first, uint32_t *end);

/* Returns the variable at ADDR in a CTA's shared memory, or NULL. *BEGIN gets the address of its
 * first byte. A variable without a size reaches to the end of shared memory. */
const struct ptx_variable *view_shared_variable(const struct launch_view *launch, uint64_t addr,
                                                uint64_t *begin);

enum view_kind {
    VIEW_OTHER,
    VIEW_LOAD,
    VIEW_STORE,
    VIEW_ATOMIC,
    VIEW_COPY,     /* cp.async and cp.async.bulk: loads from one memory, stores to another */
    VIEW_MBARRIER, /* accesses an mbarrier */
    VIEW_MATRIX,   /* wmma: loads or stores a matrix */
    VIEW_ROWS,     /* ldmatrix, stmatrix: each lane names a row of 16 bytes, of 8 in a matrix */
    VIEW_BRANCH,
    VIEW_CALL,
    VIEW_RETURN,
    VIEW_EXIT,
};

/* The properties of an instruction that are known before it runs. */
struct view_instruction {
    enum view_kind kind;
    bool has_guard;
    /* the load can see values that other threads write in the meantime, so it may belong to a loop
     * that polls */
    bool may_poll;
    /* These fields are set for memory instructions. */
    uint8_t bytes;  /* size of one value of one lane */
    uint8_t type;   /* enum ptx_type */
    uint8_t access; /* enum obs_access_kind */
    uint8_t op;     /* operation of VIEW_ATOMIC, as enum ptx_modifier */
    bool adds_one;  /* VIEW_ATOMIC adds the constant 1 */
    uint32_t low,
        high; /* bounds of the shared array that the access is meant for; `high` is 0 if unknown */
    /* For VIEW_BRANCH, the pcs of the target and of the point where the lanes reconverge. */
    uint32_t target, meet;
    /* for VIEW_CALL, the function's number, or NO_FUNCTION if it is unknown before the call */
    uint32_t callee;
};
#define NO_FUNCTION UINT32_MAX

struct view_instruction view_instruction(const struct launch_view *launch, uint32_t pc);

/* --- accesses --------------------------------------------------------------------------------- */

#define OBS_MAX     13         /* most observers of a launch */
#define OBS_NO_SEAT UINT32_MAX /* the CTA has no seat */

/* OBS_WRITE is an access other than a load, for observers that do not want loads. OBS_VALUES is not
 * an event: it makes accesses that store include their values. OBS_STEP is a step of a CTA that the
 * observer follows; at most one observer of a launch may want it. */
enum obs_event {
    OBS_ACCESS = 1,
    OBS_FAULT = 2,
    OBS_ORDER = 4,
    OBS_WRITE = 8,
    OBS_VALUES = 16,
    OBS_STEP = 32
};

enum obs_access_kind { OBS_LOAD, OBS_STORE, OBS_ATOMIC, OBS_REDUCTION };

/* One memory instruction of one warp, in one state space. */
struct obs_access {
    _Alignas(64) uint64_t addr[32]; /* inactive lanes repeat an active lane's address */
    uint32_t pc, mask;
    uint8_t kind; /* enum obs_access_kind */
    /* PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, or PTX_CLUSTER for shared memory of another
     * CTA of the cluster */
    uint8_t space;
    uint8_t bytes; /* bytes of one lane, which are 1, 2, 4, 8 or 16 */
    /* all 32 lanes are active, and each lane's bytes are right after the previous lane's */
    bool dense;
    bool is_bulk; /* a piece of a cp.async.bulk, which is no request of the warp */
    /* this access has the same space, lanes and address differences as this worker's latest access
     * by this instruction that was not dense. The addresses themselves may differ, but the numbers
     * of sectors, lines and banks that are touched are. */
    bool repeats;
    uint8_t element;     /* size of one value; a vector has bytes / element values */
    uint8_t value_bytes; /* bytes from one lane's value to the next lane's */
    uint32_t warp;       /* number of the warp in its CTA */
    uint64_t cta;        /* linear index of the CTA, x first */
    /* for PTX_CLUSTER, the other CTA and its seat, or OBS_NO_SEAT if it is not running */
    uint32_t rank, seat;
    /* For OBS_STORE, and undefined unless an observer wants OBS_VALUES: the lanes' values of each
     * element that the store will write. NULL if a matrix is stored. */
    const uint8_t *value[4];
};

/* A repeat is an access with the same lanes and address differences as this worker's latest access
 * by this instruction. The addresses themselves may differ, but the numbers of sectors, lines and
 * banks that are touched do not; a dense repeat may be anywhere. Observers answer how much of a
 * repeat they need to see. */
enum obs_answer {
    OBS_FULL, /* report the access in full; this call has changed nothing */
    OBS_DONE, /* the observer has recorded it */
    /* The observer has recorded it. While the pattern stays the same, one report at the end with
     * the number of repeats is enough. Repeats are only counted if all observers give this
     * answer. */
    OBS_COUNT_ONLY,
};

struct obs_repeat {
    uint64_t first;    /* address of lane 0, as in obs_access */
    int32_t low, high; /* the lowest and the highest lane's address, relative to first */
    uint64_t cta;
    uint32_t pc, mask, warp;
    /* 1, or the number of repeats that were only counted; then first, low, high, cta and warp are
     * 0 */
    uint32_t times;
    uint8_t kind, space, bytes;
    bool dense;
};

/* A piece of a warp's path: LANES execute COUNT consecutive instructions from PC on. It is reported
 * before its accesses. */
struct obs_step {
    uint64_t cta;
    uint32_t warp, pc, count, lanes;
};

/* --- the state of a CTA ----------------------------------------------------------------------- */

/* The reason why lanes stand at their place. */
enum obs_standing {
    OBS_READY,
    OBS_AT_BARRIER,
    OBS_AT_WARP_SYNC,
    OBS_AT_MEETING, /* at an instruction, such as a shuffle, that other lanes must reach, too */
    OBS_BELOW,      /* the lanes wait while the other side of a branch runs */
};

/* Lanes of a warp that stand at the same place for the same reason. */
struct obs_group {
    uint32_t lanes, pc;
    uint8_t standing; /* enum obs_standing */
    const struct frame *frame;
};

/* The state of a CTA after one instruction of one warp, or after a barrier has opened. It is valid
 * during the call only. */
struct obs_state {
    const struct cta *machine; /* opaque, for the functions below */
    uint64_t cta;
    bool opened; /* a barrier has opened; the fields from `warp` to `frame` are not set */
    uint32_t warp, pc;
    /* the lanes of the path, and those whose guard was true, so they executed the instruction */
    uint32_t lanes, active;
    const struct frame *frame; /* the frame of the instruction */
};

/* Gets the places of a warp's lanes that have not exited. Returns the number of groups, or 0 if all
 * lanes have exited, or the warp has not started. */
unsigned view_groups(const struct cta *machine, uint32_t warp, struct obs_group groups[32]);
/* Returns register REG of the function that owns FRAME: 32 values, or a word with a bit for each
 * lane for a predicate. */
const uint8_t *view_register(const struct cta *machine, uint32_t warp, const struct frame *frame,
                             uint32_t reg);
/* Returns the number of the function that owns FRAME. */
uint32_t view_frame_function(const struct launch_view *launch, const struct frame *frame);
/* Returns a register's place in a frame. Registers with different lifetimes can share a place.
 * Returns UINT32_MAX if the register always has the same value and needs no place. */
uint32_t view_register_place(const struct launch_view *launch, uint32_t function, uint32_t reg);
/* Returns the CTA's shared memory. */
const uint8_t *view_shared(const struct cta *machine);
/* Returns whether initcheck has seen all accesses of the launch so far. */
bool view_is_init_checked(const struct cta *machine);
/* Returns SIZE bytes at ADDR of a lane's local memory, or NULL if it does not have them. */
const uint8_t *view_local(const struct cta *machine, uint32_t warp, unsigned lane, uint64_t addr,
                          uint64_t size);

/* --- what orders accesses --------------------------------------------------------------------- */

/* Events that order accesses of different threads. (A thread's own accesses are in program order.)
 * In each worker, all events from one OBS_CTA_RUNS to the next OBS_CTA_RUNS or OBS_CTA_ENDS belong
 * to the same CTA. After a colon, the comments list the fields of struct obs_order that are set. */
enum obs_order_kind {
    OBS_CTA_RUNS, /* a CTA begins, or continues after other CTAs ran: cta, shared */
    OBS_CTA_ENDS,
    OBS_BARRIER, /* a barrier releases threads: arrived; whole: all threads that have not exited */
    /* __syncwarp() releases lanes: warp, lanes; whole: all lanes that have not exited */
    OBS_WARP_SYNC,
    OBS_FENCE,  /* a fence: warp, lanes; wide: threads outside of the CTA see the order, too */
    OBS_ARRIVE, /* lanes arrive at phases of mbarriers: warp, lanes, place */
    OBS_WAITED, /* lanes have waited for phases of mbarriers to end: warp, lanes, place */
    /* lanes have waited for the cp.async at pc, or a bulk copy has arrived: warp, lanes, place (in
     * shared memory), bytes */
    OBS_COPIED,
};

struct obs_order {
    uint8_t kind;     /* enum obs_order_kind */
    bool whole, wide; /* for OBS_ARRIVE and OBS_WAITED, the whole grid shares the mbarrier */
    uint32_t warp, lanes, pc, bytes;
    const uint32_t *arrived; /* the lanes of each warp of the CTA that the barrier releases */
    /* an address in the mbarrier for each lane, a different one for each phase */
    const uint64_t *place;
    /* for OBS_ARRIVE, linear index, plus 1, of the CTA that has the mbarrier, or 0 for the current
     * CTA */
    uint64_t owner;
    uint64_t cta; /* linear index of the CTA, x first */
    /* below launch_view.resident; different for all CTAs that a worker runs at a time */
    uint32_t seat;
    const uint8_t *shared; /* the current contents of the CTA's shared memory */
};

/* --- faults ----------------------------------------------------------------------------------- */

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
    OBS_ABSENT_LANE, /* a shuffle reads from lane `other`, which does not take part */
    OBS_NO_MBARRIER,
    OBS_MBARRIER_COUNT,
    OBS_REMOTE_MBARRIER, /* the lanes wait for an mbarrier of another CTA in the same cluster */
    OBS_DEADLOCK,        /* the lanes wait for threads that never arrive */
    OBS_POLLS_FOREVER,   /* the lanes poll a value that no thread will write */
    OBS_POLLS_HOST,      /* the lanes poll a value that only the host program could write */
    OBS_ENDLESS_LOOP,
    OBS_INTERRUPTED,   /* the user has stopped the launch */
    OBS_TOO_MUCH_WORK, /* too many instructions of the whole launch, though not of this warp */
    OBS_BAD_TEXTURE,
    OBS_OUTSIDE_SURFACE,
    /* misuses of tensor maps (see tensor_copy.c) */
    OBS_NO_TENSOR_MAP,
    OBS_LOCAL_TENSOR_MAP,
    OBS_TENSOR_MAP_ALIGN,
    OBS_TENSOR_DIMS,
    OBS_TENSOR_TILE,
    OBS_TENSOR_ROW,
    OBS_TENSOR_BEFORE,
    OBS_TENSOR_REDUCTION,
    OBS_DOUBLE_FREE,
    OBS_BAD_FREE,
    OBS_BAD_CONDITION, /* cudaGraphSetConditional() with a number that is not a handle */
    OBS_NO_SUCH_CTA,   /* the cluster has no CTA of rank `other` */
    /* the CTA of rank `other` has ended, and its shared memory no longer exists */
    OBS_CTA_ENDED,
    OBS_REDUCES_ALONE,   /* a bulk copy reduces in shared memory, but the launch has no clusters */
    OBS_CTA_NOT_STARTED, /* the CTA of rank `other` may not have begun */
    /* the thread arrives at the cluster's barrier twice without waiting in between */
    OBS_CLUSTER_ARRIVES_TWICE,
    OBS_CLUSTER_WAITS_ONLY, /* the thread waits at the cluster's barrier without having arrived */
};

/* The error of one lane. */
struct obs_fault {
    uint8_t kind; /* enum obs_fault_kind */
    uint8_t access, space, bytes;
    uint32_t pc;
    uint32_t thread[3], cta[3];
    uint64_t addr;
    /* bytes from each lane's address to the next lane's, or 0 if the distances differ */
    int64_t apart;
    uint64_t highest; /* the highest address of the access's lanes */
    /* For OBS_WARP_MASK, `mask` is the mask of the call; `other` is the faulty lane itself if its
     * mask leaves it out, and otherwise the lane that the mask names wrongly. For
     * OBS_DIVERGENT_BARRIER, OBS_DEADLOCK, OBS_POLLS_FOREVER and OBS_POLLS_HOST, `mask` has the
     * warp's lanes that wait here. For PTX_CLUSTER, `other` is the rank. */
    uint32_t mask, other;
    uint64_t executed; /* for OBS_INTERRUPTED, instructions of the warp so far */
};

/* --- observers -------------------------------------------------------------------------------- */

/* A recording of one block, step by step (gpu/observe/stepper.h). */
struct obs_steps;

/* A recorded access and its cost in sectors or wavefronts. */
struct obs_recorded {
    struct obs_access access;
    struct source_line place;
    uint32_t step; /* number of this access among the warp's accesses on this line, from 1 */
    uint32_t cost, ideal;
};

struct obs_recording {
    struct obs_recorded *list; /* from malloc() */
    uint32_t count;
    /* the recording, which stepper_free() frees, or NULL if no block was recorded */
    struct obs_steps *steps;
};

/* The memory that a launch has touched. */
struct obs_touched {
    struct emu_touch *list; /* from malloc() */
    size_t count, room;
};

struct observer {
    const char *name;
    unsigned events; /* bits of enum obs_event */
    bool is_serial;  /* a single worker runs each launch that this observer watches */
    /* Returns the state of a worker, or NULL when out of memory, which ends the launch. */
    void *(*begin)(const struct launch_view *launch);
    void (*access)(void *state, const struct obs_access *access);
    /* Called for a repeat. If it is NULL, every access is reported in full. */
    enum obs_answer (*repeat)(void *state, const struct obs_repeat *repeat);
    void (*fault)(void *state, const struct launch_view *launch, const struct obs_fault *fault);
    void (*order)(void *state, const struct obs_order *order);
    /* Returns whether the observer wants the steps of CTA, which begins now. If so, all repeats of
     * CTA are reported one by one. */
    bool (*follows)(void *state, uint64_t cta);
    void (*step)(void *state, const struct obs_step *step);
    /* If OBS_STEP is set, this function is called with the state after every instruction of a CTA
     * that the observer follows. If it is NULL, the observer does not want the states, and the CTA
     * runs at full speed. */
    void (*state)(void *state, const struct obs_state *now);
    /* If OBS_STEP is set, this function is called after CTA has ended. All its warps together
     * executed INSTRUCTIONS instructions, and one of them executed LONGEST, the most. */
    void (*ended)(void *state, uint64_t cta, uint64_t instructions, uint64_t longest);
    /* If OBS_STEP is set, this function returns the cycles of the warp since the launch began, for
     * clocks that show predicted time. It is NULL if the observer does not know them. */
    double (*now)(void *state, uint64_t cta, uint32_t warp);
    /* Called when the launch continues after a pause in which memory may have been allocated and
     * freed: pointers to struct mem_block are no longer valid. It is NULL if the observer keeps no
     * such pointers. */
    void (*forget_memory)(void *state);
    /* Adds the worker's state to INTO, the first worker's, and frees it. */
    void (*join)(void *into, void *state);
    /* Adds to PER_INSTRUCTION, the counters of each instruction, unless it is NULL. Its entry at
     * code_count holds counts that belong to no instruction. Frees the state. */
    void (*end)(void *state, const struct launch_view *launch,
                struct emu_counters *per_instruction);
};

#define T(tool, name, code, bits) extern const struct observer obs_##code;
#include "gpu/tools.def"
#undef T

/* Chooses the observers of a launch with OPTIONS. Returns their number. COUNTED says that the
 * caller or a record wants the counters. Otherwise no counters are kept, because they take a fifth
 * of the program's time. */
unsigned observers_choose(const struct emu_options *options, bool counted,
                          const struct observer *chosen[OBS_MAX]);

/* Computes the cost of an access to global or shared memory in sectors or wavefronts, as the
 * counters count them. */
void obs_measure(const struct obs_access *access, uint32_t *cost, uint32_t *ideal);

/* Returns whether synccheck reports a fault of this kind; memcheck reports all others. */
bool obs_is_synccheck(unsigned kind);

#endif
