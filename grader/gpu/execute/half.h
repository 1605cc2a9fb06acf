/* f16 and bf16 numbers: 16 bits in registers, doubles while something is computed with them.
 *
 *   f16    1 sign, 5 exponent and 10 fraction bits       f16x2, bf16x2: two of them in 32 bits,
 *   bf16   1 sign, 8 exponent and 7 fraction bits        the first in the lower half
 *
 * A double holds each of them exactly, and their sums and products too: rounding the double once is
 * rounding the exact result once. half.def says why that also holds for fma. Everything is done with
 * 64-bit integers and doubles, not with the CPU's own instructions for f16, so that every CPU gives
 * the same bits. */
#ifndef GPU_EXECUTE_HALF_H
#define GPU_EXECUTE_HALF_H

#include "gpu/execute/bits.h"
#include "gpu/execute/kernel.h"

struct half_format {
    unsigned fraction; /* bits */
    int bias;
};

#define HALF_F16      ((struct half_format){10, 15})
#define HALF_BF16     ((struct half_format){7, 127})

#define HALF_NAN      0x7fffu /* the only one that arithmetic makes, in either format */
#define HALF_SIGN     0x8000u
#define FLOAT_BIAS    127
#define FLOAT_DIGITS  23
#define DOUBLE_BIAS   1023
#define DOUBLE_DIGITS 52
#define DOUBLE_SIGN   ((uint64_t)1 << 63)

static inline bool half_is(unsigned type) /* enum ptx_type */
{
    return type == PTX_f16 || type == PTX_bf16 || type == PTX_f16x2 || type == PTX_bf16x2;
}

static inline bool half_is_packed(unsigned type)
{
    return type == PTX_f16x2 || type == PTX_bf16x2;
}

static inline bool half_is_f16(unsigned type)
{
    return type == PTX_f16 || type == PTX_f16x2;
}

LANES_INLINE struct half_format half_format(unsigned type)
{
    return half_is_f16(type) ? HALF_F16 : HALF_BF16;
}

/* 2 ** exponent */
LANES_INLINE double half_power(int exponent)
{
    return bits_double((uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_DIGITS);
}

LANES_INLINE int64_t half_infinity(struct half_format format)
{
    return 0x8000 - ((int64_t)1 << format.fraction);
}

/* The bits' value, by way of a float, of which the vector unit takes twice as many at once. A NaN stays one, quiet, with
 * its sign and payload. */
LANES_INLINE double half_widen(uint16_t raw, struct half_format format)
{
    int32_t size = raw & 0x7fff, fraction = size << (FLOAT_DIGITS - format.fraction);
    int32_t rebias = (FLOAT_BIAS - format.bias) << FLOAT_DIGITS;
    uint32_t sign = (uint32_t)(raw & HALF_SIGN) << 16;
    if (!rebias) /* bf16: the upper half of a float */
        return bits_float(sign | (uint32_t)fraction);
    /* denormals: as the fraction behind a leading one, which is taken away again */
    int32_t one = rebias + (1 << FLOAT_DIGITS);
    float small = bits_float((uint32_t)(one + fraction)) - bits_float((uint32_t)one);
    uint32_t normal = (uint32_t)(fraction + rebias);
    bool is_small = size < 1 << format.fraction, is_huge = size >= half_infinity(format);
    uint32_t bits = is_small ? float_bits(small) : is_huge ? normal | 0x7f800000u : normal;
    return bits_float(sign | bits);
}

/* The value's bits, rounded in the vector unit's mode. What is too large becomes BEYOND, the bits of
 * infinity or of the largest number, without a sign. */
LANES_INLINE uint16_t half_narrow_to(double value, struct half_format format, int64_t beyond)
{
    int64_t bits = (int64_t)double_bits(value), size = bits & INT64_MAX;
    int64_t exponent = size >> DOUBLE_DIGITS;
    int64_t least = DOUBLE_BIAS + 1 - format.bias, most = DOUBLE_BIAS + format.bias + 2;
    exponent = exponent < least ? least : exponent > most ? most : exponent;
    /* a number so large that its last digit is the result's last digit: adding it rounds */
    int64_t digits = DOUBLE_DIGITS - format.fraction;
    double magic = bits_double((uint64_t)((exponent + digits) << DOUBLE_DIGITS) |
                               (double_bits(value) & DOUBLE_SIGN));
    double rounded = (value + magic) - magic;
    double round_size = bits_double(double_bits(rounded) & INT64_MAX);
    /* denormals: their fraction stands at the end of a number with as large a last digit */
    double end = half_power(DOUBLE_DIGITS + 1 - format.bias - (int)format.fraction);
    int64_t small = (int64_t)double_bits(round_size + end) & 0x7fff;
    int64_t rebias = (int64_t)(DOUBLE_BIAS - format.bias) << format.fraction;
    int64_t normal = ((int64_t)double_bits(round_size) >> digits) - rebias;
    int64_t infinity = half_infinity(format);
    int64_t result = round_size < half_power(1 - format.bias) ? small : normal;
    result = normal >= infinity ? beyond : result;
    result = size == (int64_t)0x7ff << DOUBLE_DIGITS ? infinity : result;
    result |= bits >> 48 & HALF_SIGN;
    return (uint16_t)(value != value ? HALF_NAN : result);
}

/* The same when the vector unit is in MODE, an instruction's: what is too large becomes infinity, or the
 * largest number where the mode does not round away from 0. */
LANES_INLINE uint16_t half_narrow_in(double value, struct half_format format, uint32_t mode)
{
    uint32_t round = mode & MODE_ZERO;
    bool never_up = round == MODE_ZERO || round == MODE_DOWN;
    bool never_down = round == MODE_ZERO || round == MODE_UP;
    int64_t infinity = half_infinity(format);
    return half_narrow_to(value, format, infinity - (value < 0 ? never_down : never_up));
}

/* What a NaN becomes that comes from an f64: the upper bits of it, and quiet. */
LANES_INLINE uint16_t half_nan_from(double nan, struct half_format format)
{
    uint64_t bits = double_bits(nan), quiet = (uint64_t)1 << (format.fraction - 1);
    return (uint16_t)((bits >> 48 & HALF_SIGN) |
                      (bits >> (DOUBLE_DIGITS - format.fraction) & 0x7fff) |
                      (uint64_t)half_infinity(format) | quiet);
}

/* The value with .sat, in [0, 1] and NaN as 0, or with .relu, negative ones as 0
 * (-0 too). */
LANES_INLINE double half_clamp(double value, bool saturate, bool relu)
{
    double unit = value > 0 ? (value < 1 ? value : 1) : 0;
    double floor = value <= 0 ? 0 : value;
    return saturate ? unit : relu ? floor : value;
}

/* One line of half.def. */
struct half_row {
    const char *name; /* "add_f16"; of packed numbers it is the same */
    void (*lanes)(double *restrict d, const double *a, const double *b, const double *c);
    uint8_t sources;
};
const struct half_row *half_find(const char *name); /* NULL if there is none */
lane_fn half_run;                                   /* any row, as inst.half says */

/* 32 lanes of the type as doubles, of a packed one the lower (PART 0) or upper (1) numbers, and back,
 * rounded in MODE, in which the vector unit must be, to the lanes of MASK. FTZ flushes denormals. */
void half_read(double *out, const void *lanes, unsigned type, unsigned part, bool ftz);
void half_write(void *lanes, const double *values, unsigned type, unsigned part, uint32_t mode,
                bool ftz, uint32_t mask);
/* a + b, as atomics add: of both halves of a packed type. */
uint32_t half_add(unsigned type, uint32_t a, uint32_t b);

#endif
