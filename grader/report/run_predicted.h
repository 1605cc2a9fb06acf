/* The predicted times of a kernel's launches, added up and printed. */
#ifndef REPORT_RUN_PREDICTED_H
#define REPORT_RUN_PREDICTED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct report_predicted {
    const char *title; /* the chip's name; NULL: no launch has a prediction */
    bool measured;     /* the chip's parameters were measured on that chip */
    uint64_t launches;
    double us, low_us, high_us;       /* times of all launches together */
    double sectors_us, wavefronts_us; /* times if they touched the fewest sectors, or took the
                                       * fewest wavefronts */
    const char *limit;                /* the part that limits the longest launch */
    const json_t *longest;            /* prediction of the longest launch */
    const json_t *lines;              /* source lines of the longest launch */
    double longest_us;
};

/* Adds LAUNCH of a lanewise/run/v1 document, which must live as long as PREDICTED. */
void report_predicted_add(struct report_predicted *predicted, const json_t *launch);
void report_predicted_print(FILE *to, const struct report_predicted *predicted);

/* Prints the predicted time of the whole program, if DOCUMENT has it. */
void report_timeline_print(FILE *to, const json_t *document);

/* Writes TIME, in microseconds, with three digits and a unit: "7.12 us", "36.2 ms". Returns
 * TEXT. */
const char *report_time(char text[32], double time);

#endif
