/* Executes comparisons (setp and set) and testp, which tests the class of a number. Each of them
 * computes one bit per lane. */
#include <string.h>

#include "gpu/execute/half.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/rows.h"
#include "gpu/execute/state.h"

#define COMPARE(name, T, condition)                                                                \
    LANES_CLONES static u32 name##_##T(const void *a, const void *b)                               \
    {                                                                                              \
        return compare_##name##_##T(a, b);                                                         \
    }                                                                                              \
    LANES_CLONES static void name##_##T##_lanes(struct warp *warp, const struct inst *inst,        \
                                                u32 mask)                                          \
    {                                                                                              \
        u32 bits = compare_##name##_##T(slot_at(warp, inst->src[0]), slot_at(warp, inst->src[1])); \
        slot_set_predicate(warp, inst->dst, bits, mask);                                           \
    }
EVERY_COMPARISON
#undef COMPARE

static const struct compare_row rows[] = {
#define COMPARE(name, T, condition) {#name "_" #T, name##_##T, name##_##T##_lanes},
    EVERY_COMPARISON
#undef COMPARE
};

const struct compare_row *compare_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* Compares f16 or bf16 numbers as doubles, which hold them exactly. In packed registers, PART 0 is
 * the lower half and PART 1 the upper half. */
static u32 compared_halves(struct warp *warp, const struct inst *inst, unsigned part)
{
    f64 x[WARP], y[WARP];
    half_read(x, slot_at(warp, inst->src[0]), inst->set.half, part, inst->set.ftz);
    half_read(y, slot_at(warp, inst->src[1]), inst->set.half, part, inst->set.ftz);
    return inst->set.compare(x, y);
}

static u32 compared(struct warp *warp, const struct inst *inst)
{
    if (inst->set.half)
        return compared_halves(warp, inst, 0);
    if (inst->mode == MODE_DEFAULT)
        return inst->set.compare(slot_at(warp, inst->src[0]), slot_at(warp, inst->src[1]));
    fp_set(inst->mode);
    u32 bits = inst->set.compare(slot_at(warp, inst->src[0]), slot_at(warp, inst->src[1]));
    fp_set(MODE_DEFAULT);
    return bits;
}

/* Combines the comparison's result with the predicate in the third source, if the instruction has
 * one. */
static u32 combined(struct warp *warp, const struct inst *inst, u32 bits)
{
    if (!inst->set.combine)
        return bits;
    u32 other = slot_predicate(warp, inst->src[2]);
    return inst->set.combine == '&'   ? bits & other
           : inst->set.combine == '|' ? bits | other
                                      : bits ^ other;
}

/* Executes the forms of setp that compare_row.run cannot execute. For p|q, p gets the comparison's
 * result and q its negation, each combined with the third source. For packed numbers, p gets the
 * result of the lower halves and q the result of the upper halves. */
void setp_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    u32 bits = compared(warp, inst);
    u32 second = half_is_packed(inst->set.half) ? compared_halves(warp, inst, 1) : ~bits;
    bits = combined(warp, inst, bits);
    second = combined(warp, inst, second);
    slot_set_predicate(warp, inst->dst, bits, mask);
    slot_set_predicate(warp, inst->set.second, second, mask);
}

/* Executes set, which writes to a register of 32 or 16 bits: all ones or 1.0 for true, 0 for
 * false. */
void set_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    u32 lower = combined(warp, inst, compared(warp, inst)), upper = lower;
    if (half_is_packed(inst->set.half))
        upper = combined(warp, inst, compared_halves(warp, inst, 1));
    u32 yes = inst->set.yes, *d32 = (u32 *)(void *)slot_at(warp, inst->dst);
    u16 *d16 = (u16 *)(void *)d32;
    for (unsigned l = 0; l < WARP; l++) {
        u32 value = (lower >> l & 1 ? yes & 0xffff : 0) | (upper >> l & 1 ? yes & 0xffff0000 : 0);
        if (mask >> l & 1 && inst->dst.bytes == 2)
            d16[l] = (u16)value;
        else if (mask >> l & 1)
            d32[l] = value;
    }
}
