/* Runs a process: forks, sets limits and calls exec. Then a loop waits for output, the end of the
 * process, and the deadline.
 *
 *      parent         supervisor         child
 *      ------         ----------         -----
 *      output pipe  <------------------  stdout, stderr
 *      error pipe   <------------------  errno if exec fails; closed by a successful exec
 *      status pipe  <------------------  a sandbox reports there whether it started the program
 *      socket  ----------------------->  descriptor 3: connects a program with its server
 *      control  <---->  closes when the parent ends; carries the child's exit status back
 *      pidfd: readable when the supervisor has ended
 *
 * The supervisor kills all processes that the child has started, even in other sessions, because
 * orphans become its children (PR_SET_CHILD_SUBREAPER). It does so when the child ends, and when
 * the control socket closes because the parent has closed it or was killed. PR_SET_PDEATHSIG alone
 * is not enough, because only the child would get that signal: compilers start further processes,
 * and bubblewrap's own child requests the signal only after it has made the sandbox.
 *
 * The loop does not wait for end of file on the output pipe, because a descendant that moved to
 * another session could keep the pipe open forever. After the child has ended, the parent reads the
 * data left in the pipe, and stops. */
#include "sandbox/process.h"

#include "base/clock.h"
#include "base/text.h"
#include "sandbox/activity.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every child gets the usual limits of a Linux login session, independent of the grader's own
 * limits. Compilers raise their own stack limit. */
#define STACK_BYTES      (8 << 20)
#define MOST_STACK_BYTES (64 << 20)
#define OPEN_FILES       1024

static volatile sig_atomic_t interrupted;

void process_interrupt(void)
{
    interrupted = 1;
}

bool process_interrupted(void)
{
    return interrupted;
}

bool process_end_with(pid_t parent, int number)
{
    return prctl(PR_SET_PDEATHSIG, number) == 0 && getppid() == parent;
}

/* --- in the child, where only functions that are safe after fork() may be called -------------- */

static void limit(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit limits = {.rlim_cur = soft, .rlim_max = hard};
    if (soft > 0)
        setrlimit(resource, &limits);
}

static void set_limits(const struct process_command *command)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit(RLIMIT_DATA, command->data_bytes, command->data_bytes);
    limit(RLIMIT_STACK, STACK_BYTES, MOST_STACK_BYTES);
    limit(RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES);
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

/* The child's descriptors, from number 0 on. The child closes all other descriptors, and those of
 * this list that it does not need. */
enum { INPUT, STDOUT, STDERR, SOCKET, ERROR_PIPE, STATUS_PIPE, DESCRIPTORS };

/* Copies the descriptors FROM to the numbers in the list above. All numbers in FROM are higher than
 * these. */
static bool set_descriptors(const int from[DESCRIPTORS])
{
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, INPUT) < 0)
        return false;
    for (int i = STDOUT; i < DESCRIPTORS; ++i)
        if (from[i] < 0 ? close(i) < 0 && errno != EBADF
                        : dup3(from[i], i, i == ERROR_PIPE ? O_CLOEXEC : 0) < 0)
            return false;
    return syscall(__NR_close_range, (unsigned)DESCRIPTORS, ~0u, 0u) == 0;
}

/* Makes Linux kill this process rather than the grader when memory runs out. */
static void offer_memory(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) /* without /proc, Linux chooses the process by its size */
        return;
    if (write(file, "1000", 4) < 0)
        errno = 0;
    close(file);
}

static void run_child(const struct process_command *command, pid_t parent,
                      const int from[DESCRIPTORS])
{
    static const char *const empty[] = {NULL};
    struct sandbox_start start = {command->argv,
                                  command->environment ? command->environment : empty};
    reset_signals();
    if (!process_end_with(parent, SIGKILL))
        _exit(127);
    setsid();
    if (command->sandbox)
        offer_memory();
    int error = from[ERROR_PIPE];
    if (set_descriptors(from)) {
        error = ERROR_PIPE;
        bool entered = (!command->folder || chdir(command->folder) == 0) &&
                       (!command->sandbox || sandbox_enter(command->sandbox, &start));
        if (entered) {
            set_limits(command); /* after the sandbox is set up, which takes memory */
            execve(start.argv[0], (char *const *)start.argv, (char *const *)start.environment);
        }
    }
    int reason = errno;
    if (write(error, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* --- in the supervisor ------------------------------------------------------------------------ */

/* Kills all children of this process. Returns false if the kernel cannot list them. */
static bool kill_children(void)
{
    char list[4096], *at = list, *end;
    int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, list, sizeof list - 1);
    if (file >= 0)
        close(file);
    list[size > 0 ? size : 0] = 0;
    /* ignore the last number, because it may be cut off */
    for (long pid; (pid = strtol(at, &end, 10)) > 0 && *end; at = end)
        kill((pid_t)pid, SIGKILL);
    return size >= 0;
}

/* The message that the supervisor sends at its end. STATUS is as from waitpid(). */
struct message {
    pid_t child;
    int status;
    double cpu; /* CPU time of the child and of all processes started by it */
};

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Kills CHILD and all processes started by it. Returns how CHILD ended. */
static struct message end_all(pid_t child)
{
    struct message message = {.child = child};
    struct rusage usage;
    int status;
    pid_t ended;
    /* kill the whole process group at once; otherwise a process of it could start another one
     * meanwhile */
    kill(-child, SIGKILL);
    kill(child, SIGKILL); /* in case the child has not made its own process group yet */
    do {
        bool all = kill_children();
        ended = wait4(all ? -1 : -child, &status, 0, &usage);
        if (ended == child)
            message.status = status;
        if (ended > 0)
            message.cpu += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    } while (ended > 0);
    return message;
}

/* Starts the child, and returns when the child has ended or the CONTROL socket closes. Signals to
 * the grader's process group do not reach this process. */
static void run_supervisor(const struct process_command *command, int control,
                           const int from[DESCRIPTORS])
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "supervisor");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t supervisor = getpid(), child = fork();
    if (child == 0)
        run_child(command, supervisor, from);
    int reason = errno;
    if (child < 0 && write(from[ERROR_PIPE], &reason, sizeof reason) < 0)
        _exit(126);
    syscall(__NR_close_range, 0u, (unsigned)control - 1, 0u);
    syscall(__NR_close_range, (unsigned)control + 1, ~0u, 0u);
    if (child < 0)
        _exit(127);
    struct pollfd polled[2] = {{.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN},
                               {.fd = control, .events = POLLIN}};
    while (poll(polled, 2, -1) < 0 && errno == EINTR)
        ;
    struct message message = end_all(child);
    _exit(send(control, &message, sizeof message, MSG_NOSIGNAL) < 0);
}

/* --- in the parent ---------------------------------------------------------------------------- */

/* Moves a pair of descriptors to numbers above those of the child, so that set_descriptors() does
 * not overwrite them. */
static bool move_up(int low[2], int ends[2])
{
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, DESCRIPTORS);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, DESCRIPTORS);
    close(low[0]);
    close(low[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool open_pipe(int ends[2])
{
    int low[2];
    return pipe2(low, O_CLOEXEC) == 0 && move_up(low, ends);
}

/* The pipes from a child. Each is {reading end, writing end}. An end that is closed is -1. */
enum { OUTPUT, ERROR, STATUS, PIPES };

struct watch {
    const struct process_command *command;
    struct process_outcome *outcome;
    double start;
    pid_t supervisor;
    const struct watch *server; /* the program's server, or NULL if there is none */
    double idle;                /* seconds so far in which the program was not busy */
    double last_check;          /* time at which is_idle() checked this last */
    int pipes[PIPES][2], control[2], output, pidfd;
    size_t written; /* number of bytes of output so far, including those not kept */
};

/* Reads all bytes that are in the output pipe. Returns false at end of file, or if there is too
 * much output. */
static bool take_output(struct watch *watch)
{
    struct process_outcome *outcome = watch->outcome;
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

/* Returns whether the program has been idle for longer than its limit. If it is not busy now
 * (activity.h), adds the time since the last check to its idle time. */
static bool is_idle(struct watch *watch)
{
    double now = clock_seconds();
    uint16_t delay = 0;
    if (watch->command->idle_seconds <= 0 || now - watch->last_check < 0.1)
        return false;
    /* a random delay, so that a program cannot predict the checks and be busy only then */
    if (getrandom(&delay, sizeof delay, GRND_NONBLOCK) == sizeof delay)
        usleep(delay % 20000u);
    if (!activity_of(watch->supervisor) &&
        !(watch->server && activity_of(watch->server->supervisor)))
        /* add at most 0.25 s, because this process may itself have been suspended since the last
         * check */
        watch->idle += fmin(now - watch->last_check, 0.25);
    watch->last_check = now;
    return watch->idle > watch->command->idle_seconds;
}

/* Returns whether SERVER, which has ended, did not exit with code 0. */
static bool has_failed(const struct watch *server)
{
    struct message message;
    return recv(server->control[0], &message, sizeof message, MSG_PEEK | MSG_DONTWAIT) !=
               sizeof message ||
           message.status != 0;
}

/* Waits until the supervisor has ended, or until there is a reason to end the child early. Stores
 * such a reason in OUTCOME->end. */
static void wait_for_end(struct watch *watch, double deadline)
{
    struct pollfd polled[3] = {{.fd = watch->pidfd, .events = POLLIN},
                               {.fd = watch->output, .events = POLLIN},
                               {.fd = watch->server ? watch->server->pidfd : -1, .events = POLLIN}};
    for (;;) {
        double left = deadline - clock_seconds();
        if (interrupted || left <= 0) {
            watch->outcome->end = interrupted ? PROCESS_INTERRUPTED : PROCESS_TIMED_OUT;
            return;
        }
        /* at most 0.1 s, because an interrupt can arrive just before poll() */
        if (poll(polled, 3, left < 0.1 ? (int)(left * 1000) + 1 : 100) < 0 && errno != EINTR)
            return;
        if (polled[1].revents && !take_output(watch))
            polled[1].fd = -1;
        if (watch->written > watch->command->output_limit) {
            watch->outcome->end = PROCESS_TOO_MUCH_OUTPUT;
            return;
        }
        if (polled[0].revents)
            return;
        if (polled[2].revents) {
            polled[2].fd = -1;
            watch->outcome->end = has_failed(watch->server) ? PROCESS_UNSERVED : PROCESS_EXITED;
        }
        if (watch->outcome->end == PROCESS_UNSERVED)
            return;
        if (is_idle(watch)) {
            watch->outcome->end = PROCESS_IDLE;
            return;
        }
    }
}

/* Records how a program has ended. A program that ignores SIGXCPU gets SIGKILL a second later. */
static void note_end(const struct watch *watch, const struct message *message)
{
    struct process_outcome *outcome = watch->outcome;
    int status = message->status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    unsigned limit = watch->command->cpu_seconds;
    if (!number && watch->command->sandbox)
        number = sandbox_signal(watch->command->sandbox, WEXITSTATUS(status));
    outcome->cpu_seconds = message->cpu;
    outcome->used_cpu =
        number == SIGXCPU || (number == SIGKILL && limit > 0 && message->cpu > limit);
    if (number)
        outcome->end = outcome->used_cpu ? PROCESS_TIMED_OUT : PROCESS_SIGNALLED;
    outcome->code = number ? number : WEXITSTATUS(status);
}

static void fail_to_start(struct process_outcome *outcome, int reason)
{
    outcome->end = PROCESS_NOT_STARTED;
    outcome->code = reason;
}

/* Does the same as fail_to_start() for a failure without an errno. The reason is FORMAT, in which
 * NUMBER is inserted. */
static void fail_because(struct watch *watch, const char *format, int number)
{
    struct process_outcome *outcome = watch->outcome;
    snprintf(outcome->output, watch->command->output_keep + 1, format, number);
    outcome->output_size = strlen(outcome->output);
    fail_to_start(outcome, 0);
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* Makes the supervisor kill all remaining processes, and reaps the supervisor. The child's status
 * counts only if the child had already ended by then. */
static void reap(struct watch *watch)
{
    struct process_outcome *outcome = watch->outcome;
    struct message message = {.child = 0};
    shutdown(watch->control[0], SHUT_WR);
    while (waitpid(watch->supervisor, NULL, 0) < 0 && errno == EINTR)
        ;
    bool told = recv(watch->control[0], &message, sizeof message, MSG_DONTWAIT) == sizeof message;
    close_end(&watch->control[0]);
    take_output(watch);
    outcome->pid = message.child;
    if (outcome->end == PROCESS_EXITED && told)
        note_end(watch, &message);
    else if (outcome->end == PROCESS_EXITED)
        fail_because(watch, "signal %d has ended its supervisor", SIGKILL);
}

/* Detects that the sandbox failed before it started the program. */
static void check_sandbox(struct watch *watch, int status)
{
    char text[1000];
    if (watch->outcome->end != PROCESS_EXITED && watch->outcome->end != PROCESS_SIGNALLED)
        return;
    fcntl(status, F_SETFL, fcntl(status, F_GETFL) | O_NONBLOCK);
    ssize_t got = read(status, text, sizeof text - 1);
    text[got > 0 ? got : 0] = 0;
    if (sandbox_began(watch->command->sandbox, text))
        return;
    if (watch->outcome->end == PROCESS_SIGNALLED && watch->outcome->output_size == 0)
        fail_because(watch, "signal %d has ended the sandbox", watch->outcome->code);
    fail_to_start(watch->outcome, 0);
}

/* Waits for the child's exec(). Returns 0, or the errno if exec() failed. */
static int wait_for_exec(int error)
{
    int reason = 0;
    ssize_t got;
    while ((got = read(error, &reason, sizeof reason)) < 0 && errno == EINTR)
        ;
    return got == 0 ? 0 : got == sizeof reason ? reason : EIO;
}

/* --- running a program, alone or with its server ---------------------------------------------- */

static void close_pipes(struct watch *watch, int from, int to)
{
    for (int i = 0; i < PIPES; ++i)
        for (int end = from; end <= to; ++end)
            close_end(&watch->pipes[i][end]);
}

/* Opens a pair of sockets whose numbers are above those of the child's descriptors. */
static bool open_socket(int ends[2])
{
    int low[2];
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) == 0 && move_up(low, ends);
}

static bool open_pipes(struct watch *watch)
{
    return open_socket(watch->control) && open_pipe(watch->pipes[OUTPUT]) &&
           open_pipe(watch->pipes[ERROR]) &&
           (!watch->command->sandbox || open_pipe(watch->pipes[STATUS]));
}

/* Starts the command. SOCKET becomes its descriptor 3, unless it is -1. */
static void begin(struct watch *watch, const struct process_command *command,
                  struct process_outcome *outcome, int socket)
{
    *watch = (struct watch){
        .command = command, .outcome = outcome, .pidfd = -1, .start = clock_seconds()};
    watch->last_check = watch->start;
    memset(watch->pipes, -1, sizeof watch->pipes);
    memset(watch->control, -1, sizeof watch->control);
    *outcome = (struct process_outcome){.end = PROCESS_EXITED};
    outcome->output = calloc(1, command->output_keep + 1);
    if (interrupted) {
        outcome->end = PROCESS_INTERRUPTED;
        return;
    }
    if (!outcome->output || !open_pipes(watch) || (watch->supervisor = fork()) < 0) {
        fail_to_start(outcome, errno);
        return;
    }
    if (watch->supervisor == 0) {
        const int from[DESCRIPTORS] = {[STDOUT] = watch->pipes[OUTPUT][1],
                                       [STDERR] = watch->pipes[OUTPUT][1],
                                       [SOCKET] = socket,
                                       [ERROR_PIPE] = watch->pipes[ERROR][1],
                                       [STATUS_PIPE] = watch->pipes[STATUS][1]};
        run_supervisor(command, watch->control[1], from);
    }
    close_end(&watch->control[1]);
    close_pipes(watch, 1, 1);
    watch->pidfd = (int)syscall(SYS_pidfd_open, watch->supervisor, 0);
    int reason = watch->pidfd < 0 ? errno : wait_for_exec(watch->pipes[ERROR][0]);
    watch->output = watch->pipes[OUTPUT][0];
    fcntl(watch->output, F_SETFL, fcntl(watch->output, F_GETFL) | O_NONBLOCK);
    if (reason != 0)
        fail_to_start(outcome, reason);
}

/* Waits for the end of the child, at most until DEADLINE. Then closes all descriptors that begin()
 * opened. */
static void finish(struct watch *watch, double deadline)
{
    struct process_outcome *outcome = watch->outcome;
    if (outcome->end == PROCESS_EXITED)
        wait_for_end(watch, deadline);
    if (watch->supervisor > 0)
        reap(watch);
    if (watch->pidfd >= 0)
        close(watch->pidfd);
    if (watch->supervisor > 0 && watch->command->sandbox) {
        check_sandbox(watch, watch->pipes[STATUS][0]);
        sandbox_end(watch->command->sandbox);
    }
    close_pipes(watch, 0, 1);
    close_end(&watch->control[0]); /* open only if no supervisor was started */
    close_end(&watch->control[1]);
    if (outcome->output)
        outcome->output[outcome->output_size] = 0;
    outcome->seconds = clock_seconds() - watch->start;
    outcome->idle_seconds = watch->idle;
}

void process_run(const struct process_command *command, struct process_outcome *outcome)
{
    struct watch watch;
    begin(&watch, command, outcome, -1);
    finish(&watch, watch.start + command->wall_seconds);
}

void process_run_served(const struct process_command *command, const struct process_command *server,
                        struct process_outcome *outcome, struct process_outcome *server_outcome)
{
    struct watch watch, server_watch;
    int ends[2] = {-1, -1};
    bool open = open_socket(ends);
    int reason = errno;
    begin(&server_watch, server, server_outcome, ends[0]);
    begin(&watch, command, outcome, ends[1]);
    if (!open)
        fail_to_start(outcome, reason);
    for (int i = 0; i < 2; ++i)
        if (ends[i] >= 0)
            /* close this copy, so that the server gets end of file when the program ends */
            close(ends[i]);
    if (server_watch.supervisor > 0)
        watch.server = &server_watch;
    finish(&watch, watch.start + command->wall_seconds);
    finish(&server_watch, clock_seconds() + server->wall_seconds);
}

const char *process_start_error(struct process_outcome *outcome)
{
    if (outcome->code)
        return strerror(outcome->code);
    base_clean_text(outcome->output, outcome->output_size);
    outcome->output[strcspn(outcome->output, "\n")] = 0;
    return outcome->output;
}

void process_outcome_free(struct process_outcome *outcome)
{
    free(outcome->output);
    outcome->output = NULL;
}
