/* Does the arithmetic of tensor cores, as measured on an H100 (tests/hardware/products.tsv).
 *
 * The products of floats are exact. In one step, a tensor core adds up to 16 products and one
 * number of c:
 *
 *     1. It finds the largest exponent of all terms other than zero. A product's exponent is the
 *        sum of its factors' exponents, although the product of their fractions may be 2 or more.
 *     2. It truncates every term, towards zero, 25 binary places below that exponent.
 *     3. It adds the terms exactly, and truncates the sum to an f32 or rounds it to an f16. A sum
 *        of zero is +0.
 *
 *     terms        1.01011011100…  * 2 ** 7       exponent 7: the largest
 *                  1.11010…        * 2 ** -17      24 places lower: 2 bits are left
 *
 * mma does not use the H100's tensor cores for e4m3 and e5m2: ptxas converts the factors to f16,
 * takes two steps, and adds c last, by an ordinary addition. */
#include "gpu/execute/tensor.h"

#include <math.h>
#include <string.h>

#include "gpu/execute/floats.h"
#include "gpu/execute/half.h"
#include "gpu/lanes.h"

#define MOST_COLUMNS 32u
/* 2^25; terms are truncated to multiples of P / ONE, where P is the largest term's power of two */
#define ONE       33554432.0
#define FLOAT_NAN 0x7fffffffu

/* Numbers as doubles, which hold them exactly. `power` is 2^e, where e is the number's exponent, or
 * 0 for the number 0. Denormals have the exponent of the smallest normal number. */
struct numbers {
    double value[TENSOR_MOST], power[TENSOR_MOST];
    double all[TENSOR_MOST]; /* all numbers; in `value`, infinities and NaN are replaced by 0 */
    bool any_special;        /* some number is an infinity or NaN */
};

/* --- numbers ---------------------------------------------------------------------------------- */

static bool is_float8(enum ptx_type type)
{
    return type == PTX_e4m3 || type == PTX_e5m2;
}

/* Converts an 8-bit float. e5m2 is the upper byte of an f16. e4m3 has a different exponent bias,
 * and no infinity. */
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

static void set_number(struct numbers *to, unsigned place, double value, enum ptx_type type)
{
    bool is_special = !isfinite(value);
    to->all[place] = value;
    to->value[place] = is_special ? 0 : value;
    to->power[place] = is_special ? 0 : power_of(value, type);
    to->any_special |= is_special;
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

/* Returns the sum as a number of TYPE, f32 or f16. */
static uint32_t narrow(double sum, enum ptx_type type)
{
    if (type == PTX_f32)
        return sum != sum ? FLOAT_NAN : cut_to_float(sum);
    uint16_t bits = half_narrow_in(sum, HALF_F16, MODE_DEFAULT);
    return bits == HALF_SIGN ? 0 : bits;
}

/* --- sums of floats --------------------------------------------------------------------------- */

/* Does one step for a row of N sums: adds to SUM the products of the numbers A[0] … A[K - 1] with
 * the rows of B. The sums are exact; the caller rounds them. */
LANES_CLONES static void add_products(unsigned n, unsigned k, const struct numbers *a,
                                      unsigned a_at, const struct numbers *b, unsigned b_at,
                                      struct numbers *sum)
{
    const double *value = a->value + a_at, *power = a->power + a_at;
    double most[MOST_COLUMNS], scale[MOST_COLUMNS];
    /* if all terms are 0, any positive value will do */
    for (unsigned j = 0; j < n; j++)
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

/* Returns SUM plus the products of a row of A and a column of B as a double. The caller uses the
 * result only if it is an infinity or NaN. Doubles do not overflow here, so such a result comes
 * from an infinity or NaN among the factors, whatever the order of addition is. */
static double add_specially(double sum, unsigned n, unsigned k, const double *a, const double *b)
{
    for (unsigned x = 0; x < k; x++)
        sum += a[x] * b[x * n];
    return sum;
}

/* A row has K factors. Returns the position of factor X in the order of addition. For 8-bit floats,
 * ptxas first converts two bytes of every 32-bit word, then the other two. */
static unsigned place_of(unsigned x, unsigned k, enum ptx_type type)
{
    return is_float8(type) ? x % 4 / 2 * (k / 2) + x / 4 * 2 + x % 2 : x;
}

/* Returns the type of the sums between steps. */
static enum ptx_type sum_type(const struct tensor_product *p)
{
    return p->types[3] == PTX_f32 ? PTX_f32 : p->types[0];
}

/* Returns the bits of one number of the result d. SUM is the sum of all steps. */
static uint64_t finish(const struct tensor_product *p, double sum, uint64_t c)
{
    if (is_float8(p->types[1]))
        sum += widen(c, p->types[3]);
    if (p->types[0] == PTX_f16)
        return half_narrow_in(sum, HALF_F16, MODE_DEFAULT);
    float single = (float)sum;
    return single != single ? FLOAT_NAN : float_bits(single);
}

/* Computes row I of the result d. */
static void multiply_row(const struct tensor_product *p, const struct numbers *a,
                         const struct numbers *b, const uint64_t *c, unsigned i, uint64_t *d)
{
    struct numbers sum;
    unsigned n = p->n, at = i * p->k;
    bool has_special = a->any_special || b->any_special;
    /* initialise only this field, because the arrays are large and set_number() sets them */
    sum.any_special = false;
    for (unsigned j = 0; j < n; j++)
        set_number(&sum, j, is_float8(p->types[1]) ? 0 : widen(c[j], p->types[3]), sum_type(p));
    for (unsigned x = 0; x < p->k; x += p->step) {
        add_products(n, p->step, a, at + x, b, x * n, &sum);
        for (unsigned j = 0; j < n; j++) {
            double exact = sum.value[j], all = sum.all[j];
            if (has_special || !isfinite(all))
                all = add_specially(all, n, p->step, a->all + at + x, b->all + x * n + j);
            exact = isfinite(all) ? exact : all;
            set_number(&sum, j, widen(narrow(exact, sum_type(p)), sum_type(p)), sum_type(p));
        }
    }
    for (unsigned j = 0; j < n; j++)
        d[j] = finish(p, sum.all[j], c[j]);
}

static void multiply_floats(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                            const uint64_t *c, uint64_t *d)
{
    struct numbers left = {.any_special = false}, right = {.any_special = false};
    unsigned n = p->n, k = p->k;
    for (unsigned i = 0; i < p->m * k; i++)
        set_number(&left, i / k * k + place_of(i % k, k, p->types[1]), widen(a[i], p->types[1]),
                   p->types[1]);
    for (unsigned i = 0; i < n * k; i++)
        set_number(&right, place_of(i % k, k, p->types[1]) * n + i / k, widen(b[i], p->types[2]),
                   p->types[2]);
    for (unsigned i = 0; i < p->m; i++)
        multiply_row(p, &left, &right, c + i * n, i, d + i * n);
}

/* Executes mma.m8n8k4 of f16. For this shape, too, ptxas does not use the H100's tensor cores, but
 * generates fused multiply-adds of floats. */
static void multiply_quads(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c, uint64_t *d)
{
    for (unsigned place = 0; place < p->m * p->n; place++) {
        const uint64_t *row = a + place / p->n * p->k, *column = b + place % p->n * p->k;
        float x[4], y[4], own = (float)widen(c[place], p->types[3]), sum;
        for (unsigned k = 0; k < 4; k++) {
            x[k] = (float)widen(row[k], PTX_f16);
            y[k] = (float)widen(column[k], PTX_f16);
        }
        if (p->types[0] == PTX_f16)
            sum = fmaf(x[1], y[1], x[0] * y[0]) + own + fmaf(x[3], y[3], x[2] * y[2]);
        else
            sum = fmaf(x[3], y[3], fmaf(x[2], y[2], fmaf(x[1], y[1], fmaf(x[0], y[0], 0)))) + own;
        d[place] = p->types[0] == PTX_f16 ? half_narrow_in(sum, HALF_F16, MODE_DEFAULT)
                   : sum != sum           ? FLOAT_NAN
                                          : float_bits(sum);
    }
}

/* --- other sums ------------------------------------------------------------------------------- */

/* Returns a * b + c. If several operands are NaN, the result is b, if it is NaN, otherwise c. */
static double multiply_add(double a, double b, double c)
{
    return fp_nan3(fma(a, b, c), b, c, a);
}

/* Multiplies matrices of doubles. Each number of d is computed by a chain of fused
 * multiply-adds. */
static void multiply_doubles(const struct tensor_product *p, const uint64_t *a, const uint64_t *b,
                             const uint64_t *c, uint64_t *d)
{
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned j = 0; j < p->n; j++) {
            double sum = bits_double(c[i * p->n + j]);
            for (unsigned x = 0; x < p->k; x++)
                sum = multiply_add(bits_double(a[i * p->k + x]), bits_double(b[j * p->k + x]), sum);
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
    else if (p->is_quad)
        multiply_quads(p, a, b, c, d);
    else
        multiply_floats(p, a, b, c, d);
}
