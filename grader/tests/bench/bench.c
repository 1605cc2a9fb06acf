/* make bench: the emulator beside Oclgrind, on the same kernels, in the same run.
 *
 *     bench LANEWISE PROGRAMS OPENCL KERNELS.cl
 *
 * Each work is launched several times in one process on each side; the time is the median launch,
 * taken by the program itself around the launch, so that neither nvcc, process start nor reading PTX
 * is in it. On our side every counter is on, as in grading. Instructions are the emulator's own count,
 * and the rate is for a second of one core's time, so that other work on the machine changes it less.
 * Exit code: 0 measured, 2 something could not be run. */
#include "run/exec.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct work {
    const char *title, *program, *n;
    int repeats, oclgrind_repeats; /* launches; Oclgrind takes over a minute for the last */
} works[] = {
    {"sum of squares, 1M ints", "sumsq", "1048576", 9, 5},
    {"tiled product, n = 256", "matmul", "256", 9, 3},
    {"tiled product, n = 512", "matmul", "512", 5, 1},
};
enum { WORK_COUNT = sizeof works / sizeof works[0], MAX_REPEATS = 16 };

#define TARGET 10.0 /* million warp instructions a second a core */

static void fail(const char *what, const char *output)
{
    fprintf(stderr, "bench: %s failed\n%s", what, output ? output : "");
    exit(2);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How long a launch takes: by the clock, and of the cores' time. */
struct seconds {
    double wall, cpu;
};

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The medians of the "kernel_seconds WALL CPU" lines in OUTPUT, of which there must be REPEATS. */
static struct seconds median_seconds(const char *output, int repeats)
{
    static const char mark[] = "kernel_seconds ";
    double wall[MAX_REPEATS], cpu[MAX_REPEATS];
    int count = 0;
    for (const char *at = output; (at = strstr(at, mark)) && count < MAX_REPEATS; count++) {
        at += strlen(mark);
        if (sscanf(at, "%lf %lf", &wall[count], &cpu[count]) != 2)
            break;
    }
    if (count != repeats)
        fail("a program that should print kernel_seconds", output);
    return (struct seconds){median(wall, count), median(cpu, count)};
}

/* Runs a command that launches a work REPEATS times; the median launch. */
static struct seconds time_command(const char *const argv[], int repeats)
{
    struct run_command command = {
        .argv = argv,
        .environment = (const char *const *)environ,
        .wall_seconds = 1800,
        .output_keep = 1 << 16,
        .output_limit = 1 << 20,
        .stay_in_group = true,
    };
    struct run_outcome outcome;
    run_exec(&command, &outcome);
    if (outcome.end != RUN_EXITED || outcome.code != 0)
        fail(argv[1], outcome.output);
    struct seconds seconds = median_seconds(outcome.output, repeats);
    run_outcome_free(&outcome);
    return seconds;
}

/* The warp instructions of the first launch in a lanewise/run/v1 document. */
static double read_instructions(const char *path)
{
    json_t *document = json_load_file(path, 0, NULL);
    json_t *launch = json_array_get(json_object_get(document, "launches"), 0);
    json_t *count = json_object_get(json_object_get(launch, "counters"), "warp_instructions");
    double instructions = (double)json_integer_value(count);
    json_decref(document);
    if (instructions <= 0)
        fail("counting instructions", NULL);
    return instructions;
}

static struct seconds time_emulator(const struct work *work, const char *lanewise,
                                    const char *programs, double *instructions)
{
    char program[4096], repeats[16], json[] = "/tmp/lanewise-bench-XXXXXX";
    int fd = mkstemp(json);
    if (fd < 0)
        fail("making a file in /tmp", NULL);
    close(fd);
    snprintf(program, sizeof program, "%s/%s", programs, work->program);
    snprintf(repeats, sizeof repeats, "%d", work->repeats);
    const char *argv[] = {lanewise, "run", "--json", json, program, work->n, repeats, NULL};
    struct seconds seconds = time_command(argv, work->repeats);
    *instructions = read_instructions(json);
    unlink(json);
    return seconds;
}

static struct seconds time_oclgrind(const struct work *work, const char *opencl,
                                    const char *kernels)
{
    char repeats[16];
    snprintf(repeats, sizeof repeats, "%d", work->oclgrind_repeats);
    const char *argv[] = {"/usr/bin/env", "oclgrind", opencl,  kernels,
                          work->program,  work->n,    repeats, NULL};
    return time_command(argv, work->oclgrind_repeats);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: bench LANEWISE PROGRAMS OPENCL KERNELS.cl\n");
        return 2;
    }
    double slowest = 0, load = 0;
    getloadavg(&load, 1);
    printf("Median launch, %ld cores; emulator with all counters on.\n",
           sysconf(_SC_NPROCESSORS_ONLN));
    if (load > 0.5)
        printf("Other work is running (load %.1f): the times will be too long.\n", load);
    printf("\n%-24s %12s %11s %11s %16s %11s %8s\n", "", "warp instr.", "emulator s", "cores busy",
           "M instr./s/core", "Oclgrind s", "ratio");
    for (int i = 0; i < WORK_COUNT; i++) {
        double instructions;
        struct seconds ours = time_emulator(&works[i], argv[1], argv[2], &instructions);
        double rate = instructions / ours.cpu / 1e6;
        printf("%-24s %12.0f %11.4f %11.1f %16.1f", works[i].title, instructions, ours.wall,
               ours.cpu / ours.wall, rate);
        fflush(stdout);
        struct seconds theirs = time_oclgrind(&works[i], argv[3], argv[4]);
        printf(" %11.4f %7.1fx\n", theirs.wall, theirs.wall / ours.wall);
        slowest = i == 0 || rate < slowest ? rate : slowest;
    }
    printf("\nSlowest: %.1f M warp instructions a second a core; the aim is %.0f: %s.\n", slowest,
           TARGET, slowest >= TARGET ? "met" : "not met");
    return 0;
}
