/* Kernels, decoded: what is fixed before a launch begins.
 *
 * A kernel is decoded once. Its code is one array of struct inst: first the kernel's own function, then each function that
 * it may call (struct image). An operand is a slot: it says which bank holds its 32 lanes, and where in the bank they lie. */
#ifndef GPU_EXECUTE_KERNEL_H
#define GPU_EXECUTE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/analyse/lines.h"
#include "gpu/ptx/module.h"

#define KERNEL_STACK 4096u /* bytes of a thread, at least, for functions that call themselves */

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

/* The address that pointers to FUNCTION hold. */
uint64_t kernel_function_address(const struct ptx_function *function);

#endif
