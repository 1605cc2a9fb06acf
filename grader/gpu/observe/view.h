/* An observer's view of a launch. The counters, memcheck and similar tools are observers, each in a
 * separate file.
 *
 * An observer lists the events that it wants. The emulator produces only events that some observer
 * wants. Workers (CPU threads) run at the same time, so an observer has one state per worker. When
 * the launch ends, all states are joined into the state of the first worker. A worker switches
 * between several CTAs. Each of these CTAs has a seat: a small number, which is reused after the
 * CTA has ended.
 *
 * Observers use only this header, never the emulator's own structures: gpu/execute/view.c fills
 * struct launch_view and implements the functions below. An observer on a hot path copies the data
 * that it needs when it begins.
 *
 * To add an observer, write its file, which defines `obs_NAME`, and add one line to
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

/* The facts about a launch that observers may use. They do not change while the launch runs. */
struct launch_view {
    const struct emu_launch *request; /* grid, block, parameters */
    const struct emu_options *options;
    const struct ptx_module *module;
    const struct ptx_function *function; /* the kernel */
    const struct kernel *kernel;         /* opaque, for the functions below */
    uint32_t code_count;                 /* number of instructions; every pc is lower */
    /* number of functions: function 0 is the kernel, the others are the functions that it calls */
    uint32_t function_count;
    uint64_t number; /* number of the launch on its device, counted from 1 */
    uint64_t cta_count;
    uint32_t cluster_size; /* number of CTAs in a cluster, or 1 if there are no clusters */
    uint32_t warps;        /* number of warps in a CTA */
    uint32_t resident;     /* a worker switches between at most this many CTAs */
    uint32_t shared_bytes; /* bytes of a CTA's shared memory, static and dynamic */
    uint32_t static_shared_bytes;
    uint32_t constant_bytes; /* bytes of the module's __constant__ variables */
    uint32_t own_bytes;      /* bytes of the kernel's own local variables in a thread */
    /* bytes of each thread's local memory that a program can address */
    uint32_t local_bytes;
    uint32_t registers; /* estimated registers of a thread */
    /* pc of the first instruction of the kernel's own function that computes with a possibly
     * unwritten register, or of the function's end */
    uint32_t unwritten;
    bool reads_clock; /* the kernel reads clocks or timers */
    bool uses_stack; /* the kernel calls functions, whose stack follows own_bytes in local memory */
    struct emu_occupancy occupancy;
    uint64_t limit;        /* warp instructions that the launch may execute, or 0 for no limit */
    const char *assertion; /* text of the first assert() that failed */
    struct memory *memory;
    struct heap *heap;
    struct findings *findings; /* list to which observers add the defects that they find */
    struct obs_recording *recording;
    struct obs_touched *touched; /* list to which the footprint observer adds the accessed ranges */
    struct predictor *predictor; /* predicts the time of the launch; NULL if nobody requested it */
};

/* Returns the source line of the instruction at PC. */
struct source_line view_line(const struct launch_view *launch, uint32_t pc);

enum view_author {
    VIEW_STUDENT,
    /* code in a header of CUDA's own libraries, such as CUB, which the student's kernel calls */
    VIEW_LIBRARY,
    /* library code that a student cannot misuse: a library's own kernel, or cooperative groups */
    VIEW_TRUSTED,
};

/* Returns who wrote the code at PC. Libraries use shared memory in ways that look like mistakes but
 * are correct, so observers check their code less strictly. */
enum view_author view_author(const struct launch_view *launch, uint32_t pc);

/* Returns the function that contains PC. Sets *INDEX to the instruction's index in the code of that
 * function. At the end of each function, the emulator adds an exit that is not in that code. For
 * this exit, *INDEX is code_count. */
const struct ptx_function *view_function(const struct launch_view *launch, uint32_t pc,
                                         uint32_t *index);
/* Returns the PTX instruction at PC, or NULL for the exit that the emulator adds. */
const struct ptx_instruction *view_ptx(const struct launch_view *launch, uint32_t pc);

/* Gets the pcs of function NUMBER: from *FIRST up to *END, exclusive. */
void view_range(const struct launch_view *launch, uint32_t number, uint32_t *first, uint32_t *end);

/* Returns the variable that contains ADDR in a CTA's shared memory, or NULL. Sets *BEGIN to the
 * address of the variable. A variable without a size reaches to the end of shared memory. */
const struct ptx_variable *view_shared_variable(const struct launch_view *launch, uint64_t addr,
                                                uint64_t *begin);

enum view_kind {
    VIEW_OTHER,
    VIEW_LOAD,
    VIEW_STORE,
    VIEW_ATOMIC,
    VIEW_COPY,     /* cp.async, cp.async.bulk: load from one memory and store to another */
    VIEW_MBARRIER, /* an access to an mbarrier */
    VIEW_MATRIX,   /* wmma: a load or store of a matrix */
    VIEW_ROWS,     /* ldmatrix, stmatrix: each lane has the address of a row of 16 bytes */
    VIEW_TEXTURE,  /* a fetch from a texture, or an access to a surface; only `access` is set */
    VIEW_BRANCH,
    VIEW_CALL,
    VIEW_RETURN,
    VIEW_EXIT,
};

/* The facts about an instruction that are known before it runs. */
struct view_instruction {
    enum view_kind kind;
    bool has_guard;
    uint32_t adds; /* instructions before this one that add or multiply floats */
    /* the load may belong to a polling loop, because it can see values that other threads write
     * meanwhile */
    bool may_poll;
    /* The following fields are only set for memory instructions. */
    uint8_t bytes;  /* bytes of one value of one lane */
    uint8_t type;   /* enum ptx_type */
    uint8_t access; /* enum obs_access_kind */
    uint8_t op;     /* operation of VIEW_ATOMIC (enum ptx_modifier) */
    bool adds_one;  /* VIEW_ATOMIC adds the constant 1 */
    /* bounds of the shared array that the access is probably meant for; `high` is 0 if it is
     * unknown */
    uint32_t low, high;
    /* for VIEW_BRANCH: pc of the target, and pc at which the lanes reconverge */
    uint32_t target, meet;
    /* for VIEW_CALL: index of the called function, or NO_FUNCTION if the call is through a
     * pointer */
    uint32_t callee;
};
#define NO_FUNCTION UINT32_MAX

struct view_instruction view_instruction(const struct launch_view *launch, uint32_t pc);

/* --- accesses --------------------------------------------------------------------------------- */

#define OBS_MAX     13         /* a launch has at most this many observers */
#define OBS_NO_SEAT UINT32_MAX /* the seat (see the head comment) of a CTA that is not running */

/* The events that an observer can request. OBS_WRITE is an access other than a load. OBS_VALUES is
 * not an event: it adds the stored values to stores. OBS_STEP requests the steps of those CTAs that
 * the observer follows (see `follows` below). At most one observer of a launch may request it. */
enum obs_event {
    OBS_ACCESS = 1,
    OBS_FAULT = 2,
    OBS_ORDER = 4,
    OBS_WRITE = 8,
    OBS_VALUES = 16,
    OBS_STEP = 32
};

enum obs_access_kind { OBS_LOAD, OBS_STORE, OBS_ATOMIC, OBS_REDUCTION };

/* One access: what one memory instruction of one warp does in one memory space. */
struct obs_access {
    _Alignas(64) uint64_t addr[32]; /* inactive lanes repeat an active lane's address */
    uint32_t pc, mask;
    uint8_t kind; /* enum obs_access_kind */
    /* PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, or PTX_CLUSTER for another CTA's shared
     * memory */
    uint8_t space;
    uint8_t bytes; /* bytes of one lane's access: 1, 2, 4, 8 or 16 */
    /* all 32 lanes are active, and the bytes of each lane follow directly after those of the
     * previous lane */
    bool dense;
    bool is_bulk;    /* part of a cp.async.bulk, which is not a request of the warp */
    bool is_texture; /* a texture fetch, or an access to a surface */
    /* Compared with the instruction's latest access on this worker that was not dense, this access
     * has the same space, lanes, and differences between the lanes' addresses. The addresses
     * themselves may differ, but they touch the same numbers of sectors, lines and banks. */
    bool repeats;
    uint8_t element;     /* size of one value; a vector has `bytes / element` values */
    uint8_t value_bytes; /* distance in bytes from one lane's value to the next lane's */
    uint32_t warp;       /* index of the warp in its CTA */
    uint64_t cta;        /* linear index of the CTA, x first */
    /* for PTX_CLUSTER: rank of the other CTA, and its seat or, if it is not running, OBS_NO_SEAT */
    uint32_t rank, seat;
    /* Only for OBS_STORE, if an observer requests OBS_VALUES: the values that the lanes will store,
     * one pointer per element. NULL for a store of a matrix. */
    const uint8_t *value[4];
};

/* An observer's answer to a repeat: how much of it the observer needs to see. A repeat is an access
 * with the same lanes, and the same differences between the lanes' addresses, as the instruction's
 * latest access on this worker. Its addresses may differ, but they touch the same numbers of
 * sectors, lines and banks. A dense repeat may begin at any address. */
enum obs_answer {
    /* the observer needs all addresses: the emulator must call access(); nothing has been
     * recorded */
    OBS_FULL,
    OBS_DONE, /* the observer has recorded the repeat */
    /* The observer has recorded the repeat, and can receive further repeats later, as a list of
     * series. If the repeats are dense, their addresses differ by multiples of 128 bytes. */
    OBS_SERIES,
    /* The observer has recorded the repeat, and needs only the number of further repeats with the
     * same pattern, in one call at the end. The emulator does what all observers permit. */
    OBS_COUNT_ONLY,
};

struct obs_repeat {
    uint64_t first;    /* address of lane 0, as in obs_access */
    int32_t low, high; /* lowest and highest address of the lanes, relative to `first` */
    uint64_t cta;
    uint32_t pc, mask, warp;
    /* 1, or the number of repeats that the emulator has only counted; then first, low, high, cta
     * and warp are 0 */
    uint32_t times;
    uint8_t kind, space, bytes;
    bool dense;
};

/* Repeats by one warp whose addresses move on by the same step each time. */
struct obs_series {
    uint64_t first, cta;
    int64_t step; /* 0 if there is only one repeat */
    uint32_t warp, times;
};

/* A list of series of the same pattern, in the order in which they were executed. For the meaning
 * of the other members, see obs_repeat and obs_access. */
struct obs_series_list {
    const struct obs_series *series;
    uint32_t count;
    uint32_t times;       /* number of repeats in all series */
    const int32_t *delta; /* address of each lane minus the first lane's address */
    uint32_t pc, mask;
    uint8_t kind, space, bytes;
    bool dense;
};

/* A segment of a warp's path: LANES execute COUNT consecutive instructions, from PC on. This event
 * comes before the accesses of these instructions. */
struct obs_step {
    uint64_t cta;
    uint32_t warp, pc, count, lanes;
};

/* --- the state of a CTA ----------------------------------------------------------------------- */

/* The reasons why lanes wait. Lanes that are OBS_READY do not wait. */
enum obs_standing {
    OBS_READY,
    OBS_AT_BARRIER,
    OBS_AT_WARP_SYNC,
    /* at an instruction that waits for other lanes to reach it, such as a shuffle */
    OBS_AT_MEETING,
    OBS_BELOW, /* the lanes wait while the other side of a branch runs */
};

/* Lanes of a warp that are at the same instruction for the same reason. */
struct obs_group {
    uint32_t lanes, pc;
    uint8_t standing; /* enum obs_standing */
    const struct frame *frame;
};

/* The state of a CTA after an instruction of one warp, or after a barrier has opened. It is only
 * valid during the call. */
struct obs_state {
    const struct cta *machine; /* opaque, for the functions below */
    uint64_t cta;
    bool opened; /* a barrier has opened; the fields from `warp` to `frame` are not set */
    uint32_t warp, pc;
    /* `lanes` are at the instruction; `active` are those of them whose guard was true, so that they
     * executed it */
    uint32_t lanes, active;
    const struct frame *frame; /* frame of the function that contains the instruction */
};

/* Gets the positions of a warp's lanes, grouped, without lanes that have exited. Returns the number
 * of groups, which is 0 if all lanes have exited or the warp has not started. */
unsigned view_groups(const struct cta *machine, uint32_t warp, struct obs_group groups[32]);
/* Returns register REG of the function to which FRAME belongs: 32 values, or for a predicate one
 * word with a bit for each lane. */
const uint8_t *view_register(const struct cta *machine, uint32_t warp, const struct frame *frame,
                             uint32_t reg);
/* Returns the index of the function to which FRAME belongs. */
uint32_t view_frame_function(const struct launch_view *launch, const struct frame *frame);
/* Returns the index of a register's slot in a frame. Registers can share a slot if their lifetimes
 * do not overlap. Returns UINT32_MAX for a register with a constant value, which needs no slot. */
uint32_t view_register_place(const struct launch_view *launch, uint32_t function, uint32_t reg);
/* Returns the CTA's shared memory. */
const uint8_t *view_shared(const struct cta *machine);
/* Returns whether initcheck has seen every access of the launch until now. */
bool view_is_init_checked(const struct cta *machine);
/* Returns a pointer to SIZE bytes at ADDR of a lane's local memory, or NULL if they do not
 * exist. */
const uint8_t *view_local(const struct cta *machine, uint32_t warp, unsigned lane, uint64_t addr,
                          uint64_t size);

/* --- events that order accesses --------------------------------------------------------------- */

/* Events that order accesses of different threads. (Accesses of one thread are in program order.)
 * In each worker, an event belongs to the CTA of the latest OBS_CTA_RUNS. The fields of struct
 * obs_order that an event sets are in brackets. */
enum obs_order_kind {
    /* a CTA begins, or continues after the worker has run other CTAs (sets cta, seat, shared) */
    OBS_CTA_RUNS,
    OBS_CTA_ENDS,
    /* a barrier releases threads (sets arrived; whole, if these are all threads that have not
     * exited) */
    OBS_BARRIER,
    /* __syncwarp() releases lanes (sets warp, lanes; whole, if these are all lanes that have not
     * exited) */
    OBS_WARP_SYNC,
    /* a fence (sets warp, lanes; wide, if it also orders accesses for threads outside of the
     * CTA) */
    OBS_FENCE,
    OBS_ARRIVE, /* lanes arrive at phases of mbarriers (sets warp, lanes, place) */
    OBS_WAITED, /* lanes have waited for phases of mbarriers to end (sets warp, lanes, place) */
    /* lanes have waited for the cp.async at pc, or a bulk copy has arrived (sets warp, lanes, pc,
     * bytes; place, the addresses in shared memory) */
    OBS_COPIED,
};

struct obs_order {
    uint8_t kind; /* enum obs_order_kind */
    /* for OBS_ARRIVE and OBS_WAITED, `wide` says that the whole grid shares the mbarrier */
    bool whole, wide;
    uint32_t warp, lanes, pc, bytes;
    const uint32_t *arrived; /* for each warp of the CTA: the lanes that the barrier releases */
    /* for each lane: an address inside the mbarrier, which is different for each phase */
    const uint64_t *place;
    /* for OBS_ARRIVE: index plus 1 of the CTA that contains the mbarrier, or 0 for the current
     * CTA */
    uint64_t owner;
    uint64_t cta; /* linear index of the CTA */
    /* less than launch_view.resident; CTAs between which a worker switches have different seats */
    uint32_t seat;
    /* contents of the CTA's shared memory, which change while the CTA runs */
    const uint8_t *shared;
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
    OBS_ABSENT_LANE, /* a shuffle reads from lane `other`, which does not call the shuffle */
    OBS_NO_MBARRIER,
    OBS_MBARRIER_COUNT,
    OBS_REMOTE_MBARRIER, /* the lanes wait for an mbarrier of another CTA in the same cluster */
    OBS_DEADLOCK,        /* the lanes wait for threads that never arrive */
    OBS_POLLS_FOREVER,   /* the lanes poll a value that no thread will write */
    OBS_POLLS_HOST,      /* the lanes poll a value that only the host program could write */
    OBS_ENDLESS_LOOP,
    OBS_INTERRUPTED, /* the user has stopped the launch */
    /* this warp alone has not executed too many instructions, but the launch as a whole has */
    OBS_TOO_MUCH_WORK,
    OBS_BAD_TEXTURE,
    OBS_OUTSIDE_SURFACE,
    /* incorrect uses of tensor maps (see tensor_copy.c) */
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
    /* cudaGraphSetConditional() with a number that is not the handle of a condition */
    OBS_BAD_CONDITION,
    OBS_NO_SUCH_CTA, /* the cluster has no CTA of rank `other` */
    /* the CTA of rank `other` has ended, and its shared memory no longer exists */
    OBS_CTA_ENDED,
    OBS_REDUCES_ALONE,   /* a bulk copy reduces in shared memory, but the launch has no clusters */
    OBS_CTA_NOT_STARTED, /* the CTA of rank `other` may not have started */
    /* the thread arrives at the cluster's barrier twice without waiting in between */
    OBS_CLUSTER_ARRIVES_TWICE,
    OBS_CLUSTER_WAITS_ONLY, /* the thread waits at the cluster's barrier without having arrived */
};

/* A fault of one lane. */
struct obs_fault {
    uint8_t kind; /* enum obs_fault_kind */
    uint8_t access, space, bytes;
    uint32_t pc;
    uint32_t thread[3], cta[3];
    uint64_t addr;
    /* bytes from one lane's address to the next lane's; 0 if these distances differ */
    int64_t apart;
    uint64_t highest; /* highest address of the lanes */
    /* For OBS_WARP_MASK, `mask` is the mask of the call, and `other` is the lane that breaks the
     * rule: the calling lane if the mask does not contain it, otherwise a lane in the mask that
     * does not make the call. For OBS_DIVERGENT_BARRIER, OBS_DEADLOCK, OBS_POLLS_FOREVER and
     * OBS_POLLS_HOST, `mask` has the lanes of this warp that wait here. For PTX_CLUSTER, `other` is
     * the rank of the other CTA. */
    uint32_t mask, other;
    uint64_t executed; /* for OBS_INTERRUPTED: instructions that the warp has executed */
};

/* --- observers -------------------------------------------------------------------------------- */

/* A recording of one block, step by step (gpu/observe/stepper.h). */
struct obs_steps;

/* A recorded access and its cost in sectors or wavefronts. */
struct obs_recorded {
    struct obs_access access;
    struct source_line place;
    /* number of this access, from 1, among the accesses by its warp on this line */
    uint32_t step;
    uint32_t cost, ideal;
};

struct obs_recording {
    struct obs_recorded *list; /* allocated with malloc() */
    uint32_t count;
    /* NULL if no block was recorded; stepper_free() frees it */
    struct obs_steps *steps;
};

/* The ranges of memory that a launch has accessed. */
struct obs_touched {
    struct emu_touch *list; /* allocated with malloc() */
    size_t count, room;
};

struct observer {
    const char *name;
    unsigned events; /* bits of enum obs_event */
    bool is_serial;  /* a launch with this observer runs on a single worker */
    /* Allocates the state of a worker. Returns NULL when out of memory, which ends the launch. */
    void *(*begin)(const struct launch_view *launch);
    void (*access)(void *state, const struct obs_access *access);
    /* Handles a repeat. If this is NULL, access() is called for repeats, too. */
    enum obs_answer (*repeat)(void *state, const struct obs_repeat *repeat);
    /* Handles repeats that were not passed to repeat(), because it has returned OBS_SERIES. */
    void (*series)(void *state, const struct obs_series_list *list);
    void (*fault)(void *state, const struct launch_view *launch, const struct obs_fault *fault);
    void (*order)(void *state, const struct obs_order *order);
    /* Called when CTA begins. Returns whether the observer wants the steps of CTA. If so, it gets
     * each repeat of CTA in a separate call. */
    bool (*follows)(void *state, uint64_t cta);
    void (*step)(void *state, const struct obs_step *step);
    /* Only for OBS_STEP: called after every instruction of a CTA that the observer follows. If this
     * is NULL, the CTA runs at full speed. */
    void (*state)(void *state, const struct obs_state *now);
    /* Only for OBS_STEP: called after CTA has ended. INSTRUCTIONS is the number of instructions
     * that all its warps executed, LONGEST the number for the warp that executed most. */
    void (*ended)(void *state, uint64_t cta, uint64_t instructions, uint64_t longest);
    /* Only for OBS_STEP: returns the predicted number of cycles from the begin of the launch until
     * the warp's present position. Clocks in the kernel then show predicted time. NULL if the
     * observer does not predict time. */
    double (*now)(void *state, uint64_t cta, uint32_t warp);
    /* Called when the launch continues after a pause, during which memory may have been allocated
     * and freed. Pointers to struct mem_block are then invalid. NULL if the observer keeps no such
     * pointers. */
    void (*forget_memory)(void *state);
    /* Adds STATE, the state of another worker, to INTO, the state of the first worker, and frees
     * STATE. */
    void (*join)(void *into, void *state);
    /* Adds the observer's counts to PER_INSTRUCTION, which has counters for each pc, or is NULL.
     * The entry at code_count has the counts that belong to no instruction. Frees the state. */
    void (*end)(void *state, const struct launch_view *launch,
                struct emu_counters *per_instruction);
};

#define T(tool, name, code, bits) extern const struct observer obs_##code;
#include "gpu/tools.def"
#undef T

/* Chooses the observers for a launch with OPTIONS. Returns their number. COUNTED says that the
 * caller or a recording needs the counters. Otherwise they are left out, because they take a fifth
 * of the program's time. */
unsigned observers_choose(const struct emu_options *options, bool counted,
                          const struct observer *chosen[OBS_MAX]);

/* Computes the cost of an access to global or shared memory, and its ideal cost, in sectors or
 * wavefronts. These are the numbers that the counters count. */
void obs_measure(const struct obs_access *access, uint32_t *cost, uint32_t *ideal);

/* Returns whether synccheck reports faults of this kind. memcheck reports all others. */
bool obs_is_synccheck(unsigned kind);

#endif
