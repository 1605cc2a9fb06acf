/* Tests lanewise lab-check, the kit's self-test, and the function that reads mutants. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "grade/mutant.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(mutant, .init = shell_init, .fini = shell_fini);
TestSuite(lab_check, .init = shell_init, .fini = shell_fini, .timeout = 600);
TestSuite(golden_lab_check, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* --- mutants ---------------------------------------------------------------------------------------- */

#define SOLUTION "one\n  two\nthree\nfour\ntwo\nthree\n"
#define HEAD     "mutant: a test\nscores: 85\nloses: ragged 15\n"

/* Mutants of SOLUTION, each with the resulting source or the error message. */
static const struct {
    const char *name, *text, *source, *error;
} rows[] = {
    {"one line", HEAD "\n-four\n+4\n", "one\n  two\nthree\n4\ntwo\nthree\n", NULL},
    {"several lines become more lines", HEAD "\n-one\n-  two\n+1\n+2\n+3\n",
     "1\n2\n3\nthree\nfour\ntwo\nthree\n", NULL},
    {"two edits", HEAD "\n-one\n+1\n\n\n-four\n+4\n", "1\n  two\nthree\n4\ntwo\nthree\n", NULL},
    {"a line is removed", HEAD "\n-four\n", "one\n  two\nthree\ntwo\nthree\n", NULL},
    {"whole lines only: one \"two\" is indented", HEAD "\n-two\n+2\n",
     "one\n  two\nthree\nfour\n2\nthree\n", NULL},
    {"an optional key", "mutant: a\ndevice: emulator\nscores: 100\nloses: nothing\n\n-one\n",
     "  two\nthree\nfour\ntwo\nthree\n", NULL},
    {"no edit", HEAD, NULL, "the file has no edit"},
    {"lines that are not there", HEAD "\n-five\n+5\n", NULL, "not in the solution"},
    {"lines that are there twice", HEAD "\n-three\n+3\n", NULL, "in the solution twice"},
    {"additions alone", HEAD "\n+5\n", NULL, "line 5: an edit must be lines with '-'"},
    {"removals after additions", HEAD "\n-one\n+1\n-four\n", NULL,
     "an edit must be lines with '-'"},
    {"context", HEAD "\n one\n-four\n", NULL, "an edit must be lines with '-'"},
    {"no head", "-one\n+1\n", NULL, "line 1: the lines before the first empty line must be"},
    {"half a head", "mutant: a\nscores: 3\n\n-one\n", NULL, "must have the keys"},
    {"an unknown key", "mutant: a\nwins: 3\n", NULL, "line 2: the key \"wins\" is unknown"},
    {"points of nothing", "mutant: a\nscores: 3\nloses: ragged 0\n", NULL,
     "a check's id and points"},
    {"an empty file", "", NULL, "must have the keys"},
};

Test(mutant, edits_are_made_or_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mutant mutant;
        char error[300], path[400];
        snprintf(path, sizeof path, "%s/a-mutant.diff", shell_folder());
        cr_assert(base_write_file(path, rows[i].text, strlen(rows[i].text), 0600));
        bool read = mutant_read(path, SOLUTION, &mutant, error, sizeof error);
        cr_expect_eq(read, rows[i].source != NULL, "%s: %s", rows[i].name, error);
        if (read) {
            cr_expect_str_eq(mutant.name, "a-mutant");
            cr_expect_str_eq(mutant.source, rows[i].source, "%s: %s", rows[i].name, mutant.source);
            mutant_free(&mutant);
        } else
            cr_expect(strstr(error, rows[i].error), "%s: %s", rows[i].name, error);
    }
}

Test(mutant, losses_have_points_or_none)
{
    static const char text[] =
        "mutant: a\nscores: 70\nloses: ragged 15, block-path 1.7,speed\n\n-one\n";
    struct mutant mutant;
    char error[300], path[400];
    snprintf(path, sizeof path, "%s/a.diff", shell_folder());
    cr_assert(base_write_file(path, text, strlen(text), 0600));
    cr_assert(mutant_read(path, SOLUTION, &mutant, error, sizeof error), "%s", error);
    cr_assert_eq(mutant.loss_count, 3);
    cr_expect_eq(mutant.scores, 70);
    cr_expect_str_eq(mutant.losses[1].check, "block-path");
    cr_expect_eq(mutant.losses[1].points, 1.7);
    cr_expect_str_eq(mutant.losses[2].check, "speed");
    cr_expect_lt(mutant.losses[2].points, 0);
    mutant_free(&mutant);
}

/* --- the command ------------------------------------------------------------------------------------ */

/* `make lab-check` grades all mutants of all labs. For a test of the command's output, a few are
 * enough. */
Test(golden_lab_check, a_lab)
{
    int code;
    char *output =
        shell(&code, FEW_MUTANTS "LANEWISE_MUTANTS=$PWD/mutants $LANEWISE lab-check --lab 2 "
                                 "--device emulator");
    cr_expect_eq(code, 0, "%s", output);
    golden_check("lab-check", submission_normalise(output));
    free(output);
}

/* A quick lab-check grades three of the five mutants. It leaves out the one that loses nothing, and
 * one of two that lose points in the same check. */
Test(golden_lab_check, a_lab_in_a_quick_run)
{
    int code;
    char *output =
        shell(&code, FEW_MUTANTS "LANEWISE_MUTANTS=$PWD/mutants $LANEWISE lab-check --lab 2 "
                                 "--device emulator --quick");
    cr_expect_eq(code, 0, "%s", output);
    golden_check("lab-check-quick", submission_normalise(output));
    free(output);
}

/* The command reports mutants that do not lose the points, or show the figures, that they
 * declare. */
Test(golden_lab_check, a_lab_that_is_not_sound)
{
    int code;
    char *output =
        shell(&code, FEW_MUTANTS
              "cd mutants/02-coalesce && rm int4.diff askew.diff past-the-end.diff &&\n"
              "sed -i 's/ragged 10/ragged 5\\nnaive: sectors/' no-tail.diff && cd ../.. &&\n"
              "sed -i 's/loses: sectors 70/loses: nothing/' mutants/02-coalesce/chunks.diff &&\n"
              "LANEWISE_MUTANTS=$PWD/mutants $LANEWISE lab-check --lab 2 --device emulator");
    cr_expect_eq(code, 2, "exit code %d", code);
    golden_check("lab-check-unsound", submission_normalise(output));
    free(output);
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"lab-check --lab 99", "no lab is called \"99\"; the labs are 01-"},
    {"lab-check --fast", "unknown option --fast"},
    {"lab-check 02", "unexpected \"02\": name the lab with --lab"},
    {"lab-check --lab", "--lab needs a value: --lab NAME"},
    {"lab-check --device tpu", "unknown device \"tpu\""},
    {"new-lab", "name the new lab"},
    {"new-lab 07-a 08-b", "unexpected \"08-b\": new-lab takes one name"},
    {"new-lab histogram", "\"histogram\" cannot be a lab's name; use two digits"},
    {"new-lab 07-../x", "cannot be a lab's name"},
    {"new-lab 7-histogram", "cannot be a lab's name"},
    {"new-lab 07-Histogram", "cannot be a lab's name"},
    {"new-lab 02-coalesce", "labs/02-coalesce already exists"},
};

Test(lab_check, usage_errors_are_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE %s", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}

/* After an interrupted grading, the command says nothing about the lab. */
Test(lab_check, says_nothing_when_interrupted)
{
    int code;
    char *output =
        shell(&code, "timeout --preserve-status 2 $LANEWISE lab-check --device emulator");
    cr_expect_eq(code, 130, "exit code %d", code);
    cr_expect_str_empty(output, "%s", output);
    free(output);
}
