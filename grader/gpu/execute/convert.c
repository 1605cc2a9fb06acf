/* Executes cvt, which converts any type to any other in two steps. It widens each lane's source to
 * 64 bits (an integer or a double), which is exact. Then it narrows the value to the destination's
 * type: it rounds once and saturates.
 *
 * A register may be wider than the operand's type in the instruction. Reading truncates such a
 * register; writing extends the value. */
#include <math.h>
#include <string.h>

#include "gpu/execute/float8.h"
#include "gpu/execute/half.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/raw.h"
#include "gpu/execute/state.h"

/* --- widening --------------------------------------------------------------------------------- */

LANES_INLINE void widen_integers(int64_t *out, const uint8_t *lanes, unsigned bytes, unsigned type)
{
    unsigned shift = 64 - 8 * ptx_type_bytes((enum ptx_type)type);
    bool is_signed = ptx_type_class((enum ptx_type)type) == 'S';
    read_raw((uint64_t *)out, lanes, bytes);
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t top = (uint64_t)out[l] << shift;
        out[l] = is_signed ? (int64_t)top >> shift : (int64_t)(top >> shift);
    }
}

static void widen_floats(double *out, const uint8_t *lanes, unsigned type)
{
    if (half_is(type))
        half_read(out, lanes, type, 0, false);
    for (unsigned l = 0; l < WARP && type == PTX_f32; l++)
        out[l] = ((const float *)(const void *)lanes)[l];
    for (unsigned l = 0; l < WARP && type == PTX_f64; l++)
        out[l] = ((const double *)(const void *)lanes)[l];
}

/* --- narrowing -------------------------------------------------------------------------------- */

/* Truncates VALUES to the destination's type and writes them, extended to the register's width. */
LANES_INLINE void write_integers(struct warp *warp, const struct inst *inst, const int64_t *values,
                                 uint32_t mask)
{
    uint64_t bits[WARP];
    unsigned shift = 64 - 8 * ptx_type_bytes((enum ptx_type)inst->cvt.to);
    bool is_signed = ptx_type_class((enum ptx_type)inst->cvt.to) == 'S';
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t top = (uint64_t)values[l] << shift;
        bits[l] = is_signed ? (uint64_t)((int64_t)top >> shift) : top >> shift;
    }
    write_raw(slot_at(warp, inst->dst), inst->dst.bytes, bits, mask);
}

static int64_t clamp_integer(int64_t value, bool from_unsigned, unsigned type)
{
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)type);
    if (ptx_type_class((enum ptx_type)type) == 'U') {
        uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
        if (!from_unsigned && value < 0)
            return 0;
        return (uint64_t)value > most ? (int64_t)most : value;
    }
    int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    if (from_unsigned)
        return (uint64_t)value > (uint64_t)most ? most : value;
    return value > most ? most : value < -most - 1 ? -most - 1 : value;
}

static double rounded(double value, uint8_t round)
{
    switch (round) {
    case 'z':
        return trunc(value);
    case 'm':
        return floor(value);
    case 'p':
        return ceil(value);
    default:
        return nearbyint(value); /* rounds to even, because the CPU is in its default mode here */
    }
}

/* Rounds to an integer. A float outside the integer's range becomes the nearest integer in range.
 * NaN becomes 0; if the source (IS_WIDE) or the destination has 64 bits, NaN becomes the integer
 * with only its top bit set. */
static int64_t to_integer(double value, uint8_t round, unsigned type, bool is_wide)
{
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)type);
    bool is_unsigned = ptx_type_class((enum ptx_type)type) == 'U';
    if (isnan(value))
        return is_wide || bits == 64 ? (int64_t)((uint64_t)1 << (bits - 1)) : 0;
    value = rounded(value, round);
    double most = ldexp(1, (int)bits - !is_unsigned), least = is_unsigned ? 0 : -most;
    if (value >= most)
        return is_unsigned ? (int64_t)(UINT64_MAX >> (64 - bits))
                           : (int64_t)(UINT64_MAX >> (65 - bits));
    if (value < least)
        return is_unsigned ? 0 : (int64_t)(UINT64_MAX << (bits - 1));
    return is_unsigned ? (int64_t)(uint64_t)value : (int64_t)value;
}

/* --- the kinds of conversion ------------------------------------------------------------------ */

LANES_CLONES static void integer_to_integer(struct warp *warp, const struct inst *inst,
                                            uint32_t mask)
{
    int64_t values[WARP];
    widen_integers(values, slot_at(warp, inst->src[0]), inst->src[0].bytes, inst->cvt.from);
    bool from_unsigned = ptx_type_class((enum ptx_type)inst->cvt.from) == 'U';
    if (inst->cvt.saturate)
        for (unsigned l = 0; l < WARP; l++)
            values[l] = clamp_integer(values[l], from_unsigned, inst->cvt.to);
    write_integers(warp, inst, values, mask);
}

static double saturated(double value)
{
    return value > 0 ? (value < 1 ? value : 1) : 0;
}

/* Returns a double that rounds to the same f16 or bf16 as the integer. An integer of more than 53
 * bits does not fit into a double. Its low bits are replaced by one sticky bit, which is set if any
 * of them was set. */
static double jammed(int64_t value, bool is_u64)
{
    bool is_negative = !is_u64 && value < 0;
    uint64_t size = is_negative ? 0 - (uint64_t)value : (uint64_t)value, low = size & 0x7ff;
    size = size >> 53 && low ? (size ^ low) | 0x800 : size;
    return is_negative ? -(double)size : (double)size;
}

static void integer_to_half(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    int64_t values[WARP];
    double doubles[WARP];
    widen_integers(values, slot_at(warp, inst->src[0]), inst->src[0].bytes, inst->cvt.from);
    for (unsigned l = 0; l < WARP; l++) {
        double value = jammed(values[l], inst->cvt.from == PTX_u64);
        doubles[l] = inst->cvt.saturate ? saturated(value) : value;
    }
    fp_set(inst->mode);
    half_write(slot_at(warp, inst->dst), doubles, inst->cvt.to, 0, inst->mode, false, mask);
    fp_set(MODE_DEFAULT);
}

static void integer_to_float(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    int64_t values[WARP];
    widen_integers(values, slot_at(warp, inst->src[0]), inst->src[0].bytes, inst->cvt.from);
    bool is_u64 = inst->cvt.from == PTX_u64;
    uint8_t *d = slot_at(warp, inst->dst);
    fp_set(inst->mode);
    for (unsigned l = 0; l < WARP; l++) {
        float narrow = is_u64 ? (float)(uint64_t)values[l] : (float)values[l];
        double wide = is_u64 ? (double)(uint64_t)values[l] : (double)values[l];
        if (inst->cvt.saturate) {
            narrow = (float)saturated(narrow);
            wide = saturated(wide);
        }
        if (mask >> l & 1 && inst->cvt.to == PTX_f32)
            memcpy(d + 4 * l, &narrow, 4);
        else if (mask >> l & 1)
            memcpy(d + 8 * l, &wide, 8);
    }
    fp_set(MODE_DEFAULT);
}

/* Applies .ftz: a denormal source counts as zero. */
static double flushed(double value, const struct inst *inst)
{
    bool flushes = (inst->mode & MODE_FTZ) == MODE_FTZ && inst->cvt.from == PTX_f32;
    return flushes && fabs(value) < 0x1p-126 ? copysign(0, value) : value;
}

static void float_to_integer(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[WARP];
    int64_t results[WARP];
    widen_floats(values, slot_at(warp, inst->src[0]), inst->cvt.from);
    for (unsigned l = 0; l < WARP; l++)
        results[l] = to_integer(flushed(values[l], inst), inst->cvt.round, inst->cvt.to,
                                inst->cvt.from == PTX_f64);
    write_integers(warp, inst, results, mask);
}

static float finish32(double value, const struct inst *inst)
{
    float narrow = (float)value;
    if (inst->cvt.saturate)
        narrow = (float)saturated(narrow);
    if ((inst->mode & MODE_FTZ) == MODE_FTZ && fpclassify(narrow) == FP_SUBNORMAL)
        narrow = copysignf(0, narrow);
    if (isnan(narrow))
        memcpy(&narrow, &(uint32_t){0x7fffffffu}, 4);
    return narrow;
}

static void write_float(uint8_t *lanes, unsigned l, double value, const struct inst *inst)
{
    if (inst->cvt.to == PTX_f32)
        ((float *)(void *)lanes)[l] = finish32(value, inst);
    else
        ((double *)(void *)lanes)[l] = inst->cvt.saturate ? saturated(value) : value;
}

static void float_to_float(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[WARP];
    widen_floats(values, slot_at(warp, inst->src[0]), inst->cvt.from);
    uint8_t *d = slot_at(warp, inst->dst);
    fp_set(inst->mode & ~MODE_FTZ);
    for (unsigned l = 0; l < WARP; l++) {
        values[l] = flushed(values[l], inst);
        if (inst->cvt.round)
            values[l] = rounded(values[l], inst->cvt.round);
        if (mask >> l & 1)
            write_float(d, l, values[l], inst);
    }
    fp_set(MODE_DEFAULT);
}

/* Defines a function that rounds 32 values to whole numbers. It tests ROUND outside its loops, so
 * that the compiler vectorises them. */
#define WHOLE_VALUES(T, to_zero, down, up, to_even)                                                \
    LANES_INLINE void make_whole_##T(T *v, uint8_t round)                                          \
    {                                                                                              \
        if (round == 'z')                                                                          \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                v[l] = to_zero(v[l]);                                                              \
        else if (round == 'm')                                                                     \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                v[l] = down(v[l]);                                                                 \
        else if (round == 'p')                                                                     \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                v[l] = up(v[l]);                                                                   \
        else                                                                                       \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                v[l] = to_even(v[l]); /* the CPU is in its default mode here */                    \
    }
WHOLE_VALUES(float, truncf, floorf, ceilf, rintf)
WHOLE_VALUES(double, trunc, floor, ceil, rint)

/* Converts f32 to f32. This is vectorised because every exp and sin begins with cvt.rni.f32.f32 or
 * cvt.sat.f32.f32. */
LANES_CLONES static void f32_to_f32(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const float *a = (const float *)(const void *)slot_at(warp, inst->src[0]);
    float *d = (float *)(void *)slot_at(warp, inst->dst), canonical, values[WARP];
    memcpy(&canonical, &(uint32_t){0x7fffffffu}, sizeof canonical);
    float least = (inst->mode & MODE_FTZ) == MODE_FTZ ? 0x1p-126f : 0;
    /* a copy, because the compiler must assume that a write to d can change inst */
    const bool saturate = inst->cvt.saturate;
    for (unsigned l = 0; l < WARP; l++)
        values[l] = fabsf(a[l]) < least ? copysignf(0, a[l]) : a[l];
    if (inst->cvt.round)
        make_whole_float(values, inst->cvt.round);
    for (unsigned l = 0; l < WARP; l++) {
        float value = values[l] != values[l] ? canonical : values[l];
        float unit = value > 0 ? (value < 1 ? value : 1) : 0;
        value = saturate ? unit : value;
        d[l] = mask >> l & 1 ? value : d[l];
    }
}

/* Converts f16, bf16 or f64 to f16 or bf16. */
static void float_to_half(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[WARP];
    uint8_t *d = slot_at(warp, inst->dst);
    uint32_t nans = 0;
    widen_floats(values, slot_at(warp, inst->src[0]), inst->cvt.from);
    for (unsigned l = 0; l < WARP; l++) {
        if (inst->cvt.round)
            values[l] = rounded(values[l], inst->cvt.round);
        if (inst->cvt.saturate)
            values[l] = saturated(values[l]);
        nans |= (uint32_t)isnan(values[l]) << l;
    }
    fp_set(inst->mode);
    half_write(d, values, inst->cvt.to, 0, inst->mode, false, mask);
    fp_set(MODE_DEFAULT);
    for (unsigned l = 0; l < WARP && inst->cvt.from == PTX_f64; l++)
        if (nans & mask & 1u << l)
            ((uint16_t *)(void *)d)[l] = half_nan_from(values[l], half_format(inst->cvt.to));
}

/* Prepares the floats at A for half_write(): applies .ftz, .sat and .relu and converts to double.
 * .ftz flushes denormal sources of bf16; for f16 the hardware keeps them. */
LANES_INLINE void clamp_f32(double *out, const float *a, const struct inst *inst)
{
    bool flushes = (inst->mode & MODE_FTZ) == MODE_FTZ && !half_is_f16(inst->cvt.to);
    bool saturate = inst->cvt.saturate, relu = inst->cvt.relu;
    float least = flushes ? 0x1p-126f : 0;
    for (unsigned l = 0; l < WARP; l++) {
        float value = fabsf(a[l]) < least ? copysignf(0, a[l]) : a[l];
        out[l] = half_clamp(value, saturate, relu);
    }
}

/* Converts f32 to f16 or bf16. If there are two sources, the first becomes the upper half of the
 * result. */
LANES_CLONES static void f32_to_half(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned parts = half_is_packed(inst->cvt.to) ? 2 : 1;
    double values[2][WARP];
    for (unsigned part = 0; part < parts; part++) {
        struct slot slot = inst->src[parts - 1 - part];
        clamp_f32(values[part], (const float *)(const void *)slot_at(warp, slot), inst);
    }
    fp_set(inst->mode & ~MODE_FTZ);
    for (unsigned part = 0; part < parts; part++)
        half_write(slot_at(warp, inst->dst), values[part], inst->cvt.to, part, inst->mode, false,
                   mask);
    fp_set(MODE_DEFAULT);
}

/* Rounds f32 to 11 digits, ties away from zero. The lower 13 bits become 0. As on an H100, a NaN
 * keeps its upper bits, so a NaN whose upper bits are those of infinity becomes infinity. */
LANES_CLONES static void f32_to_tf32(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint32_t *a = (const uint32_t *)(const void *)slot_at(warp, inst->src[0]);
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++) {
        uint32_t half = (a[l] & 0x7f800000u) == 0x7f800000u ? 0 : 0x1000u;
        d[l] = mask >> l & 1 ? (a[l] + half) & 0xffffe000u : d[l];
    }
}

/* Converts bf16 to f32. A bf16 is the upper half of a float's bits, even if it is NaN. */
LANES_CLONES static void bf16_to_f32(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint16_t *a = (const uint16_t *)(const void *)slot_at(warp, inst->src[0]);
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++)
        d[l] = mask >> l & 1 ? (uint32_t)a[l] << 16 : d[l];
}

LANES_CLONES static void f16_to_f32(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[WARP];
    float *d = (float *)(void *)slot_at(warp, inst->dst), canonical;
    memcpy(&canonical, &(uint32_t){0x7fffffffu}, sizeof canonical);
    half_read(values, slot_at(warp, inst->src[0]), inst->cvt.from, 0, false);
    bool saturate = inst->cvt.saturate;
    for (unsigned l = 0; l < WARP; l++) {
        float value = (float)half_clamp(values[l], saturate, false);
        value = value != value ? canonical : value;
        d[l] = mask >> l & 1 ? value : d[l];
    }
}

static lane_fn *kind_of(const struct inst *inst)
{
    unsigned to = inst->cvt.to, from = inst->cvt.from;
    if (float8_is(to))
        return from == PTX_f32 ? float8_from_f32 : float8_from_f16;
    if (float8_is(from))
        return float8_to_f16;
    if (to == PTX_tf32)
        return f32_to_tf32;
    if (to == PTX_f32 && from == PTX_f32)
        return f32_to_f32;
    if (to == PTX_f32 && from == PTX_f16)
        return f16_to_f32;
    if (to == PTX_f32 && from == PTX_bf16 && inst->mode == MODE_DEFAULT)
        return bf16_to_f32;
    if (half_is(to))
        return from == PTX_f32           ? f32_to_half
               : ptx_type_is_float(from) ? float_to_half
                                         : integer_to_half;
    if (ptx_type_is_float(from))
        return ptx_type_is_float(to) ? float_to_float : float_to_integer;
    return ptx_type_is_float(to) ? integer_to_float : integer_to_integer;
}

/* --- frequent conversions, vectorised --------------------------------------------------------- */

/* Writes whole numbers as s32 or u32. A number out of range becomes the nearest number in range;
 * NaN becomes NAN_WORD. */
LANES_INLINE void write_words(uint32_t *d, const double *values, bool is_unsigned,
                              uint32_t nan_word, uint32_t mask)
{
    double least = is_unsigned ? 0 : -0x1p31, most = is_unsigned ? 0x1p32 - 1 : 0x1p31 - 1;
    for (unsigned l = 0; l < WARP; l++) {
        double whole = values[l] < least ? least : values[l] > most ? most : values[l];
        uint32_t word = values[l] != values[l] ? nan_word : (uint32_t)(int64_t)whole;
        d[l] = mask >> l & 1 ? word : d[l];
    }
}

/* Does the same as write_words(), for s64 or u64. A double from 2^63 on is a multiple of 2048, so
 * half of it is still a whole number, and fits into s64. */
LANES_INLINE void write_longs(uint64_t *d, const double *values, bool is_unsigned, uint32_t mask)
{
    double least = is_unsigned ? 0 : -0x1p63, end = is_unsigned ? 0x1p64 : 0x1p63;
    uint64_t most = is_unsigned ? UINT64_MAX : (uint64_t)INT64_MAX;
    int64_t longs[WARP];
    for (unsigned l = 0; l < WARP; l++) {
        double fits = values[l] >= 0x1p63 ? values[l] / 2 : values[l];
        fits = fits >= least ? fits : least;
        longs[l] = (int64_t)(fits < 0x1p63 ? fits : 0);
    }
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t bits = (uint64_t)longs[l], value = values[l] >= 0x1p63 ? bits << 1 : bits;
        value = values[l] >= end ? most : values[l] != values[l] ? (uint64_t)1 << 63 : value;
        d[l] = mask >> l & 1 ? value : d[l];
    }
}

/* Converts f32 to s32 or u32. */
LANES_CLONES static void f32_to_word(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const float *a = (const float *)(const void *)slot_at(warp, inst->src[0]);
    float least = (inst->mode & MODE_FTZ) == MODE_FTZ ? 0x1p-126f : 0, values[WARP];
    double wide[WARP];
    for (unsigned l = 0; l < WARP; l++)
        values[l] = fabsf(a[l]) < least ? 0 : a[l];
    make_whole_float(values, inst->cvt.round);
    for (unsigned l = 0; l < WARP; l++)
        wide[l] = values[l];
    write_words((uint32_t *)(void *)slot_at(warp, inst->dst), wide, inst->cvt.to == PTX_u32, 0,
                mask);
}

LANES_CLONES static void f64_to_word(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[WARP];
    memcpy(values, slot_at(warp, inst->src[0]), sizeof values);
    make_whole_double(values, inst->cvt.round);
    write_words((uint32_t *)(void *)slot_at(warp, inst->dst), values, inst->cvt.to == PTX_u32,
                0x80000000u, mask);
}

LANES_CLONES static void f64_to_wide(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[WARP];
    memcpy(values, slot_at(warp, inst->src[0]), sizeof values);
    make_whole_double(values, inst->cvt.round);
    write_longs((uint64_t *)(void *)slot_at(warp, inst->dst), values, inst->cvt.to == PTX_u64,
                mask);
}

/* Converts s32 or u32 to f32, in the CPU's rounding mode, or to f64, which is exact. */
LANES_CLONES static void word_to_float(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint32_t *a = (const uint32_t *)(const void *)slot_at(warp, inst->src[0]);
    float *d = (float *)(void *)slot_at(warp, inst->dst);
    double *wide = (double *)(void *)d;
    bool is_unsigned = inst->cvt.from == PTX_u32;
    for (unsigned l = 0; l < WARP && inst->cvt.to == PTX_f32; l++) {
        float value = is_unsigned ? (float)a[l] : (float)(int32_t)a[l];
        d[l] = mask >> l & 1 ? value : d[l];
    }
    for (unsigned l = 0; l < WARP && inst->cvt.to == PTX_f64; l++) {
        double value = is_unsigned ? (double)a[l] : (double)(int32_t)a[l];
        wide[l] = mask >> l & 1 ? value : wide[l];
    }
}

/* Converts f64 to f32, in the CPU's rounding mode. */
LANES_CLONES static void f64_to_f32(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const double *a = (const double *)(const void *)slot_at(warp, inst->src[0]);
    float *d = (float *)(void *)slot_at(warp, inst->dst), canonical;
    memcpy(&canonical, &(uint32_t){0x7fffffffu}, sizeof canonical);
    float flush = (inst->mode & MODE_FTZ) == MODE_FTZ ? 0x1p-126f : 0;
    for (unsigned l = 0; l < WARP; l++) {
        float value = (float)a[l];
        value = fabsf(value) < flush ? copysignf(0, value) : value;
        value = value != value ? canonical : value;
        d[l] = mask >> l & 1 ? value : d[l];
    }
}

LANES_CLONES static void f32_to_f64(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const float *a = (const float *)(const void *)slot_at(warp, inst->src[0]);
    double *d = (double *)(void *)slot_at(warp, inst->dst);
    float flush = (inst->mode & MODE_FTZ) == MODE_FTZ ? 0x1p-126f : 0;
    for (unsigned l = 0; l < WARP; l++) {
        double value = fabsf(a[l]) < flush ? copysignf(0, a[l]) : a[l];
        d[l] = mask >> l & 1 ? value : d[l];
    }
}

/* Converts s32 or u32 to 64 bits. */
LANES_CLONES static void word_to_wide(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint32_t *a = (const uint32_t *)(const void *)slot_at(warp, inst->src[0]);
    uint64_t *d = (uint64_t *)(void *)slot_at(warp, inst->dst);
    bool is_signed = inst->cvt.from == PTX_s32;
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t value = is_signed ? (uint64_t)(int32_t)a[l] : a[l];
        d[l] = mask >> l & 1 ? value : d[l];
    }
}

LANES_CLONES static void wide_to_word(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint64_t *a = (const uint64_t *)(const void *)slot_at(warp, inst->src[0]);
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++)
        d[l] = mask >> l & 1 ? (uint32_t)a[l] : d[l];
}

static bool is_wide(unsigned type)
{
    return type == PTX_s64 || type == PTX_u64;
}

static bool is_word(unsigned type)
{
    return type == PTX_s32 || type == PTX_u32;
}

/* Returns the vectorised function for this conversion, or NULL if there is none. */
static lane_fn *in_vectors(const struct inst *inst)
{
    uint8_t to = inst->cvt.to, from = inst->cvt.from;
    if (from == PTX_f32 && is_word(to) && inst->dst.bytes == 4)
        return f32_to_word;
    if (from == PTX_f64 && is_word(to) && inst->dst.bytes == 4)
        return f64_to_word;
    if (from == PTX_f64 && is_wide(to))
        return f64_to_wide;
    if (inst->cvt.saturate)
        return NULL;
    if (is_word(from) && inst->src[0].bytes == 4 && is_wide(to))
        return word_to_wide;
    if (is_wide(from) && is_word(to) && inst->dst.bytes == 4)
        return wide_to_word;
    if (to != PTX_f32 && to != PTX_f64)
        return NULL;
    if (is_word(from) && inst->src[0].bytes == 4)
        return word_to_float;
    return from == PTX_f64 && to == PTX_f32   ? f64_to_f32
           : from == PTX_f32 && to == PTX_f64 ? f32_to_f64
                                              : NULL;
}

void cvt_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    lane_fn *fast = in_vectors(inst);
    if (!fast) {
        kind_of(inst)(warp, inst, mask);
        return;
    }
    fp_set(inst->mode & ~MODE_FTZ); /* the functions flush denormals themselves */
    fast(warp, inst, mask);
    fp_set(MODE_DEFAULT);
}
