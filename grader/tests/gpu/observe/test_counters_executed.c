/* Tests the counters of executed work: instructions, constants, branches, divergence, the longest
 * warp and arithmetic. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/observe/pattern.h"
#include "tests/support/emulator_fixture.h"

/* 3 warps, the last of which has 8 threads, execute 5 instructions. */
Test(counters, straight_line)
{
    struct fixture f;
    struct emu_counters c;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 a;\nmov.u32 a, %tid.x;\n"
                     "add.u32 a, a, 1;\nsetp.lt.u32 p, a, 10;\n@p add.u32 a, a, 1;\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){.grid = {2}, .block = {72}, .counters = &c});
    cr_expect(VALUE(c, warp_instructions) == 2 * 3 * 5, "%lu", VALUE(c, warp_instructions));
    /* a false guard does not make a lane inactive */
    cr_expect(VALUE(c, thread_instructions) == 2 * 72 * 5, "%lu", VALUE(c, thread_instructions));
    cr_expect(VALUE(c, longest_warp_instructions) == 5);
    cr_expect(VALUE(c, branches) == 0 && VALUE(c, divergent_branches) == 0 &&
              VALUE(c, barriers) == 0);
    fixture_close(&f);
}

/* Reads of constant memory and of parameters make no requests to global memory. */
Test(counters, constants)
{
    struct fixture f;
    struct emu_counters c;
    fixture_open(&f, NULL);
    fixture_load(&f, ".const .align 4 .b8 table[256];\n.visible .entry k(.param .u32 n)\n{\n"
                     ".reg .b32 i, a;\n.reg .b64 d;\nmov.u32 i, %tid.x;\nmul.wide.u32 d, i, 4;\n"
                     "ld.const.u32 a, [table];\nadd.s64 d, d, table;\nld.const.u32 a, [d];\n"
                     "ld.param.u32 a, [n];\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){.block = {64}, .params = {7}, .counters = &c});
    cr_expect(VALUE(c, constant_requests) == 2 * 2, "%lu", VALUE(c, constant_requests));
    cr_expect(VALUE(c, global_load_requests) == 0);
    fixture_close(&f);
}

/* The kernel has branches that all lanes take, that no lane takes, and that half of the lanes
 * take. */
Test(counters, branches)
{
    struct fixture f;
    struct emu_counters c;
    fixture_open(&f, NULL);
    fixture_load(&f,
                 ".visible .entry k()\n{\n.reg .pred p, q, r;\n.reg .b32 t;\nmov.u32 t, %tid.x;\n"
                 "setp.lt.u32 p, t, 1000;\nsetp.ge.u32 q, t, 1000;\nand.b32 t, t, 1;\n"
                 "setp.eq.u32 r, t, 0;\n@p bra A;\nA:\n@q bra B;\nadd.u32 t, t, 1;\nB:\n@r bra C;\n"
                 "add.u32 t, t, 1;\nadd.u32 t, t, 1;\nC:\nbra.uni D;\nD:\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){.block = {64}, .counters = &c});
    cr_expect(VALUE(c, branches) == 2 * 4, "%lu", VALUE(c, branches));
    cr_expect(VALUE(c, divergent_branches) == 2 * 1, "%lu", VALUE(c, divergent_branches));
    cr_expect(VALUE(c, warp_instructions) == 2 * 13, "%lu", VALUE(c, warp_instructions));
    /* half the lanes execute two of them */
    cr_expect(VALUE(c, thread_instructions) == 2 * (11 * 32 + 2 * 16), "%lu",
              VALUE(c, thread_instructions));
    fixture_close(&f);
}

/* Both sides of a divergent branch run one after the other, each with its own lanes. */
Test(counters, divergent_sides)
{
    struct fixture f;
    struct emu_counters c;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 t;\nmov.u32 t, %tid.x;\n"
                     "setp.lt.u32 p, t, 4;\n@p bra LOW;\nadd.u32 t, t, 1;\nadd.u32 t, t, 1;\n"
                     "bra END;\nLOW:\nadd.u32 t, t, 1;\nEND:\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){.counters = &c});
    cr_expect(VALUE(c, warp_instructions) == 3 + 3 + 1 + 1, "%lu", VALUE(c, warp_instructions));
    cr_expect(VALUE(c, thread_instructions) == 32 * 4 + 28 * 3 + 4, "%lu",
              VALUE(c, thread_instructions));
    cr_expect(VALUE(c, branches) == 2 && VALUE(c, divergent_branches) == 1);
    fixture_close(&f);
}

/* The warp with the longest loop is the critical path, whichever worker executes its CTA. There are
 * 150 CTAs, so a second worker gets some of them. */
Test(counters, longest_warp)
{
    enum { CTAS = 150 };
    for (unsigned round = 0; round < 6; round++) {
        unsigned workers = round ? 2 : 1;
        struct fixture f;
        struct emu_counters c;
        fixture_open(&f, &(struct emu_options){.workers = workers});
        fixture_load(
            &f, ".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 n, w;\nmov.u32 n, %ctaid.x;\n"
                "mov.u32 w, %tid.x;\nshr.u32 w, w, 5;\nmad.lo.u32 n, n, 10, w;\n"
                "L:\nsub.u32 n, n, 1;\nsetp.gt.s32 p, n, 0;\n@p bra L;\nret;\n}\n");
        fixture_run(&f, (struct fixture_launch){.grid = {CTAS}, .block = {128}, .counters = &c});
        /* the longest is warp 3 of CTA 149: n = 1493 rounds of 3 instructions, and 5 around them */
        cr_expect(VALUE(c, longest_warp_instructions) == 1493 * 3 + 5, "%u workers: %lu", workers,
                  VALUE(c, longest_warp_instructions));
        unsigned long rounds = 0, occupied = 0;
        for (unsigned cta = 0; cta < CTAS; cta++)
            occupied += 4 * ((10 * cta + 3) * 3 + 5);
        cr_expect(VALUE(c, occupied_instructions) == occupied, "%u workers: %lu", workers,
                  VALUE(c, occupied_instructions));
        for (unsigned cta = 0; cta < CTAS; cta++)
            for (unsigned warp = 0; warp < 4; warp++)
                rounds += 10 * cta + warp ? 10 * cta + warp : 1;
        cr_expect(VALUE(c, warp_instructions) == CTAS * 4 * 5 + 3 * rounds, "%u workers: %lu",
                  workers, VALUE(c, warp_instructions));
        fixture_close(&f);
    }
}

/* Of 150 CTAs, the second warp of the last one loads most: two sectors in each round. Stores and
 * atomics do not count. */
Test(counters, longest_warp_load_sectors)
{
    struct fixture f;
    struct emu_counters c;
    fixture_open(&f, &(struct emu_options){.workers = 2});
    emu_addr memory = fixture_upload(&f, NULL, 4096);
    fixture_load(&f,
                 ".visible .entry k(.param .u64 at)\n{\n.reg .pred p;\n.reg .b32 n, w, v;\n"
                 ".reg .b64 a, b;\nld.param.u64 a, [at];\nmov.u32 n, %ctaid.x;\n"
                 "mov.u32 w, %tid.x;\nmul.wide.u32 b, w, 2;\nadd.s64 b, b, a;\nshr.u32 w, w, 5;\n"
                 "mad.lo.u32 n, n, 2, w;\nL:\nld.global.u16 w, [b];\nst.global.u16 [b], w;\n"
                 "atom.global.add.u32 v, [a], 1;\nsub.u32 n, n, 1;\nsetp.gt.s32 p, n, 0;\n"
                 "@p bra L;\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){
                        .grid = {150}, .block = {64}, .params = {memory}, .counters = &c});
    cr_expect(VALUE(c, longest_warp_load_sectors) == 2 * (2 * 149 + 1));
    fixture_close(&f);
}

/* In each of 8 turns, a warp reads 32 neighbouring words, which move on by 128 bytes a turn, 32
 * words that are 64 bytes apart, and 32 neighbouring words, which move on by 4 bytes a turn. The
 * last ones touch one more sector and line in all turns but the first. */
Test(counters, repeats_in_series)
{
    struct fixture f;
    struct emu_counters c;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k(.param .u64 block)\n{\n.reg .pred p;\n.reg .b32 t, n, v;\n"
                     ".reg .b64 g, a, b, d;\nmov.u32 t, %tid.x;\nld.param.u64 g, [block];\n"
                     "mov.u32 n, 0;\nmad.wide.u32 a, t, 4, g;\nmad.wide.u32 b, t, 64, g;\n"
                     "mov.u64 d, a;\nAGAIN:\nld.global.u32 v, [a];\nld.global.u32 v, [b];\n"
                     "ld.global.u32 v, [d];\nadd.s64 a, a, 128;\nadd.s64 b, b, 4;\n"
                     "add.s64 d, d, 4;\nadd.u32 n, n, 1;\nsetp.lt.u32 p, n, 8;\n@p bra AGAIN;\n"
                     "ret;\n}\n");
    emu_addr block = fixture_upload(&f, NULL, 8192);
    fixture_run(
        &f, (struct fixture_launch){.grid = {3}, .block = {64}, .params = {block}, .counters = &c});
    unsigned warps = 3 * 2, sectors = 8 * 4 + 8 * 32 + 4 + 7 * 5,
             lines = 8 * 1 + 8 * 16 + 1 + 7 * 2;
    cr_expect(VALUE(c, global_load_requests) == warps * 3 * 8);
    cr_expect(VALUE(c, global_load_sectors) == warps * sectors);
    cr_expect(c.value[EMU_global_load_requests + 2] == warps * 3 * 8 * 4);
    cr_expect(c.value[EMU_global_load_requests + 3] == warps * lines);
    cr_expect(VALUE(c, longest_warp_load_sectors) == sectors);
    fixture_close(&f);
}

/* Ways in which blocks of a warp work with each other, and whether they then work one after another.
 * BEFORE and AFTER surround the work: 100 instructions. */
static const struct {
    const char *name, *before, *after;
    bool one_by_one;
} together[] = {
    {"alone", "", "", false},
    {"lock", "L: atom.global.cas.b32 a, [word], 0, 1;\nsetp.ne.u32 p, a, 0;\n@p bra L;\n",
     "atom.global.exch.b32 a, [word], 0;\n", true},
    {"lock, stored", "L: atom.global.exch.b32 a, [word], 1;\nsetp.ne.u32 p, a, 0;\n@p bra L;\n",
     "st.release.gpu.global.u32 [word], 0;\n", true},
    {"turn",
     "mov.u32 b, %ctaid.x;\nld.volatile.global.u32 a, [word];\nsetp.eq.u32 p, a, b;\n@p bra M;\n"
     "L: ld.volatile.global.u32 a, [word];\nsetp.ne.u32 p, a, b;\n@p bra L;\nM:\n",
     "red.global.add.u32 [word], 1;\n", true},
    {"the same for another word",
     "mov.u32 b, %ctaid.x;\nL: ld.volatile.global.u32 a, [word];\nsetp.gt.u32 p, a, b;\n@p bra L;\n",
     "red.global.add.u32 [place], 1;\n", false},
    {"a look at another variable",
     "L: ld.volatile.global.u32 a, [word];\nsetp.ne.u32 p, a, 0;\n@p bra L;\n"
     "ld.volatile.global.u32 b, [place];\n",
     "red.global.add.u32 [place], 1;\n", false},
    {"places in an array", "atom.global.add.u32 a, [place], 1;\nst.global.u32 [word+4], a;\n",
     "atom.global.add.u32 a, [place], 1;\nst.global.u32 [word+4], a;\n", false},
    {"a sum", "", "red.global.add.u32 [place], 1;\n", false},
};

static unsigned long path_of(size_t i, uint32_t blocks, bool deterministic)
{
    struct fixture f;
    struct emu_counters c;
    char text[6000] = "";
    size_t length = (size_t)snprintf(
        text, sizeof text,
        ".global .align 4 .u32 word[2];\n.global .align 4 .u32 place;\n.visible .entry k()\n{\n"
        ".reg .pred p, q;\n.reg .b32 a, b, t;\nmov.u32 t, %%tid.x;\nsetp.ne.u32 q, t, 0;\n"
        "@q bra END;\n%s",
        together[i].before);
    for (int k = 0; k < 100; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "add.u32 t, t, 1;\n");
    snprintf(text + length, sizeof text - length, "%sEND:\nret;\n}\n", together[i].after);
    fixture_open(&f, &(struct emu_options){.deterministic = deterministic, .workers = 1});
    fixture_load(&f, text);
    fixture_run(&f, (struct fixture_launch){.grid = {blocks}, .counters = &c});
    fixture_close(&f);
    return VALUE(c, longest_warp_instructions);
}

/* A path contains the paths of the blocks for whose signals it waits, although blocks that run one
 * after another do not wait. Only if one worker runs them, the path is always the same. */
Test(counters, paths_through_signals)
{
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        unsigned long one = path_of(i, 1, true), eight = path_of(i, 8, true);
        cr_expect(one >= 100 && one < 120, "%s: %lu", together[i].name, one);
        cr_expect(together[i].one_by_one ? eight > 7 * 100 + one && eight <= 8 * one : eight == one,
                  "%s: %lu, %lu", together[i].name, one, eight);
        cr_expect_eq(path_of(i, 8, false), one, "%s", together[i].name);
    }
}

/* Two CTAs of a cluster work one after another: one before the cluster's barrier, the other one
 * after it. */
Test(counters, paths_through_the_clusters_barrier)
{
    char text[3000], work[600] = "";
    struct fixture f;
    struct emu_counters c;
    for (int k = 0; k < 30; k++)
        strcat(work, "add.u32 t, t, 1;\n");
    snprintf(
        text, sizeof text,
        ".visible .entry k()\n.reqnctapercluster 2\n{\n.reg .pred q;\n.reg .b32 t;\n"
        "mov.u32 t, %%ctaid.x;\nsetp.eq.u32 q, t, 0;\n@!q bra A;\n%sA:\nbarrier.cluster.arrive;\n"
        "barrier.cluster.wait;\n@q bra B;\n%sB:\nret;\n}\n",
        work, work);
    fixture_open(&f, &(struct emu_options){.workers = 1});
    fixture_load(&f, text);
    fixture_run(&f, (struct fixture_launch){.grid = {2}, .block = {64}, .counters = &c});
    cr_expect(VALUE(c, longest_warp_instructions) >= 60 + 6, "%lu",
              VALUE(c, longest_warp_instructions));
    fixture_close(&f);
}

/* A sleep of 6,000 ns counts as 3,000 instructions, and no sleep is longer than a millisecond. The
 * lane that sleeps longest decides. */
Test(counters, paths_through_sleeps)
{
    struct fixture f;
    struct emu_counters c;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k()\n{\n.reg .b32 t;\nmov.u32 t, %tid.x;\n"
                     "mad.lo.u32 t, t, 100, 2900;\nnanosleep.u32 t;\n"
                     "nanosleep.u32 0xffffffff;\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){.counters = &c});
    cr_expect(VALUE(c, longest_warp_instructions) == 5 + 6000 / 2 + 1000000 / 2, "%lu",
              VALUE(c, longest_warp_instructions));
    cr_expect(VALUE(c, warp_instructions) == 5);
    fixture_close(&f);
}

/* The warps of a block work one after another: each waits at a barrier, or at an mbarrier, between
 * two pieces of work. */
Test(counters, paths_through_barriers)
{
    static const char *const barriers[] = {
        "bar.sync 0;\n",
        "@r mbarrier.arrive.shared.b64 s, [b];\n@!r mbarrier.arrive.shared.b64 s, [b];\n"
        "W: mbarrier.test_wait.shared.b64 p, [b], s;\n@!p bra W;\n"};
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++) {
        struct fixture f;
        struct emu_counters c;
        char text[3000], work[600] = "";
        for (int k = 0; k < 30; k++)
            strcat(work, "add.u32 t, t, 1;\n");
        snprintf(text, sizeof text,
                 ".visible .entry k()\n{\n.reg .pred p, q, r;\n.reg .b32 t, w;\n.reg .b64 s;\n"
                 ".shared .align 8 .b64 b;\nmov.u32 t, %%tid.x;\nsetp.eq.u32 q, t, 0;\n"
                 "@q mbarrier.init.shared.b64 [b], 64;\nbar.sync 1;\nshr.u32 w, t, 5;\n"
                 "setp.eq.u32 r, w, 0;\n@!r bra A;\n%sA:\n%s@r bra B;\n%sB:\nret;\n}\n",
                 work, barriers[i], work);
        fixture_open(&f, &(struct emu_options){.workers = 1});
        fixture_load(&f, text);
        fixture_run(&f, (struct fixture_launch){.block = {64}, .counters = &c});
        cr_expect(VALUE(c, longest_warp_instructions) >= 60 + 10, "%s: %lu", barriers[i],
                  VALUE(c, longest_warp_instructions));
        fixture_close(&f);
    }
}

/* The state that an arrival at an mbarrier returns has the number of pending arrivals. If the code
 * only waits for the state, the arrival is a barrier. Otherwise, it is an atomic, too. */
Test(counters, arrivals_that_count)
{
#define LOOK(state) "LOOK: mbarrier.test_wait.shared.b64 q, [s], " state ";\n@!q bra LOOK;\n"
    static const struct {
        const char *use;
        unsigned requests;
    } rows[] = {
        {"mov.b64 e, d;\n" LOOK("e"), 0},
        {"mbarrier.pending_count.b64 t, d;\n", 2},
        {"cvt.u32.u64 t, d;\n", 2},
        {"setp.gt.u32 p, t, 15;\n@p bra LOOK;\nand.b64 e, d, 1;\n" LOOK("d"), 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct emu_counters c;
        char ptx[900];
        snprintf(ptx, sizeof ptx,
                 ".visible .entry k()\n{\n.shared .align 8 .b8 s[8];\n.reg .pred p, q;\n"
                 ".reg .b64 d, e;\n.reg .b32 t;\nmov.u32 t, %%tid.x;\nsetp.eq.u32 p, t, 0;\n"
                 "@p mbarrier.init.shared.b64 [s], 64;\nbar.sync 0;\n"
                 "mbarrier.arrive.shared.b64 d, [s];\n%sret;\n}\n",
                 rows[i].use);
        fixture_open(&f, NULL);
        fixture_load(&f, ptx);
        fixture_run(&f, (struct fixture_launch){.block = {64}, .counters = &c});
        fixture_close(&f);
        unsigned long requests = VALUE(c, shared_atomic_requests);
        unsigned long collisions = VALUE(c, atomic_collisions);
        cr_expect(requests == rows[i].requests && collisions == 31 * requests,
                  "%s: %lu requests, %lu collisions", rows[i].use, requests, collisions);
    }
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
