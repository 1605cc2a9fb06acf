/* What the C text of a translated kernel is written in: see native_text.c. It stands in front of each such text, as
 * the preprocessor leaves it, without macros, and so in the emulator itself: a translation needs a compiler, but no file of the kit.
 *
 * A register's 32 lanes are an array of their own, rNUMBER, that nobody else knows; the compiler keeps it in vector
 * registers. The numbers are the places in the frame, where the interpreter has them. */
#ifndef GPU_EXECUTE_NATIVE_CODE_H
#define GPU_EXECUTE_NATIVE_CODE_H

#include "gpu/execute/repeat.h"
#include "gpu/execute/rows.h"
#include "gpu/execute/turns.h"

LANES_INLINE bool is_stopping(const atomic_bool *stopping)
{
    return atomic_load_explicit(stopping, memory_order_relaxed);
}

/* Between the arrays and the frame. */
#define COPY(T)                                                                                    \
    LANES_INLINE void copy_##T(void *to, const void *from)                                         \
    {                                                                                              \
        T *d = to;                                                                                 \
        const T *v = from;                                                                         \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = v[l];                                                                           \
    }
COPY(u16)
COPY(u32)
COPY(u64)

/* The same for the lanes of MASK. */
#define KEEP(T)                                                                                    \
    LANES_INLINE void keep_##T(u32 mask, void *to, const void *from)                               \
    {                                                                                              \
        T *d = to;                                                                                 \
        const T *v = from;                                                                         \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = mask >> l & 1 ? v[l] : d[l];                                                    \
    }
KEEP(u16)
KEEP(u32)
KEEP(u64)

LANES_INLINE void set_bits(u32 mask, u32 *p, u32 bits)
{
    *p = IS_WHOLE(mask) ? bits : (*p & ~mask) | (bits & mask);
}

/* --- conversions ------------------------------------------------------------------------------------ */

/* Conversions that lose nothing, or only upper bits, or are C's own. */
#define CONVERT(D, A)                                                                              \
    LANES_INLINE void convert_##D##_##A(u32 mask, void *to, const void *from)                      \
    {                                                                                              \
        const A *a = from;                                                                         \
        D *d = to;                                                                                 \
        for (unsigned l = 0; l < WARP; l++) {                                                      \
            D value = (D)a[l];                                                                     \
            d[l] = mask >> l & 1 ? value : d[l];                                                   \
        }                                                                                          \
    }
CONVERT(u64, u32)
CONVERT(u64, s32)
CONVERT(u32, u64)
CONVERT(f32, u32)
CONVERT(f32, s32)
CONVERT(f64, u32)
CONVERT(f64, s32)
CONVERT(f64, f32)

/* --- memory ----------------------------------------------------------------------------------------- */

/* Do the addresses of LANES lie STEP bytes from each other? It is asked before anything else, so that the compiler sees
 * that it is asked once for all accesses from one register. */
LANES_INLINE bool lies_in_steps(u32 lanes, const void *base, unsigned width, unsigned step)
{
    const u32 *a32 = base;
    const u64 *a64 = base;
    u64 other = 0;
    unsigned lead = lanes == ALL_LANES ? 0 : (unsigned)__builtin_ctz(lanes);
    if (width == 4) {
        u32 other32 = 0;
        for (unsigned l = 0; l < WARP; l++)
            other32 |= lanes >> l & 1 ? (a32[l] - a32[lead]) ^ ((l - lead) * step) : 0;
        return !other32;
    }
    for (unsigned l = 0; l < WARP; l++)
        other |= lanes >> l & 1 ? (a64[l] - a64[lead]) ^ (u64)((l - lead) * step) : 0;
    return !other;
}

/* Are they two rows of 16 lanes, each of which lies so, and the second one ROW behind the first? */
LANES_INLINE bool lies_in_rows(const void *base, unsigned width, unsigned step, int32_t row)
{
    const u32 *a32 = base;
    const u64 *a64 = base;
    u64 other = 0;
    if (width == 4) {
        u32 other32 = 0;
        for (unsigned l = 0; l < WARP; l++)
            other32 |= (a32[l] - a32[0]) ^ ((l % 16) * step + (l < 16 ? 0 : (u32)row));
        return !other32;
    }
    for (unsigned l = 0; l < WARP; l++)
        other |= (a64[l] - a64[0]) ^ ((l % 16) * (u64)step + (l < 16 ? 0 : (u64)row));
    return !other;
}

/* Where the first lane's bytes are, if the lanes make an access of this shape once more, and nobody wants to see it; else
 * NULL. */
LANES_INLINE uint8_t *access_again(const struct warp *warp, u32 lanes, enum pattern_shape shape,
                                   const struct pattern *pattern, const void *base, unsigned width,
                                   u64 offset, bool is_generic)
{
    unsigned lead = lanes == ALL_LANES ? 0 : (unsigned)__builtin_ctz(lanes);
    u64 first;
    if (!pattern->silent || pattern->stride || pattern->ready != lanes || pattern->shape != shape ||
        !is_in_place(pattern, base, width, offset, is_generic, lead, &first))
        return NULL;
    return repeat_start(warp, pattern, first);
}

/* DEFINE, for values of type T in memory and D in a register:
 *
 *   load_again, store_again   all lanes' values side by side, or loads of one value for all, that are as they were the time
 *                             before. False: nothing has happened
 *   load_rows, store_rows     the same for two rows of 16 lanes, as blocks have that are 16 threads wide. STEP: bytes from
 *                             lane to lane
 *   load_apart, store_apart   wherever they are: what find_apart() found. One by one (volatile): many CPUs take longer for
 *                             an instruction that gathers */
#define ACCESS(T, D)                                                                               \
    LANES_INLINE bool load_again_##T##_##D(const struct warp *warp, u32 lanes,                     \
                                           struct pattern *pattern, void *to, const void *base,    \
                                           unsigned width, u64 offset, bool is_generic)            \
    {                                                                                              \
        bool is_dense = lanes == ALL_LANES && lies_in_steps(lanes, base, width, sizeof(T));        \
        bool is_same = lies_in_steps(lanes, base, width, 0);                                       \
        if (!is_dense && !is_same)                                                                 \
            return false;                                                                          \
        const void *from = access_again(warp, lanes, is_dense ? PATTERN_DENSE : PATTERN_SAME,      \
                                        pattern, base, width, offset, is_generic);                 \
        if (!from)                                                                                 \
            return false;                                                                          \
        const T *v = from, one = *v;                                                               \
        D *d = to;                                                                                 \
        if (is_dense)                                                                              \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                d[l] = (D)v[l];                                                                    \
        else                                                                                       \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                d[l] = lanes >> l & 1 ? (D)one : d[l];                                             \
        pattern->times++;                                                                          \
        return true;                                                                               \
    }                                                                                              \
    LANES_INLINE bool load_rows_##T##_##D(                                                         \
        const struct warp *warp, u32 lanes, struct pattern *pattern, void *to, const void *base,   \
        unsigned width, u64 offset, bool is_generic, unsigned step)                                \
    {                                                                                              \
        const int32_t row = pattern->delta[16];                                                    \
        if (lanes != ALL_LANES || !lies_in_rows(base, width, step, row))                           \
            return false;                                                                          \
        const uint8_t *from =                                                                      \
            access_again(warp, lanes, step ? PATTERN_DENSE_ROWS : PATTERN_SAME_ROWS, pattern,      \
                         base, width, offset, is_generic);                                         \
        if (!from)                                                                                 \
            return false;                                                                          \
        const T *v = (const void *)from, *w = (const void *)(from + row);                          \
        D *d = to;                                                                                 \
        for (unsigned l = 0; l < 16; l++)                                                          \
            d[l] = (D)v[step ? l : 0];                                                             \
        for (unsigned l = 0; l < 16; l++)                                                          \
            d[16 + l] = (D)w[step ? l : 0];                                                        \
        pattern->times++;                                                                          \
        return true;                                                                               \
    }                                                                                              \
    LANES_INLINE void load_apart_##T##_##D(u32 lanes, void *to, const uint8_t *start,              \
                                           const u64 *at)                                          \
    {                                                                                              \
        D v[WARP], *d = to;                                                                        \
        _Pragma("GCC unroll 8") for (unsigned l = 0; l < WARP; l++) v[l] =                         \
            (D) * (const volatile T *)(const void *)(start + at[l]);                               \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = lanes >> l & 1 ? v[l] : d[l];                                                   \
    }                                                                                              \
    LANES_INLINE bool store_again_##T##_##D(                                                       \
        const struct warp *warp, u32 lanes, struct pattern *pattern, const void *from,             \
        const void *base, unsigned width, u64 offset, bool is_generic)                             \
    {                                                                                              \
        if (lanes != ALL_LANES || !lies_in_steps(lanes, base, width, sizeof(T)))                   \
            return false;                                                                          \
        void *to =                                                                                 \
            access_again(warp, lanes, PATTERN_DENSE, pattern, base, width, offset, is_generic);    \
        if (!to)                                                                                   \
            return false;                                                                          \
        T *d = to;                                                                                 \
        const D *v = from;                                                                         \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = (T)v[l];                                                                        \
        pattern->times++;                                                                          \
        return true;                                                                               \
    }                                                                                              \
    LANES_INLINE bool store_rows_##T##_##D(                                                        \
        const struct warp *warp, u32 lanes, struct pattern *pattern, const void *from,             \
        const void *base, unsigned width, u64 offset, bool is_generic, unsigned step)              \
    {                                                                                              \
        const int32_t row = pattern->delta[16], size = 16 * (int32_t)sizeof(T);                    \
        if (lanes != ALL_LANES || !step || (row < size && row > -size) /* lanes meet */            \
            || !lies_in_rows(base, width, step, row))                                              \
            return false;                                                                          \
        uint8_t *to = access_again(warp, lanes, PATTERN_DENSE_ROWS, pattern, base, width, offset,  \
                                   is_generic);                                                    \
        if (!to)                                                                                   \
            return false;                                                                          \
        T *d = (void *)to, *e = (void *)(to + row);                                                \
        const D *v = from;                                                                         \
        for (unsigned l = 0; l < 16; l++)                                                          \
            d[l] = (T)v[l];                                                                        \
        for (unsigned l = 0; l < 16; l++)                                                          \
            e[l] = (T)v[16 + l];                                                                   \
        pattern->times++;                                                                          \
        return true;                                                                               \
    }                                                                                              \
    LANES_INLINE void store_apart_##T##_##D(u32 lanes, const void *from, uint8_t *start,           \
                                            const u64 *at, unsigned turn)                          \
    {                                                                                              \
        const D *v = from;                                                                         \
        for (unsigned i = 0; i < WARP; i++) {                                                      \
            unsigned l = i ^ turn;                                                                 \
            if (lanes >> l & 1)                                                                    \
                *(T *)(void *)(start + at[l]) = (T)v[l];                                           \
        }                                                                                          \
    }
ACCESS(u8, u16)
ACCESS(u8, u32)
ACCESS(u8, u64)
ACCESS(s8, u16)
ACCESS(s8, u32)
ACCESS(s8, u64)
ACCESS(u16, u16)
ACCESS(u16, u32)
ACCESS(u16, u64)
ACCESS(s16, u32)
ACCESS(s16, u64)
ACCESS(u32, u32)
ACCESS(u32, u64)
ACCESS(s32, u64)
ACCESS(u64, u64)

#endif
