/* Tests the sandbox from inside, with shell scripts. Each script runs at every sandbox level that
 * this machine offers, as root and as an ordinary user. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <grp.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "sandbox/pool.h"
#include "sandbox/process.h"
#include "sandbox/sandbox.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

#define NOBODY 65534
/* Grades with `lanewise` and writes a result. */
#define SUBMISSION "--device emulator --lab 02 --submission a.cu --seed 1 --json result.json"
/* Hides the program bubblewrap from the command that follows. Uses bubblewrap itself for this. */
#define WITHOUT_BUBBLEWRAP                                                                         \
    "bwrap --dev-bind / / --ro-bind /dev/null $(realpath /usr/bin/bwrap) env "

/* How a script is run: the sandbox level, the user, the folders and the environment. */
struct place {
    enum sandbox_level level;
    bool user; /* the script runs as an ordinary user */
    int seconds;
    char folder[PATH_SIZE], kept[PATH_SIZE + 8];
    char variables[7][PATH_SIZE + 32];
    const char *environment[8];
};

static const struct attempt {
    const char *name, *script;
    bool alone;       /* the script may not fork */
    uint64_t scratch; /* number of bytes that the script may write to its folder */
    enum process_end end;
    int code;
    const char *output; /* NULL if any output is right */
} attempts[] = {
    {"ends with 0", "exit 0", 0, 0, PROCESS_EXITED, 0, ""},
    {"ends with a code", "exit 42", 0, 0, PROCESS_EXITED, 42, ""},
    {"ends by a signal", "kill -SEGV $$", 0, 0, PROCESS_SIGNALLED, SIGSEGV, NULL},
    {"endless", "exec sleep $SECONDS", 0, 0, PROCESS_TIMED_OUT, 0, ""},
    {"endless output", "exec yes", 0, 0, PROCESS_TOO_MUCH_OUTPUT, 0, NULL},
    {"endless work", "ulimit -St 1; while :; do :; done", 0, 0, PROCESS_TIMED_OUT, 0, NULL},
    {"users", "cat /etc/passwd 2>/dev/null; cat /etc/shadow 2>/dev/null", 0, 0, PROCESS_EXITED, 1,
     ""},
    {"the grader's files", "cat $SECRET 2>/dev/null", 0, 0, PROCESS_EXITED, 1, ""},
    {"homes", "ls -A /root /home /tmp 2>/dev/null | grep -v -e : -e lanewise", 0, 0, PROCESS_EXITED,
     1, ""},
    {"new files elsewhere", "echo x >/tmp/x || echo x >/usr/x || echo x >/x", 0, 1 << 20,
     PROCESS_EXITED, 2, NULL},
    {"new files", "echo x >new && echo made", 0, 0, PROCESS_EXITED, 2, NULL},
    {"new files, where allowed", "echo x >new && cat new", 0, 1 << 20, PROCESS_EXITED, 0, "x\n"},
    {"the kept file", "echo kept >kept", 0, 0, PROCESS_EXITED, 0, ""},
    {"the kept file cannot become a link", "ln -sf $SECRET kept 2>/dev/null", 0, 0, PROCESS_EXITED,
     1, ""},
    {"processes of others", "cat /proc/$GRADER/environ 2>/dev/null", 0, 0, PROCESS_EXITED, 1, ""},
    {"signals to the grader", "kill -KILL $GRADER 2>/dev/null", 0, 0, PROCESS_EXITED, 1, ""},
    {"a session of its own", "setsid true 2>/dev/null", 0, 0, PROCESS_EXITED, 1, NULL},
    {"another process", "sleep 0; echo forked", 1, 0, PROCESS_EXITED, 2, NULL},
    {"another program", "exec echo fine", 1, 0, PROCESS_EXITED, 0, "fine\n"},
    {"network", "bash -c ': </dev/tcp/127.0.0.1/$PORT' 2>/dev/null", 0, 0, PROCESS_EXITED, 1, ""},
    {"namespaces", "unshare -Ur true 2>/dev/null", 0, 0, PROCESS_EXITED, 1, ""},
    {"shared memory", "echo x >/dev/shm/x", 0, 0, PROCESS_EXITED, 2, NULL},
    {"message queues", "ipcmk -Q 2>/dev/null", 0, 0, PROCESS_EXITED, 1, ""},
    {"more memory than the limit", "exec perl -e '$n = 100000000; $x = \"x\" x $n; print 1'", 1, 0,
     PROCESS_EXITED, 1, NULL},
    {"a large file", "exec head -c 2000000 /dev/urandom >kept", 0, 0, PROCESS_SIGNALLED, SIGXFSZ,
     NULL},
    {"the environment", "env | cut -d= -f1 | grep -v '^_$' | sort | tr '\\n' ' '", 0, 0,
     PROCESS_EXITED, 0, "FOLDER GRADER PATH PORT PWD SECONDS SECRET "},
    {"descriptors", "for i in 3 4 5 6 7 8 9; do (: <&$i) 2>/dev/null && echo $i; done; exit 0", 0,
     0, PROCESS_EXITED, 0, ""},
    {"a fork bomb", "(f() { f & f & }; f) 2>/dev/null; exec sleep $SECONDS", 0, 0,
     PROCESS_TIMED_OUT, 0, NULL},
    {"a process left behind", "sleep $SECONDS & exit 3", 0, 0, PROCESS_EXITED, 3, NULL},
};

static void note(json_t *failures, const struct place *place, const char *name, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));
static void note(json_t *failures, const struct place *place, const char *name, const char *format,
                 ...)
{
    char text[600];
    va_list arguments;
    int length = snprintf(text, sizeof text, "%s, as %s: %s: ", sandbox_level_name(place->level),
                          place->user ? "a user" : "root", name);
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    json_array_append_new(failures, json_string(text));
}

static void run_script(const struct place *place, const struct attempt *attempt,
                       struct process_outcome *outcome)
{
    const char *words[] = {"/bin/sh", "-c", attempt->script, NULL};
    const char *const read[] = {NULL}, *const keep[] = {place->kept, NULL};
    struct sandbox sandbox = {.level = place->level,
                              .folder = place->folder,
                              .read = read,
                              .keep = keep,
                              .scratch_bytes = attempt->scratch,
                              .processes = 20,
                              .forks = !attempt->alone};
    struct process_command command = {.argv = words,
                                      .environment = place->environment,
                                      .folder = place->folder,
                                      .wall_seconds = attempt->end == PROCESS_TIMED_OUT ? 1.5 : 30,
                                      .data_bytes = 64 << 20,
                                      .file_bytes = 1 << 20,
                                      .output_keep = 400,
                                      .output_limit = 10000,
                                      .sandbox = &sandbox};
    process_run(&command, outcome);
}

/* Counts the `sleep` processes that scripts have left behind, and puts the id of one of them into
 * *ONE. Scripts sleep for a different number of seconds at each place, so that their processes can
 * be distinguished. Zombies have no command line. */
static int find_left(const struct place *place, pid_t *one)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    char wanted[32], found[32];
    int count = 0, length = snprintf(wanted, sizeof wanted, "sleep%c%d", 0, place->seconds) + 1;
    while ((entry = readdir(folder))) {
        char path[300];
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *file = entry->d_name[0] > '9' ? NULL : fopen(path, "r");
        bool is_one = file && fread(found, 1, sizeof found, file) == (size_t)length &&
                      memcmp(found, wanted, (size_t)length) == 0;
        count += is_one;
        *one = is_one ? (pid_t)atoi(entry->d_name) : *one;
        if (file)
            fclose(file);
    }
    closedir(folder);
    return count;
}

static int count_left(const struct place *place)
{
    pid_t one = 0;
    return find_left(place, &one);
}

/* If memory runs out, the kernel must kill the sandbox's processes first. This function checks
 * their oom_score_adj from outside. */
static void look_at_memory(const struct place *place, json_t *failures)
{
    static const struct attempt attempt = {.script = "exec sleep $SECONDS"};
    char path[64], text[16] = "";
    pid_t one = 0, child = fork();
    if (child == 0) {
        struct process_outcome outcome;
        run_script(place, &attempt, &outcome);
        _exit(0);
    }
    for (int wait = 0; wait < 3000 && !find_left(place, &one); ++wait)
        usleep(10000);
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)one);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file) || strcmp(text, "1000\n") != 0)
        note(failures, place, "oom_score_adj of its processes", "\"%s\"", text);
    if (file)
        fclose(file);
    if (one)
        kill(one, SIGKILL);
    waitpid(child, NULL, 0);
}

/* A program in a bare sandbox sees nothing of the system, not even the shell. */
static void look_at_bare(const struct place *place, json_t *failures)
{
    const char *const words[] = {"/bin/sh", "-c", "true", NULL}, *const none[] = {NULL};
    struct sandbox sandbox = {.level = place->level,
                              .folder = place->folder,
                              .read = none,
                              .keep = none,
                              .processes = 20,
                              .bare = true};
    struct process_command command = {.argv = words,
                                      .folder = place->folder,
                                      .wall_seconds = 30,
                                      .output_keep = 400,
                                      .output_limit = 10000,
                                      .sandbox = &sandbox};
    struct process_outcome outcome;
    process_run(&command, &outcome);
    if (place->level >= SANDBOX_NAMESPACES &&
        outcome.end != PROCESS_NOT_STARTED) /* at a lower level this depends on Landlock */
        note(failures, place, "a bare sandbox", "end %d, code %d", outcome.end, outcome.code);
    process_outcome_free(&outcome);
}

static void try_attempts(const struct place *place, json_t *failures)
{
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; ++i) {
        const struct attempt *attempt = &attempts[i];
        struct process_outcome outcome;
        run_script(place, attempt, &outcome);
        bool same = outcome.end == attempt->end &&
                    (outcome.end > PROCESS_SIGNALLED || outcome.code == attempt->code) &&
                    (!attempt->output || strcmp(outcome.output, attempt->output) == 0);
        if (!same)
            note(failures, place, attempt->name, "end %d, code %d, \"%s\"", outcome.end,
                 outcome.code, outcome.output);
        for (int wait = 0; wait < 3000 && count_left(place); ++wait)
            usleep(10000);
        if (count_left(place))
            note(failures, place, attempt->name, "leaves %d processes", count_left(place));
        process_outcome_free(&outcome);
    }
}

/* Opens a socket that listens on this machine. *PORT gets its port. */
static int listen_somewhere(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&address, size) != 0 ||
        listen(server, 5) != 0 || getsockname(server, (struct sockaddr *)&address, &size) != 0)
        return -1;
    *port = ntohs(address.sin_port);
    return server;
}

static void set(struct place *place, int index, const char *name, const char *value)
{
    snprintf(place->variables[index], sizeof place->variables[index], "%s=%s", name, value);
    place->environment[index] = place->variables[index];
}

/* Runs all attempts at one sandbox level. */
static void try_level(struct place *place, json_t *failures)
{
    char secret[PATH_SIZE], file[PATH_SIZE + 8], number[16];
    int port = 0, server = listen_somewhere(&port);
    if (server < 0 || !base_private_folder(place->folder) || !base_private_folder(secret)) {
        note(failures, place, "the place", "cannot be made");
        return;
    }
    snprintf(place->kept, sizeof place->kept, "%s/kept", place->folder);
    snprintf(file, sizeof file, "%s/secret", secret);
    if (!base_write_file(place->kept, "", 0, 0600) || !base_write_file(file, "secret", 6, 0600))
        note(failures, place, "the place", "cannot be written to");
    set(place, 0, "PATH", "/usr/bin:/bin");
    set(place, 1, "FOLDER", place->folder);
    set(place, 2, "SECRET", file);
    snprintf(number, sizeof number, "%d", (int)getpid());
    set(place, 3, "GRADER", number);
    snprintf(number, sizeof number, "%d", port);
    set(place, 4, "PORT", number);
    snprintf(number, sizeof number, "%d", place->seconds);
    set(place, 5, "SECONDS", number);
    try_attempts(place, failures);
    look_at_memory(place, failures);
    look_at_bare(place, failures);
    close(server);
    base_remove_tree(place->folder);
    base_remove_tree(secret);
}

/* Tries one level in child process I. Every second process runs as an ordinary user. */
static json_t *try_one(size_t i, void *levels)
{
    static struct place place;
    json_t *failures = json_array();
    place.level = ((const enum sandbox_level *)levels)[i / 2];
    place.user = i % 2;
    place.seconds = 2000 + (int)i;
    if (place.user &&
        (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
         setresuid(NOBODY, NOBODY, NOBODY) != 0 ||
         prctl(PR_SET_DUMPABLE, 1) != 0)) /* as if the process had always been this user's */
        return NULL;
    if (place.user && place.level == SANDBOX_NAMESPACES_USER)
        return failures;
    try_level(&place, failures);
    return failures;
}

static bool tell_failures(size_t i, const json_t *answer, void *levels)
{
    size_t j;
    json_t *failure;
    (void)levels;
    cr_expect(answer, "attempt %zu crashed", i);
    json_array_foreach(answer, j, failure) cr_expect(false, "%s", json_string_value(failure));
    return true;
}

TestSuite(sandbox, .timeout = 600);

Test(sandbox, holds_at_every_level_for_root_and_for_users)
{
    static enum sandbox_level levels[] = {SANDBOX_CONFINED, SANDBOX_NAMESPACES,
                                          SANDBOX_NAMESPACES_USER};
    char why[400];
    enum sandbox_level best = sandbox_best_level(why, sizeof why);
    cr_assert(best >= SANDBOX_CONFINED, "this machine has no sandbox: %s", why);
    signal(SIGPIPE, SIG_IGN);
    if (geteuid() != 0)
        cr_skip("only root can try both users");
    struct process_pool pool = {.count = (size_t)best * 2,
                                .jobs = 2,
                                .context = levels,
                                .work = try_one,
                                .done = tell_failures};
    cr_expect(process_pool_run(&pool));
}

/* Runs of `lanewise` on simulated machines, with and without each means of isolation. */
static const struct {
    const char *name, *command;
    int code;
    const char *says, *level; /* NULL if no result must be written */
} machines[] = {
    {"the machine as it is", "$LANEWISE grade " SUBMISSION, 0, "", ""},
    {"without namespaces", "LANEWISE_SANDBOX=confined $LANEWISE grade " SUBMISSION, 0,
     "lanewise grade: warning: weak sandbox: it has only Landlock or another user, seccomp, limits (no "
     "namespaces",
     "confined"},
    {"without anything", "LANEWISE_SANDBOX=none $LANEWISE grade " SUBMISSION, 2,
     "lanewise grade: no sandbox on this machine (", NULL},
    {"without any sandbox, --unsafe", "LANEWISE_SANDBOX=none $LANEWISE grade --unsafe " SUBMISSION,
     0, "lanewise grade: warning: no sandbox; submissions can do", "none"},
    {"without any sandbox, a report",
     "LANEWISE_SANDBOX=none $LANEWISE report --device emulator --lab 02 --submission a.cu", 2,
     "lanewise report: no sandbox on this machine", NULL},
    {"without bubblewrap", WITHOUT_BUBBLEWRAP "$LANEWISE grade " SUBMISSION, 0,
     "no namespaces: programs see the machine's processes and users; install bubblewrap",
     "confined"},
    {"without bubblewrap, doctor", WITHOUT_BUBBLEWRAP "$LANEWISE doctor", 0, "install bubblewrap",
     NULL},
    {"without namespaces, doctor", "LANEWISE_SANDBOX=confined $LANEWISE doctor", 0,
     "confined: Landlock or another user, seccomp, limits", NULL},
    {"without anything, asked", "LANEWISE_SANDBOX=none $LANEWISE doctor", 0,
     "none: the limits of a process", NULL},
};

TestSuite(sandbox_levels, .init = submission_init, .fini = shell_fini, .timeout = 600);

Test(sandbox_levels, are_chosen_and_reported)
{
    static const struct edit none[SUBMISSION_EDITS];
    submission_write("02-coalesce", none, "a.cu");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; ++i) {
        int code;
        free(shell_must("rm -f result.json"));
        char *output = shell(&code, "%s 2>&1", machines[i].command);
        cr_expect_eq(code, machines[i].code, "%s: code %d: %s", machines[i].name, code, output);
        cr_expect(strstr(output, machines[i].says), "%s: %s", machines[i].name, output);
        char *text = machines[i].level ? shell_file("result.json", NULL) : NULL;
        json_t *result = text ? json_loads(text, 0, NULL) : NULL;
        const char *level = json_string_value(json_object_get(result, "sandbox"));
        if (machines[i].level)
            cr_expect(level && (!machines[i].level[0] || strcmp(level, machines[i].level) == 0),
                      "%s: %s", machines[i].name, level);
        json_decref(result);
        free(text);
        free(output);
    }
}

#define AS_A_USER "setpriv --reuid=65534 --regid=65534 --clear-groups "
/* Runs the command "$@" with private mounts, after the shell commands COMMANDS. */
#define WITH_MOUNTS(commands) "unshare -m sh -c 'mount --make-rprivate / && " commands "' x "
#define HIDE_BUBBLEWRAP       "mount --bind /dev/null $(realpath /usr/bin/bwrap) && "
/* Makes a machine with two versions of bubblewrap. The one at the usual place is old and does not
 * know OPTION. The one in /usr/local/bin is the current one; an overlay adds it, because that
 * folder may also contain the compiler. */
#define OLD_BUBBLEWRAP(option)                                                                     \
    "mkdir -p more && cp -p /usr/bin/bwrap more && "                                               \
    "mount -t overlay -o lowerdir=$PWD/more:/usr/local/bin none /usr/local/bin && "                \
    "printf \"#!/bin/sh\\nfor word; do\\n[ \\$word != " option " ] || exit 1\\ndone\\nexec "       \
    "/usr/local/bin/bwrap \\\"\\$@\\\"\\n\" >old && chmod 755 old && "                             \
    "mount --bind old $(realpath /usr/bin/bwrap) && "
#define ENTER_A_CHROOT                                                                             \
    "mkdir -p root && mount --rbind / root && exec chroot root setpriv --bounding-set=-sys_admin "

/* Users and machines, and the sandbox level and message that result. */
static const struct {
    const char *name, *prefix, *level, *says;
} graders[] = {
    {"a user", AS_A_USER, "namespaces", ""},
    {"a user without bubblewrap", WITH_MOUNTS(HIDE_BUBBLEWRAP "exec " AS_A_USER "\"$@\""),
     "confined",
     "warning: weak sandbox: it has only Landlock or another user, seccomp, limits (no "
     "namespaces: programs see the machine's processes and users; install bubblewrap"},
    {"a user whose first bubblewrap cannot run a compiler",
     WITH_MOUNTS(OLD_BUBBLEWRAP("--size") "exec " AS_A_USER "\"$@\""), "namespaces", ""},
    {"a user whose first bubblewrap can run nothing",
     WITH_MOUNTS(OLD_BUBBLEWRAP("--seccomp") "exec " AS_A_USER "\"$@\""), "namespaces", ""},
    {"root in a container", "container=podman " WITH_MOUNTS(ENTER_A_CHROOT "\"$@\""), "confined",
     "warning: weak sandbox: it has only Landlock or another user, seccomp, limits (no "
     "namespaces: programs see the machine's processes and users; for a stronger sandbox in this "
     "container, start it with "},
    {"a user in a container", WITH_MOUNTS(ENTER_A_CHROOT AS_A_USER "\"$@\""), "confined",
     "warning: weak sandbox: it has only Landlock or another user"},
};

Test(sandbox_levels, are_chosen_for_users_and_in_containers)
{
    static const struct edit none[SUBMISSION_EDITS];
    int code;
    char *output = shell(&code, "unshare -m true && " AS_A_USER "test -x $LANEWISE && " AS_A_USER
                                "unshare -U true");
    free(output);
    if (geteuid() != 0 || code != 0)
        cr_skip("this test needs root, and users who may have namespaces and can read the kit");
    submission_write("02-coalesce", none, "a.cu");
    free(shell_must("chmod 777 . && chmod 644 a.cu"));
    for (size_t i = 0; i < sizeof graders / sizeof *graders; ++i) {
        output = shell(
            &code,
            "rm -f result.json; unset LANEWISE_SECRET; HOME=/dev/null TMPDIR=/tmp %s $LANEWISE grade --device emulator --lab 02 "
            "--submission $PWD/a.cu --json $PWD/result.json 2>&1",
            graders[i].prefix);
        cr_assert_eq(code, 0, "%s: code %d: %s", graders[i].name, code, output);
        cr_expect(strstr(output, graders[i].says), "%s: %s", graders[i].name, output);
        char *text = shell_file("result.json", NULL);
        json_t *result = json_loads(text, 0, NULL);
        cr_expect_str_eq(json_string_value(json_object_get(result, "sandbox")), graders[i].level,
                         "%s", graders[i].name);
        json_decref(result);
        free(text);
        free(output);
    }
}

static int count_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        ++count;
    closedir(folder);
    return count;
}

Test(sandbox, a_hundred_runs_leave_no_descriptor)
{
    char folder[PATH_SIZE], why[400];
    static const char *const words[] = {"/bin/true", NULL}, *const none[] = {NULL};
    cr_assert(base_private_folder(folder));
    struct sandbox sandbox = {.level = sandbox_best_level(why, sizeof why),
                              .folder = folder,
                              .read = none,
                              .keep = none,
                              .processes = 64};
    struct process_command command = {.argv = words,
                                      .folder = folder,
                                      .wall_seconds = 30,
                                      .output_keep = 300,
                                      .output_limit = 300,
                                      .sandbox = &sandbox};
    int before = count_descriptors();
    for (int i = 0; i < 100; ++i) {
        struct process_outcome outcome;
        process_run(&command, &outcome);
        cr_expect(outcome.end == PROCESS_EXITED && outcome.code == 0, "%s", outcome.output);
        process_outcome_free(&outcome);
    }
    cr_expect_eq(count_descriptors(), before);
    base_remove_tree(folder);
}

/* If a program cannot be started in namespaces, this is reported as a failure of the grader, not of
 * the program. */
Test(sandbox, a_program_that_is_not_there_is_the_graders_failure)
{
    char folder[PATH_SIZE], why[400];
    static const char *const words[] = {"/nowhere/program", NULL}, *const none[] = {NULL};
    cr_assert(base_private_folder(folder));
    for (int level = sandbox_best_level(why, sizeof why); level >= SANDBOX_CONFINED; --level) {
        struct process_outcome outcome;
        struct sandbox sandbox = {.level = (enum sandbox_level)level,
                                  .folder = folder,
                                  .read = none,
                                  .keep = none,
                                  .processes = 64};
        struct process_command command = {.argv = words,
                                          .folder = folder,
                                          .wall_seconds = 10,
                                          .output_keep = 300,
                                          .output_limit = 300,
                                          .sandbox = &sandbox};
        process_run(&command, &outcome);
        cr_expect_eq(outcome.end, PROCESS_NOT_STARTED, "level %d: %d, %s", level, outcome.end,
                     outcome.output);
        cr_expect(strstr(process_start_error(&outcome), "No such file"), "%s",
                  process_start_error(&outcome));
        process_outcome_free(&outcome);
    }
    base_remove_tree(folder);
}
