/* Tests that SARIF logs have the required properties, and that all references are valid. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "report/sarif.h"
#include "tests/support/shell.h"

TestSuite(sarif, .init = shell_init, .fini = shell_fini, .timeout = 600);

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    cr_assert(text, "no text \"%s\"", name);
    return text;
}

static void check_location(const json_t *location)
{
    const json_t *place = json_object_get(location, "physicalLocation");
    const json_t *line = json_object_get(json_object_get(place, "region"), "startLine");
    const char *uri = text_of(json_object_get(place, "artifactLocation"), "uri");
    cr_expect(*uri && !strchr(uri, ' '), "%s", uri);
    cr_expect_gt(json_integer_value(line), 0);
}

static void check_result(const json_t *result, const json_t *rules)
{
    size_t i;
    json_t *location;
    const json_t *index = json_object_get(result, "ruleIndex");
    const json_t *rule = json_array_get(rules, (size_t)json_integer_value(index));
    const char *level = text_of(result, "level");
    cr_expect_str_eq(text_of(rule, "id"), text_of(result, "ruleId"));
    cr_expect(*text_of(json_object_get(result, "message"), "text"));
    cr_expect(strcmp(level, "error") == 0 || strcmp(level, "warning") == 0 ||
              strcmp(level, "note") == 0);
    cr_expect(json_is_array(json_object_get(result, "locations")));
    json_array_foreach(json_object_get(result, "locations"), i, location) check_location(location);
    json_array_foreach(json_object_get(result, "relatedLocations"), i, location)
        check_location(location);
}

/* Checks the whole log, and returns its results. */
static const json_t *check_log(const json_t *log)
{
    size_t i;
    json_t *result;
    cr_expect_str_eq(text_of(log, "version"), "2.1.0");
    cr_expect(strstr(text_of(log, "$schema"), "sarif-2.1.0"));
    cr_assert_eq(json_array_size(json_object_get(log, "runs")), 1);
    const json_t *run = json_array_get(json_object_get(log, "runs"), 0);
    const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    const json_t *rules = json_object_get(driver, "rules");
    const json_t *results = json_object_get(run, "results");
    cr_expect_str_eq(text_of(driver, "name"), "Lanewise");
    cr_assert(json_is_array(rules) && json_is_array(results));
    json_array_foreach(results, i, result) check_result(result, rules);
    return results;
}

Test(sarif, has_what_the_standard_requires)
{
    json_t *document = json_pack(
        "{s:[{s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:[{s:s, s:i}]}, {s:s, s:s, s:s, s:i, s:s}]}",
        "findings", "id", "race-shared", "severity", "error", "file", "/home/a b/x.cu", "line", 3,
        "column", 9, "message", "who is first?", "cause", "why", "related", "file", "x.cu", "line",
        2, "id", "no-ptx", "severity", "error", "file", "", "line", 0, "message", "no PTX");
    json_t *log = report_sarif(document);
    const json_t *results = check_log(log), *first = json_array_get(results, 0);
    cr_assert_eq(json_array_size(results), 2);
    cr_expect_str_eq(text_of(json_object_get(first, "message"), "text"), "who is first?; why");
    char *text = json_dumps(log, 0);
    cr_expect(strstr(text, "file:///home/a%20b/x.cu"), "%s", text);
    cr_expect_eq(json_array_size(json_object_get(json_array_get(results, 1), "locations")), 0);
    free(text);
    json_decref(log);
    json_decref(document);
}

Test(sarif, of_a_run_is_written)
{
    free(shell_must("$LANEWISE run --sarif a.sarif $PROGRAMS/uncoalesced-load 2>/dev/null"));
    char *text = shell_file("a.sarif", NULL);
    json_t *log = json_loads(text, 0, NULL);
    cr_expect_gt(json_array_size(check_log(log)), 8);
    cr_expect(strstr(text, "uncoalesced-load") && strstr(text, "uncoalesced-load.cu"));
    json_decref(log);
    free(text);
}

Test(sarif, of_a_grading_is_written)
{
    free(shell_must("$LANEWISE grade --lab 02 --submission " LANEWISE_ROOT
                    "/labs/02-coalesce/.skeleton.cu --device emulator --json a.json --sarif "
                    "a.sarif >/dev/null || [ $? -eq 1 ]"));
    char *text = shell_file("a.sarif", NULL);
    json_t *log = json_loads(text, 0, NULL);
    cr_expect_gt(json_array_size(check_log(log)), 0);
    cr_expect(strstr(text, "uncoalesced-load"));
    json_decref(log);
    free(text);
}
