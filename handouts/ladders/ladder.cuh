/* The code that all ladders share. A ladder is a program whose rungs do one job in different ways:
 *
 *     ./sumsq counts    each rung once, at a small size: for the emulator, which counts
 *     ./sumsq times     each rung at its real sizes, timed: for a GPU
 *     ./sumsq predict   each rung once, at one of its real sizes: for the emulator, which predicts its time
 *
 * Either way the program compares each result with the CPU's, and exits with an error if one is wrong. It
 * prints a table of rung, column and value, with tabs between them; facts.py adds it to the handouts' facts.
 *
 * A time is the median of 15 runs after 2 to warm up (fewer if a run is slow), each between two events, in
 * microseconds. Nothing is flushed in between: data up to the size of the L2 cache stay in it. The spread is
 * the difference between the slowest and the fastest run, in percent of the median. */
#ifndef LADDER_CUH
#define LADDER_CUH

#include "lab.h" // CHECK_CUDA

#define LADDER_WARM_UPS 2
#define LADDER_RUNS     15
#define LADDER_LEAST    5     /* the fewest runs of a rung, even if they are slow */
#define LADDER_ENOUGH   300e3 /* microseconds after which a rung ends, if it has LADDER_LEAST runs */

struct ladder {
    bool times, predicts; // started with "times", "predict"; otherwise with "counts"
    bool large;           // the sizes are those that are timed
    const char *suffix;   // ends the columns' names, to tell sizes apart
    const char *rung;     // the latest rung's name
    float median;         // the latest rung's time in microseconds
    cudaEvent_t begin, end;
};

static struct ladder ladder;

/* Marks the start of a rung in a record: later launches belong to this rung, up to the next mark. */
__global__ void ladder_rung_begins()
{
}

/* Adds a value to the latest rung. */
static void ladder_value(const char *column, double value)
{
    printf("%s\t%s%s\t%.10g\n", ladder.rung, column, ladder.suffix, value);
}

/* Adds a rate, in billions a second, for AMOUNT bytes or operations in each run. */
static void ladder_rate(const char *column, double amount)
{
    if (ladder.times)
        ladder_value(column, amount / 1e3 / ladder.median);
}

/* Later rungs have the size that WORDS describes; the names of their columns end in SUFFIX. */
static void ladder_size(const char *suffix, const char *words)
{
    ladder.suffix = suffix;
    printf("*\tsize%s\t%s\n", suffix, words);
}

static void ladder_open(int argc, char **argv)
{
    bool counts = argc == 2 && strcmp(argv[1], "counts") == 0;
    ladder.times = argc == 2 && strcmp(argv[1], "times") == 0;
    ladder.predicts = argc == 2 && strcmp(argv[1], "predict") == 0;
    ladder.large = ladder.times || ladder.predicts;
    ladder.suffix = "";
    if (!counts && !ladder.large) {
        fprintf(stderr, "usage: %s counts|times|predict\n", argv[0]);
        exit(LAB_EXIT_USAGE);
    }
    CHECK_CUDA(cudaEventCreate(&ladder.begin));
    CHECK_CUDA(cudaEventCreate(&ladder.end));
}

static int ladder_by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Returns the time of one run, in microseconds. */
template <typename Reset, typename Work> static float ladder_once(Reset reset, Work work)
{
    float milliseconds = 0;
    reset();
    CHECK_CUDA(cudaEventRecord(ladder.begin));
    work();
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(ladder.end));
    CHECK_CUDA(cudaEventSynchronize(ladder.end));
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, ladder.begin, ladder.end));
    return milliseconds * 1000;
}

template <typename Reset, typename Work> static void ladder_time(Reset reset, Work work)
{
    float times[LADDER_RUNS], total = 0;
    int runs = 0;
    for (int i = 0; i < LADDER_WARM_UPS; ++i)
        ladder_once(reset, work);
    while (runs < LADDER_RUNS && (runs < LADDER_LEAST || total < LADDER_ENOUGH))
        total += times[runs++] = ladder_once(reset, work);
    qsort(times, runs, sizeof *times, ladder_by_value);
    ladder.median = times[runs / 2];
    ladder_value("time", ladder.median);
    ladder_value("spread", 100 * (times[runs - 1] - times[0]) / ladder.median);
}

/* Runs one rung. Calls RESET before each WORK, untimed. IS_RIGHT checks the result. */
template <typename Reset, typename Work, typename IsRight>
static void ladder_rung(const char *rung, const char *title, Reset reset, Work work,
                        IsRight is_right)
{
    ladder.rung = rung;
    printf("%s\ttitle%s\t%s\n", rung, ladder.suffix, title);
    if (ladder.times) {
        ladder_time(reset, work);
    } else {
        reset();
        ladder_rung_begins<<<1, 1>>>();
        work();
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    if (!is_right()) {
        fprintf(stderr, "the result of \"%s\" is wrong\n", rung);
        exit(1);
    }
}

/* --- memory ------------------------------------------------------------------------------------- */

template <typename T> static T *ladder_alloc(size_t count)
{
    T *memory;
    CHECK_CUDA(cudaMalloc(&memory, count * sizeof(T)));
    return memory;
}

template <typename T> static T *ladder_upload(const T *values, size_t count)
{
    T *memory = ladder_alloc<T>(count);
    CHECK_CUDA(cudaMemcpy(memory, values, count * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <typename T> static void ladder_download(T *to, const T *from, size_t count)
{
    CHECK_CUDA(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

/* Returns whether COUNT values on the device equal those of RIGHT, bit by bit. */
template <typename T> static bool ladder_same(const T *device, const T *right, size_t count)
{
    T *values = (T *)malloc(count * sizeof(T));
    ladder_download(values, device, count);
    bool same = memcmp(values, right, count * sizeof(T)) == 0;
    free(values);
    return same;
}

/* Returns the sum of COUNT values on the device. */
template <typename T> static T ladder_sum(const T *device, size_t count)
{
    T *values = (T *)malloc(count * sizeof(T)), sum = 0;
    ladder_download(values, device, count);
    for (size_t i = 0; i < count; ++i)
        sum += values[i];
    free(values);
    return sum;
}

/* N ints from 0 to 7, in no particular order. The caller frees them. */
static int *ladder_ints(size_t n)
{
    int *values = (int *)malloc((n + 1) * sizeof *values);
    for (size_t i = 0; i < n; ++i)
        values[i] = (unsigned)i * 2654435761u >> 29;
    return values;
}

#endif
