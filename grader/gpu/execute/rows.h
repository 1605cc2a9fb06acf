/* Defines arithmetic, comparisons and selections as loops over 32 lanes, which the compiler
 * vectorises.
 *
 *   row_add_s32(mask, d, a, b)    a line of alu.def: d = a + b in the lanes of the mask
 *   compare_lt_s32(a, b)          returns a bit for each lane: a < b
 *   select_u32(mask, d, a, b, p)  d = p ? a : b in the lanes of the mask
 *
 * Lanes are independent. A source may be the destination, but must not overlap it in part. */
#ifndef GPU_EXECUTE_ROWS_H
#define GPU_EXECUTE_ROWS_H

#include "gpu/execute/comparisons.h"

/* True if MASK is known at compile time to be ALL_LANES. It is false otherwise, because a test at
 * run time would double the code. */
#define IS_WHOLE(mask) (__builtin_constant_p(mask) && (mask) == ALL_LANES)

/* With AddressSanitizer, rows_look() checks all lanes of an operand before the loop, and the loop
 * itself is not checked. So the compiler can vectorise the loop in that build, too. All other code
 * is checked as usual. */
#ifdef __SANITIZE_ADDRESS__
#define LOOKED_AT                                                                                  \
    __attribute__((no_sanitize("address", "alignment", "null", "object-size", "pointer-overflow")))
void rows_look(const void *lanes, size_t bytes, size_t alignment);
#define LOOK(T, x) rows_look(x, sizeof(T) * WARP, _Alignof(T));
#else
#define LOOKED_AT
#define LOOK(T, x)
#endif

#define START(name, D, ...)                                                                        \
    LOOKED_AT LANES_INLINE void row_##name(u32 mask, void *d, __VA_ARGS__)                         \
    {                                                                                              \
        LOOK(D, d) D *d_ = d;
#define SOURCE(T, x) LOOK(T, x) const T *x##_ = x;
#define LANE(T, x)   const T x = x##_[l];
#define ROW1(name, D, A, value)                                                                    \
    START(name, D, const void *a) SOURCE(A, a) BODY(D, LANE(A, a), value)
#define ROW2(name, D, A, B, value)                                                                 \
    START(name, D, const void *a, const void *b)                                                   \
    SOURCE(A, a) SOURCE(B, b) BODY(D, LANE(A, a) LANE(B, b), value)
#define ROW3(name, D, A, B, C, value)                                                              \
    START(name, D, const void *a, const void *b, const void *c)                                    \
    SOURCE(A, a) SOURCE(B, b) SOURCE(C, c) BODY(D, LANE(A, a) LANE(B, b) LANE(C, c), value)
#define ROW4(name, D, A, B, C, E, value)                                                           \
    START(name, D, const void *a, const void *b, const void *c, const void *e)                     \
    SOURCE(A, a)                                                                                   \
    SOURCE(B, b)                                                                                   \
    SOURCE(C, c) SOURCE(E, e) BODY(D, LANE(A, a) LANE(B, b) LANE(C, c) LANE(E, e), value)
#define BODY(D, lanes, value)                                                                      \
    if (IS_WHOLE(mask))                                                                            \
        _Pragma("GCC ivdep") for (unsigned l = 0; l < WARP; l++)                                   \
        {                                                                                          \
            lanes d_[l] = (D)(value);                                                              \
        }                                                                                          \
    else                                                                                           \
        _Pragma("GCC ivdep") for (unsigned l = 0; l < WARP; l++)                                   \
        {                                                                                          \
            lanes D v_ = (D)(value);                                                               \
            d_[l] = mask >> l & 1 ? v_ : d_[l];                                                    \
        }                                                                                          \
    }
#include "gpu/execute/alu.def"
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROW4
#undef BODY
#undef LANE
#undef SOURCE
#undef START
#undef LOOK

#define COMPARE(name, T, condition)                                                                \
    LANES_INLINE u32 compare_##name##_##T(const void *a, const void *b)                            \
    {                                                                                              \
        const T *x_ = a, *y_ = b;                                                                  \
        u32 bits = 0;                                                                              \
        for (unsigned l = 0; l < WARP; l++) {                                                      \
            const T x = x_[l], y = y_[l];                                                          \
            (void)y;                                                                               \
            bits |= (u32)(!!(condition)) << l;                                                     \
        }                                                                                          \
        return bits;                                                                               \
    }
EVERY_COMPARISON
#undef COMPARE

#define SELECT(T)                                                                                  \
    LANES_INLINE void select_##T(u32 mask, void *to, const void *yes, const void *no, u32 p)       \
    {                                                                                              \
        const T *a = yes, *b = no;                                                                 \
        T *d = to;                                                                                 \
        _Pragma("GCC ivdep") for (unsigned l = 0; l < WARP; l++)                                   \
        {                                                                                          \
            T value = p >> l & 1 ? a[l] : b[l];                                                    \
            d[l] = mask >> l & 1 ? value : d[l];                                                   \
        }                                                                                          \
    }
SELECT(u16)
SELECT(u32)
SELECT(u64)
#undef SELECT

#endif
