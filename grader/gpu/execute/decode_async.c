/* Decodes asynchronous copies and mbarriers. */
#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"
#include "gpu/observe/view.h"

/* Decodes cp.async [to], [from], bytes{, source bytes or predicate}. See copy_run(). */
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

/* Writes to SPACES the modifiers for the state spaces of a bulk copy's destination and source, in
 * this order. Returns the number of such modifiers. */
static unsigned find_spaces(const struct ptx_instruction *in, uint8_t spaces[2])
{
    unsigned count = 0;
    for (unsigned i = 0; i < in->modifier_count; i++) {
        uint8_t word = in->modifiers[i];
        if (word != PTX_MOD_global && word != PTX_MOD_shared_cta && word != PTX_MOD_shared_cluster)
            continue;
        if (count < 2)
            spaces[count] = word;
        count++;
    }
    return count;
}

static enum ptx_space bulk_space(uint8_t word)
{
    return word == PTX_MOD_global       ? PTX_GLOBAL
           : word == PTX_MOD_shared_cta ? PTX_SHARED
                                        : PTX_CLUSTER;
}

/* Returns whether PTX has a bulk copy or red.async with this instruction's operation and type.
 * TO_GLOBAL says that the destination is in global memory. */
static bool is_reduction(const struct ptx_instruction *in, bool to_global)
{
    enum ptx_type type = in->type_count == 1 ? (enum ptx_type)in->types[0] : PTX_pred;
    bool is_half = type == PTX_f16 || type == PTX_bf16;
    bool is_whole = type == PTX_u32 || type == PTX_s32 || type == PTX_u64 || type == PTX_s64;
    switch (decode_operation(in)) {
    case PTX_MOD_add:
        return (is_half && to_global && ptx_has(in, PTX_MOD_noftz)) ||
               (is_whole && type != PTX_s64) || (to_global && (type == PTX_f32 || type == PTX_f64));
    case PTX_MOD_min:
    case PTX_MOD_max:
        return to_global ? is_whole || is_half : type == PTX_u32 || type == PTX_s32;
    case PTX_MOD_inc:
    case PTX_MOD_dec:
        return type == PTX_u32;
    default:
        return type == PTX_b32 || (to_global && type == PTX_b64);
    }
}

/* Decodes cp.async.bulk [to], [from], bytes{, [mbarrier]{, CTAs}}{, policy}, and
 * cp.reduce.async.bulk, which also has an operation. See bulk.c. */
void decode_bulk(struct decoder *d)
{
    const struct ptx_operand *op = d->in->operands;
    struct inst *out = d->out;
    uint8_t spaces[2];
    bool has_barrier = ptx_has(d->in, PTX_MOD_complete_tx_bytes);
    bool spreads = ptx_has(d->in, PTX_MOD_multicast_cluster);
    bool reduces = d->in->opcode == PTX_OP_cp_reduce_async_bulk;
    unsigned count = 3u + has_barrier + spreads + ptx_has(d->in, PTX_MOD_L2_cache_hint);
    if (find_spaces(d->in, spaces) != 2 || reduces != (decode_operation(d->in) != PTX_MOD_COUNT) ||
        (reduces && (spaces[1] != PTX_MOD_shared_cta || spaces[0] == PTX_MOD_shared_cta ||
                     !is_reduction(d->in, spaces[0] == PTX_MOD_global))) ||
        (spaces[0] == PTX_MOD_global) == has_barrier ||
        has_barrier == ptx_has(d->in, PTX_MOD_bulk_group) || spaces[1] == PTX_MOD_shared_cluster ||
        (spaces[0] == PTX_MOD_global && spaces[1] == PTX_MOD_global) ||
        (spreads && (spaces[0] != PTX_MOD_shared_cluster || spaces[1] != PTX_MOD_global)) ||
        d->in->operand_count != count || (has_barrier && op[3].kind != PTX_ADDRESS)) {
        decode_unsupported(d);
        return;
    }
    out->src[3] = no_slot;
    if (has_barrier) {
        decode_address(d, &op[3], PTX_CLUSTER);
        out->src[3] = out->mem.base;
        out->dst = decode_constant_slot(d, (uint64_t)out->mem.offset, 8);
    }
    decode_address(d, &op[1], bulk_space(spaces[1]));
    out->src[0] = out->mem.base;
    out->src[1] = decode_constant_slot(d, (uint64_t)out->mem.offset, 8);
    out->src[2] = decode_source(d, &op[2], PTX_u32, 4);
    decode_address(d, &op[0], bulk_space(spaces[0]));
    out->run = bulk_run;
    out->mem.space = (uint8_t)bulk_space(spaces[0]);
    /* no bounds: the bounds of a shared array do not apply to the other memory */
    out->mem.low = out->mem.high = 0;
    out->mem.op = reduces ? decode_operation(d->in) : spaces[1];
    out->mem.type = reduces ? d->in->types[0] : (uint8_t)PTX_pred;
    out->mem.bytes = 16;
    out->mem.count = 1;
    /* for racecheck, a reduction in shared memory is a store, too */
    out->mem.event = reduces && spaces[0] == PTX_MOD_global ? OBS_REDUCTION : OBS_STORE;
    /* the only element of the vector is the slot of the mask of CTAs */
    out->mem.vector = &d->kernel->vectors[d->kernel->vector_count];
    d->kernel->vectors[d->kernel->vector_count++] =
        spreads ? decode_source(d, &op[4], PTX_u16, 2) : no_slot;
}

/* Decodes st.async [to], values, [mbarrier], and red.async, which combines one value with the value
 * at the address. See bulk.c. */
void decode_async_store(struct decoder *d)
{
    const struct ptx_operand *op = d->in->operands;
    struct inst *out = d->out;
    enum ptx_type type = decode_type_of(d);
    unsigned bytes = ptx_type_bytes(type), width = decode_vector_width(d->in);
    bool reduces = d->in->opcode == PTX_OP_red_async;
    if (!ptx_has(d->in, PTX_MOD_complete_tx_bytes) || !ptx_has(d->in, PTX_MOD_shared_cluster) ||
        bytes * width > 16 ||
        (reduces && (!ptx_has(d->in, PTX_MOD_relaxed) || !ptx_has(d->in, PTX_MOD_cluster) ||
                     !is_reduction(d->in, false)))) {
        decode_unsupported(d);
        return;
    }
    decode_address(d, &op[2], PTX_CLUSTER);
    out->src[3] = out->mem.base;
    out->dst = decode_constant_slot(d, (uint64_t)out->mem.offset, 8);
    decode_address(d, &op[0], PTX_CLUSTER);
    out->src[0] = out->src[1] = out->src[2] = no_slot;
    out->run = bulk_run;
    out->mem.space = PTX_CLUSTER;
    /* no bounds: the address can be in another CTA, where an array's bounds do not apply */
    out->mem.low = out->mem.high = 0;
    out->mem.op = reduces ? decode_operation(d->in) : PTX_MOD_async;
    out->mem.type = reduces ? (uint8_t)type : (uint8_t)PTX_pred;
    out->mem.bytes = (uint8_t)bytes;
    out->mem.event = OBS_STORE;
    decode_vector(d, &op[1], type, bytes, false, false);
    if (out->mem.count != width)
        decode_unsupported(d);
}

/* Decodes the tensor map and the coordinates: [map, {x, y, …}]. */
static void decode_box(struct decoder *d, const struct ptx_operand *op)
{
    static const uint8_t words[] = {PTX_MOD_1d, PTX_MOD_2d, PTX_MOD_3d, PTX_MOD_4d, PTX_MOD_5d};
    struct ptx_operand map = *op;
    struct inst *out = d->out;
    unsigned dims = 0;
    for (unsigned i = 0; i < sizeof words; i++)
        if (ptx_has(d->in, words[i]))
            dims = i + 1;
    if (!dims || op->kind != PTX_ADDRESS || op->count != dims) {
        decode_fail(d, "there must be a tensor map with %u coordinates", dims);
        return;
    }
    map.count = 0;
    decode_address(d, &map, PTX_GENERIC);
    if (out->mem.space != PTX_GENERIC && out->mem.space != PTX_GLOBAL &&
        out->mem.space != PTX_CONST)
        decode_unsupported(d);
    out->src[0] = out->mem.base;
    out->src[1] = decode_constant_slot(d, (uint64_t)out->mem.offset, 8);
    out->mem.vector = &d->kernel->vectors[d->kernel->vector_count];
    out->mem.rows = (uint8_t)dims;
    for (unsigned i = 0; i < dims; i++)
        d->kernel->vectors[d->kernel->vector_count++] =
            decode_source(d, &op->elements[i], PTX_s32, 4);
}

/* Decodes cp.async.bulk.tensor [to], [map, {x, …}], [mbarrier]{, CTAs}{, policy}. A copy to global
 * memory has the operands [map, {x, …}], [from], and a prefetch has only the map. See
 * tensor_copy.c. */
void decode_tensor_copy(struct decoder *d)
{
    const struct ptx_operand *op = d->in->operands;
    struct inst *out = d->out;
    uint8_t spaces[2] = {0};
    bool is_load = ptx_has(d->in, PTX_MOD_complete_tx_bytes);
    bool is_prefetch = d->in->opcode == PTX_OP_cp_async_bulk_prefetch_tensor;
    bool reduces = d->in->opcode == PTX_OP_cp_reduce_async_bulk_tensor;
    bool spreads = ptx_has(d->in, PTX_MOD_multicast_cluster);
    unsigned count = is_load ? 3 : is_prefetch ? 1 : 2;
    bool is_right = find_spaces(d->in, spaces) == (is_prefetch ? 1 : 2) &&
                    (spaces[0] == PTX_MOD_global) == !is_load &&
                    (is_prefetch || is_load ? !ptx_has(d->in, PTX_MOD_bulk_group)
                                            : ptx_has(d->in, PTX_MOD_bulk_group)) &&
                    (is_prefetch || spaces[1] == (is_load ? PTX_MOD_global : PTX_MOD_shared_cta)) &&
                    (!spreads || (is_load && spaces[0] == PTX_MOD_shared_cluster)) &&
                    reduces == (decode_operation(d->in) != PTX_MOD_COUNT);
    if (!is_right ||
        d->in->operand_count != count + spreads + ptx_has(d->in, PTX_MOD_L2_cache_hint)) {
        decode_unsupported(d);
        return;
    }
    out->src[2] = spreads ? decode_source(d, &op[3], PTX_u16, 2) : no_slot;
    out->src[3] = no_slot;
    if (is_load) {
        decode_address(d, &op[2], PTX_CLUSTER);
        out->src[3] = out->mem.base;
        out->dst = decode_constant_slot(d, (uint64_t)out->mem.offset, 8);
    }
    decode_box(d, &op[is_load]);
    if (!is_prefetch)
        decode_address(d, &op[!is_load], bulk_space(spaces[!is_load]));
    out->run = bulk_run;
    out->mem.space = (uint8_t)bulk_space(spaces[0]);
    /* no bounds: the bounds of a shared array do not apply to the other memory */
    out->mem.low = out->mem.high = 0;
    out->mem.op = decode_operation(d->in);
    out->mem.bytes = 16;
    out->mem.event = is_prefetch ? OBS_LOAD : reduces ? OBS_REDUCTION : OBS_STORE;
}

void decode_copy_groups(struct decoder *d)
{
    const struct ptx_operand *count = &d->in->operands[0];
    bool is_bulk = d->in->opcode == PTX_OP_cp_async_bulk_commit_group ||
                   d->in->opcode == PTX_OP_cp_async_bulk_wait_group;
    if (d->in->opcode == PTX_OP_cp_async_wait_all) {
        d->out->run = wait_all_run;
    } else if (!d->in->operand_count) {
        d->out->run = is_bulk ? bulk_commit_run : commit_run;
    } else if (count->kind != PTX_IMMEDIATE) {
        decode_fail(d, "the operand must be a number");
    } else {
        d->out->run = is_bulk ? bulk_wait_run : wait_group_run;
        d->out->wait.pending = count->value > UINT32_MAX ? UINT32_MAX : (uint32_t)count->value;
    }
}

/* --- mbarriers -------------------------------------------------------------------------------- */

/* Decodes the number of arrivals, which is 1 if the operand is omitted. */
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
    bool announces = ptx_has(d->in, PTX_MOD_expect_tx);
    d->out->src[0] = announces ? decode_constant_slot(d, 1, 4) : decode_count(d, 2);
    d->out->src[1] = announces ? decode_source(d, &d->in->operands[2], PTX_u32, 4)
                               : decode_constant_slot(d, 0, 4);
    if (announces && (d->in->operand_count != 3 || d->out->mem.variant))
        decode_unsupported(d);
    if (d->out->mem.variant && d->in->operand_count != 3)
        decode_unsupported(d);
}

/* Decodes test_wait p, [m], state. With .parity, the operand `state` holds the lowest bit of a
 * phase's number instead. A time hint has no effect. */
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
                 opcode == PTX_OP_cp_async_mbarrier_arrive || opcode == PTX_OP_mbarrier_expect_tx ||
                 opcode == PTX_OP_mbarrier_complete_tx;
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
    d->out->src[0] = d->out->src[1] = decode_constant_slot(d, 0, 4);
    if (opcode == PTX_OP_mbarrier_arrive || opcode == PTX_OP_mbarrier_arrive_drop)
        decode_arrive(d);
    else if (opcode == PTX_OP_mbarrier_test_wait || opcode == PTX_OP_mbarrier_try_wait)
        decode_wait(d);
    else if (opcode == PTX_OP_mbarrier_init || opcode == PTX_OP_mbarrier_expect_tx ||
             opcode == PTX_OP_mbarrier_complete_tx)
        d->out->src[0] = decode_source(d, &d->in->operands[1], PTX_u32, 4);
}
