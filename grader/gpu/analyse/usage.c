/* Estimates a kernel's number of registers in two steps. It counts the values that are live at the
 * same time, then predicts from them the number of registers that ptxas chooses.
 *
 * Count: a 64-bit value counts twice. Predicates do not count, because they have their own
 * registers. Values that are the same for all threads (parameters, block indices, constants and
 * sums of these) are called uniform. They do not count either, because they are in constant memory
 * and in uniform registers. ptxas moves loads to earlier positions, so that more loads are pending
 * at the same time. `hoisted` is the number of values that are live in that order.
 *
 * Prediction: a sum with a term for each field of struct usage. Its coefficients were fitted by
 * least absolute errors to the numbers of registers that ptxas 13.0 chooses for 685 kernels of
 * public programs, for sm_90. For 327 other kernels, half of the estimates are within 2 registers,
 * 90 % are within 6, and 96 % lead to the same occupancy with blocks of 256 threads. */
#include "gpu/analyse/usage.h"

#include <math.h>
#include <stdlib.h>

#include "gpu/analyse/liveness.h"
#include "gpu/analyse/operands.h"
#include "gpu/device.h"
#include "gpu/occupancy.h"

struct value {
    uint32_t writes; /* number of instructions that write the register */
    /* hardware registers that the value takes, or 0 for a predicate or a uniform value */
    uint8_t weight;
    bool uniform;
    bool live;
};

struct walk {
    const struct ptx_function *function;
    struct liveness liveness;
    struct value *values; /* one entry for each register */
    uint32_t *order;      /* order in which the instructions of a block are visited */
    bool *early;          /* whether each instruction is a load or computes a load's address */
    /* number of registers needed at the current instruction, and the largest such number so far */
    uint32_t pressure, peak;
};

/* --- uniform values --------------------------------------------------------------------------- */

static void count_write(void *context, uint32_t reg)
{
    struct walk *w = context;
    w->values[reg].writes++;
}

/* Returns whether the GPU's uniform datapath can execute the instruction. It can execute some moves
 * and integer instructions. */
static bool is_uniform_alu(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
        return true;
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_not:
    case PTX_OP_neg:
    case PTX_OP_shl:
    case PTX_OP_shr:
    case PTX_OP_cvt:
        return in->type_count && ptx_type_class(in->types[in->type_count - 1]) != 'F';
    default:
        return false;
    }
}

static bool is_uniform_special(uint32_t special)
{
    return special >= PTX_SPECIAL_ntid_x && special <= PTX_SPECIAL_nctaid_z;
}

struct sources {
    const struct walk *walk;
    bool uniform;
};

static void check_source(void *context, uint32_t reg)
{
    struct sources *s = context;
    s->uniform &= s->walk->values[reg].uniform;
}

/* Returns whether the instruction's result is the same for all threads. */
static bool is_uniform(const struct walk *w, const struct ptx_instruction *in)
{
    if (in->guard != PTX_NONE)
        return false;
    if (in->opcode == PTX_OP_ld)
        return w->function->is_kernel && ptx_space_of(in) == PTX_PARAM &&
               in->operands[1].index == PTX_NONE;
    if (in->opcode == PTX_OP_mov && in->operands[1].kind == PTX_SPECIAL_REGISTER)
        return is_uniform_special(in->operands[1].index);
    struct sources sources = {w, is_uniform_alu(in)};
    if (sources.uniform)
        operands_read(in, check_source, &sources);
    return sources.uniform;
}

static void mark_uniform(void *context, uint32_t reg)
{
    struct walk *w = context;
    struct value *value = &w->values[reg];
    if (value->writes == 1 && value->weight) {
        value->uniform = true;
        value->weight = 0;
    }
}

static void weigh(struct walk *w)
{
    const struct ptx_function *f = w->function;
    for (uint32_t i = 0; i < f->register_count; i++) {
        unsigned bytes = ptx_type_bytes(f->registers[i].type);
        w->values[i].weight = (uint8_t)((bytes + 3) / 4);
    }
    for (uint32_t i = 0; i < f->code_count; i++)
        operands_written(&f->code[i], count_write, w);
    for (uint32_t i = 0; i < f->code_count; i++)
        if (is_uniform(w, &f->code[i]))
            operands_written(&f->code[i], mark_uniform, w);
}

/* --- register pressure ------------------------------------------------------------------------ */

static void mark_live(void *context, uint32_t reg)
{
    struct walk *w = context;
    if (!w->values[reg].live)
        w->pressure += w->values[reg].weight;
    w->values[reg].live = true;
}

static void mark_dead(void *context, uint32_t reg)
{
    struct walk *w = context;
    if (w->values[reg].live)
        w->pressure -= w->values[reg].weight;
    w->values[reg].live = false;
}

static void note_peak(struct walk *w, uint32_t more)
{
    if (w->pressure + more > w->peak)
        w->peak = w->pressure + more;
}

/* Returns the number of additional registers that the instruction needs for uniform addresses.
 * These must be copied, because the memory unit cannot read uniform registers. */
static uint32_t copied_addresses(const struct walk *w, const struct ptx_instruction *in)
{
    uint32_t registers = 0;
    for (uint32_t k = 0; k < in->operand_count; k++) {
        const struct ptx_operand *op = &in->operands[k];
        if (op->kind == PTX_ADDRESS && op->index != PTX_NONE && w->values[op->index].uniform)
            registers += 2;
    }
    return registers;
}

/* Visits the instructions of a block from last to first, in the order of w->order, and updates the
 * peak of the register pressure. */
static void walk_block(struct walk *w, uint32_t block, uint32_t count)
{
    const struct ptx_function *f = w->function;
    liveness_after(&w->liveness, block, mark_live, w);
    note_peak(w, 0);
    for (uint32_t i = count; i-- > 0;) {
        const struct ptx_instruction *in = &f->code[w->order[i]];
        operands_written(in, mark_live, w); /* even a result that is never read needs a register */
        note_peak(w, 0);
        if (in->guard == PTX_NONE)
            operands_written(in, mark_dead, w);
        operands_read(in, mark_live, w);
        note_peak(w, copied_addresses(w, in));
    }
    /* mark all values as dead again */
    for (uint32_t i = 0; i < count; i++) {
        operands_written(&f->code[w->order[i]], mark_dead, w);
        operands_read(&f->code[w->order[i]], mark_dead, w);
    }
    liveness_after(&w->liveness, block, mark_dead, w);
}

/* --- loads first ------------------------------------------------------------------------------ */

static bool is_load(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    if (in->opcode == PTX_OP_ld || in->opcode == PTX_OP_ldu)
        return space != PTX_PARAM && space != PTX_FRAME && space != PTX_CONST;
    return in->opcode == PTX_OP_tex || in->opcode == PTX_OP_suld;
}

/* Returns whether loads must not move across the instruction. */
static bool is_fence(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_membar:
    case PTX_OP_fence:
    case PTX_OP_shfl:
    case PTX_OP_call:
        return true;
    default:
        return false;
    }
}

static void need(void *context, uint32_t reg)
{
    struct walk *w = context;
    w->values[reg].live = true;
}

static void need_no_more(void *context, uint32_t reg)
{
    struct walk *w = context;
    w->values[reg].live = false;
}

struct wanted {
    const struct walk *walk;
    bool found;
};

static void find_needed(void *context, uint32_t reg)
{
    struct wanted *wanted = context;
    wanted->found |= wanted->walk->values[reg].live;
}

/* Marks the loads among the instructions from START to END - 1, and the instructions that compute
 * their addresses. */
static void mark_early(struct walk *w, uint32_t start, uint32_t end)
{
    const struct ptx_instruction *code = w->function->code;
    for (uint32_t i = end; i-- > start;) {
        struct wanted wanted = {w, is_load(&code[i])};
        operands_written(&code[i], find_needed, &wanted);
        w->early[i] = wanted.found;
        if (wanted.found)
            operands_read(&code[i], need, w);
    }
    for (uint32_t i = start; i < end; i++)
        operands_read(&code[i], need_no_more, w);
}

static void order_loads_first(struct walk *w, uint32_t start, uint32_t end)
{
    uint32_t *next = w->order;
    for (uint32_t stretch = start, i = start; i < end; i++) {
        if (i + 1 < end && !is_fence(&w->function->code[i]))
            continue;
        mark_early(w, stretch, i + 1);
        for (unsigned late = 0; late < 2; late++)
            for (uint32_t k = stretch; k <= i; k++)
                if (w->early[k] != late)
                    *next++ = k;
        stretch = i + 1;
    }
}

/* --- usage ------------------------------------------------------------------------------------ */

static void measure(struct walk *w, struct usage *usage)
{
    const struct blocks *blocks = &w->liveness.blocks;
    for (unsigned hoist = 0; hoist < 2; hoist++) {
        w->peak = 0;
        for (uint32_t b = 0; b < blocks->count; b++) {
            uint32_t start = blocks->first[b], end = blocks->first[b + 1];
            for (uint32_t i = start; i < end; i++)
                w->order[i - start] = i;
            if (hoist)
                order_loads_first(w, start, end);
            walk_block(w, b, end - start);
        }
        *(hoist ? &usage->hoisted : &usage->live) = w->peak;
    }
}

/* Sets a flag in USAGE if ptxas expands the instruction to a sequence of instructions, which needs
 * temporary registers. */
static void note_sequence(struct usage *usage, const struct ptx_instruction *in)
{
    uint8_t type = in->type_count ? in->types[in->type_count - 1] : PTX_pred;
    bool divides = in->opcode == PTX_OP_div || in->opcode == PTX_OP_rem;
    bool exact = (divides || in->opcode == PTX_OP_sqrt || in->opcode == PTX_OP_rcp) &&
                 !ptx_has(in, PTX_MOD_approx) && !ptx_has(in, PTX_MOD_full);
    usage->calls |= in->opcode == PTX_OP_call;
    usage->divides_f32 |= exact && type == PTX_f32;
    usage->divides_f64 |= exact && type == PTX_f64;
    if (divides && ptx_type_class(type) != 'F')
        *(ptx_type_bytes(type) == 8 ? &usage->divides_long : &usage->divides) = true;
}

bool analyse_usage(const struct ptx_function *function, struct usage *usage)
{
    struct walk w = {.function = function};
    *usage = (struct usage){.instructions = function->code_count};
    w.values = calloc((size_t)function->register_count + 1, sizeof *w.values);
    w.order = malloc(((size_t)function->code_count + 1) * sizeof *w.order);
    w.early = malloc(((size_t)function->code_count + 1) * sizeof *w.early);
    bool ok = w.values && w.order && w.early && liveness_find(function, &w.liveness);
    if (ok) {
        weigh(&w);
        measure(&w, usage);
    }
    for (uint32_t i = 0; i < function->code_count; i++)
        note_sequence(usage, &function->code[i]);
    liveness_free(&w.liveness);
    free(w.values);
    free(w.order);
    free(w.early);
    return ok;
}

/* --- registers -------------------------------------------------------------------------------- */

#define UNIT  8u /* a thread's number of registers is a multiple of this */
#define LEAST 8u
/* minimum registers of a kernel with calls, because of the calling convention */
#define LEAST_CALLING 24u
/* if at most this number of values is live, ptxas uses at most FREE registers */
#define FREE_LIVE 24u
/* maximum registers per thread with which an SM can hold its maximum of warps */
#define FREE 32u

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t beyond(uint32_t value, uint32_t from)
{
    return value > from ? value - from : 0;
}

uint32_t usage_registers(const struct usage *u)
{
    double estimate = 1 + 1.25 * log2(1.0 + u->instructions); /* long code needs more registers */
    estimate += smaller(u->live, 12);
    estimate += 0.6 * beyond(smaller(u->live, FREE), 12);
    estimate += beyond(u->live, FREE);
    estimate += 0.5 * beyond(smaller(u->hoisted, FREE), u->live);
    estimate += 11 * u->calls + 1.5 * u->divides + 5 * u->divides_long;
    estimate += 4 * u->divides_f32 + 9 * u->divides_f64;
    uint32_t registers = (uint32_t)(estimate + 0.5), least = u->calls ? LEAST_CALLING : LEAST;
    if (u->live <= FREE_LIVE)
        registers = smaller(registers, FREE);
    return smaller(registers < least ? least : registers, USAGE_MOST);
}

uint32_t usage_limit(const struct ptx_function *kernel)
{
    uint32_t limit = USAGE_MOST;
    if (kernel->max_registers)
        limit = smaller(limit, kernel->max_registers);
    if (kernel->bounds_threads) {
        uint32_t warps = (kernel->max_threads + EMU_WARP_SIZE - 1) / EMU_WARP_SIZE;
        uint32_t ctas = kernel->min_ctas ? kernel->min_ctas : 1;
        /* .minnctapersm asks for more warps than an SM can hold, so ptxas ignores it */
        if (warps * ctas > EMU_SM_WARPS)
            ctas = 1;
        limit = smaller(limit, EMU_SM_REGISTERS / EMU_WARP_SIZE / (warps * ctas) / UNIT * UNIT);
    }
    return limit;
}
