/* Tests that every report shows the error that explains lost points, and the checks that it
 * explains. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cause.h"
#include "report/format.h"
#include "report/html.h"
#include "report/result_terminal.h"

#define MESSAGE "thread 32 reads what thread 0 writes"
#define PLACES  "; allocated here: line 1; freed here: line 7 of tools.h"
#define LINE    "a.cu:4: " MESSAGE PLACES " [race-shared]"

static const char *const formats[] = {"gradescope", "autolab", "junit", "csv", "json"};

/* Returns a result with three checks. The first has a wrong number, the second lost its points by
 * the race itself, and the third is slow. */
static json_t *make_result(void)
{
    json_t *place = json_pack("{s:s, s:i, s:i, s:s}", "file", "a.cu", "line", 4, "column", 5,
                              "source", "total += sums[t];");
    json_t *result = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:s, s:f, s:f, s:s, s:{s:s}, s:[o, o, o]}", "lab", "03-sums",
        "title", "Sums", "submission", "a.cu", "device_name", "e", "seed", 1, "status", "not-yet",
        "score", 5.0, "max_score", 30.0, "device", "emulator", "build", "status", "built", "checks",
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:O, s:f}", "id", "correct", "title",
                  "right sums", "status", "failed", "points", 0.0, "max_points", 10.0, "case",
                  "n = 5", "message", "sum is 1, but 2 is right", "hint", "Put one there.", "place",
                  place, "seconds", 0.0),
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:O, s:f}", "id", "race", "title",
                  "no races", "status", "failed", "points", 0.0, "max_points", 10.0, "case",
                  "n = 77", "message", "thread 64 reads what thread 31 writes", "hint",
                  "Put one there.", "place", place, "seconds", 0.0),
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:n, s:f}", "id", "fast", "title",
                  "few sectors", "status", "partial", "points", 5.0, "max_points", 10.0, "case", "",
                  "message", "20 sectors", "hint", "Read fewer.", "place", "seconds", 0.0));
    json_t *cause =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:[s, s], s:[{s:s, s:i, s:s}, {s:s, s:i, s:s}]}",
                  "id", "race-shared", "severity", "error", "message", MESSAGE, "case", "n = 5",
                  "help", "put a barrier there", "points", 20.0, "checks", "correct", "race",
                  "related", "file", "a.cu", "line", 1, "message", "allocated here", "file",
                  "my/tools.h", "line", 7, "message", "freed here");
    cr_assert(result && cause);
    json_object_update(cause, place);
    json_object_set_new(result, "causes", json_pack("[o]", cause));
    json_object_set_new(result, "version", json_string("1"));
    json_object_set_new(result, "seconds", json_real(1));
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), i, check)
        json_object_set_new(check, "figure", json_null());
    json_decref(place);
    return result;
}

static char *in_format(const char *name, const json_t *result)
{
    static const struct report_context context;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    report_format(name)(memory, result, &context);
    fclose(memory);
    return text;
}

Test(cause, every_format_tells_it)
{
    json_t *result = make_result();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        char *text = in_format(formats[i], result);
        cr_expect(strstr(text, MESSAGE), "%s: %s", formats[i], text);
        cr_expect(strstr(text, "sum is 1, but 2 is right"), "%s: %s", formats[i], text);
        free(text);
    }
    char *text = in_format("gradescope", result);
    cr_expect(strstr(text, "\"output\": \"Fix this first: it costs 20 points in 2 checks\\n" LINE
                           "\\nhelp: put a barrier there\\n"),
              "%s", text);
    free(text);
    text = in_format("junit", result);
    cr_expect(strstr(text, "sum is 1, but 2 is right; cause: " LINE "\""), "%s", text);
    free(text);
    json_decref(result);
}

/* On a terminal, the error comes first, and only once. */
Test(cause, comes_first_on_a_terminal)
{
    json_t *result = make_result();
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    report_result_terminal(memory, result, false);
    fclose(memory);
    static const char *const parts[] = {
        "  Fix this first: it costs 20 points in 2 checks\n",
        "       n = 5: " MESSAGE "; allocated here: line 1; freed here: line 7 of\n"
        "       tools.h\n",
        "       a.cu:4:5:\n",
        "       help: put a barrier there\n",
        "       costs points in: right sums; no races\n",
        "  ok             built",
        "       n = 5: sum is 1, but 2 is right\n"
        "       cause: the error on line 4, shown at the top\n",
        "       n = 77: the error on line 4, shown at the top\n",
        "       20 sectors\n       hint: Read fewer.\n",
    };
    char *at = text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        char *next = strstr(at, parts[i]);
        cr_expect(next, "no \"%s\" in %s", parts[i], at);
        at = next ? next : at;
    }
    cr_expect_not(strstr(text, "Put one there"), "%s", text);
    free(text);
    json_decref(result);
}

Test(cause, comes_first_on_the_page)
{
    json_t *result = make_result();
    char *text = NULL;
    size_t size;
    const struct report_page settings = {.source = "a\nb\nc\ntotal += sums[t];\n", .date = ""};
    FILE *memory = open_memstream(&text, &size);
    report_html(memory, result, &settings);
    fclose(memory);
    char *first = strstr(text, "<h2>Fix this first</h2>"),
         *checks = strstr(text, "<h2>Checks</h2>");
    cr_expect(first && checks && first < checks, "%s", text);
    cr_expect(strstr(text, "it costs 20 points in 2 checks: right sums; no races."), "%s", text);
    cr_expect(strstr(text, "<p>Cause: <a href=\"#L4\">a.cu:4</a> " MESSAGE), "%s", text);
    free(text);
    json_object_del(result, "causes");
    memory = open_memstream(&text, &size);
    report_html(memory, result, &settings);
    fclose(memory);
    cr_expect_not(strstr(text, "Fix this first") || strstr(text, "Cause: "), "%s", text);
    free(text);
    json_decref(result);
}

Test(cause, is_said_by_a_check_that_names_it)
{
    json_t *result = make_result(), *checks = json_object_get(result, "checks");
    const json_t *wrong = json_array_get(checks, 0), *race = json_array_get(checks, 1),
                 *slow = json_array_get(checks, 2);
    const json_t *cause = report_cause_of(result, wrong);
    cr_assert(cause);
    cr_expect_eq(report_cause_of(result, race), cause);
    cr_expect_null(report_cause_of(result, slow));
    cr_expect_not(report_says_cause(wrong, cause));
    cr_expect(report_says_cause(race, cause), "other numbers, the same error");
    char *message = report_message(result, slow);
    cr_expect_str_eq(message, "20 sectors");
    free(message);
    json_decref(result);
}
