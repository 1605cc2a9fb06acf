/* Tests that the advice of a finding is right: following it literally must correct the program.
 *
 *     grader/tests/advice/NAME.diff    what a finding says, what it advises, and a change that does
 *                                      just that, in the form of grade/mutant.h
 *     grader/tests/advice/NAME.cu      the program that it changes; if there is none, the example
 *                                      of `lanewise explain`, grader/report/examples/NAME.cu
 *
 * NAME is the finding's id, perhaps followed by a variant. The program exits with 0 only if its
 * answer is right. Its first finding must be the one that the diff quotes. After the change there
 * must be no finding of this kind and no error, and the answer must be right. The head of a diff:
 *
 *     finding: race-shared          recorded: LANEWISE_UPDATE_GOLDEN=1 writes these three lines
 *     says: thread 0 reads ...
 *     advice: put a __syncthreads() ...
 *     options: --max-instructions 9 optional: of lanewise run
 *
 * `make check-advice` tries all; LANEWISE_ADVICE='race-*' tries some. */
#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "config.h"
#include "gpu/finding_kinds.h"
#include "grade/mutant.h"
#include "tests/support/shell.h"

#define FOLDER   LANEWISE_ROOT "/grader/tests/advice"
#define EXAMPLES LANEWISE_ROOT "/grader/report/examples"

TestSuite(advice, .init = shell_init, .fini = shell_fini, .timeout = 1800);

static const char *const keys[] = {"finding", "says", "advice", "options"};
enum { FINDING, SAYS, ADVICE, RECORDED, OPTIONS = RECORDED, KEYS };

struct example {
    char name[80], path[PATH_SIZE];
    char *text;        /* the whole diff; VALUE points into it */
    char *value[KEYS]; /* values of the head's lines, or NULL for a missing line */
    char *edits;
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads the line "key: value" of the head of EXAMPLE. */
static void read_key(struct example *example, char *line)
{
    char *value = strstr(line, ": ");
    cr_assert(value, "%s.diff: %s: not \"key: value\"", example->name, line);
    *value = '\0';
    for (size_t i = 0; i < KEYS; ++i)
        if (strcmp(line, keys[i]) == 0) {
            example->value[i] = value + 2;
            return;
        }
    cr_assert_fail("%s.diff: unknown key %s", example->name, line);
}

static struct example read_example(const char *path)
{
    struct example example = {0};
    snprintf(example.path, sizeof example.path, "%s", path);
    snprintf(example.name, sizeof example.name, "%s", strrchr(path, '/') + 1);
    *strrchr(example.name, '.') = '\0';
    example.text = shell_file(path, NULL);
    char *line = example.text;
    while (*line != '\n' && *line) {
        char *next = line + strcspn(line, "\n");
        *next = '\0';
        read_key(&example, line);
        line = next + 1;
    }
    example.edits = line;
    return example;
}

/* Writes TEXT into the folder's file WHEN/NAME.cu. */
static void write_program(const char *folder, const char *when, const char *name, const char *text)
{
    char path[PATH_SIZE];
    cr_assert(base_path(path, "%s/%s/%s.cu", folder, when, name));
    cr_assert(base_write_file(path, text, strlen(text), 0644), "cannot write %s", path);
}

/* Writes the program as before/NAME.cu, and the program changed by the advice as after/NAME.cu. */
static void write_programs(const char *folder, const struct example *example)
{
    char path[PATH_SIZE], error[200];
    cr_assert(base_path(path, FOLDER "/%s.cu", example->name));
    if (access(path, F_OK) != 0)
        cr_assert(base_path(path, EXAMPLES "/%s.cu", example->name));
    char *source = shell_file(path, NULL), *edits = strdup(example->edits);
    write_program(folder, "before", example->name, source);
    cr_assert(mutant_edit(edits, &source, error, sizeof error), "%s.diff: %s", example->name,
              error);
    write_program(folder, "after", example->name, source);
    free(edits);
    free(source);
}

/* --- building --------------------------------------------------------------------------------- */

/* Builds two programs, which contain all EXAMPLES before and after their changes. */
static void build(const struct example *examples, size_t count)
{
    char *folder = shell_must("mkdir before after; printf '%%s' \"$PWD\"");
    for (size_t i = 0; i < count; ++i)
        write_programs(folder, &examples[i]);
    shell_patience(600);
    free(shell_must("for when in before after; do (\n"
                    "$TESTS/support/one_program.sh $when/*.cu >$when.cu && "
                    "$NVCC -cudart shared -g -lineinfo -std=c++17 -arch=compute_90 -L$LIB "
                    "-o $when/all $when.cu) & pids+=\" $!\"; done\n"
                    "for pid in $pids; do wait $pid || exit; done"));
    free(folder);
}

/* --- running ---------------------------------------------------------------------------------- */

/* Runs EXAMPLE before or after the change, as WHEN says. Returns its findings. *CODE is its exit
 * status. */
static json_t *run(const struct example *example, const char *when, int *code)
{
    const char *options = example->value[OPTIONS] ? example->value[OPTIONS] : "";
    char *output =
        shell(code,
              "rm -f a.json; $LANEWISE run --deterministic --tools racecheck,initcheck,ordercheck "
              "--json a.json %s %s/all %s/%s 2>&1",
              options, when, when, example->name);
    char *text = shell_file("a.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert(document, "%s: %s: no JSON: %s", example->name, when, output);
    json_t *findings = json_incref(json_object_get(document, "findings"));
    json_decref(document);
    free(text);
    free(output);
    return findings;
}

/* Returns TEXT without the namespaces that one_program.sh adds, and with N in place of the number
 * of instructions that an interrupted warp had executed. The caller frees it. */
static char *plain(const char *text)
{
    static const char executed[] = "had executed ";
    char *copy = strdup(text), *name, *end, *count = strstr(copy, executed);
    while ((name = strstr(copy, "example_")) && (end = strstr(name, "_cu::")))
        memmove(name, end + 5, strlen(end + 5) + 1);
    if (count) {
        count += strlen(executed);
        *count++ = 'N';
        end = count + strspn(count, "0123456789");
        memmove(count, end, strlen(end) + 1);
    }
    return copy;
}

/* Returns the text of FINDING for key number KEY of a diff's head. The caller frees it. A message
 * includes the finding's line, if it has one. For a finding about wasted work, it also includes the
 * cause. */
static char *said(const json_t *finding, size_t key)
{
    static const char *const members[] = {"id", "message", "help"};
    const char *cause = key == SAYS ? json_text_of(finding, "cause") : "";
    char *text, *result, line[32] = "";
    bool has_line = strcmp(json_text_of(finding, "id"), "interrupted") != 0; /* else it varies */
    if (key == SAYS && has_line && json_integer_of(finding, "line") > 0)
        snprintf(line, sizeof line, "line %d: ", (int)json_integer_of(finding, "line"));
    cr_assert(asprintf(&text, "%s%s%s%s", line, json_text_of(finding, members[key]),
                       *cause ? ": " : "", cause) >= 0);
    result = plain(text);
    free(text);
    return result;
}

/* Writes the head of EXAMPLE's diff again, with the current texts of FINDING. */
static void record(const struct example *example, const json_t *finding)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    for (size_t i = 0; i < KEYS; ++i) {
        char *value = i < RECORDED ? said(finding, i) : example->value[i];
        if (value)
            fprintf(memory, "%s: %s\n", keys[i], value);
        if (i < RECORDED)
            free(value);
    }
    fputs(example->edits, memory);
    fclose(memory);
    cr_assert(base_write_file(example->path, text, size, 0644), "cannot write %s", example->path);
    free(text);
}

/* Checks that the program's first finding is the one that the diff quotes. */
static void try_before(const struct example *example)
{
    int code;
    bool records = getenv("LANEWISE_UPDATE_GOLDEN");
    json_t *findings = run(example, "before", &code), *first = json_array_get(findings, 0);
    cr_expect(first, "%s: no finding", example->name);
    if (first && records)
        record(example, first);
    for (size_t i = 0; first && i < RECORDED && !records; ++i) {
        char *now = said(first, i);
        cr_expect_str_eq(now, example->value[i] ? example->value[i] : "", "%s: another %s: %s",
                         example->name, keys[i], now);
        free(now);
    }
    json_decref(findings);
}

/* Checks that after the change there is no finding of the same kind and no error, and that the
 * answer is right. */
static void try_after(const struct example *example)
{
    int code;
    size_t i;
    json_t *finding, *findings = run(example, "after", &code);
    const char *wanted = example->value[FINDING];
    cr_expect_eq(code, 0, "%s: the advice does not make the answer right: exit status %d",
                 example->name, code);
    json_array_foreach(findings, i, finding)
    {
        const char *id = json_text_of(finding, "id");
        bool is_error = strcmp(json_text_of(finding, "severity"), "error") == 0;
        cr_expect(!is_error && strcmp(id, wanted ? wanted : "") != 0,
                  "%s: the advice leaves line %d: %s [%s]", example->name,
                  (int)json_integer_of(finding, "line"), json_text_of(finding, "message"), id);
    }
    json_decref(findings);
}

/* Returns whether the example crashes here as its diff says. */
static bool crashes_here(const struct example *example)
{
    (void)example;
#ifdef __aarch64__ /* on this CPU, the quotient is 0 and the program continues */
    if (strcmp(example->name, "host-crash-zero") == 0)
        return false;
#endif
#ifdef LANEWISE_EMULATED /* qemu-user does not know the address */
    if (strcmp(example->name, "host-crash-wild") == 0)
        return false;
#endif
    return true;
}

Test(advice, mends_the_examples)
{
    const char *some = getenv("LANEWISE_ADVICE");
    glob_t found;
    char pattern[PATH_SIZE];
    cr_assert(base_path(pattern, FOLDER "/%s.diff", some ? some : "*"));
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0, "%s: no example", pattern);
    struct example *examples = calloc(found.gl_pathc, sizeof *examples);
    for (size_t i = 0; i < found.gl_pathc; ++i)
        examples[i] = read_example(found.gl_pathv[i]);
    build(examples, found.gl_pathc);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        if (crashes_here(&examples[i]))
            try_before(&examples[i]);
        try_after(&examples[i]);
        free(examples[i].text);
    }
    free(examples);
    globfree(&found);
}

/* Kinds of findings for which there is no example program, and the reason. */
static const char *const without[][2] = {
    {"races-unwatched", "the records of races must first fill 2 GiB"},
    {"launch-failed", "the emulator must run out of memory"},
    {"kernel-fault", "only runs without a report have it"},
    {"no-kernel", "the linker refuses such a program"},
    {"no-ptx", "lanewise run refuses such a program before it starts"},
    {"bad-fat-binary", "the program must be damaged"},
    {"likely-mistake", "only gradings have it"},
    {"no-device", "the machine must have too little memory"},
};

static bool has_example(const char *id)
{
    glob_t found;
    char pattern[PATH_SIZE];
    size_t count = 0, length = strlen(id);
    cr_assert(base_path(pattern, FOLDER "/%s*.diff", id));
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            struct example example = read_example(found.gl_pathv[i]);
            count += strcmp(example.value[FINDING], id) == 0 &&
                     strchr(".-", strrchr(example.path, '/')[1 + length]);
            free(example.text);
        }
    globfree(&found);
    return count > 0;
}

Test(advice, every_finding_has_an_example)
{
    for (size_t i = 0; i < emu_finding_kind_count; ++i) {
        const char *id = emu_finding_kinds[i].id;
        bool excused = false;
        for (size_t k = 0; k < sizeof without / sizeof *without; ++k)
            excused |= strcmp(without[k][0], id) == 0;
        cr_expect_eq(has_example(id), !excused, "%s: %s", id,
                     excused ? "has an example after all" : "no example in " FOLDER);
    }
}
