/* Compares answers. NaN, infinity and overflow must count as wrong. Every comparison with a NaN is
 * false, so these functions test that the error is within the bound; they never test that it
 * exceeds the bound. */
#include "judge/compare.h"

#include <float.h>
#include <math.h>

size_t judge_first_difference_int(const int32_t *got, const int32_t *want, size_t count)
{
    size_t i = 0;
    while (i < count && got[i] == want[i])
        ++i;
    return i;
}

size_t judge_first_difference_u64(const uint64_t *got, const uint64_t *want, size_t count)
{
    size_t i = 0;
    while (i < count && got[i] == want[i])
        ++i;
    return i;
}

bool judge_within(double got, double want, double bound)
{
    return isfinite(got) && fabs(got - want) <= bound;
}

double judge_ulp(double value)
{
    int exponent = value == 0 ? FLT_MIN_EXP - 1 : ilogb(value);
    return ldexp(1, (exponent < FLT_MIN_EXP - 1 ? FLT_MIN_EXP - 1 : exponent) - (FLT_MANT_DIG - 1));
}

static bool one_within(const float *got, const double *want, const double *bounds, size_t i)
{
    return judge_within((double)got[i], want[i], bounds ? bounds[i] : 0);
}

size_t judge_first_outside(const float *got, const double *want, const double *bounds, size_t count)
{
    size_t i = 0;
    while (i < count && one_within(got, want, bounds, i))
        ++i;
    return i;
}

size_t judge_count_outside(const float *got, const double *want, const double *bounds, size_t count)
{
    size_t outside = 0;
    for (size_t i = 0; i < count; ++i)
        outside += !one_within(got, want, bounds, i);
    return outside;
}
