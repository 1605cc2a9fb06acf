/* lanewise: runs the command that its first argument names.
 *
 * A new command is one line in the table below and one file, cmd_NAME.c. */
#include "base/nearest.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *purpose;
} commands[] = {
    {"grade", cmd_grade, "grade labs: lanewise grade [--lab NAME] [--submission FILE] ..."},
    {"batch", cmd_batch, "grade a class: lanewise batch SUBMISSIONS/ [--roster FILE] ..."},
    {"run", cmd_run, "run a CUDA program on the emulator: lanewise run ./program or --lab NAME"},
    {"explain", cmd_explain, "explain a finding: lanewise explain bank-conflict"},
    {"occupancy", cmd_occupancy, "calculate how many blocks fit: lanewise occupancy --threads 256"},
    {"report", cmd_report, "grade a lab and write an HTML page: lanewise report --lab NAME"},
    {"trace", cmd_trace, "draw how a line accesses memory: lanewise trace --line FILE:31 -o a.svg"},
    {"step", cmd_step, "step through a launch in a browser: lanewise step -o a.html ./program"},
    {"hint", cmd_hint, "show one more hint: lanewise hint --lab NAME"},
    {"watch", cmd_watch, "grade a lab each time you save: lanewise watch --lab NAME"},
    {"diff", cmd_diff, "compare your code with the solution: lanewise diff --lab NAME"},
    {"reset", cmd_reset, "restore a lab's skeleton: lanewise reset --lab NAME"},
    {"key", cmd_key, "make a key that signs results: lanewise key FILE"},
    {"verify", cmd_verify, "check that a result is genuine: lanewise verify results.json"},
    {"audit", cmd_audit, "grade on both devices and compare: lanewise audit --lab NAME"},
    {"lab-check", cmd_lab_check, "check that the labs are sound (for authors)"},
    {"calibrate", cmd_calibrate, "measure the labs on this machine and propose thresholds"},
    {"new-lab", cmd_new_lab, "make the files of a new lab: lanewise new-lab 07-histogram"},
    {"doctor", cmd_doctor, "show what this machine has and what is missing"},
    {"help", cmd_help, "show this list"},
    {"version", cmd_version, "show the version"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_commands(FILE *to)
{
    fprintf(to, "usage: lanewise COMMAND [OPTIONS]; lanewise COMMAND --help explains COMMAND\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].purpose);
}

static int cmd_help(int argc, char **argv)
{
    print_commands(stdout);
    return 0;
}

static int cmd_version(int argc, char **argv)
{
    printf("lanewise %s\n", LANEWISE_VERSION);
    return 0;
}

static const struct command *find_command(const char *name)
{
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static int complain_of(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    const char *meant = base_nearest(name, names, COMMAND_COUNT);
    if (meant)
        cli_say(stderr, "lanewise: unknown command \"%s\"; did you mean %s?", name, meant);
    else
        cli_say(stderr, "lanewise: unknown command \"%s\"; lanewise help lists all commands", name);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_commands(stderr);
        return 2;
    }
    const struct command *command = find_command(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : complain_of(argv[1]);
}
