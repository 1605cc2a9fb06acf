/* Runs the checks of a lab. Each lab has its own checks runner, the executable
 * build/checks/NN-name.
 *
 *     build/checks/01-parallelize --describe      prints the lab's declaration as JSON
 *     build/checks/01-parallelize                 performs the checks of the job in $LANEWISE_JOB
 *
 * The exit code is 0 if every check has written its verdict, good or bad. Any other code means that
 * the grader has failed. */
#include "checks/internal.h"

#include <criterion/options.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/process.h"

/* The time limit of a check. No check reaches it, even on a busy machine, because each run, and all
 * runs of a check together, have their own limits (checks/processes.c). */
#define CHECK_WALL_SECONDS 600
#define SWEEP_SECONDS      3600 /* a runner never lives longer than this */

static json_t *describe_texts(const char *const *texts, size_t most)
{
    json_t *array = json_array();
    for (size_t i = 0; i < most && texts[i]; ++i)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

static json_t *describe_check(const struct check_info *info)
{
    static const char *const places[] = {"anywhere", "counts", "emulator-only", "gpu-only"};
    const struct judge_budget *budget = &info->figure.budget;
    char id[64];
    check_public_id(info, id);
    json_t *check =
        json_pack("{s:s, s:s, s:s, s:f, s:s, s:b, s:b, s:b, s:b, s:s}", "id", id, "name", info->id,
                  "title", info->title, "max_points", info->points, "where", places[info->where],
                  "emulator", check_runs_on(info, ON_EMULATOR), "gpu", check_runs_on(info, ON_GPU),
                  "counts", info->where == CHECK_COUNTS, "watched", info->watched, "hint",
                  info->hint ? info->hint : "");
    if (info->figure.text)
        json_object_set_new(check, "budget",
                            json_pack("{s:f, s:f, s:f, s:f}", "naive", budget->naive, "solution",
                                      budget->solution, "full", judge_full(budget), "slack",
                                      budget->slack));
    return check;
}

static int compare_lines(const void *left, const void *right)
{
    const struct check_info *a = *(const struct check_info *const *)left;
    const struct check_info *b = *(const struct check_info *const *)right;
    return a->line - b->line;
}

static int describe(void)
{
    /* sorted by line, because the linker can put the declarations in any order */
    const struct check_info *sorted[64];
    size_t count = (size_t)(__stop_lanewise_checks - __start_lanewise_checks);
    json_t *checks = json_array();
    if (count > sizeof sorted / sizeof *sorted)
        return 1;
    memcpy(sorted, __start_lanewise_checks, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_lines);
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(checks, describe_check(sorted[i]));
    json_t *lab =
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "title", lab_info.title, "file", lab_info.file,
                  "needs", describe_texts(lab_info.needs, LAB_MAX_NEEDS), "hints",
                  describe_texts(lab_info.hints, LAB_MAX_HINTS), "checks", checks);
    int failed = !lab || json_dumpf(lab, stdout, JSON_INDENT(2)) != 0;
    putchar('\n');
    json_decref(lab);
    return failed;
}

/* Removes files that Criterion left in FOLDER when its process was killed. FORMAT is a scanf()
 * format that reads the process id in a file's name. A file must also be older than SWEEP_SECONDS:
 * containers that share the folder number their processes independently, so an id can belong to a
 * process of another container. */
static void sweep(const char *folder, const char *format)
{
    DIR *opened = opendir(folder);
    struct dirent *entry;
    struct stat status;
    while (opened && (entry = readdir(opened))) {
        long pid;
        int end = 0;
        if (sscanf(entry->d_name, format, &pid, &end) != 1 || !end || entry->d_name[end] ||
            kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        int at = dirfd(opened);
        if (fstatat(at, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            status.st_uid == geteuid() && status.st_mtime + SWEEP_SECONDS < time(NULL))
            unlinkat(at, entry->d_name, 0);
    }
    if (opened)
        closedir(opened);
}

/* Criterion makes a socket, named after its process id, in a folder that all users share. If a
 * killed process of another user has left a socket with this name, we cannot replace it. In this
 * case, makes a child process, which has another id, and continues in the child. */
static void avoid_taken_socket(void)
{
    char path[64];
    for (int tries = 0; tries < 100; tries++) {
        snprintf(path, sizeof path, "/tmp/" GRADE_SOCKET, (long)getpid());
        if (unlink(path) == 0 || errno == ENOENT)
            return;
        pid_t parent = getpid(), child = fork();
        if (child != 0) {
            int status = 0;
            bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
            exit(ended ? WEXITSTATUS(status) : 1);
        }
        if (!process_end_with(parent, SIGKILL))
            exit(1);
    }
}

int main(int argc, char **argv)
{
    struct grade_job job;
    if (argc == 2 && strcmp(argv[1], "--describe") == 0)
        return describe();
    if (argc != 1 || !grade_job_read(&job)) {
        fprintf(stderr, "%s is started by `lanewise grade`; --describe shows the lab\n", argv[0]);
        return 2;
    }
    sweep("/tmp", GRADE_SOCKET "%n");
    sweep("/dev/shm", "bxfi_%ld%n");
    avoid_taken_socket();
    struct criterion_test_set *tests = criterion_initialize();
    /* four checks at a time on a GPU, because programs wait for the driver most of the time; a
     * timed program has the GPU for itself (processes.c) */
    criterion_options.jobs = job.device == ON_GPU ? 4 : 2;
    criterion_options.timeout = CHECK_WALL_SECONDS;
    criterion_options.use_ascii = true;
    int passed = criterion_run_all_tests(tests);
    criterion_finalize(tests);
    json_decref(job.terms);
    json_decref(job.source);
    json_decref(job.only);
    json_decref(job.tries);
    return passed ? 0 : 1;
}
