/* Defines the PTX operations that C has no operator for, each for one lane. alu.def uses them. */
#ifndef GPU_EXECUTE_SCALARS_H
#define GPU_EXECUTE_SCALARS_H

#include <math.h>
#include <stdbool.h>

#include "gpu/execute/floats.h"
#include "gpu/execute/functions.h"

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

static inline f32 nan32(f32 value)
{
    return value != value ? bits_float(0x7fffffffu) : value;
}

/* Return the smaller or the larger operand, where -0 is below +0. If one operand is NaN, they
 * return the other. */
static inline f32 min32(f32 a, f32 b)
{
    if (a == b)
        return bits_float(float_bits(a) | float_bits(b));
    return a < b || b != b ? nan32(a) : nan32(b);
}

static inline f32 max32(f32 a, f32 b)
{
    if (a == b)
        return bits_float(float_bits(a) & float_bits(b));
    return a > b || b != b ? nan32(a) : nan32(b);
}

static inline bool any_nan(f32 a, f32 b)
{
    return a != a || b != b;
}

/* Returns the magnitude of VALUE with the sign of a * b. */
static inline f32 with_signs(f32 value, f32 a, f32 b)
{
    u32 sign = (float_bits(a) ^ float_bits(b)) & 0x80000000u;
    return bits_float((float_bits(value) & 0x7fffffffu) | sign);
}

/* Executes div.approx, which multiplies A by the reciprocal of B. The reciprocal is 0 for divisors
 * above 2^126. */
static inline f32 divide_roughly(f32 a, f32 b)
{
    u32 size = float_bits(b) & 0x7fffffffu;
    bool is_huge = size > 0x7e800000u && size < 0x7f800000u;
    return is_huge ? a * bits_float(float_bits(b) & 0x80000000u) : a / b;
}

static inline f64 min64(f64 a, f64 b)
{
    if (a == b)
        return double_bits(a) >> 63 ? a : b;
    return a < b || b != b ? a : b;
}

static inline f64 max64(f64 a, f64 b)
{
    if (a == b)
        return double_bits(a) >> 63 ? b : a;
    return a > b || b != b ? a : b;
}

/* Returns the value that an instruction with .approx.ftz.f64 uses for an operand: the operand's
 * upper 32 bits, or 0 for a denormal. */
static inline u64 upper_half(u64 bits)
{
    return bits & (bits << 1 >> 53 ? ~(u64)0xffffffff : (u64)1 << 63);
}

static inline f64 gross(f64 value)
{
    return bits_double(upper_half(double_bits(value)));
}

/* Rounds the result of an instruction with .approx.ftz.f64 to the nearest number whose lower 32
 * bits are 0. */
static inline f64 rounded_gross(f64 value)
{
    return value != value ? bits_double(0x7fffffff00000000u)
                          : bits_double(upper_half(double_bits(value) + 0x80000000u));
}

static inline s32 clamped(s64 value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (s32)value;
}

static inline s32 relu(s32 value)
{
    return value > 0 ? value : 0;
}

static inline s32 least(s32 a, s32 b)
{
    return a < b ? a : b;
}

static inline s32 most(s32 a, s32 b)
{
    return a > b ? a : b;
}

/* Return the two numbers in a register of type u16x2 or s16x2. */
static inline u16 low16(u32 a)
{
    return (u16)a;
}

static inline u16 high16(u32 a)
{
    return (u16)(a >> 16);
}

static inline u32 pair(u32 low, u32 high)
{
    return (low & 0xffff) | high << 16;
}

/* Returns the product of the low 24 bits of A and of B. */
static inline u64 product24(u32 a, u32 b, int is_signed)
{
    if (is_signed)
        return (u64)((s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8));
    return (u64)(a & 0xffffff) * (b & 0xffffff);
}

/* Divides as doubles, because a CPU's vector unit cannot divide integers. For 32-bit integers, the
 * result is exact: rounding the quotient to 53 bits never reaches the next integer. A divisor of 0
 * counts as 1. */
static inline u32 quotient_u32(u32 a, u32 b)
{
    return (u32)((f64)a / (f64)(b ? b : 1));
}

/* Divides signed integers. INT32_MIN / -1 is INT32_MIN, as on a GPU. */
static inline s32 quotient_s32(s32 a, s32 b)
{
    s32 size = (s32)((f64)a / (f64)(b == 0 || b == -1 ? 1 : b));
    return b == -1 ? (s32)(0u - (u32)size) : size;
}

static inline u32 byte_of(u32 a, u32 i, int is_signed)
{
    u32 byte = a >> 8 * i & 0xff;
    return is_signed ? (u32)(int8_t)byte : byte;
}

static inline u32 half_of(u32 a, u32 i, int is_signed)
{
    u32 half = a >> 16 * i & 0xffff;
    return is_signed ? (u32)(int16_t)half : half;
}

static inline u32 dot4(u32 a, u32 b, int a_signed, int b_signed)
{
    u32 sum = 0;
    for (u32 i = 0; i < 4; i++)
        sum += byte_of(a, i, a_signed) * byte_of(b, i, b_signed);
    return sum;
}

static inline u32 dot2(u32 a, u32 b, int a_signed, int b_signed)
{
    return half_of(a, 0, a_signed) * byte_of(b, 0, b_signed) +
           half_of(a, 1, a_signed) * byte_of(b, 1, b_signed);
}

/* Executes fns: returns the index of the N-th set bit of MASK from bit BASE on, upwards, or
 * downwards if N < 0. */
static inline u32 nth_set(u32 mask, u32 base, s32 n)
{
    s64 at = base, step = n < 0 ? -1 : 1;
    u64 left = n < 0 ? 0 - (u64)(s64)n : (u64)n;
    if (n == 0)
        return base < WARP && mask >> base & 1 ? base : ~0u;
    for (; at >= 0 && at < WARP; at += step)
        if (mask >> at & 1 && --left == 0)
            return (u32)at;
    return ~0u;
}

/* Returns the index of the highest bit that differs from the sign bit, or -1 if there is none. */
static inline u32 top_bit(u64 a)
{
    u64 bits = a >> 63 ? ~a : a;
    return bits ? 63u - (u32)__builtin_clzll(bits) : ~0u;
}

static inline u32 shift_amount(u32 top, u32 msb)
{
    return top == ~0u ? ~0u : msb - top;
}

static inline u64 reverse_bits(u64 a)
{
    a = (a >> 1 & 0x5555555555555555u) | (a & 0x5555555555555555u) << 1;
    a = (a >> 2 & 0x3333333333333333u) | (a & 0x3333333333333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0f0f0f0f0fu) | (a & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(a);
}

static inline u64 low_bits(u32 count)
{
    return count < 64 ? ((u64)1 << count) - 1 : ~(u64)0;
}

/* Limits an operand of bfe or bfi that is a position or a length, to at most 255. As measured on a
 * GPU, the 32-bit instructions use the operand modulo 256, and the 64-bit instructions do not. */
static inline u32 field_operand(u32 value, u32 msb)
{
    return msb == 31 ? value & 0xff : value < 256 ? value : 255;
}

/* Executes bfe: extracts a field of bits. Result bits above the field, or taken from beyond A's
 * highest bit, are copies of the sign bit if IS_SIGNED, and 0 otherwise. */
static inline u64 extract(u64 a, u32 b, u32 c, u32 msb, int is_signed)
{
    u32 at = field_operand(b, msb), length = field_operand(c, msb);
    u32 top = at + length ? at + length - 1 : 0;
    u64 sign = is_signed && length ? a >> (top < msb ? top : msb) & 1 : 0;
    u32 present = at > msb ? 0 : msb + 1 - at;
    u64 field = low_bits(length < present ? length : present);
    u64 value = at > msb ? 0 : a >> at;
    return (value & field) | (sign ? ~field : 0);
}

/* Sign-extends the low BITS bits of A. BITS is at most 32. */
static inline u32 sign_extend(u32 a, u32 bits)
{
    u32 field = (u32)low_bits(bits), sign = bits ? a >> (bits - 1) & 1 : 0;
    return sign ? a | ~field : a & field;
}

static inline u64 insert(u64 a, u64 b, u32 c, u32 e, u32 msb)
{
    u32 at = field_operand(c, msb), length = field_operand(e, msb);
    if (at > msb)
        return b;
    u64 field = low_bits(length) << at;
    return (b & ~field) | (a << at & field);
}

static inline u32 permute(u64 bytes, u32 selectors)
{
    u32 result = 0;
    for (int i = 0; i < 4; i++) {
        u32 selector = selectors >> (4 * i) & 15;
        u32 byte = (u32)(bytes >> (8 * (selector & 7))) & 0xff;
        if (selector & 8) /* the byte becomes eight copies of its sign bit */
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

/* Returns the selectors for permute(): entry C % 4 of TABLE, which has entries of 16 bits. */
static inline u32 choose(u64 table, u32 c)
{
    return (u32)(table >> 16 * (c & 3)) & 0xffff;
}

static inline u32 truth_table(u32 a, u32 b, u32 c, u32 table)
{
    u32 result = 0;
    for (u32 row = 0; row < 8; row++) {
        u32 term = (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
        result |= table >> row & 1 ? term : 0;
    }
    return result;
}

#endif
