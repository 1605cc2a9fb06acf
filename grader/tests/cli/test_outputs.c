/* Tests that each command removes its old output files before it begins. Otherwise, after a
 * failure, a script that ignores the exit code would take the result of one student for that of the
 * next. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(outputs, .init = submission_init, .fini = shell_fini, .timeout = 3600);

/* The file "old" exists before each command. The command must remove it and exit with this code. */
static const struct {
    const char *name, *command;
    int code;
} failing[] = {
    {"no such submission", "grade --lab 02 --submission nowhere.cu --json old", 2},
    {"no such lab", "grade --lab 99 --json old", 2},
    {"no such device", "grade --lab 02 --json old --device abacus", 2},
    {"no such course", "grade --lab 02 --json old --course nowhere.yaml", 2},
    {"no such key", "grade --lab 02 --json old --key nowhere", 2},
    {"a seed that is no number", "grade --lab 02 --json old --seed x", 2},
    {"a mistake behind", "grade --lab 02 --json old --bogus", 2},
    {"a mistake before", "grade --bogus 7 --lab 02 --json old", 2},
    {"a value too many", "grade --unsafe=no --json old", 2},
    {"a missing value", "grade --json old --lab", 2},
    {"a word too many", "grade --json old coalesce", 2},
    {"a number out of range", "run --lines many --json old", 2},
    {"SARIF", "grade --lab 02 --submission nowhere.cu --sarif old", 2},
    {"JUnit", "grade --lab 02 --device abacus --format junit --out old", 2},
    {"no such format", "grade --lab 02 --format abacus --out old", 2},
    {"another output cannot be written", "grade --lab 02 --sarif nowhere/file --json old", 2},
    {"a page", "report --lab 02 --submission nowhere.cu --out old", 2},
    {"a page, by mistake", "report --out old --bogus", 2},
    {"a run", "run --json old ./nowhere", 2},
    {"a run's SARIF", "run --sarif old --tools abacus ./nowhere", 2},
    {"a picture", "trace --line a.cu:7 -o old ./nowhere", 2},
    {"a picture of nothing", "trace -o old", 2},
    {"a page of steps", "step -o old ./nowhere", 2},
    {"steps of nothing", "step -o old", 2},
};

Test(outputs, of_an_earlier_run_are_gone_if_this_one_fails)
{
    for (size_t i = 0; i < sizeof failing / sizeof *failing; ++i) {
        int code;
        free(shell_must("echo '{\"score\": 100}' >old"));
        char *output = shell(&code, "$LANEWISE %s; code=$?; test ! -e old || echo KEPT; exit $code",
                             failing[i].command);
        cr_expect_eq(code, failing[i].code, "%s: code %d", failing[i].name, code);
        cr_expect(!strstr(output, "KEPT"), "%s: the old file is there", failing[i].name);
        cr_expect(strncmp(output, "lanewise", 8) == 0 || strstr(output, "nowhere.yaml"), "%s: %s",
                  failing[i].name, output);
        cr_expect(strchr(output, '\n') == strrchr(output, '\n'), "%s: one line: %s",
                  failing[i].name, output);
        free(output);
    }
}

Test(outputs, of_an_earlier_run_are_gone_if_the_compiler_is_missing)
{
    int code;
    free(shell_must("echo '{\"score\": 100}' >old; cp $LANEWISE_LABS/02-coalesce/coalesce.cu .;"
                    "date +//%%N >>coalesce.cu"));
    free(shell(&code,
               "NVCC=/nonexistent $LANEWISE grade --lab 02 --submission coalesce.cu --json old"));
    cr_expect_eq(code, 2);
    free(shell_must("test ! -e old"));
}

/* The file "kept" must still exist after the command. */
static const struct {
    const char *name, *command, *said;
} kept[] = {
    {"help", "grade --json kept --help", NULL},
    {"a source", "grade --lab 02 --json kept.cu", "it is the name of a source file"},
    {"a source, with a mistake", "grade --lab 02 --json kept.cu --bogus", "unknown option --bogus"},
    {"the submission", "grade --lab 02 --submission kept --json kept",
     "this command reads from it"},
    {"the course", "grade --lab 02 --course kept --out ./kept --format csv",
     "this command reads from it"},
    {"a program", "run --json program", "it is a program"},
    {"a program, as output", "trace -o program --heat ./other", "it is a program"},
    {"a program, as a page", "step -o program ./other", "it is a program"},
};

Test(outputs, are_never_an_input)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        int code;
        free(shell_must("echo keep | tee kept kept.cu program >check; chmod +x program"));
        char *output = shell(&code, "$LANEWISE %s", kept[i].command);
        cr_expect_eq(code, kept[i].said ? 2 : 0, "%s: code %d", kept[i].name, code);
        cr_expect(!kept[i].said || strstr(output, kept[i].said), "%s: %s", kept[i].name, output);
        free(output);
        free(shell_must("cmp kept check && cmp kept.cu check && cmp program check"));
    }
}

/* Pipes and devices are written to, but never removed. A full file is an ordinary error. */
Test(outputs, that_are_no_files_stay)
{
    int code;
    free(shell_must("ln -s /dev/null null; mkfifo pipe"));
    char *output = shell(&code, "$LANEWISE grade --lab 02 --json null --sarif /dev/null --bogus");
    cr_expect_eq(code, 2);
    free(output);
    free(shell_must("test -L null; test -p pipe; test -c /dev/null"));
    output =
        shell(&code, "export TMPDIR=$PWD/t; mkdir t; ulimit -f 4;"
                     "$LANEWISE grade --lab 02 --json full --device emulator >/dev/null; code=$?;"
                     "ls -A t full; exit $code");
    cr_expect_eq(code, 2, "%s", output);
    cr_expect_str_eq(
        output, "lanewise grade: the limit on file sizes is too low: set ulimit -f 65536 or more\n"
                "ls: cannot access 'full': No such file or directory\nt:\n");
    free(output);
}
