/* Records whether the effect of a lab's lesson shows in time. Writes calibration.tsv: the times of
 * each lab's naive kernel and solution on this machine's GPU, at the sizes of rows.def.
 *
 *   build/tests/record-times [LAB]      writes the table to stdout
 *
 * A row has ten runs. In each run, both programs run once, one after the other. Each program warms
 * up, and then times its loop over lab_again() several times; the run's figure is the median of
 * these times. Time may earn points only where the last column says 10 of 10: the solution was at
 * least 1.5 times as fast in each of the ten runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile/build.h"
#include "config.h"
#include "course/lab.h"
#include "grade/installed_gpu.h"
#include "grade/mutant.h"
#include "record/case.h"
#include "sandbox/process.h"

#define RUNS       10
#define REPEATS    "5"
#define ENOUGH     1.5
#define SOURCE_MAX ((size_t)1 << 20)
#define RESULT_MAX ((size_t)1 << 30)

static const struct row {
    const char *lab, *naive_from, *naive, *solution, *inputs;
} rows[] = {
#define ROW(lab, naive_from, naive, solution, inputs) {lab, naive_from, naive, solution, inputs},
#include "tests/hardware/calibration/rows.def"
#undef ROW
};

enum side { NAIVE, SOLUTION };

static char folder[PATH_SIZE]; /* private folder for programs, removed at the end */

static void quit(const char *what, const char *why)
{
    fprintf(stderr, "record-times: %s: %s\n", what, why);
    base_remove_tree(folder);
    exit(2);
}

/* --- programs ------------------------------------------------------------------------------------- */

/* Returns the source in the place FROM: "solutions", "labs" (the skeleton), or the name of a
 * mutant. */
static struct text read_source(const struct lab *lab, const char *from)
{
    char path[PATH_SIZE], why[300];
    struct text source;
    struct mutant mutant;
    bool is_file = strcmp(from, "labs") == 0 || strcmp(from, "solutions") == 0;
    base_path(path, "%s/%s/%s/%s", LANEWISE_ROOT, is_file ? from : "solutions", lab->name,
              lab->file);
    if (!base_read_file(path, SOURCE_MAX, &source, why, sizeof why))
        quit(path, why);
    if (is_file)
        return source;
    base_path(path, "%s/grader/tests/mutants/%s/%s.diff", LANEWISE_ROOT, lab->name, from);
    if (!mutant_read(path, source.bytes, &mutant, why, sizeof why))
        quit(path, why);
    free(source.bytes);
    source.bytes = strdup(mutant.source);
    source.size = strlen(mutant.source);
    mutant_free(&mutant);
    return source;
}

/* Builds the source in the place FROM for the GPU. */
static void build(const struct lab *lab, const char *from, char program[PATH_SIZE])
{
    static unsigned count;
    char place[PATH_SIZE];
    struct text source = read_source(lab, from);
    struct compile_build built;
    base_path(place, "%s/program-%u", folder, count++);
    if (!base_make_folder(place))
        quit(place, "cannot be made");
    compile_build(&(struct compile_job){.source = &source,
                                        .file_name = lab->file,
                                        .shown = from,
                                        .device = ON_GPU,
                                        .gpu_arch = installed_gpu_arch(),
                                        .folder = place},
                  &built);
    if (built.end != COMPILE_DONE)
        quit(lab->name, built.messages);
    strcpy(program, built.program);
    compile_build_free(&built);
    free(source.bytes);
}

/* --- inputs --------------------------------------------------------------------------------------- */

/* Returns the value of PRODUCT, such as "rows*cols". The factors are names of ints in INPUT. */
static size_t length_of(const struct case_data *input, char *product)
{
    size_t length = 1;
    char *rest;
    for (char *name = strtok_r(product, "*", &rest); name; name = strtok_r(NULL, "*", &rest)) {
        const struct case_array *array = case_find(input, name);
        if (!array)
            quit("rows.def has no number called", name);
        length *= (size_t) * (const int *)array->values;
    }
    return length;
}

/* Adds an array of ints from -1000 to 1000, or of floats from -1 to 1. */
static void add_random(struct case_data *input, const char *name, bool floats, size_t length)
{
    int *values = malloc((length + 1) * sizeof *values);
    float *numbers = (float *)values; /* both have 4 bytes */
    unsigned state = 1;
    for (size_t i = 0; values && i < length; ++i) {
        int value = (int)((state = state * 1664525u + 1013904223u) >> 8) % 2001 - 1000;
        if (floats)
            numbers[i] = (float)value / 1000;
        else
            values[i] = value;
    }
    if (!values || !case_add(input, name, floats ? CASE_FLOAT : CASE_INT, values, length))
        quit(name, "no memory");
    free(values);
}

/* Adds the inputs that WORDS describe; rows.def explains the words. */
static void add_words(struct case_data *input, const char *words)
{
    char *copy = strdup(words), *rest;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '='), *kind = strchr(word, ':');
        if (!value)
            quit("rows.def says", word);
        *value++ = 0;
        if (kind) {
            *kind++ = 0;
            add_random(input, word, strcmp(kind, "floats") == 0, length_of(input, value));
        } else {
            int number = atoi(value);
            case_add(input, word, CASE_INT, &number, 1);
        }
    }
    free(copy);
}

static void write_case(const struct row *row, enum side side, char path[PATH_SIZE])
{
    struct case_data *input = case_new();
    base_path(path, "%s/%s", folder, side == NAIVE ? "naive" : "solution");
    unlink(path);
    add_words(input, row->inputs);
    add_words(input, side == NAIVE ? row->naive : row->solution);
    if (!case_write(input, path))
        quit(path, "cannot be written");
    case_free(input);
}

/* --- times ---------------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Returns the median of COUNT values, and sorts them. */
static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Returns a hash of the bits of the lab's main result, which must be the same for both programs. */
static uint64_t answer_in(const struct case_data *result)
{
    static const char *const names[] = {"sum", "sums", "c"};
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const struct case_array *array = case_find(result, names[i]);
        const unsigned char *bytes = array ? array->values : NULL;
        for (size_t j = 0; array && j < array->count * case_type_size(array->type); ++j)
            hash = (hash ^ bytes[j]) * 1099511628211u;
    }
    return hash;
}

/* Runs PROGRAM once and returns the median of its times in microseconds. */
static double time_once(const char *program, const char *input, uint64_t *answer)
{
    char path[PATH_SIZE], why[100] = "";
    const char *words[] = {program, "--case", input, "--result", path, "--repeats", REPEATS, NULL};
    struct process_outcome outcome;
    double times[100];
    base_path(path, "%s/result", folder);
    process_run(&(struct process_command){.argv = words,
                                          .environment = (const char *const *)environ,
                                          .wall_seconds = 60,
                                          .output_keep = 4096,
                                          .output_limit = 1 << 20},
                &outcome);
    if (outcome.end != PROCESS_EXITED || outcome.code != 0)
        quit(program, outcome.output);
    struct case_data *result = case_read(path, RESULT_MAX, why, sizeof why);
    const struct case_array *ms = result ? case_find(result, "milliseconds") : NULL;
    if (!ms || ms->type != CASE_FLOAT || ms->count == 0 || ms->count > 100)
        quit(program, result ? "was not timed" : why);
    size_t count = ms->count;
    for (size_t i = 0; i < count; ++i)
        times[i] = (double)((const float *)ms->values)[i] * 1000;
    *answer = answer_in(result);
    case_free(result);
    process_outcome_free(&outcome);
    return median(times, count);
}

static void record(const struct row *row)
{
    char error[300], programs[2][PATH_SIZE], cases[2][PATH_SIZE];
    double times[2][RUNS], gains[RUNS];
    uint64_t answers[2];
    struct lab lab;
    unsigned enough = 0;
    if (!labs_open(row->lab, &lab, error, sizeof error))
        quit(row->lab, error);
    build(&lab, row->naive_from, programs[NAIVE]);
    build(&lab, "solutions", programs[SOLUTION]);
    for (enum side side = NAIVE; side <= SOLUTION; ++side)
        write_case(row, side, cases[side]);
    for (int run = 0; run < RUNS; ++run) {
        for (enum side side = NAIVE; side <= SOLUTION; ++side)
            times[side][run] = time_once(programs[side], cases[side], &answers[side]);
        if (answers[NAIVE] != answers[SOLUTION])
            quit(row->lab, "the naive kernel and the solution disagree");
        gains[run] = times[NAIVE][run] / times[SOLUTION][run];
        enough += gains[run] >= ENOUGH;
    }
    printf("%s\t%s\t%s\t%s\t%s", row->lab, row->naive_from, row->naive, row->solution, row->inputs);
    for (enum side side = NAIVE; side <= SOLUTION; ++side) {
        double middle = median(times[side], RUNS); /* sorts the times */
        printf("\t%.1f\t%.1f\t%.1f", middle, times[side][0], times[side][RUNS - 1]);
    }
    double middle = median(gains, RUNS);
    printf("\t%.2f\t%.2f\t%.2f\t%u of %d\n", middle, gains[0], gains[RUNS - 1], enough, RUNS);
    fflush(stdout);
    labs_close(&lab);
}

int main(int argc, char **argv)
{
    char name[200], date[32];
    time_t now = time(NULL);
    if (!base_private_folder(folder))
        quit("no place for temporary files", folder);
    if (!installed_gpu_find(name, sizeof name))
        quit("no GPU", name);
    strftime(date, sizeof date, "%F", gmtime(&now));
    printf("# %s, %s, by `make record-times`: microseconds, medians of %d runs\n", name, date,
           RUNS);
    printf("# "
           "lab\tnaive_from\tnaive\tsolution\tinputs\tnaive_us\tleast\tmost\tsolution_"
           "us\tleast\tmost\tgain\t"
           "least\tmost\tgain_is_%g\n",
           ENOUGH);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (argc < 2 || strcmp(argv[1], rows[i].lab) == 0)
            record(&rows[i]);
    base_remove_tree(folder);
    return 0;
}
