/* Losses, end to end: gpu/observe/losses.cu and student_losses.cu have kernels that waste and
 * twins that do not. Their comments say which finding is expected for each. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

TestSuite(losses, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define MOST 80

struct expectation {
    char kernel[60], id[40], cause[100]; /* id "": no finding is expected */
    json_int_t line;
};

static size_t read_source(const char *program, struct expectation *list)
{
    char name[100], *rest = NULL;
    snprintf(name, sizeof name, "%s.cu", program);
    char *source = shell_source(name);
    struct expectation next = {0};
    size_t count = 0;
    json_int_t number = 0, here = 0;
    for (char *line = source, *end; line && *line; line = rest) {
        end = strchr(line, '\n');
        rest = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        number++;
        if (strncmp(line, "// ", 3) == 0) {
            next = (struct expectation){0};
            sscanf(line, "// %39[a-z-]: %99[^\n]", next.id, next.cause);
            if (strcmp(line, "// fine") == 0)
                *next.id = '\0';
        }
        if (strstr(line, "// here")) {
            if (count && *list[count - 1].id && list[count - 1].line == 0)
                list[count - 1].line = number;
            else
                here = number; /* the line is in a function in front of its kernel */
        }
        if (sscanf(line, "__global__ void %59[a-z_0-9](", next.kernel) == 1) {
            cr_assert_lt(count, (size_t)MOST);
            next.line = here;
            here = 0;
            list[count++] = next;
        }
    }
    free(source);
    return count;
}

static bool is_of(const json_t *finding, const char *kernel)
{
    const char *name = json_string_value(json_object_get(finding, "kernel"));
    return strncmp(name, kernel, strlen(kernel)) == 0 && name[strlen(kernel)] == '(';
}

static void check(const struct expectation *wanted, const json_t *findings)
{
    size_t i;
    json_t *finding;
    bool found = false;
    json_array_foreach(findings, i, finding)
    {
        const char *id = json_string_value(json_object_get(finding, "id"));
        const char *cause = json_string_value(json_object_get(finding, "cause"));
        json_int_t line = json_integer_value(json_object_get(finding, "line"));
        if (!is_of(finding, wanted->kernel))
            continue;
        cr_expect(*wanted->id, "%s: [%s] in line %lld, %s", wanted->kernel, id, (long long)line,
                  cause);
        if (strcmp(id, wanted->id) == 0 && line == wanted->line) {
            found = true;
            cr_expect(strstr(cause, wanted->cause), "%s: %s", wanted->kernel, cause);
        }
    }
    cr_expect(found || !*wanted->id, "%s: no [%s] in line %lld", wanted->kernel, wanted->id,
              (long long)wanted->line);
}

/* PROGRAM has at least LEAST kernels. */
static void check_program(const char *program, size_t least)
{
    struct expectation list[MOST] = {0};
    size_t count = read_source(program, list);
    free(shell_must("$LANEWISE run --json a.json $PROGRAMS/%s 2>/dev/null", program));
    char *text = shell_file("a.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert_geq(count, least);
    for (size_t i = 0; i < count; i++)
        check(&list[i], json_object_get(document, "findings"));
    json_decref(document);
    free(text);
}

Test(losses, are_found_where_they_are_and_twins_are_fine)
{
    check_program("losses", 22);
}

Test(losses, of_students_are_found_where_they_are)
{
    check_program("student_losses", 40);
}

Test(losses, are_the_same_however_many_workers_there_are)
{
    free(shell_must("for p in losses student_losses; do for n in 1 2 5; do "
                    "$LANEWISE run --workers $n --json $n.json $PROGRAMS/$p 2>/dev/null; done; "
                    "cmp 1.json 2.json; cmp 1.json 5.json; done"));
}

Test(losses, are_printed_as_a_compiler_does)
{
    int code;
    char *text = shell(&code, "cd " LANEWISE_ROOT " && $LANEWISE run $PROGRAMS/losses 2>&1 | "
                              "sed -n '/-way bank conflict/,/ideal/p'");
    cr_expect(
        strstr(text, ": 32-way bank conflict, 992 extra wavefronts\n       [bank-conflict]\n"),
        "%s", text);
    cr_expect(strstr(text, "\n      |     ^~~~~"), "%s", text);
    cr_expect(strstr(text, "\n       help: let neighbouring lanes touch neighbouring words"), "%s",
              text);
    cr_expect(strstr(text, "\n       ideal here: 32 wavefronts, 32.0x fewer; the line takes "),
              "%s", text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(strlen(line), (size_t)100, "%s", line);
    free(text);
}
