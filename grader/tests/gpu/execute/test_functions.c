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

/* Returns the sine of an angle of TURNS turns and QUARTERS quarter turns, by libm. */
static double wave(double turns, int quarters)
{
    double part = fmod(turns, 1), n = rint(part * 4);
    double r = 2 * M_PI * (n == 0 ? part : part - n / 4); /* 0 keeps its sign */
    switch (((int)n + quarters) & 3) {
    case 0:
        return sin(r);
    case 1:
        return cos(r);
    case 2:
        return -sin(r);
    default:
        return isnan(r) ? r : -cos(r);
    }
}

static void compare_all(float x)
{
    compare("the power of two", x, (float)power_of_two(x), (float)exp2(x));
    compare("the logarithm", x, (float)binary_logarithm(x), (float)log2(x));
    compare("the sine", x, (float)sine_of_turns(turns_of(x), 0), (float)wave(turns_of(x), 0));
    compare("the cosine", x, (float)sine_of_turns(turns_of(x), 1), (float)wave(turns_of(x), 1));
}

/* The results were measured on an H200. It makes errors of up to 3.4e-7 that are not modelled. */
Test(functions, sines_of_large_arguments_are_wrong_as_on_a_gpu)
{
    static const struct {
        float x, sine, cosine;
    } measured[] = {{0x1.921fb6p+2f, -1.87261e-07f, 1},
                    {100663296, 0, 1},
                    {1e38f, 0, 1},
                    {0.784674168f, 0.706594646f, 0.707618475f}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        double turns = turns_of(measured[i].x);
        cr_expect_float_eq(sine_of_turns(turns, 0), measured[i].sine, 3.4e-7, "%a", measured[i].x);
        cr_expect_float_eq(sine_of_turns(turns, 1), measured[i].cosine, 3.4e-7, "%a",
                           measured[i].x);
    }
    /* the sine of 6,283 radians is -0.185307..., and a GPU's is off by more than 1e-5 */
    cr_expect_gt(fabs(sine_of_turns(turns_of(6283), 0) - sin(6283)), 1e-5);
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
