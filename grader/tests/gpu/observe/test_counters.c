/* Compares counters with theory: the cost of access patterns, as the programming guides state it
 * for one warp of 32 lanes. The expected figures are written in this file, not computed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

#define VALUE(counters, name) ((unsigned long)(counters).value[EMU_##name])

/* A kernel that executes ACCESS once per thread. ACCESS can use t = tid.x; i = scale * t + shift
 * (bytes); 64 KiB of global memory (g, and gi = g + i); 32 KiB of shared (s, si) and of local
 * memory (l, li); 4 KiB of constant memory (c, ci); and registers for values (v, w, v1 to v3). */
struct pattern {
    const char *name, *access;
    unsigned scale, shift;
    unsigned threads; /* 0 stands for 32 */
    unsigned want[4]; /* requests, sectors or wavefronts, ideal, lines or conflicts */
};

static void run_pattern(const struct pattern *p, struct emu_counters *counters)
{
    char ptx[2000];
    struct fixture f;
    snprintf(
        ptx, sizeof ptx,
        ".const .align 16 .b8 c[4096];\n"
        ".visible .entry k(.param .u64 block)\n{\n.shared .align 128 .b8 s[32768];\n"
        ".local .align 16 .b8 l[32768];\n"
        ".reg .pred p, q;\n.reg .b32 t, i, si, li, v, v1, v2, v3;\n.reg .b64 g, gi, ci, d, e;\n"
        "mov.u32 t, %%tid.x;\nld.param.u64 g, [block];\nmad.lo.u32 i, t, %u, %u;\n"
        "cvt.u64.u32 gi, i;\nadd.s64 gi, gi, g;\nmov.u32 si, s;\nadd.u32 si, si, i;\n"
        "mov.u32 li, l;\nadd.u32 li, li, i;\n"
        "cvt.u64.u32 ci, i;\nadd.s64 ci, ci, c;\n"
        "and.b32 v, t, 1;\nsetp.ne.u32 p, v, 0;\nsetp.lt.u32 q, t, 16;\n%s\nret;\n}\n",
        p->scale, p->shift, p->access);
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    emu_addr block = fixture_upload(&f, NULL, 65536);
    fixture_run(&f, (struct fixture_launch){.block = {p->threads ? p->threads : 32},
                                            .params = {block},
                                            .counters = counters});
    fixture_close(&f);
}

/* Checks four consecutive counters, from FIRST on. */
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

/* --- shared memory at random ---------------------------------------------------------------------- */

#define RANDOM_TURNS 200u
#define IDLE         UINT32_MAX

/* Chooses the words that lanes access, or IDLE. Over 20 turns, more and more words differ. */
static void choose_words(uint32_t words[RANDOM_TURNS][32])
{
    uint64_t random = 42;
    for (unsigned turn = 0; turn < RANDOM_TURNS; turn++)
        for (unsigned lane = 0; lane < 32; lane++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t word = (uint32_t)(random >> 40) % (1 + (turn % 20) * (turn % 20));
            words[turn][lane] = turn % 3 == 0 && random >> 60 > 10 && lane ? IDLE : word;
        }
}

/* Returns the number of passes in one turn: the largest number of words in one of the 32 banks. If
 * EACH_LANE is true, lanes that access the same word need separate passes, too. */
static unsigned count_passes(const uint32_t *words, bool each_lane)
{
    unsigned held[32] = {0}, most = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        bool known = words[lane] == IDLE;
        for (unsigned other = 0; other < lane && !each_lane; other++)
            known |= words[other] == words[lane];
        unsigned count = known ? 0 : ++held[words[lane] % 32];
        most = count > most ? count : most;
    }
    return most;
}

static void check_random(const char *access, enum emu_counter counter, bool each_lane)
{
    static uint32_t words[RANDOM_TURNS][32];
    char ptx[1200];
    struct emu_counters counters;
    struct fixture f;
    unsigned long want = 0;
    choose_words(words);
    for (unsigned turn = 0; turn < RANDOM_TURNS; turn++)
        want += count_passes(words[turn], each_lane);
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 words)\n{\n.shared .align 128 .b8 s[4096];\n"
             ".reg .pred p, q;\n.reg .b32 t, i, n, v;\n.reg .b64 a;\nmov.u32 t, %%tid.x;\n"
             "ld.param.u64 a, [words];\nmad.wide.u32 a, t, 4, a;\nmov.u32 n, 0;\n"
             "L:\nld.global.u32 i, [a];\nsetp.ne.u32 q, i, 0xffffffff;\n"
             "mad.lo.u32 i, i, 4, s;\n@q %s\nadd.s64 a, a, 128;\nadd.u32 n, n, 1;\n"
             "setp.lt.u32 p, n, %u;\n@p bra L;\nret;\n}\n",
             access, RANDOM_TURNS);
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    emu_addr on_device = fixture_upload(&f, words, sizeof words);
    fixture_run(&f, (struct fixture_launch){.params = {on_device}, .counters = &counters});
    fixture_close(&f);
    cr_expect(counters.value[counter] == want, "%s: %lu wavefronts, want %lu", access,
              (unsigned long)counters.value[counter], want);
}

Test(counters, random_words)
{
    check_random("ld.shared.u32 v, [i];", EMU_shared_load_wavefronts, false);
    check_random("st.shared.u32 [i], t;", EMU_shared_store_wavefronts, false);
    check_random("red.shared.add.u32 [i], 1;", EMU_shared_atomic_wavefronts, false);
    check_random("red.shared.add.u32 [i], t;", EMU_shared_atomic_wavefronts, true);
}

/* Runs a tree of the reduction lab, in a block of 256 threads: `s[2*o*t] += s[2*o*t + o]` with o =
 * 1, 2, 4 … has conflicts, `s[t] += s[t + o]` with o = 128, 64 … has none. On an H100, 32 such
 * blocks have 2,240 load conflicts and 1,120 store conflicts, so one block has 70 and 35. */
static void run_tree(const char *body, struct emu_counters *counters)
{
    char ptx[1500];
    struct fixture f;
    snprintf(ptx, sizeof ptx,
             ".visible .entry k()\n{\n.shared .align 4 .b8 s[1024];\n.reg .pred p, q;\n"
             ".reg .b32 t, o, a, b, i, j;\nmov.u32 t, %%tid.x;\n%s}\n",
             body);
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    fixture_run(&f, (struct fixture_launch){.block = {256}, .counters = counters});
    fixture_close(&f);
}

Test(counters, reduction_trees)
{
    struct emu_counters c;
    run_tree(
        "mov.u32 o, 1;\nROUND:\nbar.sync 0;\nmul.lo.u32 i, o, t;\nshl.b32 i, i, 1;\n"
        "setp.ge.u32 p, i, 256;\n@p bra NEXT;\nadd.u32 j, i, o;\nshl.b32 i, i, 2;\n"
        "shl.b32 j, j, 2;\nld.shared.u32 a, [j];\nld.shared.u32 b, [i];\nadd.u32 a, a, b;\n"
        "st.shared.u32 [i], a;\nNEXT:\nshl.b32 o, o, 1;\nsetp.lt.u32 q, o, 256;\n@q bra ROUND;\n"
        "ret;\n",
        &c);
    cr_expect(VALUE(c, shared_load_bank_conflicts) == 70, "%lu",
              VALUE(c, shared_load_bank_conflicts));
    cr_expect(VALUE(c, shared_store_bank_conflicts) == 35, "%lu",
              VALUE(c, shared_store_bank_conflicts));
    cr_expect(VALUE(c, barriers) == 8 * 8, "%lu barriers", VALUE(c, barriers));
    run_tree("mov.u32 o, 128;\nROUND:\nbar.sync 0;\nsetp.ge.u32 p, t, o;\n@p bra NEXT;\n"
             "shl.b32 i, t, 2;\nshl.b32 j, o, 2;\nadd.u32 j, i, j;\nld.shared.u32 a, [j];\n"
             "ld.shared.u32 b, [i];\nadd.u32 a, a, b;\nst.shared.u32 [i], a;\nNEXT:\n"
             "shr.u32 o, o, 1;\nsetp.ne.u32 q, o, 0;\n@q bra ROUND;\nret;\n",
             &c);
    cr_expect(VALUE(c, shared_load_bank_conflicts) == 0 &&
              VALUE(c, shared_store_bank_conflicts) == 0);
    /* 4 + 2 + 1 whole warps, then one warp five times, with some of its lanes */
    cr_expect(VALUE(c, shared_load_requests) == 2 * 12 && VALUE(c, shared_store_requests) == 12,
              "%lu loads", VALUE(c, shared_load_requests));
    cr_expect(VALUE(c, divergent_branches) == 5, "%lu divergent", VALUE(c, divergent_branches));
    /* `if ((t & mask) == 0) s[t] += s[t + o]` diverges in every round, but has no conflicts */
    run_tree(
        "mov.u32 o, 1;\nROUND:\nbar.sync 0;\nshl.b32 i, o, 1;\nsub.u32 i, i, 1;\nand.b32 i, i, t;\n"
        "setp.ne.u32 p, i, 0;\n@p bra NEXT;\nshl.b32 i, t, 2;\nshl.b32 j, o, 2;\nadd.u32 j, i, j;\n"
        "ld.shared.u32 a, [j];\nld.shared.u32 b, [i];\nadd.u32 a, a, b;\nst.shared.u32 [i], a;\n"
        "NEXT:\nshl.b32 o, o, 1;\nsetp.lt.u32 q, o, 256;\n@q bra ROUND;\nret;\n",
        &c);
    cr_expect(VALUE(c, shared_load_bank_conflicts) == 0, "%lu",
              VALUE(c, shared_load_bank_conflicts));
    /* 8 warps in each of five rounds, then 4, 2 and 1 */
    cr_expect(VALUE(c, divergent_branches) == 8 * 5 + 4 + 2 + 1, "%lu divergent",
              VALUE(c, divergent_branches));
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

static const struct {
    const char *body;
    unsigned threads, doubles, floats, shuffles;
} counted[] = {
    {"add.f64 d, d, d; fma.rn.f64 d, d, d, d; red.global.add.f64 [g], d;", 20, 60, 0, 0},
    {"fma.rn.f32 v, v, v, v; mul.f32 v, v, v; red.global.add.f32 [g], v;", 20, 0, 60, 0},
    {"shfl.sync.down.b32 v, v, 1, 31, -1; neg.f32 v, v; add.s64 d, d, d;", 32, 0, 0, 1},
};

Test(counters, arithmetic_and_shuffles)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        struct emu_counters counters;
        char body[200];
        snprintf(body, sizeof body, "mov.b64 d, 0;\n%s", counted[i].body);
        run_pattern(&(struct pattern){.access = body, .threads = counted[i].threads}, &counters);
        cr_expect_eq(VALUE(counters, double_operations), counted[i].doubles, "%s", body);
        cr_expect_eq(VALUE(counters, float_operations), counted[i].floats, "%s", body);
        cr_expect_eq(VALUE(counters, shuffle_requests), counted[i].shuffles, "%s", body);
    }
}

static const struct {
    const char *body;
    unsigned threads, operations;
} wide[] = {
    {"add.f64 d, d, d; sub.f64 d, d, d; mul.f64 d, d, d; fma.rn.f64 d, d, d, d;", 32, 128},
    {"div.rn.f64 d, d, d; rcp.rn.f64 d, d; sqrt.rn.f64 d, d; neg.f64 d, d;", 8, 24},
    {"red.global.add.f64 [g], d; atom.shared.add.f64 e, [s], d; red.global.add.f32 [g], v;", 32,
     64},
    {"cvt.f64.f32 d, v; cvt.rn.f32.f64 v, d; cvt.rn.f64.s32 d, t; cvt.rni.s64.f32 d, v; "
     "cvt.rzi.u64.f32 d, v;",
     32, 160},
    {"cvt.rni.s32.f32 v1, v; cvt.rn.f32.s32 v, v1; cvt.u64.u32 d, t; cvt.f32.f16 v, 0;", 32, 0},
    {"cvt.rni.s32.f32 v1, v; add.s32 v2, v2, v1; shl.b32 v3, v2, 1;", 32, 64},
    {"cvt.rni.s32.f32 v1, v; setp.gt.s32 p, v1, 3; selp.b32 v2, v1, 0, p; st.global.u32 [g], v2;",
     32, 0},
    {"cvt.rni.s32.f32 v1, v; selp.b32 v2, 1, v1, p; add.s32 v3, v3, v2;", 32, 32},
    {"cvt.rni.s32.f32 v1, v; red.global.add.u32 [g], v1; red.global.max.s32 [g], v1; "
     "atom.global.exch.b32 v2, [g], v1;",
     32, 64},
    {"cvt.rni.s32.f32 v1, v; cvt.s64.s32 d, v1; add.cc.u32 v2, v1, v1; addc.u32 v3, 0, 0; "
     "add.s64 d, d, e;",
     32, 64},
    {"fma.rn.f32 v, v, v, v; mov.b32 v1, v; add.s32 v1, v1, 1; mov.b32 v1, t; add.s32 v2, t, 1;",
     32, 32},
    {"ld.global.u32 v1, [g]; st.shared.u32 [s], v1; shfl.sync.bfly.b32 v2, v1, 1, 31, -1; "
     "add.f32 v2, v2, v2; mov.b64 d, {v1, v2};",
     32, 0},
    {"ld.global.u32 v1, [g]; mul.lo.u32 v2, v1, v1; xor.b32 v2, v2, 1; add.s32 i, t, 1;", 32, 64},
    {"ld.shared.v2.u32 {v1, v2}, [s]; dp4a.u32.u32 v3, v1, v1, 0; sub.s32 v3, 7, v2;", 20, 40},
    {"atom.global.add.u32 v1, [g], 1; mul.lo.u32 v1, v1, 32;", 32, 0},
    {"atom.global.add.u32 v1, [g], 0; mul.lo.u32 v1, v1, 32;", 32, 32},
    {"ld.param.u32 v1, [block]; mul.lo.u32 v1, v1, 32; mad.lo.u32 i, t, 4, v1;", 32, 0},
    {"mov.u32 v1, 0; L: add.u32 v1, v1, 1; setp.lt.u32 p, v1, 9; @p bra L;", 32, 0},
};

Test(counters, wide_operations)
{
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        struct emu_counters counters;
        char body[400];
        snprintf(body, sizeof body, "mov.b64 d, 0;\nmov.b64 e, 0;\n%s", wide[i].body);
        run_pattern(&(struct pattern){.access = body, .threads = wide[i].threads}, &counters);
        cr_expect_eq(counters.value[EMU_wide_operations], wide[i].operations, "%s: %lu",
                     wide[i].body, VALUE(counters, wide_operations));
    }
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

/* Eight warps start copies, and wait for them after some other instructions. A copy for which no
 * warp waits does not count as exposed. */
Test(counters, copies_that_warps_wait_for)
{
#define COPY   "cp.async.ca.shared.global [s], [g], 4, 0;\ncp.async.commit_group;\n"
#define ARRIVE "cp.async.mbarrier.arrive.noinc.shared.b64 [s + 8];\n"
#define TRY(n)                                                                                     \
    "T" #n ": mbarrier.test_wait.parity.shared.b64 p, [s + 8], " #n ";\n@!p bra T" #n ";\n"
#define ROUNDS(n) "mov.u32 i, 0;\nR: add.u32 i, i, 1;\nsetp.lt.u32 p, i, " #n ";\n@p bra R;\n"
    static const struct {
        const char *name, *body;
        unsigned copies, exposed;
    } rows[] = {
        {"at once", COPY "cp.async.wait_group 0;\n", 8, 8},
        {"at once, for all", COPY "cp.async.wait_all;\n", 8, 8},
        {"too soon", COPY ROUNDS(60) "cp.async.wait_group 0;\n", 8, 8},
        {"late enough", COPY ROUNDS(70) "cp.async.wait_group 0;\n", 8, 0},
        {"for the first of two", COPY ROUNDS(70) COPY "cp.async.wait_group 1;\n", 16, 0},
        {"for both", COPY ROUNDS(70) COPY "cp.async.wait_group 0;\n", 16, 8},
        {"never", COPY, 8, 0},
        {"by an mbarrier, at once", COPY ARRIVE TRY(0), 8, 8},
        {"by it, the second", COPY ARRIVE ROUNDS(70) TRY(0) COPY ARRIVE TRY(1), 16, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_counters c;
        char body[800];
        snprintf(body, sizeof body,
                 ".reg .b64 g; mov.b64 g, 0; setp.eq.u32 q, t, 0;\n@q "
                 "mbarrier.init.shared.b64 [s + 8], 256;\nbar.sync 0;\n%sret;\n",
                 rows[i].body);
        run_tree(body, &c);
        unsigned long copies = VALUE(c, async_copies), exposed = VALUE(c, async_copies_exposed);
        cr_expect(copies == rows[i].copies && exposed == rows[i].exposed,
                  "%s: %lu copies, %lu exposed", rows[i].name, copies, exposed);
    }
}

/* Threads of 8 warps reach each kind of barrier in memory. Polling for its completion does not
 * count as another wait. A vote counts as a wait. */
Test(counters, other_barriers)
{
    static const char *const arrivals[] = {
        "mbarrier.arrive.shared.b64 d, [s];",
        "mbarrier.arrive_drop.shared.b64 d, [s];",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [s];",
    };
    for (size_t i = 0; i < sizeof arrivals / sizeof *arrivals; i++) {
        struct emu_counters c;
        char body[500];
        snprintf(body, sizeof body,
                 ".reg .b64 d;\nsetp.ne.u32 p, t, 0;\n@p bra BEGUN;\n"
                 "mbarrier.init.shared.b64 [s], 256;\nBEGUN:\nbar.sync 0;\n%s\n"
                 "LOOK: mbarrier.test_wait.parity.shared.b64 q, [s], 0;\n@!q bra LOOK;\nret;\n",
                 arrivals[i]);
        run_tree(body, &c);
        cr_expect(VALUE(c, barriers) == 2 * 8, "%s %lu", arrivals[i], VALUE(c, barriers));
        run_tree(".reg .b32 n;\nbar.sync 0;\nsetp.ne.u32 p, t, 0;\nbar.red.popc.u32 n, 0, p;\n"
                 "barrier.red.or.aligned.pred q, 0, p;\nret;\n",
                 &c);
        cr_expect(VALUE(c, block_votes) == 2 * 8 && VALUE(c, barriers) == 3 * 8);
    }
}
