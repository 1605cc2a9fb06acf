/* lanewise diff: compares the student's file with the solution, once the student has full marks. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grade/progress.h"
#include "report/result_terminal.h"

struct options {
    const char *lab;
    bool spoil;
};

static const struct cli_option table[] = {
    CLI_TEXT(lab, "lab", "NAME", CLI_HELP_LAB),
    CLI_FLAG(spoil, "spoil", "show the solution before you have full marks"), CLI_END};

static const struct cli_syntax syntax = {
    .command = "diff",
    .usage = "usage: lanewise diff --lab NAME [--spoil]\n"
             "Compares your file with the solution, once you have full marks.\n",
    .options = table,
    .word_advice = "name the lab with --lab"};

/* Runs diff(1), which every Debian has. Returns the exit code of lanewise. */
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
        printf("your file is identical to the solution\n");
    return EXIT_FULL;
}

int cmd_diff(int argc, char **argv)
{
    char own[PATH_SIZE];
    struct options options = {0};
    struct lab lab;
    int code = cli_read_options(&syntax, argc, argv, &options);
    if (code >= 0)
        return code;
    if (!cli_open_lab("diff", options.lab, &lab))
        return EXIT_USAGE;
    json_t *progress = progress_load();
    if (!options.spoil && !progress_done(progress, lab.name)) {
        printf("The solution is shown once `make grade LAB=%s` gives you full marks.\n"
               "Until then: make hint LAB=%s. To see it anyway: make diff LAB=%s SPOIL=1\n",
               lab.name, lab.name, lab.name);
        code = EXIT_NOT_YET;
    } else if (lab_own_path(&lab, own))
        code = show(own, lab.solution);
    json_decref(progress);
    labs_close(&lab);
    return code;
}
