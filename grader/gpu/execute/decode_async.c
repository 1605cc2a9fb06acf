/* Decoding of asynchronous copies and mbarriers. */
#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"
#include "gpu/observe/view.h"

/* Decodes cp.async [to], [from], bytes{, source bytes or predicate}: see copy_run(). */
void decode_copy(struct decoder *d)
{
    const struct ptx_operand *op = d->in->operands;
    bool cg = ptx_has(d->in, PTX_MOD_cg);
    int64_t bytes = op[2].kind == PTX_IMMEDIATE ? op[2].value : 0;
    bool hinted = ptx_has(d->in, PTX_MOD_L2_cache_hint);
    unsigned least = 3u + hinted;
    if (cg == ptx_has(d->in, PTX_MOD_ca) || !ptx_has(d->in, PTX_MOD_global) ||
        !(bytes == 16 || (!cg && (bytes == 4 || bytes == 8))) || d->in->operand_count < least ||
        d->in->operand_count > least + 1) {
        decode_unsupported(d);
        return;
    }
    decode_address(d, &op[1], PTX_GLOBAL);
    struct slot base = d->out->mem.base;
    int64_t offset = d->out->mem.offset;
    bool from_global = d->out->mem.space == PTX_GLOBAL;
    decode_address(d, &op[0], PTX_SHARED);
    if (!from_global || d->out->mem.space != PTX_SHARED)
        decode_unsupported(d);
    d->out->run = copy_run;
    d->out->mem.bytes = (uint8_t)bytes;
    d->out->mem.count = 1;
    d->out->mem.event = OBS_STORE;
    d->out->src[0] = base;
    d->out->src[1] = decode_constant_slot(d, (uint64_t)offset, 8);
    d->out->src[2] = d->out->src[3] = no_slot;
    if (d->in->operand_count == least)
        return;
    if (op[3].kind == PTX_PREDICATE)
        d->out->src[3] = decode_predicate_source(d, &op[3]);
    else
        d->out->src[2] = decode_source(d, &op[3], PTX_u32, 4);
}

void decode_copy_groups(struct decoder *d)
{
    const struct ptx_operand *count = &d->in->operands[0];
    if (d->in->opcode != PTX_OP_cp_async_wait_group) {
        d->out->run = d->in->opcode == PTX_OP_cp_async_wait_all ? wait_all_run : commit_run;
    } else if (count->kind != PTX_IMMEDIATE) {
        decode_fail(d, "the operand must be a number");
    } else {
        d->out->run = wait_group_run;
        d->out->wait.pending = count->value > UINT32_MAX ? UINT32_MAX : (uint32_t)count->value;
    }
}

/* --- mbarriers -------------------------------------------------------------------------------- */

/* Decodes the count of an arrival, which is 1 if it is omitted. */
static struct slot decode_count(struct decoder *d, unsigned operand)
{
    return operand < d->in->operand_count ? decode_source(d, &d->in->operands[operand], PTX_u32, 4)
                                          : decode_constant_slot(d, 1, 4);
}

static void decode_arrive(struct decoder *d)
{
    const struct ptx_operand *to = &d->in->operands[0];
    if (to->kind != PTX_SINK)
        d->out->dst = decode_destination(d, to, 8);
    d->out->src[0] = decode_count(d, 2);
    if (d->out->mem.variant && d->in->operand_count != 3)
        decode_unsupported(d);
}

/* Decodes test_wait p, [m], state. With .parity, the lowest bit of a phase's number takes the place
 * of state. A time hint has no effect. */
static void decode_wait(struct decoder *d)
{
    bool by_parity = ptx_has(d->in, PTX_MOD_parity);
    d->out->kind = KIND_WAIT;
    d->out->dst = decode_predicate_destination(d, &d->in->operands[0]);
    d->out->src[0] = decode_source(d, &d->in->operands[2], PTX_b64, by_parity ? 4 : 8);
    if (d->out->dst.offset == NO_SLOT)
        decode_unsupported(d);
}

void decode_mbarrier(struct decoder *d)
{
    unsigned opcode = d->in->opcode;
    bool leads = opcode == PTX_OP_mbarrier_init || opcode == PTX_OP_mbarrier_inval ||
                 opcode == PTX_OP_cp_async_mbarrier_arrive;
    if (opcode == PTX_OP_mbarrier_pending_count) {
        d->out->run = pending_count_run;
        d->out->dst = decode_destination(d, &d->in->operands[0], 4);
        d->out->src[0] = decode_source(d, &d->in->operands[1], PTX_b64, 8);
        return;
    }
    decode_address(d, &d->in->operands[!leads], ptx_space_of(d->in));
    d->out->mem.bytes = 8;
    d->out->mem.count = 1;
    d->out->mem.event = OBS_ATOMIC;
    d->out->mem.op = (uint8_t)opcode;
    d->out->mem.variant = ptx_has(d->in, PTX_MOD_noinc) || ptx_has(d->in, PTX_MOD_parity) ||
                          ptx_has(d->in, PTX_MOD_noComplete);
    d->out->run = mbarrier_run;
    d->out->src[0] = decode_constant_slot(d, 0, 4);
    if (opcode == PTX_OP_mbarrier_arrive || opcode == PTX_OP_mbarrier_arrive_drop)
        decode_arrive(d);
    else if (opcode == PTX_OP_mbarrier_test_wait || opcode == PTX_OP_mbarrier_try_wait)
        decode_wait(d);
    else if (opcode == PTX_OP_mbarrier_init)
        d->out->src[0] = decode_source(d, &d->in->operands[1], PTX_u32, 4);
}
