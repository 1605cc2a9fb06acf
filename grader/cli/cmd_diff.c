/* lanewise diff: the solution beside the student's file, once they have full marks. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/student.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grade/progress.h"
#include "report/result_terminal.h"

static const char usage[] =
    "usage: lanewise diff --lab NAME [--spoil]\n"
    "Shows how the solution differs from your file. Before you have full marks, only with --spoil.\n";

/* Runs diff(1), which every Debian has, and returns our exit code. */
static int show(const char *own, const char *solution)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execlp("diff", "diff", "-u",
               report_wants_colour(stdout) ? "--color=always" : "--color=never", "--label",
               "your file", "--label", "the solution", own, solution, NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return cli_complain("diff", EXIT_USAGE, "cannot start diff: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        return cli_complain("diff", EXIT_USAGE, "cannot compare %s with %s", own, solution);
    if (WEXITSTATUS(status) == 0)
        printf("your file is the solution, letter for letter\n");
    return EXIT_FULL;
}

int cmd_diff(int argc, char **argv)
{
    struct cli_student student = {.command = "diff", .usage = usage, .flag = "spoil"};
    char own[PATH_SIZE];
    int code = cli_read_student(&student, argc, argv);
    if (code >= 0)
        return code;
    const char *lab = student.lab.name;
    json_t *progress = progress_load();
    if (!student.flagged && !progress_done(progress, lab)) {
        printf(
            "The solution is shown once `make grade LAB=%s` gives you full marks.\n"
            "Before that: make hint LAB=%s, or, to see it all the same, make diff LAB=%s SPOIL=1\n",
            lab, lab, lab);
        code = EXIT_NOT_YET;
    } else if (lab_own_path(&student.lab, own))
        code = show(own, student.lab.solution);
    json_decref(progress);
    labs_close(&student.lab);
    return code;
}
