/* Numbers of the types e4m3 and e5m2 have 8 bits. A 16-bit register always holds two of them, the
 * first in the lower byte.
 *
 *   e4m3   1 sign, 4 exponent and 3 fraction bits; the largest is 448; no infinity, one NaN
 *   e5m2   1 sign, 5 exponent and 2 fraction bits; the largest is 57,344; otherwise like IEEE
 *
 * PTX has no arithmetic for these types, only conversions: from them to f16, and from f32 or f16 to
 * them. Conversions to them require .satfinite: numbers that are too large become the largest
 * number. */
#ifndef GPU_EXECUTE_FLOAT8_H
#define GPU_EXECUTE_FLOAT8_H

#include "gpu/execute/bits.h"
#include "gpu/execute/kernel.h"

static inline bool float8_is(unsigned type) /* TYPE is an enum ptx_type */
{
    return type == PTX_e4m3x2 || type == PTX_e5m2x2;
}

/* These functions execute cvt. Their sources are f32 (two registers; the first becomes the upper
 * byte), f16x2, and e4m3x2 or e5m2x2. */
lane_fn float8_from_f32, float8_from_f16, float8_to_f16;

#endif
