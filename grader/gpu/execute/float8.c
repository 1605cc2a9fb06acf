/* Converts 8-bit floats. Each number is a small multiple of its unit. The unit is the value of the
 * number's last binary digit, which is a power of two. So a conversion divides by the unit and
 * rounds to a whole number. In doubles, both steps are exact. */
#include "gpu/execute/float8.h"

#include <math.h>

#include "gpu/execute/half.h"
#include "gpu/execute/state.h"

struct format {
    unsigned fraction; /* number of fraction bits */
    int bias;
    double largest;
    /* The bits of infinity without the sign; larger values are NaN. NO_NUMBER if the format has no
     * infinity. */
    uint8_t infinity;
};

#define NO_NUMBER 0x7fu /* bits of the NaN that conversions produce, in either format */
#define SIGN      0x80u

static struct format format_of(unsigned type)
{
    return type == PTX_e4m3x2 ? (struct format){3, 7, 448, 0x7f}
                              : (struct format){2, 15, 57344, 0x7c};
}

/* Returns the exponent of the unit of the numbers whose exponent is EXPONENT. */
static int unit_of(int exponent, struct format format)
{
    int least = 1 - format.bias;
    return (exponent < least ? least : exponent) - (int)format.fraction;
}

static uint8_t narrow(double value, struct format format)
{
    if (isnan(value))
        return NO_NUMBER;
    double size = fmin(fabs(value), format.largest);
    int unit = unit_of(size > 0 ? ilogb(size) : 1 - format.bias, format);
    /* the codes of adjacent numbers differ by 1, even where the exponent changes, so rounding up to
     * the next power of two needs no special case */
    int before = (unit + (int)format.fraction - (1 - format.bias)) << format.fraction;
    int code = before + (int)rint(ldexp(size, -unit));
    return (uint8_t)(code | (signbit(value) ? SIGN : 0));
}

static double widen(uint8_t raw, struct format format)
{
    unsigned size = raw & 0x7f, exponent = size >> format.fraction;
    unsigned units = size & ((1u << format.fraction) - 1);
    double value = ldexp(exponent ? units + (1u << format.fraction) : units,
                         unit_of((int)exponent - format.bias, format));
    if (size >= format.infinity)
        value = size == format.infinity && format.infinity != NO_NUMBER ? INFINITY : NAN;
    return raw & SIGN ? -value : value;
}

/* --- lanes ------------------------------------------------------------------------------------ */

static void write_pairs(struct warp *warp, const struct inst *inst, double values[2][WARP],
                        uint32_t mask)
{
    struct format format = format_of(inst->cvt.to);
    uint16_t *d = (uint16_t *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++) {
        uint8_t lower = narrow(half_clamp(values[0][l], false, inst->cvt.relu), format);
        uint8_t upper = narrow(half_clamp(values[1][l], false, inst->cvt.relu), format);
        if (mask >> l & 1)
            d[l] = (uint16_t)(upper << 8 | lower);
    }
}

void float8_from_f32(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[2][WARP];
    for (unsigned part = 0; part < 2; part++)
        for (unsigned l = 0; l < WARP; l++)
            values[part][l] = ((const float *)(const void *)slot_at(warp, inst->src[1 - part]))[l];
    write_pairs(warp, inst, values, mask);
}

void float8_from_f16(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double values[2][WARP];
    for (unsigned part = 0; part < 2; part++)
        half_read(values[part], slot_at(warp, inst->src[0]), PTX_f16x2, part, false);
    write_pairs(warp, inst, values, mask);
}

void float8_to_f16(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct format format = format_of(inst->cvt.from);
    const uint16_t *a = (const uint16_t *)(const void *)slot_at(warp, inst->src[0]);
    double values[2][WARP];
    for (unsigned l = 0; l < WARP; l++) {
        values[0][l] = half_clamp(widen((uint8_t)a[l], format), false, inst->cvt.relu);
        values[1][l] = half_clamp(widen((uint8_t)(a[l] >> 8), format), false, inst->cvt.relu);
    }
    for (unsigned part = 0; part < 2; part++)
        half_write(slot_at(warp, inst->dst), values[part], PTX_f16x2, part, inst->mode, false,
                   mask);
}
