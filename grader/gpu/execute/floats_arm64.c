/* Corrects results that round up to the smallest normal float, 2^-126, on a CPU that flushes before
 * it rounds.
 *
 *     ... | denormals ... LAST | HALF | 2^-126
 *                              '------> rounds up
 *
 *     LAST = 2^-126 - 2^-150, the last number below 2^-126 if exponents had no limit
 *     HALF = half-way between LAST and 2^-126
 *
 * Such results are rare. So the kernel computes with flushing, and this file then looks for such
 * results among those that are zero. The exact result is a long double, which has 113 bits on
 * arm64. */
#ifdef __aarch64__
#include <math.h>
#include <stdbool.h>

#include "gpu/execute/floats.h"

#define LEAST 0x1p-126f
#define LAST  (0x1p-126L - 0x1p-150L)
#define HALF  (0x1p-126L - 0x1p-151L)

static long double number(const float *lanes, unsigned l)
{
    return fabsf(lanes[l]) < LEAST ? copysignf(0, lanes[l]) : lanes[l];
}

static bool rounds_up(long double value, uint32_t mode)
{
    long double size = fabsl(value);
    uint32_t round = mode & MODE_ZERO;
    if (round == MODE_DEFAULT)
        return size >= HALF;
    return size > LAST && round == (value < 0 ? MODE_DOWN : MODE_UP);
}

void fp_keep_rounded(uint32_t mode, float *d, const float *a, const float *b, const float *c,
                     uint32_t mask)
{
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1) || d[l] != 0)
            continue;
        long double value = number(a, l) * number(b, l) + (c ? number(c, l) : 0);
        if (rounds_up(value, mode))
            d[l] = copysignf(LEAST, (float)value);
    }
}

#endif
