/* Tracks values that shuffles read from absent lanes. A lane is absent if it does not execute the
 * shuffle. CUDA does not define the value that a shuffle reads from it. Often the program does not
 * use this value: in a sum over 20 lanes, lane 19 reads lane 20, but the program stores only the
 * sum of lane 0. So the emulator reports the shuffle only if the value affects the program's
 * results. It marks such a value, and each value that is computed from it, as tainted:
 *
 *     shfl.down  a, v, 1        lane 19 reads lane 20: a is tainted in lane 19
 *     add        v, v, a        v is tainted in lane 19, too
 *     st.global  [p], v         reported if lane 19 executes it
 *
 * If several lanes store together, and the first of them stores a defined value, the tainted values
 * of the others are not reported. The program may be a reduction by __shfl_down_sync() or
 * __shfl_xor_sync(), in which only the first lane computes the correct sum.
 *
 * For each register, a 32-bit mask holds the lanes in which the register is tainted. A lane that
 * branches on a tainted predicate may take the wrong path. So its stores are reported until the
 * branch reconverges. From then on, all registers that the branch's code writes are tainted in this
 * lane.
 *
 * Only a warp that has executed such a shuffle is tracked; other warps only check that warp->absent
 * is NULL. Taint does not pass through local memory or the parameters of calls. */
#include "gpu/execute/absent.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/operands.h"
#include "gpu/execute/operations.h"

struct origin {
    /* pc of the shuffle, the lane that reads, its members mask, and the lane that it reads from */
    uint32_t pc, lane, mask, source;
};

struct absent {
    struct origin origin[WARP]; /* the shuffle that each lane's tainted values come from */
    uint32_t deciding;          /* lanes that have branched on a tainted predicate */
    uint32_t from, until; /* first pc after the branch, and pc at which its lanes reconverge */
    uint32_t tainted[];   /* for each register, the lanes in which it is tainted */
};

/* An instruction of the PTX, and the taint of its function's registers. */
struct place {
    const struct ptx_instruction *in;
    uint32_t *tainted; /* for each register, the lanes in which it is tainted */
};

static struct place place_at(const struct warp *warp, uint32_t pc)
{
    const struct image *image = kernel_image(warp->cta->launch->kernel, pc);
    bool is_code = pc < image->end; /* the exit at `end` is not in the PTX */
    return (struct place){is_code ? &image->function->code[pc - image->start] : NULL,
                          warp->absent->tainted + image->first_register};
}

/* --- instructions ----------------------------------------------------------------------------- */

struct visit {
    uint32_t *tainted;
    uint32_t found, set, clear; /* masks of lanes */
};

static void find(void *context, uint32_t reg)
{
    struct visit *visit = context;
    visit->found |= visit->tainted[reg];
}

static void change(void *context, uint32_t reg)
{
    struct visit *visit = context;
    visit->tainted[reg] = (visit->tainted[reg] & ~visit->clear) | visit->set;
}

static uint32_t lanes_of(const struct place *place, const struct ptx_operand *op)
{
    bool is_register = op->kind == PTX_REGISTER || op->kind == PTX_PREDICATE;
    return is_register ? place->tainted[op->index] : 0;
}

/* Returns the lanes in which the result of p & q or p | q is tainted. One defined operand can
 * decide the result: p & q is false if q is false, and p | q is true if q is true, even if p is
 * tainted. */
static uint32_t logic_taint(const struct warp *warp, const struct place *place,
                            const struct inst *inst)
{
    uint32_t a = lanes_of(place, &place->in->operands[1]);
    uint32_t b = lanes_of(place, &place->in->operands[2]);
    uint32_t flip = place->in->opcode == PTX_OP_and ? 0 : ALL_LANES;
    uint32_t a_counts = slot_predicate(warp, inst->src[0]) ^ flip;
    uint32_t b_counts = slot_predicate(warp, inst->src[1]) ^ flip;
    return (a & b) | (a & b_counts) | (b & a_counts);
}

/* Copies the origin of the first lane in TAINTED to the ACTIVE lanes that are not in TAINTED. Used
 * for instructions whose result in each lane depends on the values of all lanes. */
static void spread_origin(struct absent *absent, uint32_t tainted, uint32_t active)
{
    for (uint32_t left = tainted ? active & ~tainted : 0; left; left &= left - 1)
        absent->origin[__builtin_ctz(left)] = absent->origin[__builtin_ctz(tainted)];
}

/* Returns the lanes in which the instruction's result is tainted. */
static uint32_t result_taint(const struct warp *warp, const struct place *place,
                             const struct inst *inst, uint32_t active)
{
    const struct ptx_instruction *in = place->in;
    if (in->opcode == PTX_OP_selp) {
        uint32_t first = slot_predicate(warp, inst->src[2]);
        return (lanes_of(place, &in->operands[1]) & first) |
               (lanes_of(place, &in->operands[2]) & ~first) | lanes_of(place, &in->operands[3]);
    }
    if ((in->opcode == PTX_OP_and || in->opcode == PTX_OP_or) && in->types[0] == PTX_pred)
        return logic_taint(warp, place, inst);
    struct visit visit = {.tainted = place->tainted};
    operands_read(in, find, &visit);
    /* in a vote or a similar instruction, each lane's result depends on the values of all lanes */
    if (inst->kind == KIND_MEET) {
        spread_origin(warp->absent, visit.found & active, active);
        return visit.found & active ? active : 0;
    }
    return visit.found;
}

static bool is_store(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    switch (in->opcode) {
    case PTX_OP_st:
        return space != PTX_LOCAL && space != PTX_PARAM && space != PTX_FRAME &&
               !in->operands[0].variable;
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_sust:
        return true;
    default:
        return false;
    }
}

/* --- following -------------------------------------------------------------------------------- */

/* Reports the shuffle that produced the tainted value of LANE. */
static void report(struct warp *warp, unsigned lane)
{
    struct origin origin = warp->absent->origin[lane];
    uint32_t pc = warp->pc;
    warp->pc = origin.pc;
    warp_mask_fault(warp, OBS_ABSENT_LANE, origin.lane, origin.mask, origin.source);
    warp->pc = pc;
    absent_forget(warp);
}

/* Returns the lanes whose tainted values must be reported. ACTIVE are the lanes that execute the
 * store, and STORE the lanes that store a tainted value. */
static uint32_t lanes_to_report(const struct warp *warp, const struct place *place, uint32_t active,
                                uint32_t store)
{
    const struct inst *code = warp->cta->launch->kernel->code;
    if (place->in->opcode != PTX_OP_st || (store & active & -active))
        return store;
    for (uint32_t left = store; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint8_t op = code[warp->absent->origin[l].pc].warp.op;
        if (op == PTX_MOD_down || op == PTX_MOD_bfly)
            store &= ~(1u << l);
    }
    return store;
}

/* Records that LANES branch on a tainted predicate. Ignores this branch if the lanes of an earlier
 * such branch have not reconverged yet. */
static void note_branch(struct absent *absent, uint32_t pc, const struct inst *inst, uint32_t lanes)
{
    if (!lanes || absent->deciding)
        return;
    absent->deciding = lanes;
    absent->from = inst->branch.target < pc ? inst->branch.target : pc + 1;
    absent->until = inst->branch.meet;
}

/* Called when LANES reconverge after a tainted branch. In these lanes, taints all registers that
 * the code between the branch and the reconvergence point writes. */
static void reconverge(struct warp *warp, uint32_t lanes)
{
    struct absent *absent = warp->absent;
    struct visit visit = {.set = absent->deciding & lanes};
    for (uint32_t pc = absent->from; pc < absent->until; pc++) {
        struct place place = place_at(warp, pc);
        visit.tainted = place.tainted;
        if (place.in)
            operands_written(place.in, change, &visit);
    }
    absent->deciding &= ~lanes;
}

void absent_follow(struct warp *warp, uint32_t pc, uint32_t lanes, uint32_t active)
{
    struct absent *absent = warp->absent;
    const struct inst *inst = &warp->cta->launch->kernel->code[pc];
    if (pc == absent->until && absent->deciding & lanes)
        reconverge(warp, lanes);
    struct place place = place_at(warp, pc);
    if (!place.in || inst->run == shfl_run)
        return; /* absent_shuffle() handles shuffles */
    uint32_t guard = place.in->guard == PTX_NONE ? 0 : place.tainted[place.in->guard] & lanes;
    if (inst->kind == KIND_BRANCH) {
        note_branch(absent, pc, inst, guard);
        return;
    }
    active &= lanes;
    uint32_t taint = (result_taint(warp, &place, inst, active) & active) | guard;
    uint32_t stored = is_store(place.in) ? taint | (absent->deciding & active) : 0;
    stored = lanes_to_report(warp, &place, active, stored);
    if (stored) {
        report(warp, (unsigned)__builtin_ctz(stored));
        return;
    }
    struct visit visit = {.tainted = place.tainted, .set = taint, .clear = active};
    operands_written(place.in, change, &visit);
}

/* --- shuffles --------------------------------------------------------------------------------- */

static bool begin(struct warp *warp)
{
    size_t registers = warp->cta->launch->kernel->register_count;
    if (!warp->absent)
        warp->absent = calloc(1, sizeof *warp->absent + registers * sizeof(uint32_t));
    return warp->absent;
}

/* Returns the lanes of MASK that read from an absent lane. The source lane is absent if it does not
 * execute the shuffle, or is not in the reading lane's members mask. */
static uint32_t reading_absent(const uint32_t *source, const uint32_t *members, uint32_t mask)
{
    uint32_t lanes = 0;
    for (unsigned l = 0; l < WARP; l++)
        lanes |= (uint32_t) !((mask & members[l]) >> source[l] & 1) << l;
    return lanes & mask;
}

void absent_shuffle(struct warp *warp, const struct inst *inst, const uint32_t *source,
                    uint32_t mask)
{
    const uint32_t *members = (const uint32_t *)(void *)slot_at(warp, inst->members);
    uint32_t absent_lanes = reading_absent(source, members, mask);
    if ((!absent_lanes && !warp->absent) || !begin(warp))
        return;
    struct absent *absent = warp->absent;
    struct origin origin[WARP];
    memcpy(origin, absent->origin, sizeof origin);
    struct place place = place_at(warp, warp->pc);
    uint32_t value = lanes_of(&place, &place.in->operands[1]), set = 0;
    uint32_t index = lanes_of(&place, &place.in->operands[2]);
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left), from = source[l];
        bool is_passed = !(absent_lanes >> l & 1);
        if (is_passed && !((value >> from | index >> l) & 1))
            continue;
        set |= 1u << l;
        /* if lane l's value was already tainted before the shuffle, keep its older origin */
        if (!(value >> l & 1))
            origin[l] = is_passed ? absent->origin[value >> from & 1 ? from : l]
                                  : (struct origin){warp->pc, l, members[l], from};
    }
    memcpy(absent->origin, origin, sizeof origin);
    struct visit visit = {.tainted = place.tainted, .set = set, .clear = mask};
    operands_written(place.in, change, &visit);
}

void absent_forget(struct warp *warp)
{
    free(warp->absent);
    warp->absent = NULL;
}
