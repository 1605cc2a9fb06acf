/* What the benchmark has measured, and how it is shown: a table, JSON, a chart. */
#ifndef BENCH_H
#define BENCH_H

#include <assert.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define BENCH_MOST 32

/* What watches: nothing, counters, counters and memcheck, everything. */
enum { BENCH_SETTINGS = 4 };

struct bench_row {
    const char *title;
    double instructions;              /* of warps, in one launch */
    double one_core[BENCH_SETTINGS];  /* CPU seconds of a launch */
    double all_cores[BENCH_SETTINGS]; /* seconds by the clock */
    double oclgrind, pocl;            /* seconds by the clock; Oclgrind's for as much work */
};

/* The same kernel on N x N elements: cost should grow with the work, and memory with the data alone. */
struct bench_size {
    int n;
    double instructions;
    double counting[2], everything[2]; /* CPU seconds on one core, seconds by the clock on all */
    double mebibytes[2];               /* of the process at its largest: counting, everything */
};

void bench_print_head(long cores);
void bench_print(const struct bench_row *row);
void bench_print_sizes(const struct bench_size *sizes, int count, long cores);

struct bench_results {
    const struct bench_row *rows;
    const struct bench_size *sizes;
    int row_count, size_count;
};
/* Writes OUT.json and OUT.svg; false, with a message, if that fails. */
bool bench_write(const struct bench_results *results, const char *out);

#endif
