/* Tests the declarations in the labs' checks.c: points, hints, figures and times. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "grade/grade.h"
#include "tests/support/shell.h"

TestSuite(figures, .init = shell_init, .fini = shell_fini, .timeout = 60);

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

/* lab-check compares the figures that checks.c declares with measured ones: the solution's, and
 * those of mutants that are declared naive. Tests that there is such a mutant for each naive
 * figure. */
Test(figures, a_mutant_shows_each_naive_figure)
{
    struct lab_names list;
    labs_list(&list);
    for (size_t i = 0; i < list.count; i++) {
        struct lab lab;
        char error[200];
        size_t j;
        json_t *check;
        cr_assert(labs_open(list.names[i], &lab, error, sizeof error), "%s", error);
        json_array_foreach(json_object_get(lab.declared, "checks"), j, check)
        {
            const char *id = json_string_value(json_object_get(check, "id"));
            json_t *naive = json_object_get(json_object_get(check, "budget"), "naive");
            if (json_number_value(naive) == 0)
                continue;
            int code;
            char *found = shell(&code, "grep -lE '^naive: (.*, )?%s(,|$)' $TESTS/mutants/%s/*.diff",
                                id, lab.name);
            cr_expect_eq(code, 0, "%s, %s: no mutant has \"naive: %s\"", lab.name, id, id);
            free(found);
        }
        labs_close(&lab);
    }
    labs_free(&list);
}

/* Returns whether TABLE (calibration.tsv) has a row for LAB in which the solution was fast enough
 * in all runs. */
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

/* A check may give points for time only in labs in which a measurement showed a clear difference
 * (make record-times). */
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
