/* The machine that executes kernels: what the files of this folder share.
 *
 *   launch ── workers ── clusters ── CTAs ── warps ── paths
 *
 * A kernel is decoded once into struct inst, whose operands say where their 32 lanes lie. A worker (a
 * CPU thread) takes CTAs, as a rule one by one, runs their warps in turn, and keeps a profile of what each
 * instruction did. A warp normally has one path: a stack of (pc, where to meet, lanes), as described in warp.c. */
#ifndef GPU_EXECUTE_MACHINE_H
#define GPU_EXECUTE_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/analyse/lines.h"
#include "gpu/device.h"
#include "gpu/execute/child.h"
#include "gpu/execute/pattern.h"
#include "gpu/memory/heap.h"
#include "gpu/memory/memory.h"
#include "gpu/observe/observer.h"
#include "gpu/occupancy.h"
#include "gpu/ptx/module.h"

/* Functions that loop over lanes are compiled once for CPUs with AVX-512, once for those with AVX2 and
 * once for the rest; the loader picks. The sanitizers do not bear the resolver. */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__) || !defined(__x86_64__)
#define LANES_CLONES
#else
#define LANES_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

/* What such a function is made of must be compiled with it. */
#define LANES_INLINE    static inline __attribute__((always_inline))

#define WARP            32u
#define ALL_LANES       0xffffffffu
#define MAX_WARPS       32u      /* of a CTA */
#define BARRIERS        16u      /* of a CTA */
#define RESERVED_SHARED 1024u    /* of a CTA: cooperative groups of several warps meet there */
#define CLUSTER_BARRIER BARRIERS /* what stands for the cluster's among them */
#define KERNEL_STACK    4096u /* bytes of a thread, at least, for functions that call themselves */

struct warp;
struct inst;
typedef void lane_fn(struct warp *warp, const struct inst *inst, uint32_t mask);
typedef uint32_t compare_fn(const void *a, const void *b); /* 32 lanes to a bit each */

/* Where an operand's lanes lie: 32 values of `bytes` each, or one word of predicate bits. */
enum bank {
    BANK_REGISTERS, /* of the function that runs: its frame */
    BANK_CONSTANTS, /* of the kernel: immediates and addresses */
    BANK_LAUNCH,    /* its parameters, %ntid.x and the like */
    BANK_CTA,       /* %ctaid.x and the like */
    BANK_WARP,      /* %tid.x and the like */
    BANK_COUNT,
};

struct slot {
    uint32_t offset;
    uint8_t bank;
    bool negated;  /* a predicate read as !p */
    uint8_t bytes; /* of one lane; 0 for a predicate or no operand */
};
#define NO_SLOT UINT32_MAX

enum inst_kind {             /* what the loop in warp.c must do itself */
                 KIND_LANES, /* run() does it all */
                 KIND_MEET,  /* the same, once the warp's lanes that it names are here */
                 KIND_BRANCH,
                 KIND_EXIT,
                 KIND_CALL,
                 KIND_RETURN,
                 KIND_BARRIER,
                 KIND_WARP_SYNC,
                 KIND_WAIT, /* run() asks whether it is over: dst */
                 KIND_TRAP,
};

/* What a lane loads or stores: one value of its register's width, or 16 bytes of which nobody else, if he
 * looks at them meanwhile, may see a part. */
enum moves { MOVES_OTHERS, MOVES_WORDS, MOVES_LONGS, MOVES_WHOLE };

/* Where a floating-point instruction leaves the default mode: bits of the MXCSR register. */
#define MODE_DEFAULT 0x1f80u
#define MODE_DOWN    0x2000u
#define MODE_UP      0x4000u
#define MODE_ZERO    0x6000u
#define MODE_FTZ     0x8040u /* flush results to zero, and read denormals as zero */

struct inst {
    lane_fn *run;
    uint8_t kind;
    uint8_t source_count;
    bool guard_negated;
    bool observes;    /* may be waiting for another thread: see warp.c */
    bool aligned;     /* a barrier that all lanes of a warp must reach together */
    bool follows;     /* its stretch began before it: stretch.c */
    uint32_t stretch; /* so many instructions, from this one on; 0: it is in none */
    uint32_t step;    /* to the next one that has something to do */
    uint32_t guard;   /* slot offset of the predicate, or NO_SLOT */
    uint32_t mode;    /* of floating-point arithmetic: MODE_DEFAULT and more bits */
    struct slot dst, src[4];
    union {
        struct {
            lane_fn *inner; /* runs in `mode`; then the result is flushed and saturated */
            bool saturate;
        } fp;
        struct {
            compare_fn *compare;
            struct slot second; /* the pair's other predicate, or NO_SLOT */
            uint32_t yes;       /* what set writes where it is true, in each half */
            uint8_t combine;    /* '&', '|', '^' or 0 */
            uint8_t half;       /* the 16-bit or packed type to compare as f64, or 0 */
            bool ftz;           /* of that type */
        } set;
        struct {
            const struct half_row *row;
            uint8_t type; /* enum ptx_type: f16, bf16 or two of them */
            bool ftz, saturate, relu;
        } half;
        struct {
            struct slot from, to; /* predicates: a zero or the carry; the carry or NO_SLOT */
            uint8_t part;         /* of a * b that takes the place of a: 'l', 'h' or 0 */
            bool is_signed, subtracts;
        } carry;
        struct {
            uint8_t op, compare; /* enum ptx_opcode; of vset: enum ptx_modifier */
            uint8_t bits;        /* of a part */
            bool d_signed, a_signed, b_signed, saturates, adds;
        } video;
        struct {
            uint8_t to, from; /* enum ptx_type */
            uint8_t round;    /* of a float to an integer value: 'n' 'z' 'm' 'p' or 0 */
            bool saturate, relu;
        } cvt;
        struct {
            int64_t offset;
            struct slot base;    /* NO_SLOT: a parameter; the offset is its address */
            struct slot *vector; /* count registers (load) or sources (store), or sources and then
                                    registers (atomic), and then more sources (cas of 128 bits) */
            uint32_t low, high;  /* of shared memory: the array that is meant; high 0: not known */
            uint8_t count, bytes, type;
            uint8_t space; /* enum ptx_space */
            uint8_t op;    /* enum ptx_modifier of an atomic, enum ptx_opcode of an mbarrier */
            uint8_t event; /* enum obs_access_kind */
            uint8_t moves; /* enum moves */
            bool
                variant; /* of an mbarrier: .noComplete, .parity or .noinc; an atomic that adds 1; of a
                             matrix: what a lane holds together does not lie together */
            uint8_t rows, columns; /* of a matrix: see matrix.c */
        } mem;
        struct {
            uint32_t target, meet;
        } branch;
        struct {
            struct slot vote;         /* of .red, or NO_SLOT */
            uint8_t op;               /* of .red: enum ptx_modifier popc, and, or */
            bool arrives;             /* only: it does not wait */
            bool of_cluster, relaxed; /* relaxed: it orders no accesses */
        } barrier;
        struct {
            uint32_t pending; /* groups of copies that need not be done */
        } wait;
        struct {
            const struct ptx_instruction *in; /* its operands: target, parameters, results */
            uint32_t image;                   /* NO_IMAGE: src[0] holds the function's address */
        } call;
        struct {
            uint32_t special; /* enum ptx_special; of isspacep: enum ptx_space */
            bool back;        /* of cvta: from the generic address */
        } read;
        struct {
            /* Results, or values to store, then the level or the steps; the coordinates are src[]. */
            struct slot *vector;
            struct slot handle, resident; /* the latter a predicate, or NO_SLOT */
            uint8_t dims, count, bytes;   /* count values of so many bytes, of a surface */
            uint8_t component;            /* that tld4 gathers */
            uint8_t outside;              /* of a surface: enum ptx_modifier trap, clamp or zero */
            uint8_t way;                  /* enum ptx_modifier level or grad, or 0 */
            bool is_integer, layered, cube;
        } texture;
        struct {
            uint8_t op; /* enum ptx_modifier of vote, shfl, match, redux */
            bool is_signed;
            struct slot second, members;
            /* wmma.mma: the registers of d, a, b and c, one behind the other */
            struct slot *vector;
            uint8_t count[4], types[4]; /* of each: registers; enum ptx_type */
            uint8_t m, n, k;
        } warp;
    };
};

#define NO_IMAGE    UINT32_MAX
#define VECTOR_ROOM 10 /* slots that an instruction may need in a vector: tex.grad.3d */
#define MATRIX_ROOM 32 /* wmma.mma, in four of them */

/* A function's part of a kernel's code. */
struct image {
    const struct ptx_function *function;
    uint32_t start, end; /* in the code; end is an exit that nobody comes to but by falling off */
    uint32_t register_bytes; /* of a frame */
    uint32_t frame_bytes;    /* of a frame's parameters and results, for each lane: 16-aligned */
    uint32_t local_slot;     /* register slot of where its local memory begins, or NO_SLOT */
    uint32_t shared_shift;   /* what its own shared variables' offsets need to be added */
    uint64_t address;        /* that function pointers hold */
    uint32_t first_register; /* how many the images before have together */
    uint32_t *slots;         /* offset of each of the function's registers in a frame */
    struct slot *fixed; /* of each, where its value lies if it never changes; NO_SLOT: fixed.c */
    bool needs_zeros;   /* a register may be read that nobody has written */
};

/* A kernel's parameter, or BYTES of it from AT on, and its lanes in BANK_LAUNCH. */
struct parameter {
    uint32_t at, offset;
    unsigned bytes;
};

struct shared_variable {
    const struct ptx_variable *variable;
    uint32_t at; /* in a CTA's memory; of one without a size see kernel_dynamic_shared() */
};

/* A decoded kernel with all functions that it may call: read-only while it runs. */
struct kernel {
    const struct ptx_module *module;
    const struct ptx_function *function; /* of the first image: the kernel itself */
    struct image *images;
    uint32_t image_count;
    struct inst *code;
    uint32_t code_count; /* of all images, with one more at the end of each */
    uint8_t *constants;
    uint32_t bank_bytes[BANK_COUNT]; /* of those from BANK_LAUNCH on */
    uint32_t registers;              /* of a thread: an estimate */
    uint32_t register_count;         /* that the images name in PTX */
    uint32_t shared_bytes;           /* static, of a CTA */
    struct shared_variable *shared;  /* what it speaks of: layout.c */
    uint32_t shared_count;
    uint32_t local_bytes;                /* of a thread: variables and stack */
    uint32_t special[PTX_SPECIAL_COUNT]; /* offset of each static special in its bank, or NO_SLOT */
    struct parameter *parameters;        /* those in BANK_LAUNCH */
    uint32_t parameter_count;
    struct slot *vectors; /* storage behind inst.mem.vector, VECTOR_ROOM each */
    uint32_t vector_count, constant_room;
    struct native *native;      /* its translation: native.h */
    bool uses_heap, uses_stack; /* calls malloc; calls any function, or alloca */
    bool shows_params;          /* takes its parameters' addresses */
    uint64_t params_at;         /* where they lie for that; 0: nowhere yet */
    struct emu_param *params;
};

/* Why a function cannot be decoded, in one line, and which of its source's it is about. */
struct refusal {
    char why[400];
    struct source_line at;
};

/* Decodes FUNCTION. Returns NULL with a reason in REFUSAL. SYMBOL gives a module variable's address. */
typedef uint64_t symbol_fn(void *context, const struct ptx_variable *variable);
struct kernel *kernel_decode(const struct ptx_module *module, const struct ptx_function *function,
                             symbol_fn *symbol, void *context, struct refusal *refusal);
void kernel_free(struct kernel *kernel);
/* Where dynamic shared memory begins: behind the static. */
static inline uint32_t kernel_dynamic_shared(const struct kernel *kernel)
{
    return (kernel->shared_bytes + 15u) & ~15u;
}
/* The place in the source of the instruction at PC, and the image that it is in. */
struct source_line kernel_line(const struct kernel *kernel, uint32_t pc);
const struct image *kernel_image(const struct kernel *kernel, uint32_t pc);

/* --- running state ------------------------------------------------------------------------------ */

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

#define EMU_MAX_WORKERS 64u

/* What kernels have printed and nobody has fetched yet; the first assertion of a launch that failed. */
struct output {
    pthread_mutex_t lock;
    struct {
        char *text;
        size_t length;
    } streams[EMU_STREAMS];
    size_t limit; /* bytes of each; what does not fit is lost */
    char assertion[160];
};

/* The first part is set by the caller, the rest must be zero. */
struct launch {
    struct emu_launch request;
    const struct kernel *kernel;
    struct memory *memory;
    struct heap *heap;
    struct output *output;
    const struct observer *const *observers;
    unsigned observer_count;
    unsigned wanted; /* events that some observer subscribed to */
    bool is_counted; /* its counters go to somebody */
    struct obs_launch seen;
    const struct emu_options *options; /* the device's */
    const struct emu_texture *textures;
    uint64_t texture_count;
    uint64_t cta_count, grid_id;
    uint32_t cluster_size; /* CTAs that share a worker, and reach each other's memory */
    bool is_in_clusters;   /* as the kernel or the program says */
    uint32_t threads, warps, shared_bytes; /* of a CTA */
    uint32_t reserved_shared; /* the last ones of these, which are not the program's own */
    uint32_t local_bytes;     /* of a thread: variables and stack */
    uint32_t own_bytes;       /* of these: the kernel's own variables */
    struct emu_occupancy occupancy;
    uint32_t workers;
    uint32_t resident;         /* CTAs that one worker keeps going at once */
    uint64_t limit;            /* warp instructions; 0: none */
    uint64_t clock;            /* of the device when the launch begins */
    uint64_t workspace;        /* of a cooperative launch: where its grid waits; or 0 */
    struct children *children; /* what its kernels launch */
    unsigned depth;            /* 0: the host launched it; 1: a kernel of the host's, and so on */
    bool may_park;             /* it stops for a while where nothing but the host could help it */
    bool goes_on;              /* it has done so before */

    atomic_uint_fast64_t next_cluster, executed;
    atomic_int status;                    /* enum emu_status: the first thing that went wrong */
    atomic_bool stopping;                 /* nothing more is executed */
    struct worker *crew;                  /* all of them */
    atomic_uint_fast64_t epoch;           /* see standstill.c */
    atomic_bool has_waited;               /* for others, a cluster: most need not count */
    atomic_uint_fast64_t ended;           /* clusters, since then */
    atomic_bool is_stuck;                 /* all that is left will wait for ever */
    atomic_bool is_parked;                /* or for the host: that is sure, or may be */
    atomic_bool is_still;                 /* it is sure */
    struct emu_counters *per_instruction; /* code_count + 1, or NULL; the caller's */
    uint64_t longest, instructions;       /* of one warp; of all */
    uint8_t *values;                      /* BANK_LAUNCH, while it runs */
};

/* A launch: begins with COUNT workers, at least 1; runs, until it is over, or parked if it may be: false, and
 * it can be told to go on; ends, and returns how. What fails at the beginning is known at the end. */
void launch_begin(struct launch *launch, unsigned count);
bool launch_go(struct launch *launch);
enum emu_status launch_end(struct launch *launch);
/* While it was parked, memory may have been allocated and freed: what workers know of it is forgotten. */
void launch_forget_memory(struct launch *launch);
/* A number that grows when the launch changes memory. */
uint64_t launch_changes(const struct launch *launch);
bool launch_sees_lent(const struct launch *launch); /* it has looked at memory that is lent */
void launch_totals(const struct launch *launch, struct emu_counters *totals);

/* The launch will end with STATUS, unless something else went wrong before. It goes on meanwhile, so
 * that more can be found. */
static inline void launch_fail(struct launch *launch, enum emu_status status)
{
    int none = EMU_OK;
    atomic_compare_exchange_strong(&launch->status, &none, (int)status);
}

/* The same, and execution ends as soon as each worker sees it. */
static inline void launch_stop(struct launch *launch, enum emu_status status)
{
    launch_fail(launch, status);
    atomic_store(&launch->stopping, true);
}

/* Tells the observers that LANE of WARP did what it must not at the current instruction. ACCESS is
 * NULL when it is not about memory. */
void warp_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane,
                const struct obs_access *access);

/* The same with a MASK of lanes, and one of them: see struct obs_fault. */
void warp_mask_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane, uint32_t mask,
                     unsigned other);

/* Tells them what orders accesses. */
void cta_tell_order(const struct cta *cta, struct obs_order order);

/* cta.c */
/* The CTA of RANK in its cluster. NULL when memory is out. */
struct cta *cta_start(struct worker *worker, uint64_t linear, uint32_t rank);
enum cta_end { CTA_DONE, CTA_WAITS, CTA_STOPPED };
/* Runs until the CTA is done, or all its warps only wait for other CTAs, or the launch stops. */
enum cta_end cta_run(struct cta *cta);
/* Tells who waits, where nothing can ever change. */
void cta_report_deadlock(struct cta *cta);
void cta_recycle(struct cta *cta);
void cta_free(struct cta *cta);
/* LANES of WARP arrive at the cluster's barrier; they wait there: true if they need not. */
void cta_arrive_at_cluster(struct warp *warp, const struct inst *inst, uint32_t lanes);
bool cta_waits_for_cluster(struct warp *warp, uint32_t lanes);

/* So many times may threads look at memory and then pass a barrier, before others have their turn: they may be
 * waiting for them, as a block is whose first thread looks again and again, and tells the rest. */
#define MOST_LOOKS 1024u

/* cluster.c: the same for a whole cluster, whose CTA of rank 0 stands for it. UNIT: its number in the launch. */
struct cta *cluster_start(struct worker *worker, uint64_t unit);
enum cta_end cluster_run(struct cta *leader);
void cluster_report_deadlock(struct cta *leader);
void cluster_recycle(struct cta *leader);
/* The CTA of RANK in WARP's cluster, whose shared memory can be reached; or NULL, and why not. */
struct cta *cluster_reach(const struct warp *warp, uint32_t rank, enum obs_fault_kind *wrong);
/* The rank of the CTA that OFFSET in the shared window means, of one of whose is of rank OWN, and the
 * offset in that CTA's memory. */
static inline uint32_t cluster_rank(uint64_t offset, uint32_t own)
{
    return offset < MEM_CLUSTER_BEGIN ? own
                                      : (uint32_t)((offset - MEM_CLUSTER_BEGIN) / MEM_CLUSTER_STEP);
}
static inline uint64_t cluster_offset(uint64_t offset)
{
    return offset < MEM_CLUSTER_BEGIN ? offset : offset % MEM_CLUSTER_STEP;
}

/* WARP's lanes arrive at barrier ID, which COUNT threads complete, and do not wait. */
void cta_arrive(struct warp *warp, uint32_t id, uint32_t count, uint32_t lanes);

/* warp.c */
#define SLICE        16384u /* instructions between two looks at the rest of the world */
#define OBSERVE_COST 64u    /* an instruction that may be waiting for others shortens the slice */
/* A warp that has waited for others has shorter slices: what it waits for comes while they run. It waited if it
 * executed at most so many instructions for each look, as loops that poll do, and one look at most of so many found
 * something new. */
#define WAITING_SLICE 1024
#define LONGEST_POLL  16u
#define FEW_NEWS      8u
/* AGAIN: the warp has been that of another CTA of this launch, in the same place. */
bool warp_start(struct warp *warp, struct cta *cta, uint32_t index, bool again);
enum warp_end { WARP_DONE, WARP_AT_BARRIER, WARP_SPINS, WARP_STOPPED };
enum warp_end warp_run(struct warp *warp);
/* Its paths that wait there go on; TOTAL is of the predicates, for those that asked. */
struct votes {
    uint32_t threads, yes;
};
void warp_release(struct warp *warp, uint32_t barrier, struct votes total);
/* Lanes that wait below a path that is stuck go on by themselves. False if there are none. */
bool warp_set_free(struct warp *warp);
uint32_t warp_waiting_at(const struct warp *warp, uint32_t barrier); /* these paths' lanes */
void warp_stop(struct warp *warp);
void warp_free(struct warp *warp);

/* values.c: what special registers and parameters hold, lane by lane. */
enum bank values_bank(enum ptx_special special); /* that of a static one */
bool values_of_launch(struct launch *launch);    /* makes room for them; false: out of memory */
void values_of_cta(struct cta *cta);
void values_of_warp(struct warp *warp);

/* stretch.c: cuts the code into stretches; makes counts of each instruction of a PROFILE that is complete, and
 * of warps at PC in one that is not, from those at the instruction BEFORE. */
bool stretches_find(struct kernel *kernel); /* false: out of memory */
void stretches_add_up(const struct kernel *kernel, struct profile *profile);
static inline uint64_t stretch_warps(const struct worker *worker, uint32_t pc, uint64_t before)
{
    bool follows = worker->launch->kernel->code[pc].follows;
    return worker->profile[pc].warps + (follows ? before : 0);
}

/* standstill.c */
void path_forget(struct path *path); /* what it was like before */
/* All of the WORKER's CTAs have had a turn in which they did nothing but spin: stops or parks the launch if
 * none of all workers' can ever do more. */
void standstill_look(struct worker *worker);
void standstill_forget(struct worker *worker);            /* some CTA did more than spin */
void standstill_leave(struct worker *worker);             /* it has no CTAs any more */
bool standstill_sees_lent(const struct worker *worker);   /* some wait is for memory that is lent */
uint64_t standstill_changes(const struct worker *worker); /* of memory, that it has made so far */

/* deciders.c: the registers that have a say in what is executed, as long as no other instructions are than
 * those that WORKER has executed since the watch began. */
enum deciders_answer {
    DECIDERS_SAME,
    DECIDERS_MORE,   /* than at the look before */
    DECIDERS_UNSURE, /* a clock has a say, too */
};
struct deciders *deciders_make(const struct kernel *kernel); /* NULL: out of memory */
void deciders_free(struct deciders *deciders);               /* NULL is allowed */
void deciders_begin(struct deciders *deciders, const struct worker *worker);
enum deciders_answer deciders_look(struct deciders *deciders, const struct worker *worker);
/* For each register of the image's function, whether it is one of them. */
const bool *deciders_of(const struct deciders *deciders, const struct image *image);

/* call.c: frames, calls and returns. A frame lives as long as some path entry holds it. */
struct frame *frame_open(struct warp *warp, const struct image *image); /* NULL: out of memory */
void frame_release(struct warp *warp, struct frame *frame);
void frames_free(struct worker *worker);
/* LANES call; the path's top entry goes on behind the call. */
void call_enter(struct warp *warp, struct path *path, const struct inst *inst, uint32_t lanes);
/* Results of LANES go to the caller's variables. */
void call_return(struct warp *warp, uint32_t lanes);

/* builtin.c: functions that the device has without PTX, by name; NULL if there is none. */
lane_fn *builtin_find(struct ptx_name name);

/* async.c */
void async_finish(struct warp *warp, uint32_t lanes); /* stores all copies that they have started */
void async_drop(struct warp *warp);                   /* forgets what is under way */
void async_free(struct warp *warp);

/* access.c: SIZE bytes at a generic address of one lane, or NULL if they are not there. */
uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size);

/* What is needed to make an access, in this order: base + offset of each lane, where inactive lanes repeat
 * an active one's; the lanes of TODO in the first one's space, to which the addresses become relative;
 * their bytes, once the observers have been told, for the lanes returned. */
void access_addresses(const struct warp *warp, struct slot base, uint64_t offset, uint32_t mask,
                      uint64_t *addr);
uint32_t access_take_space(const struct warp *warp, const struct inst *inst, uint32_t todo,
                           struct obs_access *access);
uint32_t access_find(struct warp *warp, struct obs_access *access, uint32_t lanes, uint8_t **host);
/* The same in two steps: the observers are told; the first SIZE bytes of LANE's, at an address for all of
 * them, or NULL, and a fault, if they are not there. */
void access_report(struct warp *warp, struct obs_access *access, uint32_t lanes);
uint8_t *access_find_part(struct warp *warp, struct obs_access *access, unsigned lane,
                          unsigned size);

/* parameters.c: loads and stores at a fixed place, of a kernel's parameters, which are the same for every lane, and of
 * those and the results of device functions. False, and nothing has happened, where it is not that simple. */
bool parameter_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_store(const struct warp *warp, const struct inst *inst, uint32_t mask);

/* Tells the observer of accesses that it was not told of because they were all alike, in the whole kernel. */
void access_flush(struct worker *worker);

/* atomic.c: LANES take their turn in order on the bytes at HOST, with operands B and C (of cas, or NULL). OLD
 * gets what was there before. SHARED memory adds floats without flushing them. ALONE: nobody else can reach
 * these bytes meanwhile. */
void atomic_lanes(const struct inst *inst, bool shared, bool alone, uint32_t lanes,
                  uint8_t *const *host, const void *b, const void *c, uint64_t *old);

/* The same with 128 bits each: B, C and OLD are two halves. */
void atomic_wide_lanes(const struct inst *inst, uint32_t lanes, uint8_t *const *host,
                       const uint64_t *const *b, const uint64_t *const *c, uint64_t old[2][WARP]);

/* alu.c and its neighbours: the function for a mnemonic such as "add.s32", or NULL. */
struct alu_row {
    const char *name;
    lane_fn *run;
    uint8_t sources;
    uint8_t bytes[5]; /* of the destination and each source; 0: a predicate */
    bool is_plain;    /* a row of alu.def */
};
const struct alu_row *alu_find(const char *name);
const struct alu_row *alu_row_of(lane_fn *run);
compare_fn *compare_find(const char *name); /* "lt.s32" */
const char *compare_name(compare_fn *compare);
lane_fn *select_find(unsigned bytes);
lane_fn *predicate_find(enum ptx_opcode opcode);
lane_fn idle_run, fp_run, setp_run, set_run, cvt_run, read_special_run, in_space_run, parameter_run;
lane_fn map_run, rank_run; /* cluster.c: mapa, getctarank */
lane_fn carry_run_32, carry_run_64, video_run;
lane_fn load_run, store_run, atomic_run, fence_run, copy_run, commit_run, wait_group_run,
    wait_all_run, sleep_run;
lane_fn mbarrier_run, pending_count_run;
lane_fn alloca_run, stack_save_run, stack_restore_run;
lane_fn matrix_load_run, matrix_store_run, matrix_multiply_run;
lane_fn texture_run, gather_run, surface_load_run, surface_store_run;
lane_fn vote_run, activemask_run, shfl_run, match_run, redux_run, elect_run, pack_run, unpack_run,
    wide_mov_run;
bool lanes_all_set(const uint32_t *values); /* lanes.c: 32 of them, each UINT32_MAX? */
/* Of a conversion that is one of C's own, in native_code.h's words: "f64_s32". NULL: it is not. */
const char *cvt_plain_name(const struct inst *inst);
bool cvt_is_supported(enum ptx_type to, enum ptx_type from);
bool cvt_allows(enum ptx_type to, enum ptx_type from, enum ptx_modifier word);

/* --- lanes -------------------------------------------------------------------------------------- */

static inline uint8_t *slot_at(const struct warp *warp, struct slot slot)
{
    return warp->bank[slot.bank] + slot.offset;
}

static inline uint32_t slot_predicate(const struct warp *warp, struct slot slot)
{
    uint32_t bits = *(const uint32_t *)slot_at(warp, slot);
    return slot.negated ? ~bits : bits;
}

/* to[l] = from[index[l] % 32] in all lanes. */
LANES_INLINE void pick_words(uint32_t *to, const uint32_t *from, const uint32_t *index)
{
#ifdef __clang__ /* has no such builtin */
    uint32_t picked[WARP];
    for (unsigned l = 0; l < WARP; l++)
        picked[l] = from[index[l] % WARP];
    memcpy(to, picked, sizeof picked);
#else
    typedef uint32_t words __attribute__((vector_size(64), aligned(4), may_alias));
    const words *window = (const words *)from, *pick = (const words *)index;
    words low = __builtin_shuffle(window[0], window[1], pick[0]);
    words high = __builtin_shuffle(window[0], window[1], pick[1]);
    ((words *)to)[0] = low;
    ((words *)to)[1] = high;
#endif
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
