/* All comparisons of setp and set, and the classes of testp. Each is a line COMPARE(name, type,
 * condition on x and y). */
#ifndef GPU_EXECUTE_COMPARISONS_H
#define GPU_EXECUTE_COMPARISONS_H

#include "gpu/execute/scalars.h"

#define ORDERED(T)                                                                                 \
    COMPARE(eq, T, x == y)                                                                         \
    COMPARE(ne, T, x != y)                                                                         \
    COMPARE(lt, T, x < y) COMPARE(le, T, x <= y) COMPARE(gt, T, x > y) COMPARE(ge, T, x >= y)
#define UNSIGNED(T)                                                                                \
    ORDERED(T)                                                                                     \
    COMPARE(lo, T, x < y) COMPARE(ls, T, x <= y) COMPARE(hi, T, x > y) COMPARE(hs, T, x >= y)
#define NAN_TOO(T)                                                                                 \
    COMPARE(equ, T, !(x < y || x > y))                                                             \
    COMPARE(neu, T, !(x == y))                                                                     \
    COMPARE(ltu, T, !(x >= y))                                                                     \
    COMPARE(leu, T, !(x > y))                                                                      \
    COMPARE(gtu, T, !(x <= y))                                                                     \
    COMPARE(geu, T, !(x < y)) COMPARE(num, T, x == x && y == y) COMPARE(nan, T, x != x || y != y)
#define CLASSES(T)                                                                                 \
    COMPARE(finite, T, isfinite(x))                                                                \
    COMPARE(infinite, T, isinf(x))                                                                 \
    COMPARE(number, T, x == x)                                                                     \
    COMPARE(notanumber, T, x != x)                                                                 \
    COMPARE(normal, T, isnormal(x) || x == 0) COMPARE(subnormal, T, fpclassify(x) == FP_SUBNORMAL)
#define EVERY_COMPARISON                                                                           \
    ORDERED(s16)                                                                                   \
    ORDERED(s32)                                                                                   \
    ORDERED(s64)                                                                                   \
    UNSIGNED(u16)                                                                                  \
    UNSIGNED(u32)                                                                                  \
    UNSIGNED(u64)                                                                                  \
    FLOAT_ORDERED(f32) NAN_TOO(f32) CLASSES(f32) FLOAT_ORDERED(f64) NAN_TOO(f64) CLASSES(f64)
/* ne cannot be x != y: for NaN, PTX's ne is false, but C's != is true */
#define FLOAT_ORDERED(T)                                                                           \
    COMPARE(eq, T, x == y)                                                                         \
    COMPARE(ne, T, x<y || x> y)                                                                    \
    COMPARE(lt, T, x < y) COMPARE(le, T, x <= y) COMPARE(gt, T, x > y) COMPARE(ge, T, x >= y)

#endif
