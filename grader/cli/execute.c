#include "cli/execute.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common.h"
#include "cli/program.h"
#include "compile/column.h"
#include "gpu/environment.h"
#include "record/record.h"
#include "sandbox/process.h"

/* --- the program's environment ---------------------------------------------------------------- */

/* Finds the folder of our runtime library, which is lib/ next to this executable. */
static bool find_library(char folder[PATH_MAX])
{
    char self[PATH_MAX], file[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return false;
    self[length] = '\0';
    if (snprintf(folder, PATH_MAX, "%s/lib", dirname(self)) >= PATH_MAX)
        return false;
    snprintf(file, sizeof file, "%s/libcudart.so.13", folder);
    return access(file, R_OK) == 0;
}

/* Puts VALUE and a colon before the value of the environment variable NAME. */
static bool prepend(const char *name, const char *value)
{
    const char *old = getenv(name);
    char *both;
    if (!old || !*old)
        return setenv(name, value, 1) == 0;
    if (asprintf(&both, "%s:%s", value, old) < 0)
        return false;
    bool done = setenv(name, both, 1) == 0;
    free(both);
    return done;
}

/* Makes an empty file in memory for the record. PATH gets a path with which the program can open
 * it. The file disappears when this process ends. */
static bool make_record(char path[PATH_MAX], int *file)
{
    *file = memfd_create("record", MFD_CLOEXEC);
    snprintf(path, PATH_MAX, "/proc/%ld/fd/%d", (long)getpid(), *file);
    return *file >= 0;
}

static bool set_environment(const char *library, const char *record)
{
    bool done = prepend("LD_LIBRARY_PATH", library) && setenv("LANEWISE_RECORD", record, 1) == 0 &&
                prepend("GLIBC_TUNABLES", EMU_TUNABLES);
#ifdef LANEWISE_PRELOAD /* the sanitizer's library must be loaded first */
    done = done && prepend("LD_PRELOAD", LANEWISE_PRELOAD) &&
           setenv("ASAN_OPTIONS", LANEWISE_ASAN_OPTIONS, 1) == 0;
#endif
    return done;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Runs the program until it ends. *STATUS gets the status from waitpid(). Ctrl-C ends the program
 * but not this process, which still makes its report. */
static bool run_program(const char *command, const char *program, char **argv, int *status)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        if (!process_end_with(parent, SIGTERM))
            _exit(EXIT_USAGE);
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        execv(program, argv);
        cli_complain(command, EXIT_USAGE, "%s: %s", program, strerror(errno));
        _exit(EXIT_USAGE);
    }
    bool done = child > 0;
    while (done && waitpid(child, status, 0) < 0) {
        done = errno == EINTR;
        if (process_interrupted())
            kill(child, SIGTERM);
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return done;
}

bool cli_pass(const char *variable, const char *value)
{
    return !value || setenv(variable, value, 1) == 0;
}

int cli_exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void explain_end(const char *program, int status)
{
    if (!WIFSIGNALED(status))
        return;
    int signal = WTERMSIG(status);
    fprintf(stderr, "lanewise: %s was killed by signal %d (%s)\n", program, signal,
            strsignal(signal));
}

static json_t *take_record(const char *command, int file)
{
    char error[200];
    json_t *record = record_take(file, error, sizeof error);
    if (!record)
        cli_complain(command, EXIT_USAGE, "the record of this run %s", error);
    compile_true_columns(json_object_get(record, "findings"));
    return record;
}

bool cli_execute(const char *command, const char *program, char **argv, int *status,
                 json_t **record)
{
    char message[PATH_MAX + 512], library[PATH_MAX], path[PATH_MAX];
    int file;
    *record = NULL;
    if (!cli_check_program(program, message, sizeof message))
        cli_complain(command, EXIT_USAGE, "%s", message);
    else if (!find_library(library))
        cli_complain(command, EXIT_USAGE,
                     "libcudart.so.13 is not in lib/ next to lanewise; run make lanewise");
    else if (!make_record(path, &file))
        cli_complain(command, EXIT_USAGE, "cannot make a file in memory: %s", strerror(errno));
    else {
        if (set_environment(library, path) && run_program(command, program, argv, status)) {
            explain_end(program, *status);
            *record = take_record(command, file);
        } else {
            cli_complain(command, EXIT_USAGE, "cannot start %s: %s", program, strerror(errno));
            close(file);
        }
    }
    return *record != NULL;
}
