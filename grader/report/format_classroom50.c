/* Writes result.json for Classroom 50. This file may contain only whole points, and its score must
 * be the sum of the tests' points, but our points have tenths. So we keep a running sum, and round
 * it down after each test; the test gets the difference. In total, rounding costs less than one
 * point. */
#include "report/format.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

/* Returns the whole part of SUM, a sum of points. */
static json_int_t whole(double sum)
{
    return (json_int_t)floor(sum + 0.01);
}

struct sums {
    double points, max_points;
};

static json_t *test_of(const json_t *document, const json_t *result, const json_t *check,
                       struct sums *sums)
{
    const char *status = json_string_value(json_object_get(check, "status"));
    struct sums before = *sums;
    sums->points += json_number_of(check, "points");
    sums->max_points += json_number_of(check, "max_points");
    return json_pack("{s:o, s:b, s:I, s:I}", "test-name",
                     report_check_name(document, result, check), "passed",
                     status && strcmp(status, "passed") == 0, "score",
                     whole(sums->points) - whole(before.points), "max-score",
                     whole(sums->max_points) - whole(before.max_points));
}

/* Adds the fields that identify the submission, except those that are unknown. */
static void add_identity(json_t *page, const struct report_context *context)
{
    const struct {
        const char *key, *value;
    } fields[] = {{"classroom", context->classroom},
                  {"assignment", context->assignment},
                  {"assignment_type", context->assignment_type},
                  {"owner", context->owner},
                  {"submission", context->submission},
                  {"commit", context->commit},
                  {"release", context->release},
                  {"review", context->review ? context->review : context->commit},
                  {"datetime", context->datetime},
                  {"graded_at", context->graded_at}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].value)
            json_object_set_new(page, fields[i].key, json_string(fields[i].value));
}

void report_classroom50(FILE *to, const json_t *document, const struct report_context *context)
{
    json_t *results = report_results(document), *tests = json_array();
    json_t *page = json_pack("{s:s}", "schema", "classroom50/result/v1");
    struct sums sums = {0};
    size_t i, j;
    json_t *result, *check;
    json_array_foreach(results, i, result)
    {
        json_array_foreach(json_object_get(result, "checks"), j, check)
            json_array_append_new(tests, test_of(document, result, check, &sums));
    }
    add_identity(page, context);
    json_object_set_new(page, "score", json_integer(whole(sums.points)));
    json_object_set_new(page, "max-score", json_integer(whole(sums.max_points)));
    json_object_set_new(page, "tests", tests);
    json_dumpf(page, to, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH);
    fputc('\n', to);
    json_decref(page);
    json_decref(results);
}
