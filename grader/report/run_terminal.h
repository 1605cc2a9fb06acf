/* Writes the report of `lanewise run`, with each kernel's counters, the most wasteful source lines,
 * and findings. */
#ifndef REPORT_RUN_TERMINAL_H
#define REPORT_RUN_TERMINAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define REPORT_ALL_LINES (~0u)

struct report_run_options {
    bool colour;
    bool lines_asked;    /* --lines or --all was given: also show lines that waste nothing */
    unsigned line_limit; /* the maximum number of lines, or REPORT_ALL_LINES */
    unsigned drawn;      /* pictures of predicted times, as a set of REPORT_LIMITS, ... */
};

/* Writes the report of DOCUMENT (lanewise/run/v1) to TO. All launches of a kernel appear as one
 * entry with the sum of their counters. */
void report_run_terminal(FILE *to, const json_t *document,
                         const struct report_run_options *options);

#endif
