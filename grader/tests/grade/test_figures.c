/* What the labs' checks.c declare: points, hints, figures and times. The figures are measured again. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "grade/grade.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(figures, .init = submission_init, .fini = shell_fini, .timeout = 900);

Test(figures, points_add_up_to_100_on_each_device)
{
    struct lab_names list;
    labs_list(&list);
    cr_assert_geq(list.count, 2);
    for (size_t i = 0; i < list.count; ++i) {
        for (enum grading_device device = ON_EMULATOR; device <= ON_GPU; ++device) {
            struct lab lab;
            char error[200];
            double sum = 0;
            size_t j;
            json_t *check;
            cr_assert(labs_open(list.names[i], &lab, error, sizeof error), "%s", error);
            json_array_foreach(json_object_get(lab.declared, "checks"), j, check)
            {
                if (lab_has_check(check, device))
                    sum += json_number_value(json_object_get(check, "max_points"));
                cr_expect(json_string_length(json_object_get(check, "hint")) > 0, "no hint");
            }
            cr_expect_eq(sum, 100, "%s on the %s: %g points", lab.name, grading_device_name(device),
                         sum);
            labs_close(&lab);
        }
    }
    labs_free(&list);
}

/* The figures that each checks.c declares, and the program that must show the figure: a mutant, an
 * edited solution, or the unchanged solution. */
static const struct {
    const char *lab, *check, *key, *mutant;
    struct edit edit;
} figures[] = {
    {"01-parallelize", "block-path", "naive", "one-thread", {NULL, NULL}},
    {"01-parallelize", "block-path", "solution", NULL, {NULL, NULL}},
    {"01-parallelize",
     "grid-path",
     "naive",
     NULL,
     {"sum_grid<<<256, 256>>>", "sum_one_block<<<1, 1024>>>"}},
    {"01-parallelize", "grid-path", "solution", NULL, {NULL, NULL}},
    {"02-coalesce", "sectors", "naive", "chunks", {NULL, NULL}},
    {"02-coalesce", "sectors", "solution", NULL, {NULL, NULL}},
    {"03-shared-reduce", "one-store", "naive", "all-store", {NULL, NULL}},
    {"03-shared-reduce", "one-store", "solution", NULL, {NULL, NULL}},
    {"03-shared-reduce", "dynamic", "naive", "all-store", {NULL, NULL}},
    {"03-shared-reduce", "dynamic", "solution", NULL, {NULL, NULL}},
    {"04-bank-conflicts", "path", "naive", "thread-0", {NULL, NULL}},
    {"04-bank-conflicts", "path", "solution", NULL, {NULL, NULL}},
    {"04-bank-conflicts", "divergence", "naive", "mask-tree", {NULL, NULL}},
    {"04-bank-conflicts", "divergence", "solution", NULL, {NULL, NULL}},
    {"04-bank-conflicts", "conflicts", "naive", "index-tree", {NULL, NULL}},
    {"04-bank-conflicts", "conflicts", "solution", NULL, {NULL, NULL}},
    {"04-bank-conflicts", "barriers", "naive", "not-unrolled", {NULL, NULL}},
    {"04-bank-conflicts", "barriers", "solution", NULL, {NULL, NULL}},
    {"05-pitched-alloc", "copies", "naive", "row-by-row", {NULL, NULL}},
    {"05-pitched-alloc", "copies", "solution", NULL, {NULL, NULL}},
    {"05-pitched-alloc", "lines", "naive", "not-pitched", {NULL, NULL}},
    {"05-pitched-alloc", "lines", "solution", NULL, {NULL, NULL}},
    {"05-pitched-alloc", "sectors", "naive", "not-pitched", {NULL, NULL}},
    {"05-pitched-alloc", "sectors", "solution", NULL, {NULL, NULL}},
    {"06-tiled-matmul", "row", "naive", "row-not-used", {NULL, NULL}},
    {"06-tiled-matmul", "row", "solution", NULL, {NULL, NULL}},
    {"06-tiled-matmul",
     "tile",
     "naive",
     NULL,
     {"by_tile<false><<<tiles, dim3(TILE, TILE)>>>", "naive<<<tiles, dim3(TILE, TILE)>>>"}},
    {"06-tiled-matmul", "tile", "solution", NULL, {NULL, NULL}},
    {"06-tiled-matmul", "tile-writes", "naive", "b-transposed", {NULL, NULL}},
    {"06-tiled-matmul", "tile-writes", "solution", NULL, {NULL, NULL}},
    {"06-tiled-matmul", "tile-reads", "naive", "b-transposed", {NULL, NULL}},
    {"06-tiled-matmul", "tile-reads", "solution", NULL, {NULL, NULL}},
    {"07-structures", "staged", "naive", "rung-1-aligned", {NULL, NULL}},
    {"07-structures", "staged", "solution", NULL, {NULL, NULL}},
    {"07-structures", "aligned", "naive", "not-aligned", {NULL, NULL}},
    {"07-structures", "aligned", "solution", NULL, {NULL, NULL}},
    {"07-structures", "array", "naive", "not-taken", {NULL, NULL}},
    {"07-structures", "array", "solution", NULL, {NULL, NULL}},
    {"08-transpose", "sectors", "naive", "naive", {NULL, NULL}},
    {"08-transpose", "sectors", "solution", NULL, {NULL, NULL}},
    {"08-transpose", "any-size", "naive", "naive", {NULL, NULL}},
    {"08-transpose", "any-size", "solution", NULL, {NULL, NULL}},
    {"08-transpose", "conflicts", "naive", "not-padded", {NULL, NULL}},
    {"08-transpose", "conflicts", "solution", NULL, {NULL, NULL}},
    {"09-picture-sum", "tree", "naive", "tree-not-used", {NULL, NULL}},
    {"09-picture-sum", "tree", "solution", NULL, {NULL, NULL}},
    {"09-picture-sum", "shared", "naive", "bins-in-global", {NULL, NULL}},
    {"09-picture-sum", "shared", "solution", NULL, {NULL, NULL}},
    {"09-picture-sum", "copies", "naive", "copies-not-used", {NULL, NULL}},
    {"09-picture-sum", "copies", "solution", NULL, {NULL, NULL}},
    {"09-picture-sum", "table", "naive", "no-table", {NULL, NULL}},
    {"09-picture-sum", "table", "solution", NULL, {NULL, NULL}},
    {"10-block-size", "fills-75", "naive", "one-warp", {NULL, NULL}},
    {"10-block-size", "fills-75", "solution", NULL, {NULL, NULL}},
    {"10-block-size", "fills-86", "naive", "one-warp", {NULL, NULL}},
    {"10-block-size", "fills-86", "solution", NULL, {NULL, NULL}},
    {"10-block-size", "fills-90", "naive", "one-warp", {NULL, NULL}},
    {"10-block-size", "fills-90", "solution", NULL, {NULL, NULL}},
    {"10-block-size", "reads", "naive", "one-warp", {NULL, NULL}},
    {"10-block-size", "reads", "solution", NULL, {NULL, NULL}},
    {"11-warp-votes", "barriers", "naive", "scan-again", {NULL, NULL}},
    {"11-warp-votes", "barriers", "solution", NULL, {NULL, NULL}},
    {"11-warp-votes", "shared", "naive", "scan-again", {NULL, NULL}},
    {"11-warp-votes", "shared", "solution", NULL, {NULL, NULL}},
    {"11-warp-votes", "waits", "naive", "atomic-a-number", {NULL, NULL}},
    {"11-warp-votes", "waits", "solution", NULL, {NULL, NULL}},
    {"11-warp-votes", "steps", "naive", "walks-again", {NULL, NULL}},
    {"11-warp-votes", "steps", "solution", NULL, {NULL, NULL}},
    {"11-warp-votes", "queues", "naive", "sum-by-atomics", {NULL, NULL}},
    {"11-warp-votes", "queues", "solution", NULL, {NULL, NULL}},
    {"12-solver", "dense", "naive", "thread-a-row", {NULL, NULL}},
    {"12-solver", "dense", "solution", NULL, {NULL, NULL}},
    {"12-solver", "diagonals", "naive", "matrix-again", {NULL, NULL}},
    {"12-solver", "diagonals", "solution", NULL, {NULL, NULL}},
    {"12-solver", "stencil", "naive", "naive-stencil", {NULL, NULL}},
    {"12-solver", "stencil", "solution", NULL, {NULL, NULL}},
    {"12-solver", "looks", "naive", "reads-each-step", {NULL, NULL}},
    {"12-solver", "looks", "solution", NULL, {NULL, NULL}},
    {"13-precision", "sums", "naive", "doubles", {NULL, NULL}},
    {"13-precision", "sums", "solution", NULL, {NULL, NULL}},
    {"13-precision", "products", "naive", "doubles-products", {NULL, NULL}},
    {"13-precision", "products", "solution", NULL, {NULL, NULL}},
    {"13-precision", "halves", "naive", "one-half-a-load", {NULL, NULL}},
    {"13-precision", "halves", "solution", NULL, {NULL, NULL}},
    {"13-precision", "waves", "naive", "double-sine", {NULL, NULL}},
    {"13-precision", "waves", "solution", NULL, {NULL, NULL}},
    {"13-precision", "growth", "naive", "literals", {NULL, NULL}},
    {"13-precision", "growth", "solution", NULL, {NULL, NULL}},
    {"14-streams", "pinned", "naive", "pageable", {NULL, NULL}},
    {"14-streams", "pinned", "solution", NULL, {NULL, NULL}},
    {"14-streams", "overlapped", "naive", "one-stream", {NULL, NULL}},
    {"14-streams", "overlapped", "solution", NULL, {NULL, NULL}},
    {"14-streams", "blended", "naive", "one-stream-blended", {NULL, NULL}},
    {"14-streams", "blended", "solution", NULL, {NULL, NULL}},
    {"15-read-only", "filter", "naive", "weights-in-global", {NULL, NULL}},
    {"15-read-only", "filter", "solution", NULL, {NULL, NULL}},
    {"15-read-only", "curve", "naive", "curve-in-constant", {NULL, NULL}},
    {"15-read-only", "curve", "solution", NULL, {NULL, NULL}},
    {"15-read-only", "slopes", "naive", "no-promise", {NULL, NULL}},
    {"15-read-only", "slopes", "solution", NULL, {NULL, NULL}},
    {"15-read-only", "filtering", "naive", "loads-in-rows", {NULL, NULL}},
    {"15-read-only", "filtering", "solution", NULL, {NULL, NULL}},
    {"15-read-only", "locality", "naive", "rows-of-32", {NULL, NULL}},
    {"15-read-only", "locality", "solution", NULL, {NULL, NULL}},
    {"15-read-only", "develop", "naive", "nothing-chosen", {NULL, NULL}},
    {"15-read-only", "develop", "solution", NULL, {NULL, NULL}},
    {"16-fast-product", "registers", "naive", "tiles-only", {NULL, NULL}},
    {"16-fast-product", "registers", "solution", NULL, {NULL, NULL}},
    {"16-fast-product", "vectors", "naive", "rung-1-for-rung-2", {NULL, NULL}},
    {"16-fast-product", "vectors", "solution", NULL, {NULL, NULL}},
    {"16-fast-product", "passes", "naive", "one-float-a-load", {NULL, NULL}},
    {"16-fast-product", "passes", "solution", NULL, {NULL, NULL}},
    {"16-fast-product", "copies", "naive", "rung-2-for-rung-3", {NULL, NULL}},
    {"16-fast-product", "copies", "solution", NULL, {NULL, NULL}},
    {"16-fast-product", "work", "naive", "tiles-only", {NULL, NULL}},
    {"16-fast-product", "work", "solution", NULL, {NULL, NULL}},
    {"16-fast-product", "tensor", "naive", "tiles-only", {NULL, NULL}},
    {"16-fast-product", "tensor", "solution", NULL, {NULL, NULL}},
};

/* The number at key FIRST and then key SECOND of the check ID in CHECKS; NAN if it does not
 * exist. */
static double figure_in(const json_t *checks, const char *id, const char *first, const char *second)
{
    size_t i;
    json_t *check;
    json_array_foreach(checks, i, check)
    {
        const json_t *value = json_object_get(json_object_get(check, first), second);
        if (strcmp(json_string_value(json_object_get(check, "id")), id) == 0 && value)
            return json_number_value(value);
    }
    return NAN;
}

/* Whether two rows show their figures with the same program. */
static bool has_same_program(size_t i, size_t j)
{
    const char *mutants[] = {figures[i].mutant, figures[j].mutant};
    const char *finds[] = {figures[i].edit.find, figures[j].edit.find};
    for (int k = 0; k < 2; k++) {
        mutants[k] = mutants[k] ? mutants[k] : "";
        finds[k] = finds[k] ? finds[k] : "";
    }
    return strcmp(figures[i].lab, figures[j].lab) == 0 && strcmp(mutants[0], mutants[1]) == 0 &&
           strcmp(finds[0], finds[1]) == 0;
}

/* The result of row I's program. Each program is graded once, for its first row; RESULTS keeps the
 * results of the earlier rows. */
static json_t *result_of(size_t i, json_t **results)
{
    int code;
    json_t *result;
    for (size_t j = 0; j < i; j++)
        if (has_same_program(i, j))
            return json_incref(results[j]);
    if (figures[i].mutant)
        submission_write_mutant(figures[i].lab, figures[i].mutant, "a.cu");
    else
        submission_write(figures[i].lab, (struct edit[SUBMISSION_EDITS]){figures[i].edit}, "a.cu");
    free(submission_grade(figures[i].lab, "a.cu", &code, &result));
    return result;
}

static void check_figure(size_t i, const json_t *result)
{
    const char *lab = figures[i].lab, *check = figures[i].check, *key = figures[i].key;
    char error[200];
    struct lab opened;
    cr_assert(labs_open(lab, &opened, error, sizeof error), "%s", error);
    double declared = figure_in(json_object_get(opened.declared, "checks"), check, "budget", key);
    double measured = figure_in(json_object_get(result, "checks"), check, "figure", "value");
    cr_expect(fabs(measured - declared) <= 0.05 * declared,
              "%s, %s: checks.c says %s = %g, but %g was measured", lab, check, key, declared,
              measured);
    labs_close(&opened);
}

Test(figures, declared_figures_are_what_is_measured)
{
    enum { ROWS = sizeof figures / sizeof *figures };
    json_t *results[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        results[i] = result_of(i, results);
        check_figure(i, results[i]);
    }
    for (size_t i = 0; i < ROWS; i++)
        json_decref(results[i]);
}

/* Whether TABLE (calibration.tsv) has a row of LAB in which all runs were fast enough. */
static bool is_calibrated(const char *table, const char *lab)
{
    size_t length = strlen(lab);
    for (const char *line = table; *line; line += strcspn(line, "\n") + 1) {
        size_t size = strcspn(line, "\n");
        if (strncmp(line, lab, length) == 0 && line[length] == '\t' && size > 8 &&
            strncmp(line + size - 8, "10 of 10", 8) == 0)
            return true;
        if (!line[size])
            break;
    }
    return false;
}

/* A check may give points for time only in labs where measurements showed a clear
 * difference (make record-times). */
Test(figures, time_carries_points_only_where_it_was_calibrated)
{
    struct lab_names list;
    char *table = shell_file(LANEWISE_ROOT "/grader/tests/hardware/calibration.tsv", NULL);
    size_t timed = 0;
    labs_list(&list);
    for (size_t i = 0; i < list.count; i++) {
        struct lab lab;
        char error[200];
        size_t j;
        json_t *check;
        cr_assert(labs_open(list.names[i], &lab, error, sizeof error), "%s", error);
        json_array_foreach(json_object_get(lab.declared, "checks"), j, check)
        {
            if (strcmp(json_string_value(json_object_get(check, "where")), "gpu-only") != 0)
                continue;
            cr_expect(is_calibrated(table, lab.name), "%s, %s: no row with 10 of 10", lab.name,
                      json_string_value(json_object_get(check, "id")));
            timed++;
        }
        labs_close(&lab);
    }
    cr_expect_geq(timed, 2, "only %zu checks give points for time", timed);
    labs_free(&list);
    free(table);
}
