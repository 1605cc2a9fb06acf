/* Tests make editor: uses its files with clangd, and with the messages that Lanewise prints. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(editor, .init = submission_init, .fini = shell_fini, .timeout = 300);

/* Makes a copy of the tree, because make editor writes its files into the tree. */
static void make_tree(void)
{
    free(shell_must(
        "mkdir -p kit/grader && cd " LANEWISE_ROOT " && "
        "cp -r grader/editor $OLDPWD/kit/grader && cp -r shared labs solutions $OLDPWD/kit && "
        "cd $OLDPWD && kit/grader/editor/editor.sh " LANEWISE_CUDA_HOME));
}

Test(editor, clangd_finds_no_error_in_a_lab)
{
    int code;
    shell_patience(280);
    make_tree();
    free(shell(&code, "clangd --version"));
    if (code != 0)
        cr_skip_test("clangd is not installed; grader/setup.sh editor installs it");
    char *text = shell(&code, "cd kit && for file in labs/*/*.cu solutions/*/*.cu; do "
                              "clangd --check=$file --check-lines=1 --log=error 2>&1 | "
                              "grep '^E' | grep -v tweak | sed \"s|^|$file: |\"; done");
    cr_expect_str_eq(text, "", "%s", text);
    free(text);
}

Test(editor, clangd_finds_a_mistake)
{
    int code;
    make_tree();
    free(shell(&code, "clangd --version"));
    if (code != 0)
        cr_skip_test("clangd is not installed; grader/setup.sh editor installs it");
    char *text =
        shell(&code, "cd kit && echo '__global__ void k(int *p) { *p = threadIdx.w; }' >x.cu && "
                     "clangd --check=x.cu --log=error 2>&1");
    cr_expect(strstr(text, "no member named 'w'"), "%s", text);
    free(text);
}

/* The pattern of the first problem matcher, converted for grep -P. */
#define PATTERN                                                                                    \
    "$(sed -n 's/.*\"regexp\": \"\\(.*\\)\",$/\\1/p' kit/.vscode/tasks.json | head -n 1 | sed 's/\\\\\\\\/\\\\/g')"

Test(editor, the_problem_matcher_matches_each_finding)
{
    make_tree();
    char *text = shell_must(
        "$LANEWISE grade --lab 01 --submission " LANEWISE_ROOT "/labs/01-parallelize/.skeleton.cu "
        "--device emulator --seed 1 --format lines 2>/dev/null >lines; pattern=" PATTERN "; "
        "test -n \"$pattern\"; grep -c . lines; grep -cP \"$pattern\" lines; "
        "grep -c 'skeleton.cu:57:13: warning: one lane does nearly all of the work' lines");
    int lines = 0, matched = 0, serial = 0;
    cr_assert_eq(sscanf(text, "%d %d %d", &lines, &matched, &serial), 3, "%s", text);
    cr_expect_gt(lines, 1);
    cr_expect_eq(matched, lines);
    cr_expect_eq(serial, 1);
    free(text);
}

Test(editor, the_problem_matcher_matches_what_is_printed)
{
    make_tree();
    char *text = shell_must(
        "pattern=" PATTERN "; cat $TESTS/golden/missing-header.txt | sed 's/^ *//' | "
        "grep -oP \"$pattern\"; cat $TESTS/golden/limits.txt $TESTS/golden/bad-launch.txt | "
        "grep -cP \"$pattern\" || true");
    cr_expect(strstr(text, "coalesce.cu:8:10: fatal error: lap.h: No such file or directory"), "%s",
              text);
    free(text);
}

Test(editor, a_file_of_the_user_stays)
{
    make_tree();
    char *text =
        shell_must("cd kit && echo mine >.clangd && grader/editor/editor.sh " LANEWISE_CUDA_HOME
                   " && cat .clangd && head -n 1 .clangd.lanewise");
    cr_expect(strstr(text, ".clangd is your own: left alone; compare it with .clangd.lanewise"),
              "%s", text);
    cr_expect(strstr(text, "\nmine\n# Written by make editor"), "%s", text);
    free(text);
}
