/* A decoded kernel: everything that is fixed before a launch begins.
 *
 * A kernel is decoded once. Its code is one array of struct inst: first the kernel's own function,
 * then each function that it may call (struct image). An operand is a slot, which says where the
 * operand's 32 lanes lie: in which bank, at which offset. */
#ifndef GPU_EXECUTE_KERNEL_H
#define GPU_EXECUTE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/analyse/lines.h"
#include "gpu/ptx/module.h"

#define KERNEL_STACK 4096u /* bytes of a thread for calls and alloca, at least */

struct warp;
struct inst;
typedef void lane_fn(struct warp *warp, const struct inst *inst, uint32_t mask);
typedef uint32_t compare_fn(const void *a, const void *b); /* a result bit for each lane */

enum bank {
    BANK_REGISTERS, /* registers of the current function, in its frame */
    BANK_CONSTANTS, /* the kernel's immediates and addresses */
    BANK_LAUNCH,    /* parameters, %ntid.x and the like */
    BANK_CTA,       /* %ctaid.x and the like */
    BANK_WARP,      /* %tid.x and the like */
    BANK_COUNT,
};

/* Where an operand's lanes lie: 32 values of `bytes` each, or one word with a predicate's 32
 * bits. */
struct slot {
    uint32_t offset;
    uint8_t bank;
    bool negated;  /* the predicate is read as !p */
    uint8_t bytes; /* of one lane; 0: a predicate, or no operand */
};
#define NO_SLOT UINT32_MAX

/* What the loop in warp.c does with an instruction. */
enum inst_kind {
    KIND_LANES, /* calls run() */
    KIND_MEET,  /* calls run() once the lanes that the instruction names have arrived */
    KIND_BRANCH,
    KIND_EXIT,
    KIND_CALL,
    KIND_RETURN,
    KIND_BARRIER,
    KIND_WARP_SYNC,
    KIND_WAIT, /* calls run(), which polls: dst says whether the wait is over */
    KIND_TRAP,
};

/* How a load or store moves a lane's values. */
enum moves {
    MOVES_OTHERS,
    MOVES_WORDS, /* one value of 4 bytes, in a register of that width */
    MOVES_LONGS, /* one value of 8 bytes, in a register of that width */
    MOVES_WHOLE, /* 16 bytes at once: no other thread may see them in part */
};

/* Rounding and flushing of a floating-point instruction: values of the MXCSR register. */
#define MODE_DEFAULT 0x1f80u
#define MODE_DOWN    0x2000u
#define MODE_UP      0x4000u
#define MODE_ZERO    0x6000u
#define MODE_FTZ     0x8040u /* flush results to zero, and read denormals as zero */

struct inst {
    lane_fn *run;
    uint8_t kind; /* enum inst_kind */
    uint8_t source_count;
    bool guard_negated;
    bool observes;    /* may poll for another thread's value: see warp.c */
    bool aligned;     /* a barrier that all lanes of a warp must reach together */
    bool follows;     /* belongs to the stretch of the instruction before it: stretch.c */
    uint32_t stretch; /* instructions of the stretch from here on; 0: it is in no stretch */
    uint32_t step;    /* distance to the stretch's next instruction that is not idle */
    uint32_t guard;   /* slot offset of the predicate, or NO_SLOT */
    uint32_t mode;    /* of floating-point arithmetic: MODE_DEFAULT and other bits */
    struct slot dst, src[4];
    union {
        struct {
            lane_fn *inner; /* runs in `mode`; fp_run() then flushes and saturates the result */
            bool saturate;
        } fp;
        struct {
            compare_fn *compare;
            struct slot second; /* the second predicate of p|q, or NO_SLOT */
            uint32_t yes;       /* the word that set writes for true */
            uint8_t combine;    /* '&', '|', '^' or 0 */
            uint8_t half;       /* the 16-bit or packed type to compare as f64, or 0 */
            bool ftz;           /* flush operands of that type */
        } set;
        struct {
            const struct half_row *row;
            uint8_t type; /* enum ptx_type: f16, bf16 or a pair of them */
            bool ftz, saturate, relu;
        } half;
        struct {
            struct slot from; /* a predicate: the carry, or a zero */
            struct slot to;   /* a predicate: the carry, or NO_SLOT */
            uint8_t part;     /* 'l' or 'h': the part of a * b to add; 0: add a */
            bool is_signed, subtracts;
        } carry;
        struct {
            uint8_t op;      /* enum ptx_opcode */
            uint8_t compare; /* of vset: enum ptx_modifier */
            uint8_t bits;    /* of one part */
            bool d_signed, a_signed, b_signed, saturates, adds;
        } video;
        struct {
            uint8_t to, from; /* enum ptx_type */
            uint8_t round;    /* from float to a whole number: 'n' 'z' 'm' 'p'; else 0 */
            bool saturate, relu;
        } cvt;
        struct {
            int64_t offset;
            struct slot base; /* NO_SLOT: none, as the offset is a parameter's address */
            /* The vector has `count` registers (load) or sources (store). An atomic has sources,
             * then registers, and for cas of 128 bits more sources. */
            struct slot *vector;
            uint32_t low, high; /* bounds of the shared array that is meant; high 0: unknown */
            uint8_t count, bytes, type;
            uint8_t space; /* enum ptx_space */
            uint8_t op;    /* enum ptx_modifier of an atomic, enum ptx_opcode of an mbarrier */
            uint8_t event; /* enum obs_access_kind */
            uint8_t moves; /* enum moves */
            /* An mbarrier: .noComplete, .parity or .noinc. An atomic: it adds 1. A matrix:
             * neighbouring numbers of a lane do not lie side by side in memory. */
            bool variant;
            uint8_t rows, columns; /* of a matrix: see matrix.c */
        } mem;
        struct {
            uint32_t target, meet; /* pcs: where it leads, and where the lanes reconverge */
        } branch;
        struct {
            struct slot vote; /* of .red, or NO_SLOT */
            uint8_t op;       /* of .red: enum ptx_modifier popc, and, or */
            bool arrives;     /* arrives without waiting */
            bool of_cluster;
            bool relaxed; /* orders no accesses */
        } barrier;
        struct {
            uint32_t pending; /* groups of copies that may still be pending */
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
            /* Results, or values to store; then the level, or the gradients. The coordinates are
             * src[]. */
            struct slot *vector;
            struct slot handle;
            struct slot resident;       /* a predicate, or NO_SLOT */
            uint8_t dims, count, bytes; /* of a surface: `count` values of `bytes` */
            uint8_t component;          /* that tld4 gathers */
            uint8_t outside;            /* of a surface: enum ptx_modifier trap, clamp or zero */
            uint8_t way;                /* enum ptx_modifier level or grad, or 0 */
            bool is_integer, layered, cube;
        } texture;
        struct {
            uint8_t op; /* enum ptx_modifier of vote, shfl, match, redux */
            bool is_signed;
            struct slot second, members;
            /* wmma.mma: the registers of d, a, b and c, one matrix after the other */
            struct slot *vector;
            uint8_t count[4], types[4]; /* of each matrix: registers; enum ptx_type */
            uint8_t m, n, k;
        } warp;
    };
};

#define NO_IMAGE    UINT32_MAX
#define VECTOR_ROOM 10 /* most slots that an instruction needs in a vector: tex.grad.3d */
#define MATRIX_ROOM 32 /* the same for wmma.mma: four vectors */

/* One function's part of a kernel's code. */
struct image {
    const struct ptx_function *function;
    uint32_t start, end; /* pcs; the instruction at `end` is an exit after the function's last */
    uint32_t register_bytes; /* of a frame */
    uint32_t frame_bytes;    /* of a frame's parameters and results, for each lane: 16-aligned */
    uint32_t local_slot;     /* register slot with the address of its local memory, or NO_SLOT */
    uint32_t shared_shift;   /* to add to the offsets of its own shared variables */
    uint64_t address;        /* the value of pointers to the function */
    uint32_t first_register; /* number of registers of all images before it */
    uint32_t *slots;         /* offset of each of the function's registers in a frame */
    struct slot *fixed; /* of each register: where its value lies if it never changes; or NO_SLOT */
    bool needs_zeros;   /* a register may be read before it is written */
};

/* A part of the kernel's parameters in BANK_LAUNCH: `bytes` from offset `at` on. */
struct parameter {
    uint32_t at, offset; /* offset: in the bank */
    unsigned bytes;
};

struct shared_variable {
    const struct ptx_variable *variable;
    uint32_t at; /* in a CTA's memory; without a size: see kernel_dynamic_shared() */
};

/* A kernel with all functions that it may call: read-only while it runs. */
struct kernel {
    const struct ptx_module *module;
    const struct ptx_function *function; /* the kernel itself: that of the first image */
    struct image *images;
    uint32_t image_count;
    struct inst *code;
    uint32_t code_count; /* of all images, with one extra instruction at the end of each */
    uint8_t *constants;
    uint32_t bank_bytes[BANK_COUNT]; /* from BANK_LAUNCH on */
    uint32_t registers;              /* of a thread: an estimate */
    uint32_t register_count;         /* PTX registers of all images */
    uint32_t shared_bytes;           /* static, of a CTA */
    struct shared_variable *shared;  /* shared variables that its code names: layout.c */
    uint32_t shared_count;
    uint32_t local_bytes;                /* of a thread: variables and stack */
    uint32_t special[PTX_SPECIAL_COUNT]; /* offset of each static special in its bank, or NO_SLOT */
    struct parameter *parameters;        /* parts that are in BANK_LAUNCH */
    uint32_t parameter_count;
    struct slot *vectors; /* storage of inst.mem.vector */
    uint32_t vector_count, constant_room;
    bool uses_heap;     /* calls malloc */
    bool uses_stack;    /* calls functions, or alloca */
    bool shows_params;  /* takes addresses of its parameters */
    uint64_t params_at; /* the address of its parameters for that; 0: none yet */
    struct emu_param *params;
};

/* Why a function cannot be decoded, in one line, and the source line that it is about. */
struct refusal {
    char why[400];
    struct source_line at;
};

/* Decodes FUNCTION. Returns NULL with a reason in REFUSAL. SYMBOL returns a module variable's
 * address. */
typedef uint64_t symbol_fn(void *context, const struct ptx_variable *variable);
struct kernel *kernel_decode(const struct ptx_module *module, const struct ptx_function *function,
                             symbol_fn *symbol, void *context, struct refusal *refusal);
void kernel_free(struct kernel *kernel);
/* Where dynamic shared memory begins: after the static part. */
static inline uint32_t kernel_dynamic_shared(const struct kernel *kernel)
{
    return (kernel->shared_bytes + 15u) & ~15u;
}
/* The source line of the instruction at PC, and the image that holds it. */
struct source_line kernel_line(const struct kernel *kernel, uint32_t pc);
const struct image *kernel_image(const struct kernel *kernel, uint32_t pc);

/* The value of pointers to FUNCTION. */
uint64_t kernel_function_address(const struct ptx_function *function);

#endif
