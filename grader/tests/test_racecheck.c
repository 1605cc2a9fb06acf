/* racecheck, on kernels with planted races and the same kernels done right: programs/races_*.cu. What
 * is expected of each stands in the source itself, as races.cuh describes. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/shell.h"

TestSuite(racecheck, .init = shell_init, .fini = shell_fini, .timeout = 240);

#define COLUMNS 100
#define MOST    128

struct expectation {
    char kernel[80], id[24];  /* id: "fine" if there must be no finding */
    json_int_t first, second; /* lines marked A and B */
};

/* --- what the source expects --------------------------------------------------------------------- */

/* A mark behind a line: "A", "B", "AB" or "A of KERNEL", where the line is another function's. */
static void take_mark(struct expectation *list, size_t count, const char *line, json_int_t number)
{
    char kernel[80];
    const char *mark = strstr(line, " // ");
    if (!mark || !count)
        return;
    if (sscanf(mark, " // A of %79[a-z_0-9]", kernel) == 1) {
        /* its expectation is added later: kept apart, in front */
        snprintf(list[0].kernel, sizeof list[0].kernel, "%s", kernel);
        list[0].first = number;
        return;
    }
    for (mark += 4; *mark == 'A' || *mark == 'B'; mark++)
        *(*mark == 'A' ? &list[count - 1].first : &list[count - 1].second) = number;
}

/* LIST[0] is not an expectation: see take_mark(). */
static size_t read_source(const char *path, struct expectation *list)
{
    char *source = shell_file(path, NULL), *rest = NULL, id[24] = "";
    size_t count = 1;
    json_int_t number = 0;
    for (char *line = source, *end; line && *line; line = rest) {
        end = strchr(line, '\n');
        rest = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        number++;
        char kernel[80];
        if (sscanf(line, "__global__ void %79[a-z_0-9](", kernel) == 1) {
            cr_assert_lt(count, (size_t)MOST);
            cr_assert(*id, "%s:%lld: nothing is expected of %s", path, (long long)number, kernel);
            list[count] = (struct expectation){0};
            memcpy(list[count].id, id, sizeof id);
            memcpy(list[count].kernel, kernel, sizeof kernel);
            if (strcmp(list[0].kernel, kernel) == 0)
                list[count].first = list[0].first;
            count++;
            *id = '\0';
        }
        take_mark(list, count, line, number);
        sscanf(line, "// %23[a-z-]", id);
    }
    free(source);
    return count;
}

/* --- what was found --------------------------------------------------------------------------------- */

static json_int_t line_of(const json_t *place)
{
    return json_integer_value(json_object_get(place, "line"));
}

static bool is_of(const json_t *finding, const char *kernel)
{
    const char *name = json_string_value(json_object_get(finding, "kernel"));
    return strncmp(name, kernel, strlen(kernel)) == 0 && name[strlen(kernel)] == '(';
}

static void check_finding(const struct expectation *wanted, const json_t *finding, bool *found)
{
    const char *id = json_string_value(json_object_get(finding, "id"));
    const char *message = json_string_value(json_object_get(finding, "message"));
    const json_t *related = json_array_get(json_object_get(finding, "related"), 0);
    cr_expect_str_eq(id, wanted->id, "%s, line %lld: %s [%s]", wanted->kernel,
                     (long long)line_of(finding), message, id);
    cr_expect(strlen(message) < COLUMNS, "%s: too long: %s", wanted->kernel, message);
    *found |= line_of(finding) == wanted->second && line_of(related) == wanted->first;
}

static void check_kernel(const struct expectation *wanted, const json_t *findings)
{
    bool found = strcmp(wanted->id, "fine") == 0;
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding) if (is_of(finding, wanted->kernel))
        check_finding(wanted, finding, &found);
    cr_expect(found, "%s: no %s of lines %lld and %lld", wanted->kernel, wanted->id,
              (long long)wanted->first, (long long)wanted->second);
}

static json_t *findings_of(const char *program, const char *options)
{
    free(shell_must("$LANEWISE run --json out.json --tools racecheck %s $PROGRAMS/%s", options,
                    program));
    char *text = shell_file("out.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert(document);
    json_t *findings = json_incref(json_object_get(document, "findings"));
    json_decref(document);
    free(text);
    return findings;
}

/* Of at least LEAST kernels. */
static void check_program(const char *program, size_t least)
{
    struct expectation list[MOST] = {0};
    char path[200];
    snprintf(path, sizeof path, LANEWISE_ROOT "/grader/tests/programs/%s.cu", program);
    size_t count = read_source(path, list);
    json_t *findings = findings_of(program, "");
    cr_assert_gt(count, least);
    for (size_t i = 1; i < count; i++)
        check_kernel(&list[i], findings);
    json_decref(findings);
}

Test(racecheck, shared_memory)
{
    check_program("races_shared", 24);
}

Test(racecheck, parts_of_words_and_of_blocks)
{
    check_program("races_words", 24);
}

Test(racecheck, global_memory)
{
    check_program("races_global", 24);
}

Test(racecheck, barriers_and_copies_beside_the_threads)
{
    check_program("races_async", 16);
}

Test(racecheck, finds_the_same_with_any_number_of_workers)
{
    static const char *const programs[] = {"races_shared", "races_words", "races_global"};
    for (size_t i = 0; i < 3; i++) {
        json_t *one = findings_of(programs[i], "--workers 1");
        json_t *seven = findings_of(programs[i], "--workers 7");
        cr_expect(json_equal(one, seven), "%s", programs[i]);
        json_decref(one);
        json_decref(seven);
    }
}

/* --- programs that are meant to be right ------------------------------------------------------------ */

static const char *const right_programs[] = {
    "api_answers", "api_more",    "graphs",  "cooperative", "launch_api",
    "memory_api",  "memory_more", "streams", "textures",    "matmul_ladder",
    "sum_ladder",  "threads",     "indices", "async",       "lane_talk",
};

Test(racecheck, is_silent_about_right_programs)
{
    for (size_t i = 0; i < sizeof right_programs / sizeof *right_programs; i++) {
        json_t *findings = findings_of(right_programs[i], ""), *finding;
        size_t k;
        json_array_foreach(findings, k, finding)
        {
            const char *id = json_string_value(json_object_get(finding, "id"));
            cr_expect(strncmp(id, "race", 4) != 0, "%s, line %lld: %s", right_programs[i],
                      (long long)line_of(finding),
                      json_string_value(json_object_get(finding, "message")));
        }
        json_decref(findings);
    }
}

/* --- the option ---------------------------------------------------------------------------------------- */

Test(racecheck, is_off_unless_it_is_asked_for)
{
    free(shell_must("$LANEWISE run --json out.json --tools memcheck $PROGRAMS/races_shared"));
    char *text = shell_file("out.json", NULL);
    cr_expect(!strstr(text, "race-shared"));
    free(text);
}

Test(racecheck, unknown_tools_are_refused)
{
    int code;
    char *text = shell(&code, "$LANEWISE run --tools memcheck,race $PROGRAMS/races_shared");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(text, "lanewise run: --tools memcheck,race: a list of these is wanted here: "
                           "memcheck, racecheck\n");
    free(text);
    text = shell(&code, "LANEWISE_TOOLS=, $LANEWISE run $PROGRAMS/races_shared");
    cr_expect(strstr(text, "LANEWISE_TOOLS=,: a list of tools is wanted here"));
    free(text);
}
