/* Tests that programs behave with a device in a separate process as with one in their own. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "gpu/remote/server.h"
#include "gpu/remote/wire.h"
#include "record/record.h"
#include "sandbox/process.h"
#include "tests/support/patience.h"

#define BUILT LANEWISE_ROOT "/" LANEWISE_BUILD

/* Where the device is: in the program's process, in a separate process, or in a separate process
 * with a twin. RECORD is the file for the separate device's record, or NULL. The caller frees the
 * outcome of run_program(). */
enum place { INSIDE, BESIDE, TWINS };

static const char *chip = "", *clock_option = ""; /* more environment variables */

static struct process_outcome run_recorded(const char *name, enum place place, const char *record)
{
    /* the input is empty, so that both devices get the same data */
    static const char *const twin[] = {"LANEWISE_SHOWN=/dev/null", "LANEWISE_JUDGED=/dev/null",
                                       "LANEWISE_ANSWERS=/dev/null", "LANEWISE_TOOLS=origins",
                                       NULL};
    char recorded[300] = "";
    const char *alone[] = {recorded, chip, clock_option, NULL};
    bool beside = place != INSIDE;
    static const char *const device[] = {BUILT "/lib/lanewise-device", NULL};
    char path[512];
    snprintf(path, sizeof path, LANEWISE_ROOT "/build/tests/programs/%s", name);
    const char *environment[] = {beside ? "LD_LIBRARY_PATH=" BUILT "/lib/remote"
                                        : "LD_LIBRARY_PATH=" BUILT "/lib",
                                 beside ? WIRE_VARIABLE "=1" : "",
                                 chip,
                                 clock_option,
#ifdef LANEWISE_PRELOAD
                                 "LD_PRELOAD=" LANEWISE_PRELOAD,
                                 "ASAN_OPTIONS=" LANEWISE_ASAN_OPTIONS,
#endif
                                 NULL};
    const char *words[] = {path, NULL};
    struct process_command command = {.argv = words,
                                      .environment = environment,
                                      .folder = BUILT "/tests", /* "conditional" writes a file */
                                      .wall_seconds = PATIENCE * 120,
                                      .output_keep = 1 << 20,
                                      .output_limit = 1 << 20};
    struct process_command server = command;
    struct process_outcome outcome, server_outcome;
    server.argv = device;
    if (record)
        snprintf(recorded, sizeof recorded, "LANEWISE_RECORD=%s", record);
    server.environment = place == TWINS ? twin : alone;
    if (beside) {
        process_run_served(&command, &server, &outcome, &server_outcome);
        cr_expect(server_outcome.end == PROCESS_EXITED && server_outcome.code == SERVER_DONE,
                  "%s: the server ended with %d, %d: %s", name, server_outcome.end,
                  server_outcome.code, server_outcome.output);
        process_outcome_free(&server_outcome);
    } else {
        process_run(&command, &outcome);
    }
    return outcome;
}

static struct process_outcome run_program(const char *name, enum place place)
{
    return run_recorded(name, place, NULL);
}

static uint64_t add_up(const json_t *record, const char *what, const char *one, const char *other)
{
    const json_t *part = json_object_get(record, what);
    return (uint64_t)json_integer_value(json_object_get(part, one)) +
           (uint64_t)json_integer_value(json_object_get(part, other));
}

/* Each function of the runtime that copies or fills on the device sends a request to it. */
Test(remote, every_copy_on_the_device_is_counted)
{
    char path[] = "/tmp/lanewise-record-XXXXXX", error[200] = "";
    close(mkstemp(path));
    struct process_outcome outcome = run_recorded("copies_counted", BESIDE, path);
    unsigned copies = 0, fills = 0;
    cr_assert_eq(sscanf(outcome.output, "%u copies, %u fills", &copies, &fills), 2, "%s",
                 outcome.output);
    json_t *record = record_read(path, error, sizeof error);
    remove(path);
    cr_assert(record, "%s", error);
    cr_expect(copies > 20 && fills > 8, "%u, %u", copies, fills);
    cr_expect_eq(add_up(record, "sectors", "copy", "copy_rows"), 256 * copies, "%lu",
                 (unsigned long)add_up(record, "sectors", "copy", "copy_rows"));
    cr_expect_eq(add_up(record, "sectors", "set", "set_rows"), 128 * fills);
    cr_expect_eq(add_up(record, "requests", "write", "write_rows"), 0);
    cr_expect_eq(add_up(record, "requests", "read", "read_rows"), 0);
    json_decref(record);
    process_outcome_free(&outcome);
}

/* Kernels wait for a program in another process. (With a twin, they cannot.) */
Test(remote, kernels_wait_for_a_program_beside_them)
{
    struct process_outcome inside = run_program("persistent", INSIDE);
    struct process_outcome beside = run_program("persistent", BESIDE);
    cr_expect(strstr(inside.output, "all right"), "%s", inside.output);
    cr_expect_str_eq(beside.output, inside.output);
    process_outcome_free(&inside);
    process_outcome_free(&beside);
}

/* The separate device checks the order of the program's loads and stores, too. */
Test(remote, order_is_checked_beside_a_program)
{
    static const char *const ids[] = {"host-reads-early", "host-writes-early", "race-streams",
                                      "freed-in-use", "used-too-early"};
    struct process_outcome inside = run_program("unordered", INSIDE);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        cr_expect(strstr(inside.output, ids[i]), "%s: %s", ids[i], inside.output);
    cr_expect(strstr(inside.output, "sum 15065\n"), "%s", inside.output);
    for (enum place place = BESIDE; place <= TWINS; place++) {
        struct process_outcome beside = run_program("unordered", place);
        cr_expect_str_eq(beside.output, inside.output, "%d", place);
        process_outcome_free(&beside);
    }
    process_outcome_free(&inside);
}

/* The device predicts a launch's time. The program's library gets it by a request. */
Test(remote, predicted_times_are_those_without_a_server)
{
    chip = "LANEWISE_GPU=h200";
    clock_option = "LANEWISE_CLOCK=predicted";
    struct process_outcome inside = run_program("timed", INSIDE);
    struct process_outcome beside = run_program("timed", BESIDE);
    cr_expect(strstr(inside.output, "4 streams: "), "%s", inside.output);
    cr_expect_str_eq(beside.output, inside.output);
    process_outcome_free(&inside);
    process_outcome_free(&beside);
}

Test(remote, programs_behave_as_without_a_server)
{
    static const char *const names[] = {
        "api_libraries", "api_more",   "api_ranges", "async",       "conditional",
        "cooperative",   "families",   "graphs",     "indices",     "indices",
        "lane_talk",     "launch_api", "memory_api", "memory_more", "mipmaps",
        "streams",       "sum_ladder", "textures",   "threads",     "unsupported",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct process_outcome inside = run_program(names[i], INSIDE);
        cr_expect(inside.output_size > 0, "%s says something", names[i]);
        for (enum place place = BESIDE; place <= TWINS; place++) {
            struct process_outcome beside = run_program(names[i], place);
            cr_expect(inside.end == beside.end && inside.code == beside.code, "%s: %d, %d",
                      names[i], beside.end, beside.code);
            cr_expect_str_eq(beside.output, inside.output, "%s, %d", names[i], place);
            process_outcome_free(&beside);
        }
        process_outcome_free(&inside);
    }
}
