/* Tests how a program is executed. All ways in which it can end must be distinguished, limits must
 * hold, and no descriptors or variables may leak in or out. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "sandbox/process.h"

static char folder[PATH_SIZE];

static void make_folder(void)
{
    cr_assert(base_private_folder(folder));
}

static void remove_folder(void)
{
    base_remove_tree(folder);
}

TestSuite(exec, .init = make_folder, .fini = remove_folder, .timeout = 600);

/* Runs a shell script with small limits. SECONDS is the time limit. It is small if the limit must
 * kill the script. It is large if the script ends by itself, because the machine may be busy. */
static void run_script_for(const char *script, double seconds, struct process_outcome *outcome)
{
    const char *words[] = {"/bin/sh", "-c", script, NULL};
    char variable[PATH_SIZE + 8];
    snprintf(variable, sizeof variable, "FOLDER=%s", folder);
    const char *environment[] = {"PATH=/usr/bin:/bin", variable, NULL};
    struct process_command command = {.argv = words,
                                      .environment = environment,
                                      .folder = folder,
                                      .wall_seconds = seconds,
                                      .file_bytes = 4096,
                                      .output_keep = 100,
                                      .output_limit = 1000};
    process_run(&command, outcome);
}

static void run_script(const char *script, struct process_outcome *outcome)
{
    run_script_for(script, 60, outcome);
}

static const struct {
    const char *name, *script;
    enum process_end end;
    int code;
    const char *output; /* NULL if any output is right */
} endings[] = {
    {"well", "exit 0", PROCESS_EXITED, 0, ""},
    {"with a code", "exit 42", PROCESS_EXITED, 42, ""},
    {"by a signal", "kill -SEGV $$", PROCESS_SIGNALLED, SIGSEGV, NULL},
    {"stdout and stderr are merged", "echo out; echo err >&2", PROCESS_EXITED, 0, "out\nerr\n"},
    {"endless, quietly", "exec sleep 100", PROCESS_TIMED_OUT, 0, ""},
    {"endless, busily", "while :; do :; done", PROCESS_TIMED_OUT, 0, ""},
    {"endless, with output closed", "exec >&- 2>&-; exec sleep 100", PROCESS_TIMED_OUT, 0, ""},
    {"endless, ignoring SIGTERM", "trap '' TERM INT HUP; while :; do :; done", PROCESS_TIMED_OUT, 0,
     ""},
    {"endless output", "exec yes", PROCESS_TOO_MUCH_OUTPUT, 0, NULL},
    {"a file that is too large", "exec head -c 9000 /dev/zero >large", PROCESS_SIGNALLED, SIGXFSZ,
     NULL},
    {"the environment is as given", "env | cut -d= -f1 | grep -v _ | sort", PROCESS_EXITED, 0,
     "FOLDER\nPATH\nPWD\n"},
    {"the folder is as given", "test $PWD = $FOLDER", PROCESS_EXITED, 0, ""},
    {"no input", "cat", PROCESS_EXITED, 0, ""},
    {"no other descriptor", "ls /proc/self/fd | tr '\\n' ' '", PROCESS_EXITED, 0, "0 1 2 3 "},
    {"no core file", "ulimit -c", PROCESS_EXITED, 0, "0\n"},
    {"a child left behind does not delay the end", "sleep 100 & echo gone", PROCESS_EXITED, 0,
     "gone\n"},
    {"nor does a child in another session", "setsid sleep 50 & echo gone", PROCESS_EXITED, 0,
     "gone\n"},
};

Test(exec, all_endings_are_distinguished)
{
    /* The script must not see this descriptor. In the row "no other descriptor", descriptor 3 is
     * the folder that ls reads. */
    int secret = open("/etc/hostname", O_RDONLY);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        struct process_outcome outcome;
        run_script_for(endings[i].script, endings[i].end == PROCESS_TIMED_OUT ? .5 : 60, &outcome);
        cr_expect_eq(outcome.end, endings[i].end, "%s: end %d", endings[i].name, outcome.end);
        if (endings[i].end == PROCESS_EXITED || endings[i].end == PROCESS_SIGNALLED)
            cr_expect_eq(outcome.code, endings[i].code, "%s: code %d", endings[i].name,
                         outcome.code);
        if (endings[i].output)
            cr_expect_str_eq(outcome.output, endings[i].output, "%s: \"%s\"", endings[i].name,
                             outcome.output);
        cr_expect(outcome.seconds < 40, "%s: took %g s", endings[i].name, outcome.seconds);
        process_outcome_free(&outcome);
    }
    close(secret);
}

Test(exec, output_is_kept_up_to_a_limit)
{
    struct process_outcome outcome;
    run_script("head -c 500 /dev/zero | tr '\\0' x", &outcome);
    cr_expect_eq(outcome.end, PROCESS_EXITED);
    cr_expect_eq(outcome.output_size, 100);
    cr_expect_eq(strlen(outcome.output), 100);
    cr_expect(outcome.output_cut);
    process_outcome_free(&outcome);
}

/* Returns whether the process exists and is not a zombie. */
static bool lives(pid_t pid)
{
    char state = 'Z', path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file) {
        cr_expect_eq(fscanf(file, "%*d %*s %c", &state), 1);
        fclose(file);
    }
    return state != 'Z';
}

Test(exec, what_is_left_is_killed)
{
    static const char *const scripts[] = {
        "sleep 98765 & echo $!",
        "setsid sleep 98765 & echo $!",
        "setsid sh -c 'setsid sleep 98765 & echo $!'",
        "setsid sh -c 'setsid sleep 98765 & kill -STOP $!; echo $!'",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        struct process_outcome outcome;
        run_script(scripts[i], &outcome);
        cr_assert_gt(atoi(outcome.output), 0, "%s: %s", scripts[i], outcome.output);
        cr_expect(!lives(atoi(outcome.output)), "%s", scripts[i]);
        process_outcome_free(&outcome);
    }
}

/* Runs SCRIPT in a process that dies while the script runs. */
static void die_while(const char *script)
{
    struct process_outcome outcome;
    pid_t grader = fork();
    if (grader == 0) {
        run_script(script, &outcome);
        _exit(1);
    }
    for (int i = 0; i < 3000 && access("started", F_OK) != 0; ++i)
        usleep(10000);
    cr_expect_eq(kill(grader, SIGKILL), 0);
    unlink("started");
}

Test(exec, nothing_outlives_the_grader)
{
    cr_assert(chdir(folder) == 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans become children of this process */
    die_while("touch started; exec sleep 98765");
    die_while("sleep 98765 & setsid sleep 98765 & touch started; wait");
    die_while("trap '' TERM INT HUP; touch started; while :; do :; done");
    bool ended = false;
    for (int i = 0; i < 3000 && !ended; ++i, usleep(10000)) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        ended = waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
    }
    cr_expect(ended, "processes are left");
}

Test(exec, a_killed_supervisor_is_the_graders_failure)
{
    struct process_outcome outcome;
    run_script("kill -KILL $PPID; exec sleep 98765", &outcome);
    cr_expect_eq(outcome.end, PROCESS_NOT_STARTED);
    cr_expect_str_eq(process_start_error(&outcome), "signal 9 has ended its supervisor");
    process_outcome_free(&outcome);
}

Test(exec, a_program_that_cannot_start_is_the_graders_failure)
{
    const char *words[] = {"/nowhere/program", NULL};
    struct process_command command = {
        .argv = words, .wall_seconds = 1, .output_keep = 10, .output_limit = 10};
    struct process_outcome outcome;
    process_run(&command, &outcome);
    cr_expect_eq(outcome.end, PROCESS_NOT_STARTED);
    cr_expect_eq(outcome.code, ENOENT);
    process_outcome_free(&outcome);
    words[0] = "/bin/true";
    command.folder = "/nowhere";
    process_run(&command, &outcome);
    cr_expect_eq(outcome.end, PROCESS_NOT_STARTED, "a folder that is not there");
    process_outcome_free(&outcome);
}

static void on_alarm(int number)
{
    process_interrupt();
}

Test(exec, an_interrupt_ends_it)
{
    struct process_outcome outcome;
    signal(SIGALRM, on_alarm);
    ualarm(200000, 0);
    run_script("exec sleep 100", &outcome);
    cr_expect_eq(outcome.end, PROCESS_INTERRUPTED);
    cr_expect(outcome.seconds < 40, "took %g s", outcome.seconds);
    process_outcome_free(&outcome);
}
