/* Computes powers of two, logarithms and sines in double precision, without branches, calls or
 * tables. So the compiler can vectorise these functions, unlike libm's. Their error is below 2^-50
 * of the result. For float arguments, the result rounded to float is the same as libm's. This was
 * tested once with all floats; test_functions.c tests some of them. The functions use no fused
 * multiply-add: some CPUs have none, and every CPU must give the same bits. The rounding mode must
 * be to nearest. */
#ifndef GPU_EXECUTE_FUNCTIONS_H
#define GPU_EXECUTE_FUNCTIONS_H

#include <math.h>

#include "gpu/execute/bits.h"

/* Returns 2^x = 2^n * 2^f, where n is a whole number and |f| <= 1/2. 2^f is the exponential series
 * of f ln 2. */
LANES_INLINE double power_of_two(double x)
{
    /* the lowest bits of x + shift are x rounded to a whole number */
    const double shift = 0x1.8p52;
    double t = x < -1000 ? -1000 : x > 1000 ? 1000 : x;
    double whole = t + shift, f = t - (whole - shift);
    /* ln(2)^13 / 13!; the coefficients for 12, 11 and so on follow */
    double p = 0x1.816193166d0f9p-40;
    p = p * f + 0x1.c3bd650fc2986p-36;
    p = p * f + 0x1.e8cac7351bb25p-32;
    p = p * f + 0x1.e4cf5158b8ecap-28;
    p = p * f + 0x1.b5253d395e7c4p-24;
    p = p * f + 0x1.62c0223a5c824p-20;
    p = p * f + 0x1.ffcbfc588b0c7p-17;
    p = p * f + 0x1.430912f86c787p-13;
    p = p * f + 0x1.5d87fe78a6731p-10;
    p = p * f + 0x1.3b2ab6fba4e77p-7;
    p = p * f + 0x1.c6b08d704a0cp-5;
    p = p * f + 0x1.ebfbdff82c58fp-3;
    p = p * f + 0x1.62e42fefa39efp-1;
    p = p * f + 1;
    double result = bits_double(double_bits(p) + (double_bits(whole) << 52));
    return x == x ? result : x;
}

/* Returns the binary logarithm of x = 2^n * m, where m is between sqrt(1/2) and sqrt(2). The
 * natural logarithm of m is 2 artanh((m - 1) / (m + 1)), computed as a series. */
LANES_INLINE double binary_logarithm(double x)
{
    const uint64_t root = 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
    const double shift = 0x1.8p52;
    uint64_t up = double_bits(x) - root, bits = (up & 0x000fffffffffffffu) + root;
    double n = bits_double(double_bits(shift) + (up >> 52)) - shift;
    double m = bits_double(bits), s = (m - 1) / (m + 1), z = s * s;
    double p = 2.0 / 23;
    p = p * z + 2.0 / 21;
    p = p * z + 2.0 / 19;
    p = p * z + 2.0 / 17;
    p = p * z + 2.0 / 15;
    p = p * z + 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    p = p * z + 2;
    n = n >= 2048 ? n - 4096 : n; /* makes n negative if `up` has wrapped modulo 2^64 */
    double result = n + s * p * 0x1.71547652b82fep0;
    result = x == 0 ? -HUGE_VAL : x < 0 ? NAN : result;
    return x == HUGE_VAL || x != x ? x : result;
}

/* Returns x / (2 pi), rounded towards 0 to the precision of a float. */
LANES_INLINE double turns_of(float x)
{
    uint64_t bits = double_bits((double)x * 0x1.45f306p-3);
    return bits_double(bits & ~(uint64_t)0x1fffffff);
}

/* Returns the sine of an angle of TURNS turns and QUARTERS quarter turns. The part of TURNS that is
 * not a whole number is n / 4 + q, where n is a whole number and |q| <= 1/8. The result is the
 * series of sin r or cos r, where r = 2 pi q. The sine of 0 is 0 with the same sign. */
LANES_INLINE double sine_of_turns(double turns, unsigned quarters)
{
    const double shift = 0x1.8p52;
    double part = copysign(fabs(turns) - trunc(fabs(turns)), turns);
    double whole = part * 4 + shift, n = whole - shift;
    double r = (part - n * 0.25) * 0x1.921fb54442d18p+2;
    double z = r * r;
    double s = 0x1.952c77030ad4ap-49; /* 1 / 17!; the coefficients for 15, 13 and so on follow */
    s = s * z - 0x1.ae7f3e733b81fp-41;
    s = s * z + 0x1.6124613a86d09p-33;
    s = s * z - 0x1.ae64567f544e4p-26;
    s = s * z + 0x1.71de3a556c734p-19;
    s = s * z - 0x1.a01a01a01a01ap-13;
    s = s * z + 0x1.1111111111111p-7;
    s = s * z - 0x1.5555555555555p-3;
    double c = 0x1.ae7f3e733b81fp-45; /* 1 / 16!; the coefficients for 14, 12 and so on follow */
    c = c * z - 0x1.93974a8c07c9dp-37;
    c = c * z + 0x1.1eed8eff8d898p-29;
    c = c * z - 0x1.27e4fb7789f5cp-22;
    c = c * z + 0x1.a01a01a01a01ap-16;
    c = c * z - 0x1.6c16c16c16c17p-10;
    c = c * z + 0x1.5555555555555p-5;
    c = c * z - 0.5;
    uint64_t all = double_bits(whole) + quarters;
    /* 0 keeps its sign */
    double value = all & 1 ? c * z + 1 : r == 0 ? r : s * z * r + r;
    return bits_double(double_bits(value) ^ (all & 2) << 62);
}

#endif
