/* Executes the exchange of values between the lanes of a warp: votes, shuffles, matches,
 * reductions.
 *
 * In a .sync instruction, an operand gives each lane the mask of its members: the lanes that
 * execute the instruction together. Before these functions run, control.c has waited for all
 * members that can still arrive. Lanes with different masks, such as tiles of a warp, are
 * independent. */
#include <string.h>

#include "gpu/execute/absent.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/raw.h"
#include "gpu/execute/state.h"

LANES_INLINE void broadcast(struct warp *warp, struct slot slot, uint32_t value, uint32_t mask)
{
    if (slot.offset == NO_SLOT)
        return;
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, slot);
    for (unsigned l = 0; l < WARP; l++)
        d[l] = mask >> l & 1 ? value : d[l];
}

void activemask_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    broadcast(warp, inst->dst, mask, mask);
}

/* Returns the lanes of MASK that have the same members mask as the first lane of MASK. */
LANES_INLINE uint32_t same_members(const uint32_t *members, uint32_t mask)
{
    uint32_t first = members[__builtin_ctz(mask)], lanes = 0;
    for (unsigned l = 0; l < WARP; l++)
        lanes |= (uint32_t)(members[l] == first) << l;
    return lanes & mask;
}

static uint32_t count_votes(uint8_t op, uint32_t yes, uint32_t members)
{
    switch (op) {
    case PTX_MOD_all:
        return yes == members ? ALL_LANES : 0;
    case PTX_MOD_any:
        return yes ? ALL_LANES : 0;
    case PTX_MOD_uni:
        return yes == members || !yes ? ALL_LANES : 0;
    default:
        return yes;
    }
}

/* Executes vote.sync d, p, members. Lanes with different members, such as tiles of a warp, vote
 * separately. The PTX manual requires that all lanes in a members mask have the same mask. If they
 * do not, for instance if each lane's mask contains the lanes below it, a GPU still counts the
 * votes of the lanes in each mask. */
LANES_CLONES void vote_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint32_t members[WARP], votes = slot_predicate(warp, inst->src[0]), present = mask;
    memcpy(members, slot_at(warp, inst->members), sizeof members);
    while (mask) {
        uint32_t lanes = same_members(members, mask);
        uint32_t voters = members[__builtin_ctz(mask)] & present;
        uint32_t result = count_votes(inst->warp.op, votes & voters, voters);
        if (inst->warp.op == PTX_MOD_ballot)
            broadcast(warp, inst->dst, result, lanes);
        else
            slot_set_predicate(warp, inst->dst, result, lanes);
        mask &= ~lanes;
    }
}

LANES_CLONES bool lanes_all_set(const uint32_t *values)
{
    uint32_t all = ALL_LANES;
    for (unsigned l = 0; l < WARP; l++)
        all &= values[l];
    return all == ALL_LANES;
}

/* Writes to SOURCE, for each lane, the lane that it reads from, as in the PTX manual's pseudocode
 * for shfl.sync. Returns a mask of the lanes whose source lane is in range. */
LANES_INLINE uint32_t shuffle_sources(uint32_t *source, uint8_t op, const uint32_t *b,
                                      const uint32_t *c)
{
    uint32_t in_range = 0;
    for (unsigned l = 0; l < WARP; l++) {
        int32_t lane = (int32_t)l, by = (int32_t)(b[l] & 31);
        int32_t segment = (int32_t)(c[l] >> 8 & 31), clamp = (int32_t)(c[l] & 31);
        int32_t least = lane & segment, most = least | (clamp & ~segment);
        int32_t from = op == PTX_MOD_up     ? lane - by
                       : op == PTX_MOD_down ? lane + by
                       : op == PTX_MOD_bfly ? lane ^ by
                                            : (least | (by & ~segment));
        bool ok = op == PTX_MOD_up ? from >= most : from <= most;
        source[l] = (uint32_t)(ok ? from : lane) & 31;
        in_range |= (uint32_t)ok << l;
    }
    return in_range;
}

/* Executes shfl. A lane that reads from an absent lane gets 0, as measured on an H100. */
LANES_CLONES void shfl_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint32_t source[WARP], values[WARP], in_range;
    uint32_t *d = (uint32_t *)slot_at(warp, inst->dst);
    const uint32_t *a = (const uint32_t *)slot_at(warp, inst->src[0]);
    const uint32_t *b = (const uint32_t *)slot_at(warp, inst->src[1]);
    const uint32_t *c = (const uint32_t *)slot_at(warp, inst->src[2]);
    if (inst->warp.op == PTX_MOD_up)
        in_range = shuffle_sources(source, PTX_MOD_up, b, c);
    else if (inst->warp.op == PTX_MOD_down)
        in_range = shuffle_sources(source, PTX_MOD_down, b, c);
    else if (inst->warp.op == PTX_MOD_bfly)
        in_range = shuffle_sources(source, PTX_MOD_bfly, b, c);
    else
        in_range = shuffle_sources(source, PTX_MOD_idx, b, c);
    pick_words(values, a, source);
    if (mask != ALL_LANES || warp->absent ||
        !lanes_all_set((const uint32_t *)(void *)slot_at(warp, inst->members)))
        absent_shuffle(warp, inst, source, mask);
    /* the manual does not define the values that lanes read from absent lanes */
    for (unsigned l = 0; l < WARP && mask != ALL_LANES; l++)
        values[l] = mask >> source[l] & 1 ? values[l] : 0;
    for (unsigned l = 0; l < WARP; l++)
        d[l] = mask >> l & 1 ? values[l] : d[l];
    slot_set_predicate(warp, inst->warp.second, in_range, mask);
}

/* --- match, redux, elect ---------------------------------------------------------------------- */

/* Returns the lanes that have the same value as LANE. */
LANES_INLINE uint32_t same_values(const uint64_t *values, unsigned lane)
{
    uint32_t same = 0;
    for (unsigned l = 0; l < WARP; l++)
        same |= (uint32_t)(values[l] == values[lane]) << l;
    return same;
}

/* Executes match.any.sync d, a, members, where d is the mask of the members that have the lane's
 * value. Also executes match.all, where d is the mask of all members if their values are equal,
 * otherwise 0. */
LANES_CLONES void match_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint64_t values[WARP];
    uint32_t members[WARP], result[WARP] = {0}, all = 0;
    read_raw(values, slot_at(warp, inst->src[0]), inst->src[0].bytes);
    memcpy(members, slot_at(warp, inst->members), sizeof members);
    /* each iteration handles all lanes that share one value */
    for (uint32_t todo = mask, same; todo; todo &= ~same) {
        same = same_values(values, (unsigned)__builtin_ctz(todo));
        for (unsigned l = 0; l < WARP; l++) {
            uint32_t others = members[l] & mask, found = same & others;
            all |= (uint32_t)((same >> l & 1) && found == others) << l;
            if (inst->warp.op == PTX_MOD_all && found != others)
                found = 0;
            result[l] = same >> l & 1 ? found : result[l];
        }
    }
    uint8_t *d = inst->dst.offset == NO_SLOT ? NULL : slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP && d; l++)
        if (mask >> l & 1)
            memcpy(d + l * sizeof *result, &result[l], sizeof *result);
    slot_set_predicate(warp, inst->warp.second, all, mask);
}

static uint32_t reduce(const struct inst *inst, uint32_t a, uint32_t b)
{
    bool is_signed = inst->warp.is_signed;
    switch (inst->warp.op) {
    case PTX_MOD_add:
        return a + b;
    case PTX_MOD_min:
        return (is_signed ? (int32_t)a < (int32_t)b : a < b) ? a : b;
    case PTX_MOD_max:
        return (is_signed ? (int32_t)a > (int32_t)b : a > b) ? a : b;
    case PTX_MOD_and:
        return a & b;
    case PTX_MOD_or:
        return a | b;
    default:
        return a ^ b;
    }
}

void redux_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint32_t values[WARP], members[WARP], present = mask;
    memcpy(values, slot_at(warp, inst->src[0]), sizeof values);
    memcpy(members, slot_at(warp, inst->members), sizeof members);
    while (mask) {
        uint32_t lanes = same_members(members, mask);
        uint32_t others = members[__builtin_ctz(mask)] & present;
        uint32_t result = others ? values[__builtin_ctz(others)] : 0;
        for (uint32_t left = others & (others - 1); left; left &= left - 1)
            result = reduce(inst, result, values[__builtin_ctz(left)]);
        broadcast(warp, inst->dst, result, lanes);
        mask &= ~lanes;
    }
}

/* Executes elect.sync d|p, members: d is the index of the lowest member, and p is true only in the
 * lane with this index. */
void elect_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint32_t members[WARP], present = mask;
    memcpy(members, slot_at(warp, inst->members), sizeof members);
    while (mask) {
        uint32_t lanes = same_members(members, mask);
        uint32_t others = members[__builtin_ctz(mask)] & present;
        unsigned leader = (unsigned)__builtin_ctz(others ? others : lanes);
        broadcast(warp, inst->dst, leader, lanes);
        slot_set_predicate(warp, inst->warp.second, 1u << leader, lanes);
        mask &= ~lanes;
    }
}
