/* Executes one op of a warp: finds when its operands are ready, which units it occupies, and when
 * its result is ready. */
#include "gpu/predict/sm_parts.h"

/* Returns the time when the copies that OP waits for are done. */
static double copied_at(const struct sm_warp *warp, const struct op *op)
{
    if (op->pending == WAIT_ALL)
        return warp->copies;
    if (op->pending >= warp->group_count || op->pending >= GROUPS)
        return 0;
    return warp->groups[(warp->group_count - 1 - op->pending) % GROUPS];
}

double sm_ready_at(const struct sm *sm, struct sm_warp *warp)
{
    double at = warp->now;
    double more = warp->op->kind == OP_BRANCH ? sm->chip->predicate_latency : 0;
    warp->blamed = warp->op->pc;
    for (uint32_t k = 0; k < warp->op->source_count; k++) {
        uint32_t reg = warp->op->source[k];
        if (warp->ready[reg] + more > at) {
            at = warp->ready[reg] + more;
            warp->blamed = warp->maker[reg];
        }
    }
    if (warp->op->kind == OP_WAIT_COPIES)
        at = later(at, copied_at(warp, warp->op));
    return at;
}

static double pipe_cycles(const struct emu_chip *chip, uint8_t pipe)
{
    switch (pipe) {
    case PIPE_FP32:
        return chip->fp32_cycles;
    case PIPE_IMAD:
        return chip->imad_cycles;
    case PIPE_ALU:
        return chip->alu_cycles;
    case PIPE_FP64:
        return chip->fp64_cycles;
    case PIPE_SFU:
        return chip->sfu_cycles;
    case PIPE_MATRIX:
        return chip->matrix_cycles;
    default:
        return 1;
    }
}

/* Returns the number of cycles from the issue of an op to its result. Does not include memory
 * accesses. */
static double latency_of(const struct emu_chip *chip, const struct op *op)
{
    double rest = op->depth ? (op->depth - 1) * chip->alu_latency : 0;
    switch (op->kind == OP_SHUFFLE ? PIPE_MEMORY : op->pipe) {
    case PIPE_FP64:
        return op->depth * chip->fp64_latency;
    case PIPE_SFU:
        return op->depth ? chip->sfu_latency + rest : 0;
    case PIPE_MATRIX:
        return op->depth * chip->matrix_latency;
    case PIPE_MEMORY:
        return op->depth ? chip->shared_latency : 0;
    default:
        return op->depth * chip->alu_latency;
    }
}

/* Waits from time AT until the warp's scheduler and then the op's pipe are free, and occupies both.
 * Returns the time at which the op begins. */
static double take_units(struct sm *sm, const struct sm_warp *warp, const struct op *op, double at)
{
    uint32_t s = warp->scheduler, pipe = op->pipe;
    if (pipe == PIPE_ADD)
        pipe = sm->worked[s][PIPE_IMAD] < sm->worked[s][PIPE_ALU] ? PIPE_IMAD : PIPE_ALU;
    double cycles =
        pipe_cycles(sm->chip, (uint8_t)pipe) * (pipe == PIPE_SFU && op->count ? 1 : op->count);
    /* Registers are in two banks, so reading three operands takes two cycles. An instruction that
     * is issued directly after the warp's previous instruction can reuse the operands of that
     * instruction. An instruction that has waited cannot. */
    if (op->reads_three && at > warp->now)
        cycles = later(cycles, 2 * op->count);
    sm->result->instructions += op->count;
    sm->issued[s] += op->count;
    sm->worked[s][pipe] += cycles;
    if (sm->options->no_limits || !op->count)
        return at;
    double start = later(at, sm->slot[s]);
    sm->slot[s] = start + op->count;
    start = later(start, sm->pipe[s][pipe]);
    sm->pipe[s][pipe] = start + cycles;
    return start;
}

static double perform(struct sm *sm, struct sm_warp *warp, const struct op *op, double start)
{
    const struct emu_chip *chip = sm->chip;
    if (warp->is_off) { /* no lane is active, but the address unit still spends a cycle */
        if (op->kind == OP_MEMORY && !sm->options->no_limits)
            sm->address = later(sm->address, start) + 1;
        *(op->space == PTX_SHARED ? &sm->result->shared : &sm->result->l1) += op->kind == OP_MEMORY;
        return start;
    }
    switch (op->kind) {
    case OP_MEMORY:
        return sm_access(sm, warp, op, start);
    case OP_SPILL:
        return sm_spill(sm, warp, op, start);
    case OP_TEXTURE:
        if (!sm->options->no_limits) {
            start = later(start, sm->textures);
            sm->textures = start + chip->texture_cycles;
        }
        sm->result->l1 += chip->texture_cycles;
        return start + chip->texture_latency;
    case OP_SHUFFLE:
        sm->result->shared++;
        if (!sm->options->no_limits) {
            start = later(start, sm->address);
            sm->address = start + 1;
        }
        return start + chip->shared_latency;
    case OP_BRANCH:
        warp->now = start + chip->branch_latency;
        return start;
    case OP_INDEX:
        sm->result->traffic.passes++;
        return start + latency_of(chip, op);
    case OP_FENCE:
        warp->now = start + chip->l2_latency;
        return start;
    case OP_COMMIT:
        warp->groups[warp->group_count++ % GROUPS] = warp->copies;
        return start;
    default:
        /* the operands are checked before the branch to the slow path, which takes about as long as
         * the result */
        if (op->has_slow_path)
            warp->now = later(warp->now, start + latency_of(chip, op));
        return start + latency_of(chip, op);
    }
}

/* The code is loaded in pieces. Returns the time when the piece that contains OP is loaded. The
 * first warp that needs a piece waits for it. */
static double fetch_code(struct sm *sm, const struct op *op, double at)
{
    double *piece = &sm->code[(uint32_t)(op - sm->machine->ops) / CODE_PIECE];
    if (*piece < 0)
        *piece = at + sm->chip->code_latency;
    return later(at, *piece);
}

double sm_execute(struct sm *sm, struct sm_warp *warp, double at)
{
    const struct op *op = warp->op;
    at = fetch_code(sm, op, at);
    double start = take_units(sm, warp, op, at);
    warp->now = start + op->count;
    double result = perform(sm, warp, op, start);
    for (uint32_t k = 0; k < op->result_count; k++) {
        warp->ready[op->result[k]] = result;
        warp->maker[op->result[k]] = op->pc;
    }
    return at;
}
