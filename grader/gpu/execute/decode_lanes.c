/* Decodes instructions that exchange values between the lanes of a warp. */
#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"

/* Decodes the operand that holds the mask of participating lanes. */
static void decode_members(struct decoder *d, unsigned operand)
{
    d->out->kind = KIND_MEET;
    d->out->members = decode_source(d, &d->in->operands[operand], PTX_b32, 4);
}

/* Decodes the results d|p. Either can be _, and |p can be omitted. */
static void decode_result_pair(struct decoder *d, const struct ptx_operand *op)
{
    bool pair = op->kind == PTX_PAIR;
    const struct ptx_operand *first = pair ? &op->elements[0] : op;
    d->out->dst = first->kind == PTX_SINK ? no_slot : decode_destination(d, first, 4);
    d->out->warp.second = pair ? decode_predicate_destination(d, &op->elements[1]) : no_slot;
}

/* If the instruction has exactly two modifiers and one of them is .sync, returns the other one.
 * Otherwise returns PTX_MOD_sync. */
static uint8_t word_beside_sync(const struct ptx_instruction *in)
{
    const uint8_t *word = in->modifiers;
    if (in->modifier_count != 2 || !ptx_has(in, PTX_MOD_sync))
        return PTX_MOD_sync;
    return word[0] == PTX_MOD_sync ? word[1] : word[0];
}

void decode_shfl(struct decoder *d)
{
    d->out->run = shfl_run;
    decode_result_pair(d, &d->in->operands[0]);
    if (d->out->dst.offset == NO_SLOT)
        decode_unsupported(d);
    decode_members(d, 4);
    for (unsigned i = 0; i < 3; i++)
        d->out->src[i] = decode_source(d, &d->in->operands[i + 1], PTX_b32, 4);
    d->out->warp.op = word_beside_sync(d->in);
    if (d->out->warp.op == PTX_MOD_sync)
        decode_unsupported(d);
}

void decode_vote(struct decoder *d)
{
    bool ballot = ptx_has(d->in, PTX_MOD_ballot);
    const struct ptx_operand *op = d->in->operands;
    d->out->run = vote_run;
    d->out->dst =
        ballot ? decode_destination(d, &op[0], 4) : decode_predicate_destination(d, &op[0]);
    d->out->src[0] = decode_predicate_source(d, &op[1]);
    decode_members(d, 2);
    d->out->warp.op = word_beside_sync(d->in);
    if (ballot != (decode_type_of(d) == PTX_b32) || d->out->warp.op == PTX_MOD_sync)
        decode_unsupported(d);
}

void decode_match(struct decoder *d)
{
    bool all = ptx_has(d->in, PTX_MOD_all);
    if (d->in->modifier_count != 2 || !ptx_has(d->in, PTX_MOD_sync) ||
        (!all && d->in->operands[0].kind == PTX_PAIR)) {
        decode_unsupported(d);
        return;
    }
    d->out->run = match_run;
    d->out->warp.op = all ? PTX_MOD_all : PTX_MOD_any;
    decode_result_pair(d, &d->in->operands[0]);
    d->out->src[0] =
        decode_source(d, &d->in->operands[1], decode_type_of(d), ptx_type_bytes(decode_type_of(d)));
    decode_members(d, 2);
}

/* Decodes redux. Its type is .b32 for bitwise operations, and .u32 or .s32 for arithmetic. */
void decode_redux(struct decoder *d)
{
    uint8_t op = decode_operation(d->in);
    bool bits = op == PTX_MOD_and || op == PTX_MOD_or || op == PTX_MOD_xor;
    if (d->in->modifier_count != 2 || !ptx_has(d->in, PTX_MOD_sync) || op == PTX_MOD_COUNT ||
        bits != (decode_type_of(d) == PTX_b32)) {
        decode_unsupported(d);
        return;
    }
    d->out->run = redux_run;
    d->out->warp.op = op;
    d->out->warp.is_signed = decode_type_of(d) == PTX_s32;
    d->out->dst = decode_destination(d, &d->in->operands[0], 4);
    d->out->src[0] = decode_source(d, &d->in->operands[1], decode_type_of(d), 4);
    decode_members(d, 2);
}

void decode_elect(struct decoder *d)
{
    d->out->run = elect_run;
    decode_result_pair(d, &d->in->operands[0]);
    decode_members(d, 1);
    if (d->in->modifier_count != 1)
        decode_unsupported(d);
}

void decode_activemask(struct decoder *d)
{
    d->out->run = activemask_run;
    d->out->dst = decode_destination(d, &d->in->operands[0], 4);
}
