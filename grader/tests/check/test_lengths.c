/* `make check` refuses long files, long functions and wide lines (grader/length.awk). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

TestSuite(lengths, .init = shell_init, .fini = shell_fini, .timeout = 100);

/* Files of LINES lines, each with WIDTH letters. If IS_FUNCTION is true, the lines are a body. SAYS
 * is NULL if the file is accepted. */
static const struct {
    const char *name, *path;
    int lines, width;
    bool is_function;
    const char *says;
} planted[] = {
    {"the longest source", "grader/a.c", 600, 9, false, NULL},
    {"a source that is too long", "grader/a.c", 601, 9, false, "a.c:601: the file is longer"},
    {"the longest program", "grader/a.cu", 800, 9, false, NULL},
    {"a program that is too long", "labs/a.cu", 801, 9, false, "a.cu:801: the file is longer"},
    {"the longest function", "labs/a.c", 60, 9, true, NULL},
    {"a function that is too long", "labs/a.c", 61, 9, true, "a function of 61 lines"},
    {"a long function of a test", "grader/tests/a.c", 61, 9, true, NULL},
    {"the widest line", "grader/a.c", 1, 100, false, NULL},
    {"a line that is too wide", "grader/a.c", 1, 101, false, "wider than 100 columns"},
    {"a wide line of a lab", "labs/a.c", 1, 101, false, NULL},
};

Test(lengths, planted_files)
{
    free(shell_must("mkdir -p grader/tests labs"));
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        int code;
        char *text =
            shell(&code,
                  "{ %s; yes $(printf %%0%dd 0) | head -n %d; %s; } >%s; "
                  "awk -f " LANEWISE_ROOT "/grader/length.awk %s",
                  planted[i].is_function ? "echo {" : ":", planted[i].width, planted[i].lines,
                  planted[i].is_function ? "echo }" : ":", planted[i].path, planted[i].path);
        cr_expect_eq(code, planted[i].says ? 1 : 0, "%s: %d", planted[i].name, code);
        cr_expect(!planted[i].says || strstr(text, planted[i].says), "%s: %s", planted[i].name,
                  text);
        free(text);
    }
}

/* After a change of a limit, all files are checked again, not only those that have changed. */
Test(lengths, are_all_checked_after_a_change)
{
    free(shell_must("mkdir -p check && touch check/length.ok && make --no-print-directory -n "
                    "-C " LANEWISE_ROOT " BUILD=$PWD -W grader/length.awk $PWD/check/length.ok"
                    " >plan && grep 'awk -f grader/length.awk .* grader/base/files.c ' plan"));
}
