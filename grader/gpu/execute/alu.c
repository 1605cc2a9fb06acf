/* Executes arithmetic. Turns each line of alu.def into a function that loops over the lanes
 * (rows.h), and into an entry of the table of these functions.
 *
 * Rounding and .ftz are modes of the CPU's vector unit, which fp_run() sets around the loop
 * (floats.h). This file is compiled with -ffp-contract=off (see the Makefile). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/rows.h"
#include "gpu/execute/state.h"

/* --- rows ------------------------------------------------------------------------------------- */

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

/* Checks an operand's bytes before the loop, because AddressSanitizer does not check the loop.
 * Reads the first poisoned byte, if there is any, so that AddressSanitizer reports it. */
void rows_look(const void *lanes, size_t bytes, size_t alignment)
{
    const volatile uint8_t *bad = __asan_region_is_poisoned((void *)(uintptr_t)lanes, bytes);
    if (bad)
        (void)*bad;
    if ((uintptr_t)lanes % alignment)
        abort();
}
#endif

/* Defines a row's function. A full warp has its own loop, in which the mask is a constant. */
#define LANES(name, ...)                                                                           \
    LOOKED_AT LANES_CLONES static void name##_lanes(struct warp *warp, const struct inst *inst,    \
                                                    u32 mask)                                      \
    {                                                                                              \
        void *d = slot_at(warp, inst->dst);                                                        \
        if (mask == ALL_LANES)                                                                     \
            row_##name(ALL_LANES, d, __VA_ARGS__);                                                 \
        else                                                                                       \
            row_##name(mask, d, __VA_ARGS__);                                                      \
    }
#define SOURCE(i)                        slot_at(warp, inst->src[i])
#define ROW1(name, D, A, value)          LANES(name, SOURCE(0))
#define ROW2(name, D, A, B, value)       LANES(name, SOURCE(0), SOURCE(1))
#define ROW3(name, D, A, B, C, value)    LANES(name, SOURCE(0), SOURCE(1), SOURCE(2))
#define ROW4(name, D, A, B, C, E, value) LANES(name, SOURCE(0), SOURCE(1), SOURCE(2), SOURCE(3))
#include "gpu/execute/alu.def"
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROW4

/* Defines the function for sin or cos. A GPU first multiplies by 1 / (2 pi) and rounds towards 0.
 * This is why its sines of large arguments are wrong. The rest has errors of at most 3.4e-7 on an
 * H200, which are not modelled. */
#define WAVE(name, quarters)                                                                       \
    LANES_CLONES static void name##_lanes(struct warp *warp, const struct inst *inst, u32 mask)    \
    {                                                                                              \
        const f32 *a = (const f32 *)slot_at(warp, inst->src[0]);                                   \
        f32 *d = (f32 *)slot_at(warp, inst->dst);                                                  \
        for (unsigned l = 0; l < WARP; l++) {                                                      \
            f32 value = nan32((f32)sine_of_turns(turns_of(a[l]), quarters));                       \
            d[l] = mask >> l & 1 ? value : d[l];                                                   \
        }                                                                                          \
    }
WAVE(sin_f32, 0)
WAVE(cos_f32, 1)

/* Defines the functions for a product whose second factor is a power of two, the same in all lanes,
 * and for the sum of such a product and a third source (see fuse.c). */
#define SCALED(T)                                                                                  \
    LANES_INLINE void scale_##T(u32 mask, void *to, const void *from, u32 factor, const u64 *c)    \
    {                                                                                              \
        const T *a = from;                                                                         \
        u64 *d = to;                                                                               \
        unsigned shift = (unsigned)__builtin_ctz(factor);                                          \
        _Pragma("GCC ivdep") for (unsigned l = 0; l < WARP; l++)                                   \
        {                                                                                          \
            u64 value = ((u64)a[l] << shift) + (c ? c[l] : 0);                                     \
            d[l] = IS_WHOLE(mask) || mask >> l & 1 ? value : d[l];                                 \
        }                                                                                          \
    }                                                                                              \
    SCALED_LANES(scaled_##T, T, NULL)                                                              \
    SCALED_LANES(scaled_sum_##T, T, (const u64 *)SOURCE(2))
#define SCALED_LANES(name, T, c)                                                                   \
    LANES_CLONES static void name##_lanes(struct warp *warp, const struct inst *inst, u32 mask)    \
    {                                                                                              \
        u32 factor = *(const u32 *)SOURCE(1);                                                      \
        if (mask == ALL_LANES)                                                                     \
            scale_##T(ALL_LANES, slot_at(warp, inst->dst), SOURCE(0), factor, c);                  \
        else                                                                                       \
            scale_##T(mask, slot_at(warp, inst->dst), SOURCE(0), factor, c);                       \
    }
SCALED(s32)
SCALED(u32)

static const struct alu_row rows[] = {
    {"sin_f32", sin_f32_lanes, 1, {sizeof(f32), sizeof(f32)}},
    {"cos_f32", cos_f32_lanes, 1, {sizeof(f32), sizeof(f32)}},
    {"scaled_s32", scaled_s32_lanes, 2, {sizeof(s64), sizeof(s32), sizeof(s32)}},
    {"scaled_u32", scaled_u32_lanes, 2, {sizeof(u64), sizeof(u32), sizeof(u32)}},
    {"scaled_sum_s32",
     scaled_sum_s32_lanes,
     3,
     {sizeof(u64), sizeof(s32), sizeof(s32), sizeof(u64)}},
    {"scaled_sum_u32",
     scaled_sum_u32_lanes,
     3,
     {sizeof(u64), sizeof(u32), sizeof(u32), sizeof(u64)}},
#define ROW1(name, D, A, value)    {#name, name##_lanes, 1, {sizeof(D), sizeof(A)}},
#define ROW2(name, D, A, B, value) {#name, name##_lanes, 2, {sizeof(D), sizeof(A), sizeof(B)}},
#define ROW3(name, D, A, B, C, value)                                                              \
    {#name, name##_lanes, 3, {sizeof(D), sizeof(A), sizeof(B), sizeof(C)}},
#define ROW4(name, D, A, B, C, E, value)                                                           \
    {#name, name##_lanes, 4, {sizeof(D), sizeof(A), sizeof(B), sizeof(C), sizeof(E)}},
#include "gpu/execute/alu.def"
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

static const struct alu_row *sorted[ROW_COUNT];
static pthread_once_t sorted_once = PTHREAD_ONCE_INIT;

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct alu_row *const *)a)->name,
                  (*(const struct alu_row *const *)b)->name);
}

static void sort_rows(void)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        sorted[i] = &rows[i];
    qsort(sorted, ROW_COUNT, sizeof *sorted, by_name);
}

const struct alu_row *alu_find(const char *name)
{
    pthread_once(&sorted_once, sort_rows);
    const struct alu_row key = {.name = name}, *wanted = &key;
    const struct alu_row **found = bsearch(&wanted, sorted, ROW_COUNT, sizeof *sorted, by_name);
    return found ? *found : NULL;
}

/* --- modes ------------------------------------------------------------------------------------ */

/* Flushes denormal results to zero. abs, neg and similar instructions need this: they only change
 * bits, so the vector unit does not flush their results. */
LANES_CLONES static void flush_lanes(f32 *d, u32 mask)
{
    u32 *words = (u32 *)(void *)d;
    for (unsigned l = 0; l < WARP; l++) {
        u32 bits = words[l], flushed = bits & 0x7f800000u ? bits : bits & 0x80000000u;
        words[l] = mask >> l & 1 ? flushed : bits;
    }
}

/* Applies .sat: clamps to [0, 1] and turns NaN into 0. */
#define SATURATE(T)                                                                                \
    LANES_CLONES static void saturate_##T(T *d, u32 mask)                                          \
    {                                                                                              \
        for (unsigned l = 0; l < WARP; l++) {                                                      \
            T unit = d[l] > 0 ? (d[l] < 1 ? d[l] : 1) : 0;                                         \
            d[l] = mask >> l & 1 ? unit : d[l];                                                    \
        }                                                                                          \
    }
SATURATE(f32)
SATURATE(f64)

/* Runs the row's function in the instruction's rounding and flushing mode. */
static void run_in_mode(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    fp_set(inst->mode);
    inst->fp.inner(warp, inst, mask);
    fp_set(MODE_DEFAULT);
}

/* Does the same as run_in_mode(), for .ftz on a CPU that flushes before it rounds (see floats.h).
 * Only products and multiply-adds need a correction, because sums and quotients never round up to
 * 2^-126. Copies the sources first, because the result may be in a source's register. */
static void run_and_keep_rounded(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    lane_fn *inner = inst->fp.inner;
    bool adds = inner == fma_f32_lanes || inner == mad_f32_lanes;
    f32 sources[3][WARP];
    if (inner != mul_f32_lanes && !adds) {
        run_in_mode(warp, inst, mask);
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        memcpy(sources[i], slot_at(warp, inst->src[i < 2 || adds ? i : 0]), sizeof sources[i]);
    run_in_mode(warp, inst, mask);
    fp_keep_rounded(inst->mode, (f32 *)(void *)slot_at(warp, inst->dst), sources[0], sources[1],
                    adds ? sources[2] : NULL, mask);
}

void fp_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    void *d = slot_at(warp, inst->dst);
    if (FP_ROUNDS_FIRST || (inst->mode & MODE_FTZ) != MODE_FTZ)
        run_in_mode(warp, inst, mask);
    else
        run_and_keep_rounded(warp, inst, mask);
    if (inst->fp.flush)
        flush_lanes(d, mask);
    if (inst->fp.saturate && inst->dst.bytes == 4)
        saturate_f32(d, mask);
    else if (inst->fp.saturate)
        saturate_f64(d, mask);
}
