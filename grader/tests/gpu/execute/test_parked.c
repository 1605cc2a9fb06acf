/* Tests parked launches: launches that still run when emu_launch() returns. They wait for the host,
 * and continue later. The last tests do the same through the runtime library, with
 * gpu/execute/persistent.cu. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"
#include "tests/support/shell.h"

/* --- the device --------------------------------------------------------------------------------------- */

/* while (!*words) ; words[1 + thread] = *words; */
static const char waits[] =
    ".visible .entry k(.param .u64 words)\n{\n.reg .pred p;\n.reg .b32 a, t, b, n;\n.reg .b64 w, "
    "o;\nld.param.u64 w, [words];\n"
    "SPIN:\nld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\n@p bra SPIN;\n"
    "mov.u32 t, %tid.x;\nmov.u32 b, %ctaid.x;\nmov.u32 n, %ntid.x;\nmad.lo.u32 t, b, n, t;\n"
    "mul.wide.u32 o, t, 4;\nadd.s64 o, o, w;\nst.global.u32 [o+4], a;\nret;\n}\n";

/* The same kernel, but it stores a count at each poll, so memory changes all the time. */
static const char waits_and_counts[] =
    ".visible .entry k(.param .u64 words)\n{\n.reg .pred p;\n.reg .b32 a, n;\n.reg .b64 w;\n"
    "ld.param.u64 w, [words];\nmov.u32 n, 0;\n"
    "SPIN:\nadd.u32 n, n, 1;\nst.volatile.global.u32 [w+4], n;\nld.volatile.global.u32 a, [w];\n"
    "setp.eq.u32 p, a, 0;\n@p bra SPIN;\nst.global.u32 [w+4], a;\nret;\n}\n";

enum { WORDS = 1024 };

static emu_addr open_waiting(struct fixture *fixture, const struct emu_options *options,
                             const char *ptx)
{
    fixture_open(fixture, options);
    fixture_load(fixture, ptx);
    return fixture_upload(fixture, NULL, WORDS * sizeof(uint32_t));
}

/* Launches a kernel that must be parked, because it waits for the host. */
static struct emu_parked park(struct fixture *fixture, emu_addr words, uint32_t grid)
{
    enum emu_status status = fixture_launch(
        fixture, (struct fixture_launch){.grid = {grid}, .params = {words}, .may_park = true});
    cr_assert_eq(status, EMU_PARKED, "%d: %s", status, emu_message(fixture->device));
    return emu_parked(fixture->device);
}

static void write_word(struct fixture *fixture, emu_addr to, uint32_t word)
{
    cr_assert_eq(emu_write(fixture->device, to, &word, sizeof word), EMU_OK);
}

static void expect_words(struct fixture *fixture, emu_addr words, uint32_t count, uint32_t right)
{
    for (uint32_t i = 0; i < count; i++)
        cr_expect_eq(fixture_word(fixture, words, 1 + i), right, "word %u is %u", i,
                     fixture_word(fixture, words, 1 + i));
}

static void expect_status(struct fixture *fixture, int line, const char *right)
{
    json_t *record = fixture_record(fixture, line);
    const char *status;
    cr_assert_eq(json_unpack(record, "{s:{s:s}}", "launch", "status", &status), 0);
    cr_expect_str_eq(status, right);
    json_decref(record);
}

Test(parked, continues_when_memory_has_changed)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct fixture fixture;
        emu_addr words = open_waiting(&fixture, &(struct emu_options){.workers = workers}, waits);
        struct emu_parked parked = park(&fixture, words, 5);
        cr_expect(parked.is_still && !parked.sees_lent);
        for (int i = 0; i < 3; i++) { /* unsuccessful polls */
            cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_WAIT), EMU_PARKED);
            cr_expect_not(emu_parked(fixture.device).has_changed);
        }
        char *text = fixture_record_text(&fixture);
        cr_expect_str_eq(text, "", "nothing is recorded before the end");
        free(text);
        write_word(&fixture, words, 7);
        cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_WAIT), EMU_OK);
        expect_words(&fixture, words, 5 * 32, 7);
        expect_status(&fixture, 0, "ok");
        expect_status(&fixture, -1, "ok");
        cr_expect_eq(emu_go_on(fixture.device, parked.launch, EMU_WAIT), EMU_NOT_FOUND);
        fixture_close(&fixture);
    }
}

/* Two launches are parked at the same time. One sets the word that the other waits for, after the
 * host has allocated and freed memory. */
Test(parked, memory_may_move)
{
    struct fixture fixture;
    emu_addr words = open_waiting(&fixture, NULL, waits), other[200];
    struct emu_parked first = park(&fixture, words, 1);
    struct emu_parked second = park(&fixture, words + 2048, 2);
    for (int i = 0; i < 200; i++)
        other[i] = fixture_upload(&fixture, NULL, 64);
    for (int i = 0; i < 200; i += 2)
        emu_free(fixture.device, other[i]);
    cr_assert_eq(emu_go_on(fixture.device, second.launch, EMU_POLL), EMU_PARKED);
    write_word(&fixture, words + 2048, 3);
    cr_assert_eq(emu_go_on(fixture.device, first.launch, EMU_POLL), EMU_PARKED);
    cr_assert_eq(emu_go_on(fixture.device, second.launch, EMU_POLL), EMU_OK);
    write_word(&fixture, words, 4);
    cr_assert_eq(emu_go_on(fixture.device, first.launch, EMU_POLL), EMU_OK);
    expect_words(&fixture, words, 32, 4);
    expect_words(&fixture, words + 2048, 64, 3);
    fixture_close(&fixture);
}

Test(parked, what_it_waited_in_is_freed)
{
    struct fixture fixture;
    emu_addr words = open_waiting(&fixture, NULL, waits);
    struct emu_parked parked = park(&fixture, words, 1);
    emu_free(fixture.device, words);
    cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_WAIT), EMU_ILLEGAL_ADDRESS);
    fixture_close(&fixture);
}

Test(parked, is_a_deadlock_if_nothing_can_end_it)
{
    struct fixture fixture;
    emu_addr words = open_waiting(&fixture, NULL, waits);
    struct emu_parked parked = park(&fixture, words, 2);
    cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_FINISH), EMU_DEADLOCK);
    cr_expect(strstr(emu_message(fixture.device), "for a value that no thread writes"), "%s",
              emu_message(fixture.device));
    expect_status(&fixture, 0, "deadlock");
    fixture_close(&fixture);
}

Test(parked, memory_that_is_lent_is_told)
{
    static uint32_t lent[WORDS];
    struct fixture fixture;
    open_waiting(&fixture, NULL, waits);
    emu_addr at = (emu_addr)lent;
    cr_assert_eq(emu_lend(fixture.device, at, lent, sizeof lent), EMU_OK);
    struct emu_parked parked = park(&fixture, at, 1);
    cr_expect(parked.sees_lent && parked.is_still);
    *(volatile uint32_t *)lent = 5;
    cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_POLL), EMU_OK);
    cr_expect_eq(lent[32], 5);

    lent[0] = 0;
    parked = park(&fixture, at, 1);
    cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_FINISH), EMU_DEADLOCK);
    cr_expect(strstr(emu_message(fixture.device), "for main(), which waits for the kernel"), "%s",
              emu_message(fixture.device));
    fixture_close(&fixture);
}

/* A kernel in clusters of two blocks. The first block polls, and stores the value in its shared
 * memory. The second block reads it there after both have reached the barrier. FROM_FIRST is a jump
 * of the first block after it has read 0; FROM_BOTH is a jump of both blocks. */
#define CLUSTERS_WAIT(from_first, from_both)                                                       \
    ".visible .entry k(.param .u64 words)\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{\n"      \
    ".reg .pred p;\n.reg .b32 a, t, b, n, r, s;\n.reg .b64 w, o;\n.shared .align 4 .b32 told;\n"   \
    "ld.param.u64 w, [words];\nmov.u32 r, %cluster_ctarank;\nmov.u32 s, told;\n"                   \
    "mapa.shared::cluster.u32 s, s, 0;\n"                                                          \
    "AGAIN:\nsetp.ne.u32 p, r, 0;\n@p bra MEET;\n"                                                 \
    "LOOK:\nld.volatile.global.u32 a, [w];\nsetp.eq.u32 p, a, 0;\n" from_first                     \
    "st.shared.u32 [told], a;\n"                                                                   \
    "MEET:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nld.shared::cluster.u32 a, [s];\n"      \
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\nsetp.eq.u32 p, a, 0;\n" from_both             \
    "mov.u32 t, %tid.x;\nmov.u32 b, %ctaid.x;\nmov.u32 n, %ntid.x;\nmad.lo.u32 t, b, n, t;\n"      \
    "mul.wide.u32 o, t, 4;\nadd.s64 o, o, w;\nst.global.u32 [o+4], a;\nret;\n}\n"

/* A parked cluster keeps all its blocks and their memory: the block that waits at the barrier, and
 * the block that polls. If its blocks poll and reach the barrier repeatedly, other launches still
 * run. */
Test(parked, clusters_are_kept_whole)
{
    static const char *const programs[] = {CLUSTERS_WAIT("@p bra LOOK;\n", ""),
                                           CLUSTERS_WAIT("", "@p bra AGAIN;\n")};
    for (unsigned i = 0; i < 4; i++) {
        struct fixture fixture;
        emu_addr words =
            open_waiting(&fixture, &(struct emu_options){.workers = 1 + i / 2}, programs[i % 2]);
        struct emu_parked parked = park(&fixture, words, 6);
        cr_expect_eq(parked.is_still, i % 2 == 0, "program %u", i % 2);
        cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_POLL), EMU_PARKED);
        write_word(&fixture, words, 7);
        cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_POLL), EMU_OK, "%s",
                     emu_message(fixture.device));
        expect_words(&fixture, words, 6 * 32, 7);
        write_word(&fixture, words, 0);
        parked = park(&fixture, words, 6);
        cr_assert_eq(emu_abandon(fixture.device, parked.launch), EMU_OK);
        fixture_close(&fixture);
    }
}

/* A kernel that changes memory without end is parked, too, and can be abandoned. */
Test(parked, launches_that_change_memory_are_not_still)
{
    struct fixture fixture;
    emu_addr words = open_waiting(&fixture, NULL, waits_and_counts);
    struct emu_parked parked = park(&fixture, words, 1);
    cr_expect_not(parked.is_still);
    cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_POLL), EMU_PARKED);
    cr_expect(emu_parked(fixture.device).has_changed);
    write_word(&fixture, words, 9);
    cr_assert_eq(emu_go_on(fixture.device, parked.launch, EMU_POLL), EMU_OK);
    expect_words(&fixture, words, 1, 9);
    write_word(&fixture, words, 0);
    parked = park(&fixture, words, 1);
    cr_assert_eq(emu_abandon(fixture.device, parked.launch), EMU_OK);
    cr_expect_eq(emu_abandon(fixture.device, parked.launch), EMU_NOT_FOUND);
    expect_status(&fixture, -1, "ok");
    fixture_close(&fixture);
}

/* Polls that fail do not count as work. The limit applies only while the host waits for the
 * launch. */
Test(parked, polls_do_not_use_up_the_limit)
{
    struct fixture fixture;
    emu_addr words =
        open_waiting(&fixture, &(struct emu_options){.max_warp_instructions = 1000000}, waits);
    struct emu_parked parked = park(&fixture, words, 1);
    enum emu_status status = EMU_PARKED;
    for (int i = 0; i < 1000 && status == EMU_PARKED; i++)
        status = emu_go_on(fixture.device, parked.launch, EMU_POLL);
    cr_assert_eq(status, EMU_PARKED);
    for (int i = 0; i < 1000000 && status == EMU_PARKED; i++)
        status = emu_go_on(fixture.device, parked.launch, EMU_WAIT);
    cr_expect_eq(status, EMU_TIMEOUT);
    fixture_close(&fixture);
}

/* Unloading the module of a parked launch ends the launch. */
Test(parked, ends_with_its_module)
{
    struct fixture fixture;
    emu_addr words = open_waiting(&fixture, NULL, waits);
    struct emu_parked parked = park(&fixture, words, 1);
    cr_assert_eq(emu_unload(fixture.device, fixture.module), EMU_OK);
    cr_expect_eq(emu_go_on(fixture.device, parked.launch, EMU_POLL), EMU_NOT_FOUND);
    expect_status(&fixture, 0, "deadlock");
    fixture_close(&fixture);
}

/* The number of parked launches is limited to a few hundred. */
Test(parked, their_number_is_limited)
{
    struct fixture fixture;
    emu_addr words = open_waiting(&fixture, NULL, waits);
    unsigned count = 0;
    struct fixture_launch launch = {.params = {words}, .may_park = true};
    while (count < 1000 && fixture_launch(&fixture, launch) == EMU_PARKED)
        count++;
    cr_expect(count > 100 && count < 1000, "%u", count);
    fixture_close(&fixture);
}

/* --- the runtime library -------------------------------------------------------------------------------- */

TestSuite(persistent, .init = shell_init, .fini = shell_fini, .timeout = 600);

static const char *const ways[] = {
    "",
    "LANEWISE_TOOLS=racecheck,initcheck",
#ifndef LANEWISE_PRELOAD /* the ordinary build runs these tests ten times faster */
    "LANEWISE_WORKERS=1",
    "LANEWISE_WORKERS=3",
    "LANEWISE_DETERMINISTIC=1",
#endif
};

Test(persistent, kernels_and_main_run_side_by_side)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int code;
        char *output = shell(&code,
                             "%s $LANEWISE run --lines 0 --json out.json "
                             "$PROGRAMS/persistent 2>&1",
                             ways[i]);
        cr_expect(code == 0 && strstr(output, "all right\n"), "%s: exit status %d: %s", ways[i],
                  code, output);
        free(output);
        output = shell_must("grep -c '\"severity\": *\"error\"' out.json; true");
        cr_expect_str_eq(output, "0\n", "%s: %s errors", ways[i], output);
        free(output);
    }
}

static json_t *load_run(void)
{
    char *text = shell_file("out.json", NULL);
    json_t *run = json_loads(text, 0, NULL);
    cr_assert(run, "%s", text);
    free(text);
    return run;
}

/* The record has each launch exactly once. */
Test(persistent, launches_are_recorded_at_their_end)
{
    free(shell_must("$LANEWISE run --json out.json $PROGRAMS/persistent >/dev/null 2>&1"));
    json_t *run = load_run(), *launch;
    size_t index, players = 0;
    json_array_foreach(json_object_get(run, "launches"), index, launch)
    {
        const char *kernel = json_string_value(json_object_get(launch, "kernel"));
        const char *status = json_string_value(json_object_get(launch, "status"));
        cr_expect_str_eq(status, "ok", "%s: %s", kernel, status);
        players += strncmp(kernel, "play", 4) == 0;
    }
    cr_expect_eq(players, 2, "%zu of 2", players);
    cr_expect_eq(index, 22, "%zu launches", index);
    json_decref(run);
}

/* HOW is the way in which the program waits for a flag that can no longer be set. The message about
 * the deadlock must contain WAITS_FOR. CODE is the exit status. */
static const struct {
    const char *how, *waits_for;
    int code;
} vain[] = {
    {"shared", "main(), which waits for the kernel", 7},
    {"behind", "a value that no thread writes", 7},
    {"default", "a value that no thread writes", 7},
    {"copy", "a value that no thread writes", 7},
    {"free", "a value that no thread writes", 7},
    {"exit", "a value that no thread writes", 0},
};

/* Expects exactly one error, a deadlock at LINE. */
static void expect_deadlock(const char *how, const char *waits_for, int line)
{
    json_t *run = load_run(), *finding;
    size_t errors = 0, index;
    json_array_foreach(json_object_get(run, "findings"), index, finding)
    {
        const char *id = json_string_value(json_object_get(finding, "id"));
        const char *text = json_string_value(json_object_get(finding, "message"));
        if (strcmp(json_string_value(json_object_get(finding, "severity")), "error") != 0)
            continue;
        errors++;
        cr_expect(strcmp(id, "deadlock") == 0 && strstr(text, waits_for), "%s: %s: %s", how, id,
                  text);
        cr_expect_eq(json_integer_value(json_object_get(finding, "line")), line);
    }
    cr_expect_eq(errors, 1, "%s: %zu errors", how, errors);
    json_decref(run);
}

Test(persistent, endless_waits_are_deadlocks)
{
    char *line = shell_must(
        "grep -n 'while (!\\*flag)' $TESTS/gpu/execute/persistent.cu | head -1 | cut -d: -f1");
    for (size_t i = 0; i < sizeof vain / sizeof *vain; i++) {
        int code;
        char *output =
            shell(&code, "$LANEWISE run --json out.json $PROGRAMS/persistent %s >/dev/null 2>&1",
                  vain[i].how);
        cr_expect_eq(code, vain[i].code, "%s: exit status %d: %s", vain[i].how, code, output);
        free(output);
        expect_deadlock(vain[i].how, vain[i].waits_for, atoi(line));
    }
    free(line);
}
