/* Writes JUnit's XML, with one test suite per lab and one test case per check. A wrong or slow
 * answer is a failure; a crash, a time-out or a missing program is an error. markup.h escapes every
 * ">" and opens no CDATA section, so "]]>" in a student's text is harmless. */
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/cause.h"
#include "report/markup.h"

/* Returns the name of JUnit's element for a check's outcome, or NULL if the check passed. */
static const char *outcome_of(const json_t *check)
{
    const char *status = json_text_of(check, "status");
    if (strcmp(status, "passed") == 0)
        return NULL;
    return strcmp(status, "failed") == 0 || strcmp(status, "partial") == 0 ? "failure" : "error";
}

static unsigned count_outcome(const json_t *result, const char *outcome)
{
    unsigned count = 0;
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        const char *its = outcome_of(check);
        count += its && strcmp(its, outcome) == 0;
    }
    return count;
}

static void put_case(struct markup *m, const json_t *result, const json_t *check)
{
    const char *outcome = outcome_of(check);
    char *feedback = report_check_feedback(result, check);
    char *message = report_message(result, check);
    markup_open(m, "testcase");
    markup_set(m, "classname", "lanewise.%s", json_text_of(result, "lab"));
    markup_set(m, "name", "%s", json_text_of(check, "title"));
    markup_set(m, "time", "%.3f", json_number_of(check, "seconds"));
    if (outcome) {
        markup_open(m, outcome);
        markup_set(m, "message", "%.6g of %.6g points: %s", json_number_of(check, "points"),
                   json_number_of(check, "max_points"), message ?: "");
        markup_set(m, "type", "%s", json_text_of(check, "status"));
        markup_text(m, "%s", feedback ? feedback : "");
        markup_close(m);
    }
    markup_close_line(m);
    free(message);
    free(feedback);
}

static void put_property(struct markup *m, const char *name, double value)
{
    markup_open(m, "property");
    markup_set(m, "name", "%s", name);
    markup_set(m, "value", "%.6g", value);
    markup_close(m);
}

static void put_counts(struct markup *m, unsigned tests, unsigned failures, unsigned errors,
                       double seconds)
{
    markup_set(m, "tests", "%u", tests);
    markup_set(m, "failures", "%u", failures);
    markup_set(m, "errors", "%u", errors);
    markup_set(m, "time", "%.3f", seconds);
}

static void put_suite(struct markup *m, const json_t *result)
{
    const json_t *checks = json_object_get(result, "checks");
    size_t i;
    json_t *check;
    markup_open(m, "testsuite");
    markup_set(m, "name", "%s", json_text_of(result, "lab"));
    put_counts(m, (unsigned)json_array_size(checks), count_outcome(result, "failure"),
               count_outcome(result, "error"), json_number_of(result, "seconds"));
    markup_set(m, "skipped", "0");
    markup_break(m);
    markup_open(m, "properties");
    put_property(m, "score", json_number_of(result, "score"));
    put_property(m, "max_score", json_number_of(result, "max_score"));
    put_property(m, "seed", json_number_of(result, "seed"));
    markup_close_line(m);
    json_array_foreach(checks, i, check) put_case(m, result, check);
    markup_close_line(m);
}

void report_junit(FILE *to, const json_t *document, const struct report_context *context)
{
    struct markup m = {.to = to};
    json_t *results = report_results(document);
    unsigned tests = 0, failures = 0, errors = 0;
    size_t i;
    json_t *result;
    json_array_foreach(results, i, result)
    {
        tests += (unsigned)json_array_size(json_object_get(result, "checks"));
        failures += count_outcome(result, "failure");
        errors += count_outcome(result, "error");
    }
    markup_raw(&m, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    markup_open(&m, "testsuites");
    markup_set(&m, "name", "lanewise");
    put_counts(&m, tests, failures, errors, json_number_of(document, "seconds"));
    markup_break(&m);
    json_array_foreach(results, i, result) put_suite(&m, result);
    markup_close_line(&m);
    json_decref(results);
}
