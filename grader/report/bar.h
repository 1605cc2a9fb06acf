/* Shows the progress of long work. On a terminal, redraws a bar with the rate and the time left. In
 * a file or a pipe, writes only a few lines, without the bar.
 *
 *     [########............]  120 of 300, 64 a minute, 2 min 49 s left, 3 to review */
#ifndef REPORT_BAR_H
#define REPORT_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct report_bar {
    FILE *to;
    bool terminal;
    size_t total;
    double start; /* the time, in seconds, when the work began */
    size_t shown; /* number of lines already written; on a terminal 0 or 1 */
};

/* Starts a bar on TO for TOTAL units of work. NOW is the current time, in seconds. */
struct report_bar report_bar_begin(FILE *to, size_t total, double now);
/* Shows that DONE units of work have ended. FAILED of them failed and need a review. */
void report_bar_show(struct report_bar *bar, size_t done, size_t failed, double now);
/* Ends the line. */
void report_bar_end(struct report_bar *bar);

/* Writes the text without the bar: "120 of 300, 64 a minute, ...". */
void report_bar_text(char *text, size_t size, size_t done, size_t total, size_t failed,
                     double seconds);

#endif
