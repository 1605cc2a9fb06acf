/* Compares counters with theory: the cost of access patterns, as the programming guides state it
 * for one warp of 32 lanes. The expected figures are written in this file, not computed. */
#include <criterion/criterion.h>

#include "tests/gpu/observe/pattern.h"

static void expect_four(const struct pattern *p, const struct emu_counters *counters,
                        enum emu_counter first)
{
    for (unsigned i = 0; i < 4; i++)
        cr_expect(counters->value[first + i] == p->want[i], "%s: %s is %lu, want %u", p->name,
                  emu_counter_name((enum emu_counter)(first + i)),
                  (unsigned long)counters->value[first + i], p->want[i]);
}

/* Checks that no other counters of traffic have increased, except by all lanes of an atomic. */
static void expect_only(const struct pattern *p, const struct emu_counters *counters,
                        enum emu_counter first)
{
    uint64_t lanes = first != EMU_shared_atomic_requests ? 0 : p->threads ? p->threads : 32;
    for (int i = EMU_global_load_requests; i <= EMU_local_store_sectors; i++)
        if (i < (int)first || i >= (int)first + 4)
            cr_expect(counters->value[i] == (i == EMU_shared_atomic_lanes ? lanes : 0), "%s: %s",
                      p->name, emu_counter_name((enum emu_counter)i));
}

static void check_patterns(const struct pattern *patterns, size_t count, enum emu_counter first)
{
    for (size_t i = 0; i < count; i++) {
        struct emu_counters counters;
        run_pattern(&patterns[i], &counters);
        expect_four(&patterns[i], &counters, first);
        expect_only(&patterns[i], &counters, first);
    }
}
#define CHECK(patterns, first) check_patterns(patterns, sizeof patterns / sizeof *patterns, first)

/* --- global memory ------------------------------------------------------------------------------ */

/* With strides of 1, 2, 3, 4, 8, 16, 32 words, a request needs 4, 8, 12, 16, 32, 32, 32 sectors. */
Test(counters, global_loads)
{
    static const struct pattern patterns[] = {
        {"stride 1", "ld.global.u32 v, [gi];", 4, 0, 0, {1, 4, 4, 1}},
        {"stride 2", "ld.global.u32 v, [gi];", 8, 0, 0, {1, 8, 4, 2}},
        {"stride 3", "ld.global.u32 v, [gi];", 12, 0, 0, {1, 12, 4, 3}},
        {"stride 4", "ld.global.u32 v, [gi];", 16, 0, 0, {1, 16, 4, 4}},
        {"stride 5", "ld.global.u32 v, [gi];", 20, 0, 0, {1, 20, 4, 5}},
        {"stride 7", "ld.global.u32 v, [gi];", 28, 0, 0, {1, 28, 4, 7}},
        {"stride 8", "ld.global.u32 v, [gi];", 32, 0, 0, {1, 32, 4, 8}},
        {"stride 9", "ld.global.u32 v, [gi];", 36, 0, 0, {1, 32, 4, 9}},
        {"stride 16", "ld.global.u32 v, [gi];", 64, 0, 0, {1, 32, 4, 16}},
        {"stride 32", "ld.global.u32 v, [gi];", 128, 0, 0, {1, 32, 4, 32}},
        {"stride 300", "ld.global.u32 v, [gi];", 1200, 0, 0, {1, 32, 4, 32}},
        {"offset 1", "ld.global.u32 v, [gi];", 4, 4, 0, {1, 5, 4, 2}},
        {"offset 4", "ld.global.u32 v, [gi];", 4, 16, 0, {1, 5, 4, 2}},
        {"offset 8", "ld.global.u32 v, [gi];", 4, 32, 0, {1, 4, 4, 2}},
        {"offset 16", "ld.global.u32 v, [gi];", 4, 64, 0, {1, 4, 4, 2}},
        {"offset 31", "ld.global.u32 v, [gi];", 4, 124, 0, {1, 5, 4, 2}},
        {"offset 32", "ld.global.u32 v, [gi];", 4, 128, 0, {1, 4, 4, 1}},
        {"offset in the instruction", "ld.global.u32 v, [gi+4];", 4, 0, 0, {1, 5, 4, 2}},
        {"all the same", "ld.global.u32 v, [g];", 4, 0, 0, {1, 1, 1, 1}},
        {"two words", "@p add.s64 g, g, 4096; ld.global.u32 v, [g];", 4, 0, 0, {1, 2, 1, 2}},
        {"backwards",
         "sub.s64 gi, g, gi; add.s64 gi, gi, g; ld.global.u32 v, [gi+124];",
         4,
         0,
         0,
         {1, 4, 4, 1}},
        {"stride 2, moving on by a word",
         "mov.u32 v1, 0; L: ld.global.u32 v, [gi]; add.s64 gi, gi, 4; add.u32 v1, v1, 1; "
         "setp.lt.u32 p, v1, 9; @p bra L;",
         8,
         0,
         0,
         {9, 78, 36, 25}},
        {"stride 2, moving on by half a line",
         "mov.u32 v1, 0; L: ld.global.u32 v, [gi]; add.s64 gi, gi, 64; add.u32 v1, v1, 1; "
         "setp.lt.u32 p, v1, 9; @p bra L;",
         8,
         0,
         0,
         {9, 72, 36, 22}},
        {"stride 2, moving on by a line",
         "mov.u32 v1, 0; L: ld.global.u32 v, [gi]; add.s64 gi, gi, 128; add.u32 v1, v1, 1; "
         "setp.lt.u32 p, v1, 9; @p bra L;",
         8,
         0,
         0,
         {9, 72, 36, 18}},
        {"all the same, moving on by a word",
         "mov.u32 v1, 0; L: ld.global.u32 v, [g]; add.s64 g, g, 4; add.u32 v1, v1, 1; setp.lt.u32 "
         "p, v1, 9; @p bra L;",
         8,
         0,
         0,
         {9, 9, 9, 9}},
        {"one lane", "setp.eq.u32 p, t, 7; @p ld.global.u32 v, [gi];", 4, 0, 0, {1, 1, 1, 1}},
        {"every other lane", "@p ld.global.u32 v, [gi];", 4, 0, 0, {1, 4, 2, 1}},
        {"half a warp", "@q ld.global.u32 v, [gi];", 4, 0, 0, {1, 2, 2, 1}},
        {"no lane", "setp.ne.u32 p, t, t; @p ld.global.u32 v, [gi];", 4, 0, 0, {0, 0, 0, 0}},
        {"bytes", "ld.global.u8 v, [gi];", 1, 0, 0, {1, 1, 1, 1}},
        {"bytes, offset 20", "ld.global.u8 v, [gi];", 1, 20, 0, {1, 2, 1, 1}},
        {"halfwords", "ld.global.u16 v, [gi];", 2, 0, 0, {1, 2, 2, 1}},
        {"doubles", "ld.global.u64 d, [gi];", 8, 0, 0, {1, 8, 8, 2}},
        {"doubles, stride 2", "ld.global.u64 d, [gi];", 16, 0, 0, {1, 16, 8, 4}},
        {"doubles, offset 1", "ld.global.u64 d, [gi];", 8, 8, 0, {1, 9, 8, 3}},
        {"pairs of words", "ld.global.v2.u32 {v, v1}, [gi];", 8, 0, 0, {1, 8, 8, 2}},
        {"128 bits", "ld.global.v4.u32 {v, v1, v2, v3}, [gi];", 16, 0, 0, {1, 16, 16, 4}},
        {"128 bits of doubles", "ld.global.v2.u64 {d, e}, [gi];", 16, 0, 0, {1, 16, 16, 4}},
        {"128 bits, stride 2", "ld.global.v4.u32 {v, v1, v2, v3}, [gi];", 32, 0, 0, {1, 32, 16, 8}},
        {"128 bits, offset 1",
         "ld.global.v4.u32 {v, v1, v2, v3}, [gi];",
         16,
         16,
         0,
         {1, 17, 16, 5}},
        {"128 bits, all the same", "ld.global.v4.u32 {v, v1, v2, v3}, [g];", 0, 0, 0, {1, 1, 1, 1}},
        {"a row of 3 words in turn",
         "ld.global.u32 v, [gi]; ld.global.u32 v, [gi+4]; "
         "ld.global.u32 v, [gi+8];",
         12,
         0,
         0,
         {3, 36, 12, 9}},
        {"two warps", "ld.global.u32 v, [gi];", 4, 0, 64, {2, 8, 8, 2}},
        {"a warp and a lane", "ld.global.u32 v, [gi];", 4, 0, 33, {2, 5, 5, 2}},
        {"20 lanes", "ld.global.u32 v, [gi];", 4, 0, 20, {1, 3, 3, 1}},
        {"read only", "ld.global.nc.u32 v, [gi];", 4, 0, 0, {1, 4, 4, 1}},
        {"volatile", "ld.volatile.global.u32 v, [gi];", 4, 0, 0, {1, 4, 4, 1}},
        {"generic", "ld.u32 v, [gi];", 4, 0, 0, {1, 4, 4, 1}},
        {"ldu", "ldu.global.u32 v, [g];", 4, 0, 0, {1, 1, 1, 1}},
    };
    CHECK(patterns, EMU_global_load_requests);
}

Test(counters, global_stores)
{
    static const struct pattern patterns[] = {
        {"stride 1", "st.global.u32 [gi], t;", 4, 0, 0, {1, 4, 4, 1}},
        {"stride 2", "st.global.u32 [gi], t;", 8, 0, 0, {1, 8, 4, 2}},
        {"stride 32", "st.global.u32 [gi], t;", 128, 0, 0, {1, 32, 4, 32}},
        {"offset 1", "st.global.u32 [gi], t;", 4, 4, 0, {1, 5, 4, 2}},
        {"all the same", "st.global.u32 [g], t;", 0, 0, 0, {1, 1, 1, 1}},
        {"128 bits", "st.global.v4.u32 [gi], {t, t, t, t};", 16, 0, 0, {1, 16, 16, 4}},
        {"bytes", "st.global.u8 [gi], t;", 1, 0, 0, {1, 1, 1, 1}},
        {"half a warp", "@q st.global.u32 [gi], t;", 4, 0, 0, {1, 2, 2, 1}},
        {"write through", "st.global.wt.u32 [gi], t;", 4, 0, 0, {1, 4, 4, 1}},
    };
    CHECK(patterns, EMU_global_store_requests);
}

/* These atomics use the old value. If the old value is unused, an atomic counts as a reduction. */
Test(counters, atomics)
{
    static const struct pattern patterns[] = {
        {"one word", "atom.global.add.u32 v, [g], 1; add.u32 v, v, 1;", 0, 0, 0, {1, 1, 1, 1}},
        {"a word each", "atom.global.add.u32 v, [gi], 1; add.u32 v, v, 1;", 4, 0, 0, {1, 4, 4, 1}},
        {"stride 8", "atom.global.add.u32 v, [gi], 1; add.u32 v, v, 1;", 32, 0, 0, {1, 32, 4, 8}},
        {"64 bits", "atom.global.exch.b64 d, [gi], d;", 8, 0, 0, {1, 8, 8, 2}},
        {"exchange, value unused", "atom.global.exch.b32 v1, [gi], v;", 4, 0, 0, {1, 4, 4, 1}},
        {"compare and swap, value unused",
         "atom.global.cas.b32 v1, [gi], v, v;",
         4,
         0,
         0,
         {1, 4, 4, 1}},
        {"value used as an address",
         "atom.global.add.u64 d, [g], 0; cvta.to.global.u64 e, d;",
         0,
         0,
         0,
         {1, 1, 1, 1}},
        {"value used by a guard",
         "atom.global.add.u32 v, [g], 1; setp.eq.u32 p, v, 0; @p add.u32 t, t, 1;",
         0,
         0,
         0,
         {1, 1, 1, 1}},
    };
    CHECK(patterns, EMU_global_atomic_requests);
}

Test(counters, reductions)
{
    static const struct pattern patterns[] = {
        {"red", "red.global.add.u32 [g], 1;", 0, 0, 0, {1, 1, 1, 1}},
        {"red, a word each", "red.global.add.f32 [gi], v;", 4, 0, 0, {1, 4, 4, 1}},
        {"red, stride 16", "red.global.max.s32 [gi], v;", 64, 0, 0, {1, 32, 4, 16}},
        {"atom, value unused", "atom.global.add.u32 v1, [g], 1;", 0, 0, 0, {1, 1, 1, 1}},
        {"atom into _", "atom.global.add.u32 _, [gi], 1;", 4, 0, 0, {1, 4, 4, 1}},
        {"two warps", "atom.global.or.b32 v1, [gi], v;", 4, 0, 64, {2, 8, 8, 2}},
    };
    CHECK(patterns, EMU_global_reduction_requests);
}

/* --- shared memory ------------------------------------------------------------------------------ */

/* Strides of 2, 4, 8, 16, 32 make 1, 3, 7, 15, 31 excess wavefronts; odd strides make none. */
Test(counters, shared_loads)
{
    static const struct pattern patterns[] = {
        {"stride 1", "ld.shared.u32 v, [si];", 4, 0, 0, {1, 1, 1, 0}},
        {"stride 2", "ld.shared.u32 v, [si];", 8, 0, 0, {1, 2, 1, 1}},
        {"stride 2, moving on by a word",
         "mov.u32 v1, 0; L: ld.shared.u32 v, [si]; add.u32 si, si, 4; add.u32 v1, v1, 1; "
         "setp.lt.u32 p, v1, 9; @p bra L;",
         8,
         0,
         0,
         {9, 18, 9, 9}},
        {"stride 3", "ld.shared.u32 v, [si];", 12, 0, 0, {1, 1, 1, 0}},
        {"stride 4", "ld.shared.u32 v, [si];", 16, 0, 0, {1, 4, 1, 3}},
        {"stride 5", "ld.shared.u32 v, [si];", 20, 0, 0, {1, 1, 1, 0}},
        {"stride 6", "ld.shared.u32 v, [si];", 24, 0, 0, {1, 2, 1, 1}},
        {"stride 8", "ld.shared.u32 v, [si];", 32, 0, 0, {1, 8, 1, 7}},
        {"stride 12", "ld.shared.u32 v, [si];", 48, 0, 0, {1, 4, 1, 3}},
        {"stride 16", "ld.shared.u32 v, [si];", 64, 0, 0, {1, 16, 1, 15}},
        {"stride 17", "ld.shared.u32 v, [si];", 68, 0, 0, {1, 1, 1, 0}},
        {"stride 32", "ld.shared.u32 v, [si];", 128, 0, 0, {1, 32, 1, 31}},
        {"stride 33", "ld.shared.u32 v, [si];", 132, 0, 0, {1, 1, 1, 0}},
        {"offset 5", "ld.shared.u32 v, [si];", 4, 20, 0, {1, 1, 1, 0}},
        {"all the same", "ld.shared.u32 v, [s+64];", 0, 0, 0, {1, 1, 1, 0}},
        {"two words of one bank",
         "@p add.u32 si, si, 128; ld.shared.u32 v, [si];",
         0,
         0,
         0,
         {1, 2, 1, 1}},
        {"two words of two banks",
         "@p add.u32 si, si, 132; ld.shared.u32 v, [si];",
         0,
         0,
         0,
         {1, 1, 1, 0}},
        {"rows of a tile, 16 wide",
         "and.b32 si, t, 15; shr.u32 i, t, 4; mad.lo.u32 si, i, 16, si; "
         "shl.b32 si, si, 2; ld.shared.u32 v, [si];",
         0,
         0,
         0,
         {1, 1, 1, 0}},
        {"columns of a tile, 16 wide",
         "and.b32 si, t, 15; shr.u32 i, t, 4; mad.lo.u32 si, si, 16, i; "
         "shl.b32 si, si, 2; ld.shared.u32 v, [si];",
         0,
         0,
         0,
         {1, 8, 1, 7}},
        {"columns of a padded tile",
         "and.b32 si, t, 15; shr.u32 i, t, 4; mad.lo.u32 si, si, 17, i; "
         "shl.b32 si, si, 2; ld.shared.u32 v, [si];",
         0,
         0,
         0,
         {1, 2, 1, 1}},
        {"one lane", "setp.eq.u32 p, t, 7; @p ld.shared.u32 v, [si];", 4, 0, 0, {1, 1, 1, 0}},
        {"half a warp, stride 2", "@q ld.shared.u32 v, [si];", 8, 0, 0, {1, 1, 1, 0}},
        {"half a warp, stride 32", "@q ld.shared.u32 v, [si];", 128, 0, 0, {1, 16, 1, 15}},
        {"no lane", "setp.ne.u32 p, t, t; @p ld.shared.u32 v, [si];", 4, 0, 0, {0, 0, 0, 0}},
        {"bytes", "ld.shared.u8 v, [si];", 1, 0, 0, {1, 1, 1, 0}},
        {"bytes, a word apart", "ld.shared.u8 v, [si];", 4, 0, 0, {1, 1, 1, 0}},
        {"bytes, 128 apart", "ld.shared.u8 v, [si];", 128, 0, 0, {1, 32, 1, 31}},
        {"halfwords", "ld.shared.u16 v, [si];", 2, 0, 0, {1, 1, 1, 0}},
        {"doubles", "ld.shared.u64 d, [si];", 8, 0, 0, {1, 2, 2, 0}},
        {"doubles, stride 2", "ld.shared.u64 d, [si];", 16, 0, 0, {1, 4, 2, 2}},
        {"doubles, stride 16", "ld.shared.u64 d, [si];", 128, 0, 0, {1, 32, 2, 30}},
        {"doubles, stride 17", "ld.shared.u64 d, [si];", 136, 0, 0, {1, 2, 2, 0}},
        {"pairs of words", "ld.shared.v2.u32 {v, v1}, [si];", 8, 0, 0, {1, 2, 2, 0}},
        {"128 bits", "ld.shared.v4.u32 {v, v1, v2, v3}, [si];", 16, 0, 0, {1, 4, 4, 0}},
        {"128 bits, stride 2", "ld.shared.v4.u32 {v, v1, v2, v3}, [si];", 32, 0, 0, {1, 8, 4, 4}},
        {"128 bits, 28 lanes",
         "setp.lt.u32 p, t, 28; @p ld.shared.v4.u32 {v, v1, v2, v3}, [si];",
         16,
         0,
         0,
         {1, 4, 4, 0}},
        {"two warps, stride 2", "ld.shared.u32 v, [si];", 8, 0, 64, {2, 4, 2, 2}},
        {"volatile", "ld.volatile.shared.u32 v, [si];", 8, 0, 0, {1, 2, 1, 1}},
        {"generic",
         "cvt.u64.u32 d, si; cvta.shared.u64 d, d; ld.u32 v, [d];",
         8,
         0,
         0,
         {1, 2, 1, 1}},
    };
    CHECK(patterns, EMU_shared_load_requests);
}

Test(counters, shared_stores)
{
    static const struct pattern patterns[] = {
        {"stride 1", "st.shared.u32 [si], t;", 4, 0, 0, {1, 1, 1, 0}},
        {"stride 2", "st.shared.u32 [si], t;", 8, 0, 0, {1, 2, 1, 1}},
        {"stride 32", "st.shared.u32 [si], t;", 128, 0, 0, {1, 32, 1, 31}},
        {"stride 33", "st.shared.u32 [si], t;", 132, 0, 0, {1, 1, 1, 0}},
        {"all the same", "st.shared.u32 [s], t;", 0, 0, 0, {1, 1, 1, 0}},
        {"doubles", "st.shared.u64 [si], d;", 8, 0, 0, {1, 2, 2, 0}},
        {"128 bits", "st.shared.v4.u32 [si], {t, t, t, t};", 16, 0, 0, {1, 4, 4, 0}},
    };
    CHECK(patterns, EMU_shared_store_requests);
}

/* The expected figures are Nsight Compute's on an H100 (memory_l1_wavefronts_shared). */
Test(counters, shared_atomics)
{
    static const struct pattern patterns[] = {
        {"stride 1", "atom.shared.add.u32 v, [si], t; mov.u32 v1, v;", 4, 0, 0, {1, 1, 1, 0}},
        {"stride 2", "atom.shared.add.u32 v, [si], t; mov.u32 v1, v;", 8, 0, 0, {1, 2, 1, 1}},
        {"stride 32", "red.shared.add.u32 [si], t;", 128, 0, 0, {1, 32, 1, 31}},
        {"stride 33", "red.shared.max.s32 [si], t;", 132, 0, 0, {1, 1, 1, 0}},
        {"all the same", "red.shared.add.u32 [s], t;", 0, 0, 0, {1, 32, 1, 31}},
        {"20 lanes, the same", "red.shared.add.u32 [s], t;", 0, 0, 20, {1, 20, 1, 19}},
        {"in pairs",
         "shr.u32 v, t, 1; mad.lo.u32 si, v, 4, si; red.shared.add.u32 [si], t;",
         0,
         0,
         0,
         {1, 2, 1, 1}},
        {"ones, all the same", "red.shared.add.u32 [s], 1;", 0, 0, 0, {1, 1, 1, 0}},
        {"ones, stride 2", "red.shared.add.u32 [si], 1;", 8, 0, 0, {1, 2, 1, 1}},
        {"ones of which each knows the sum",
         "atom.shared.add.u32 v, [s], 1; mov.u32 v1, v;",
         0,
         0,
         0,
         {1, 32, 1, 31}},
        {"exchange", "atom.shared.exch.b32 v, [s], t;", 0, 0, 0, {1, 32, 1, 31}},
        {"compare and swap", "atom.shared.cas.b32 v, [si], t, t;", 4, 0, 0, {1, 2, 2, 0}},
        {"compare and swap, the same",
         "atom.shared.cas.b32 v, [s], t, t;",
         0,
         0,
         0,
         {1, 64, 2, 62}},
        {"floats", "red.shared.add.f32 [si], 0f3f800000;", 4, 0, 0, {1, 2, 2, 0}},
        {"floats, the same", "red.shared.add.f32 [s], 0f3f800000;", 0, 0, 0, {1, 64, 2, 62}},
        {"64 bits", "red.shared.add.u64 [si], d;", 8, 0, 0, {1, 4, 4, 0}},
        {"64 bits, stride 2", "red.shared.add.u64 [si], d;", 16, 0, 0, {1, 8, 4, 4}},
    };
    CHECK(patterns, EMU_shared_atomic_requests);
}

/* --- local memory ------------------------------------------------------------------------------- */

/* The figures are requests and sectors of loads, then of stores. With a scale of 0, all threads
 * access the same word of their local memory, otherwise different elements of an array. */
Test(counters, local_memory)
{
    static const struct pattern patterns[] = {
        {"the same word", "ld.local.u32 v, [li];", 0, 4, 0, {1, 4}},
        {"the same 64 bits", "ld.local.u64 d, [li];", 0, 8, 0, {2, 8}},
        {"the same 128 bits", "ld.local.v4.u32 {v, v1, v2, v3}, [li];", 0, 16, 0, {4, 16}},
        {"the same byte", "ld.local.u8 v, [li];", 0, 3, 0, {1, 4}},
        {"the same half of a word", "ld.local.u16 v, [li];", 0, 6, 0, {1, 4}},
        {"one lane", "ld.local.u32 v, [li];", 0, 0, 1, {1, 1}},
        {"20 lanes", "ld.local.u32 v, [li];", 0, 0, 20, {1, 3}},
        {"every second lane", "@p ld.local.u32 v, [li];", 0, 0, 0, {1, 4}},
        {"a word each", "ld.local.u32 v, [li];", 4, 0, 0, {1, 32}},
        {"every second word", "ld.local.u32 v, [li];", 8, 0, 0, {1, 32}},
        {"64 bits each", "ld.local.u64 d, [li];", 8, 0, 0, {2, 64}},
        {"128 bits each", "ld.local.v4.u32 {v, v1, v2, v3}, [li];", 16, 0, 0, {4, 128}},
        {"bytes, four in a word", "ld.local.u8 v, [li];", 1, 0, 0, {1, 8}},
        {"bytes, from the third of a word on", "ld.local.u8 v, [li];", 1, 2, 0, {1, 12}},
        {"two words", "@p add.s32 li, li, 64; ld.local.u32 v, [li];", 0, 0, 0, {1, 8}},
        {"a word for each half warp",
         "@q add.s32 li, li, 64; ld.local.u32 v, [li];",
         0,
         0,
         0,
         {1, 4}},
        {"generic", "cvt.u64.u32 d, li; cvta.local.u64 d, d; ld.u32 v, [d];", 0, 0, 0, {1, 4}},
        {"store", "st.local.u32 [li], t;", 0, 0, 0, {0, 0, 1, 4}},
        {"store, a word each", "st.local.u32 [li], t;", 4, 0, 0, {0, 0, 1, 32}},
        {"two warps", "st.local.u64 [li], d; ld.local.u32 v, [li];", 0, 0, 64, {2, 8, 4, 16}},
        {"the same word again and again",
         "mov.u32 v1, 0; L: ld.local.u32 v, [li]; add.s32 li, li, 4; add.u32 v1, v1, 1; "
         "setp.lt.u32 p, v1, 100; @p bra L;",
         0,
         0,
         0,
         {100, 400}},
        {"bytes, moving on by a byte",
         "mov.u32 v1, 0; L: ld.local.u8 v, [li]; add.s32 li, li, 1; add.u32 v1, v1, 1; "
         "setp.lt.u32 p, v1, 8; @p bra L;",
         1,
         0,
         0,
         {8, 2 * 8 + 6 * 12}},
        {"two words, moving on",
         "@p add.s32 li, li, 64; mov.u32 v1, 0; L: st.local.u32 [li], v; add.s32 li, li, 4; "
         "add.u32 v1, v1, 1; setp.lt.u32 q, v1, 9; @q bra L;",
         0,
         0,
         0,
         {0, 0, 9, 72}},
    };
    CHECK(patterns, EMU_local_load_requests);
}

/* --- constant memory ---------------------------------------------------------------------------- */

/* The figures are requests, and replays for words after the first. */
Test(counters, constant_memory)
{
    static const struct pattern patterns[] = {
        {"the same word", "ld.const.u32 v, [ci];", 0, 4, 0, {1, 0}},
        {"a word each", "ld.const.u32 v, [ci];", 4, 0, 0, {1, 31}},
        {"every eighth word", "ld.const.u32 v, [ci];", 32, 0, 0, {1, 31}},
        {"20 lanes", "ld.const.u32 v, [ci];", 4, 0, 20, {1, 19}},
        {"every second lane", "@p ld.const.u32 v, [ci];", 4, 0, 0, {1, 15}},
        {"bytes, four in a word", "ld.const.u8 v, [ci];", 1, 0, 0, {1, 7}},
        {"bytes, from the third of a word on", "ld.const.u8 v, [ci];", 1, 2, 0, {1, 8}},
        {"64 bits each", "ld.const.u64 d, [ci];", 8, 0, 0, {1, 31}},
        {"two words", "@p add.s64 ci, ci, 64; ld.const.u32 v, [ci];", 0, 0, 0, {1, 1}},
        {"a word each, again and again",
         "mov.u32 v1, 0; L: ld.const.u32 v, [ci]; add.s64 ci, ci, 4; add.u32 v1, v1, 1; "
         "setp.lt.u32 p, v1, 9; @p bra L;",
         4,
         0,
         0,
         {9, 9 * 31}},
        {"two words, moving on",
         "@p add.s64 ci, ci, 64; mov.u32 v1, 0; L: ld.const.u32 v, [ci]; add.s64 ci, ci, 4; "
         "add.u32 v1, v1, 1; setp.lt.u32 q, v1, 9; @q bra L;",
         0,
         0,
         0,
         {9, 9}},
        {"two words, then one",
         "@p add.s64 ci, ci, 64; ld.const.u32 v, [ci]; ld.const.u32 v, [c+8];",
         0,
         0,
         0,
         {2, 1}},
    };
    CHECK(patterns, EMU_constant_requests);
}

/* Reads of parameters, and fences, count no requests. */
Test(counters, other_spaces)
{
    static const struct pattern patterns[] = {
        {"parameters", "ld.param.u64 d, [block];", 0, 0, 0, {0, 0, 0, 0}},
        {"fences", "membar.gl; fence.acq_rel.gpu;", 0, 0, 0, {0, 0, 0, 0}},
    };
    CHECK(patterns, EMU_global_load_requests);
}

/* The counter counts the lanes that access the same word as an earlier lane of the same request. */
Test(counters, atomic_collisions)
{
    static const struct {
        struct pattern pattern;
        unsigned collisions;
    } rows[] = {
        {{"one word", "red.global.add.u32 [g], t;", 0, 0, 0, {0}}, 31},
        {{"20 lanes, one word", "red.global.add.u32 [g], t;", 0, 0, 20, {0}}, 19},
        {{"two words",
          "@p red.global.add.u32 [g], t; @!p red.global.add.u32 [g+4], t;",
          0,
          0,
          0,
          {0}},
         30},
        {{"a word each", "red.global.add.u32 [gi], t;", 4, 0, 0, {0}}, 0},
        {{"a line each", "red.global.add.u32 [gi], t;", 128, 0, 0, {0}}, 0},
        {{"64 bits in pairs",
          "and.b32 v, t, 30; mul.wide.u32 d, v, 8; add.s64 d, d, g;"
          "atom.global.add.u64 e, [d], 1;",
          0,
          0,
          0,
          {0}},
         16},
        {{"nine times",
          "mov.u32 v1, 0; L: red.global.add.u32 [g], t; add.u32 v1, v1, 1; "
          "setp.lt.u32 p, v1, 9; @p bra L;",
          0,
          0,
          0,
          {0}},
         9 * 31},
        {{"loads", "ld.global.u32 v, [g];", 0, 0, 0, {0}}, 0},
        {{"shared, one word", "red.shared.add.u32 [s], 1;", 0, 0, 0, {0}}, 31},
        {{"shared, one bank", "red.shared.add.u32 [si], t;", 128, 0, 0, {0}}, 0},
        {{"shared, half a warp", "@q red.shared.add.u32 [s], t;", 0, 0, 0, {0}}, 15},
        {{"shared, nine times",
          "mov.u32 v1, 0; L: red.shared.add.u32 [s], t; add.u32 v1, v1, 1; "
          "setp.lt.u32 p, v1, 9; @p bra L;",
          0,
          0,
          0,
          {0}},
         9 * 31},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_counters c;
        run_pattern(&rows[i].pattern, &c);
        cr_expect_eq(VALUE(c, atomic_collisions), rows[i].collisions, "%s: %lu, want %u",
                     rows[i].pattern.name, VALUE(c, atomic_collisions), rows[i].collisions);
    }
}
