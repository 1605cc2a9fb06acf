/* Compares the emulator's counts with a real GPU's, for every launch and every source line
 * of hardware/counts.cu. Nsight Compute's counts are in hardware/counts.tsv;
 * record_counts.sh records them again.
 *
 * Sectors, lines, wavefronts and theoretical occupancy must be equal. Divergent branches must be
 * equal, too, except where ptxas (the compiler from PTX to machine code) has replaced a short
 * branch by predicates. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"

TestSuite(hardware_counts, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* The columns of counts.tsv after the kernel's name. A column is the sum of the counters that are
 * listed with it. */
#define MOST_COUNTERS 4
static const struct {
    const char *name, *counters[MOST_COUNTERS];
} columns[] = {
    {"sectors",
     {"global_load_sectors", "global_store_sectors", "global_atomic_sectors",
      "global_reduction_sectors"}},
    {"sectors_ideal",
     {"global_load_sectors_ideal", "global_store_sectors_ideal", "global_atomic_sectors_ideal",
      "global_reduction_sectors_ideal"}},
    {"lines",
     {"global_load_lines", "global_store_lines", "global_atomic_lines", "global_reduction_lines"}},
    {"wavefronts",
     {"shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"}},
    {"wavefronts_ideal",
     {"shared_load_wavefronts_ideal", "shared_store_wavefronts_ideal",
      "shared_atomic_wavefronts_ideal"}},
    {"divergent_branches", {"divergent_branches"}},
    {"double_operations", {"double_operations"}},
};
/* counts_lines.tsv has only the columns before DIVERGENT. */
enum { COLUMNS = sizeof columns / sizeof *columns, WAVEFRONTS = 3, DIVERGENT = 5 };

/* Kernels in which only short branches around a few instructions diverge. */
static const char *const predicated[] = {"load_part", "sum_tree", "stencil", "scan"};

/* A kernel whose shared loads ptxas merges: see `changed` below. */
static const char merged[] = "adds_neighbours";

static bool is_predicated(const char *kernel)
{
    for (size_t i = 0; i < sizeof predicated / sizeof *predicated; i++)
        if (strstr(kernel, predicated[i]))
            return true;
    return false;
}

static long counted(const json_t *launch, int column)
{
    const json_t *counters = json_object_get(launch, "counters");
    long sum = 0;
    for (int i = 0; i < MOST_COUNTERS && columns[column].counters[i]; i++)
        sum += json_integer_value(json_object_get(counters, columns[column].counters[i]));
    return sum;
}

static void compare(const json_t *launch, char *row)
{
    const char *kernel = json_string_value(json_object_get(launch, "kernel"));
    char *rest, *name = strtok_r(row, "\t", &rest);
    cr_assert(kernel && name, "counts.tsv has more rows than counts.cu has launches");
    for (int i = 0; i < COLUMNS; i++) {
        const char *field = strtok_r(NULL, "\t", &rest);
        cr_assert(field, "%s: no %s in counts.tsv", name, columns[i].name);
        long want = strtol(field, NULL, 10), got = counted(launch, i);
        if (i == DIVERGENT && is_predicated(kernel))
            cr_expect(
                want == 0 && got > 0,
                "%s: divergent branches, in a kernel that ptxas predicates: %ld, on the GPU %ld",
                name, got, want);
        else if (i == WAVEFRONTS && strstr(kernel, merged))
            cr_expect_gt(got, want, "%s: wavefronts, in a kernel whose loads ptxas merges: %ld",
                         name, got);
        else
            cr_expect_eq(got, want, "%s: %s: %ld, on the GPU %ld", name, columns[i].name, got,
                         want);
    }
    char *field = strtok_r(NULL, "\t", &rest);
    cr_assert(field, "%s: no occupancy in counts.tsv", name);
    const json_t *occupancy = json_object_get(launch, "occupancy");
    double got = json_number_value(json_object_get(occupancy, "percent"));
    cr_expect_float_eq(got, strtod(field, NULL), 0.01, "%s: occupancy: %.2f %%, on the GPU %s",
                       name, got, field);
}

/* Returns the launches of counts.cu on the emulator. The caller calls json_decref(). */
static json_t *run_counts(void)
{
    free(shell_must("$LANEWISE run --deterministic --json counts.json $PROGRAMS/counts"));
    char *text = shell_file("counts.json", NULL);
    json_t *run = json_loads(text, 0, NULL);
    free(text);
    cr_assert(run, "counts.json is not JSON");
    return run;
}

Test(hardware_counts, are_those_of_nsight_compute)
{
    json_t *run = run_counts();
    char *tsv = shell_must("cat $TESTS/hardware/counts.tsv"), *line, *rest;
    const json_t *launches = json_object_get(run, "launches");
    size_t rows = 0;
    for (line = strtok_r(tsv, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (*line != '#')
            compare(json_array_get(launches, rows++), line);
    cr_expect_eq(rows, json_array_size(launches), "%zu rows in counts.tsv, %zu launches", rows,
                 json_array_size(launches));
    free(tsv);
    json_decref(run);
}

/* --- by source line --------------------------------------------------------------------------------- */

/* Lines whose counts differ, because ptxas or Nsight Compute assigns an access to another line. */
static const struct {
    const char *kernel, *source; /* SOURCE is a part of the line's text */
    const char *reason;
} changed[] = {
    {merged, "s[4 * threadIdx.x", "ptxas merges neighbouring loads into one, on the first line"},
    {"histogram", "atomicAdd(&bins", "Nsight Compute counts the atomic in CUDA's header"},
    {"reduce_vector", "atomicAdd(", "the same"},
    {"atomic_vector", "atomicAdd(", "the same"},
    {"update_words", "atomicCAS(", "the same"},
    {"scan", "for (int step", "ptxas moves a load of line 0 past the loop's barrier"},
    {"scan", "        __syncthreads()", "the same load"},
};

static bool is_changed(const char *kernel, const char *source)
{
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        if (strstr(kernel, changed[i].kernel) && strstr(source, changed[i].source))
            return true;
    return false;
}

/* Returns line NUMBER of counts.cu (the first is 1), in a buffer that the next call reuses. */
static const char *source_line(const char *source, long number)
{
    static char text[200];
    while (--number > 0 && (source = strchr(source, '\n')))
        source++;
    snprintf(text, sizeof text, "%.*s", source ? (int)strcspn(source, "\n") : 0, source);
    return text;
}

/* Returns the GPU's counts for a line, which are the text of a row, or NULL if there are none. */
static const char *recorded(const json_t *rows, size_t launch, long line)
{
    char key[40];
    snprintf(key, sizeof key, "%zu:%ld", launch, line);
    return json_string_value(json_object_get(rows, key));
}

/* Returns the rows of counts_lines.tsv as an object: the keys are "launch:line", the values are the
 * texts of the counts. */
static json_t *read_lines(void)
{
    char *tsv = shell_must("cat $TESTS/hardware/counts_lines.tsv"), *row, *rest;
    json_t *rows = json_object();
    for (row = strtok_r(tsv, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        char key[40], *field, *launch = strtok_r(row, "\t", &field);
        if (*launch == '#')
            continue;
        cr_assert(strtok_r(NULL, "\t", &field), "a row without a kernel");
        snprintf(key, sizeof key, "%s:%s", launch, strtok_r(NULL, "\t", &field));
        json_object_set_new(rows, key, json_string(field));
    }
    free(tsv);
    return rows;
}

/* Compares one launch, and returns the number of recorded lines that belong to it. */
static size_t compare_lines(const json_t *rows, size_t index, const json_t *launch,
                            const char *source)
{
    const char *kernel = json_string_value(json_object_get(launch, "kernel"));
    size_t i, found = 0;
    json_t *line;
    json_array_foreach(json_object_get(launch, "lines"), i, line)
    {
        long number = json_integer_value(json_object_get(line, "line"));
        const char *want = recorded(rows, index, number), *text = source_line(source, number);
        char got[200];
        int length = 0;
        bool any = false;
        for (int column = 0; column < DIVERGENT; column++) {
            long count = counted(line, column);
            any |= count != 0;
            length += snprintf(got + length, sizeof got - (size_t)length, "%s%ld",
                               column ? "\t" : "", count);
        }
        found += want != NULL;
        bool equal = want ? strcmp(want, got) == 0 : !any;
        cr_expect(equal != is_changed(kernel, text), "%s, line %ld: %s\n%s: %s\non the GPU: %s",
                  kernel, number, text,
                  equal ? "the counts are equal, but the line is listed as changed" : "here", got,
                  want ? want : "nothing");
    }
    return found;
}

Test(hardware_counts, are_those_of_nsight_compute_on_each_line)
{
    json_t *run = run_counts(), *rows = read_lines(), *launch;
    char *source = shell_must("cat $TESTS/hardware/counts.cu");
    size_t index, found = 0;
    json_array_foreach(json_object_get(run, "launches"), index, launch)
    {
        found += compare_lines(rows, index, launch, source);
    }
    cr_expect_eq(found, json_object_size(rows), "only %zu of %zu recorded lines belong to a launch",
                 found, json_object_size(rows));
    free(source);
    json_decref(rows);
    json_decref(run);
}
