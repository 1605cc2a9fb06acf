/* fork, limits, exec; then one loop that waits for output, for the end and for the clock.
 *
 *      parent                            child
 *      ------                            -----
 *      output pipe  <------------------  stdout, stderr
 *      error pipe   <------------------  errno if exec fails; closed by a successful exec
 *      status pipe  <------------------  of a sandbox: tells whether it has started the program
 *      pidfd: readable when it has ended
 *
 * The loop never waits for the output's end-of-file: a descendant that moved to another session may
 * hold the pipe open for ever. Once the child has ended, what the pipe holds is taken, and no more. */
#include "run/exec.h"

#include "run/sandbox.h"
#include "run/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

void run_interrupt(void)
{
    interrupted = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- in the child: only calls that are safe after fork ------------------------------------------- */

static void limit(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit limits = {.rlim_cur = soft, .rlim_max = hard};
    if (soft > 0)
        setrlimit(resource, &limits);
}

static void set_limits(const struct run_command *command)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit(RLIMIT_DATA, command->data_bytes, command->data_bytes);
    limit(RLIMIT_CPU, command->cpu_seconds, command->cpu_seconds + 1);
    limit(RLIMIT_AS, command->address_bytes, command->address_bytes);
    limit(RLIMIT_FSIZE, command->file_bytes, command->file_bytes);
}

static void reset_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; ++number)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Input, output and errors become descriptors 0, 1 and 2; the error pipe becomes 3 and closes
 * itself at exec; with a sandbox the status pipe becomes 4; everything else is closed. The pipes' own
 * numbers are above 4. */
static bool set_descriptors(int output, int error, int status)
{
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        return false;
    if (dup3(error, 3, O_CLOEXEC) < 0 || (status >= 0 && dup2(status, 4) < 0))
        return false;
    return syscall(SYS_close_range, status >= 0 ? 5u : 4u, ~0u, 0u) == 0;
}

static void run_child(const struct run_command *command, pid_t parent, int output, int error,
                      int status)
{
    static const char *const empty[] = {NULL};
    const char *const *environment = command->environment ? command->environment : empty;
    reset_signals();
    /* Should the grader die, so does the program. It may have died before the line above. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (!command->stay_in_group)
        setsid();
    if (set_descriptors(output, error, status)) {
        error = 3;
        if (!command->folder || chdir(command->folder) == 0) {
            set_limits(command);
            if (command->sandbox)
                run_sandbox_exec(command->sandbox, command->argv, environment);
            else
                execve(command->argv[0], (char *const *)command->argv, (char *const *)environment);
        }
    }
    int reason = errno;
    if (write(error, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* --- in the parent -------------------------------------------------------------------------------- */

/* A pipe whose ends are above descriptor 4, so that set_descriptors cannot overwrite them. */
static bool open_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 5);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 5);
    close(low[0]);
    close(low[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

struct watch {
    const struct run_command *command;
    struct run_outcome *outcome;
    pid_t pid;
    int output, pidfd;
    size_t written; /* bytes of output so far, kept or not */
};

/* Takes what the pipe holds. False: end of file, or over the limit. */
static bool take_output(struct watch *watch)
{
    struct run_outcome *outcome = watch->outcome;
    size_t keep = watch->command->output_keep;
    char buffer[8192];
    for (;;) {
        ssize_t got = read(watch->output, buffer, sizeof buffer);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (got == 0)
            return false;
        size_t room = keep - outcome->output_size, taken = (size_t)got < room ? (size_t)got : room;
        memcpy(outcome->output + outcome->output_size, buffer, taken);
        outcome->output_size += taken;
        watch->written += (size_t)got;
        outcome->output_cut = watch->written > outcome->output_size;
        if (watch->written > watch->command->output_limit)
            return false;
    }
}

/* Waits until the child has ended, or must be. Says which by OUTCOME->end, if it must be. */
static void wait_for_end(struct watch *watch, double deadline)
{
    struct pollfd polled[2] = {{.fd = watch->pidfd, .events = POLLIN},
                               {.fd = watch->output, .events = POLLIN}};
    for (;;) {
        double left = deadline - now();
        if (interrupted || left <= 0) {
            watch->outcome->end = interrupted ? RUN_INTERRUPTED : RUN_TIMED_OUT;
            return;
        }
        /* At most 0.1 s, for an interrupt that comes just before poll. */
        if (poll(polled, 2, left < 0.1 ? (int)(left * 1000) + 1 : 100) < 0 && errno != EINTR)
            return;
        if (polled[1].revents && !take_output(watch))
            polled[1].fd = -1;
        if (watch->written > watch->command->output_limit) {
            watch->outcome->end = RUN_TOO_MUCH;
            return;
        }
        if (polled[0].revents)
            return;
    }
}

static void tell_end(const struct watch *watch, int status)
{
    struct run_outcome *outcome = watch->outcome;
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (!number && watch->command->sandbox)
        number = run_sandbox_signal(watch->command->sandbox, WEXITSTATUS(status));
    if (number)
        outcome->end = number == SIGXCPU ? RUN_TIMED_OUT : RUN_SIGNALLED;
    outcome->code = number ? number : WEXITSTATUS(status);
}

/* Reaps the child. How it ended counts only if nobody had to end it. */
static void reap(struct watch *watch)
{
    struct run_outcome *outcome = watch->outcome;
    int status = 0;
    if (outcome->end != RUN_EXITED || watch->command->stay_in_group)
        kill(watch->pid, SIGKILL); /* does nothing to one that has ended */
    if (!watch->command->stay_in_group)
        kill(-watch->pid, SIGKILL); /* before the pid is free for others */
    while (waitpid(watch->pid, &status, 0) < 0 && errno == EINTR)
        ;
    take_output(watch);
    if (outcome->end == RUN_EXITED)
        tell_end(watch, status);
}

static void fail_to_start(struct run_outcome *outcome, int reason)
{
    outcome->end = RUN_NOT_STARTED;
    outcome->code = reason;
}

/* A sandbox that has ended by itself may have failed before it came to the program. */
static void check_sandbox(struct watch *watch, int status)
{
    char text[1000];
    if (watch->outcome->end != RUN_EXITED && watch->outcome->end != RUN_SIGNALLED)
        return;
    fcntl(status, F_SETFL, fcntl(status, F_GETFL) | O_NONBLOCK);
    ssize_t got = read(status, text, sizeof text - 1);
    text[got > 0 ? got : 0] = 0;
    if (!run_sandbox_began(watch->command->sandbox, text))
        fail_to_start(watch->outcome, 0);
}

/* Waits for the child's exec. 0: it happened; otherwise the errno that it failed with. */
static int wait_for_exec(int error)
{
    int reason = 0;
    ssize_t got;
    while ((got = read(error, &reason, sizeof reason)) < 0 && errno == EINTR)
        ;
    return got == 0 ? 0 : got == sizeof reason ? reason : EIO;
}

/* Watches a child that fork has made. ERROR is the reading end of the error pipe. */
static void watch_child(struct watch *watch, int error, double start)
{
    watch->pidfd = (int)syscall(SYS_pidfd_open, watch->pid, 0);
    int reason = watch->pidfd < 0 ? errno : wait_for_exec(error);
    fcntl(watch->output, F_SETFL, fcntl(watch->output, F_GETFL) | O_NONBLOCK);
    if (reason == 0)
        wait_for_end(watch, start + watch->command->wall_seconds);
    else
        fail_to_start(watch->outcome, reason);
    reap(watch);
    if (watch->pidfd >= 0)
        close(watch->pidfd);
}

/* The pipes to one child, each {reading end, writing end}, -1 where closed. */
enum { OUTPUT, ERROR, STATUS, PIPES };

static void close_pipes(int pipes[PIPES][2], int from, int to)
{
    for (int i = 0; i < PIPES; ++i)
        for (int end = from; end <= to; ++end) {
            if (pipes[i][end] >= 0)
                close(pipes[i][end]);
            pipes[i][end] = -1;
        }
}

static bool open_pipes(int pipes[PIPES][2], bool sandboxed)
{
    return open_pipe(pipes[OUTPUT]) && open_pipe(pipes[ERROR]) &&
           (!sandboxed || open_pipe(pipes[STATUS]));
}

void run_exec(const struct run_command *command, struct run_outcome *outcome)
{
    struct watch watch = {.command = command, .outcome = outcome};
    int pipes[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    double start = now();
    pid_t parent = getpid();
    *outcome = (struct run_outcome){.end = RUN_EXITED};
    outcome->output = calloc(1, command->output_keep + 1);
    if (interrupted)
        outcome->end = RUN_INTERRUPTED;
    else if (!outcome->output || !open_pipes(pipes, command->sandbox) || (watch.pid = fork()) < 0)
        fail_to_start(outcome, errno);
    else if (watch.pid == 0)
        run_child(command, parent, pipes[OUTPUT][1], pipes[ERROR][1], pipes[STATUS][1]);
    else {
        close_pipes(pipes, 1, 1);
        watch.output = pipes[OUTPUT][0];
        watch_child(&watch, pipes[ERROR][0], start);
        if (command->sandbox) {
            check_sandbox(&watch, pipes[STATUS][0]);
            run_sandbox_end(command->sandbox);
        }
    }
    close_pipes(pipes, 0, 1);
    if (outcome->output)
        outcome->output[outcome->output_size] = 0;
    outcome->seconds = now() - start;
}

const char *run_start_error(struct run_outcome *outcome)
{
    if (outcome->code)
        return strerror(outcome->code);
    run_clean_text(outcome->output, outcome->output_size);
    outcome->output[strcspn(outcome->output, "\n")] = 0;
    return outcome->output;
}

void run_outcome_free(struct run_outcome *outcome)
{
    free(outcome->output);
    outcome->output = NULL;
}
