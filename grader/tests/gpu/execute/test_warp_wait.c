/* Tests threads that wait for each other through memory: by locks and flags, within a warp and
 * between CTAs. Also tests waits that never end. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

/* --- locks -------------------------------------------------------------------------------------- */

/* while (atomicCAS(lock, 0, 1) != 0); *count += 1; atomicExch(lock, 0); */
static const char plain_lock[] =
    "SPIN:\natom.global.cas.b32 a, [lock], 0, 1;\nsetp.ne.u32 p, a, 0;\n@p bra SPIN;\n"
    "ld.volatile.global.u32 a, [count];\nadd.u32 a, a, 1;\nst.volatile.global.u32 [count], a;\n"
    "membar.gl;\natom.global.exch.b32 a, [lock], 0;\n";

/* bool done = false; while (!done) if (atomicCAS(lock, 0, 1) == 0) { …; atomicExch(lock, 0); done = true; } */
static const char flag_lock[] =
    "mov.u32 b, 0;\nSPIN:\natom.global.cas.b32 a, [lock], 0, 1;\nsetp.ne.u32 p, a, 0;\n@p bra "
    "NEXT;\n"
    "ld.volatile.global.u32 a, [count];\nadd.u32 a, a, 1;\nst.volatile.global.u32 [count], a;\n"
    "membar.gl;\natom.global.exch.b32 a, [lock], 0;\nmov.u32 b, 1;\nNEXT:\nsetp.eq.u32 q, b, 0;\n"
    "@q bra SPIN;\n";

/* Takes the lock with acquire semantics, sleeps, and releases it with a plain store. */
static const char napping_lock[] =
    "SPIN:\natom.acquire.gpu.global.cas.b32 a, [lock], 0, 1;\nsetp.eq.u32 p, a, 0;\n@p bra IN;\n"
    "nanosleep.u32 100;\nbra SPIN;\nIN:\n"
    "ld.global.u32 a, [count];\nadd.u32 a, a, 1;\nst.global.u32 [count], a;\n"
    "st.release.gpu.global.u32 [lock], 0;\n";

static void count_under_lock(const char *name, const char *lock, unsigned workers)
{
    enum { CTAS = 5, BLOCK = 70 };
    char ptx[2000];
    struct fixture fixture;
    snprintf(
        ptx, sizeof ptx,
        ".visible .entry k(.param .u64 words)\n{\n.reg .pred p, q;\n.reg .b32 a, b;\n"
        ".reg .b64 lock, count;\nld.param.u64 lock, [words];\nadd.s64 count, lock, 4;\n%sret;\n}\n",
        lock);
    fixture_open(&fixture,
                 &(struct emu_options){.workers = workers, .max_warp_instructions = 100000000});
    fixture_load(&fixture, ptx);
    emu_addr words = fixture_upload(&fixture, NULL, 8);
    enum emu_status status = fixture_launch(
        &fixture, (struct fixture_launch){.grid = {CTAS}, .block = {BLOCK}, .params = {words}});
    cr_expect(status == EMU_OK, "%s, %u workers: ended with %d: %s", name, workers, (int)status,
              emu_message(fixture.device));
    cr_expect(fixture_word(&fixture, words, 1) == CTAS * BLOCK, "%s, %u workers: counted %u", name,
              workers, fixture_word(&fixture, words, 1));
    cr_expect(fixture_word(&fixture, words, 0) == 0, "%s: the lock is still taken", name);
    fixture_close(&fixture);
}

Test(wait, spin_locks)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        count_under_lock("a plain loop", plain_lock, workers);
        count_under_lock("a loop with a flag", flag_lock, workers);
        count_under_lock("a loop with naps", napping_lock, workers);
    }
}

/* All threads of a CTA, including all lanes of a warp, take a lock in shared memory one after
 * another. */
Test(wait, spin_lock_in_shared_memory)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(
        &fixture,
        ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[8];\n.reg .pred p;\n"
        ".reg .b32 a, t;\n.reg .b64 o;\nmov.u32 t, %tid.x;\nsetp.eq.u32 p, t, 0;\n"
        "@p st.shared.u32 [s], 0;\n@p st.shared.u32 [s+4], 0;\nbar.sync 0;\n"
        "SPIN:\natom.shared.cas.b32 a, [s], 0, 1;\nsetp.ne.u32 p, a, 0;\n@p bra SPIN;\n"
        "ld.volatile.shared.u32 a, [s+4];\nadd.u32 a, a, 1;\nst.volatile.shared.u32 [s+4], "
        "a;\natom.shared.exch.b32 a, [s], 0;\nbar.sync 0;\nld.shared.u32 a, [s+4];\n"
        "ld.param.u64 o, [out];\nst.global.u32 [o], a;\nret;\n}\n");
    emu_addr out = fixture_upload(&fixture, NULL, 4);
    fixture_run(&fixture, (struct fixture_launch){.block = {96}, .params = {out}});
    cr_expect(fixture_word(&fixture, out, 0) == 96, "counted %u", fixture_word(&fixture, out, 0));
    fixture_close(&fixture);
}

/* A barrier of the whole grid, as in cooperative groups. One thread of each CTA counts the CTAs
 * and polls, and the rest of the CTA waits for it. Polling must not cost more than the work
 * between the barriers. */
Test(wait, grid_barriers_are_cheap)
{
    enum { CTAS = 16, ROUNDS = 100, PER_ROUND = 100 };
    struct fixture fixture;
    fixture_open(&fixture,
                 &(struct emu_options){
                     .workers = 1, .max_warp_instructions = (uint64_t)CTAS * ROUNDS * PER_ROUND});
    fixture_load(
        &fixture,
        ".visible .entry k(.param .u64 words)\n{\n.reg .pred p, q;\n.reg .b32 t, a, goal;\n"
        ".reg .b64 count;\nld.param.u64 count, [words];\nmov.u32 t, %tid.x;\nmov.u32 goal, 0;\n"
        "ROUND:\nadd.u32 goal, goal, 16;\nbar.sync 0;\nsetp.ne.u32 p, t, 0;\n@p bra HERE;\n"
        "atom.add.release.gpu.global.u32 a, [count], 1;\n"
        "POLL:\nld.acquire.gpu.global.u32 a, [count];\nsetp.lt.u32 q, a, goal;\n@q bra POLL;\n"
        "HERE:\nbar.sync 0;\nsetp.lt.u32 q, goal, 1600;\n@q bra ROUND;\nret;\n}\n");
    emu_addr count = fixture_upload(&fixture, NULL, 4);
    enum emu_status status = fixture_launch(
        &fixture, (struct fixture_launch){.grid = {CTAS}, .block = {64}, .params = {count}});
    cr_expect(status == EMU_OK, "ended with %d: %s", (int)status, emu_message(fixture.device));
    cr_expect(fixture_word(&fixture, count, 0) == CTAS * ROUNDS, "counted %u",
              fixture_word(&fixture, count, 0));
    fixture_close(&fixture);
}

/* CTAs compute a sum one after another. Each CTA polls until the previous one has finished. CTAs
 * that wait long must not cost more than the others. */
Test(wait, chains_of_ctas_are_cheap)
{
    enum { CTAS = 2000, PER_CTA = 30000 };
    struct fixture fixture;
    fixture_open(&fixture, &(struct emu_options){
                               .workers = 2, .max_warp_instructions = (uint64_t)CTAS * PER_CTA});
    fixture_load(&fixture,
                 ".visible .entry k(.param .u64 words)\n{\n.reg .pred p;\n.reg .b32 t, a, me;\n"
                 ".reg .b64 turn;\nld.param.u64 turn, [words];\nmov.u32 t, %tid.x;\n"
                 "mov.u32 me, %ctaid.x;\nPOLL:\nld.volatile.global.u32 a, [turn];\n"
                 "setp.lt.u32 p, a, me;\n@p bra POLL;\nbar.sync 0;\nsetp.ne.u32 p, t, 0;\n@p ret;\n"
                 "ld.volatile.global.u32 a, [turn+4];\nadd.u32 a, a, me;\n"
                 "st.volatile.global.u32 [turn+4], a;\nmembar.gl;\nadd.u32 me, me, 1;\n"
                 "st.volatile.global.u32 [turn], me;\nret;\n}\n");
    emu_addr words = fixture_upload(&fixture, NULL, 8);
    enum emu_status status = fixture_launch(
        &fixture, (struct fixture_launch){.grid = {CTAS}, .block = {1024}, .params = {words}});
    cr_expect(status == EMU_OK, "ended with %d: %s", (int)status, emu_message(fixture.device));
    cr_expect(fixture_word(&fixture, words, 1) == CTAS * (CTAS - 1) / 2, "the sum is %u",
              fixture_word(&fixture, words, 1));
    fixture_close(&fixture);
}

/* --- flags -------------------------------------------------------------------------------------- */

/* One lane polls a word that another lane of its warp writes. The direction of the branch and the
 * kind of read must not matter. */
static void wait_for_flag(const char *poll, unsigned waiter, unsigned setter)
{
    char ptx[1000];
    struct fixture fixture;
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 word)\n{\n.reg .pred p, q;\n.reg .b32 t, a;\n"
             ".reg .b64 flag;\nmov.u32 t, %%tid.x;\nld.param.u64 flag, [word];\n"
             "setp.eq.u32 p, t, %u;\n@p bra WAIT;\nsetp.eq.u32 q, t, %u;\n"
             "@q st.volatile.global.u32 [flag], 1;\nbra END;\n"
             "WAIT:\n%s;\nsetp.eq.u32 p, a, 0;\n@p bra WAIT;\nst.global.u32 [flag+4], 9;\n"
             "END:\nret;\n}\n",
             waiter, setter, poll);
    fixture_open(&fixture, NULL);
    fixture_load(&fixture, ptx);
    emu_addr word = fixture_upload(&fixture, NULL, 8);
    enum emu_status status = fixture_launch(&fixture, (struct fixture_launch){.params = {word}});
    cr_expect(status == EMU_OK, "'%s', lane %u for lane %u: ended with %d: %s", poll, waiter,
              setter, (int)status, emu_message(fixture.device));
    cr_expect(fixture_word(&fixture, word, 1) == 9, "'%s', lane %u for lane %u: no value arrived",
              poll, waiter, setter);
    fixture_close(&fixture);
}

Test(wait, flag_of_another_lane)
{
    static const char *const polls[] = {
        "ld.volatile.global.u32 a, [flag]",    "ld.relaxed.gpu.global.u32 a, [flag]",
        "ld.acquire.gpu.global.u32 a, [flag]", "ld.acquire.sys.u32 a, [flag]",
        "atom.global.add.u32 a, [flag], 0",    "atom.global.cas.b32 a, [flag], 7, 7"};
    for (size_t i = 0; i < sizeof polls / sizeof *polls; i++) {
        wait_for_flag(polls[i], 0, 1);
        wait_for_flag(polls[i], 1, 0);
        wait_for_flag(polls[i], 31, 5);
    }
}

/* Each lane waits for the lane before it (or after it), so there are 32 paths at the same time. */
static void wait_in_a_chain(bool upwards)
{
    char ptx[1000];
    struct fixture fixture;
    snprintf(
        ptx, sizeof ptx,
        ".visible .entry k(.param .u64 words)\n{\n.reg .pred p;\n.reg .b32 t, a;\n"
        ".reg .b64 w, at;\nmov.u32 t, %%tid.x;\n%sld.param.u64 w, [words];\n"
        "mul.wide.u32 at, t, 4;\nadd.s64 w, w, at;\nWAIT:\n"
        "ld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\n@p bra WAIT;\nadd.u32 a, a, 1;\n"
        "st.volatile.global.u32 [w+4], a;\nret;\n}\n",
        upwards ? "" : "sub.u32 t, 31, t;\n");
    fixture_open(&fixture, NULL);
    fixture_load(&fixture, ptx);
    uint32_t first[33] = {1};
    emu_addr words = fixture_upload(&fixture, first, sizeof first);
    fixture_run(&fixture, (struct fixture_launch){.params = {words}});
    for (unsigned i = 0; i <= 32; i++)
        cr_expect(fixture_word(&fixture, words, i) == i + 1, "word %u is %u", i,
                  fixture_word(&fixture, words, i));
    fixture_close(&fixture);
}

Test(wait, chain_of_lanes)
{
    wait_in_a_chain(true);
    wait_in_a_chain(false);
}

/* A warp polls shared memory that another warp of its CTA writes after its own barrier. */
Test(wait, flag_of_another_warp)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(
        &fixture,
        ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[4];\n.reg .pred p, q;\n"
        ".reg .b32 a, t;\n.reg .b64 o;\nmov.u32 t, %tid.x;\nsetp.eq.u32 p, t, 0;\n"
        "@p st.shared.u32 [s], 0;\nbar.sync 0;\nsetp.lt.u32 p, t, 32;\n@p bra WAIT;\n"
        "bar.sync 1, 64;\nsetp.eq.u32 q, t, 64;\n@q st.volatile.shared.u32 [s], 7;\nbra END;\n"
        "WAIT:\nld.volatile.shared.u32 a, [s];\nsetp.eq.u32 p, a, 0;\n@p bra WAIT;\n"
        "ld.param.u64 o, [out];\nst.global.u32 [o], a;\nEND:\nret;\n}\n");
    emu_addr out = fixture_upload(&fixture, NULL, 4);
    fixture_run(&fixture, (struct fixture_launch){.block = {96}, .params = {out}});
    cr_expect(fixture_word(&fixture, out, 0) == 7);
    fixture_close(&fixture);
}

/* --- CTAs --------------------------------------------------------------------------------------- */

/* The whole grid waits at a barrier, three times. There are more CTAs than workers, so a worker
 * must switch between CTAs. */
static void grid_barrier(unsigned workers, unsigned ctas)
{
    struct fixture fixture;
    fixture_open(&fixture,
                 &(struct emu_options){.workers = workers, .max_warp_instructions = 100000000});
    fixture_load(
        &fixture,
        ".visible .entry k(.param .u64 words)\n{\n.reg .pred p, q;\n.reg .b32 t, a, n, want;\n"
        ".reg .b64 w;\nld.param.u64 w, [words];\nmov.u32 t, %tid.x;\nmov.u32 n, %nctaid.x;\n"
        "mov.u32 want, 0;\nROUND:\nbar.sync 0;\nsetp.ne.u32 p, t, 0;\n@p bra TOGETHER;\n"
        "add.u32 want, want, n;\nmembar.gl;\natom.global.add.u32 a, [w], 1;\n"
        "WAIT:\nld.volatile.global.u32 a, [w];\nsetp.lt.u32 q, a, want;\n@q bra WAIT;\n"
        "atom.global.max.u32 a, [w+4], a;\nTOGETHER:\nbar.sync 0;\n"
        "ld.volatile.global.u32 a, [w];\nmul.lo.u32 n, n, 1;\nsetp.ne.u32 p, t, 0;\n"
        "@p add.u32 want, want, n;\nmul.lo.u32 a, n, 3;\nsetp.lt.u32 q, want, a;\n"
        "@q bra ROUND;\nret;\n}\n");
    emu_addr words = fixture_upload(&fixture, NULL, 8);
    enum emu_status status = fixture_launch(
        &fixture, (struct fixture_launch){.grid = {ctas}, .block = {64}, .params = {words}});
    cr_expect(status == EMU_OK, "%u workers, %u CTAs: ended with %d: %s", workers, ctas,
              (int)status, emu_message(fixture.device));
    cr_expect(fixture_word(&fixture, words, 0) == 3 * ctas,
              "%u workers, %u CTAs: only %u CTAs arrived", workers, ctas,
              fixture_word(&fixture, words, 0));
    fixture_close(&fixture);
}

Test(wait, grid_barrier)
{
    grid_barrier(1, 7);
    grid_barrier(2, 7);
    grid_barrier(1, 100);
    grid_barrier(2, 100);
}

/* The last CTA must start before the first one can end. */
Test(wait, first_cta_waits_for_the_last)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        struct fixture fixture;
        fixture_open(&fixture,
                     &(struct emu_options){.workers = workers, .max_warp_instructions = 100000000});
        fixture_load(
            &fixture,
            ".visible .entry k(.param .u64 words)\n{\n.reg .pred p;\n.reg .b32 c, n, a;\n"
            ".reg .b64 w;\nld.param.u64 w, [words];\nmov.u32 c, %ctaid.x;\n"
            "mov.u32 n, %nctaid.x;\nsub.u32 n, n, 1;\nsetp.eq.u32 p, c, n;\n"
            "@p st.volatile.global.u32 [w], 1;\nWAIT:\nld.acquire.gpu.global.u32 a, [w];\n"
            "setp.eq.u32 p, a, 0;\n@p bra WAIT;\natom.global.add.u32 a, [w+4], 1;\nret;\n}\n");
        emu_addr words = fixture_upload(&fixture, NULL, 8);
        fixture_run(&fixture,
                    (struct fixture_launch){.grid = {60}, .block = {32}, .params = {words}});
        cr_expect(fixture_word(&fixture, words, 1) == 60 * 32);
        fixture_close(&fixture);
    }
}

/* --- endless waits ------------------------------------------------------------------------------ */

static void expect_finding(struct fixture *fixture, const char *id, int64_t line)
{
    json_t *record = fixture_record(fixture, -1);
    json_t *finding = fixture_finding(record, id);
    json_t *got = json_object_get(finding, "line");
    cr_expect(json_integer_value(got) == line, "%s is reported at line %ld instead of %ld", id,
              (long)json_integer_value(got), (long)line);
    cr_expect(strcmp(json_string_value(json_object_get(finding, "file")), "w.cu") == 0);
    json_decref(record);
}

/* The launch must have ended as a deadlock, with one thread waiting at line 11 and another at line
 * 22. */
static void expect_deadlock(struct fixture *fixture)
{
    json_t *record = fixture_record(fixture, -1), *launch = json_object_get(record, "launch");
    json_t *findings = json_object_get(record, "findings");
    cr_expect(strcmp(json_string_value(json_object_get(launch, "status")), "deadlock") == 0);
    cr_assert(fixture_finding_count(record) == 2, "%zu findings", fixture_finding_count(record));
    int64_t lines[2];
    for (size_t i = 0; i < 2; i++) {
        json_t *finding = json_array_get(findings, i);
        lines[i] = json_integer_value(json_object_get(finding, "line"));
        cr_expect(strcmp(json_string_value(json_object_get(finding, "id")), "deadlock") == 0);
    }
    cr_expect((lines[0] == 11 && lines[1] == 22) || (lines[0] == 22 && lines[1] == 11),
              "lines %ld and %ld", (long)lines[0], (long)lines[1]);
    json_decref(record);
}

/* Two warps wait at two barriers that each need both. */
Test(wait, deadlock)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 ".file 1 \"w.cu\"\n.visible .entry k()\n{\n.reg .pred p;\n.reg .b32 t;\n"
                 ".loc 1 3 1\nmov.u32 t, %tid.x;\nsetp.lt.u32 p, t, 32;\n@p bra LOW;\n"
                 ".loc 1 11 5\nbar.sync 1, 64;\nbra END;\nLOW:\n.loc 1 22 5\nbar.sync 2, 64;\n"
                 "END:\n.loc 1 30 1\nret;\n}\n");
    enum emu_status status = fixture_launch(&fixture, (struct fixture_launch){.block = {64}});
    cr_expect(status == EMU_DEADLOCK, "ended with %d", (int)status);
    expect_deadlock(&fixture);
    fixture_close(&fixture);
}

/* Half a warp waits for lanes that wait at another place. */
Test(wait, deadlock_of_lanes)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 ".file 1 \"w.cu\"\n.visible .entry k()\n{\n.reg .pred p;\n.reg .b32 t;\n"
                 ".loc 1 3 1\nmov.u32 t, %tid.x;\nsetp.lt.u32 p, t, 16;\n@p bra LOW;\n"
                 ".loc 1 11 5\nbarrier.sync 1;\nbra END;\nLOW:\n.loc 1 22 5\nbar.warp.sync -1;\n"
                 "END:\nret;\n}\n");
    enum emu_status status = fixture_launch(&fixture, (struct fixture_launch){.block = {32}});
    cr_expect(status == EMU_DEADLOCK, "ended with %d", (int)status);
    expect_deadlock(&fixture);
    fixture_close(&fixture);
}

/* A barrier whose number does not exist. The number is in a register, so that the
 * assembler cannot refuse it. */
Test(wait, barrier_with_an_invalid_number)
{
    static const uint64_t numbers[] = {16, 0xffffffff, 0x80000000};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct fixture fixture;
        fixture_open(&fixture, NULL);
        fixture_load(&fixture,
                     ".file 1 \"w.cu\"\n.visible .entry k(.param .u64 id)\n{\n.reg .b32 a;\n"
                     ".loc 1 2 1\nld.param.u32 a, [id];\n.loc 1 5 1\nbar.sync a;\nret;\n}\n");
        enum emu_status status = fixture_launch(
            &fixture, (struct fixture_launch){.block = {64}, .params = {numbers[i]}});
        cr_expect(status == EMU_TRAP, "barrier %lu: ended with %d", (unsigned long)numbers[i],
                  (int)status);
        expect_finding(&fixture, "bad-barrier", 5);
        fixture_close(&fixture);
    }
}

/* Every endless kernel is stopped at the limit. It is stopped earlier if it is certain that nothing
 * can change any more. The message has the line of the loop. */
static const struct endless {
    const char *name, *body;
    enum emu_status status;
} endless[] = {
    {"an empty loop", ".loc 1 5 1\nL:\nbra L;\n", EMU_TIMEOUT},
    {"a loop that works", ".loc 1 5 1\nL:\nadd.u32 a, a, 1;\nbra L;\n", EMU_TIMEOUT},
    {"a loop of one lane",
     "setp.ne.u32 p, t, 3;\n@p bra END;\n.loc 1 5 1\nL:\nadd.u32 a, a, 1;\n"
     "bra L;\nEND:\n",
     EMU_TIMEOUT},
    {"a flag that is never set",
     ".loc 1 5 1\nL:\nld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\n@p bra L;\n",
     EMU_DEADLOCK},
    {"a flag that is never set, and a count",
     ".loc 1 5 1\nL:\nld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\nadd.u32 t, t, 1;\n"
     "@p bra L;\n",
     EMU_DEADLOCK},
    {"a flag that is never set, and a count that matters later",
     ".loc 1 5 1\nL:\nld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\nadd.u32 t, t, 1;\n"
     "@p bra L;\nsetp.gt.u32 p, t, 1000;\n@p bra END;\nst.global.u32 [w], t;\nEND:\n",
     EMU_DEADLOCK},
    {"a flag that is never set, a count and a nap",
     "L:\nnanosleep.u32 t;\n.loc 1 5 1\nld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\n"
     "add.u32 t, t, 8;\n@p bra L;\n",
     EMU_DEADLOCK},
    {"a flag to which every thread writes its old value",
     ".loc 1 5 1\nL:\nst.volatile.global.u32 [w], 0;\nld.volatile.global.u32 a, [w];\n"
     "setp.eq.u32 p, a, 0;\n@p bra L;\n",
     EMU_TIMEOUT},
    {"a flag that one lane waits for",
     "setp.ne.u32 p, t, 3;\n@p bra END;\n.loc 1 5 1\nL:\nld.volatile.global.u32 a, [w];\n"
     "setp.eq.u32 p, a, 0;\n@p bra L;\nEND:\n",
     EMU_DEADLOCK},
    {"flags in a long loop",
     ".loc 1 5 1\nL:\nld.volatile.global.u32 a, [w];\nadd.u32 t, a, 1;\nadd.u32 t, t, 2;\n"
     "xor.b32 t, t, a;\nld.volatile.global.u32 t, [w];\nadd.u32 a, a, t;\nmul.lo.u32 t, a, 3;\n"
     "setp.eq.u32 p, a, 0;\n@p bra L;\n",
     EMU_DEADLOCK},
    {"flags that a warp votes on",
     "L:\nsetp.gt.u32 p, t, 40;\n@p bra V;\n.loc 1 5 1\nld.volatile.global.u32 a, [w];\nV:\n"
     "setp.eq.u32 p, a, 0;\nvote.sync.any.pred p, p, -1;\n@p bra L;\n",
     EMU_DEADLOCK},
    {"a flag that an ordinary load reads again",
     ".loc 1 5 1\nL:\nld.global.u32 a, [w];\nmembar.gl;\nsetp.eq.u32 p, a, 0;\n@p bra L;\n",
     EMU_DEADLOCK},
    {"barriers without end", ".loc 1 5 1\nL:\nbar.sync 0;\nbra L;\n", EMU_TIMEOUT},
    {"a lock that is never given back",
     ".loc 1 5 1\nL:\natom.global.cas.b32 a, [w], 0, 1;\nsetp.ne.u32 p, a, 0;\n@p bra L;\n",
     EMU_DEADLOCK},
    {"a ticket that is never called",
     ".loc 1 5 1\nL:\natom.global.add.u32 a, [w], 1;\nsetp.ne.u32 p, a, 0xffffffff;\n@p bra L;\n",
     EMU_TIMEOUT},
};

static void stop_at_limit(const struct endless *loop, unsigned workers)
{
    char ptx[1000];
    struct fixture fixture;
    struct emu_counters counters;
    bool is_stuck = loop->status == EMU_DEADLOCK;
    uint64_t limit = is_stuck ? 0 : 200000;
    snprintf(
        ptx, sizeof ptx,
        ".file 1 \"w.cu\"\n.visible .entry k(.param .u64 word)\n{\n.reg .pred p;\n"
        ".reg .b32 t, a;\n.reg .b64 w;\n.loc 1 2 1\nld.param.u64 w, [word];\nmov.u32 t, %%tid.x;\n"
        "mov.u32 a, 0;\n%s.loc 1 9 1\nret;\n}\n",
        loop->body);
    fixture_open(&fixture,
                 &(struct emu_options){.workers = workers, .max_warp_instructions = limit});
    fixture_load(&fixture, ptx);
    emu_addr word = fixture_upload(&fixture, NULL, 4);
    enum emu_status status = fixture_launch(
        &fixture, (struct fixture_launch){
                      .grid = {4}, .block = {64}, .params = {word}, .counters = &counters});
    cr_expect(status == (is_stuck ? EMU_DEADLOCK : EMU_TIMEOUT), "%s: ended with %d", loop->name,
              (int)status);
    expect_finding(&fixture, is_stuck ? "deadlock" : "endless-loop", 5);
    uint64_t executed = counters.value[EMU_warp_instructions];
    cr_expect(is_stuck || (executed >= limit && executed < 2 * limit), "%s: stopped after %lu",
              loop->name, (unsigned long)executed);
    cr_expect(strlen(emu_message(fixture.device)) > 0);
    fixture_close(&fixture);
}

Test(wait, for_ever)
{
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
        for (unsigned workers = 1; workers <= 2; workers++)
            stop_at_limit(&endless[i], workers);
}

/* A thread that waits for a busy thread, or for a limited time, is not stuck. The first CTAs poll a
 * word that the last CTA writes after some work; or no thread writes the word, but the number of
 * polls is limited. */
static const char *const patient[] = {
    "setp.ne.u32 p, c, 3;\n@p bra L;\nW:\nadd.u32 a, a, 1;\nsetp.lt.u32 p, a, 300000;\n@p bra W;\n"
    "st.volatile.global.u32 [w], a;\nL:\nld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\n"
    "@p bra L;\n",
    "L:\nld.volatile.global.u32 t, [w];\nadd.u32 a, a, 1;\nsetp.lt.u32 p, a, 20000;\n@p bra L;\n",
    /* these loops end by a bit of the count, by the time, or by the address */
    "L:\nld.volatile.global.u32 t, [w];\nadd.u32 a, a, 1;\nshr.u32 t, a, 15;\nand.b32 t, t, 1;\n"
    "setp.eq.u32 p, t, 0;\n@p bra L;\n",
    "L:\nld.volatile.global.u32 t, [w];\nmov.u32 a, %clock;\nshr.u32 a, a, 18;\n"
    "setp.eq.u32 p, a, 0;\n@p bra L;\n",
    "mov.u64 v, w;\nL:\nld.volatile.global.u32 t, [v];\nadd.u64 v, v, 4;\nsub.u64 x, v, w;\n"
    "setp.lt.u64 p, x, 40000;\n@p bra L;\n",
};

Test(wait, patiently)
{
    for (unsigned i = 0; i < 2 * (sizeof patient / sizeof *patient); i++) {
        char ptx[1000];
        struct fixture fixture;
        snprintf(
            ptx, sizeof ptx,
            ".visible .entry k(.param .u64 word)\n{\n.reg .pred p;\n.reg .b32 t, a, c;\n"
            ".reg .b64 w, v, x;\nld.param.u64 w, [word];\nmov.u32 c, %%ctaid.x;\nmov.u32 a, 0;\n"
            "%sret;\n}\n",
            patient[i / 2]);
        fixture_open(&fixture, &(struct emu_options){.workers = 1 + i % 2});
        fixture_load(&fixture, ptx);
        emu_addr word = fixture_upload(&fixture, NULL, 40000);
        enum emu_status status = fixture_launch(
            &fixture, (struct fixture_launch){.grid = {4}, .block = {32}, .params = {word}});
        cr_expect(status == EMU_OK, "%u: ended with %d", i, (int)status);
        fixture_close(&fixture);
    }
}

/* A kernel that needs exactly the permitted number of instructions is not stopped. After a stopped
 * kernel, the device still works. */
Test(wait, limit_is_exact)
{
    struct fixture fixture;
    fixture_open(&fixture, &(struct emu_options){.workers = 1, .max_warp_instructions = 302});
    fixture_load(&fixture, ".visible .entry k(.param .u64 count)\n{\n.reg .pred p;\n.reg .b32 n;\n"
                           "ld.param.u32 n, [count];\nL:\nsub.u32 n, n, 1;\nsetp.ne.u32 p, n, 0;\n"
                           "@p bra L;\nret;\n}\n");
    cr_expect(fixture_launch(&fixture, (struct fixture_launch){.params = {100}}) == EMU_OK);
    cr_expect(fixture_launch(&fixture, (struct fixture_launch){.params = {101}}) == EMU_TIMEOUT);
    cr_expect(fixture_launch(&fixture, (struct fixture_launch){.params = {100}}) == EMU_OK);
    fixture_close(&fixture);
}
