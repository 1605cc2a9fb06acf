/* Writes /autograder/results/results.json for Gradescope. Marks all text as plain text, so that
 * Gradescope does not interpret markup in a student's output. */
#include "base/json.h"
#include "report/cause.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

static bool is_passed(const json_t *check)
{
    return strcmp(json_text_of(check, "status"), "passed") == 0;
}

/* Returns CHECK as a test that students see. Only instructors see "extra_data", when they download
 * the results. */
static json_t *test_of(const json_t *document, const json_t *result, const json_t *check,
                       size_t number)
{
    char *output = report_check_feedback(result, check);
    json_t *test = json_pack(
        "{s:f, s:f, s:s, s:o, s:o, s:s, s:s, s:[O], s:s, s:{s:O, s:O, s:O, s:O}}", "score",
        json_number_of(check, "points"), "max_score", json_number_of(check, "max_points"), "status",
        is_passed(check) ? "passed" : "failed", "name", report_check_name(document, result, check),
        "number", json_sprintf("%zu", number), "output", output ? output : "", "output_format",
        "text", "tags", json_object_get(check, "status"), "visibility", "visible", "extra_data",
        "lab", json_object_get(result, "lab"), "check", json_object_get(check, "id"), "status",
        json_object_get(check, "status"), "figure", json_object_get(check, "figure"));
    free(output);
    return test;
}

/* Adds FIGURE, a measured value such as the number of sectors, to the leaderboard. */
static void add_figure(json_t *leaderboard, json_t *name, const json_t *figure)
{
    if (json_is_object(figure)) {
        bool less = json_number_of(figure, "full") < json_number_of(figure, "naive");
        json_array_append_new(leaderboard, json_pack("{s:O, s:f, s:s}", "name", name, "value",
                                                     json_number_of(figure, "value"), "order",
                                                     less ? "asc" : "desc"));
    }
}

/* Writes the errors that cost points, with advice about them. */
static void put_causes(FILE *to, const json_t *result)
{
    size_t i;
    json_t *cause;
    json_array_foreach(json_object_get(result, "causes"), i, cause)
    {
        char *line = report_cause_line(cause), *cost = report_cause_cost(cause);
        fprintf(to, "%s: %s\n%s\nhelp: %s\n", i == 0 ? "Fix this first" : "Then fix this",
                cost ? cost : "", line ? line : "", json_text_of(cause, "help"));
        free(cost);
        free(line);
    }
}

static json_t *summary_of(const json_t *results)
{
    size_t i;
    json_t *result;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return json_string("");
    json_array_foreach(results, i, result)
    {
        put_causes(memory, result);
        fprintf(memory, "%s: %.6g of %.6g points. Graded on %s, with seed %lld.\n",
                json_text_of(result, "lab"), json_number_of(result, "score"),
                json_number_of(result, "max_score"), json_text_of(result, "device_name"),
                (long long)json_integer_of(result, "seed"));
    }
    fclose(memory);
    json_t *summary = json_string(text);
    free(text);
    return summary;
}

void report_gradescope(FILE *to, const json_t *document, const struct report_context *context)
{
    json_t *results = report_results(document), *tests = json_array(), *leaderboard = json_array();
    size_t i, j;
    json_t *result, *check;
    json_array_foreach(results, i, result)
    {
        json_array_foreach(json_object_get(result, "checks"), j, check)
        {
            json_t *test = test_of(document, result, check, json_array_size(tests) + 1);
            json_array_append_new(tests, test);
            add_figure(leaderboard, json_object_get(test, "name"),
                       json_object_get(check, "figure"));
        }
    }
    json_t *page = json_pack(
        "{s:f, s:f, s:o, s:s, s:s, s:s, s:{s:O, s:O, s:O}, s:o, s:o}", "score",
        json_number_of(document, "score"), "execution_time", json_number_of(document, "seconds"),
        "output", summary_of(results), "output_format", "text", "visibility", "visible",
        "stdout_visibility", "hidden", "extra_data", "version",
        json_object_get(document, "version"), "device", json_object_get(document, "device"), "seed",
        json_object_get(document, "seed"), "tests", tests, "leaderboard", leaderboard);
    json_dumpf(page, to,
               JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH | JSON_REAL_PRECISION(12));
    fputc('\n', to);
    json_decref(page);
    json_decref(results);
}
