/* Tests planted defects. The folder planted/ID has one or two programs with kernels and functions
 * that have the finding ID, and with similar correct kernels that do not. Comments mark the
 * expected findings, as marks.h describes. The folder's report.txt has the output of `lanewise run`
 * for the programs, in the order of their names. These files show what students read. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "gpu/finding_kinds.h"
#include "record/losses.h"
#include "tests/support/marks.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(golden_planted, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define PLANTED LANEWISE_ROOT "/grader/tests/gpu/observe/planted"
#define MOST    64
#define COLUMNS 100

/* Runs all tools. The order of the blocks is fixed. */
#define ALL_TOOLS "--deterministic --tools racecheck,initcheck"

static int is_folder(const struct dirent *entry)
{
    return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static int find_folders(struct dirent ***folders)
{
    int count = scandir(PLANTED, folders, is_folder, alphasort);
    cr_assert(count > 0 && count <= MOST, "%d folders in " PLANTED, count);
    return count;
}

/* Returns the part of the report about errors. If LOSSES is true, also returns the part about
 * wasted work ("losses"), which comes last. */
static char *print_findings(const char *program, bool losses)
{
    return shell_must("set -o pipefail; out=$PWD; cd " PLANTED " && $LANEWISE run %s " ALL_TOOLS
                      " --json $out/one.json $PROGRAMS/%s 2>&1 >/dev/null | "
                      "sed -n '/: \\(error\\|warning\\|note\\): /,$p' | sed '%s'",
                      losses ? "--all" : "", program, losses ? "" : "/: warning: /,$d");
}

/* Returns whether both documents have the same errors. Ignores losses, because those of waiting
 * kernels depend on how long they wait. */
static bool has_same_errors(const json_t *one, const json_t *other)
{
    json_t *lists[2] = {json_array(), json_array()}, *finding;
    for (int i = 0; i < 2; i++) {
        size_t k;
        json_array_foreach(json_object_get(i ? other : one, "findings"), k, finding)
        {
            if (!record_is_loss(finding))
                json_array_append(lists[i], finding);
        }
    }
    bool same = json_equal(lists[0], lists[1]);
    json_decref(lists[0]);
    json_decref(lists[1]);
    return same;
}

/* Returns whether the order in which waiting blocks run decides which of them the finding names. */
static bool is_any_order(const struct finding_kind *kind)
{
    return strcmp(kind->id, "deadlock") == 0;
}

/* Returns whether both documents have the same losses and counters. This is for programs in which
 * losses are expected. */
static bool has_same_losses(const json_t *one, const json_t *other)
{
    return json_equal(json_object_get(one, "findings"), json_object_get(other, "findings")) &&
           json_equal(json_object_get(one, "launches"), json_object_get(other, "launches"));
}

static json_t *load(const char *name)
{
    char *text = shell_file(name, NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert(document, "%s", name);
    free(text);
    return document;
}

/* Runs only the tools that KIND needs, because other tools may hide a bug in a fast path. */
static json_t *run_many(const struct finding_kind *kind, const char *program)
{
    char options[200];
    bool is_chosen = strcmp(kind->tool, "racecheck") == 0 || strcmp(kind->tool, "initcheck") == 0;
    snprintf(options, sizeof options, "--workers 7 --tools %s",
             is_chosen ? kind->tool : "memcheck");
    return marks_run(options, program);
}

static struct marks_count check_program(const struct finding_kind *kind, const char *program,
                                        FILE *report)
{
    bool losses = strcmp(kind->severity, "warning") == 0;
    char *text = print_findings(program, losses);
    json_t *one = load("one.json"), *many = run_many(kind, program);
    struct marks_count count = marks_check(program, kind->id, one);
    marks_check(program, kind->id, many);
    cr_expect(is_any_order(kind) || (losses ? has_same_losses : has_same_errors)(one, many),
              "%s: other findings with other tools and seven workers", program);
    fputs(text, report);
    json_decref(one);
    json_decref(many);
    free(text);
    return count;
}

/* Checks the width of each line of TEXT, except source lines, which come after " | ". */
static void expect_narrow(const char *id, char *text)
{
    for (char *line = strsep(&text, "\n"); line; line = strsep(&text, "\n"))
        cr_expect(strlen(line) <= COLUMNS || strstr(line, " | "), "%s: %s", id, line);
}

ParameterizedTestParameters(golden_planted, defects)
{
    static int indices[MOST];
    struct dirent **folders;
    int count = find_folders(&folders);
    for (int i = 0; i < count; i++) {
        indices[i] = i;
        free(folders[i]);
    }
    free(folders);
    return cr_make_param_array(int, indices, (size_t)count);
}

ParameterizedTest(int *index, golden_planted, defects)
{
    struct dirent **folders;
    struct marks_count sum = {0, 0};
    char *report, name[400];
    size_t size;
    int count = find_folders(&folders);
    const char *id = folders[*index]->d_name;
    const struct finding_kind *kind = emu_finding_kind(id);
    cr_assert(kind, "planted/%s: no such finding", id);
    FILE *stream = open_memstream(&report, &size);
    char *programs = shell_must("cd " PLANTED "/%s && LC_ALL=C ls *.cu | sed s/.cu$//", id);
    for (char *program = strtok(programs, "\n"); program; program = strtok(NULL, "\n")) {
        struct marks_count marks = check_program(kind, program, stream);
        sum.defects += marks.defects;
        sum.twins += marks.twins;
    }
    fclose(stream);
    cr_expect(sum.defects > 0 && sum.twins > 0, "%s: %zu defects, %zu twins", id, sum.defects,
              sum.twins);
    snprintf(name, sizeof name, "gpu/observe/planted/%s/report.txt", id);
    golden_check(name, report);
    expect_narrow(id, report);
    free(report);
    free(programs);
    while (count-- > 0)
        free(folders[count]);
    free(folders);
}
