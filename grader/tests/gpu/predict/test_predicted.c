/* Tests the report and the JSON of `lanewise run --gpu`. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(golden_predicted, .init = shell_init, .fini = shell_fini, .timeout = 100);
TestSuite(predicted, .init = shell_init, .fini = shell_fini, .timeout = 100);

Test(golden_predicted, report)
{
    char *output =
        shell_must("for gpu in h200 8800gt; do\n"
                   "$LANEWISE run --gpu $gpu --draw all --lines 0 $PROGRAMS/predicted 2>&1 |\n"
                   "sed -n '/^[a-z_]*(float/p; /^  predicted/,/^  warp/p'\n"
                   "done");
    golden_check("predicted", output);
    free(output);
}

/* The predictions do not depend on the number of workers, and a second execution gives the same
 * bytes. */
Test(predicted, runs_repeat)
{
    char *output = shell_must("for workers in 1 2 5; do\n"
                              "$LANEWISE run --gpu h200 --workers $workers --json $workers.json "
                              "$PROGRAMS/predicted >/dev/null 2>&1\n"
                              "done\n"
                              "cmp 1.json 2.json && cmp 1.json 5.json && echo the same");
    cr_expect_str_eq(output, "the same\n");
    free(output);
}

Test(predicted, json)
{
    free(shell_must("$LANEWISE run --gpu h200 --json a.json $PROGRAMS/predicted 2>/dev/null"));
    char *text = shell_file("a.json", NULL);
    json_t *document = json_loads(text, 0, NULL), *launch;
    size_t i;
    cr_assert_eq(json_array_size(json_object_get(document, "launches")), 4);
    json_array_foreach(json_object_get(document, "launches"), i, launch)
    {
        const json_t *p = json_object_get(launch, "predicted");
        double us = json_number_value(json_object_get(p, "us"));
        cr_expect_str_eq(json_string_value(json_object_get(p, "gpu")), "h200");
        cr_expect(json_is_true(json_object_get(p, "measured")));
        cr_expect(json_number_value(json_object_get(p, "low_us")) < us && us > 2);
        cr_expect(json_number_value(json_object_get(p, "high_us")) > us);
        cr_expect(json_object_get(json_object_get(p, "parts"),
                                  json_string_value(json_object_get(p, "limit"))),
                  "launch %zu: the limit is not one of the parts", i);
    }
    json_decref(document);
    free(text);
}

/* --- launches without a prediction
 * ------------------------------------------------------------- */

/* The reasons why launches of gaps.cu are not predicted. NULL for the last launch, which does not
 * reach the function that calls itself, so it is predicted. */
static const char *const gaps[] = {
    "blocks wait for each other in line 8",
    "blocks wait for each other in line 18",
    NULL,
    "a function calls itself in line 40",
    NULL,
};

Test(predicted, unpredictable_launches_say_why)
{
    free(shell_must("$LANEWISE run --gpu h200 --json a.json $PROGRAMS/gaps 2>/dev/null"));
    char *text = shell_file("a.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    const json_t *launches = json_object_get(document, "launches");
    cr_assert_eq(json_array_size(launches), sizeof gaps / sizeof *gaps);
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        const json_t *launch = json_array_get(launches, i);
        const json_t *gap = json_object_get(launch, "not_predicted");
        const char *why = json_string_value(json_object_get(gap, "why"));
        cr_expect_str_eq(why ? why : "none", gaps[i] ? gaps[i] : "none", "launch %zu", i);
        cr_expect_eq(!json_object_get(launch, "predicted"), gaps[i] != NULL, "launch %zu", i);
    }
    cr_expect_eq(
        json_integer_value(json_object_get(json_object_get(document, "timeline"), "unknown")), 3);
    json_decref(document);
    free(text);
}

Test(predicted, report_and_page_say_why)
{
    char *output =
        shell_must("$LANEWISE run --gpu h200 --lines 0 --picture a.html $PROGRAMS/gaps 2>&1 |\n"
                   "grep 'no predicted time on'\n"
                   "grep -o '<p>no predicted time[^<]*' a.html");
    cr_expect_str_eq(
        output, "  no predicted time on NVIDIA H200: blocks wait for each other in line 8\n"
                "  no predicted time on NVIDIA H200: blocks wait for each other in line 18\n"
                "  no predicted time on NVIDIA H200 for 1 launch: a function calls itself in "
                "line 40\n"
                "<p>no predicted time for 1 of 1 launches: blocks wait for each other in line 8.\n"
                "<p>no predicted time for 1 of 1 launches: blocks wait for each other in line 18.\n"
                "<p>no predicted time for 1 of 2 launches: a function calls itself in line 40.\n");
    free(output);
}
