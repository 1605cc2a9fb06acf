#include "tests/support/marks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

#define COLUMNS 100
#define MOST    128

struct expectation {
    char kernel[80], id[24]; /* the expected finding, or "fine" if no finding is expected */
    json_int_t marked[3];    /* numbers of the lines marked A, B and C, or 0 */
    json_int_t from, to;     /* first and last line of a host function, or 0 */
};

/* --- expectations in the source ------------------------------------------------------------- */

/* Reads a mark at the end of a line: "A", "B", "AB" and so on; or, in a function that a kernel
 * calls, "A of KERNEL". */
static void take_mark(struct expectation *list, size_t count, const char *line, json_int_t number)
{
    char kernel[80], letter[2];
    const char *mark = strstr(line, " // ");
    if (!mark)
        return;
    if (sscanf(mark, " // %1[ABC] of %79[a-z_0-9]", letter, kernel) == 2) {
        /* the kernel comes later in the file: keep its mark in LIST[0] */
        if (strcmp(list[0].kernel, kernel) != 0)
            list[0] = (struct expectation){0};
        snprintf(list[0].kernel, sizeof list[0].kernel, "%s", kernel);
        list[0].marked[*letter - 'A'] = number;
        return;
    }
    for (mark += 4; *mark >= 'A' && *mark <= 'C'; mark++)
        list[count - 1].marked[*mark - 'A'] = number;
}

/* Reads the expectations into LIST, from LIST[1] on, and returns their number plus 1. LIST[0] keeps
 * a mark: see take_mark(). */
static size_t read_source(const char *name, struct expectation *list)
{
    char *source = shell_source(name), *rest = NULL, id[24] = "";
    size_t count = 1;
    json_int_t number = 0;
    for (char *line = source, *end; line && *line; line = rest) {
        end = strchr(line, '\n');
        rest = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        number++;
        char kernel[80];
        bool is_host = sscanf(line, "static void %79[a-z_0-9]()", kernel) == 1 && *id;
        if (line[0] == '}')
            list[count - 1].to = number;
        if (is_host || sscanf(line, "__global__ void %79[a-z_0-9](", kernel) == 1) {
            cr_assert_lt(count, (size_t)MOST);
            cr_assert(*id, "%s:%lld: the comment before %s has no expectation", name,
                      (long long)number, kernel);
            list[count] = (struct expectation){0};
            memcpy(list[count].id, id, sizeof id);
            memcpy(list[count].kernel, kernel, sizeof kernel);
            list[count].from = is_host ? number : 0;
            if (strcmp(list[0].kernel, kernel) == 0)
                memcpy(list[count].marked, list[0].marked, sizeof list[0].marked);
            count++;
            *id = '\0';
        }
        take_mark(list, count, line, number);
        sscanf(line, "// %23[a-z-]", id);
    }
    free(source);
    return count;
}

/* --- findings ------------------------------------------------------------------------------- */

static json_int_t line_of(const json_t *place)
{
    return json_integer_value(json_object_get(place, "line"));
}

static bool is_of(const json_t *finding, const struct expectation *wanted)
{
    const char *name = json_string_value(json_object_get(finding, "kernel"));
    size_t length = strlen(wanted->kernel);
    if (wanted->from && line_of(finding) >= wanted->from && line_of(finding) <= wanted->to)
        return true;
    return strncmp(name, wanted->kernel, length) == 0 && name[length] == '(';
}

/* Whether the finding also names LINE. If LINE is 0: whether it names no other line of a kernel. */
static bool is_about(const json_t *finding, json_int_t line)
{
    size_t i;
    json_t *place;
    bool found = !line;
    json_array_foreach(json_object_get(finding, "related"), i, place)
    {
        if (line ? line_of(place) == line : !json_object_get(place, "message"))
            found = line;
    }
    return found;
}

/* Checks a finding, and sets FOUND for the marked lines that it names. A deadlock must name exactly
 * the threads that wait for each other. */
static void check_finding(const struct expectation *wanted, const json_t *finding, bool found[3])
{
    const char *id = json_string_value(json_object_get(finding, "id"));
    const char *message = json_string_value(json_object_get(finding, "message"));
    json_int_t line = line_of(finding);
    cr_expect_str_eq(id, wanted->id, "%s, line %lld: %s [%s]", wanted->kernel, (long long)line,
                     message, id);
    cr_expect(strlen(message) < COLUMNS, "%s: too long: %s", wanted->kernel, message);
    for (size_t i = 1; i < 3; i++)
        found[i] |= line == wanted->marked[i] && is_about(finding, wanted->marked[0]);
    cr_expect(strcmp(id, "deadlock") != 0 || line == wanted->marked[1] || line == wanted->marked[2],
              "%s: the deadlock names line %lld, where no thread should wait", wanted->kernel,
              (long long)line);
}

static void check_kernel(const struct expectation *wanted, const json_t *findings)
{
    bool found[3] = {false}, is_fine = strcmp(wanted->id, "fine") == 0;
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding) if (is_of(finding, wanted))
        check_finding(wanted, finding, found);
    cr_expect(found[1] || is_fine, "%s: no finding %s for lines %lld and %lld", wanted->kernel,
              wanted->id, (long long)wanted->marked[0], (long long)wanted->marked[1]);
    cr_expect(found[2] || !wanted->marked[2], "%s: no finding %s for line %lld", wanted->kernel,
              wanted->id, (long long)wanted->marked[2]);
}

json_t *marks_findings(const char *program, const char *tools, const char *options)
{
    free(shell_must("$LANEWISE run --json out.json --tools %s %s $PROGRAMS/%s", tools, options,
                    program));
    char *text = shell_file("out.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert(document);
    json_t *errors = json_array(), *finding;
    size_t i;
    json_array_foreach(json_object_get(document, "findings"), i, finding)
    {
        if (strcmp(json_string_value(json_object_get(finding, "severity")), "error") == 0)
            json_array_append(errors, finding);
    }
    json_decref(document);
    free(text);
    return errors;
}

static size_t read_program(const char *program, struct expectation *list)
{
    char name[100];
    snprintf(name, sizeof name, "%s.cu", program);
    return read_source(name, list);
}

void marks_check(const char *program, const char *tools, size_t least)
{
    struct expectation list[MOST] = {0};
    size_t count = read_program(program, list);
    json_t *findings = marks_findings(program, tools, "");
    cr_assert_gt(count, least);
    for (size_t i = 1; i < count; i++)
        check_kernel(&list[i], findings);
    json_decref(findings);
}

void marks_check_each(const char *program, const char *tools, size_t least)
{
    struct expectation list[MOST] = {0};
    size_t count = read_program(program, list);
    cr_assert_gt(count, least);
    for (size_t i = 1; i < count; i++) {
        char command[200];
        snprintf(command, sizeof command, "%s %s", program, list[i].kernel);
        json_t *findings = marks_findings(command, tools, "");
        check_kernel(&list[i], findings);
        json_decref(findings);
    }
}
