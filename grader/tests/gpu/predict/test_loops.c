/* Tests predicted times of loops: their loads from constant memory, how ptxas changes them, and how
 * often a compare-and-swap is repeated. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "gpu/predict/footprint.h"
#include "tests/gpu/predict/round_chip.h"

TestSuite(predict_loops, .timeout = 100);

#define ROUNDS 1024

/* Returns the member NAME of the prediction of a loop with BODY, divided by the number of rounds.
 * %r1 counts the rounds. */
static double each_round(const char *name, const char *body, struct fixture_launch launch)
{
    struct emu_chip chip = round_chip();
    struct fixture f;
    char ptx[4096];
    snprintf(ptx, sizeof ptx,
             ".const .align 16 .b8 table[4096];\n"
             ".visible .entry k(.param .u64 p, .param .u64 n) {\n"
             ".reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .pred %%p<9>; .reg .f32 %%f<9>;\n"
             "ld.param.u64 %%rd1, [p]; ld.param.u32 %%r2, [n]; mov.u64 %%rd2, table;\n"
             "mov.u32 %%r3, %%tid.x; mov.u32 %%r1, 0; mov.f32 %%f1, 0f00000000;\n"
             "L:\n%s\n@%%p1 bra L;\nst.global.f32 [%%rd1], %%f1; ret;\n}\n",
             body);
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, ptx);
    launch.params[0] = fixture_upload(&f, NULL, 1 << 16);
    launch.params[1] = ROUNDS;
    json_t *p = round_predict(&f, launch);
    double value = round_number(p, name) / ROUNDS;
    json_decref(p);
    fixture_close(&f);
    return value;
}

/* --- constants ---------------------------------------------------------------------------------- */

/* Returns the cycles of a loop that loads 16 bytes from a table of BYTES bytes. Each load is APART
 * bytes after the previous one. */
static double cycles_of_table(unsigned bytes, unsigned apart, unsigned threads)
{
    char body[512];
    snprintf(body, sizeof body,
             "mul.lo.s32 %%r4, %%r1, %u; and.b32 %%r5, %%r4, %u; cvt.u64.u32 %%rd3, %%r5;\n"
             "add.s64 %%rd4, %%rd2, %%rd3; ld.const.f32 %%f2, [%%rd4]; add.f32 %%f1, %%f1, %%f2;\n"
             "add.s32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %%r2;",
             apart, bytes - 1);
    return each_round("cycles", body, (struct fixture_launch){.block = {threads}});
}

Test(predict_loops, a_table_beyond_the_cache_of_constants_misses)
{
    struct emu_chip chip = round_chip();
    double more = chip.constant_far_latency - chip.constant_latency;
    double fits = cycles_of_table(512, 64, 32), misses = cycles_of_table(4096, 64, 32);
    cr_expect(fits < 30, "%.1f cycles though the table fits", fits);
    cr_expect(misses >= more && misses < 1.3 * more, "%.1f cycles for a line each time, want %.1f",
              misses, more);
    double shared = cycles_of_table(4096, 16, 32);
    cr_expect(shared >= more / 4 && shared < misses / 2, "%.1f cycles for a line every fourth time",
              shared);
}

/* A scheduler has 16 warps. Each of them finds that the others have replaced its cache line. */
Test(predict_loops, many_warps_take_lines_of_constants_from_each_other)
{
    struct emu_chip chip = round_chip();
    double more = chip.constant_far_latency - chip.constant_latency;
    double cycles =
        each_round("cycles",
                   "mul.lo.s32 %r4, %r1, 16; and.b32 %r5, %r4, 4095; cvt.u64.u32 %rd3, %r5;\n"
                   "add.s64 %rd4, %rd2, %rd3; ld.const.f32 %f2, [%rd4]; add.f32 %f1, %f1, %f2;\n"
                   "add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2;",
                   (struct fixture_launch){.grid = {8}, .block = {1024}});
    cr_expect_float_eq(cycles, 16 * more, 0.15 * 16 * more, "%.0f cycles, want %.0f", cycles,
                       16 * more);
}

/* --- what ptxas makes of a loop ----------------------------------------------------------------- */

Test(predict_loops, a_loop_with_two_conditions_is_not_unrolled)
{
    static const char head[] = "add.f32 %f1, %f1, 0f3f800000; add.s32 %r1, %r1, 1;\n";
    char one[256], two[256];
    snprintf(one, sizeof one, "%s setp.lt.u32 %%p1, %%r1, %%r2;", head);
    snprintf(two, sizeof two,
             "%s setp.lt.u32 %%p2, %%r1, %%r2; setp.lt.u32 %%p3, %%r1, 5000;\n"
             "and.pred %%p1, %%p2, %%p3;",
             head);
    double unrolled = each_round("instructions", one, (struct fixture_launch){.block = {32}});
    double plain = each_round("instructions", two, (struct fixture_launch){.block = {32}});
    cr_expect(unrolled < 2.1, "%.2f instructions", unrolled);
    cr_expect(plain > 4.9, "%.2f instructions", plain);
}

/* A comparison with the loaded value decides whether it is added. The loads of four rounds overlap,
 * although each comparison waits for its load. */
Test(predict_loops, a_loop_around_a_predicated_block_is_unrolled)
{
    struct emu_chip chip = round_chip();
    double cycles =
        each_round("cycles",
                   "and.b32 %r4, %r1, 31; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3;\n"
                   "ld.global.u32 %r5, [%rd4]; setp.ne.u32 %p2, %r5, 7; @%p2 bra S;\n"
                   "add.f32 %f1, %f1, 0f3f800000;\n"
                   "S: add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2;",
                   (struct fixture_launch){.block = {32}});
    cr_expect(cycles < 0.7 * chip.l1_latency, "%.1f cycles", cycles);
}

/* --- compare-and-swap --------------------------------------------------------------------------- */

/* Returns the latencies of 256 threads that each add to a word by compare-and-swap. All add to one
 * of WORDS words. */
static double latencies_of_swaps(unsigned words)
{
    struct emu_chip chip = round_chip();
    struct fixture f;
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, ".visible .entry k(.param .u64 p, .param .u64 words) {\n"
                     ".reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
                     "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [words]; mov.u32 %r2, %tid.x;\n"
                     "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r3, 32, %r2;\n"
                     "rem.u32 %r5, %r4, %r1; mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n"
                     "ld.global.u32 %r6, [%rd3];\n"
                     "L: add.s32 %r7, %r6, 3; atom.global.cas.b32 %r8, [%rd3], %r6, %r7;\n"
                     "setp.ne.s32 %p1, %r8, %r6; mov.u32 %r6, %r8; @%p1 bra L;\n"
                     "ret;\n}\n");
    json_t *p = round_predict(
        &f, (struct fixture_launch){
                .grid = {8}, .block = {32}, .params = {fixture_upload(&f, NULL, 1 << 16), words}});
    double cycles = round_number(p, "cycles");
    json_decref(p);
    fixture_close(&f);
    return cycles / chip.atomic_latency;
}

Test(predict_loops, rivals_repeat_a_compare_and_swap)
{
    double alone = latencies_of_swaps(256), eight = latencies_of_swaps(32);
    cr_expect(alone > 1 && alone < 5, "%.1f latencies though every thread has its word", alone);
    cr_expect(eight > alone + 7 && eight < alone + 25, "%.1f latencies for 8 threads a word",
              eight);
}

/* --- counts of many keys ------------------------------------------------------------------------ */

Test(predict_loops, a_sketch_counts_different_keys)
{
    static struct sketch sketch;
    for (uint64_t key = 0; key < 100000; key++) {
        sketch_add(&sketch, key * 7);
        sketch_add(&sketch, key / 2 * 7);
        double count = sketch_count(&sketch), want = (double)key + 1;
        if (key % 9999 == 9)
            cr_expect_float_eq(count, want, 0.03 * want, "%.0f keys, not %.0f", count, want);
    }
}

/* Returns the time of the atomics of 64 CTAs, each of which adds to one page. OTHERS is the size of
 * other memory in bytes. */
static double us_of_pages(size_t others)
{
    struct emu_chip chip = round_chip();
    struct fixture f;
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, ".visible .entry k(.param .u64 p) {\n"
                     ".reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
                     "ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x;\n"
                     "mul.wide.u32 %rd2, %r1, 4096; add.s64 %rd3, %rd1, %rd2;\n"
                     "red.global.add.u32 [%rd3], 3; ret;\n}\n");
    emu_addr pages = fixture_upload(&f, NULL, 64 << 12);
    if (others)
        fixture_upload(&f, NULL, others);
    json_t *p =
        round_predict(&f, (struct fixture_launch){.grid = {64}, .block = {32}, .params = {pages}});
    double us = round_number(json_object_get(p, "parts"), "atomics");
    json_decref(p);
    fixture_close(&f);
    return us;
}

/* In a program with much memory, atomics are tracked on only a few pages. Those on other pages must
 * count, too. */
Test(predict_loops, pages_with_atomics_count_though_they_are_not_watched)
{
    double few = us_of_pages(0), many = us_of_pages((size_t)1 << 30);
    cr_expect_float_eq(many, few, 0.01 * few, "%.3f us, not %.3f us", many, few);
}
