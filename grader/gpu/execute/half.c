/* Executes arithmetic on f16 and bf16. Turns each line of half.def into a function that loops over
 * 32 doubles. half_run() converts the lanes to doubles before the loop and rounds the results after
 * it. For packed registers, half_run() calls the function twice, once for each half. */
#include "gpu/execute/half.h"

#include <math.h>

#include "gpu/execute/state.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef double f64;

/* --- operators of half.def -------------------------------------------------------------------- */

/* Returns a + b rounded to odd: if the sum is inexact, returns the neighbouring double whose last
 * bit is 1. */
static inline f64 sum_to_odd(f64 a, f64 b)
{
    f64 sum = a + b, part = sum - a;
    f64 error = (a - (sum - part)) + (b - part); /* exact; NaN if the sum is not finite */
    u64 bits = double_bits(sum);
    bool grows = (error > 0) == (sum > 0);
    u64 odd = bits & 1 ? bits : grows ? bits + 1 : bits - 1;
    return bits_double(error > 0 || error < 0 ? odd : bits);
}

/* Returns the smaller number, where -0 is below +0. If one operand is NaN, returns the other. */
static inline f64 lesser(f64 a, f64 b)
{
    bool first = a < b || b != b || (a == b && double_bits(a) >> 63);
    return first ? a : b;
}

/* Returns NaN if a or b is NaN, otherwise -0. The caller adds the result to a value. Adding -0
 * changes no number, not even -0. */
static inline f64 nan_of(f64 a, f64 b)
{
    return a != a || b != b ? NAN : -0.0;
}

/* Returns VALUE's magnitude with the sign of a * b. */
static inline f64 with_signs(f64 value, f64 a, f64 b)
{
    u64 sign = (double_bits(a) ^ double_bits(b)) & DOUBLE_SIGN;
    return bits_double((double_bits(value) & ~DOUBLE_SIGN) | sign);
}

/* --- rows ------------------------------------------------------------------------------------- */

#define LOOP(name, lanes, value)                                                                   \
    LANES_CLONES static void name##_lanes(f64 *restrict d, const f64 *a_, const f64 *b_,           \
                                          const f64 *c_)                                           \
    {                                                                                              \
        (void)b_, (void)c_;                                                                        \
        for (unsigned l = 0; l < WARP; l++) {                                                      \
            lanes d[l] = (value);                                                                  \
        }                                                                                          \
    }
#define LANE(x)             const f64 x = x##_[l];
#define HALF1(name, value)  LOOP(name, LANE(a), value)
#define HALF2(name, value)  LOOP(name, LANE(a) LANE(b), value)
#define F16_3(name, value)  LOOP(name##_f16, LANE(a) LANE(b) LANE(c), value)
#define BF16_3(name, value) LOOP(name##_bf16, LANE(a) LANE(b) LANE(c), value)
#include "gpu/execute/half.def"
#undef HALF1
#undef HALF2
#undef F16_3
#undef BF16_3

#define BOTH(name, sources)                                                                        \
    {#name "_f16", name##_lanes, sources}, {#name "_bf16", name##_lanes, sources},
#define HALF1(name, value)  BOTH(name, 1)
#define HALF2(name, value)  BOTH(name, 2)
#define F16_3(name, value)  {#name "_f16", name##_f16_lanes, 3},
#define BF16_3(name, value) {#name "_bf16", name##_bf16_lanes, 3},

static const struct half_row rows[] = {
#include "gpu/execute/half.def"
};

const struct half_row *half_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* --- lanes ------------------------------------------------------------------------------------ */

/* Flushes denormals to zero. LEAST has the bits of the smallest normal number, or is 0 to flush
 * nothing. */
LANES_INLINE u16 flushed(u16 raw, int least)
{
    return (raw & 0x7fff) < least ? raw & HALF_SIGN : raw;
}

LANES_INLINE void read_lanes(f64 *restrict out, const void *lanes, struct half_format format,
                             bool packed, unsigned part, bool ftz)
{
    const u16 *single = lanes;
    const u32 *two = lanes;
    const int least = ftz ? 1 << format.fraction : 0;
    if (packed)
        for (unsigned l = 0; l < WARP; l++)
            out[l] = half_widen(flushed((u16)(two[l] >> (16 * part)), least), format);
    else
        for (unsigned l = 0; l < WARP; l++)
            out[l] = half_widen(flushed(single[l], least), format);
}

LANES_CLONES void half_read(double *out, const void *lanes, unsigned type, unsigned part, bool ftz)
{
    if (half_is_f16(type))
        read_lanes(out, lanes, HALF_F16, half_is_packed(type), part, ftz);
    else
        read_lanes(out, lanes, HALF_BF16, half_is_packed(type), part, ftz);
}

LANES_INLINE void narrow_lanes(u16 *restrict out, const f64 *values, struct half_format format,
                               uint32_t mode, bool ftz)
{
    const int least = ftz ? 1 << format.fraction : 0;
    for (unsigned l = 0; l < WARP; l++)
        out[l] = flushed(half_narrow_in(values[l], format, mode), least);
}

LANES_INLINE void write_lanes(void *lanes, const u16 *values, bool packed, unsigned part, u32 mask)
{
    u16 *single = lanes;
    u32 *two = lanes, other = part ? 0xffffu : 0xffff0000u;
    if (packed)
        for (unsigned l = 0; l < WARP; l++) {
            u32 both = (two[l] & other) | (u32)values[l] << (16 * part);
            two[l] = mask >> l & 1 ? both : two[l];
        }
    else
        for (unsigned l = 0; l < WARP; l++)
            single[l] = mask >> l & 1 ? values[l] : single[l];
}

LANES_CLONES void half_write(void *lanes, const double *values, unsigned type, unsigned part,
                             uint32_t mode, bool ftz, uint32_t mask)
{
    u16 narrow[WARP];
    if (half_is_f16(type))
        narrow_lanes(narrow, values, HALF_F16, mode, ftz);
    else
        narrow_lanes(narrow, values, HALF_BF16, mode, ftz);
    write_lanes(lanes, narrow, half_is_packed(type), part, mask);
}

/* Applies .sat or .relu to results in place. */
LANES_CLONES static void clamp_lanes(f64 *values, bool saturate, bool relu)
{
    for (unsigned l = 0; l < WARP; l++)
        values[l] = half_clamp(values[l], saturate, relu);
}

void half_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned type = inst->half.type, parts = half_is_packed(type) ? 2 : 1;
    bool ftz = inst->half.ftz;
    f64 sources[3][WARP], results[2][WARP];
    for (unsigned part = 0; part < parts; part++) {
        for (unsigned i = 0; i < inst->source_count; i++)
            half_read(sources[i], slot_at(warp, inst->src[i]), type, part, ftz);
        inst->half.row->lanes(results[part], sources[0], sources[1], sources[2]);
        if (inst->half.saturate || inst->half.relu)
            clamp_lanes(results[part], inst->half.saturate, inst->half.relu);
    }
    for (unsigned part = 0; part < parts; part++)
        half_write(slot_at(warp, inst->dst), results[part], type, part, MODE_DEFAULT, ftz, mask);
}

/* --- atomics ---------------------------------------------------------------------------------- */

static uint16_t add_one(unsigned type, uint32_t a, uint32_t b)
{
    struct half_format format = half_format(type);
    double sum = half_widen((uint16_t)a, format) + half_widen((uint16_t)b, format);
    return half_narrow_in(sum, format, MODE_DEFAULT);
}

uint32_t half_add(unsigned type, uint32_t a, uint32_t b)
{
    uint32_t sum = add_one(type, a, b);
    return half_is_packed(type) ? sum | (uint32_t)add_one(type, a >> 16, b >> 16) << 16 : sum;
}

uint16_t half_extreme(unsigned type, uint16_t a, uint16_t b, bool is_max)
{
    struct half_format format = half_format(type);
    double x = half_widen(a, format), y = half_widen(b, format);
    double result = is_max ? -lesser(-x, -y) : lesser(x, y);
    return half_narrow_in(result, format, MODE_DEFAULT);
}
