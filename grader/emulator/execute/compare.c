/* Comparisons: setp and set, and the classes of testp. Each makes one bit a lane. */
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "emulator/execute/machine.h"

typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

/* Every comparison: COMPARE(name, type, condition on x and y). */
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
/* != is true for NaN in C, but "ne" is an ordered comparison in PTX */
#define FLOAT_ORDERED(T)                                                                           \
    COMPARE(eq, T, x == y)                                                                         \
    COMPARE(ne, T, x<y || x> y)                                                                    \
    COMPARE(lt, T, x < y) COMPARE(le, T, x <= y) COMPARE(gt, T, x > y) COMPARE(ge, T, x >= y)

#define COMPARE(name, T, condition)                                                                \
    LANES_CLONES static u32 name##_##T(const void *a, const void *b)                               \
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

static const struct {
    const char *name;
    compare_fn *compare;
} comparisons[] = {
#define COMPARE(name, T, condition) {#name "_" #T, name##_##T},
    EVERY_COMPARISON
#undef COMPARE
};

compare_fn *compare_find(const char *name)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strcmp(comparisons[i].name, name) == 0)
            return comparisons[i].compare;
    return NULL;
}

static u32 compared(struct warp *warp, const struct inst *inst)
{
    if (inst->mode == MODE_DEFAULT)
        return inst->set.compare(slot_at(warp, inst->src[0]), slot_at(warp, inst->src[1]));
    _mm_setcsr(inst->mode);
    u32 bits = inst->set.compare(slot_at(warp, inst->src[0]), slot_at(warp, inst->src[1]));
    _mm_setcsr(MODE_DEFAULT);
    return bits;
}

static u32 combined(u32 bits, u32 other, uint8_t how)
{
    return how == '&' ? bits & other : how == '|' ? bits | other : bits ^ other;
}

/* p|q: p gets the comparison, q its contrary, each combined with the third source. */
void setp_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    u32 bits = compared(warp, inst), contrary = ~bits;
    if (inst->set.combine) {
        u32 other = slot_predicate(warp, inst->src[2]);
        bits = combined(bits, other, inst->set.combine);
        contrary = combined(contrary, other, inst->set.combine);
    }
    slot_set_predicate(warp, inst->dst, bits, mask);
    slot_set_predicate(warp, inst->set.second, contrary, mask);
}

/* set: a whole word of ones, or 1.0. */
void set_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    u32 bits = compared(warp, inst);
    if (inst->set.combine)
        bits = combined(bits, slot_predicate(warp, inst->src[2]), inst->set.combine);
    u32 *d = (u32 *)slot_at(warp, inst->dst), yes = inst->set.is_float ? 0x3f800000u : ~0u;
    for (unsigned l = 0; l < WARP; l++)
        if (mask >> l & 1)
            d[l] = bits >> l & 1 ? yes : 0;
}
