/* Hides differences between CPUs in floating point: how to set rounding and flushing, and which
 * bits NaNs have.
 *
 *   fp_set(MODE_ZERO | MODE_FTZ)   all arithmetic of this thread now rounds to zero and flushes
 *   fp_set(MODE_DEFAULT)           rounds to nearest, keeps denormals: C's usual arithmetic
 *   fp_nan(a + b, a, b)            a + b; a NaN has the same bits on every CPU
 *
 * The modes are bits of a register: MXCSR on x86-64, FPCR on arm64. With MODE_FTZ, both CPUs read
 * denormals as zero and write zero for results below 2^-126. x86-64, like PTX, rounds a result
 * before this test; arm64 rounds it afterwards. So the CPUs differ for results that round up to
 * 2^-126; fp_keep_rounded() corrects these on arm64. */
#ifndef GPU_EXECUTE_FLOATS_H
#define GPU_EXECUTE_FLOATS_H

#include <stdbool.h>

#include "gpu/execute/bits.h"

/* Returns the bits of the quiet NaN with NAN's sign and payload. */
LANES_INLINE uint64_t fp_quiet(double nan)
{
    return double_bits(nan) | (uint64_t)1 << 51;
}

#ifdef __x86_64__
#include <xmmintrin.h>

#define MODE_DEFAULT    0x1f80u
#define MODE_DOWN       0x2000u
#define MODE_UP         0x4000u
#define MODE_ZERO       0x6000u
#define MODE_FTZ        0x8040u /* flush results to zero, and read denormals as zero */

#define FP_ROUNDS_FIRST 1

static inline void fp_set(uint32_t mode)
{
    _mm_setcsr(mode);
}

/* VALUE is the result of an operation whose first operand is not NaN and whose second operand is B.
 * If VALUE is NaN, returns the NaN that x86-64 produces; otherwise returns VALUE. On x86-64, VALUE
 * needs no correction. */
LANES_INLINE double fp_second_nan(double value, double b)
{
    return value;
}

#elif defined __aarch64__

#define MODE_DEFAULT    0u
#define MODE_UP         0x400000u
#define MODE_DOWN       0x800000u
#define MODE_ZERO       0xc00000u
#define MODE_FTZ        0x1000000u

#define FP_ROUNDS_FIRST 0

static inline void fp_set(uint32_t mode)
{
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)mode) : "memory");
}

/* Does the same on arm64, where a NaN must be corrected. If no operand is NaN, this CPU returns a
 * NaN without a sign. It also returns this NaN for infinity * 0 + NaN. */
LANES_INLINE double fp_second_nan(double value, double b)
{
    const uint64_t new_nan = (uint64_t)0xfff8 << 48;
    uint64_t nan = b != b ? fp_quiet(b) : new_nan;
    return value == value ? value : bits_double(nan);
}

#else
#error "gpu/execute/floats.h does not know how this CPU sets rounding and flushing"
#endif

/* Returns VALUE, the result of an operation on A and B. If an operand is NaN, the result is the
 * first NaN operand as a quiet NaN. This function is needed because CPUs differ in their choice of
 * the operand, and a compiler may swap the operands. */
LANES_INLINE double fp_nan(double value, double a, double b)
{
    value = fp_second_nan(value, b);
    return a != a ? bits_double(fp_quiet(a)) : value;
}

LANES_INLINE double fp_nan3(double value, double a, double b, double c)
{
    return a != a ? bits_double(fp_quiet(a)) : fp_nan(value, b, c);
}

/* Corrects D where flushing has produced 0 instead of 2^-126 or -2^-126, in the lanes of MASK. D is
 * A * B + C, or A * B if C is NULL, computed in MODE, which includes MODE_FTZ. Call this after
 * switching the CPU back to MODE_DEFAULT. Needed only on CPUs where FP_ROUNDS_FIRST is 0. */
void fp_keep_rounded(uint32_t mode, float *d, const float *a, const float *b, const float *c,
                     uint32_t mask);

#endif
