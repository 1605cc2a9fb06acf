/* Tests that README.md is short and shows a real report, and that README.md and the handouts name
 * only paths that exist. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(readme, .init = submission_init, .fini = shell_fini, .timeout = 600);

Test(readme, has_at_most_150_lines)
{
    free(shell_must("test $(wc -l <" LANEWISE_ROOT "/README.md) -le 150"));
}

Test(readme, names_paths_that_exist)
{
    free(shell_must("cd " LANEWISE_ROOT
                    " && handouts/checks/paths.sh README.md handouts/[a-z0-9]*.md"));
}

/* The course plan names mistakes in the form "(`no-atomic`)". In the instructor's guide, the last
 * column of the table of topics names ladders and examples. All of them must exist. */
Test(readme, teachers_pages_name_programs_that_exist)
{
    char *missing = shell_must(
        "cd " LANEWISE_ROOT "/handouts\n"
        "for name in $(grep -o '(`[a-z0-9-]*`)' course-plan.md | tr -d '()`'); do\n"
        "    compgen -G \"../grader/tests/mistakes/*/$name.diff\" >/dev/null || echo $name\n"
        "done\n"
        "for name in $(sed '1,/{#topics}/d' instructors-guide.md | cut -d '|' -f 5 |\n"
        "              grep -o '`[a-z0-9_]*`' | tr -d '`'); do\n"
        "    ls {ladders,examples}/$name.cu 2>/dev/null | grep -q . || echo $name\n"
        "done");
    cr_expect_str_eq(missing, "", "no such programs: %s", missing);
    free(missing);
}

/* The checks find a mistyped path, and a link to a file that does not exist. */
Test(readme, checks_find_paths_that_do_not_exist)
{
    int code;
    char *said = shell(
        &code, "echo 'See `grader/judge/scoer.c`, `grader/judge/score.c` and [this](labs/x).' "
               ">page.md; " LANEWISE_ROOT "/handouts/checks/paths.sh $PWD/page.md");
    cr_expect_eq(code, 1, "exit code %d", code);
    cr_expect(strstr(said, "page.md:1: there is no grader/judge/scoer.c\n") &&
                  strstr(said, "page.md:1: there is no labs/x\n") && !strstr(said, "score.c"),
              "%s", said);
    free(said);
}

/* Solves the first half of lab 01, as README.md shows it. Replaces the times, and removes whether
 * the build came from the cache. */
#define HALF_SOLVED                                                                                \
    "sed -i -e '/TODO 1a/,/atomicAdd/{/if (threadIdx/d;"                                           \
    "s/        for (.*/    for (int i = threadIdx.x; i < n; i += blockDim.x)/;"                    \
    "s/            mine/        mine/}' -e 's/<<<1, 32>>>/<<<1, 1024>>>/' "                        \
    "labs/01-parallelize/parallelize.cu\n"

Test(readme, shows_a_real_report)
{
    char *difference = shell_must(
        HALF_SOLVED
        "steady() { sed -E 's/ \\(unchanged since the last build\\)//; s/ +[0-9]+\\.[0-9] s$//'; }\n"
        "awk '/^```/ { inside = !inside; next } inside' " LANEWISE_ROOT "/README.md >shown\n"
        "echo \"$($LANEWISE grade --lab 1 --seed 42 --device emulator --json out.json)\" >said\n"
        "diff <(steady <shown) <(steady <said) || true");
    cr_expect_str_eq(difference, "", "README.md (<) and the grader (>):\n%s", difference);
    free(difference);
}
