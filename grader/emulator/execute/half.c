/* Arithmetic on f16 and bf16: half.def turned into functions, and what other files need of the formats.
 *
 * A packed register is just two numbers, so 32 lanes of f16x2 are 64 lanes of f16, of which each two
 * share a bit of the mask. */
#include "emulator/execute/half.h"

#include <immintrin.h>
#include <math.h>

#include "emulator/execute/machine.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef double f64;

/* --- what C has no operator for ----------------------------------------------------------------- */

/* The sum as a double with its last bit set if it is not exact. */
static inline f64 sum_to_odd(f64 a, f64 b)
{
    f64 sum = a + b, part = sum - a;
    f64 error = (a - (sum - part)) + (b - part); /* exact; NaN if the sum is no number */
    u64 bits = half_double_bits(sum);
    bool grows = (error > 0) == (sum > 0);
    u64 odd = bits & 1 ? bits : grows ? bits + 1 : bits - 1;
    return half_double(error > 0 || error < 0 ? odd : bits);
}

/* The smaller one, or the one that is a number; -0 is below +0. */
static inline f64 lesser(f64 a, f64 b)
{
    bool first = a < b || b != b || (a == b && half_double_bits(a) >> 63);
    return first ? a : b;
}

/* NaN if one of them is, or 0. Adding it to -0 would lose the sign, so it has that itself. */
static inline f64 nan_of(f64 a, f64 b)
{
    return a != a || b != b ? NAN : -0.0;
}

/* The value's size with the sign that a * b has. */
static inline f64 with_signs(f64 value, f64 a, f64 b)
{
    u64 sign = (half_double_bits(a) ^ half_double_bits(b)) & DOUBLE_SIGN;
    return half_double((half_double_bits(value) & ~DOUBLE_SIGN) | sign);
}

/* --- rows --------------------------------------------------------------------------------------- */

/* LEAST: the first number that is not denormal, or 0 without .ftz */
#define FLUSHED(raw) ((u16)(((raw)&0x7fff) < least ? (raw)&HALF_SIGN : (raw)))

#define SOURCE(x, i) const u16 *x##_ = (const u16 *)(const void *)slot_at(warp, inst->src[i]);
#define WIDE(x)      const f64 x = half_widen(FLUSHED(x##_[l]), format);

/* Lanes are independent: a source may be the destination, but never overlap it in part. */
#define LOOP(name, FORMAT, COUNT, sources, lanes, value)                                           \
    LANES_CLONES static void name##_lanes(struct warp *warp, const struct inst *inst, u32 mask)    \
    {                                                                                              \
        const struct half_format format = FORMAT;                                                  \
        const int least = inst->half.ftz ? 1 << format.fraction : 0;                               \
        const bool saturate = inst->half.saturate, relu = inst->half.relu;                         \
        u16 *d_ = (u16 *)(void *)slot_at(warp, inst->dst);                                         \
        sources _Pragma("GCC ivdep") for (unsigned l = 0; l < (COUNT); l++)                        \
        {                                                                                          \
            lanes const u16 v_ = (value);                                                          \
            d_[l] = mask >> (l / ((COUNT) / WARP)) & 1 ? FLUSHED(v_) : d_[l];                      \
        }                                                                                          \
    }
#define BOTH(name, format, FORMAT, ...)                                                            \
    LOOP(name##_##format, FORMAT, WARP, __VA_ARGS__)                                               \
    LOOP(name##_##format##x2, FORMAT, 2 * WARP, __VA_ARGS__)
#define ROUNDED(value) half_narrow(half_clamp(value, saturate, relu), format)

#define ARITHMETIC1(name, format, FORMAT, value)                                                   \
    BOTH(name, format, FORMAT, SOURCE(a, 0), WIDE(a), ROUNDED(value))
#define ARITHMETIC2(name, format, FORMAT, value)                                                   \
    BOTH(name, format, FORMAT, SOURCE(a, 0) SOURCE(b, 1), WIDE(a) WIDE(b), ROUNDED(value))
#define ARITHMETIC3(name, format, FORMAT, value)                                                   \
    BOTH(name, format, FORMAT, SOURCE(a, 0) SOURCE(b, 1) SOURCE(c, 2), WIDE(a) WIDE(b) WIDE(c),    \
         ROUNDED(value))

#define HALF1(name, value)                                                                         \
    ARITHMETIC1(name, f16, HALF_F16, value) ARITHMETIC1(name, bf16, HALF_BF16, value)
#define HALF2(name, value)                                                                         \
    ARITHMETIC2(name, f16, HALF_F16, value) ARITHMETIC2(name, bf16, HALF_BF16, value)
#define F16_3(name, value)  ARITHMETIC3(name, f16, HALF_F16, value)
#define BF16_3(name, value) ARITHMETIC3(name, bf16, HALF_BF16, value)
#include "emulator/execute/half.def"
#undef HALF1
#undef HALF2
#undef F16_3
#undef BF16_3

#define ROW(name, type, sources, bytes)                                                            \
    {#name "_" #type, name##_##type##_lanes, sources, {bytes, bytes, bytes, bytes}},
#define ROWS(name, format, sources) ROW(name, format, sources, 2) ROW(name, format##x2, sources, 4)
#define HALF1(name, value)          ROWS(name, f16, 1) ROWS(name, bf16, 1)
#define HALF2(name, value)          ROWS(name, f16, 2) ROWS(name, bf16, 2)
#define F16_3(name, value)          ROWS(name, f16, 3)
#define BF16_3(name, value)         ROWS(name, bf16, 3)

static const struct alu_row rows[] = {
#include "emulator/execute/half.def"
};

const struct alu_row *half_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* --- for other files ---------------------------------------------------------------------------- */

static inline uint16_t add_one(unsigned type, uint32_t a, uint32_t b)
{
    struct half_format format = half_format(type);
    return half_narrow(half_widen((uint16_t)a, format) + half_widen((uint16_t)b, format), format);
}

uint32_t half_add(unsigned type, uint32_t a, uint32_t b)
{
    uint32_t sum = add_one(type, a, b);
    return half_is_packed(type) ? sum | (uint32_t)add_one(type, a >> 16, b >> 16) << 16 : sum;
}

LANES_INLINE void read_lanes(float *out, const u16 *lanes, unsigned stride,
                             struct half_format format, bool ftz)
{
    const int least = ftz ? 1 << format.fraction : 0;
    for (unsigned l = 0; l < WARP; l++)
        out[l] = (float)half_widen(FLUSHED(lanes[stride * l]), format);
}

LANES_CLONES void half_read(float *out, const void *lanes, unsigned type, unsigned part, bool ftz)
{
    const u16 *first = (const u16 *)lanes + part;
    unsigned stride = half_is_packed(type) ? 2 : 1;
    if (half_is_f16(type))
        read_lanes(out, first, stride, HALF_F16, ftz);
    else
        read_lanes(out, first, stride, HALF_BF16, ftz);
}

/* --- conversions from and to f32 ---------------------------------------------------------------- */

/* The bits of a bf16 are the upper half of a float's, those of a NaN too. */
LANES_CLONES static void shift_bf16(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const u16 *a = (const u16 *)(const void *)slot_at(warp, inst->src[0]);
    u32 *d = (u32 *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++)
        d[l] = mask >> l & 1 ? (u32)a[l] << 16 : d[l];
}

LANES_CLONES static void widen_to_f32(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    float values[WARP], *d = (float *)(void *)slot_at(warp, inst->dst), canonical;
    memcpy(&canonical, &(uint32_t){0x7fffffffu}, sizeof canonical);
    half_read(values, slot_at(warp, inst->src[0]), inst->cvt.from, 0, false);
    float least = (inst->mode & MODE_FTZ) == MODE_FTZ ? 0x1p-126f : 0;
    for (unsigned l = 0; l < WARP; l++) {
        float value = fabsf(values[l]) < least ? copysignf(0, values[l]) : values[l];
        value = value != value ? canonical : value;
        if (inst->cvt.saturate)
            value = value > 0 ? (value < 1 ? value : 1) : 0;
        d[l] = mask >> l & 1 ? value : d[l];
    }
}

void half_to_f32_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    bool is_plain = inst->cvt.from == PTX_bf16 && inst->mode == MODE_DEFAULT;
    (is_plain ? shift_bf16 : widen_to_f32)(warp, inst, mask);
}

LANES_INLINE void narrow_lanes(u16 *d, const float *a, unsigned stride, struct half_format format,
                               const struct inst *inst, uint32_t mask)
{
    const bool saturate = inst->cvt.saturate, relu = inst->cvt.relu;
    const uint32_t mode = inst->mode;
    for (unsigned l = 0; l < WARP; l++) {
        u16 narrow = half_narrow_in(half_clamp(a[l], saturate, relu), format, mode);
        d[stride * l] = mask >> l & 1 ? narrow : d[stride * l];
    }
}

/* A denormal float that .ftz makes zero is read as that by the vector unit; the hardware leaves it what
 * it is on the way to f16. */
LANES_CLONES void half_from_f32_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct half_format format = half_format(inst->cvt.to);
    u16 *d = (u16 *)(void *)slot_at(warp, inst->dst);
    const float *a = (const float *)(const void *)slot_at(warp, inst->src[0]);
    bool packed = half_is_packed(inst->cvt.to);
    _mm_setcsr(half_is_f16(inst->cvt.to) ? inst->mode & ~MODE_FTZ : inst->mode);
    if (packed) { /* the first operand is the upper half */
        narrow_lanes(d + 1, a, 2, format, inst, mask);
        a = (const float *)(const void *)slot_at(warp, inst->src[1]);
    }
    narrow_lanes(d, a, packed ? 2 : 1, format, inst, mask);
    _mm_setcsr(MODE_DEFAULT);
}
