/* The arithmetic of tensor cores, measured on an H100 (tests/hardware/products.tsv).
 *
 * The products of floats are exact. A tensor core adds up to 16 of them and a number of c in one
 * step:
 *
 *     1. The largest exponent of all terms other than zero is found. A product's exponent is the
 *        sum of its factors' exponents, although the product of their fractions may be 2 or more.
 *     2. Every term is cut off, towards zero, 25 binary places below that exponent.
 *     3. The terms are added exactly. The sum is cut off to an f32, or rounded to an f16. A sum of
 *        zero has no sign.
 *
 *     terms        1.01011011100…  * 2 ** 7       exponent 7: the largest
 *                  1.11010…        * 2 ** -17      24 places lower: 2 bits are left
 *
 * The H100 has no tensor cores for e4m3 and e5m2 in these instructions: ptxas converts the factors
 * to f16, takes two steps, and adds c last, by an ordinary addition. */
#include "gpu/execute/tensor.h"

#include <math.h>
#include <string.h>

#include "gpu/execute/half.h"
#include "gpu/lanes.h"

#define MOST_COLUMNS 32u
#define ONE          33554432.0 /* 2 ** 25: the last place of a term is 1 / ONE of the largest exponent */
#define FLOAT_NAN    0x7fffffffu

/* Numbers as doubles, which hold them exactly, and for each number the power of two of its
 * exponent; 0 for the number 0. Denormals have the exponent of the smallest normal number. */
struct numbers {
    double value[TENSOR_MOST], power[TENSOR_MOST];
};

/* --- numbers ---------------------------------------------------------------------------------- */

static bool is_float8(enum ptx_type type)
{
    return type == PTX_e4m3 || type == PTX_e5m2;
}

/* e5m2 has the upper byte of an f16. e4m3 has another bias, and no infinity. */
static double widen_float8(uint8_t bits, enum ptx_type type)
{
    uint16_t half = (uint16_t)(bits << 8);
    if (type == PTX_e4m3) {
        if ((bits & 0x7f) == 0x7f)
            return NAN;
        half = (uint16_t)((bits & 0x80) << 8 | (bits & 0x7f) << 7);
        return half_widen(half, HALF_F16) * 256;
    }
    return half_widen(half, HALF_F16);
}

static double widen(uint64_t bits, enum ptx_type type)
{
    switch (type) {
    case PTX_f32:
        return bits_float((uint32_t)bits);
    case PTX_tf32: /* the lower 13 bits are not used */
        return bits_float((uint32_t)bits & 0xffffe000u);
    case PTX_f64:
        return bits_double(bits);
    case PTX_e4m3:
    case PTX_e5m2:
        return widen_float8((uint8_t)bits, type);
    default:
        return half_widen((uint16_t)bits, half_format(type));
    }
}

static double power_of(double value, enum ptx_type type)
{
    bool is_small = type == PTX_f16 || is_float8(type);
    double least = half_power(is_small ? -14 : -126);
    double power = bits_double(double_bits(value) & (uint64_t)0x7ff << DOUBLE_DIGITS);
    return value == 0 ? 0 : power < least ? least : power;
}

/* Infinities and NaN become 0 here; sum_specially() computes their results. */
static void set_number(struct numbers *to, unsigned place, double value, enum ptx_type type)
{
    to->value[place] = isfinite(value) ? value : 0;
    to->power[place] = isfinite(value) ? power_of(value, type) : 0;
}

static uint32_t cut_to_float(double value)
{
    double size = fabs(value);
    uint32_t sign = value < 0 ? 0x80000000u : 0, bits;
    if (size >= half_power(128))
        return sign | 0x7f800000u;
    if (size < half_power(-126))
        bits = (uint32_t)(size * half_power(149));
    else
        bits = (uint32_t)((double_bits(size) >> (DOUBLE_DIGITS - FLOAT_DIGITS)) -
                          ((uint64_t)(DOUBLE_BIAS - FLOAT_BIAS) << FLOAT_DIGITS));
    return bits ? sign | bits : 0;
}

/* The sum as a number of TYPE, f32 or f16. */
static uint32_t narrow(double sum, enum ptx_type type)
{
    if (type == PTX_f32)
        return sum != sum ? FLOAT_NAN : cut_to_float(sum);
    uint16_t bits = half_narrow_in(sum, HALF_F16, MODE_DEFAULT);
    return bits == HALF_SIGN ? 0 : bits;
}

/* --- sums of floats --------------------------------------------------------------------------- */

/* One step for a row of N sums: SUM = sum + the products of the numbers A[0] … A[K - 1] and the
 * rows of B. Sums are exact before the caller rounds them. */
LANES_CLONES static void add_products(unsigned n, unsigned k, const struct numbers *a,
                                      unsigned a_at, const struct numbers *b, unsigned b_at,
                                      struct numbers *sum)
{
    const double *value = a->value + a_at, *power = a->power + a_at;
    double most[MOST_COLUMNS], scale[MOST_COLUMNS];
    for (unsigned j = 0; j < n; j++) /* if all terms are 0, any other number will do */
        most[j] = sum->power[j] > 0 ? sum->power[j] : 0x1p-300;
    for (unsigned x = 0; x < k; x++)
        for (unsigned j = 0; j < n; j++) {
            double own = power[x] * b->power[b_at + x * n + j];
            most[j] = own > most[j] ? own : most[j];
        }
    for (unsigned j = 0; j < n; j++) {
        scale[j] = ONE / most[j];
        sum->value[j] = (double)(int32_t)(sum->value[j] * scale[j]);
    }
    for (unsigned x = 0; x < k; x++)
        for (unsigned j = 0; j < n; j++)
            sum->value[j] += (double)(int32_t)(value[x] * b->value[b_at + x * n + j] * scale[j]);
    for (unsigned j = 0; j < n; j++)
        sum->value[j] *= most[j] / ONE;
}

/* The sum of row I and column J if a factor or c is an infinity or NaN. Any order gives the same
 * result, because doubles do not overflow here. */
static double sum_specially(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                            double c, unsigned i, unsigned j)
{
    double sum = c;
    for (unsigned x = 0; x < p->k; x++)
        sum += widen(a[i * p->k + x], p->types[1]) * widen(b[j * p->k + x], p->types[2]);
    return sum;
}

static bool any_special(const uint64_t *numbers, unsigned count, enum ptx_type type)
{
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= !isfinite(widen(numbers[i], type));
    return any;
}

/* The place of factor X among the K factors of a row in the order in which they are added: the
 * first and second byte of each word, then the others. */
static unsigned place_of(unsigned x, unsigned k, enum ptx_type type)
{
    return is_float8(type) ? x % 4 / 2 * (k / 2) + x / 4 * 2 + x % 2 : x;
}

static void add_last(const struct tensor_product *p, const uint64_t *c, struct numbers *sum,
                     uint64_t *d)
{
    for (unsigned j = 0; j < p->n; j++) {
        double exact = sum->value[j] + widen(c[j], p->types[3]);
        float single = (float)exact;
        d[j] = p->types[0] == PTX_f16 ? half_narrow_in(exact, HALF_F16, MODE_DEFAULT)
               : single != single     ? FLOAT_NAN
                                      : float_bits(single);
    }
}

/* Computes row I of the sums; STEP products are added in one step. */
static void multiply_row(const struct tensor_product *p, const struct numbers *a,
                         const struct numbers *b, const uint64_t *c, unsigned i, unsigned step,
                         uint64_t *d)
{
    static const struct numbers zero;
    struct numbers sum;
    bool adds_last = is_float8(p->types[1]);
    for (unsigned j = 0; j < p->n && !adds_last; j++)
        set_number(&sum, j, widen(c[j], p->types[3]), p->types[3]);
    if (adds_last)
        for (unsigned j = 0; j < p->n; j++)
            sum.value[j] = sum.power[j] = zero.value[j];
    for (unsigned x = 0; x < p->k; x += step) {
        add_products(p->n, step, a, i * p->k + x, b, x * p->n, &sum);
        for (unsigned j = 0; j < p->n; j++) {
            d[j] = narrow(sum.value[j], p->types[0]);
            set_number(&sum, j, widen(d[j], p->types[0]), p->types[0]);
        }
    }
    if (adds_last)
        add_last(p, c, &sum, d);
}

/* Sets the results that depend on an infinity or a NaN. */
static void fix_row(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                    const bool *special_columns, const uint64_t *c, unsigned i, uint64_t *d)
{
    bool special_row = any_special(a + i * p->k, p->k, p->types[1]);
    for (unsigned j = 0; j < p->n; j++) {
        double own = widen(c[j], p->types[3]);
        if (special_row || special_columns[j] || !isfinite(own))
            d[j] = narrow(sum_specially(p, a, b, own, i, j), p->types[0]);
    }
}

static void multiply_floats(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                            const uint64_t *c, uint64_t *d)
{
    struct numbers left, right;
    bool special[MOST_COLUMNS];
    unsigned m = p->m, n = p->n, k = p->k;
    unsigned step = is_float8(p->types[1]) ? k / 2 : k;
    for (unsigned i = 0; i < m * k; i++)
        set_number(&left, i / k * k + place_of(i % k, k, p->types[1]), widen(a[i], p->types[1]),
                   p->types[1]);
    for (unsigned i = 0; i < n * k; i++)
        set_number(&right, place_of(i % k, k, p->types[1]) * n + i / k, widen(b[i], p->types[2]),
                   p->types[2]);
    for (unsigned j = 0; j < n; j++)
        special[j] = any_special(b + j * k, k, p->types[2]);
    for (unsigned i = 0; i < m; i++) {
        multiply_row(p, &left, &right, c + i * n, i, step, d + i * n);
        fix_row(p, a, b, special, c + i * n, i, d + i * n);
    }
}

/* --- other sums ------------------------------------------------------------------------------- */

static void multiply_doubles(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                             const uint64_t *c, uint64_t *d)
{
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned j = 0; j < p->n; j++) {
            double sum = bits_double(c[i * p->n + j]);
            for (unsigned x = 0; x < p->k; x++)
                sum = fma(bits_double(a[i * p->k + x]), bits_double(b[j * p->k + x]), sum);
            d[i * p->n + j] = double_bits(sum);
        }
}

static int64_t integer(uint64_t bits, enum ptx_type type)
{
    switch (type) {
    case PTX_s8:
        return (int8_t)bits;
    case PTX_s4:
        return (int64_t)(bits & 7) - (int64_t)(bits & 8);
    case PTX_s32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

static int64_t multiply_integer(const struct tensor_product *p, uint64_t a, uint64_t b)
{
    if (p->types[1] == PTX_b1)
        return __builtin_popcountll(p->is_and ? a & b : a ^ b);
    return integer(a, p->types[1]) * integer(b, p->types[2]);
}

static void multiply_integers(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                              const uint64_t *c, uint64_t *d)
{
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned j = 0; j < p->n; j++) {
            int64_t sum = integer(c[i * p->n + j], PTX_s32);
            for (unsigned x = 0; x < p->k; x++)
                sum += multiply_integer(p, a[i * p->k + x], b[j * p->k + x]);
            if (p->saturates)
                sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
            d[i * p->n + j] = (uint32_t)sum;
        }
}

void tensor_multiply(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                     const uint64_t *c, uint64_t *d)
{
    if (p->types[0] == PTX_s32)
        multiply_integers(p, a, b, c, d);
    else if (p->types[0] == PTX_f64)
        multiply_doubles(p, a, b, c, d);
    else
        multiply_floats(p, a, b, c, d);
}
