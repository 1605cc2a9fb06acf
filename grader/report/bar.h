/* How far a long piece of work has come: on a terminal a bar that is drawn again and again, with the rate and
 * the time that is left; elsewhere a line now and then.
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
    double start; /* when work began, by any clock */
    size_t shown; /* of the last line, where it is no terminal */
};

/* Begins; TO is asked whether it is a terminal. */
struct report_bar report_bar_begin(FILE *to, size_t total, double now);
/* Tells that DONE are done, of which FAILED are to be reviewed. */
void report_bar_show(struct report_bar *bar, size_t done, size_t failed, double now);
/* Ends the line. */
void report_bar_end(struct report_bar *bar);

/* The text without the bar itself, "120 of 300, 64 a minute, ...". */
void report_bar_text(char *text, size_t size, size_t done, size_t total, size_t failed,
                     double seconds);

#endif
