/* Compares counters of kernels that use shared memory with theory: random words, the trees of the
 * reduction lab, copies to shared memory, and barriers. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/gpu/observe/pattern.h"
#include "tests/support/emulator_fixture.h"

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
