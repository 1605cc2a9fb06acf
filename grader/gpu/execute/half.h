/* Numbers of the types f16 and bf16 have 16 bits in registers. Computations use doubles.
 *
 *   f16    1 sign, 5 exponent and 10 fraction bits       f16x2, bf16x2: two of them in 32 bits,
 *   bf16   1 sign, 8 exponent and 7 fraction bits        the first in the lower half
 *
 * A double holds every such number exactly, and also the products and nearly all sums of two.
 * Rounding the double result gives the same bits as rounding the exact result: half.def explains
 * why, also for fma. The code uses integers, floats and doubles instead of the CPU's f16
 * instructions, so that every CPU gives the same bits. */
#ifndef GPU_EXECUTE_HALF_H
#define GPU_EXECUTE_HALF_H

#include "gpu/execute/floats.h"
#include "gpu/execute/kernel.h"

struct half_format {
    unsigned fraction; /* number of fraction bits */
    int bias;
};

#define HALF_F16      ((struct half_format){10, 15})
#define HALF_BF16     ((struct half_format){7, 127})

#define HALF_NAN      0x7fffu /* the only NaN that arithmetic produces, in either format */
#define HALF_SIGN     0x8000u
#define FLOAT_BIAS    127
#define FLOAT_DIGITS  23
#define DOUBLE_BIAS   1023
#define DOUBLE_DIGITS 52
#define DOUBLE_SIGN   ((uint64_t)1 << 63)

static inline bool half_is(unsigned type) /* TYPE is an enum ptx_type */
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

/* Returns 2 ** exponent. */
LANES_INLINE double half_power(int exponent)
{
    return bits_double((uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_DIGITS);
}

LANES_INLINE int64_t half_infinity(struct half_format format)
{
    return 0x8000 - ((int64_t)1 << format.fraction);
}

/* Returns the number as a double. Converts through a float, because a vector register holds twice
 * as many floats as doubles. NaNs become quiet and keep their sign and payload. */
LANES_INLINE double half_widen(uint16_t raw, struct half_format format)
{
    int32_t size = raw & 0x7fff, fraction = size << (FLOAT_DIGITS - format.fraction);
    int32_t rebias = (FLOAT_BIAS - format.bias) << FLOAT_DIGITS;
    uint32_t sign = (uint32_t)(raw & HALF_SIGN) << 16;
    if (!rebias) /* bf16 is the upper half of a float */
        return bits_float(sign | (uint32_t)fraction);
    /* denormals: adds a leading digit 1 to the fraction, then subtracts it */
    int32_t one = rebias + (1 << FLOAT_DIGITS);
    float small = bits_float((uint32_t)(one + fraction)) - bits_float((uint32_t)one);
    uint32_t normal = (uint32_t)(fraction + rebias);
    bool is_small = size < 1 << format.fraction, is_huge = size >= half_infinity(format);
    uint32_t bits = is_small ? float_bits(small) : is_huge ? normal | 0x7f800000u : normal;
    return bits_float(sign | bits);
}

/* Returns the bits of VALUE in FORMAT, rounded in the vector unit's mode. Numbers that are too
 * large become BEYOND, the bits of infinity or of the largest number, with their sign. */
LANES_INLINE uint16_t half_narrow_to(double value, struct half_format format, int64_t beyond)
{
    int64_t bits = (int64_t)double_bits(value), size = bits & INT64_MAX;
    int64_t exponent = size >> DOUBLE_DIGITS;
    int64_t least = DOUBLE_BIAS + 1 - format.bias, most = DOUBLE_BIAS + format.bias + 2;
    exponent = exponent < least ? least : exponent > most ? most : exponent;
    /* the last digit of MAGIC has the same value as the result's last digit, so adding MAGIC rounds
     * at this digit */
    int64_t digits = DOUBLE_DIGITS - format.fraction;
    double magic = bits_double((uint64_t)((exponent + digits) << DOUBLE_DIGITS) |
                               (double_bits(value) & DOUBLE_SIGN));
    double rounded = (value + magic) - magic;
    double round_size = bits_double(double_bits(rounded) & INT64_MAX);
    /* denormals: END has the same last digit, so adding END moves the fraction into END's lowest
     * bits */
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

/* Does the same as half_narrow_to(), for an instruction with MODE; the vector unit must be in this
 * mode. Numbers that are too large become infinity, or the largest number if the mode rounds them
 * towards 0. */
LANES_INLINE uint16_t half_narrow_in(double value, struct half_format format, uint32_t mode)
{
    uint32_t round = mode & MODE_ZERO;
    bool never_up = round == MODE_ZERO || round == MODE_DOWN;
    bool never_down = round == MODE_ZERO || round == MODE_UP;
    int64_t infinity = half_infinity(format);
    return half_narrow_to(value, format, infinity - (value < 0 ? never_down : never_up));
}

/* Converts an f64 NaN to the format: keeps the upper bits and makes the NaN quiet. */
LANES_INLINE uint16_t half_nan_from(double nan, struct half_format format)
{
    uint64_t bits = double_bits(nan), quiet = (uint64_t)1 << (format.fraction - 1);
    return (uint16_t)((bits >> 48 & HALF_SIGN) |
                      (bits >> (DOUBLE_DIGITS - format.fraction) & 0x7fff) |
                      (uint64_t)half_infinity(format) | quiet);
}

/* Applies .sat, which clamps to [0, 1] and turns NaN into 0, or .relu, which turns negative
 * numbers and -0 into 0. */
LANES_INLINE double half_clamp(double value, bool saturate, bool relu)
{
    double unit = value > 0 ? (value < 1 ? value : 1) : 0;
    double floor = value <= 0 ? 0 : value;
    return saturate ? unit : relu ? floor : value;
}

/* One line of half.def. */
struct half_row {
    const char *name; /* such as "add_f16", also for packed numbers */
    void (*lanes)(double *restrict d, const double *a, const double *b, const double *c);
    uint8_t sources;
};
const struct half_row *half_find(const char *name); /* returns NULL if there is no such row */
lane_fn half_run;                                   /* executes inst.half */

/* half_read() converts 32 lanes to doubles, and half_write() converts them back. In a packed type,
 * PART 0 is the lower number and PART 1 the upper one. half_write() rounds in MODE, which must be
 * the vector unit's mode, and writes the lanes of MASK. FTZ flushes denormals. */
void half_read(double *out, const void *lanes, unsigned type, unsigned part, bool ftz);
void half_write(void *lanes, const double *values, unsigned type, unsigned part, uint32_t mode,
                bool ftz, uint32_t mask);
/* Returns a + b, for atomics. For packed types, adds both halves. */
uint32_t half_add(unsigned type, uint32_t a, uint32_t b);
/* Returns the smaller number or, if IS_MAX, the larger one. TYPE is f16 or bf16. If one number is
 * NaN, returns the other. */
uint16_t half_extreme(unsigned type, uint16_t a, uint16_t b, bool is_max);

#endif
