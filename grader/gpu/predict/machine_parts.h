/* The state of the translation of one function to machine instructions, shared by choose.c, fuse.c,
 * hoist.c, region.c, values.c and machine.c. */
#ifndef GPU_PREDICT_MACHINE_PARTS_H
#define GPU_PREDICT_MACHINE_PARTS_H

#include "gpu/analyse/blocks.h"
#include "gpu/analyse/operands.h"
#include "gpu/predict/machine.h"

/* The facts about a register of the function that is being translated. */
struct fact {
    uint32_t defs, def; /* number of instructions that write it, and the last one */
    uint32_t uses, use; /* number of instructions that read it, and the last one */
    /* number of readers that are additions, and number of readers that use it as an address */
    uint32_t adds, addresses;
    bool varies; /* lanes may have different values */
};

/* The translation of a PTX instruction; the first three members are as in machine.def. */
struct choice {
    uint8_t pipe, count, depth;
    /* The instruction needs no machine instruction of its own, because it only renames a value, or
     * is fused into the instructions that use its result. These then depend on its sources. */
    bool is_free;
};

/* The reciprocal of the register `divisor`, which ptxas computes before the loop that begins at
 * instruction `loop` (hoist.c). The computation has `count` machine instructions and a depth of
 * `depth` (machine.def). */
struct hoisted {
    uint32_t loop, divisor;
    uint8_t count, depth;
};
#define HOISTED 16u /* at most this many reciprocals in a function */
#define NO_LOOP UINT32_MAX

struct pass {
    const struct launch_view *launch;
    const struct ptx_function *function;
    struct machine *machine;
    uint32_t first_pc, first_register;
    struct fact *facts;
    struct choice *choices;
    struct hoisted hoisted[HOISTED];
    uint32_t hoisted_count;
    uint32_t at; /* index of the current instruction */
    struct op *op;
    bool varies_here, has_changed; /* used by find_varying() */
};

/* --- choose.c: translates a single instruction ------------------------------------------------ */

struct choice choose(const struct pass *pass, const struct ptx_instruction *in);
/* Returns whether ptxas adds to IN a branch to a subroutine for denormal or infinite operands. */
bool has_slow_path(const struct ptx_instruction *in);
/* Returns the letter that machine.def uses for TYPE: 'i', 'l', 'f', 'h', 'd' or 'p'. */
char class_of(uint8_t type);
/* Returns whether IN accesses parameters. */
bool is_parameter(const struct ptx_instruction *in);

/* --- fuse.c: fuses several instructions into one ---------------------------------------------- */

/* Finds the facts about all registers. */
void find_facts(struct pass *pass);
/* Marks the instructions that are fused into others, and changes the translations of both. */
void fuse(struct pass *pass);
/* Returns the facts about IN's result, if no other instruction writes it, otherwise NULL. */
const struct fact *result_of(const struct pass *pass, const struct ptx_instruction *in);
static inline bool has_immediate(const struct ptx_instruction *in)
{
    return in->operand_count > 2 && in->operands[2].kind == PTX_IMMEDIATE;
}

/* --- machine.c: adds instructions ------------------------------------------------------------- */

/* Adds an op with no properties. Returns NULL when out of memory. */
struct op *machine_new_op(struct machine *machine);
/* Adds register REG to the sources of pass->op. If the instruction that writes REG is free, adds
 * that instruction's sources instead. */
void machine_read(struct pass *pass, uint32_t reg);

/* --- region.c: joins blocks, as ptxas does ---------------------------------------------------- */

/* Adds the regions of the function, whose blocks in the machine begin at FIRST. Returns false when
 * out of memory. */
bool add_regions(struct pass *pass, const struct blocks *blocks, uint32_t first);

/* --- hoist.c: moves computations out of loops ------------------------------------------------- */

/* Splits each division whose divisor does not change in its loop. The computation of the divisor's
 * reciprocal is moved out of the loop, to pass->hoisted. */
void hoist(struct pass *pass);

/* --- values.c: finds facts about values that ptxas knows -------------------------------------- */

/* Returns how many of the lowest bits of register REG are known to be zero. Follows chains of at
 * most DEPTH instructions. */
unsigned aligned_bits(const struct pass *pass, uint32_t reg, unsigned depth);
/* Finds the registers whose values may differ between the lanes of a warp. */
void find_varying(struct pass *pass);
/* Returns whether ptxas can see that ADDRESS is the same for all lanes. */
bool is_uniform_address(const struct pass *pass, const struct ptx_operand *address);

#endif
