/* Tests the Makefile as people use it: its help, and its messages about typing mistakes
 * (grader/typos.mk). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(make, .init = shell_init, .fini = shell_fini, .timeout = 100);
TestSuite(golden_make, .init = shell_init, .fini = shell_fini, .timeout = 100);

#define MAKE "make --no-print-directory -C " LANEWISE_ROOT " "

Test(golden_make, help)
{
    char *help = shell_must(MAKE "help");
    golden_check("make-help", help);
    char *alone = shell_must(MAKE);
    cr_expect_str_eq(alone, help, "make alone does not show the help");
    free(alone);
    free(help);
}

/* The words after make, and make's suggestion. */
static const struct {
    const char *typed, *suggestion;
} mistakes[] = {
    {"grad", "no target \"grad\": try make grade"},
    {"garde LAB=01", "no target \"garde\": try make grade"},
    {"lab-chek", "no target \"lab-chek\": try make lab-check"},
    {"everything", "no target \"everything\": make help lists all targets"},
    {"clean everything", "no target \"everything\": make help lists all targets"},
    {"01", "no target \"01\": try make grade LAB=01"},
    {"hint coalesce", "no target \"coalesce\": try make hint LAB=coalesce"},
    {"grade lab=01", "make grade has no variable lab: try LAB="},
    {"grade LABS=01", "make grade has no variable LABS: try LAB="},
    {"grade LAB=01 SUBMISION='a b=c'", "make grade has no variable SUBMISION: try SUBMISSION="},
    {"hint LAB=01 SEED=1", "make hint has no variable SEED: it takes LAB="},
    {"clean LAB=01", "make clean has no variable LAB: it takes none"},
    {"LAB=01", "LAB= needs a target: try make grade LAB="},
    {"lab=01", "lab= needs a target: try make grade LAB="},
    {"WHATEVER=1", "WHATEVER= needs a target: make help lists all variables"},
};

/* For a typing mistake, make prints a suggestion of one line, exits with code 2, and builds
 * nothing. */
Test(make, suggests_what_was_meant)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int code;
        char *output = shell(&code, MAKE "%s", mistakes[i].typed);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "make %s: exit code %d", mistakes[i].typed, code);
        cr_expect(strstr(output, mistakes[i].suggestion) && end && !end[1], "make %s: %s",
                  mistakes[i].typed, output);
        free(output);
    }
}

/* Command lines that make must accept. Some variables belong to several targets, some to every
 * target; a target can be a file. Variables that a recipe passes to another make are not
 * checked. */
static const char *const accepted[] = {
    "-n grade LAB=02 SEED=42",
    "-n lanewise grade report LAB=02 OUT=page.html",
    "-n lanewise V=1 SANITIZE=1",
    "-n run LAB=02 ARGS='n=5 rung=1' LIMIT=1000",
    "-n handouts HANDOUT=instructor HANDOUT_SITE=/tmp/site",
    "-n " LANEWISE_BUILD "/lanewise",
};

/* `make trace` also builds the program, and draws it. LINE needs a file name only if there are
 * several files. */
Test(make, traces_programs)
{
    static const char *const lines[][2] = {{"LINE=9", "--line 'bank-conflict.cu:9'"},
                                           {"LINE=other.cuh:3", "--line 'other.cuh:3'"},
                                           {"", "--heat"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *output = shell_must(
            MAKE "-n trace PROGRAM=grader/report/examples/bank-conflict.cu %s", lines[i][0]);
        cr_expect(strstr(output, lines[i][1]) && strstr(output, "/programs/bank-conflict' \n"),
                  "%s", output);
        free(output);
    }
}

/* `make step` also builds the program, and passes on the launch and the block. */
Test(make, steps_through_programs)
{
    char *output = shell_must(MAKE "-n step PROGRAM=grader/report/examples/bank-conflict.cu "
                                   "LAUNCH=2 BLOCK=3 FROM=4 OUT=a.html ARGS=5");
    cr_expect(strstr(output, "step --launch '2' --block '3' --from '4'") &&
                  strstr(output, "-o 'a.html'") && strstr(output, "/programs/bank-conflict' 5\n"),
              "%s", output);
    free(output);
    output = shell_must(MAKE "-n step LAB=04");
    cr_expect(strstr(output, "-o '" LANEWISE_BUILD "/step.html'") && strstr(output, "--lab '04'"),
              "%s", output);
    free(output);
}

Test(make, accepts_what_exists)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        char *output = shell_must(MAKE "%s", accepted[i]);
        cr_expect_null(strstr(output, "***"), "make %s: %s", accepted[i], output);
        free(output);
    }
    free(shell_must("MAKELEVEL=1 " MAKE "-n help NO_SUCH=1"));
}
