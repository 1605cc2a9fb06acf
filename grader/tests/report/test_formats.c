/* Tests the formats for learning systems. Their documents, with harmless and hostile texts, are
 * checked against the schemas in formats/. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "config.h"
#include "report/format.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(formats, .init = submission_init, .fini = shell_fini, .timeout = 180);

#define SCHEMAS LANEWISE_ROOT "/grader/tests/report/formats"
/* A text with a tag, the ends of a script and of a CDATA section, an escape sequence, Markdown, a
 * formula, and bytes that XML forbids. */
#define EVIL                                                                                       \
    "=HYPERLINK(1)</script><script>alert(1)</script>]]>&amp;<!--\"'\n| a | b |\n`x` [l](u) "       \
    "\x1b[31m\x01 \xef\xbf\xbf \xe2\x80\xae"

static const char *const names[] = {"gradescope", "autolab", "classroom50", "junit",
                                    "csv",        "json",    "lines"};
enum { FORMATS = sizeof names / sizeof *names };

static const struct report_context context = {
    .classroom = "cuda-101",
    .assignment = "coalesce",
    .assignment_type = "individual",
    .owner = "alice",
    .submission = "submit/2026-11-21T10-00-00Z-abc",
    .commit = "https://github.com/c/coalesce-alice/commit/abc",
    .release = "https://github.com/c/coalesce-alice/releases/tag/abc",
    .datetime = "2026-11-21T10:00:00Z",
    .graded_at = "2026-11-21T10:05:00Z",
};

/* Returns DOCUMENT in format NAME. The caller frees it. */
static char *format(const char *name, const json_t *document)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    cr_assert(report_format(name), "no format %s", name);
    report_format(name)(memory, document, &context);
    fclose(memory);
    cr_expect_eq(strlen(text), size, "%s: NUL bytes", name);
    return text;
}

/* --- schemas ---------------------------------------------------------------------------------- */

/* The command that checks a file of each format against its schema. It exits with 0
 * if the file is valid. */
#define JSON_FITS "/usr/bin/python3 -W ignore -m jsonschema -i %s " SCHEMAS
static const char *const validators[FORMATS] = {
    JSON_FITS "/gradescope.schema.json",
    "/usr/bin/python3 -c 'import json; print(json.dumps([json.loads(line) for line in "
    "open(\"%s\").read().splitlines()]))' >lines.json && /usr/bin/python3 -W ignore -m jsonschema "
    "-i lines.json " SCHEMAS "/autolab.schema.json",
    JSON_FITS "/classroom50.schema.json",
    "xmllint --noout --nonet --schema " SCHEMAS "/junit.xsd %s",
    "/usr/bin/python3 -c 'import csv; rows = list(csv.reader(open(\"%s\", newline=\"\"), "
    "strict=True)); assert len(rows) > 1 and all(len(row) == 8 for row in rows), rows'",
    "/usr/bin/python3 -m json.tool %s",
    "! grep -vP '^\\S.*:\\d+:(\\d+:)? (fatal )?(error|warning|note): .*$' %s",
};

static void expect_valid(size_t i, const char *text, const char *what)
{
    int code;
    char command[1000], path[100], *output;
    snprintf(path, sizeof path, "%s.out", names[i]);
    output = shell_must("pwd");
    output[strcspn(output, "\n")] = 0;
    char full[300];
    snprintf(full, sizeof full, "%s/%s", output, path);
    free(output);
    cr_assert(base_write_file(full, text, strlen(text), 0600));
    snprintf(command, sizeof command, validators[i], path);
    output = shell(&code, "%s", command);
    cr_expect_eq(code, 0, "%s of %s:\n%s\n%s", names[i], what, output, text);
    free(output);
}

static json_t *grade_mutant(void)
{
    int code;
    json_t *result;
    submission_write_mutant("04-bank-conflicts", "mask-tree", "mutant.cu");
    free(submission_grade("04-bank-conflicts", "mutant.cu", &code, &result));
    cr_assert(result);
    return result;
}

Test(formats, a_grading_fits_every_schema)
{
    json_t *result = grade_mutant();
    json_t *set = json_pack("{s:s, s:f, s:f, s:f, s:s, s:s, s:i, s:s, s:[O, O]}", "schema",
                            "lanewise/results/v1", "score", 50.5, "max_score", 200.0, "seconds",
                            2.0, "device", "emulator", "version", "0.1", "seed", 1, "status",
                            "not-yet", "results", result, result);
    json_object_set_new(json_array_get(json_object_get(set, "results"), 1), "title",
                        json_string("another"));
    for (size_t i = 0; i < FORMATS; i++) {
        char *one = format(names[i], result);
        expect_valid(i, one, "a result");
        free(one);
        if (strcmp(names[i], "autolab") == 0)
            continue; /* Autolab's format has one stage per lab, not per check */
        char *both = format(names[i], set);
        expect_valid(i, both, "a set");
        free(both);
    }
    json_decref(set);
    json_decref(result);
}

/* A schema that accepts everything would prove nothing. So each schema must refuse a document whose
 * first field is missing. */
Test(formats, schemas_refuse_what_lacks_something)
{
    static const char *const scripts[] = {
        "echo '{}' >a.out && ! " JSON_FITS "/gradescope.schema.json",
        "echo '[{}, {}]' >a.out && ! " JSON_FITS "/autolab.schema.json",
        "echo '{}' >a.out && ! " JSON_FITS "/classroom50.schema.json",
        "echo '<testsuites/>' >a.out && ! xmllint --noout --schema " SCHEMAS "/junit.xsd %s",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char command[600];
        snprintf(command, sizeof command, scripts[i], "a.out");
        free(shell_must("%s", command));
    }
}

/* --- hostile texts ---------------------------------------------------------------------------- */

/* Returns a result with hostile text everywhere that a student can influence. */
static json_t *make_result(const char *text)
{
    json_t *result = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:f, s:f, s:f, s:{s:s, s:s},"
        " s:[{s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:f, s:n, s:{s:s, s:i, s:i, s:s}},"
        " {s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:f, s:n, s:n}]}",
        "schema", "lanewise/result/v1", "lab", "02-coalesce", "title", text, "device", "emulator",
        "device_name", "e", "version", "0.1", "seed", 1, "status", "not-yet", "score", 3.5,
        "max_score", 10.0, "seconds", 1.5, "build", "status", "built", "messages", text, "checks",
        "id", "a", "title", text, "points", 3.5, "max_points", 7.0, "status", "partial", "case",
        text, "message", text, "hint", text, "note", text, "seconds", 0.5, "figure", "place",
        "file", text, "line", 1, "column", 2, "source", text, "id", "b", "title", "b", "points",
        0.0, "max_points", 3.0, "status", "not-built", "case", "", "message", text, "hint", "",
        "note", "", "seconds", 0.5, "figure", "place");
    json_t *cause =
        json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:f, s:[s, s], s:[{s:s, s:i, s:s}]}", "id", text,
                  "file", text, "line", 1, "message", text, "case", text, "help", text, "points",
                  3.5, "checks", "a", "b", "related", "file", text, "line", 1, "message", text);
    json_object_set_new(result, "causes", json_pack("[o]", cause));
    return result;
}

Test(formats, hostile_text_stays_text)
{
    json_t *result = make_result(EVIL);
    cr_assert(result);
    for (size_t i = 0; i < FORMATS; i++) {
        char *text = format(names[i], result);
        expect_valid(i, text, "mischief");
        if (strcmp(names[i], "json") != 0) { /* JSON is cleaned when it is made */
            cr_expect(!strchr(text, '\x1b') && !strchr(text, '\x01'), "%s: %s", names[i], text);
            cr_expect(!strstr(text, "\xef\xbf\xbf") && !strstr(text, "\xe2\x80\xae"), "%s: %s",
                      names[i], text);
        }
        if (strcmp(names[i], "junit") == 0)
            cr_expect(!strstr(text, "]]>") && !strstr(text, "<script"), "%s", text);
        else if (strcmp(names[i], "csv") == 0)
            cr_expect(strstr(text, "\"'=HYPERLINK(1)") && !strstr(text, ",\"=HYPERLINK"), "%s",
                      text);
        else if (strcmp(names[i], "json") != 0 && strcmp(names[i], "lines") != 0)
            cr_expect(!strstr(text, "</script"), "%s: %s", names[i], text);
        free(text);
    }
    json_decref(result);
}

static const struct {
    const char *text, *field;
} fields[] = {
    {"", ""},
    {"plain", "plain"},
    {"a,b", "\"a,b\""},
    {"a\"b", "\"a\"\"b\""},
    {"two\nlines", "\"two\nlines\""},
    {"=1+1", "\"'=1+1\""},
    {"-1", "\"'-1\""},
    {"@SUM(A1)", "\"'@SUM(A1)\""},
    {"+1", "\"'+1\""},
    {"\ta", "\"'\ta\""},
    {"a\rb", "a?b"},
};

Test(formats, csv_fields_are_quoted)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        report_csv_field(memory, fields[i].text);
        fclose(memory);
        cr_expect_str_eq(text, fields[i].field);
        free(text);
    }
}

/* --- meaning ---------------------------------------------------------------------------------- */

/* The points of the checks are whole numbers. Their sum is the score, rounded down. */
Test(formats, classroom50_counts_in_whole_points)
{
    static const double points[] = {0.7, 9.7, 10, 3.3, 0}, maximum[] = {10, 10, 10, 12.5, 7.5};
    json_t *checks = json_array();
    for (size_t i = 0; i < 5; i++)
        json_array_append_new(checks, json_pack("{s:s, s:s, s:f, s:f}", "title", "t", "status",
                                                points[i] == maximum[i] ? "passed" : "partial",
                                                "points", points[i], "max_points", maximum[i]));
    json_t *result = json_pack("{s:s, s:o}", "lab", "a", "checks", checks);
    char *text = format("classroom50", result);
    json_t *page = json_loads(text, 0, NULL), *test;
    json_int_t sum = 0, most = 0;
    size_t i;
    json_array_foreach(json_object_get(page, "tests"), i, test)
    {
        sum += json_integer_value(json_object_get(test, "score"));
        most += json_integer_value(json_object_get(test, "max-score"));
    }
    cr_expect_eq(sum, 23, "%s", text);
    cr_expect_eq(sum, json_integer_value(json_object_get(page, "score")));
    cr_expect_eq(most, 50);
    cr_expect_eq(most, json_integer_value(json_object_get(page, "max-score")));
    free(text);
    json_decref(page);
    json_decref(result);
}

static const struct {
    const char *status, *element;
} outcomes[] = {
    {"failed", "failure"}, {"partial", "failure"}, {"crashed", "error"},
    {"timeout", "error"},  {"no-result", "error"}, {"not-built", "error"},
};

Test(formats, junit_distinguishes_time_outs_from_wrong_answers)
{
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        char want[100];
        json_t *result = json_pack("{s:s, s:[{s:s, s:s, s:s}]}", "lab", "a", "checks", "title", "t",
                                   "status", outcomes[i].status, "message", "m");
        char *text = format("junit", result);
        snprintf(want, sizeof want, "<%s message=\"0 of 0 points: m\" type=\"%s\">",
                 outcomes[i].element, outcomes[i].status);
        cr_expect(strstr(text, want), "%s: %s", outcomes[i].status, text);
        free(text);
        json_decref(result);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

#define GRADE "$LANEWISE grade --lab 2 --device emulator --seed 1 --json r.json "

/* A partly solved lab gets a grade: exit code 0, and only the document on stdout. */
Test(formats, the_document_is_alone_on_stdout)
{
    int code;
    char *text = shell(&code, GRADE "--format autolab 2>report.txt");
    cr_expect_eq(code, 0, "exit code %d: %s", code, text);
    expect_valid(1, text, "the command's");
    cr_expect(strstr(text, "{\"scores\":{\"02-coalesce\":30.0}"), "%s", text);
    free(text);
    text = shell_file("report.txt", NULL);
    cr_expect(strstr(text, "30 of 100 points"), "%s", text);
    free(text);
}

Test(formats, a_file_leaves_stdout_to_the_report)
{
    int code;
    char *text =
        shell(&code, "export CLASSROOM=c ASSIGNMENT=a USERNAME=u SUBMISSION_TAG=t "
                     "COMMIT_URL=m RELEASE_URL=r LANEWISE_SUBMITTED=2026-01-02T03:04:05Z\n" GRADE
                     "--format classroom50 --out result.json");
    cr_expect_eq(code, 0, "exit code %d: %s", code, text);
    cr_expect(strstr(text, "30 of 100 points"), "%s", text);
    free(text);
    text = shell_file("result.json", NULL);
    cr_expect(strstr(text, "2026-01-02T03:04:05Z"), "%s", text);
    expect_valid(2, text, "the command's");
    free(text);
}

static const struct {
    const char *name, *make, *why;
} unfit[] = {
    {"a folder without the file", "mkdir s; echo hello >s/other.cu",
     "contains neither coalesce.cu nor"},
    {"an empty file", "mkdir s; echo >s/coalesce.cu", "is empty"},
    {"no text", "mkdir s; printf 'a\\0b' >s/coalesce.cu", "is not a text file"},
    {"another lab's", "mkdir s; echo '/* Lab 5: a */' >s/coalesce.cu", "is for lab 05"},
    {"a link", "mkdir s; ln -s /etc/passwd s/coalesce.cu", "is a link"},
    {"too much", "mkdir s; head -c 2000000 /dev/zero | tr '\\0' a >s/coalesce.cu", "is too large"},
    {"a link as the file itself", "mkdir s; ln -s /etc/passwd s/a.cu; set -- s/a.cu", "is a link"},
};

/* A submission that cannot be graded gets 0 points. The document contains the reason, and lists all
 * checks. */
Test(formats, what_is_unfit_gets_no_points)
{
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        int code;
        char *text = shell(
            &code, "rm -rf s; %s\n" GRADE "--submission ${1:-s} --format gradescope 2>/dev/null",
            unfit[i].make);
        json_t *page = json_loads(text, 0, NULL);
        cr_expect_eq(code, 0, "%s: exit code %d", unfit[i].name, code);
        cr_expect_eq(json_array_size(json_object_get(page, "tests")), 4, "%s: %s", unfit[i].name,
                     text);
        cr_expect_eq(json_number_value(json_object_get(page, "score")), 0, "%s", unfit[i].name);
        cr_expect(strstr(text, unfit[i].why), "%s: no \"%s\" in %s", unfit[i].name, unfit[i].why,
                  text);
        json_decref(page);
        free(text);
    }
}

static const struct {
    const char *name, *command;
    int code;
} failures[] = {
    {"no compiler", "NVCC=/nonexistent/nvcc " GRADE "--format json --out old.json", 2},
    {"no submission", GRADE "--submission nowhere --format json --out old.json", 2},
    {"no such format", GRADE "--format xml --out old.json", 2},
    {"no format", GRADE "--out old.json", 2},
};

/* If there is no grade, the exit code is not 0, and an earlier file does not remain. */
Test(formats, a_failure_leaves_no_file)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        int code;
        char *output =
            shell(&code, "echo earlier >old.json; echo '// %zu' >>labs/02-coalesce/coalesce.cu\n%s",
                  i, failures[i].command);
        cr_expect_eq(code, failures[i].code, "%s: exit code %d: %s", failures[i].name, code,
                     output);
        free(shell_must("test ! -e old.json"));
        free(output);
    }
}
