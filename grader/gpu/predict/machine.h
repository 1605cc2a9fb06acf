/* Translates a kernel to the code that a GPU executes. This is an estimate of the code that ptxas
 * would produce.
 *
 * ptxas is not run: a program may contain only PTX, and it would be hard to find the machine
 * instructions that belong to each PTX instruction that the emulator executed. Instead, machine.c
 * translates each instruction by a table (machine.def) and a few rules of fusion, and schedule.c
 * moves loads up and unrolls short loops, as ptxas does. An example without a branch:
 *
 *   PTX                              machine
 *   mul.wide.s32 %rd4, %r1, 4;       (fused)
 *   add.s64      %rd5, %rd1, %rd4;   IMAD.WIDE R4, R1, 4, c[a]
 *   ld.global.f32 %f1, [%rd5];       LDG R6, [R4]
 *   add.f32      %f2, %f2, %f1;      FADD R7, R7, R6 */
#ifndef GPU_PREDICT_MACHINE_H
#define GPU_PREDICT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/view.h"

enum pipe {
    PIPE_FP32,
    PIPE_IMAD,
    PIPE_ALU,
    PIPE_ADD,
    PIPE_FP64,
    PIPE_SFU,
    PIPE_MATRIX,
    PIPE_MEMORY,
    PIPE_CONTROL,
    PIPES
};

enum op_kind {
    OP_PLAIN,
    OP_MEMORY,  /* a load, store or atomic; the sample (sample.h) has its addresses */
    OP_SPILL,   /* a store or load of a spilled value; `offset` is the register of this value */
    OP_INDEX,   /* reads the index of a thread */
    OP_SHUFFLE, /* goes through shared memory's crossbar */
    OP_TEXTURE,
    OP_BARRIER,
    OP_COMMIT,      /* ends a group of the warp's cp.async */
    OP_WAIT_COPIES, /* waits until the warp's cp.async are complete (see `pending`) */
    OP_BRANCH,
    OP_FENCE,
    OP_GONE, /* merged into another op and about to be removed */
};

/* wait for all of the warp's cp.async, including those in no group yet */
#define WAIT_ALL   UINT8_MAX
#define OP_SOURCES 6
#define OP_RESULTS 4
#define NO_BLOCK   UINT32_MAX
#define NO_BASE    UINT32_MAX

/* A machine instruction, or `count` machine instructions that replace one PTX instruction. `depth`
 * is the length of the longest chain of dependent instructions among them (machine.def). */
struct op {
    uint32_t pc; /* the pc of the PTX instruction */
    uint8_t kind, pipe;
    uint8_t count, depth;
    uint8_t copy;  /* in an unrolled loop, the number of the iteration */
    bool is_load;  /* an access that returns a value in a register */
    bool is_async; /* a cp.async */
    /* for OP_WAIT_COPIES, how many of the latest groups of cp.async may still be in flight, or
     * WAIT_ALL */
    uint8_t pending;
    bool is_store;     /* writes memory */
    bool is_read_only; /* ld.nc: reads memory that the kernel does not write */
    uint8_t space;     /* enum ptx_space */
    bool is_guarded;   /* in a region (region.c): the op comes from a block that ptxas predicates */
    /* adds a constant to a 64-bit register, as a loop does to advance a pointer */
    bool is_step;
    /* adds a constant to a register, as a loop does to advance its counter */
    bool is_counter;
    /* an atomic or a load of a constant whose address is the same for all lanes, as far as ptxas
     * can see */
    bool is_uniform;
    bool is_float;   /* an atomic on floats */
    bool is_retried; /* a compare-and-swap in a loop that ends when it succeeds */
    /* a rounded quotient or root, which calls a subroutine for rare operands */
    bool has_slow_path;
    bool reads_three; /* one machine instruction that reads three different registers */
    uint8_t width;    /* number of 32-bit registers of its results */
    /* number of 32-bit loads from shared memory that were merged, or 0 */
    uint8_t merged;
    /* for a load that ptxas may merge with others: the register with its aligned base address,
     * or NO_BASE */
    uint32_t base;
    int32_t offset; /* bytes from that base */
    uint8_t source_count, result_count;
    uint32_t source[OP_SOURCES], result[OP_RESULTS];
};

#define UNROLL 4u /* ptxas unrolls a short loop this many times */

struct machine_block {
    uint32_t first, end; /* pcs */
    /* its ops are machine.ops[ops] to machine.ops[ops + count - 1] */
    uint32_t ops, count;
    /* if ptxas unrolls the block, the ops of UNROLL iterations begin at machine.ops[unrolled];
     * otherwise, unrolled_count is 0 */
    uint32_t unrolled, unrolled_count;
    /* ptxas predicates the next block, because it is short; warps that skip it still issue its
     * instructions */
    bool predicates;
    /* index in machine.blocks of the region that begins with this block (region.c), or NO_BLOCK;
     * the regions of a function follow its blocks */
    uint32_t region;
    bool loops;     /* its last op branches to its first one */
    bool may_spill; /* its function may need more registers than a thread has */
    /* if `may_spill` is true, the registers whose values later blocks use */
    uint32_t *after, after_count;
};

struct machine {
    struct op *ops;
    uint32_t op_count, op_room;
    struct machine_block *blocks;
    uint32_t block_count;
    uint32_t *block_of; /* the block of each pc */
    uint32_t registers; /* every register's number is below this */
    uint32_t room;      /* number of 32-bit registers that ptxas gives a thread */
    /* the maximum number of 32-bit registers that ptxas can give a thread, minus RESERVED
     * (machine.c) */
    uint32_t limit;
    uint8_t *widths; /* for each register, the number of 32-bit registers that it needs */
    uint32_t width_count;
};

/* Translates the launch's code. Returns NULL when out of memory. */
struct machine *machine_make(const struct launch_view *launch);
void machine_free(struct machine *machine);

/* --- schedule.c ------------------------------------------------------------------------------- */

/* If ptxas would unroll BLOCK, a loop that is a single block, adds UNROLL iterations of it. Returns
 * false when out of memory. */
bool machine_unroll(struct machine *machine, struct machine_block *block);
/* Makes room for COUNT more ops. Returns false when out of memory. */
bool machine_reserve(struct machine *machine, uint32_t count);

/* Puts the ops of each block into the order in which ptxas would issue them. Returns false when out
 * of memory. */
bool schedule(struct machine *machine);

/* --- spill.c ---------------------------------------------------------------------------------- */

/* Spills values in the blocks that need more registers than a thread can have. Returns false when
 * out of memory. */
bool spill(struct machine *machine);

#endif
