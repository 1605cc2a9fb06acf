/* Adds up and prints the predicted times of a kernel's launches. */
#ifndef REPORT_RUN_PREDICTED_H
#define REPORT_RUN_PREDICTED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct report_predicted {
    const char *title; /* the chip's name, or NULL if no launch has a prediction */
    bool measured;     /* the chip's parameters were measured on such a chip */
    uint64_t launches;
    double us, low_us, high_us; /* times of all launches together */
    /* predicted times of all launches if each access had the ideal number of sectors (of
     * wavefronts) */
    double sectors_us, wavefronts_us;
    const json_t *longest; /* the longest launch */
    /* number of launches without a predicted time, and the reason for the first of them, or NULL */
    uint64_t unknown;
    const json_t *gap;
    double longest_us;
};

/* Adds LAUNCH of a lanewise/run/v1 document, which must live as long as PREDICTED. */
void report_predicted_add(struct report_predicted *predicted, const json_t *launch);

/* Prints the predicted times. Also draws the longest launch, as the pictures in the set DRAWN
 * (report/predicted.h). */
void report_predicted_print(FILE *to, const struct report_predicted *predicted, unsigned drawn,
                            bool colour);

/* Prints the predicted time of the whole program, if DOCUMENT has it. */
void report_timeline_print(FILE *to, const json_t *document);

#endif
