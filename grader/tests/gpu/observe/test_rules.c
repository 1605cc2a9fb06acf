/* Compares the counting rules of older GPUs with the figures in their CUDA programming guides
 * (versions 2 and 3). The guides have examples of global memory accesses by compute capability, and
 * of strided and broadcast accesses to shared memory. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"
#include "tests/support/shell.h"

struct want {
    unsigned requests, sectors, ideal, transactions;
};

/* A kernel that executes ACCESS once per thread. ACCESS can use: t = tid.x; i = scale * t + shift,
 * in bytes; a block of global memory (g, and gi = g + i); a block of shared memory (s, si); p,
 * which is true for odd t. */
struct pattern {
    const char *name, *access;
    unsigned scale, shift, threads;
};

struct row {
    struct pattern pattern;
    struct want g80, gt200;
};

static void run_pattern(const struct pattern *p, enum emu_rules rules,
                        struct emu_counters *counters)
{
    char ptx[2000];
    struct fixture f;
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 block)\n{\n.shared .align 128 .b8 s[8192];\n"
             ".reg .pred p;\n.reg .b32 t, i, si, v, v1, v2, v3;\n.reg .b64 g, gi, d;\n"
             "mov.u32 t, %%tid.x;\nld.param.u64 g, [block];\nmad.lo.u32 i, t, %u, %u;\n"
             "cvt.u64.u32 gi, i;\nadd.s64 gi, gi, g;\nmov.u32 si, s;\nadd.u32 si, si, i;\n"
             "and.b32 v, t, 1;\nsetp.ne.u32 p, v, 0;\n%s\nret;\n}\n",
             p->scale, p->shift, p->access);
    fixture_open(&f, &(struct emu_options){.rules = rules});
    fixture_load(&f, ptx);
    emu_addr block = fixture_upload(&f, NULL, 65536);
    fixture_run(&f, (struct fixture_launch){
                        .block = {p->threads}, .params = {block}, .counters = counters});
    fixture_close(&f);
}

/* Compares four consecutive counters, the first of which is FIRST, with WANT. */
static void expect(const struct pattern *p, enum emu_rules rules, struct want want,
                   enum emu_counter first)
{
    struct emu_counters counters;
    const uint64_t *value = &counters.value[first];
    run_pattern(p, rules, &counters);
    cr_expect(value[0] == want.requests && value[1] == want.sectors && value[2] == want.ideal &&
                  value[3] == want.transactions,
              "%s, %s: %lu, %lu, %lu, %lu, want %u, %u, %u, %u", p->name, emu_rules_name(rules),
              value[0], value[1], value[2], value[3], want.requests, want.sectors, want.ideal,
              want.transactions);
}

static void check(const struct row *rows, size_t count, enum emu_counter first)
{
    for (size_t i = 0; i < count; i++) {
        expect(&rows[i].pattern, EMU_G80, rows[i].g80, first);
        expect(&rows[i].pattern, EMU_GT200, rows[i].gt200, first);
    }
}
#define CHECK(rows, first) check(rows, sizeof rows / sizeof *rows, first)

#define LOAD               "ld.global.u32 v, [gi];"

Test(old_rules, global_loads)
{
    static const struct row rows[] = {
        /* the guide's figure: a warp reads 128 bytes in order, permuted, or misaligned */
        {{"in order", LOAD, 4, 0, 32}, {2, 4, 4, 2}, {2, 4, 4, 2}},
        {{"neighbours swapped", "xor.b32 i, t, 1; mad.wide.u32 gi, i, 4, g;" LOAD, 4, 0, 32},
         {2, 32, 4, 32},
         {2, 4, 4, 2}},
        {{"backwards", "sub.u32 i, 31, t; mad.wide.u32 gi, i, 4, g;" LOAD, 4, 0, 32},
         {2, 32, 4, 32},
         {2, 4, 4, 2}},
        {{"misaligned by a word", LOAD, 4, 4, 32}, {2, 32, 4, 32}, {2, 7, 4, 3}},
        /* half a warp crosses a line, so it reads 64 and 32 bytes, or 32 and 64 */
        {{"60 bytes and 4", LOAD, 4, 68, 16}, {1, 16, 2, 16}, {1, 3, 2, 2}},
        {{"8 bytes and 56", LOAD, 4, 120, 16}, {1, 16, 2, 16}, {1, 3, 2, 2}},
        {{"within a line, across its middle", LOAD, 4, 4, 16}, {1, 16, 2, 16}, {1, 4, 2, 1}},
        {{"one half of a line", LOAD, 4, 64, 16}, {1, 2, 2, 1}, {1, 2, 2, 1}},
        /* divergent warps also coalesce */
        {{"odd lanes", "@p " LOAD, 4, 0, 32}, {2, 4, 2, 2}, {2, 4, 2, 2}},
        {{"three lanes", LOAD, 4, 0, 3}, {1, 2, 1, 1}, {1, 1, 1, 1}},
        {{"lanes that take no part", "setp.eq.u32 p, t, 20; @p " LOAD, 4, 0, 32},
         {1, 2, 1, 1},
         {1, 1, 1, 1}},
        /* wider and narrower words */
        {{"8 bytes", "ld.global.u64 d, [gi];", 8, 0, 32}, {2, 8, 8, 2}, {2, 8, 8, 2}},
        {{"8 bytes, misaligned", "ld.global.u64 d, [gi];", 8, 64, 16},
         {1, 16, 4, 16},
         {1, 4, 4, 2}},
        {{"16 bytes", "ld.global.v4.u32 {v, v1, v2, v3}, [gi];", 16, 0, 32},
         {2, 16, 16, 4},
         {2, 16, 16, 4}},
        {{"16 bytes, from the next line", "ld.global.v4.u32 {v, v1, v2, v3}, [gi];", 16, 128, 16},
         {1, 8, 8, 2},
         {1, 8, 8, 2}},
        {{"bytes", "ld.global.u8 v, [gi];", 1, 0, 32}, {2, 32, 2, 32}, {2, 2, 2, 2}},
        {{"2 bytes", "ld.global.u16 v, [gi];", 2, 0, 32}, {2, 32, 2, 32}, {2, 2, 2, 2}},
        /* strides */
        {{"stride 2", LOAD, 8, 0, 32}, {2, 32, 4, 32}, {2, 8, 4, 2}},
        {{"stride 3", LOAD, 12, 0, 16}, {1, 16, 2, 16}, {1, 6, 2, 2}},
        {{"stride 32", LOAD, 128, 0, 32}, {2, 32, 4, 32}, {2, 32, 4, 32}},
        {{"one word for all", "ld.global.u32 v, [g];", 4, 0, 32}, {2, 32, 2, 32}, {2, 2, 2, 2}},
        /* 12 bytes for each of 16 threads take 48 transactions; from three arrays, they would take
         * 3 */
        {{"structures of 12 bytes", LOAD "ld.global.u32 v1, [gi+4]; ld.global.u32 v2, [gi+8];", 12,
          0, 16},
         {3, 48, 6, 48},
         {3, 18, 6, 6}},
        {{"three arrays", LOAD "ld.global.u32 v1, [gi+4096]; ld.global.u32 v2, [gi+8192];", 4, 0,
          16},
         {3, 6, 6, 3},
         {3, 6, 6, 3}},
    };
    CHECK(rows, EMU_global_load_requests);
}

Test(old_rules, global_stores_are_alike)
{
    static const struct row rows[] = {
        {{"in order", "st.global.u32 [gi], t;", 4, 0, 32}, {2, 4, 4, 2}, {2, 4, 4, 2}},
        {{"stride 2", "st.global.u32 [gi], t;", 8, 0, 32}, {2, 32, 4, 32}, {2, 8, 4, 2}},
    };
    CHECK(rows, EMU_global_store_requests);
}

#define SHARED "ld.shared.u32 v, [si];"

/* The figures are requests, steps, ideal and conflicts. They are the same on both generations. */
Test(old_rules, shared_loads)
{
    static const struct row rows[] = {
        {{"stride 1", SHARED, 4, 0, 32}, {2, 2, 2, 0}, {2, 2, 2, 0}},
        {{"stride 2", SHARED, 8, 0, 32}, {2, 4, 2, 2}, {2, 4, 2, 2}},
        {{"stride 3", SHARED, 12, 0, 32}, {2, 2, 2, 0}, {2, 2, 2, 0}},
        {{"stride 4", SHARED, 16, 0, 32}, {2, 8, 2, 6}, {2, 8, 2, 6}},
        {{"stride 8", SHARED, 32, 0, 32}, {2, 16, 2, 14}, {2, 16, 2, 14}},
        {{"stride 16", SHARED, 64, 0, 32}, {2, 32, 2, 30}, {2, 32, 2, 30}},
        {{"stride 17", SHARED, 68, 0, 32}, {2, 2, 2, 0}, {2, 2, 2, 0}},
        {{"half a warp", SHARED, 8, 0, 16}, {1, 2, 1, 1}, {1, 2, 1, 1}},
        {{"one word for all", "ld.shared.u32 v, [s];", 0, 0, 32}, {2, 2, 2, 0}, {2, 2, 2, 0}},
        /* lanes 3, 4, 6, 7 and 9 read the word of lane 5 */
        {{"one word for six",
          "shr.b32 v, 0x2d8, t; and.b32 v, v, 1; setp.ne.u32 p, v, 0; @p mov.u32 si, s; "
          "@p add.u32 si, si, 20;" SHARED,
          4, 0, 16},
         {1, 1, 1, 0},
         {1, 1, 1, 0}},
        /* several lanes read each of two words: one word goes to all its lanes at once, the other
         * to one lane at a time */
        {{"two words of two banks",
          "and.b32 v, t, 1; mov.u32 si, s; mad.lo.u32 si, v, 4, si;" SHARED, 0, 0, 16},
         {1, 2, 1, 1},
         {1, 2, 1, 1}},
        {{"bytes", "ld.shared.u8 v, [si];", 1, 0, 16}, {1, 4, 1, 3}, {1, 4, 1, 3}},
        {{"bytes, four apart", "ld.shared.u8 v, [si];", 4, 0, 16}, {1, 1, 1, 0}, {1, 1, 1, 0}},
        {{"doubles", "ld.shared.u64 d, [si];", 8, 0, 16}, {1, 4, 2, 2}, {1, 4, 2, 2}},
        {{"128 bits", "ld.shared.v4.u32 {v, v1, v2, v3}, [si];", 16, 0, 16},
         {1, 16, 4, 12},
         {1, 16, 4, 12}},
    };
    CHECK(rows, EMU_shared_load_requests);
}

Test(old_rules, nothing_else_changes)
{
    static const struct pattern p = {"all", LOAD SHARED "@p st.global.u32 [gi], v;", 8, 0, 64};
    struct emu_counters today, old;
    run_pattern(&p, EMU_SECTOR, &today);
    run_pattern(&p, EMU_G80, &old);
    for (int i = 0; i < EMU_global_load_requests; i++)
        if (i != EMU_longest_warp_load_sectors) /* the rules do change these */
            cr_expect_eq(today.value[i], old.value[i], "%s", emu_counter_name((enum emu_counter)i));
}

Test(old_rules, names)
{
    enum emu_rules rules;
    cr_expect(emu_find_rules("g80", &rules) && rules == EMU_G80);
    cr_expect(emu_find_rules("gt200", &rules) && rules == EMU_GT200);
    cr_expect(emu_find_rules("sector", &rules) && rules == EMU_SECTOR);
    cr_expect(!emu_find_rules("", &rules) && !emu_find_rules("g8", &rules));
}

/* --- lanewise run --rules ------------------------------------------------------------------------- */

TestSuite(old_rules_run, .init = shell_init, .fini = shell_fini);

Test(old_rules_run, are_named_wherever_figures_are)
{
    int code;
    char *text = shell(
        &code, "$LANEWISE run --rules g80 --json a.json $PROGRAMS/sum_ladder 1024 >out 2>err;"
               "echo $?; grep -c 'by the rules of g80' err; grep -c ' transactions$' err >many;"
               "grep -c '\\[uncoalesced-load\\]' err; grep '\"rules\"' a.json | sort -u");
    cr_expect_str_eq(text, "0\n1\n0\n      \"rules\": \"g80\",\n", "%s", text);
    free(text);
    text = shell(&code, "$LANEWISE run --json a.json $PROGRAMS/sum_ladder 1024 >out 2>err;"
                        "grep -c 'by the rules' err; grep '\"rules\"' a.json | sort -u");
    cr_expect_str_eq(text, "0\n      \"rules\": \"sector\",\n", "%s", text);
    free(text);
}

Test(old_rules_run, must_be_known)
{
    int code;
    char *text = shell(&code, "$LANEWISE run --rules g90 $PROGRAMS/sum_ladder");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(
        text, "lanewise run: unknown rules \"g90\"; --rules takes one of sector, gt200, g80\n");
    free(text);
    text = shell(
        &code, "LD_LIBRARY_PATH=$LIB LD_PRELOAD=$PRELOAD LANEWISE_RULES=old $PROGRAMS/sum_ladder");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(text, "lanewise: LANEWISE_RULES=old: expected one of sector, gt200, g80\n");
    free(text);
}
