/* Decodes barriers, branches, calls and fences, and hints that have no effect. */
#include <string.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"

/* --- barriers --------------------------------------------------------------------------------- */

/* Decodes the barrier's number and its optional thread count: the operands from FIRST to
 * END - 1. */
static void decode_barrier_number(struct decoder *d, unsigned first, unsigned end)
{
    d->out->kind = KIND_BARRIER;
    d->out->barrier.aligned = strncmp(ptx_opcodes[d->in->opcode].name, "barrier", 7) != 0 ||
                              ptx_has(d->in, PTX_MOD_aligned);
    d->out->source_count = (uint8_t)(end - first);
    for (unsigned i = first; i < end; i++)
        d->out->src[i - first] = decode_source(d, &d->in->operands[i], PTX_b32, 4);
}

/* Decodes bar.red.popc.u32 d, number, threads, p. With .and or .or, d is a predicate. */
void decode_barrier_reduction(struct decoder *d)
{
    unsigned last = d->in->operand_count - 1u;
    bool counts = ptx_has(d->in, PTX_MOD_popc), aligned = ptx_has(d->in, PTX_MOD_aligned);
    if (d->in->modifier_count != 1u + aligned || counts != (decode_type_of(d) == PTX_u32)) {
        decode_unsupported(d);
        return;
    }
    d->out->barrier.op = counts                        ? PTX_MOD_popc
                         : ptx_has(d->in, PTX_MOD_and) ? PTX_MOD_and
                                                       : PTX_MOD_or;
    d->out->dst = counts ? decode_destination(d, &d->in->operands[0], 4)
                         : decode_predicate_destination(d, &d->in->operands[0]);
    d->out->barrier.vote = decode_predicate_source(d, &d->in->operands[last]);
    decode_barrier_number(d, 1, last);
}

void decode_barrier_arrival(struct decoder *d)
{
    decode_barrier_number(d, 0, 2);
    d->out->barrier.arrives = true;
    d->out->barrier.vote = no_slot;
}

/* Decodes an arrival at the cluster's barrier or a wait for it. An arrival without .relaxed has
 * release semantics: it orders the thread's earlier writes. */
void decode_cluster_barrier(struct decoder *d)
{
    d->out->kind = KIND_BARRIER;
    d->out->barrier.aligned = ptx_has(d->in, PTX_MOD_aligned);
    d->out->barrier.vote = no_slot;
    d->out->barrier.of_cluster = true;
    d->out->barrier.arrives = d->in->opcode == PTX_OP_barrier_cluster_arrive;
    d->out->barrier.relaxed = ptx_has(d->in, PTX_MOD_relaxed);
}

void decode_barrier(struct decoder *d)
{
    if (!ptx_has(d->in, PTX_MOD_sync)) {
        decode_unsupported(d);
        return;
    }
    bool warp = ptx_has(d->in, PTX_MOD_warp);
    decode_barrier_number(d, 0, d->in->operand_count);
    d->out->barrier.vote = no_slot;
    if (!warp)
        return;
    d->out->kind = KIND_WARP_SYNC;
    if (d->in->operand_count != 1)
        decode_unsupported(d);
}

/* --- branches and calls ----------------------------------------------------------------------- */

void decode_branch(struct decoder *d)
{
    const struct ptx_operand *target = &d->in->operands[0];
    if (target->kind == PTX_FUNCTION) { /* the parser assumes that an unknown name is a function */
        decode_fail(d, "there is no label '%.*s'", (int)target->name.length, target->name.text);
        return;
    }
    if (target->kind != PTX_LABEL) {
        decode_fail(d, "the operand must be a label");
        return;
    }
    d->out->kind = KIND_BRANCH;
    d->out->branch.target = d->image->start + (uint32_t)d->in->operands[0].value;
    d->out->branch.meet = d->image->start + d->meet[d->pc - d->image->start];
}

void decode_call(struct decoder *d)
{
    const struct ptx_operand *target = &d->in->operands[0];
    d->out->call.in = d->in;
    d->out->call.image = NO_IMAGE;
    d->out->kind = KIND_CALL;
    if (target->kind == PTX_REGISTER) {
        d->out->src[0] = decode_source(d, target, PTX_b64, 8);
        return;
    }
    const struct ptx_function *f =
        ptx_find_function(d->kernel->module, target->name, d->image->function->unit);
    if (f) {
        d->out->call.image = d->image_of[f->index];
        return;
    }
    d->out->kind = KIND_LANES;
    d->out->run = builtin_find(target->name);
    d->kernel->uses_heap |= ptx_name_is(target->name, "malloc") ||
                            ptx_name_is(target->name, "__cudaCDP2Malloc") ||
                            ptx_name_is(target->name, "__cudaCDP2GetParameterBufferV2");
    if (!d->out->run && target->name.length > 10 &&
        strncmp(target->name.text, "__cudaCDP2", 10) == 0)
        decode_fail(d, "cuda%.*s() is not supported in kernels", (int)target->name.length - 10,
                    target->name.text + 10);
    else if (!d->out->run)
        decode_fail(d, "function '%.*s' is not in the module", (int)target->name.length,
                    target->name.text);
}

/* Decodes a return. In a kernel, a return ends the threads; in other functions, it branches to the
 * function's end. */
void decode_return(struct decoder *d)
{
    d->out->kind = d->image->function->is_kernel ? KIND_EXIT : KIND_RETURN;
    if (d->out->kind == KIND_RETURN)
        d->out->branch.target = d->out->branch.meet = d->image->end;
}

void decode_exit(struct decoder *d)
{
    d->out->kind = KIND_EXIT;
}

void decode_trap(struct decoder *d)
{
    d->out->kind = KIND_TRAP;
}

/* --- fences and hints ------------------------------------------------------------------------- */

static void nothing_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)warp;
    (void)inst;
    (void)mask;
}

void decode_fence(struct decoder *d)
{
    /* A proxy fence does nothing, because all accesses of the emulator take the same path to
     * memory. A system-wide fence counts as a poll, because it often precedes a load of a value
     * that the host writes. */
    d->out->run = ptx_has(d->in, PTX_MOD_proxy) ? nothing_run : fence_run;
    d->out->mem.op = ptx_has(d->in, PTX_MOD_cta) ? PTX_MOD_cta : PTX_MOD_gpu;
    d->out->observes = ptx_has(d->in, PTX_MOD_sys);
    /* only an acquire of a tensor map has operands: the map and its size */
    bool names_map = ptx_has(d->in, PTX_MOD_tensormap_generic) && ptx_has(d->in, PTX_MOD_acquire);
    if (d->in->operand_count != (names_map ? 2 : 0))
        decode_unsupported(d);
}

/* Decodes nanosleep, which does not wait in the emulator, but lengthens the warp's path. It counts
 * as a poll, so that other warps run sooner. */
void decode_nanosleep(struct decoder *d)
{
    d->out->src[0] = decode_source(d, &d->in->operands[0], PTX_u32, sizeof(uint32_t));
    d->out->run = sleep_run;
    d->out->observes = true;
}

/* Decodes hints, for instance to caches and profilers, which have no effect. */
void decode_hint(struct decoder *d)
{
    d->out->run = nothing_run;
}
