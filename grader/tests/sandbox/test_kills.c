/* Tests that a grader leaves nothing behind if it is killed at a random moment.
 *
 *     process             Each orphan becomes a child of this test (PR_SET_CHILD_SUBREAPER), which
 *                         waits until all of them have ended.
 *     folder, socket      An orderly end leaves none. The next start removes those of killed graders.
 *     half-written file   A result is either complete or missing.
 *
 * $KILLS sets how many gradings are ended (see `make soak-kill`). */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

#define GRACE_SECONDS 20 /* seconds until the last process must have ended, on a busy machine */
#define MOST_SHOWN    10

/* A signal that ends a grading. A terminal sends it to the whole process group. If ORDERLY is true,
 * the command removes its files itself. */
static const struct blow {
    const char *name;
    int number;
    bool group, orderly;
} blows[] = {
    {"SIGKILL", SIGKILL, false, false},
    {"SIGTERM", SIGTERM, false, true},
    {"SIGINT", SIGINT, false, true},
    {"SIGKILL to the group", SIGKILL, true, false},
    {"SIGHUP to the group", SIGHUP, true, true},
    {"SIGINT to the group", SIGINT, true, true},
    {"SIGQUIT to the group", SIGQUIT, true, false},
    {"SIGABRT", SIGABRT, false, false},
};
#define BLOWS (sizeof blows / sizeof *blows)

/* A command to end. The signal comes within SECONDS. Half of the signals come in the first tenth of
 * this time. */
static const struct command {
    const char *words[12];
    double seconds;
} commands[] = {
    {{"grade", "--lab", "02", "--submission", "new.cu", "--json", "out/grade.json"}, 4},
    {{"grade", "--lab", "02", "--submission", "old.cu", "--json", "out/grade.json"}, 1.5},
    {{"batch", "class", "--out", "out/grades", "--jobs", "2"}, 4},
    {{"watch", "--lab", "02"}, 1.5},
    {{"lab-check", "--lab", "02"}, 3},
};
#define COMMANDS (sizeof commands / sizeof *commands)

static bool own; /* this test has a private /tmp and /dev/shm */
static struct {
    unsigned ended, before, processes, disorderly, folders, halves;
} counts;

/* --- leftovers ------------------------------------------------------------------------------------ */

static void tell(unsigned *count, const char *what, const char *name, const struct blow *blow)
{
    if (++*count <= MOST_SHOWN && blow)
        fprintf(stderr, "kills: %s: %s after %s\n", what, name, blow->name);
}

/* Reaps children that have ended. Returns whether others are left. */
static bool has_children(void)
{
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
        ;
    return ended == 0;
}

/* Counts the children of this test, and sends them the signal NUMBER. */
static void count_children(unsigned *count, const char *what, const struct blow *blow, int number)
{
    char path[64], name[32];
    long pid;
    FILE *list = fopen("/proc/thread-self/children", "r");
    while (list && fscanf(list, "%ld", &pid) == 1) {
        snprintf(path, sizeof path, "/proc/%ld/comm", pid);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file)) {
            name[strcspn(name, "\n")] = 0;
            tell(count, what, name, blow);
        }
        if (file)
            fclose(file);
        kill((pid_t)pid, number);
    }
    if (list)
        fclose(list);
}

static bool is_ours(const char *name)
{
    return strncmp(name, "lanewise-work-", 14) == 0 || strncmp(name, "criterion_", 10) == 0 ||
           strncmp(name, "bxf", 3) == 0;
}

/* Counts the temporary files of gradings in PATH. */
static unsigned count_in(const char *path, const struct blow *blow)
{
    DIR *opened = opendir(path);
    struct dirent *entry;
    unsigned count = 0;
    while (opened && (entry = readdir(opened)))
        if (is_ours(entry->d_name))
            tell(&count, path, entry->d_name, blow);
    if (opened)
        closedir(opened);
    return count;
}

static unsigned count_left(const struct blow *blow)
{
    return count_in(own ? "/tmp" : "tmp", blow);
}

/* Makes the sockets of Criterion look old, because the next start removes only old ones. */
static void make_old(void)
{
    free(shell_must("touch -h -d '2 hours ago' /tmp/criterion_* /dev/shm/bxf* 2>/dev/null || :"));
}

static void remove_left(void)
{
    free(shell_must("rm -rf %s",
                    own ? "/tmp/lanewise-work-* /tmp/criterion_* /dev/shm/bxf*" : "tmp/*"));
}

/* Looks for a temporary file next to a result, and for a result that is not a complete document. */
static void check_files(const struct blow *blow)
{
    DIR *opened = opendir("out");
    struct dirent *entry;
    while (opened && (entry = readdir(opened)))
        if (strncmp(entry->d_name, "grade.json.", 11) == 0)
            tell(&counts.halves, "half a file", entry->d_name, blow);
    closedir(opened);
    json_t *document = json_load_file("out/grade.json", 0, NULL);
    if (!document && access("out/grade.json", F_OK) == 0)
        tell(&counts.halves, "half a file", "grade.json", blow);
    json_decref(document);
}

/* --- the kills ------------------------------------------------------------------------------------ */

static pid_t start(const struct command *command)
{
    pid_t pid = fork();
    if (pid != 0) {
        /* the child does this, too, but a signal can come before the child has run */
        setpgid(pid, pid);
        return pid;
    }
    const char *argv[14] = {LANEWISE_ROOT "/" LANEWISE_BUILD "/lanewise"};
    int null = open("/dev/null", O_RDWR);
    for (size_t i = 0; command->words[i]; ++i)
        argv[i + 1] = command->words[i];
    setpgid(0, 0);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    close_range(3, ~0u, 0);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

/* Writes new.cu, which is not in the compiler's cache, and copies it into the class. (old.cu is
 * already in the cache.) */
static void write_sources(unsigned number)
{
    struct text text;
    char why[100];
    FILE *file = fopen("new.cu", "w");
    cr_assert(base_read_file("old.cu", 1 << 20, &text, why, sizeof why), "%s", why);
    fprintf(file, "%s// %u %g\n", text.bytes, number, clock_seconds());
    fclose(file);
    free(text.bytes);
    free(shell_must("mkdir -p class/ann && cp new.cu class/ann/coalesce.cu"));
}

static void strike(const struct command *command, const struct blow *blow, double delay)
{
    int status;
    pid_t pid = start(command);
    usleep((useconds_t)(delay * 1e6));
    if (waitpid(pid, &status, WNOHANG) == pid)
        ++counts.before;
    else {
        kill(blow->group ? -pid : pid, blow->number);
        while (waitpid(pid, &status, 0) != pid)
            ;
        ++counts.ended;
    }
    if (blow->orderly && WIFEXITED(status) && has_children())
        count_children(&counts.disorderly, command->words[0], blow, 0);
    double end = clock_seconds() + GRACE_SECONDS;
    while (has_children() && clock_seconds() < end)
        usleep(2000);
    while (has_children())
        count_children(&counts.processes, command->words[0], blow, SIGKILL);
    check_files(blow);
    if (blow->orderly)
        counts.folders += count_left(blow);
}

/* As root, hides folders in which gradings of other users have files, by mounting empty folders
 * over them. Does not hide this tree. */
static bool take_own_folders(void)
{
    return strncmp(LANEWISE_ROOT, "/tmp/", 5) != 0 && unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777,size=64m") == 0 &&
           mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777") == 0;
}

static void prepare(void)
{
    signal(SIGINT, SIG_DFL); /* a shell ignores both signals for programs in the background */
    signal(SIGQUIT, SIG_DFL);
    signal(SIGHUP, SIG_DFL); /* nohup ignores it */
    own = take_own_folders();
    submission_init();
    char *path = shell_must("mkdir tmp out && pwd | tr -d '\\n'"), labs[PATH_SIZE];
    cr_assert(chdir(path) == 0);
    free(path);
    submission_write("02-coalesce", (struct edit[SUBMISSION_EDITS]){{NULL}}, "old.cu");
    cr_assert(getcwd(labs, sizeof labs - 10));
    strcat(labs, "/labs");
    setenv("LANEWISE_LABS", labs, 1);
    unsetenv("BXFI_MAP");
    if (!own)
        setenv("TMPDIR", shell_must("printf %%s \"$PWD/tmp\""), 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

TestSuite(kills, .init = prepare, .fini = shell_fini, .timeout = 36000);

Test(kills, leave_nothing_behind)
{
    static const struct blow next_start = {.name = "the next start"};
    const char *wanted = getenv("KILLS");
    unsigned kills = wanted && *wanted ? (unsigned)atoi(wanted) : COMMANDS * BLOWS;
    srand48(getpid());
    for (unsigned i = 0; counts.ended < kills; ++i) {
        const struct command *command = &commands[i % COMMANDS];
        double range = command->seconds / (drand48() < .5 ? 10 : 1);
        write_sources(i);
        const struct blow *blow = &blows[i / COMMANDS % BLOWS];
        if (blow->orderly)
            remove_left();
        strike(command, blow, drand48() * range);
    }
    strike(&commands[0], &blows[0], .5);
    unsigned before = count_left(NULL), shared = own ? count_in("/dev/shm", NULL) : 0;
    if (own)
        make_old();
    free(shell_must("$LANEWISE grade --lab 02 --submission old.cu --json out/grade.json"));
    fprintf(
        stderr,
        "kills: %u gradings ended (%u were faster): %u processes left, %u still busy after an orderly end, %u "
        "folders left by an orderly end, %u files half written\n",
        counts.ended, counts.before, counts.processes, counts.disorderly, counts.folders,
        counts.halves);
    unsigned after = count_left(&next_start);
    after += own ? count_in("/dev/shm", &next_start) : 0;
    fprintf(
        stderr,
        "kills: %u temporary folders and sockets and %u files in /dev/shm, %u after the next start\n",
        before, shared, after);
    cr_expect_eq(counts.processes, 0);
    cr_expect_eq(counts.disorderly, 0);
    cr_expect_eq(counts.folders, 0);
    cr_expect_eq(counts.halves, 0);
    cr_expect_eq(after, 0);
}
