/* The emulator's counts against a real GPU's: every launch of hardware/counts.cu, as Nsight Compute
 * counted it (hardware/counts.tsv; record_counts.sh records it anew).
 *
 * Sectors, lines and wavefronts must be equal. Divergent branches must be equal but where the last
 * compiler stage, ptxas, has left no branch to diverge: it replaces a short one by predicates. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/shell.h"

TestSuite(hardware_counts, .init = shell_init, .fini = shell_fini, .timeout = 120);

/* The columns of counts.tsv behind the kernel's name, and the counters whose sum each one is. */
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
    {"wavefronts", {"shared_load_wavefronts", "shared_store_wavefronts"}},
    {"wavefronts_ideal", {"shared_load_wavefronts_ideal", "shared_store_wavefronts_ideal"}},
    {"divergent_branches", {"divergent_branches"}},
};
enum { COLUMNS = sizeof columns / sizeof *columns, DIVERGENT = COLUMNS - 1 };

/* Kernels whose only divergent branches are short ones around a few instructions. */
static const char *const predicated[] = {"load_part", "sum_tree", "stencil", "scan"};

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
            cr_expect(want == 0 && got > 0, "%s: no longer predicated: %ld, on the GPU %ld", name,
                      got, want);
        else
            cr_expect_eq(got, want, "%s: %s: %ld, on the GPU %ld", name, columns[i].name, got,
                         want);
    }
}

Test(hardware_counts, are_those_of_nsight_compute)
{
    free(shell_must("$LANEWISE run --deterministic --json counts.json $PROGRAMS/counts"));
    char *text = shell_file("counts.json", NULL), *line, *rest;
    json_t *run = json_loads(text, 0, NULL);
    size_t rows = 0;
    free(text);
    cr_assert(run, "counts.json is no JSON");
    char *tsv = shell_must("cat $SOURCES/../hardware/counts.tsv");
    const json_t *launches = json_object_get(run, "launches");
    for (line = strtok_r(tsv, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (*line != '#')
            compare(json_array_get(launches, rows++), line);
    cr_expect_eq(rows, json_array_size(launches), "%zu rows in counts.tsv, %zu launches", rows,
                 json_array_size(launches));
    free(tsv);
    json_decref(run);
}
