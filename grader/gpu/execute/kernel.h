/* A decoded kernel has all data that is fixed before a launch begins.
 *
 * A kernel is decoded once. Its code is one array of struct inst: first the kernel's own function,
 * then each function that it may call (struct image). A pc is an index in this array. An operand is
 * a slot: a bank, which holds the operand's values for the 32 lanes, and an offset in the bank. A
 * bank is an array of values. A frame (state.h) holds the registers, parameters and results of one
 * call of a function. */
#ifndef GPU_EXECUTE_KERNEL_H
#define GPU_EXECUTE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/analyse/lines.h"
#include "gpu/device.h"
#include "gpu/ptx/module.h"

#define KERNEL_STACK 4096u /* minimum bytes of a thread's stack for calls and alloca */

struct warp;
struct inst;
typedef void lane_fn(struct warp *warp, const struct inst *inst, uint32_t mask);
typedef uint32_t compare_fn(const void *a, const void *b); /* returns a bit for each lane */

enum bank {
    BANK_REGISTERS, /* registers of the current function, in its frame */
    BANK_CONSTANTS, /* the kernel's immediates and addresses */
    BANK_LAUNCH,    /* values of the launch: parameters, %ntid.x, … */
    BANK_CTA,       /* values of the CTA: %ctaid.x, … */
    BANK_WARP,      /* values of the warp: %tid.x, … */
    BANK_COUNT,
};

/* The location of an operand in a bank. At `offset` in `bank`, there are 32 values of `bytes` bytes
 * each, or, for a predicate, one 32-bit word with one bit per lane. */
struct slot {
    uint32_t offset;
    uint8_t bank;
    bool negated;  /* reads the predicate as !p */
    uint8_t bytes; /* size of one lane's value, or 0 for a predicate or no operand */
};
#define NO_SLOT UINT32_MAX

/* The ways in which the loop in warp.c executes an instruction. */
enum inst_kind {
    KIND_LANES, /* calls run() */
    /* calls run() for the lowest lane, which then continues separately (see kernel_part_lanes()) */
    KIND_APART,
    KIND_MEET, /* waits for all lanes in the instruction's members mask, then calls run() */
    KIND_BRANCH,
    KIND_EXIT,
    KIND_CALL,
    KIND_RETURN,
    KIND_BARRIER,
    KIND_WARP_SYNC,
    KIND_WAIT, /* calls run(), which polls; predicate dst becomes true when the wait is over */
    KIND_TRAP,
};

/* The ways in which a load or store moves a lane's values. */
enum moves {
    MOVES_OTHERS, /* any other way */
    MOVES_WORDS,  /* one value of 4 bytes, in a register of that width */
    MOVES_LONGS,  /* one value of 8 bytes, in a register of that width */
    /* 16 bytes at once: no other thread may see only part of them */
    MOVES_WHOLE,
};

/* How an instruction takes part in signals between threads (see signals.c). */
enum signal_use {
    SIGNAL_POLLED = 1, /* it only waits until a word in memory has another value */
    SIGNAL_GIVEN = 2,  /* another thread may poll the word that it writes */
};

/* An instruction takes two of the CPU's cache lines. */
struct inst {
    _Alignas(64) lane_fn *run;
    uint8_t kind; /* enum inst_kind */
    uint8_t source_count;
    bool guard_negated;
    bool observes;    /* may poll for a value from another thread (see warp.c) */
    uint8_t signals;  /* bits of enum signal_use */
    bool names_all;   /* `members` is always ALL_LANES, in all lanes */
    bool is_wide;     /* a wide operation (see wide.c) */
    bool follows;     /* in the same stretch as the instruction before it (see stretch.c) */
    uint16_t stretch; /* instructions up to the stretch's end, or 0 outside of a stretch */
    uint16_t step;    /* distance to the next instruction that must run (see stretch.c) */
    uint32_t guard;   /* slot offset of the predicate, or NO_SLOT */
    uint32_t mode;    /* MODE_DEFAULT, or other MODE_ bits of floats.h */
    uint32_t adds;    /* instructions before this one that add or multiply floats (see wide.c) */
    struct slot dst;
    union {
        struct slot src[4];
        struct {
            struct slot unused[3], members; /* the mask of lanes that a KIND_MEET waits for */
        };
    };
    union {
        struct {
            lane_fn *inner; /* runs in `mode`; fp_run() then flushes and saturates the result */
            bool flush;     /* .ftz of an instruction whose result the CPU does not flush itself */
            bool saturate;
        } fp;
        struct {
            compare_fn *compare;
            struct slot second; /* q if the result is p|q, otherwise NO_SLOT */
            uint32_t yes;       /* the bits that `set` writes for true */
            /* '&', '|' or '^', which combines the result with the third source, or 0 */
            uint8_t combine;
            /* the type of 16-bit floats, which are compared as f64; 0 for other types */
            uint8_t half;
            bool ftz; /* flush denormals of these floats */
        } set;
        struct {
            const struct half_row *row;
            uint8_t type; /* f16, bf16 or a pair of them, as enum ptx_type */
            bool ftz, saturate, relu;
        } half;
        struct {
            struct slot from; /* a predicate: the carry before the operation, or zero */
            struct slot to;   /* a predicate: the carry after the operation, or NO_SLOT */
            uint8_t part; /* 'l' or 'h' to add the lower or upper half of a * b, or 0 to add a */
            bool is_signed, subtracts;
        } carry;
        struct {
            uint8_t op;      /* enum ptx_opcode */
            uint8_t compare; /* the comparison of vset, as enum ptx_modifier */
            uint8_t bits;    /* width of one part */
            bool d_signed, a_signed, b_signed, saturates, adds;
        } video;
        struct {
            uint8_t to, from; /* enum ptx_type */
            /* mode of rounding to a whole number: 'n', 'z', 'm', 'p', or 0 if not rounded */
            uint8_t round;
            bool saturate, relu;
        } cvt;
        struct {
            int64_t offset;
            struct slot base; /* NO_SLOT if `offset` is the whole address, as for a parameter */
            /* Destinations of a load, or sources of a store: `count` slots. An atomic has `count`
             * sources, then `count` destinations; a 128-bit cas has the new value after them. */
            struct slot *vector;
            /* bounds of the shared array that is accessed; `high` is 0 if unknown */
            uint32_t low, high;
            /* pc of an earlier load or store in the same stretch whose addresses are the same
             * distances apart (see kin.c), or the kernel's code_count if there is none */
            uint32_t kin;
            uint8_t count, bytes, type;
            uint8_t space; /* enum ptx_space */
            uint8_t op;    /* enum ptx_modifier of an atomic, enum ptx_opcode of an mbarrier */
            uint8_t event; /* enum obs_access_kind */
            uint8_t moves; /* enum moves */
            /* The meaning depends on the instruction. mbarrier: it has .noComplete, .parity or
             * .noinc. Atomic: it adds the constant 1. ldmatrix, stmatrix: it has .trans. wmma.load,
             * wmma.store: the adjacent numbers that a lane holds are not adjacent in memory. */
            bool variant;
            /* Shape of a matrix (see matrix.c). For bulk copies, `rows` is the number of
             * coordinates, or 0 if there is no tensor map. */
            uint8_t rows, columns, pack;
            uint8_t word;  /* index in its quad */
            uint32_t quad; /* number of the load's quad (see quads.c), or 0 */
        } mem;
        struct {
            /* pcs of the branch's target and of the instruction where the lanes reconverge */
            uint32_t target, meet;
        } branch;
        struct {
            struct slot vote; /* predicate of a barrier with .red, or NO_SLOT */
            uint8_t op;       /* operation of .red: popc, and, or (enum ptx_modifier) */
            bool arrives;     /* arrives without waiting */
            bool aligned;     /* all lanes of a warp must reach the barrier together */
            bool of_cluster;
            bool relaxed; /* .relaxed: the arrival orders no memory accesses */
        } barrier;
        struct {
            /* number of the latest copy groups that may still be pending after the wait */
            uint32_t pending;
        } wait;
        struct {
            const struct ptx_instruction *in; /* its operands are target, parameters and results */
            /* index of the called image, or NO_IMAGE if src[0] is the function's address */
            uint32_t image;
        } call;
        struct {
            uint32_t special; /* an enum ptx_special, or for isspacep an enum ptx_space */
            bool back;        /* cvta.to, which converts from a generic address */
        } read;
        struct {
            /* Results, or values to store. The level or the gradients, if any, follow. The
             * coordinates are in src[]. */
            struct slot *vector;
            struct slot handle;
            struct slot resident; /* predicate destination, or NO_SLOT */
            uint8_t dims;         /* number of coordinates */
            uint8_t count, bytes; /* number and size of the values of a surface access */
            uint8_t component;    /* index of the component that tld4 gathers */
            /* action on a surface access out of bounds: trap, clamp or zero (enum ptx_modifier) */
            uint8_t outside;
            uint8_t way; /* .level or .grad (enum ptx_modifier), or 0 */
            bool is_integer, layered, cube;
        } texture;
        struct {
            uint8_t op; /* modifier of vote, shfl, match or redux (enum ptx_modifier) */
            bool is_signed;
            struct slot second;
            /* for products: the registers of matrices d, a, b and c, in this order */
            struct slot *vector;
            /* number of registers of each matrix, and its type (enum ptx_type) */
            uint8_t count[4], types[4];
            uint8_t m, n;
            uint16_t k;
            /* for mma.m8n8k4 of f16: bit 0 is set, and bits 1 and 2 say whether a and b are stored
             * by column; otherwise 0 */
            uint8_t layout;
        } warp;
    };
};

_Static_assert(sizeof(struct inst) == 128, "an instruction takes more than two cache lines");

#define NO_IMAGE    UINT32_MAX
#define VECTOR_ROOM 10 /* maximum slots in an instruction's vectors; tex.grad.3d has 10 */
#define MATRIX_ROOM 32 /* additional slots for the four matrices of a product */

/* One function's part of a kernel's code. */
struct image {
    const struct ptx_function *function;
    /* pcs; `end` is the pc of an exit that the decoder adds after the last instruction */
    uint32_t start, end;
    uint32_t register_bytes; /* bytes of the registers in a frame */
    /* bytes of parameters and results per lane in a frame; a multiple of 16 */
    uint32_t frame_bytes;
    uint32_t local_slot; /* slot that holds the address of the frame's local memory, or NO_SLOT */
    /* number of bytes to add to the offsets of the function's own shared variables */
    uint32_t shared_shift;
    uint64_t address;        /* value of a pointer to the function */
    uint32_t first_register; /* number of registers in all images before this one */
    uint32_t *slots;         /* offset of each register of the function in a frame */
    /* slot with each register's value if the value never changes, otherwise NO_SLOT */
    struct slot *fixed;
    bool needs_zeros; /* a register may be read before it is written */
};

/* A part of the kernel's parameters that is in BANK_LAUNCH: `bytes` bytes from offset `at` on. */
struct parameter {
    uint32_t at, offset; /* `at` is an offset in the parameters, `offset` an offset in the bank */
    unsigned bytes;
};

/* An instruction that runs when the bank of its result is filled (see fixed.c). */
struct early {
    lane_fn *run;
    uint32_t pc;
};

struct early_list {
    struct early *list;
    uint32_t count;
};

struct shared_variable {
    const struct ptx_variable *variable;
    /* offset in a CTA's shared memory; for an array without a size, see kernel_dynamic_shared() */
    uint32_t at;
};

/* A kernel with all functions that it may call. It is read-only while it runs. */
struct kernel {
    const struct ptx_module *module;
    /* the kernel's function, which is also the function of the first image */
    const struct ptx_function *function;
    struct image *images;
    uint32_t image_count;
    struct inst *code;
    uint32_t code_count; /* instructions of all images, including the added exits */
    uint8_t *constants;
    /* bytes of BANK_LAUNCH, BANK_CTA and BANK_WARP; 0 for the other banks */
    uint32_t bank_bytes[BANK_COUNT];
    uint32_t registers; /* estimated registers per thread */
    /* index of the first instruction that computes with a possibly unwritten register, or of the
     * function's end; only for the kernel's own function */
    uint32_t unwritten;
    uint32_t register_count; /* number of PTX registers in all images */
    uint32_t shared_bytes;   /* bytes of static shared memory of a CTA */
    /* largest alignment of the shared arrays without a size, or 0 if there are none */
    uint32_t dynamic_align;
    struct shared_variable *shared; /* shared variables that the code names (layout.c) */
    uint32_t shared_count;
    uint32_t local_bytes; /* bytes of local memory per thread, for variables and the stack */
    /* offset of each special register in its bank, or NO_SLOT */
    uint32_t special[PTX_SPECIAL_COUNT];
    struct parameter *parameters; /* the parts of the parameters in BANK_LAUNCH */
    uint32_t parameter_count;
    struct early_list early[BANK_COUNT]; /* for each bank, in the order of the code */
    struct slot *vectors;                /* memory for the vectors of all instructions */
    uint32_t vector_count, constant_room;
    uint32_t quad_count;
    bool uses_heap;             /* calls malloc */
    bool reads_clock;           /* reads clocks or timers */
    bool uses_stack;            /* calls functions or alloca */
    bool takes_param_addresses; /* contains cvta.param, and so needs addresses of its parameters */
    uint64_t params_at;         /* generic address of its parameters, or 0 before they have one */
    struct emu_param *params;
};

/* The reason why a function cannot be decoded, as one line of text, and the source line of the
 * cause. */
struct refusal {
    char why[400];
    struct source_line at;
};

/* Decodes FUNCTION. On failure, returns NULL and sets *REFUSAL. SYMBOL returns the address of a
 * module variable. */
typedef uint64_t symbol_fn(void *context, const struct ptx_variable *variable);
struct kernel *kernel_decode(const struct ptx_module *module, const struct ptx_function *function,
                             symbol_fn *symbol, void *context, struct refusal *refusal);
void kernel_free(struct kernel *kernel);
/* Makes all later loads from MEMORY return wrong values. A check does this to find out whether a
 * kernel's results depend on MEMORY. */
void kernel_scramble(struct kernel *kernel, enum emu_scramble memory);
/* Prepares a launch that runs its warps in reverse order (see emu_options.backwards). After an
 * atomic whose old value the code uses, the lanes continue separately until they wait for each
 * other. This exposes kernels in which a lane relies on the progress of other lanes. */
void kernel_part_lanes(struct kernel *kernel);
/* Returns the offset at which dynamic shared memory begins: after the static part. */
static inline uint32_t kernel_dynamic_shared(const struct kernel *kernel)
{
    uint32_t align = kernel->dynamic_align > 16 ? kernel->dynamic_align : 16;
    return (kernel->shared_bytes + align - 1) & ~(align - 1);
}
/* kernel_line() returns the source line of the instruction at PC. kernel_image() returns the image
 * that contains the instruction. */
struct source_line kernel_line(const struct kernel *kernel, uint32_t pc);
const struct image *kernel_image(const struct kernel *kernel, uint32_t pc);

/* Returns the value of a pointer to FUNCTION. */
uint64_t kernel_function_address(const struct ptx_function *function);

#endif
