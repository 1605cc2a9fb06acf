/* Compares predicted times with times that were measured on an NVIDIA H200. This is a part of `make
 * prediction-report`. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"

TestSuite(recorded_times, .init = shell_init, .fini = shell_fini, .timeout = 400);

static const struct {
    const char *program;
    double median, most; /* allowed: median error in percent, factor for nine of ten launches */
} bounds[] = {
    {"structs", 20, 1.35},
    {"stencil", 20, 1.35},
    {"scan", 20, 1.5},
};

static double number_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    cr_assert(at, "\"%s\" is not in \"%s\"", words, text);
    return strtod(at + strlen(words), NULL);
}

Test(recorded_times, predictions_stay_within_their_bounds)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const char *program = bounds[i].program;
        char *report = shell_must(
            "T=$TESTS/hardware/times; $NVCC -cudart shared -lineinfo -O3 -o %s "
            "$T/development/%s.cu && python3 $T/report.py $LANEWISE $T/development/h200.tsv . "
            "--only %s",
            program, program, program);
        double median = number_after(report, "median error"),
               most = number_after(report, "within ");
        cr_expect(median <= bounds[i].median, "%s: median error %.1f %%: %s", program, median,
                  report);
        cr_expect(most <= bounds[i].most, "%s: nine of ten within %.2f: %s", program, most, report);
        cr_expect(strstr(report, " 0 without a prediction"), "%s: %s", program, report);
        free(report);
    }
}
