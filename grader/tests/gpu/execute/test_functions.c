/* Compares our powers of two, logarithms and sines with libm's, rounded to floats. They must be
 * equal. */
#include <criterion/criterion.h>
#include <math.h>

#include "gpu/execute/functions.h"

TestSuite(functions);

#define STEP 40009u /* a prime number, so that the steps reach all exponents and many fractions */

static void compare(const char *name, float x, float got, float want)
{
    cr_assert((got == want && signbit(got) == signbit(want)) || (got != got && want != want),
              "%s of %a is %a, libm says %a", name, x, got, want);
}

static void compare_all(float x)
{
    compare("the power of two", x, (float)power_of_two(x), (float)exp2(x));
    compare("the logarithm", x, (float)binary_logarithm(x), (float)log2(x));
    if (fabsf(x) <= SINE_NEAR || isnan(x)) {
        compare("the sine", x, (float)sine(x, 0), (float)sin(x));
        compare("the cosine", x, (float)sine(x, 1), (float)cos(x));
    }
}

Test(functions, equal_those_of_libm)
{
    static const float edges[] = {0,
                                  -0.0f,
                                  1,
                                  -1,
                                  0.5f,
                                  2,
                                  127.5f,
                                  128,
                                  129,
                                  -126,
                                  -149,
                                  -150,
                                  -151,
                                  1e9f,
                                  -1e9f,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  0x1p-149f,
                                  0x1p-126f,
                                  0x1.fffffep127f,
                                  0x1.fffffep-1f,
                                  0x1.000002p0f,
                                  0x1.6a09e6p-1f,
                                  0x1.6a09e8p-1f,
                                  0x1.921fb6p0f,
                                  -0x1.921fb6p1f,
                                  0x1p22f,
                                  0x1.fffffep21f};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        compare_all(edges[i]);
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += STEP)
        compare_all(bits_float((uint32_t)bits));
}
