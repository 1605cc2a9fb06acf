/* make bench: compares the emulator, with more and more observers, with Oclgrind and PoCL on the
 * same kernels.
 *
 *     bench LANEWISE BENCH-FOLDER KERNELS.cl OUT     table; OUT.json and OUT.svg
 *     bench --compare LANEWISE OTHER-LANEWISE BENCH-FOLDER   two builds in turn
 *
 * A work is a kernel with its input. It is launched several times in one process. The result is the
 * median time of a launch. It does not include nvcc, process start or the reading of PTX. For one
 * core the benchmark measures CPU time, because other work on the machine changes it less. For all
 * cores, Oclgrind and PoCL it measures wall-clock time. Every rate is the emulator's count of warp
 * instructions per second, because the work is the same. Oclgrind gets a smaller problem, because
 * the full one would take minutes. All memory accesses are always checked, so memcheck takes longer
 * than the counters only if it reports faults. Exit code: 0 measured, 2 a program could not be run,
 * or answers differ. */
#include "bench.h"

#include "sandbox/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct work {
    const char *title, *name;
    int n, repeats, small; /* SMALL is the N of the smaller problem for Oclgrind */
} works[] = {
    {"sum of squares, a chunk a thread", "sumsq_chunks", 1 << 20, 7, 1 << 16},
    {"sum of squares, coalesced", "sumsq", 1 << 20, 9, 1 << 17},
    {"sum by shuffles", "shuffle", 1 << 20, 5, 1 << 16},
    {"product, naive, n = 256", "matmul_naive", 256, 5, 64},
    {"product, tiled, n = 256", "matmul", 256, 5, 64},
    {"product, tiled, n = 512", "matmul", 512, 3, 64},
    {"transpose, bank conflicts", "transpose_conflicts", 1024, 5, 256},
    {"transpose, padded", "transpose", 1024, 5, 256},
    {"Jacobi in double, n = 1024", "jacobi", 1024, 5, 256},
    {"texture stencil, n = 512", "texture", 512, 5, 128},
    {"histogram by atomics", "histogram", 1 << 20, 5, 1 << 16},
    {"divergent loop", "divergent", 1 << 16, 5, 1 << 12},
};
enum { WORKS = sizeof works / sizeof works[0], MAX_REPEATS = 16 };
static_assert(WORKS <= BENCH_MOST, "there are more works than rows in the results");

/* The settings, as values of --tools. Settings with racecheck always use one core. */
static const char *const tools[BENCH_SETTINGS] = {"none", "counters", "memcheck,synccheck",
                                                  "racecheck,initcheck"};

static const int sizes[] = {128, 256, 512, 1024}; /* values of n for the tiled product */
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const char *folder; /* the programs' folder */

static void fail(const char *what, const char *output)
{
    fprintf(stderr, "bench: %s failed\n%s", what, output ? output : "");
    exit(2);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], compare_numbers);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The measurements of one execution: the median time of a launch, the sum of the results, and the
 * memory if the program reports it. */
struct timing {
    double wall, cpu, checksum, mebibytes;
};

static struct timing read_timing(const char *output, int repeats)
{
    static const char mark[] = "kernel_seconds ";
    double wall[MAX_REPEATS], cpu[MAX_REPEATS];
    struct timing timing;
    int count = 0;
    for (const char *at = output; (at = strstr(at, mark)) && count < MAX_REPEATS; count++) {
        at += strlen(mark);
        if (sscanf(at, "%lf %lf", &wall[count], &cpu[count]) != 2)
            break;
    }
    const char *sum = strstr(output, "checksum ");
    if (count != repeats || !sum || sscanf(sum, "checksum %lf", &timing.checksum) != 1)
        fail("a program that must print kernel_seconds and checksum", output);
    const char *peak = strstr(output, "peak_mebibytes ");
    if (!peak || sscanf(peak, "peak_mebibytes %lf", &timing.mebibytes) != 1)
        timing.mebibytes = 0;
    timing.wall = median(wall, count);
    timing.cpu = median(cpu, count);
    return timing;
}

static struct timing time_command(const char *const argv[], int repeats)
{
    struct process_command command = {
        .argv = argv,
        .environment = (const char *const *)environ,
        .wall_seconds = 300,
        .output_keep = 1 << 16,
        .output_limit = 1 << 20,
    };
    struct process_outcome outcome;
    process_run(&command, &outcome);
    if (outcome.end != PROCESS_EXITED || outcome.code != 0)
        fail(argv[1], outcome.output);
    struct timing timing = read_timing(outcome.output, repeats);
    process_outcome_free(&outcome);
    return timing;
}

/* Returns the number of warp instructions of the first launch in a lanewise/run/v1 document. */
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

static struct timing time_emulator(const struct work *work, int n, int repeats,
                                   const char *lanewise, const char *setting, long workers,
                                   double *instructions)
{
    char program[4096], times[16], cores[24], size[16], json[4096];
    snprintf(json, sizeof json, "%s/run.json", folder);
    snprintf(program, sizeof program, "%s/kernels", folder);
    snprintf(times, sizeof times, "%d", repeats);
    snprintf(size, sizeof size, "%d", n);
    snprintf(cores, sizeof cores, "%ld", workers);
    const char *argv[] = {lanewise, "run",   "--json",   json, "--workers", cores, "--tools",
                          setting,  program, work->name, size, times,       NULL};
    struct timing timing = time_command(argv, repeats);
    *instructions = read_instructions(json);
    return timing;
}

/* Times a work in OpenCL, under Oclgrind or with PoCL. */
static struct timing time_opencl(const struct work *work, bool oclgrind, const char *kernels)
{
    char program[4096], times[16], size[16];
    int repeats = oclgrind ? 1 : work->repeats;
    snprintf(program, sizeof program, "%s/opencl", folder);
    snprintf(times, sizeof times, "%d", repeats);
    snprintf(size, sizeof size, "%d", oclgrind ? work->small : work->n);
    const char *argv[] = {"/usr/bin/env", oclgrind ? "oclgrind" : "OCL_ICD_VENDORS=pocl.icd",
                          program,        kernels,
                          work->name,     size,
                          times,          NULL};
    return time_command(argv, repeats);
}

static double children_mebibytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage); /* the maximum over all child processes so far */
    return (double)usage.ru_maxrss / 1024;
}

static void measure(const struct work *work, const char *lanewise, const char *kernels,
                    struct bench_row *row)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double few;
    struct timing ours = {0};
    *row = (struct bench_row){.title = work->title};
    for (int i = 0; i < BENCH_SETTINGS; i++) {
        int repeats = i == BENCH_SETTINGS - 1 ? 2 : work->repeats;
        ours = time_emulator(work, work->n, repeats, lanewise, tools[i], 1, &row->instructions);
        row->one_core[i] = ours.cpu;
        row->all_cores[i] =
            time_emulator(work, work->n, repeats, lanewise, tools[i], cores, &row->instructions)
                .wall;
    }
    struct timing native = time_opencl(work, false, kernels);
    row->pocl = native.wall;
    struct timing small = time_emulator(work, work->small, 1, lanewise, tools[2], cores, &few);
    struct timing slow = time_opencl(work, true, kernels);
    row->oclgrind = slow.wall * row->instructions / few;
    if (native.checksum != ours.checksum || slow.checksum != small.checksum)
        fail(work->name, "bench: the answers differ\n");
}

static struct bench_size measure_size(int n, const char *lanewise, long cores)
{
    static const struct work work = {"product, tiled", "matmul", 0, 1, 0};
    struct bench_size size = {.n = n};
    for (int all = 0; all < 2; all++) {
        long workers = all ? cores : 1;
        int repeats = n < 1000 ? 3 : 1;
        struct timing counting =
            time_emulator(&work, n, repeats, lanewise, tools[2], workers, &size.instructions);
        struct timing everything =
            time_emulator(&work, n, repeats, lanewise, tools[3], workers, &size.instructions);
        size.counting[all] = all ? counting.wall : counting.cpu;
        size.everything[all] = all ? everything.wall : everything.cpu;
        size.mebibytes[0] = counting.mebibytes;
        size.mebibytes[1] = everything.mebibytes;
    }
    return size;
}

static int measure_all(const char *lanewise, const char *kernels, const char *out)
{
    struct bench_row rows[WORKS];
    struct bench_size by_size[SIZES];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double load = 0;
    getloadavg(&load, 1);
    if (load > 0.5)
        printf("Other work is running (load %.1f): wall-clock times will be too long.\n", load);
    bench_print_head(cores);
    for (int i = 0; i < WORKS; i++) {
        measure(&works[i], lanewise, kernels, &rows[i]);
        bench_print(&rows[i]);
        fflush(stdout);
    }
    printf("\nPeak memory of the largest process: %.0f MiB.\n", children_mebibytes());
    for (int i = 0; i < SIZES; i++)
        by_size[i] = measure_size(sizes[i], lanewise, cores);
    bench_print_sizes(by_size, SIZES, cores);
    return bench_write(&(struct bench_results){rows, by_size, WORKS, SIZES}, out) ? 0 : 2;
}

/* Shows the fastest of a few launches of each build. The builds run alternately, so that a
 * disturbance affects both. */
static int compare_builds(const char *ours, const char *theirs)
{
    double unused;
    printf("%-34s %12s %12s %9s   (CPU seconds of a launch on one core, counters on)\n", "",
           "this build", "other build", "other/this");
    for (int i = 0; i < WORKS; i++) {
        double best[2] = {1e9, 1e9};
        for (int turn = 0; turn < 6; turn++) {
            struct timing timing = time_emulator(&works[i], works[i].n, works[i].repeats,
                                                 turn % 2 ? theirs : ours, "memcheck", 1, &unused);
            best[turn % 2] = timing.cpu < best[turn % 2] ? timing.cpu : best[turn % 2];
        }
        printf("%-34s %12.5f %12.5f %8.2fx\n", works[i].title, best[0], best[1], best[1] / best[0]);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: bench LANEWISE BENCH-FOLDER KERNELS.cl OUT\n"
                        "       bench --compare LANEWISE OTHER-LANEWISE BENCH-FOLDER\n");
        return 2;
    }
    bool compares = strcmp(argv[1], "--compare") == 0;
    folder = compares ? argv[4] : argv[2];
    return compares ? compare_builds(argv[2], argv[3]) : measure_all(argv[1], argv[3], argv[4]);
}
