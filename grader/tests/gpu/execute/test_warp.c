/* Tests how a warp's lanes diverge and reconverge: at branches, loops, exits, calls and
 * barriers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

/* The beginning of a kernel that stores a word for each thread: t = tid.x; at = the address of the
 * thread's word; shared = 1024 words of shared memory; mine = the thread's word in `shared`. */
#define HEAD                                                                                       \
    ".visible .entry k(.param .u64 out)\n{\n"                                                      \
    ".shared .align 8 .b8 shared[4096];\n"                                                         \
    ".reg .pred p, q, r;\n.reg .b32 t, a, b, c, d, n, mine;\n.reg .b64 at, o;\n"                   \
    "mov.u32 t, %tid.x;\nld.param.u64 o, [out];\nmul.wide.u32 at, t, 4;\nadd.s64 at, o, at;\n"     \
    "shl.b32 mine, t, 2;\nmov.u32 a, shared;\nadd.u32 mine, mine, a;\nmov.u32 a, 0;\n"
#define TAIL "st.global.u32 [at], a;\nret;\n}\n"

enum { MAX_THREADS = 256 };

struct run {
    struct fixture fixture;
    enum emu_status status;
    uint32_t word[MAX_THREADS];
    struct emu_counters counters;
};

static void start(struct run *run, const char *ptx, unsigned threads)
{
    fixture_open(&run->fixture, NULL);
    fixture_load(&run->fixture, ptx);
    emu_addr out = fixture_upload(&run->fixture, NULL, 4 * MAX_THREADS);
    run->status = fixture_launch(
        &run->fixture,
        (struct fixture_launch){.block = {threads}, .params = {out}, .counters = &run->counters});
    fixture_download(&run->fixture, run->word, out, sizeof run->word);
}

/* Starts the kernel. The launch must succeed without findings. */
static void start_well(struct run *run, const char *ptx, unsigned threads)
{
    start(run, ptx, threads);
    cr_assert(run->status == EMU_OK, "ended with %d: %s", (int)run->status,
              emu_message(run->fixture.device));
    json_t *line = fixture_record(&run->fixture, -1);
    cr_expect(fixture_finding_count(line) == 0, "there are findings");
    json_decref(line);
}

/* --- branches and loops ------------------------------------------------------------------------- */

/* if (t & 1) a = t & 2 ? 3 : 1; else a = t & 4 ? 4 : 0; then all lanes reconverge. */
Test(warp, nested_branches)
{
    struct run run;
    start_well(&run,
               HEAD
               "and.b32 b, t, 1;\nsetp.ne.u32 p, b, 0;\nand.b32 b, t, 2;\nsetp.ne.u32 q, b, 0;\n"
               "and.b32 b, t, 4;\nsetp.ne.u32 r, b, 0;\n"
               "@p bra ODD;\n@r bra FOUR;\nmov.u32 a, 0;\nbra EVEN_END;\nFOUR:\nmov.u32 a, 4;\n"
               "EVEN_END:\nactivemask.b32 c;\nbra END;\n"
               "ODD:\n@q bra THREE;\nmov.u32 a, 1;\nbra ODD_END;\nTHREE:\nmov.u32 a, 3;\n"
               "ODD_END:\nactivemask.b32 c;\n"
               "END:\nactivemask.b32 d;\npopc.b32 c, c;\npopc.b32 d, d;\n"
               "mad.lo.u32 a, c, 100, a;\nmad.lo.u32 a, d, 10000, a;\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++) {
        unsigned value = t & 1 ? (t & 2 ? 3 : 1) : (t & 4 ? 4 : 0);
        cr_expect(run.word[t] == 320000 + 1600 + value, "thread %u: %u", t, run.word[t]);
    }
    cr_expect(run.counters.value[EMU_divergent_branches] == 3, "%lu divergent branches",
              run.counters.value[EMU_divergent_branches]);
    fixture_close(&run.fixture);
}

/* for (i = 0; i < t; i++) a += i; each lane leaves the loop in a different round, and all lanes
 * reconverge after it. */
Test(warp, loop_of_different_lengths)
{
    struct run run;
    start_well(&run,
               HEAD "mov.u32 b, 0;\nLOOP:\nsetp.ge.u32 p, b, t;\n@p bra END;\nadd.u32 a, a, b;\n"
                    "add.u32 b, b, 1;\nbra LOOP;\nEND:\nactivemask.b32 c;\npopc.b32 c, c;\n"
                    "mad.lo.u32 a, c, 1000, a;\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == 32000 + t * (t - 1) / 2, "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* A loop within a loop, with a break in the inner one: for i < 4: for j < t: if (i + j > 9) break. */
Test(warp, nested_loops_with_break)
{
    struct run run;
    start_well(&run,
               HEAD "mov.u32 b, 0;\nOUTER:\nsetp.ge.u32 p, b, 4;\n@p bra END;\nmov.u32 c, 0;\n"
                    "INNER:\nsetp.ge.u32 p, c, t;\n@p bra NEXT;\nadd.u32 d, b, c;\n"
                    "setp.gt.u32 q, d, 9;\n@q bra NEXT;\nadd.u32 a, a, d;\nadd.u32 c, c, 1;\n"
                    "bra INNER;\nNEXT:\nadd.u32 b, b, 1;\nbra OUTER;\nEND:\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++) {
        unsigned want = 0;
        for (unsigned i = 0; i < 4; i++)
            for (unsigned j = 0; j < t && i + j <= 9; j++)
                want += i + j;
        cr_expect(run.word[t] == want, "thread %u: %u, want %u", t, run.word[t], want);
    }
    fixture_close(&run.fixture);
}

/* A branch jumps into the middle of its other side, which a structured `if` never does. */
Test(warp, unstructured_branches)
{
    struct run run;
    start_well(&run,
               HEAD "setp.lt.u32 p, t, 8;\nsetp.lt.u32 q, t, 16;\nsetp.lt.u32 r, t, 24;\n"
                    "@p bra A;\n@q bra B;\nadd.u32 a, a, 1;\n@r bra C;\nA:\nadd.u32 a, a, 10;\n"
                    "@q bra C;\nB:\nadd.u32 a, a, 100;\nC:\nadd.u32 a, a, 1000;\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++) {
        unsigned want = t < 8 ? 1010 : t < 16 ? 1100 : t < 24 ? 1001 : 1111;
        cr_expect(run.word[t] == want, "thread %u: %u, want %u", t, run.word[t], want);
    }
    fixture_close(&run.fixture);
}

/* A warp has 20 threads. Its 12 missing lanes never take part. */
Test(warp, ragged_warp)
{
    struct run run;
    start_well(&run, HEAD "setp.lt.u32 p, t, 50;\nvote.sync.ballot.b32 a, p, -1;\n" TAIL, 52);
    cr_expect(run.word[0] == 0xffffffff, "first warp: %#x", run.word[0]);
    cr_expect(run.word[40] == 0x0003ffff, "second warp: %#x", run.word[40]);
    cr_expect(run.word[52] == 0, "a thread that is not there has written");
    fixture_close(&run.fixture);
}

/* --- the ends of threads ------------------------------------------------------------------------ */

/* Every third thread exits early; the others continue together and can wait for each other. */
Test(warp, early_exit)
{
    struct run run;
    start_well(&run,
               HEAD "rem.u32 b, t, 3;\nsetp.eq.u32 p, b, 0;\n@p exit;\nst.shared.u32 [mine], t;\n"
                    "bar.sync 0;\nactivemask.b32 a;\n" TAIL,
               64);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t want = t % 3 == 0 ? 0 : t < 32 ? 0xb6db6db6 : 0x6db6db6d;
        cr_expect(run.word[t] == want, "thread %u: %#x, want %#x", t, run.word[t], want);
    }
    fixture_close(&run.fixture);
}

/* A ret under a guard is inside a loop: lane t returns in round t. */
Test(warp, guarded_return_in_a_loop)
{
    struct run run;
    start_well(&run,
               HEAD "LOOP:\nadd.u32 a, a, 1;\nst.global.u32 [at], a;\nsetp.gt.u32 p, a, t;\n"
                    "@p ret;\nbra LOOP;\n}\n",
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == t + 1, "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* If one side of a branch returns, the other lanes must not wait for it at the end of the
 * branch. */
Test(warp, return_on_one_side)
{
    struct run run;
    start_well(&run,
               HEAD "setp.lt.u32 p, t, 10;\n@!p bra ELSE;\nst.global.u32 [at], 7;\nret;\n"
                    "ELSE:\nactivemask.b32 a;\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == (t < 10 ? 7 : 0xfffffc00), "thread %u: %#x", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* --- barriers ----------------------------------------------------------------------------------- */

/* Each thread repeatedly reads words that another warp wrote. */
Test(warp, barrier_orders_shared_memory)
{
    struct run run;
    start_well(&run,
               HEAD "mov.u32 n, 0;\nmov.u32 a, t;\nLOOP:\nst.shared.u32 [mine], a;\nbar.sync 0;\n"
                    "add.u32 b, t, 40;\nrem.u32 b, b, 128;\nshl.b32 b, b, 2;\nmov.u32 c, shared;\n"
                    "add.u32 b, b, c;\nld.shared.u32 a, [b];\nbar.sync 0;\nadd.u32 n, n, 1;\n"
                    "setp.lt.u32 p, n, 5;\n@p bra LOOP;\n" TAIL,
               128);
    for (unsigned t = 0; t < 128; t++)
        cr_expect(run.word[t] == (t + 200) % 128, "thread %u: %u", t, run.word[t]);
    cr_expect(run.counters.value[EMU_barriers] == 4 * 10, "%lu barriers",
              run.counters.value[EMU_barriers]);
    fixture_close(&run.fixture);
}

/* A whole warp exits before the barrier. The others do not wait for it. */
Test(warp, barrier_after_a_warp_has_exited)
{
    struct run run;
    start_well(&run, HEAD "setp.ge.u32 p, t, 32;\n@p exit;\nbar.sync 0;\nmov.u32 a, 5;\n" TAIL, 96);
    cr_expect(run.word[0] == 5 && run.word[31] == 5 && run.word[32] == 0);
    fixture_close(&run.fixture);
}

/* Half a warp is at a barrier, and the other half is at another instruction. This is an error on
 * older GPUs, and compilers assume that it never happens. The emulator reports it, and both halves
 * continue. */
Test(warp, divergent_barrier)
{
    struct run run;
    start(&run,
          ".file 1 \"b.cu\"\n" HEAD "setp.lt.u32 p, t, 16;\n@p bra LOW;\n.loc 1 9 2\nbar.sync 0;\n"
          "mov.u32 a, 2;\nbra END;\nLOW:\n.loc 1 5 2\nbar.sync 0;\nmov.u32 a, 1;\nEND:\n" TAIL,
          32);
    json_t *line = fixture_record(&run.fixture, -1);
    json_t *finding = fixture_finding(line, "divergent-barrier");
    int64_t at = json_integer_value(json_object_get(finding, "line"));
    cr_expect(at == 5 || at == 9, "found at line %ld", (long)at);
    cr_expect(strcmp(json_string_value(json_object_get(finding, "file")), "b.cu") == 0);
    cr_expect(run.word[0] == 1 && run.word[31] == 2, "%u and %u", run.word[0], run.word[31]);
    json_decref(line);
    fixture_close(&run.fixture);
}

/* barrier.sync without .aligned may be reached divergently, as in cooperative groups. */
Test(warp, unaligned_barrier_may_diverge)
{
    struct run run;
    start_well(&run,
               HEAD
               "st.shared.u32 [mine], t;\nsetp.lt.u32 p, t, 16;\n@p bra LOW;\nbarrier.sync 0;\n"
               "bra END;\nLOW:\nbarrier.sync 0;\nEND:\nmov.u32 b, shared;\nadd.u32 b, b, 252;\n"
               "shl.b32 c, t, 2;\nsub.u32 b, b, c;\nld.shared.u32 a, [b];\n" TAIL,
               64);
    for (unsigned t = 0; t < 64; t++)
        cr_expect(run.word[t] == 63 - t, "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* Compilers may copy one barrier into both branches. So barriers match by their number, even at
 * different instructions. */
Test(warp, barriers_match_by_number)
{
    struct run run;
    start_well(&run,
               HEAD "st.shared.u32 [mine], t;\nsetp.lt.u32 p, t, 32;\n@p bra LOW;\nbar.sync 0;\n"
                    "ld.shared.u32 a, [mine+-128];\nbra END;\nLOW:\nbar.sync 0;\n"
                    "ld.shared.u32 a, [mine+128];\nEND:\n" TAIL,
               64);
    for (unsigned t = 0; t < 64; t++)
        cr_expect(run.word[t] == (t ^ 32), "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* There are two pairs of warps, each with its own barrier and count. The second pair waits three
 * times as often. The barriers' numbers are in registers. */
Test(warp, barriers_with_count)
{
    struct run run;
    start_well(&run,
               HEAD "shr.u32 d, t, 6;\nadd.u32 c, d, 1;\nmad.lo.u32 n, d, 2, 1;\nmov.u32 a, t;\n"
                    "xor.b32 b, mine, 128;\n"
                    "LOOP:\nst.shared.u32 [mine], a;\nbar.sync c, 64;\nld.shared.u32 a, [b];\n"
                    "bar.sync c, 64;\nsub.u32 n, n, 1;\nsetp.ne.u32 p, n, 0;\n@p bra LOOP;\n" TAIL,
               128);
    for (unsigned t = 0; t < 128; t++)
        cr_expect(run.word[t] == (t ^ 32), "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* Warps 0 and 1 wait for each other three times at barrier 1, while warp 2 waits at barrier 2. Warp
 * 2 continues only after the others have arrived there, and then reads the last words that they
 * wrote. */
Test(warp, barriers_do_not_mix)
{
    struct run run;
    start_well(&run,
               HEAD "st.shared.u32 [mine], 0;\nbar.sync 0;\nsetp.ge.u32 p, t, 64;\n@p bra WAIT;\n"
                    "mov.u32 n, 3;\nLOOP:\nbar.sync 1, 64;\nld.shared.u32 b, [mine];\n"
                    "add.u32 b, b, 1;\nst.shared.u32 [mine], b;\nsub.u32 n, n, 1;\n"
                    "setp.ne.u32 q, n, 0;\n@q bra LOOP;\nWAIT:\nbar.sync 2, 96;\n"
                    "rem.u32 b, t, 32;\nshl.b32 b, b, 2;\nmov.u32 c, shared;\nadd.u32 b, b, c;\n"
                    "ld.shared.u32 a, [b];\n" TAIL,
               96);
    for (unsigned t = 0; t < 96; t++)
        cr_expect(run.word[t] == 3, "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* In the count of a barrier, each warp counts as 32 threads, including missing and exited ones. */
Test(warp, barrier_count_of_ragged_warps)
{
    struct run run;
    start_well(&run,
               HEAD "setp.eq.u32 p, t, 3;\n@p exit;\nst.shared.u32 [mine], t;\nbar.sync 4, 64;\n"
                    "xor.b32 b, mine, 128;\nsetp.lt.u32 q, t, 10;\n@q ld.shared.u32 a, [b];\n" TAIL,
               50);
    cr_expect(run.word[0] == 32 && run.word[9] == 41, "%u and %u", run.word[0], run.word[9]);
    fixture_close(&run.fixture);
}

/* --- __syncwarp --------------------------------------------------------------------------------- */

/* Each half of a warp is in its own branch, and exchanges words among its own lanes. */
Test(warp, syncwarp_of_halves)
{
    struct run run;
    start_well(&run,
               HEAD "xor.b32 b, mine, 4;\nsetp.lt.u32 p, t, 16;\n@p bra LOW;\n"
                    "st.shared.u32 [mine], t;\nbar.warp.sync 0xffff0000;\nld.shared.u32 a, [b];\n"
                    "bra END;\nLOW:\nadd.u32 c, t, 100;\nst.shared.u32 [mine], c;\n"
                    "bar.warp.sync 0xffff;\nld.shared.u32 a, [b];\nEND:\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == (t ^ 1) + (t < 16 ? 100 : 0), "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* Both sides of a branch wait for the whole warp, at different instructions, and thereby pass
 * words from one side to the other. */
Test(warp, syncwarp_across_branches)
{
    struct run run;
    start_well(&run,
               HEAD "xor.b32 b, mine, 64;\nsetp.lt.u32 p, t, 16;\n@p bra LOW;\n"
                    "st.shared.u32 [mine], t;\nbar.warp.sync -1;\nld.shared.u32 a, [b];\nbra END;\n"
                    "LOW:\nst.shared.u32 [mine], t;\nbar.warp.sync -1;\nld.shared.u32 a, [b];\n"
                    "END:\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == (t ^ 16), "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* The barrier does not wait for lanes that have exited. */
Test(warp, syncwarp_after_exit)
{
    struct run run;
    start_well(&run,
               HEAD "setp.lt.u32 p, t, 5;\n@p exit;\nbar.warp.sync -1;\nactivemask.b32 a;\n" TAIL,
               32);
    cr_expect(run.word[4] == 0 && run.word[5] == 0xffffffe0, "%#x", run.word[5]);
    fixture_close(&run.fixture);
}

/* Some lanes exit while the others are already waiting. */
Test(warp, syncwarp_before_exit)
{
    struct run run;
    start_well(&run,
               HEAD "setp.lt.u32 p, t, 5;\n@!p bra WAIT;\nadd.u32 b, t, 1;\nexit;\nWAIT:\n"
                    "bar.warp.sync -1;\nactivemask.b32 a;\n" TAIL,
               32);
    cr_expect(run.word[4] == 0 && run.word[5] == 0xffffffe0, "%#x", run.word[5]);
    fixture_close(&run.fixture);
}

/* --- calls -------------------------------------------------------------------------------------- */

/* A function calls itself, with a different depth in each lane: it computes 1 + 2 + … + n. */
Test(warp, recursion)
{
    struct run run;
    start_well(&run,
               ".func (.param .b32 result) sum(.param .b32 n)\n{\n.reg .pred p;\n.reg .b32 a, b;\n"
               "ld.param.b32 a, [n];\nsetp.eq.u32 p, a, 0;\n@p bra DONE;\nsub.u32 b, a, 1;\n"
               "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], b;\ncall.uni (y), sum, (x);\n"
               "ld.param.b32 b, [y];\n}\nadd.u32 a, a, b;\nDONE:\nst.param.b32 [result], "
               "a;\nret;\n}\n" HEAD "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], t;\n"
               "call.uni (y), sum, (x);\nld.param.b32 a, [y];\n}\nactivemask.b32 b;\n"
               "popc.b32 b, b;\nmad.lo.u32 a, b, 1000, a;\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == 32000 + t * (t + 1) / 2, "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* Lanes call different functions through a pointer, and return together. */
Test(warp, function_pointers)
{
    struct run run;
    start_well(&run,
               ".func (.param .b32 result) twice(.param .b32 n)\n{\n.reg .b32 a;\n"
               "ld.param.b32 a, [n];\nshl.b32 a, a, 1;\nst.param.b32 [result], a;\nret;\n}\n"
               ".func (.param .b32 result) square(.param .b32 n)\n{\n.reg .b32 a;\n"
               "ld.param.b32 a, [n];\nmul.lo.u32 a, a, a;\nst.param.b32 [result], a;\nret;\n}\n"
               ".global .align 8 .u64 table[2] = {twice, square};\n" HEAD
               ".reg .b64 f, g;\nand.b32 b, t, 1;\nmul.wide.u32 f, b, 8;\nmov.u64 g, table;\n"
               "add.s64 g, g, f;\nld.global.u64 f, [g];\n{\n.param .b32 x;\n.param .b32 y;\n"
               "st.param.b32 [x], t;\nproto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
               "call (y), f, (x), proto;\nld.param.b32 a, [y];\n}\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == (t & 1 ? t * t : 2 * t), "thread %u: %u", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* Lane 0 waits for a word that lane 5 writes after the reconvergence point. So lane 0 reaches the
 * vote later than the others, which must wait for it there. */
Test(warp, vote_of_lanes_that_come_late)
{
    struct run run;
    start_well(&run,
               HEAD "st.volatile.shared.u32 [shared], 0;\nsetp.ne.u32 p, t, 0;\n@p bra MEET;\n"
                    "SPIN:\nld.volatile.shared.u32 b, [shared];\nsetp.eq.u32 q, b, 0;\n"
                    "@q bra SPIN;\nMEET:\nsetp.eq.u32 r, t, 5;\n"
                    "@r st.volatile.shared.u32 [shared], 1;\nmov.u32 a, 0;\n"
                    "setp.eq.u32 p, a, 0;\nvote.sync.ballot.b32 a, p, -1;\n"
                    "shfl.sync.idx.b32 a, a, 0, 31, -1;\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == UINT32_MAX, "lane %u saw %#x", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* In every round, the other lanes reach the vote before lane 0. They must wait for it each time. */
Test(warp, votes_of_a_lane_that_always_comes_late)
{
    struct run run;
    start_well(&run,
               HEAD "st.volatile.shared.u32 [shared], 0;\nmov.u32 n, 0;\n"
                    "ROUND:\nmov.u32 c, 0;\nsetp.ne.u32 p, t, 0;\n@p bra MEET;\n"
                    "LATE:\nld.volatile.shared.u32 b, [shared];\nadd.u32 c, c, 1;\n"
                    "setp.lt.u32 q, c, 1000;\n@q bra LATE;\n"
                    "MEET:\nsetp.eq.u32 p, t, t;\nvote.sync.ballot.b32 b, p, -1;\n"
                    "setp.eq.u32 q, b, -1;\n@q add.u32 a, a, 1;\nadd.u32 n, n, 1;\n"
                    "setp.lt.u32 p, n, 5;\n@p bra ROUND;\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++)
        cr_expect(run.word[t] == 5, "lane %u saw all lanes %u times of 5", t, run.word[t]);
    fixture_close(&run.fixture);
}

/* Odd lanes leave the loop while lane 0 is still in the first round. The other lanes reach the
 * second round's vote by another path than lane 0, but must still vote together with it. */
Test(warp, vote_of_lanes_that_came_on_different_ways)
{
    struct run run;
    start_well(&run,
               HEAD "st.volatile.shared.u32 [shared], 0;\nmov.u32 n, 0;\nmov.u32 d, 0;\n"
                    "ROUND:\nmov.u32 c, 0;\nor.b32 b, t, n;\nsetp.ne.u32 p, b, 0;\n@p bra MEET;\n"
                    "LATE:\nld.volatile.shared.u32 b, [shared];\nadd.u32 c, c, 1;\n"
                    "setp.lt.u32 q, c, 1000;\n@q bra LATE;\n"
                    "MEET:\nsetp.eq.u32 q, n, 0;\n@q bra NEXT;\nsetp.eq.u32 p, t, t;\n"
                    "vote.sync.ballot.b32 a, p, 0x55555555;\n"
                    "shfl.sync.bfly.b32 b, t, 2, 31, 0x55555555;\nadd.u32 d, d, b;\n"
                    "NEXT:\nadd.u32 n, n, 1;\nand.b32 b, t, 1;\nsetp.ne.u32 p, b, 0;\n@p bra OUT;\n"
                    "setp.lt.u32 p, n, 3;\n@p bra ROUND;\nshl.b32 d, d, 8;\nxor.b32 a, a, d;\n"
                    "OUT:\n" TAIL,
               32);
    for (unsigned t = 0; t < 32; t++) {
        uint32_t want = t & 1 ? 0 : 0x55555555u ^ 2 * (t ^ 2) << 8;
        cr_expect(run.word[t] == want, "lane %u has %#x, want %#x", t, run.word[t], want);
    }
    fixture_close(&run.fixture);
}
