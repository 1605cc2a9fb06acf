/* Executes SIMD video instructions, which operate separately on each part of a 32-bit register. The
 * parts are two halves or four bytes.
 *
 *   vadd4.s32.u32.s32.sat d, a, b, c    the types say whether parts of d, a and b are signed
 *   vadd4.s32.u32.s32.add d, a, b, c    d = c + the sum of all parts of the result
 *
 * Programs use them through <device_functions.h>, mostly __vabsdiffu4(). Masks and selections of
 * parts (d.b0, a.b4567) are not supported. */
#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"

static inline int32_t part_of(uint32_t word, unsigned at, unsigned bits, bool is_signed)
{
    uint32_t part = word >> at << (32 - bits);
    return is_signed ? (int32_t)part >> (32 - bits) : (int32_t)(part >> (32 - bits));
}

static inline int32_t average(int32_t sum)
{
    return (sum + (sum >= 0)) >> 1;
}

static int32_t compare(uint8_t word, int32_t a, int32_t b)
{
    switch (word) {
    case PTX_MOD_eq:
        return a == b;
    case PTX_MOD_ne:
        return a != b;
    case PTX_MOD_lt:
        return a < b;
    case PTX_MOD_le:
        return a <= b;
    case PTX_MOD_gt:
        return a > b;
    default:
        return a >= b;
    }
}

static int32_t combine(const struct inst *inst, int32_t a, int32_t b)
{
    switch (inst->video.op) {
    case PTX_OP_vadd2:
    case PTX_OP_vadd4:
        return a + b;
    case PTX_OP_vsub2:
    case PTX_OP_vsub4:
        return a - b;
    case PTX_OP_vavrg2:
    case PTX_OP_vavrg4:
        return average(a + b);
    case PTX_OP_vabsdiff2:
    case PTX_OP_vabsdiff4:
        return a < b ? b - a : a - b;
    case PTX_OP_vmin2:
    case PTX_OP_vmin4:
        return a < b ? a : b;
    case PTX_OP_vmax2:
    case PTX_OP_vmax4:
        return a > b ? a : b;
    default:
        return compare(inst->video.compare, a, b);
    }
}

static int32_t saturated(int32_t value, unsigned bits, bool is_signed)
{
    int32_t least = is_signed ? -(1 << (bits - 1)) : 0;
    int32_t most = (1 << (bits - is_signed)) - 1;
    return value < least ? least : value > most ? most : value;
}

/* Computes one lane's result. Returns all parts in one 32-bit word, or the sum of C and all
 * parts. */
static uint32_t video(const struct inst *inst, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned bits = inst->video.bits;
    uint32_t parts = 0, sum = c;
    for (unsigned at = 0; at < 32; at += bits) {
        int32_t value = combine(inst, part_of(a, at, bits, inst->video.a_signed),
                                part_of(b, at, bits, inst->video.b_signed));
        if (inst->video.saturates)
            value = saturated(value, bits, inst->video.d_signed);
        parts |= ((uint32_t)value & ((1u << bits) - 1)) << at;
        sum += (uint32_t)value;
    }
    return inst->video.adds ? sum : parts;
}

void video_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint32_t *a = (const uint32_t *)(const void *)slot_at(warp, inst->src[0]);
    const uint32_t *b = (const uint32_t *)(const void *)slot_at(warp, inst->src[1]);
    const uint32_t *c = (const uint32_t *)(const void *)slot_at(warp, inst->src[2]);
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++)
        if (mask >> l & 1)
            d[l] = video(inst, a[l], b[l], c[l]);
}
