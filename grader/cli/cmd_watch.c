/* lanewise watch: grades a lab each time the student saves it.
 *
 * One poll() waits for three events: a save (inotify), Ctrl-C, and the end of a grading (both
 * signalfd). inotify watches the folder, because editors often replace a file instead of writing to
 * it. A grading is `lanewise grade` in a child process. If the student saves while a grading is
 * running, it is stopped, and another grading starts. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/process.h"

#define SETTLE_MS 50 /* milliseconds to wait after a save, because editors save in several steps */

struct options {
    const char *lab, *device;
    bool unsafe;
};

static const struct cli_option table[] = {CLI_TEXT(lab, "lab", "NAME", CLI_HELP_LAB),
                                          CLI_TEXT(device, "device", "DEVICE", CLI_HELP_DEVICE),
                                          CLI_FLAG(unsafe, "unsafe", CLI_HELP_UNSAFE), CLI_END};

static const struct cli_syntax syntax = {
    .command = "watch",
    .usage = "usage: lanewise watch --lab NAME [OPTIONS]\n"
             "Grades your file now and each time you save it. Ctrl-C ends it.\n",
    .options = table,
    .word_advice = "name the lab with --lab"};

struct watch {
    struct options options;
    struct lab lab;
    int saves, signals; /* file descriptors */
    sigset_t blocked, before;
    pid_t grading; /* process id of the running grading, or 0 if there is none */
};

/* Reads the events of the folder. Returns true if the lab's file was saved. */
static bool take_saves(struct watch *watch)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool saved = false;
    for (ssize_t size; (size = read(watch->saves, buffer, sizeof buffer)) > 0;) {
        for (char *at = buffer; at < buffer + size;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            saved |= event->len > 0 && strcmp(event->name, watch->lab.file) == 0;
            at += sizeof *event + event->len;
        }
    }
    return saved;
}

/* Waits until the grading's process has ended. */
static void reap(struct watch *watch)
{
    while (watch->grading > 0 && waitpid(watch->grading, NULL, 0) < 0 && errno == EINTR)
        ;
    watch->grading = 0;
}

static void grade(struct watch *watch)
{
    char *words[7] = {"grade", "--lab", watch->lab.name};
    int count = 3;
    if (watch->options.unsafe)
        words[count++] = "--unsafe";
    if (watch->options.device) {
        words[count++] = "--device";
        words[count++] = (char *)watch->options.device;
    }
    if (watch->grading > 0)
        kill(watch->grading, SIGTERM); /* the grading still cleans up, but prints nothing */
    reap(watch);
    fflush(stdout);
    pid_t parent = getpid();
    watch->grading = fork();
    if (watch->grading == 0) {
        sigprocmask(SIG_SETMASK, &watch->before, NULL);
        if (!process_end_with(parent, SIGTERM))
            _exit(EXIT_GRADER);
        int code = cmd_grade(count, words);
        fflush(stdout);
        _exit(code);
    }
}

/* If the grading has ended by itself, tells the student that lanewise waits for the next save. */
static void print_ready(struct watch *watch)
{
    int status;
    if (watch->grading > 0 && waitpid(watch->grading, &status, WNOHANG) == watch->grading) {
        watch->grading = 0;
        printf("waiting for you to save %s; Ctrl-C ends lanewise watch\n\n", watch->lab.file);
        fflush(stdout);
    }
}

/* Reads all pending signals. Returns false if one of them, such as Ctrl-C, ends the command. */
static bool take_signals(struct watch *watch)
{
    struct signalfd_siginfo info;
    bool go_on = true;
    while (read(watch->signals, &info, sizeof info) == sizeof info)
        go_on = go_on && info.ssi_signo == SIGCHLD;
    if (go_on)
        print_ready(watch);
    return go_on;
}

static void loop(struct watch *watch)
{
    struct pollfd events[] = {{.fd = watch->saves, .events = POLLIN},
                              {.fd = watch->signals, .events = POLLIN}};
    for (;;) {
        if (poll(events, 2, -1) < 0 && errno != EINTR)
            return;
        if (events[1].revents && !take_signals(watch))
            return;
        if (!events[0].revents || !take_saves(watch))
            continue;
        usleep(SETTLE_MS * 1000);
        take_saves(watch);
        grade(watch);
    }
}

static bool open_events(struct watch *watch)
{
    char folder[PATH_SIZE];
    watch->saves = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->saves < 0 || !base_path(folder, "%s/%s", lab_students_folder(), watch->lab.name) ||
        inotify_add_watch(watch->saves, folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
        return false;
    sigemptyset(&watch->blocked);
    sigaddset(&watch->blocked, SIGINT);
    sigaddset(&watch->blocked, SIGTERM);
    sigaddset(&watch->blocked, SIGHUP);
    sigaddset(&watch->blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watch->blocked, &watch->before);
    watch->signals = signalfd(-1, &watch->blocked, SFD_CLOEXEC | SFD_NONBLOCK);
    return watch->signals >= 0;
}

int cmd_watch(int argc, char **argv)
{
    struct watch watch = {0};
    int code = cli_read_options(&syntax, argc, argv, &watch.options);
    enum grading_device device;
    char gpu_name[256];
    if (code >= 0)
        return code;
    if (!cli_choose_device("watch", watch.options.device, &device, gpu_name, sizeof gpu_name) ||
        !cli_open_lab("watch", watch.options.lab, &watch.lab))
        return EXIT_USAGE;
    if (open_events(&watch)) {
        grade(&watch);
        loop(&watch);
        if (watch.grading > 0)
            kill(watch.grading, SIGTERM);
        reap(&watch);
        code = EXIT_FULL;
    } else
        code = cli_complain("watch", EXIT_USAGE, "cannot watch the folder that contains %s: %s",
                            watch.lab.name, strerror(errno));
    labs_close(&watch.lab);
    return code;
}
