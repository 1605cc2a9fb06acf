#include "grade/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* much longer than all checks together take; each check has its own limit */
#define RUNNER_SECONDS 3000

static void remove_socket(pid_t runner)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/" GRADE_SOCKET, (long)runner);
    unlink(path);
}

bool runner_run(const struct lab *lab, const struct grade_job *job, const char *path,
                struct process_outcome *outcome)
{
    char job_variable[PATH_SIZE + 32], visible[256], libraries[4096], costs[PATH_SIZE + 32];
    if (!grade_job_write(job, path))
        return false;
    snprintf(job_variable, sizeof job_variable, "%s=%s", GRADE_JOB_VARIABLE, path);
    const char *environment[7] = {job_variable, "PATH=/usr/bin:/bin", "LC_ALL=C"};
    size_t count = 3;
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    if (value && snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", value) < 256)
        environment[count++] = visible;
    value = getenv("LD_LIBRARY_PATH");
    if (value && snprintf(libraries, sizeof libraries, "LD_LIBRARY_PATH=%s", value) < 4096)
        environment[count++] = libraries;
    value = getenv("LANEWISE_COSTS"); /* set by `make costs` */
    if (value && snprintf(costs, sizeof costs, "LANEWISE_COSTS=%s", value) < PATH_SIZE)
        environment[count++] = costs;
    const char *argv[] = {lab->runner, NULL};
    struct process_command command = {.argv = argv,
                                      .environment = environment,
                                      .folder = job->folder,
                                      .wall_seconds = RUNNER_SECONDS,
                                      .output_keep = 4096,
                                      .output_limit = 16 << 20};
    process_run(&command, outcome);
    if (outcome->end != PROCESS_EXITED) /* it could not remove its socket */
        remove_socket(outcome->pid);
    return true;
}
