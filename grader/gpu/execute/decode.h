/* The state of the decoder, and the functions that its files share.
 *
 *   slots.c          slots of operands: registers, constants, addresses
 *   layout.c         places of shared variables
 *   decode_opcodes.c the table of opcodes
 *   decode_value.c   arithmetic, comparison, moves
 *   decode_convert.c conversion of values and addresses
 *   decode_memory.c  loads, stores, atomics, alloca
 *   decode_async.c   asynchronous copies, mbarriers
 *   decode_texture.c textures and surfaces
 *   decode_lanes.c   exchange between the lanes of a warp
 *   decode_matrix.c  matrices that a warp's lanes hold together
 *   decode_control.c barriers, branches, calls, fences
 *   fixed.c          registers whose value never changes
 *   stretch.c        instructions that are executed without a check between them
 *   fuse.c           multiplications in the computation of addresses
 *   decode.c         the kernel as a whole
 *
 * The decoder keeps only the first error, and discards a kernel that has an error. */
#ifndef GPU_EXECUTE_DECODE_H
#define GPU_EXECUTE_DECODE_H

#include "gpu/execute/kernel.h"

#define SLOT_ALIGN 64u /* bytes of a cache line and of the widest vector register */

struct constant {
    uint64_t value;
    uint32_t offset;
    unsigned bytes;
};

struct decoder {
    struct kernel *kernel;
    struct image *image;              /* the function being decoded */
    const struct ptx_instruction *in; /* the instruction being decoded */
    struct inst *out;
    uint32_t pc;         /* index in the kernel's code */
    uint32_t *image_of;  /* index of each function's image, or NO_IMAGE */
    uint32_t *shared_at; /* offset of each module-scope shared variable (see layout.c) */
    struct slot carry;   /* register for the carry of the image's .cc instructions */
    uint32_t *meet;      /* see analyse_reconvergence() */
    bool *is_reduction;  /* see analyse_reductions() */
    bool *polls;         /* see analyse_polls() */
    const struct ptx_variable **origins; /* see analyse_origins() */
    struct constant *constants;
    uint32_t constant_count, constant_room;
    uint32_t constants_used; /* bytes of the kernel's constants */
    symbol_fn *symbol;
    void *context;
    bool failed;
    struct refusal *refusal;
};

static const struct slot no_slot = {.offset = NO_SLOT};

static inline enum ptx_type decode_type_of(const struct decoder *d)
{
    return (enum ptx_type)d->in->types[0];
}

__attribute__((format(printf, 2, 3))) void decode_fail(struct decoder *d, const char *format, ...);
void decode_unsupported(struct decoder *d);

/* Reserves space in a bank whose first *USED bytes are in use: 32 values of BYTES each or, if BYTES
 * is 0, one 32-bit word for a predicate. Advances *USED and returns the offset of this space. */
uint32_t decode_take_slot(uint32_t *used, unsigned bytes);
/* Returns a slot that holds VALUE for all 32 lanes. If BYTES is 0, the slot is one 32-bit word for
 * a predicate. Equal constants share a slot. */
struct slot decode_constant_slot(struct decoder *d, uint64_t value, unsigned bytes);
/* Makes d->out wait for the lanes that MEMBERS names. */
void decode_meet(struct decoder *d, struct slot members);
struct slot decode_register_slot(const struct decoder *d, uint32_t index);
/* Finds the registers of the image that have fixed values (fixed.c). Returns false on failure.
 * Afterwards, decode_is_fixed() returns whether d->in sets such a register, and decode_is_copy()
 * whether it only copies the register's value. Otherwise, after d->in was decoded,
 * decode_run_early() makes it run when the bank of its result is filled. */
bool decode_fixed(struct decoder *d);
bool decode_is_fixed(const struct decoder *d);
bool decode_is_copy(const struct decoder *d);
void decode_run_early(struct decoder *d);
/* Places the shared variables that the kernel's images use (layout.c). Afterwards,
 * decode_shared_address() returns the address of such a variable in d->image. */
void decode_place_shared(struct decoder *d);
uint64_t decode_shared_address(const struct decoder *d, const struct ptx_variable *variable);
/* Returns a variable's address in its own state space. A local variable's address is relative to
 * the local memory of its function. */
uint64_t decode_variable_address(struct decoder *d, const struct ptx_variable *variable);

/* decode_source() returns the slot of an operand that the instruction reads, decode_destination()
 * the slot of an operand that it writes. Decoding fails unless the operand has BYTES bytes for each
 * lane. */
struct slot decode_source(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                          unsigned bytes);
struct slot decode_destination(struct decoder *d, const struct ptx_operand *op, unsigned bytes);
struct slot decode_predicate_source(struct decoder *d, const struct ptx_operand *op);
struct slot decode_predicate_destination(struct decoder *d, const struct ptx_operand *op);
/* Decodes the elements of {a, b, c, d} into d->out->mem.vector. Each element must be NEEDED bytes
 * wide. It may be wider if EXTENDS is true, as in loads and stores. IS_LOAD says that the
 * instruction writes the elements. */
void decode_vector(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                   unsigned needed, bool is_load, bool extends);

/* Returns the number of elements that .v2 or .v4 states, or 1 if the instruction has neither. */
unsigned decode_vector_width(const struct ptx_instruction *in);

/* Decodes a 128-bit register into d->out->mem.vector as two 64-bit halves, the lower half first. If
 * the instruction writes it, the operand can also be _. */
void decode_halves(struct decoder *d, const struct ptx_operand *op, bool is_written);

/* Decodes the address OP into d->out->mem. If SPACE is generic or .param and OP names a variable,
 * uses the variable's own space instead. */
void decode_address(struct decoder *d, const struct ptx_operand *op, enum ptx_space space);

/* Decodes the instruction at PC of the kernel's code (decode_opcodes.c). */
void decode_instruction(struct decoder *d, uint32_t pc);

/* Decodes d->in to d->out. */
typedef void decode_fn(struct decoder *d);
/* decode_value.c */
decode_fn decode_alu, decode_sum, decode_carry, decode_dot, decode_logic, decode_video;
decode_fn decode_setp, decode_set, decode_testp, decode_selp, decode_slct;
decode_fn decode_mov;
/* decode_convert.c */
decode_fn decode_cvt, decode_cvta, decode_in_space, decode_cluster_address;
/* decode_memory.c */
decode_fn decode_load, decode_store, decode_atomic, decode_policy, decode_stack;
/* decode_async.c */
decode_fn decode_copy, decode_bulk, decode_async_store, decode_tensor_copy, decode_copy_groups;
decode_fn decode_mbarrier;
/* decode_texture.c */
decode_fn decode_texture, decode_surface;
/* decode_lanes.c */
decode_fn decode_shfl, decode_vote, decode_match, decode_redux, decode_elect, decode_activemask;
/* decode_matrix.c */
decode_fn decode_matrix, decode_product, decode_rows, decode_transposition;
/* decode_control.c */
decode_fn decode_branch, decode_call, decode_return, decode_exit, decode_trap;
decode_fn decode_barrier, decode_barrier_reduction, decode_barrier_arrival, decode_cluster_barrier;
decode_fn decode_fence, decode_nanosleep, decode_hint;

/* Returns the instruction's rounding mode and .ftz, as struct inst keeps them. */
uint32_t decode_mode_of(const struct ptx_instruction *in);
/* Returns the operation of an atomic or redux as a modifier, or PTX_MOD_COUNT if there is none. */
uint8_t decode_operation(const struct ptx_instruction *in);

/* Divides the code into stretches (stretch.c). Returns false when out of memory. */
bool stretches_find(struct kernel *kernel);
/* Makes multiplications in the computation of addresses faster (fuse.c). Call this after
 * stretches_find(). Returns false when out of memory. */
bool products_fuse(struct kernel *kernel);

#endif
