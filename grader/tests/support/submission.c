#include "tests/support/submission.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "config.h"
#include "course/lab.h"
#include "grade/mutant.h"
#include "tests/support/shell.h"

/* Copies the skeleton of the lab whose file is PATH to labs/ in the test's folder. */
static void place_skeleton(const char *path)
{
    char *lab = strdup(path), *file = strrchr(lab, '/'), from[PATH_SIZE], to[PATH_SIZE], why[64];
    struct text text;
    *file++ = '\0';
    const char *name = strrchr(lab, '/') + 1;
    cr_assert(base_path(from, "%s/" LAB_PRISTINE, lab) &&
              base_path(to, "%s/labs/%s", shell_folder(), name) && mkdir(to, 0755) == 0 &&
              base_path(to, "%s/labs/%s/%s", shell_folder(), name, file));
    cr_assert(base_read_file(from, 1 << 20, &text, why, sizeof why), "%s %s", from, why);
    cr_assert(base_write_file(to, text.bytes, text.size, 0644));
    free(text.bytes);
    free(lab);
}

void submission_init(void)
{
    char labs[PATH_SIZE];
    glob_t files;
    shell_init();
    cr_assert(base_path(labs, "%s/labs", shell_folder()) && mkdir(labs, 0755) == 0 &&
              glob(LANEWISE_ROOT "/labs/*/*.cu", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; ++i)
        place_skeleton(files.gl_pathv[i]);
    globfree(&files);
}

/* Makes one edit in SOURCE. Returns the result, and frees SOURCE. */
static char *apply(char *source, const struct edit *edit)
{
    char *hit = strstr(source, edit->find), *edited;
    cr_assert(hit, "\"%s\" is not in the solution", edit->find);
    cr_assert(!strstr(hit + 1, edit->find), "\"%s\" is in the solution twice", edit->find);
    cr_assert(asprintf(&edited, "%.*s%s%s", (int)(hit - source), source, edit->replace,
                       hit + strlen(edit->find)) >= 0);
    free(source);
    return edited;
}

void submission_write(const char *lab, const struct edit edits[SUBMISSION_EDITS], const char *name)
{
    char path[PATH_SIZE], error[1000];
    struct lab opened;
    cr_assert(labs_open(lab, &opened, error, sizeof error), "%s", error);
    char *source = shell_file(opened.solution, NULL);
    for (int i = 0; i < SUBMISSION_EDITS && edits[i].find; ++i)
        source = apply(source, &edits[i]);
    cr_assert(base_path(path, "%s/%s", shell_folder(), name));
    cr_assert(base_write_file(path, source, strlen(source), 0600), "cannot write %s", path);
    labs_close(&opened);
    free(source);
}

double submission_write_mutant(const char *lab, const char *mutant, const char *name)
{
    char path[PATH_SIZE], error[1000];
    struct lab opened;
    struct mutant read;
    cr_assert(labs_open(lab, &opened, error, sizeof error), "%s", error);
    char *solution = shell_file(opened.solution, NULL);
    if (strchr(mutant, '/'))
        cr_assert(base_path(path, "%s/grader/tests/%s.diff", LANEWISE_ROOT, mutant));
    else
        cr_assert(
            base_path(path, "%s/grader/tests/mutants/%s/%s.diff", LANEWISE_ROOT, lab, mutant));
    cr_assert(mutant_read(path, solution, &read, error, sizeof error), "%s", error);
    cr_assert(base_path(path, "%s/%s", shell_folder(), name));
    cr_assert(base_write_file(path, read.source, strlen(read.source), 0600), "cannot write %s",
              path);
    mutant_free(&read);
    labs_close(&opened);
    free(solution);
    return read.scores;
}

char *submission_grade(const char *lab, const char *name, int *code, json_t **result)
{
    char *output =
        shell(code,
              "$LANEWISE grade --quick --device emulator --lab %s --submission %s --seed 1 "
              "--json result.json 2>&1",
              lab, name);
    if (result) {
        cr_assert(*code == 0 || *code == 1, "%s: %d: %s", lab, *code, output);
        char *text = shell_file("result.json", NULL);
        *result = json_loads(text, 0, NULL);
        cr_assert(*result, "no JSON: %s", text);
        free(text);
    }
    return output;
}

/* Cuts the seconds off the first line of a check, "  ok   15/15     title      0.2 s", and off the
 * last line of lab-check, "32 gradings on the emulator in 9 s: ...". */
static char *cut_seconds(char *line, char *end)
{
    char *gradings = memmem(line, (size_t)(end - line), " gradings on the ", 17);
    if (gradings && line[0] >= '0' && line[0] <= '9')
        return gradings + strlen(" gradings");
    if (end - line > 12 && strncmp(line, "  ", 2) == 0 && line[2] != ' ' &&
        strncmp(end - 2, " s", 2) == 0)
        for (end -= 2; end[-1] != ' '; --end)
            ;
    while (end > line && end[-1] == ' ')
        --end;
    return end;
}

char *submission_normalise(char *text)
{
    static const char unchanged[] = " (unchanged since the last build)";
    char *hit, *to = text;
    while ((hit = strstr(text, unchanged)))
        memmove(hit, hit + strlen(unchanged), strlen(hit + strlen(unchanged)) + 1);
    for (char *line = text; *line;) {
        char *newline = line + strcspn(line, "\n");
        char *end = cut_seconds(line, newline);
        char *next = *newline ? newline + 1 : newline;
        memmove(to, line, (size_t)(end - line));
        to += end - line;
        if (*newline)
            *to++ = '\n';
        line = next;
    }
    *to = 0;
    return text;
}

void golden_check(const char *name, const char *text)
{
    char path[PATH_SIZE];
    cr_assert(base_path(path, "%s/grader/tests/%s%s%s", LANEWISE_ROOT,
                        strchr(name, '/') ? "" : "golden/", name, strchr(name, '.') ? "" : ".txt"));
    if (getenv("LANEWISE_UPDATE_GOLDEN")) {
        cr_assert(base_write_file(path, text, strlen(text), 0644), "cannot write %s", path);
        return;
    }
    char *golden = shell_file(path, NULL);
    cr_expect_str_eq(text, golden,
                     "%s is no longer as recorded; if that is right, run make golden and read the "
                     "diff. Now:\n%s",
                     name, text);
    free(golden);
}
