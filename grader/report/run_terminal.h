/* What `lanewise run` prints: each kernel's counters, the source lines that waste most, findings. */
#ifndef REPORT_RUN_TERMINAL_H
#define REPORT_RUN_TERMINAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define REPORT_ALL_LINES (~0u)

struct report_run_options {
    bool colour;
    bool lines_asked;    /* also lines that waste nothing, most instructions first */
    unsigned line_limit; /* how many lines at most; REPORT_ALL_LINES */
};

/* Writes DOCUMENT (lanewise/run/v1, as record_read returns it) to TO. Launches of one kernel are
 * shown as one, their counters added. */
void report_run_terminal(FILE *to, const json_t *document,
                         const struct report_run_options *options);

#endif
