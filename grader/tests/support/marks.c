#include "tests/support/marks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding_kinds.h"
#include "tests/support/shell.h"

#define COLUMNS 170 /* maximum number of columns of a message without its place */
#define MOST    128

struct expectation {
    char kernel[80], id[24], cause[100]; /* ID is "fine" if no finding is expected */
    json_int_t marked[3];                /* numbers of the lines marked A, B and C, or 0 */
    json_int_t from, to;                 /* first and last line of a host function, or 0 */
};

/* The findings that a source expects. LIST[0] collects the marks for a later kernel (see
 * take_mark()). */
struct source {
    const char *program;
    bool has_losses; /* the source expects losses */
    size_t count;
    struct expectation list[MOST];
};

static bool is_fine(const struct expectation *wanted)
{
    return strcmp(wanted->id, "fine") == 0;
}

static bool is_loss(const char *id)
{
    const struct finding_kind *kind = emu_finding_kind(id);
    return kind && strcmp(kind->severity, "warning") == 0;
}

/* --- expectations in the source ------------------------------------------------------------- */

/* Reads a mark at the end of a line. */
static void take_mark(struct source *source, const char *line, json_int_t number)
{
    struct expectation *list = source->list;
    char kernel[80], letter[2];
    const char *mark = strstr(line, " // ");
    if (!mark)
        return;
    if (sscanf(mark, " // %1[ABC] of %79[a-z_0-9]", letter, kernel) == 2) {
        /* the kernel comes later in the file, so keep its marks in LIST[0] */
        if (strcmp(list[0].kernel, kernel) != 0)
            list[0] = (struct expectation){0};
        snprintf(list[0].kernel, sizeof list[0].kernel, "%s", kernel);
        list[0].marked[*letter - 'A'] = number;
        return;
    }
    for (mark += 4; *mark >= 'A' && *mark <= 'C'; mark++)
        list[source->count - 1].marked[*mark - 'A'] = number;
}

/* Reads a comment about the next kernel, if LINE is one. */
static void take_comment(const char *line, struct expectation *next)
{
    struct expectation read = {0};
    if (sscanf(line, "// %23[a-z-]: %99[^\n]", read.id, read.cause) >= 1 &&
        strchr(":", line[3 + strlen(read.id)]) && (is_fine(&read) || emu_finding_kind(read.id)))
        *next = read;
}

/* Adds the expectation NEXT if LINE begins a kernel, or a function that a comment describes. */
static void take_kernel(struct source *source, const char *line, json_int_t number,
                        struct expectation *next)
{
    struct expectation *list = source->list;
    bool is_host = *next->id && sscanf(line, "static void %79[a-z_0-9]()", next->kernel) == 1;
    if (!is_host && sscanf(line, "__global__ void %79[a-z_0-9](", next->kernel) != 1)
        return;
    cr_assert(*next->id, "%s.cu:%lld: nothing is expected of %s", source->program,
              (long long)number, next->kernel);
    cr_assert_lt(source->count, (size_t)MOST);
    next->from = is_host ? number : 0;
    if (strcmp(list[0].kernel, next->kernel) == 0)
        memcpy(next->marked, list[0].marked, sizeof next->marked);
    source->has_losses |= is_loss(next->id);
    list[source->count++] = *next;
    *next = (struct expectation){0};
}

static void read_source(struct source *source, const char *program)
{
    char name[100], *rest = NULL;
    snprintf(name, sizeof name, "%s.cu", program);
    char *text = shell_source(name);
    struct expectation next = {0};
    json_int_t number = 0;
    *source = (struct source){.program = program, .count = 1};
    for (char *line = text, *end; line && *line; line = rest) {
        end = strchr(line, '\n');
        rest = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        number++;
        if (line[0] == '}')
            source->list[source->count - 1].to = number;
        take_kernel(source, line, number, &next);
        take_mark(source, line, number);
        take_comment(line, &next);
    }
    free(text);
}

/* --- findings ------------------------------------------------------------------------------- */

static json_int_t line_of(const json_t *place)
{
    return json_integer_value(json_object_get(place, "line"));
}

static const char *text_of(const json_t *finding, const char *key)
{
    return json_string_value(json_object_get(finding, key));
}

static bool is_kernel(const char *signature, const struct expectation *wanted)
{
    size_t length = strlen(wanted->kernel);
    return strncmp(signature, wanted->kernel, length) == 0 && signature[length] == '(';
}

static bool is_in(const json_t *finding, const struct source *source)
{
    const char *name = strrchr(text_of(finding, "file"), '/');
    size_t length = strlen(source->program);
    return name && strncmp(name + 1, source->program, length) == 0 &&
           strcmp(name + 1 + length, ".cu") == 0;
}

static bool is_of(const json_t *finding, const struct source *source,
                  const struct expectation *wanted)
{
    if (wanted->from)
        return is_in(finding, source) && line_of(finding) >= wanted->from &&
               line_of(finding) <= wanted->to;
    return is_kernel(text_of(finding, "kernel"), wanted);
}

/* Returns whether the finding also names LINE. If LINE is 0, returns whether it names no other line
 * of a kernel. */
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

/* Checks a finding. Sets FOUND for each marked line that the finding names. A kernel that wastes
 * work may have several findings. */
static void check_finding(const struct source *source, const struct expectation *wanted,
                          const json_t *finding, bool found[3])
{
    const char *id = text_of(finding, "id"), *message = text_of(finding, "message");
    const char *cause = text_of(finding, "cause");
    if (!cause)
        cause = message;
    json_int_t line = line_of(finding);
    bool is_wanted = strcmp(id, wanted->id) == 0;
    cr_expect(is_wanted || (is_loss(id) && is_loss(wanted->id)), "%s: %s, line %lld: %s [%s]",
              source->program, wanted->kernel, (long long)line, message, id);
    cr_expect(strlen(message) < COLUMNS, "%s: %s: too long: %s", source->program, wanted->kernel,
              message);
    for (size_t i = 1; is_wanted && i < 3; i++)
        found[i] |= line == wanted->marked[i] && is_about(finding, wanted->marked[0]);
    cr_expect(!*wanted->cause || !is_wanted || line != wanted->marked[1] ||
                  strstr(cause, wanted->cause),
              "%s: %s: another cause: %s", source->program, wanted->kernel, cause);
    cr_expect(strcmp(id, "deadlock") != 0 || line == wanted->marked[1] || line == wanted->marked[2],
              "%s: %s: line %lld does not wait", source->program, wanted->kernel, (long long)line);
}

/* Returns whether the kernel was launched, and never failed. */
static bool has_run(const struct expectation *wanted, const json_t *launches)
{
    size_t i, count = 0;
    json_t *launch;
    json_array_foreach(launches, i, launch)
    {
        if (!is_kernel(text_of(launch, "kernel"), wanted))
            continue;
        if (strcmp(text_of(launch, "status"), "ok") != 0)
            return false;
        count++;
    }
    return count > 0;
}

static void check_kernel(const struct source *source, const struct expectation *wanted,
                         const json_t *findings, const json_t *launches)
{
    bool found[3] = {false};
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding) if (is_of(finding, source, wanted))
        check_finding(source, wanted, finding, found);
    if (is_fine(wanted)) {
        cr_expect(wanted->from || has_run(wanted, launches), "%s: %s did not run", source->program,
                  wanted->kernel);
        return;
    }
    cr_expect(found[1], "%s: %s: no %s of lines %lld and %lld", source->program, wanted->kernel,
              wanted->id, (long long)wanted->marked[0], (long long)wanted->marked[1]);
    cr_expect(found[2] || !wanted->marked[2], "%s: %s: no %s of line %lld", source->program,
              wanted->kernel, wanted->id, (long long)wanted->marked[2]);
}

/* Returns the findings that count. Each must belong to a kernel or function in the list. */
static json_t *findings_of(const struct source *source, const json_t *document)
{
    json_t *list = json_array(), *finding;
    size_t i;
    json_array_foreach(json_object_get(document, "findings"), i, finding)
    {
        bool is_known = false;
        if (is_loss(text_of(finding, "id")) && !source->has_losses)
            continue;
        json_array_append(list, finding);
        for (size_t k = 1; k < source->count; k++)
            is_known |= is_of(finding, source, &source->list[k]);
        cr_expect(is_known, "%s, line %lld: not of a listed kernel: %s", text_of(finding, "file"),
                  (long long)line_of(finding), text_of(finding, "message"));
    }
    return list;
}

json_t *marks_run(const char *options, const char *program)
{
    free(shell_must("$LANEWISE run --json out.json %s $PROGRAMS/%s", options, program));
    char *text = shell_file("out.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert(document, "%s: no JSON", program);
    free(text);
    return document;
}

struct marks_count marks_check(const char *program, const char *id, const json_t *document)
{
    struct source source;
    struct marks_count count = {0, 0};
    read_source(&source, program);
    json_t *findings = findings_of(&source, document);
    for (size_t i = 1; i < source.count; i++) {
        const struct expectation *wanted = &source.list[i];
        bool fine = is_fine(wanted);
        check_kernel(&source, wanted, findings, json_object_get(document, "launches"));
        cr_expect(fine || !id || strcmp(wanted->id, id) == 0,
                  "%s: %s: a defect of another folder: %s", program, wanted->kernel, wanted->id);
        count.twins += fine;
        count.defects += !fine;
    }
    json_decref(findings);
    return count;
}
