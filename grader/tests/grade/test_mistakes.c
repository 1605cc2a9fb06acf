/* Tests what a student reads first after a mistake: the report of a grading begins with the cause,
 * or the first lost check explains its wrong numbers.
 *
 * The folder grader/tests/mistakes/ has plausible mistakes. Each is a mutant (grade/mutant.h) and a
 * file with the beginning of its report. Most mistakes were written by people who did not know the
 * explanations. `make mistakes` grades all of them, and some of lab-check's mutants; `make test`
 * grades a few. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(golden_mistakes, .init = submission_init, .fini = shell_fini, .timeout = 1200);

#define FOLDER LANEWISE_ROOT "/grader/tests/mistakes/"

static const char *const few[] = {
    "01-parallelize/no-atomic",
    "02-coalesce/plus-for-times",
    "03-shared-reduce/from-thread-1",
    "03-shared-reduce/never-copied-back",
    "03-shared-reduce/threads-for-blocks",
    "04-bank-conflicts/ends-above-32",
    "05-pitched-alloc/a-quarter-copied",
    "05-pitched-alloc/copied-and-pasted",
    "05-pitched-alloc/gpus-pitch-on-host",
    "06-tiled-matmul/row-by-tx",
    "06-tiled-matmul/sum-before-excess",
    "06-tiled-matmul/tile-read-by-rows",
    "06-tiled-matmul/x-for-y",
    "07-structures/first-as-words",
    "08-transpose/column-ty-of-tile",
    "08-transpose/reads-columns",
    "08-transpose/two-tiles-no-barrier",
    "09-picture-sum/grey-for-one",
    "10-block-size/lower-edge",
    "10-block-size/threads-turned",
    "11-warp-votes/first-not-passed-on",
    "11-warp-votes/lane-32",
    "12-solver/tile-not-shifted",
    "13-precision/product-not-negative",
    "14-streams/copied-out-too-early",
    "14-streams/done-recorded-early",
    "14-streams/waits-in-the-wrong-stream",
    "15-read-only/half-less",
    "16-fast-product/not-committed",
    "16-fast-product/tensor-no-barrier",
};

/* The mutants of lab-check whose reports are recorded, too. */
static const struct {
    const char *lab, *mutant;
} explained[] = {
    {"01-parallelize", "first-of-block"},
    {"01-parallelize", "overflow"},
    {"02-coalesce", "overwritten"},
    {"03-shared-reduce", "float-total"},
    {"03-shared-reduce", "no-barrier"},
    {"04-bank-conflicts", "first-warp-only"},
    {"05-pitched-alloc", "clear-in-floats"},
    {"05-pitched-alloc", "last-row-not-copied"},
    {"06-tiled-matmul", "no-last-tile"},
    {"06-tiled-matmul", "plain-sum"},
    {"06-tiled-matmul", "row-not-waited-for"},
    {"07-structures", "words-from-t"},
    {"07-structures", "still-8-apart"},
    {"07-structures", "one-block"},
    {"08-transpose", "blocks-in-turn"},
    {"08-transpose", "tile-not-turned"},
    {"09-picture-sum", "not-cleared"},
    {"09-picture-sum", "begins-with-copy-0"},
    {"11-warp-votes", "counts-itself"},
    {"12-solver", "transposed-by-pieces"},
    {"12-solver", "two-steps-one-barrier"},
    {"12-solver", "twice-the-tolerance"},
    {"13-precision", "low-read-too-late"},
    {"13-precision", "literals"},
    {"14-streams", "one-stream"},
    {"14-streams", "overwrites-before-blend"},
    {"15-read-only", "ldg-alone"},
    {"15-read-only", "clamped"},
    {"16-fast-product", "waits-at-once"},
    {"16-fast-product", "no-barrier-after-copies"},
};

/* Returns whether LINE begins the description of a cause, or of a check that lost points. */
static bool begins_trouble(const char *line)
{
    static const char *const begins[] = {"  Fix this first", "  no ", "  part "};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; ++i)
        if (strncmp(line, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* Mistakes that are found by small edits. There is at least one for each source of edits. */
static const struct {
    const char *lab, *mistake;
} repaired[] = {
    {"01-parallelize", "four-bytes-back"},            /* a wrong name in main() */
    {"01-parallelize", "steps-by-256-blocks"},        /* a launch's size would hide it */
    {"02-coalesce", "steps-one-too-far"},             /* a kernel in another style */
    {"03-shared-reduce", "two-barriers-one-missing"}, /* a mistake that shows as a race */
    {"03-shared-reduce", "half-rounded-down"},        /* rounding, which causes a race */
    {"04-bank-conflicts", "blocks-for-threads"},      /* a launch that is kept for last */
    {"06-tiled-matmul", "width-for-depth"},           /* a passed check asks for a kernel */
    {"11-warp-votes", "own-lane-by-a-function"},      /* a function that a shown line calls */
    {"12-solver", "halo-one-early"},                  /* an edge */
};

/* Removes everything from REPORT except the first problem that it describes. */
static char *first_trouble(char *report)
{
    char *begin = report;
    while (*begin && !begins_trouble(begin))
        begin += strcspn(begin, "\n") + (begin[strcspn(begin, "\n")] == '\n');
    char *end = begin + strcspn(begin, "\n");
    while (end[0] && strncmp(end + 1, "       ", 7) == 0) /* the indentation of explanations */
        end += 1 + strcspn(end + 1, "\n");
    if (*end)
        end[1] = 0;
    return begin;
}

/* Grades mistake NAME, "NN-lab/what", and checks its points and the beginning of its report. */
static void grade_mistake(const char *name)
{
    int code;
    char lab[64], path[300];
    json_t *result;
    snprintf(lab, sizeof lab, "%.*s", (int)strcspn(name, "/"), name);
    snprintf(path, sizeof path, "mistakes/%s", name);
    double scores = submission_write_mutant(lab, path, "a.cu");
    char *report = submission_grade(lab, "a.cu", &code, &result);
    double score = json_number_value(json_object_get(result, "score"));
    cr_expect_eq(score, scores, "%s: %g points", name, score);
    golden_check(path, first_trouble(submission_normalise(report)));
    json_decref(result);
    free(report);
}

/* Returns "NN-lab/what", the end of PATH without ".diff". */
static char *name_of(const char *path)
{
    char *name = strdup(path + strlen(FOLDER));
    name[strlen(name) - strlen(".diff")] = 0;
    return name;
}

Test(golden_mistakes, are_explained)
{
    glob_t found;
    char *pattern;
    /* such as "08-*", or "08-transpose/{no-loops,grid-turned}" */
    const char *labs = getenv("LANEWISE_MISTAKES");
    if (!labs) {
        for (size_t i = 0; i < sizeof few / sizeof *few; ++i)
            grade_mistake(few[i]);
        return;
    }
    cr_assert(asprintf(&pattern, FOLDER "%s%s.diff", labs, strchr(labs, '/') ? "" : "/*") >= 0);
    cr_assert_eq(glob(pattern, GLOB_BRACE, NULL, &found), 0);
    free(pattern);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        char *name = name_of(found.gl_pathv[i]);
        grade_mistake(name);
        free(name);
    }
    globfree(&found);
}

Test(golden_mistakes, of_lab_check_are_explained)
{
    char *text = NULL;
    size_t size;
    if (!getenv("LANEWISE_MISTAKES"))
        cr_skip_test("make mistakes grades them");
    FILE *memory = open_memstream(&text, &size);
    for (size_t i = 0; i < sizeof explained / sizeof *explained; ++i) {
        int code;
        submission_write_mutant(explained[i].lab, explained[i].mutant, "a.cu");
        char *report = submission_grade(explained[i].lab, "a.cu", &code, NULL);
        fprintf(memory, "%s/%s\n%s\n", explained[i].lab, explained[i].mutant,
                first_trouble(submission_normalise(report)));
        free(report);
    }
    fclose(memory);
    golden_check("explained-mutants", text);
    free(text);
}

Test(golden_mistakes, are_found_by_small_edits)
{
    char *text = NULL, path[300];
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    for (size_t i = 0; i < sizeof repaired / sizeof *repaired; ++i) {
        int code;
        snprintf(path, sizeof path, "mistakes/%s/%s", repaired[i].lab, repaired[i].mistake);
        submission_write_mutant(repaired[i].lab, path, "a.cu");
        char *report =
            shell(&code, "$LANEWISE grade --lab %s --submission a.cu --seed 1", repaired[i].lab);
        fprintf(memory, "%s/%s\n%s\n", repaired[i].lab, repaired[i].mistake,
                first_trouble(submission_normalise(report)));
        free(report);
    }
    fclose(memory);
    golden_check("repaired-mistakes", text);
    free(text);
}
