/* Writes all labs as a table, with one row for each lab:
 *
 *     lab             points   progress    best             title
 *     01-parallelize  60/100   ######....  75, 2026-11-21   From one thread to a grid
 *     02-coalesce     30/100   ###.......  30, 2026-11-20   Neighbouring threads ... (after 01)
 */
#ifndef REPORT_PROGRESS_TERMINAL_H
#define REPORT_PROGRESS_TERMINAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct report_progress {
    FILE *to;
    bool colour;
    int width;              /* number of characters in the longest name of a lab */
    const json_t *progress; /* lanewise/progress/v1, or NULL for no column "best" */
};

void report_progress_head(const struct report_progress *page);
/* Writes one row from a lanewise/result/v1. NEEDS are the labs that the student should do
 * before. */
void report_progress_row(const struct report_progress *page, const json_t *result,
                         const json_t *needs);

#endif
