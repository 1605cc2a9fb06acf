/* lab.h: functions with which every lab's main() gets its input and hands in its answer.
 *
 * A lab is an ordinary CUDA program that runs in two ways:
 *
 *     ./parallelize                    by hand: a small built-in input, the answer is printed
 *     ./parallelize n=5000 rung=1      by hand, with other values for the names of lab_int()
 *     ./parallelize -h                 by hand: lists these names with their values
 *     ./parallelize --case FILE --result FILE [--repeats N] ...    started by the grader
 *
 * The grader writes the input to the case file and reads only the result file back.
 * So main() follows the same five steps in every lab:
 *
 *     struct lab lab = lab_open(argc, argv);
 *     int n = lab_int(&lab, "n", 1000);                 // 1000 when run by hand
 *     const int *data = lab_ints(&lab, "data", n);
 *     while (lab_again(&lab)) { ...launch kernels... }  // once, or several times to be timed
 *     lab_result(&lab, "sum", LAB_U64, &sum, 1);
 *     return lab_close(&lab);
 *
 * Case and result files have one format, little-endian:
 *
 *     8 bytes   "LWARRAY1"
 *     then, until the end of the file, arrays:
 *         24 bytes  name, padded with NUL
 *          4 bytes  type: one of enum lab_type
 *          4 bytes  0
 *          8 bytes  count of elements
 *         count elements, then zero bytes up to a multiple of 8 */
#ifndef LAB_H
#define LAB_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Checks the result of a CUDA call, as in CHECK_CUDA(cudaMalloc(...)). Use it around every call,
 * because every call can fail. If the call fails, the macro reports where and why, and ends the
 * program. */
#define CHECK_CUDA(call) lab_check((call), #call, __FILE__, __LINE__)

#define LAB_EXIT_USAGE   2 /* the program was started with wrong arguments */
#define LAB_EXIT_CUDA    3 /* a CUDA call failed */

static inline void lab_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(LAB_EXIT_CUDA);
}

enum lab_type { LAB_INT = 1, LAB_FLOAT = 2, LAB_DOUBLE = 3, LAB_U64 = 4, LAB_BYTE = 5 };

struct lab {
    int argc;
    char **argv;
    char *input;       /* the case file's bytes, or NULL when run by hand */
    size_t input_size; /* in bytes */
    FILE *result;      /* NULL when run by hand */
    /* number of timed rounds of the loop over lab_again(); 0 for one round that is not timed */
    int repeats;
    int rounds;   /* number of rounds that have begun */
    float *times; /* milliseconds of each timed round */
    cudaEvent_t begin, end;
    void *scratch; /* GPU memory, larger than the L2 cache; writing it flushes the cache */
    size_t scratch_size;
    char asked[300]; /* the names that lab_int() was called with, each after a space */
    bool lists;      /* after -h: the program lists these names and values, then ends */
};

/* --- helpers, which labs do not call ----------------------------------------------------------- */

struct lab_array {
    char name[24];
    uint32_t type, zero;
    uint64_t count;
};

static inline void lab_fail(const char *what, const char *name)
{
    fprintf(stderr, "lab.h: %s%s%s\n", what, name ? ": " : "", name ? name : "");
    exit(LAB_EXIT_USAGE);
}

static inline size_t lab_type_size(uint32_t type)
{
    return type == LAB_BYTE ? 1 : type == LAB_DOUBLE || type == LAB_U64 ? 8 : 4;
}

/* Returns the value after OPTION on the command line, or NULL. */
static inline const char *lab_option(const struct lab *lab, const char *option)
{
    for (int i = 1; i + 1 < lab->argc; ++i)
        if (strcmp(lab->argv[i], option) == 0)
            return lab->argv[i + 1];
    return NULL;
}

static inline void lab_read_case(struct lab *lab, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        lab_fail("cannot read the case file", path);
    lab->input_size = (size_t)ftell(file);
    lab->input = (char *)malloc(lab->input_size + 1);
    rewind(file);
    if (!lab->input || fread(lab->input, 1, lab->input_size, file) != lab->input_size)
        lab_fail("cannot read the case file", path);
    fclose(file);
}

/* Returns the elements of the array NAME in the case. Ends the program unless the array has this
 * type and count. */
static inline const void *lab_find(struct lab *lab, const char *name, enum lab_type type, int count)
{
    size_t at = 8;
    while (at + sizeof(struct lab_array) <= lab->input_size) {
        const struct lab_array *array = (const struct lab_array *)(lab->input + at);
        const char *elements = lab->input + at + sizeof *array;
        if (strncmp(array->name, name, sizeof array->name) == 0) {
            if (array->type != (uint32_t)type || array->count != (uint64_t)count)
                lab_fail("the program expects another type or count than the case has for", name);
            return elements;
        }
        at += sizeof *array + (array->count * lab_type_size(array->type) + 7) / 8 * 8;
    }
    lab_fail("the case has no array named", name);
    return NULL;
}

static inline void lab_write(FILE *file, const char *name, enum lab_type type, const void *values,
                             int count)
{
    struct lab_array array;
    size_t size = (size_t)count * lab_type_size(type);
    memset(&array, 0, sizeof array);
    strncpy(array.name, name, sizeof array.name - 1);
    array.type = type;
    array.count = (uint64_t)count;
    fwrite(&array, sizeof array, 1, file);
    fwrite(values, 1, size, file);
    fwrite("\0\0\0\0\0\0\0", 1, (8 - size % 8) % 8, file);
}

/* If the option -h was given, ends the program now, before it makes or copies any data. */
static inline void lab_end_list(const struct lab *lab)
{
    if (lab->lists)
        exit(0);
}

/* --- what main() calls -------------------------------------------------------------------------- */

static inline struct lab lab_open(int argc, char **argv)
{
    struct lab lab;
    memset(&lab, 0, sizeof lab);
    lab.argc = argc;
    lab.argv = argv;
    const char *input = lab_option(&lab, "--case"), *result = lab_option(&lab, "--result");
    const char *repeats = lab_option(&lab, "--repeats");
    if (!input != !result)
        lab_fail("--case FILE and --result FILE must be given together", NULL);
    for (int i = 1; i < argc && !input; ++i)
        lab.lists |= strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0;
    if (lab.lists)
        printf("this lab's arguments, with their values:\n");
    if (!input)
        return lab;
    lab_read_case(&lab, input);
    lab.result = fopen(result, "wb");
    if (!lab.result)
        lab_fail("cannot write the result file", result);
    fwrite("LWARRAY1", 1, 8, lab.result);
    lab.repeats = repeats ? atoi(repeats) : 0;
    lab.times = (float *)calloc((size_t)lab.repeats + 1, sizeof *lab.times);
    return lab;
}

/* Returns true if a student, not the grader, started the program. */
static inline bool lab_by_hand(const struct lab *lab)
{
    return lab->input == NULL;
}

/* Returns the number in the argument name=number on the command line, or BY_HAND if there is
 * none. */
static inline int lab_argument(struct lab *lab, const char *name, int by_hand)
{
    size_t length = strlen(name), used = strlen(lab->asked);
    snprintf(lab->asked + used, sizeof lab->asked - used, " %s", name);
    for (int i = 1; i < lab->argc; ++i) {
        if (strncmp(lab->argv[i], name, length) != 0 || lab->argv[i][length] != '=')
            continue;
        char *end;
        long value = strtol(lab->argv[i] + length + 1, &end, 10);
        if (*end != 0 || value < 0 || value > 1000000000)
            lab_fail("not a number from 0 to 1,000,000,000", lab->argv[i]);
        return (int)value;
    }
    return by_hand;
}

/* Returns the integer NAME of the case. By hand, returns the number in the argument name=number, or
 * BY_HAND if there is none. */
static inline int lab_int(struct lab *lab, const char *name, int by_hand)
{
    if (!lab_by_hand(lab))
        return *(const int *)lab_find(lab, name, LAB_INT, 1);
    int value = lab_argument(lab, name, by_hand);
    if (lab->lists)
        printf("  %s=%d\n", name, value);
    return value;
}

/* Returns the N integers NAME of the case. By hand, returns N integers between -100 and 100. */
static inline const int *lab_ints(struct lab *lab, const char *name, int n)
{
    if (!lab_by_hand(lab))
        return (const int *)lab_find(lab, name, LAB_INT, n);
    lab_end_list(lab);
    int *values = (int *)malloc(((size_t)n + 1) * sizeof *values);
    if (!values)
        lab_fail("out of memory for", name);
    for (int i = 0; i < n; ++i)
        values[i] = (int)(i * 7919ll % 201) - 100;
    return values;
}

/* Returns the matrix NAME of the case: HEIGHT rows of WIDTH floats, one after another. By hand,
 * returns floats from -1 to 1. */
static inline const float *lab_matrix(struct lab *lab, const char *name, int height, int width)
{
    if ((long long)height * width > 1 << 28)
        lab_fail("more than 268,435,456 numbers in", name);
    int n = height * width;
    if (!lab_by_hand(lab))
        return (const float *)lab_find(lab, name, LAB_FLOAT, n);
    lab_end_list(lab);
    float *values = (float *)malloc(((size_t)n + 1) * sizeof *values);
    if (!values)
        lab_fail("out of memory for", name);
    for (int i = 0; i < n; ++i)
        values[i] = (float)(i * 7919ll % 201 - 100) / 100;
    return values;
}

/* For a run by hand: checks that every argument has the form name=number, with a name that
 * lab_int() was called with. */
static inline void lab_check_arguments(const struct lab *lab)
{
    for (int i = 1; i < lab->argc; ++i) {
        char name[64];
        size_t length = strcspn(lab->argv[i], "=");
        snprintf(name, sizeof name, " %.*s ", (int)length, lab->argv[i]);
        char known[sizeof lab->asked + 1];
        snprintf(known, sizeof known, "%s ", lab->asked);
        if (lab->argv[i][length] == '=' && strstr(known, name))
            continue;
        fprintf(
            stderr,
            "lab.h: unknown argument \"%s\"; this lab takes name=value for:%s (-h lists their values)\n",
            lab->argv[i], lab->asked);
        exit(LAB_EXIT_USAGE);
    }
}

/* Prepares the first timed round: makes two events, and allocates memory that is twice as large as
 * the L2 cache. */
static inline void lab_start_timing(struct lab *lab)
{
    int l2_bytes = 0;
    CHECK_CUDA(cudaEventCreate(&lab->begin));
    CHECK_CUDA(cudaEventCreate(&lab->end));
    CHECK_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
    lab->scratch_size = 2 * (size_t)l2_bytes;
    CHECK_CUDA(cudaMalloc(&lab->scratch, lab->scratch_size + 1));
}

/* Waits until the device has no work left. Returns the waiting time in milliseconds. */
static inline float lab_wait_for_device(void)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    CHECK_CUDA(cudaDeviceSynchronize());
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - begin.tv_sec) * 1e3f + (end.tv_nsec - begin.tv_nsec) * 1e-6f;
}

/* Returns for how many milliseconds the device still works after the last event, because other
 * streams can have work left. Subtracts the time that waiting takes even if the device is idle. */
static inline float lab_late_work(void)
{
    float waited = lab_wait_for_device(), idle = lab_wait_for_device();
    return waited > idle ? waited - idle : 0;
}

/* Returns true as long as the loop that launches the kernels must continue. Normally, the loop has
 * one round. If the grader measures times, it has one round to warm up, then `repeats` rounds, each
 * timed between two events. Before each timed round, the input is flushed from the L2 cache. */
static inline bool lab_again(struct lab *lab)
{
    int done = lab->rounds++;
    lab_end_list(lab);
    if (done == 0 && lab_by_hand(lab))
        lab_check_arguments(lab);
    if (lab->repeats == 0)
        return done == 0;
    if (done == 0) {
        lab_start_timing(lab);
    } else {
        CHECK_CUDA(cudaEventRecord(lab->end, 0));
        CHECK_CUDA(cudaEventSynchronize(lab->end));
        CHECK_CUDA(cudaEventElapsedTime(&lab->times[done - 1], lab->begin, lab->end));
        if (lab_option(lab, "--late-work"))
            lab->times[done - 1] += lab_late_work();
    }
    if (done > lab->repeats)
        return false;
    CHECK_CUDA(cudaMemsetAsync(lab->scratch, done, lab->scratch_size, 0));
    CHECK_CUDA(cudaEventRecord(lab->begin, 0));
    return true;
}

/* Returns the speed at which this GPU copies its own memory, in GB read and written per second. The
 * grader compares times with this speed. Returns 0 if there is too little memory to measure it. */
static inline float lab_copy_rate(struct lab *lab)
{
    const size_t size = (size_t)128 << 20;
    char *memory;
    float best = 0;
    if (cudaMalloc((void **)&memory, 2 * size) != cudaSuccess)
        return 0;
    for (int i = 0; i < 4; ++i) {
        float milliseconds = 0;
        CHECK_CUDA(cudaEventRecord(lab->begin, 0));
        CHECK_CUDA(cudaMemcpyAsync(memory, memory + size, size, cudaMemcpyDeviceToDevice, 0));
        CHECK_CUDA(cudaEventRecord(lab->end, 0));
        CHECK_CUDA(cudaEventSynchronize(lab->end));
        CHECK_CUDA(cudaEventElapsedTime(&milliseconds, lab->begin, lab->end));
        if (milliseconds > 0 && 2 * size / (milliseconds * 1e6f) > best)
            best = 2 * size / (milliseconds * 1e6f);
    }
    CHECK_CUDA(cudaFree(memory));
    return best;
}

/* Hands in COUNT values as the result NAME. By hand, prints them. */
static inline void lab_result(struct lab *lab, const char *name, enum lab_type type,
                              const void *values, int count)
{
    if (lab->result) {
        lab_write(lab->result, name, type, values, count);
        return;
    }
    printf("%s", name);
    for (int i = 0; i < count && i < 8; ++i) {
        if (type == LAB_INT)
            printf(" %d", ((const int *)values)[i]);
        else if (type == LAB_U64)
            printf(" %llu", (unsigned long long)((const uint64_t *)values)[i]);
        else if (type == LAB_BYTE)
            printf(" %d", ((const unsigned char *)values)[i]);
        else {
            double v = type == LAB_FLOAT ? ((const float *)values)[i] : ((const double *)values)[i];
            printf(v == floor(v) && fabs(v) < 1e15 ? " %.0f" : " %g", v);
        }
    }
    printf("%s\n", count > 8 ? " ..." : "");
}

/* Ends the lab: `return lab_close(&lab);` is main()'s last line. */
static inline int lab_close(struct lab *lab)
{
    if (!lab->result)
        return 0;
    if (lab->repeats > 0) {
        float rate = lab_option(lab, "--copy-rate") ? lab_copy_rate(lab) : 0;
        /* leave out the first round, which only warms up */
        lab_write(lab->result, "milliseconds", LAB_FLOAT, lab->times + 1, lab->repeats);
        lab_write(lab->result, "copy_gb_per_s", LAB_FLOAT, &rate, 1);
    }
    if (fclose(lab->result) != 0)
        lab_fail("cannot write the result file", NULL);
    return 0;
}

#endif
