/* The measurements of the benchmark, and their output: a table, JSON, a chart. */
#ifndef BENCH_H
#define BENCH_H

#include <assert.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define BENCH_MOST 32

/* The settings: no observers, counters, counters and memcheck, all observers. */
enum { BENCH_SETTINGS = 4 };

struct bench_row {
    const char *title;
    double instructions;              /* warp instructions of one launch */
    double one_core[BENCH_SETTINGS];  /* CPU seconds of a launch on one core */
    double all_cores[BENCH_SETTINGS]; /* wall-clock seconds of a launch on all cores */
    double oclgrind, pocl; /* wall-clock seconds; Oclgrind's are scaled up to the full problem */
};

/* The same kernel for N x N elements. Its time should grow with the work, but its memory only with
 * the data. */
struct bench_size {
    int n;
    double instructions;
    double counting[2], everything[2]; /* CPU seconds on one core, wall-clock seconds on all */
    double mebibytes[2];               /* maximum memory: with counters, with all observers */
};

void bench_print_head(long cores);
void bench_print(const struct bench_row *row);
void bench_print_sizes(const struct bench_size *sizes, int count, long cores);

struct bench_results {
    const struct bench_row *rows;
    const struct bench_size *sizes;
    int row_count, size_count;
};
/* Writes OUT.json and OUT.svg. If that fails, prints a message and returns false. */
bool bench_write(const struct bench_results *results, const char *out);

#endif
