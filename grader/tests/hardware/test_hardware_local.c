/* Tests the emulator's counts of local memory for every launch of hardware/local.cu. They must
 * agree with theory, which knows how a GPU interleaves the threads' memories. They must also agree
 * with the counts of Nsight Compute on a real GPU (hardware/local.tsv, made by record_local.sh),
 * except for spills, which PTX does not show. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"

TestSuite(hardware_local, .init = shell_init, .fini = shell_fini, .timeout = 120);

enum { COLUMNS = 4 };
static const char *const columns[COLUMNS] = {"local_load_requests", "local_store_requests",
                                             "local_load_sectors", "local_store_sectors"};

/* The rows are in the order of the launches. One word per lane of a warp takes 4 sectors, and each
 * kernel stores it 32 times. */
static const struct row {
    const char *kernel;
    long want[COLUMNS];
} rows[] = {
    {"scalar<int, 0>", {1, 32, 4, 128}},
    {"scalar<int, 1>", {1, 32, 32, 128}},
    {"scalar<int, 2>", {1, 32, 32, 128}},
    {"scalar<int, 1>", {1, 32, 20, 96}}, /* 20 threads */
    {"scalar<int, 0>", {16, 512, 64, 2048}},
    {"scalar<char, 0>", {1, 32, 4, 128}},
    {"scalar<char, 1>", {1, 32, 8, 128}},
    {"scalar<short, 1>", {1, 32, 16, 128}},
    {"scalar<double, 0>", {2, 64, 8, 256}},
    {"scalar<double, 1>", {2, 64, 64, 256}},
    {"vectors<0>", {4, 128, 16, 512}},
    {"vectors<1>", {4, 128, 128, 512}},
    {"scattered_stores", {32, 32, 128, 1024}},
    {"some_lanes", {1, 32, 4, 128}},
    {"called", {1, 32, 4, 128}},
    {"spilled", {0, 0, 0, 0}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Returns the launches of local.cu on the emulator, counted by RULES. The caller calls
 * json_decref(). */
static json_t *run_local(const char *rules)
{
    free(shell_must("$LANEWISE run --rules %s --json local.json $PROGRAMS/local", rules));
    char *text = shell_file("local.json", NULL);
    json_t *run = json_loads(text, 0, NULL);
    free(text);
    cr_assert(run, "local.json is not JSON");
    cr_assert_eq(json_array_size(json_object_get(run, "launches")), ROWS);
    return run;
}

static long counted(const json_t *run, size_t launch, int column)
{
    const json_t *of = json_array_get(json_object_get(run, "launches"), launch);
    return json_integer_value(json_object_get(json_object_get(of, "counters"), columns[column]));
}

static void expect_rows(const char *rules)
{
    json_t *run = run_local(rules);
    for (size_t i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++)
            cr_expect_eq(counted(run, i, k), rows[i].want[k], "launch %zu, %s: %s is %ld, want %ld",
                         i, rows[i].kernel, columns[k], counted(run, i, k), rows[i].want[k]);
    json_decref(run);
}

Test(hardware_local, follows_from_interleaving)
{
    expect_rows("sector");
}

/* The rules of older GPUs change only the counts of global and shared memory. */
Test(hardware_local, is_the_same_by_the_rules_of_older_gpus)
{
    expect_rows("g80");
    expect_rows("gt200");
}

Test(hardware_local, is_that_of_nsight_compute)
{
    char *tsv = shell_must("cat $TESTS/hardware/local.tsv 2>/dev/null || true"), *line, *rest;
    if (!*tsv)
        cr_skip_test("not recorded yet: run record_local.sh on a machine with a GPU");
    json_t *run = run_local("sector");
    size_t row = 0;
    for (line = strtok_r(tsv, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        cr_assert_lt(row, (size_t)ROWS, "local.tsv has too many rows");
        char *field = strchr(line, '\t');
        bool spills = strstr(line, "spilled") == line || strstr(line, " spilled");
        for (int k = 0; k < COLUMNS; k++, field = strchr(field + 1, '\t')) {
            cr_assert(field, "local.tsv, row %zu: no %s", row, columns[k]);
            long gpu = strtol(field, NULL, 10), here = counted(run, row, k);
            cr_expect(spills ? gpu > 0 && here == 0 : gpu == here, "%s: %s is %ld, on the GPU %ld",
                      rows[row].kernel, columns[k], here, gpu);
        }
        row++;
    }
    cr_expect_eq(row, (size_t)ROWS, "local.tsv has %zu rows", row);
    free(tsv);
    json_decref(run);
}
