/* Tests predicted times of small kernels, on a chip with round numbers, so that each time can be
 * computed by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/predict/round_chip.h"

TestSuite(predict, .timeout = 100);

/* Returns the cycles of a kernel k that contains BODY COUNT times. %d numbers the lines of the
 * body. */
static double cycles_of(const char *head, const char *body, int count, struct fixture_launch launch)
{
    static char ptx[1 << 18];
    struct emu_chip chip = round_chip();
    struct fixture f;
    size_t used =
        (size_t)sprintf(ptx,
                        ".visible .entry k(.param .u64 p) {\n"
                        ".reg .f32 %%f<1000>; .reg .b32 %%r<1000>; .reg .b64 %%rd<1000>;\n"
                        ".reg .pred %%p<100>; .shared .align 16 .b8 s[16384];\n%s\n",
                        head);
    for (int i = 0; i < count; i++)
        used += (size_t)sprintf(ptx + used, body, i + 1, i, i + 1, i);
    sprintf(ptx + used, "ret;\n}\n");
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, ptx);
    launch.params[0] = fixture_upload(&f, NULL, 1 << 16);
    json_t *p = round_predict(&f, launch);
    double cycles = round_number(p, "cycles");
    cr_expect_float_eq(round_number(p, "us"), cycles / 1000 + 2, 1e-6);
    json_decref(p);
    fixture_close(&f);
    return cycles;
}

/* Returns the cycles that one more copy of BODY takes. */
static double cost_of(const char *head, const char *body, struct fixture_launch launch)
{
    return (cycles_of(head, body, 200, launch) - cycles_of(head, body, 100, launch)) / 100;
}

static const struct {
    const char *name, *head, *body;
    unsigned threads;
    double cycles;
} costs[] = {
    {"additions that depend on each other", "mov.f32 %f0, 0f3f800000;",
     "add.f32 %%f%d, %%f%d, %%f0;\n", 32, 4},
    {"independent ones issue in each cycle", "mov.f32 %f0, 0f3f800000;",
     "add.f32 %%f%d, %%f0, %%f0;\n", 32, 1},
    {"integers take two cycles of their pipe", "mov.u32 %r0, %tid.x;", "xor.b32 %%r%d, %%r0, 5;\n",
     32, 2},
    {"a scheduler serves its warps in turn", "mov.f32 %f0, 0f3f800000;",
     "add.f32 %%f%d, %%f%d, %%f0;\n", 32 * 4 * 8, 8},
    {"four schedulers work at the same time", "mov.f32 %f0, 0f3f800000;",
     "add.f32 %%f%d, %%f%d, %%f0;\n", 32 * 4, 4},
    {"loads from shared memory take a pass each", "mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 2;",
     "ld.shared.u32 %%r%d, [%%r0];\n", 32, 1},
    {"and 32 with conflicts", "mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 7;",
     "ld.shared.u32 %%r%d, [%%r0];\n", 32, 32},
    {"a quotient may call a subroutine: nothing overlaps with it", "mov.f32 %f0, 0f3f800000;",
     "div.rn.f32 %%f%d, %%f0, %%f0;\n", 32, 14 * 4},
    {"fast quotients overlap", "mov.f32 %f0, 0f3f800000;", "div.full.f32 %%f%d, %%f0, %%f0;\n", 32,
     8.01},
    {"a barrier costs its latency", "", "bar.sync 0;\n", 32, 1 + 10 + 2},
    {"a short block is predicated, so nothing branches", "mov.u32 %r0, %tid.x;",
     "setp.ne.u32 %%p1, %%r0, 40; @%%p1 bra L%1$d;\nst.shared.u32 [s], %%r0;\nL%1$d:\n", 32, 5},
};

Test(predict, the_cost_of_an_instruction)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        double cycles = cost_of(costs[i].head, costs[i].body,
                                (struct fixture_launch){.block = {costs[i].threads}});
        cr_expect_float_eq(cycles, costs[i].cycles, 0.02, "%s: %.3f cycles, want %.3f",
                           costs[i].name, cycles, costs[i].cycles);
    }
}

/* A chain of loads through pointers that point to themselves. */
Test(predict, a_load_that_hits_the_first_level_cache)
{
    double cycles =
        cost_of("ld.param.u64 %rd500, [p]; cvta.to.global.u64 %rd0, %rd500;\n"
                "st.global.u64 [%rd0], %rd0;",
                "ld.global.u64 %%rd%d, [%%rd%d];\n", (struct fixture_launch){.block = {1}});
    cr_expect_float_eq(cycles, 40, 0.1, "%.3f cycles", cycles);
}

/* Returns the cost for a warp that copies with cp.async, and then waits for all groups of copies
 * except the latest PENDING ones. */
static double cost_of_copies(unsigned pending)
{
    char body[200];
    snprintf(body, sizeof body,
             "cp.async.ca.shared.global [%%%%r0], [%%%%rd0], 4;\ncp.async.commit_group;\n"
             "cp.async.wait_group %u;\n",
             pending);
    return cost_of("ld.param.u64 %rd500, [p]; cvta.to.global.u64 %rd0, %rd500; mov.u32 %r0, s;",
                   body, (struct fixture_launch){.block = {1}});
}

Test(predict, groups_of_copies_overlap)
{
    double alone = cost_of_copies(0), ahead = cost_of_copies(3);
    cr_expect(alone > 40 && alone < 60, "%.2f cycles", alone);
    cr_expect_float_eq(ahead, alone / 4, 1, "%.2f cycles, want a quarter of %.2f", ahead, alone);
}

/* --- the whole chip ----------------------------------------------------------------------------- */

#define STREAM                                                                                     \
    ".visible .entry k(.param .u64 p) {\n"                                                         \
    ".reg .f32 %f<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"                      \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"                                     \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.s32 %rd3, %r4, 4; add.s64 %rd4, %rd2, %rd3;\n"        \
    "ld.global.f32 %f1, [%rd4]; add.f32 %f2, %f1, 0f3f800000;\n"                                   \
    "setp.eq.f32 %p1, %f2, 0f40000000;\n"                                                          \
    "ret;\n}\n"

static json_t *stream(struct fixture *f, unsigned workers, size_t bytes, int launches)
{
    static struct emu_chip chip;
    chip = round_chip();
    fixture_open(f, &(struct emu_options){.workers = workers, .chip = &chip});
    fixture_load(f, STREAM);
    emu_addr data = fixture_upload(f, NULL, bytes);
    json_t *p = NULL;
    for (int i = 0; i < launches; i++) {
        json_decref(p);
        p = round_predict(f, (struct fixture_launch){.grid = {(uint32_t)(bytes / 1024)},
                                                     .block = {256},
                                                     .params = {data}});
    }
    return p;
}

Test(predict, memory_limits_a_stream)
{
    struct fixture f;
    json_t *p = stream(&f, 1, 64 << 20, 2);
    double us = round_number(p, "us"), least = (64 << 20) / 16e3;
    cr_expect_str_eq(json_string_value(json_object_get(p, "limit")), "dram");
    cr_expect(us > least && us < 1.25 * least, "%.1f us, want about %.1f", us, least);
    cr_expect_float_eq(round_number(p, "dram_bytes"), 64 << 20, 4 << 20); /* from sampled pages */
    json_decref(p);
    fixture_close(&f);
}

Test(predict, the_second_level_cache_keeps_what_fits)
{
    struct fixture f;
    json_t *p = stream(&f, 1, 256 << 10, 1);
    cr_expect_float_eq(round_number(p, "dram_bytes"), 256 << 10, 1 << 14);
    json_decref(p);
    fixture_close(&f);
    p = stream(&f, 1, 256 << 10, 2);
    cr_expect_float_eq(round_number(p, "dram_bytes"), 0, 1);
    cr_expect_float_eq(round_number(p, "l2_hits"), 1, 1e-9);
    json_decref(p);
    fixture_close(&f);
}

/* --- pictures ----------------------------------------------------------------------------------- */

/* The chip has 4 multiprocessors. Each holds 8 CTAs of 8 warps. */
static const struct {
    const char *name;
    unsigned ctas;
    json_int_t first, last; /* warps at the first and at the last moment */
} over_time[] = {
    {"one CTA is there from start to end", 1, 8, 8},
    {"an even wave", 32, 256, 256},
    {"5 CTAs: one multiprocessor has two, which take twice as long", 5, 40, 16},
    {"a full wave, and one CTA more", 33, 256, 8},
    {"a full wave, and one CTA more on each multiprocessor", 36, 256, 32},
};

Test(predict, warps_over_time)
{
    for (size_t i = 0; i < sizeof over_time / sizeof *over_time; i++) {
        struct fixture f;
        json_t *p = stream(&f, 1, over_time[i].ctas * 1024, 1),
               *warps = json_object_get(p, "warps");
        json_int_t first = json_integer_value(json_array_get(warps, 0));
        json_int_t last = json_integer_value(json_array_get(warps, json_array_size(warps) - 1));
        cr_expect_eq(round_number(p, "most_warps"), 256);
        cr_expect(first == over_time[i].first && last == over_time[i].last, "%s: %lld to %lld",
                  over_time[i].name, first, last);
        json_decref(p);
        fixture_close(&f);
    }
}

Test(predict, what_a_roofline_needs)
{
    struct fixture f;
    json_t *p = stream(&f, 1, 64 << 10, 1), *roofs = json_object_get(p, "roofs");
    cr_expect_float_eq(round_number(p, "flops"), 16384, 1e-9); /* an addition in each thread */
    cr_expect_float_eq(round_number(p, "l2_bytes"), 64 << 10, 1e-6);
    cr_expect_float_eq(round_number(p, "shared_bytes"), 0, 1e-9);
    cr_expect_float_eq(round_number(roofs, "instructions"), 16,
                       1e-9); /* 4 x 4 schedulers at 1 GHz */
    cr_expect_float_eq(round_number(roofs, "flops"), 1024, 1e-9);
    cr_expect_float_eq(round_number(roofs, "dram"), 16, 1e-9);
    cr_expect_float_eq(round_number(roofs, "l2"), 0.8 * 256, 1e-9);
    cr_expect_float_eq(round_number(roofs, "shared"), 512, 1e-9);
    json_decref(p);
    fixture_close(&f);
}

/* Each CTA adds a number 100 times, except CTA `which`, which adds it `often` times. */
#define LOOP                                                                                       \
    ".visible .entry k(.param .u64 p, .param .u64 which, .param .u64 often) {\n"                   \
    ".reg .f32 %f<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"                      \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [which]; ld.param.u32 %r2, [often];\n"              \
    "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, %r1; selp.b32 %r4, %r2, 100, %p1;\n"             \
    "mov.f32 %f1, 0f3f800000; mov.u32 %r5, 0;\n"                                                   \
    "L: add.f32 %f1, %f1, 0f3f000000; add.s32 %r5, %r5, 1;\n"                                      \
    "setp.lt.u32 %p2, %r5, %r4; @%p2 bra L;\n"                                                     \
    "st.global.f32 [%rd1], %f1; ret;\n}\n"

static double cycles_of_loops(unsigned ctas, unsigned which, unsigned often)
{
    struct emu_chip chip = round_chip();
    struct fixture f;
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, LOOP);
    json_t *p = round_predict(
        &f, (struct fixture_launch){.grid = {ctas},
                                    .params = {fixture_upload(&f, NULL, 4096), which, often}});
    double cycles = round_number(p, "cycles");
    json_decref(p);
    fixture_close(&f);
    return cycles;
}

/* CTA 3 is long. The sample, CTAs 1 and 6, does not contain it. It runs beside short CTAs. */
Test(predict, a_long_block_takes_as_long_as_alone)
{
    double alone = cycles_of_loops(1, 0, 3200), beside = cycles_of_loops(8, 3, 3200);
    cr_expect_float_eq(beside, alone, 0.05 * alone, "%.0f cycles, alone %.0f", beside, alone);
    /* this is also so if only the beginning of the sampled execution was kept */
    double twice = cycles_of_loops(1, 0, 640000), once = cycles_of_loops(1, 0, 320000);
    cr_expect_float_eq(twice, 2 * once, 0.02 * twice, "%.0f cycles, half of it %.0f", twice, once);
}

/* Returns the cycles of a loop of 1,000 divisions, whose divisor grows by GROWTH in each
 * iteration. */
static double cycles_of_divisions(const char *growth)
{
    struct emu_chip chip = round_chip();
    struct fixture f;
    char ptx[1024];
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 p, .param .u64 d) {\n"
             ".reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .pred %%p<2>;\n"
             "ld.param.u64 %%rd1, [p]; ld.param.u32 %%r1, [d]; mov.u32 %%r2, 0;\n"
             "mov.u32 %%r3, 77777;\n"
             "L: rem.u32 %%r4, %%r3, %%r1; add.s32 %%r3, %%r4, 77777; %s\n"
             "add.s32 %%r2, %%r2, 1; setp.lt.u32 %%p1, %%r2, 1000; @%%p1 bra L;\n"
             "st.global.u32 [%%rd1], %%r4; ret;\n}\n",
             growth);
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, ptx);
    json_t *p = round_predict(
        &f, (struct fixture_launch){.params = {fixture_upload(&f, NULL, 4096), 1234}});
    double cycles = round_number(p, "cycles");
    json_decref(p);
    fixture_close(&f);
    return cycles / 1000;
}

/* ptxas computes the reciprocal before the loop, so a chain of 8 instead of 30 instructions
 * remains. */
Test(predict, a_divisor_that_stays_is_inverted_once)
{
    double stays = cycles_of_divisions(""), grows = cycles_of_divisions("add.s32 %r1, %r1, 1;");
    cr_expect_float_eq(grows - stays, (30 - 8) * 4, 8, "%.1f cycles, %.1f if the divisor stays",
                       grows, stays);
}

#define SUMS 48

/* Returns the time of ROUNDS rounds of a loop with 48 sums that L1 takes, in cycles. LIMIT is a
 * directive that limits the registers. */
static double l1_of_sums(const char *limit, unsigned rounds)
{
    static char ptx[1 << 14];
    struct emu_chip chip = round_chip();
    struct fixture f;
    size_t used = (size_t)sprintf(ptx,
                                  ".visible .entry k(.param .u64 p, .param .u64 n) %s {\n"
                                  ".reg .f32 %%f<200>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n"
                                  ".reg .pred %%p<2>; ld.param.u64 %%rd1, [p];\n"
                                  "ld.param.u32 %%r2, [n]; mov.u32 %%r1, 0;\n",
                                  limit);
    for (int i = 0; i < SUMS; i++)
        used += (size_t)sprintf(ptx + used, "ld.global.f32 %%f%d, [%%rd1+%d];\n", i, 4 * i);
    used += (size_t)sprintf(ptx + used, "L:\n");
    for (int i = 0; i < SUMS; i++)
        used += (size_t)sprintf(ptx + used, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", i, i,
                                (i + 7) % SUMS, (i + 13) % SUMS);
    used += (size_t)sprintf(ptx + used, "add.s32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %%r2;\n"
                                        "@%%p1 bra L;\n");
    for (int i = 0; i < SUMS; i++)
        used += (size_t)sprintf(ptx + used, "st.global.f32 [%%rd1+%d], %%f%d;\n", 4 * i, i);
    sprintf(ptx + used, "ret;\n}\n");
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, ptx);
    json_t *p = round_predict(
        &f, (struct fixture_launch){.params = {fixture_upload(&f, NULL, 4096), rounds}});
    double cycles = round_number(json_object_get(p, "parts"), "l1") * chip.clock_mhz;
    json_decref(p);
    fixture_close(&f);
    return cycles;
}

/* With 32 registers, some sums have no register. At least these are stored and loaded in each
 * round. */
Test(predict, sums_without_a_register_are_spilled)
{
    double enough = l1_of_sums("", 30) - l1_of_sums("", 20);
    double few = (l1_of_sums(".maxnreg 32", 30) - l1_of_sums(".maxnreg 32", 20)) / 10;
    cr_expect_float_eq(enough, 0, 1e-6, "%.2f cycles though there are registers for all", enough);
    cr_expect(few >= 2 * (SUMS - 32) && few <= 2 * SUMS, "%.1f accesses a round", few);
}

/* Each thread loads (or stores) one word. The words of neighbouring threads are STRIDE bytes
 * apart. */
static double bytes_of(const char *access, unsigned stride, int launches)
{
    static struct emu_chip chip;
    char ptx[2048];
    struct fixture f;
    json_t *p = NULL;
    size_t size = (size_t)stride << 14;
    chip = round_chip();
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 p) {\n"
             ".reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
             "ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd2, %%rd1;\n"
             "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mov.u32 %%r3, %%tid.x;\n"
             "mad.lo.s32 %%r4, %%r1, %%r2, %%r3; mul.wide.s32 %%rd3, %%r4, %u;\n"
             "add.s64 %%rd4, %%rd2, %%rd3;\n%s\nret;\n}\n",
             stride, access);
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, ptx);
    emu_addr data = fixture_upload(&f, NULL, size);
    for (int i = 0; i < launches; i++) {
        json_decref(p);
        p = round_predict(&f,
                          (struct fixture_launch){.grid = {64}, .block = {256}, .params = {data}});
    }
    double bytes = round_number(p, "dram_bytes") / (1 << 14);
    json_decref(p);
    fixture_close(&f);
    return bytes;
}

/* Two lanes write a sector of each line. */
#define WHOLE_SECTORS                                                                              \
    "and.b32 %r5, %r4, 1; mul.wide.u32 %rd5, %r5, 112; sub.s64 %rd6, %rd4, %rd5;\n"                \
    "st.global.v4.u32 [%rd6], {%r4, %r4, %r4, %r4};\n"                                             \
    "st.global.v4.u32 [%rd6 + 128], {%r4, %r4, %r4, %r4};"

static const struct {
    const char *name, *access;
    unsigned stride;
    int launches;
    double bytes; /* bytes that DRAM moves for each thread */
} moved[] = {
    {"a dense load", "ld.global.u32 %r5, [%rd4];", 4, 1, 4},
    {"a sector for each word", "ld.global.u32 %r5, [%rd4];", 32, 1, 32},
    {"half a line for each word", "ld.global.u32 %r5, [%rd4];", 64, 1, 64},
    {"never more than half a line", "ld.global.u32 %r5, [%rd4];", 256, 1, 64},
    {"what fits stays in the cache", "ld.global.u32 %r5, [%rd4];", 32, 2, 0},
    {"lines that are used in part take all of their room", "ld.global.u32 %r5, [%rd4];", 256, 2,
     64},
    {"stores that fit stay there, too", "st.global.u32 [%rd4], %r4;", 32, 2, 0},
    {"what is written in part is read first", "st.global.u32 [%rd4], %r4;", 256, 3, 64},
    {"what several lanes write in full is not", WHOLE_SECTORS, 128, 3, 32},
};

Test(predict, the_bytes_that_memory_moves)
{
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        double bytes = bytes_of(moved[i].access, moved[i].stride, moved[i].launches);
        cr_expect_float_eq(bytes, moved[i].bytes, moved[i].bytes / 8 + 0.01,
                           "%s: %.2f bytes a thread, want %.2f", moved[i].name, bytes,
                           moved[i].bytes);
    }
}

/* Each warp adds once to a word that all warps share, and stores to the rest of the array. */
#define COUNTER                                                                                    \
    ".visible .entry k(.param .u64 p, .param .u64 q) {\n"                                          \
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"                                       \
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n"                                            \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0;\n"                       \
    "shl.b32 %r4, %r1, 12; mul.wide.u32 %rd3, %r4, 1; add.s64 %rd4, %rd1, %rd3;\n"                 \
    "@!%p1 atom.global.add.u32 %r5, [%rd2], 1;\n"                                                  \
    "st.global.u32 [%rd4], %r5;\n"                                                                 \
    "ret;\n}\n"

Test(predict, atomics_cost_the_same_wherever_their_word_is)
{
    double atomics[2];
    for (int together = 0; together < 2; together++) {
        struct emu_chip chip = round_chip();
        struct fixture f;
        fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
        fixture_load(&f, COUNTER);
        emu_addr array = fixture_upload(&f, NULL, 1025 << 12), word = fixture_upload(&f, NULL, 4);
        json_t *p = round_predict(
            &f, (struct fixture_launch){.grid = {1024},
                                        .params = {array, together ? array + (1024 << 12) : word}});
        atomics[together] = round_number(json_object_get(p, "parts"), "atomics");
        json_decref(p);
        fixture_close(&f);
    }
    cr_expect(atomics[0] > 0.9 * 1024 * 1.45 / 1000, "%.3f us", atomics[0]);
    cr_expect_float_eq(atomics[1], atomics[0], 0.01 * atomics[0], "%.3f us, not %.3f us",
                       atomics[1], atomics[0]);
}

/* Each lane of a warp adds to one of COUNT words, which are APART bytes apart. */
#define WORDS                                                                                      \
    ".visible .entry k(.param .u64 p, .param .u64 count, .param .u64 apart) {\n"                   \
    ".reg .b32 %r<8>; .reg .b64 %rd<8>;\n"                                                         \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [count]; ld.param.u32 %r2, [apart];\n"              \
    "mov.u32 %r3, %tid.x; rem.u32 %r4, %r3, %r1;\n"                                                \
    "mul.wide.u32 %rd2, %r4, %r2; add.s64 %rd3, %rd1, %rd2;\n"                                     \
    "red.global.add.u32 [%rd3], 3;\n"                                                              \
    "ret;\n}\n"

/* Compares the passes ("turns") of a warp's addition with those of an H100: red_words_* in
 * tests/hardware/chip/h100.txt, where a turn takes 0.73 ns. Words of a sector share a turn, and
 * each unit has its own turns. */
Test(predict, atomics_take_the_turns_of_a_gpu)
{
    static const struct {
        unsigned count, apart;
        double turns;
    } rows[] = {
        {1, 4, 32},  {2, 4, 16},   {4, 4, 8},    {8, 4, 4},   {32, 4, 4},   {2, 32, 32},
        {8, 32, 32}, {16, 32, 16}, {32, 32, 16}, {8, 64, 16}, {32, 128, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_chip chip = round_chip();
        chip.atomic_units = 69;
        struct fixture f;
        fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
        fixture_load(&f, WORDS);
        json_t *p =
            round_predict(&f, (struct fixture_launch){.grid = {1024},
                                                      .params = {fixture_upload(&f, NULL, 4096),
                                                                 rows[i].count, rows[i].apart}});
        double us = round_number(json_object_get(p, "parts"), "atomics");
        double turns = us * chip.clock_mhz / chip.atomic_turn_cycles / 1024;
        cr_expect_float_eq(turns, rows[i].turns, 0.05 * rows[i].turns,
                           "%u words, %u bytes apart: %.2f turns, not %.2f", rows[i].count,
                           rows[i].apart, turns, rows[i].turns);
        json_decref(p);
        fixture_close(&f);
    }
}

/* The same additions to floats: each lane adds to a separate word, or all lanes add to one word.
 * Only an addition to the same word must wait for the previous one (red_f32_line, red_f32_same). */
#define FLOATS                                                                                     \
    ".visible .entry k(.param .u64 p, .param .u64 mask) {\n"                                       \
    ".reg .b32 %r<9>; .reg .f32 %f<2>; .reg .b64 %rd<8>;\n"                                        \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [mask]; mov.u32 %r3, %tid.x;\n"                     \
    "and.b32 %r4, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n"                \
    "mov.f32 %f1, 0f3f800000; red.global.add.f32 [%rd3], %f1;\n"                                   \
    "ret;\n}\n"

static double cycles_of_floats(unsigned mask)
{
    struct emu_chip chip = round_chip();
    struct fixture f;
    fixture_open(&f, &(struct emu_options){.workers = 1, .chip = &chip});
    fixture_load(&f, FLOATS);
    json_t *p = round_predict(
        &f,
        (struct fixture_launch){.grid = {1024}, .params = {fixture_upload(&f, NULL, 4096), mask}});
    double us = round_number(json_object_get(p, "parts"), "atomics");
    json_decref(p);
    fixture_close(&f);
    return us * chip.clock_mhz / 1024;
}

Test(predict, only_the_same_float_waits)
{
    struct emu_chip chip = round_chip();
    double apart = cycles_of_floats(31), same = cycles_of_floats(0);
    cr_expect_float_eq(apart, 4 * chip.atomic_turn_cycles, 0.3, "%.2f cycles", apart);
    cr_expect_float_eq(same, 32 * chip.atomic_float_cycles, 3, "%.2f cycles", same);
}

Test(predict, the_number_of_workers_makes_no_difference)
{
    char *first = NULL;
    for (unsigned workers = 1; workers <= 7; workers += 2) {
        struct fixture f;
        json_t *p = stream(&f, workers, 4 << 20, 3);
        char *text = json_dumps(p, JSON_COMPACT);
        first = first ? first : strdup(text);
        cr_expect_str_eq(text, first, "%u workers: %s", workers, text);
        free(text);
        json_decref(p);
        fixture_close(&f);
    }
    free(first);
}

Test(predict, only_if_a_chip_is_named)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k() { ret; }");
    fixture_run(&f, (struct fixture_launch){0});
    json_t *line = fixture_record(&f, -1);
    cr_expect_null(json_object_get(json_object_get(line, "launch"), "predicted"));
    json_decref(line);
    fixture_close(&f);
}
