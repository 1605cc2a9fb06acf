/* Tests whole programs: the timeline of `lanewise run --gpu`, and clocks with --clock predicted. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(golden_timed, .init = shell_init, .fini = shell_fini, .timeout = 100);
TestSuite(timed, .init = shell_init, .fini = shell_fini, .timeout = 100);

Test(golden_timed, output_and_report)
{
    char *output = shell_must("$LANEWISE run --gpu h200 --clock predicted --lines 0 "
                              "$PROGRAMS/timed 2>report\n"
                              "sed -n '/^whole program/,/^$/p' report");
    golden_check("timed", output);
    free(output);
}

/* The result depends neither on the time of day nor on the number of workers. */
Test(timed, runs_repeat)
{
    char *output =
        shell_must("for workers in 1 2 5; do\n"
                   "$LANEWISE run --gpu h200 --clock predicted --workers $workers --json "
                   "$workers.json $PROGRAMS/timed >$workers.out 2>/dev/null\n"
                   "done\n"
                   "cmp 1.json 2.json && cmp 1.json 5.json && cmp 1.out 2.out && cmp 1.out 5.out "
                   "&& echo the same");
    cr_expect_str_eq(output, "the same\n");
    free(output);
}

static double real_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

/* An engine that does one copy or kernel at a time has no two that overlap. In a stream, nothing
 * begins before the previous work has ended. */
Test(timed, json)
{
    free(shell_must("$LANEWISE run --gpu h200 --json a.json $PROGRAMS/timed >/dev/null 2>&1"));
    char *text = shell_file("a.json", NULL);
    json_t *document = json_loads(text, 0, NULL), *piece, *other;
    const json_t *timeline = json_object_get(document, "timeline");
    const json_t *work = json_object_get(timeline, "work");
    size_t i, k, kernels = 0;
    double latest = 0;
    json_array_foreach(work, i, piece)
    {
        const char *engine = json_string_value(json_object_get(piece, "engine"));
        bool is_kernel = !json_object_get(piece, "bytes");
        double start = real_of(piece, "start_us"), end = real_of(piece, "end_us");
        kernels += is_kernel;
        latest = end > latest ? end : latest;
        cr_expect(end > start, "piece %zu", i);
        json_array_foreach(work, k, other)
        {
            bool same =
                json_equal(json_object_get(piece, "stream"), json_object_get(other, "stream")) ||
                (strcmp(engine, "compute") != 0 &&
                 json_equal(json_object_get(piece, "engine"), json_object_get(other, "engine")));
            cr_expect(k <= i || !same || real_of(other, "start_us") >= end - 1e-6,
                      "pieces %zu and %zu", i, k);
        }
    }
    double all = real_of(timeline, "us"), busy = real_of(timeline, "kernels_us") +
                                                 real_of(timeline, "copies_us") -
                                                 real_of(timeline, "overlapped_us");
    cr_expect_float_eq(all, latest, 1e-6);
    cr_expect(busy > 0 && busy <= all);
    cr_expect(real_of(timeline, "overlapped_us") > 0);
    cr_expect_eq(kernels, 9);
    cr_expect_eq(json_integer_value(json_object_get(timeline, "kernels")), 9);
    cr_expect_eq(json_integer_value(json_object_get(timeline, "unknown")), 0);
    cr_expect_str_eq(json_string_value(json_object_get(timeline, "gpu")), "h200");
    json_decref(document);
    free(text);
}

/* Without the name of a GPU, nothing is predicted, and the report says what the program's clocks
 * measured. */
Test(timed, the_report_names_clocks_that_are_no_gpus)
{
    char *output =
        shell_must("$LANEWISE run --lines 0 --json a.json $PROGRAMS/timed 2>&1 >/dev/null");
    char *json = shell_file("a.json", NULL);
    cr_expect(strstr(output, "cudaEventElapsedTime() measured the emulator, and clock() in "
                             "kernels counted instructions.\nThese are not times of a GPU."),
              "%s", output);
    cr_expect(!strstr(output, "whole program") && !strstr(json, "\"timeline\""));
    free(output);
    free(json);
    output = shell_must("$LANEWISE run --lines 0 $PROGRAMS/predicted 2>&1 >/dev/null");
    cr_expect(!strstr(output, "not times of a GPU"), "%s", output);
    free(output);
    output = shell_must("$LANEWISE run --gpu h200 --clock predicted --lines 0 $PROGRAMS/timed 2>&1 "
                        ">/dev/null");
    cr_expect(!strstr(output, "not times of a GPU"), "%s", output);
    free(output);
}

static const struct {
    const char *name, *script, *message;
} mistakes[] = {
    {"no GPU", "$LANEWISE run --clock predicted $PROGRAMS/timed",
     "--clock predicted needs the name of a GPU, such as --gpu h200"},
    {"another clock", "$LANEWISE run --gpu h200 --clock wall $PROGRAMS/timed",
     "unknown clock \"wall\"; --clock takes only predicted"},
    {"the variable without a GPU",
     "LANEWISE_CLOCK=predicted LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB $PROGRAMS/timed",
     "LANEWISE_CLOCK=predicted: needs LANEWISE_GPU"},
};

Test(timed, mistakes_are_refused_in_one_line)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int code;
        char *output = shell(&code, "%s 2>&1", mistakes[i].script);
        const char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit status %d", mistakes[i].name, code);
        cr_expect(strstr(output, mistakes[i].message), "%s: \"%s\"", mistakes[i].name, output);
        cr_expect(end && !end[1], "%s: not one line: \"%s\"", mistakes[i].name, output);
        free(output);
    }
}
