/* A verdict is a check's report about the submission. Each check has one verdict, which the check's
 * first failure decides. */
#ifndef CHECKS_VERDICT_H
#define CHECKS_VERDICT_H

#include <stdbool.h>

#include "checks/slice.h"

#define CHECK_MESSAGE_SIZE 600

struct check;

struct verdict {
    /* "failed", "crashed", "timeout" or "no-result", or NULL if none of these has happened */
    const char *status;
    char message[CHECK_MESSAGE_SIZE];
    char failed_case[160]; /* describes the case that failed, or "" if there is none */
    bool advised;          /* HINT is about this failure, so it replaces the check's own hint */
    char hint[400];
    const char *own_hint;            /* replaces the hint that the check declares, or NULL */
    char broken[CHECK_MESSAGE_SIZE]; /* why the grader failed, or "" if it did not */
    /* fraction of the check's points that the submission earns, from 0 to 1 */
    double share;
    bool guessed; /* MESSAGE names a mistake that leads to exactly this wrong result */
    bool measured;
    double value; /* value of the figure, if measured */

    /* Details that the report shows in addition to the message: */
    char note[300];    /* shown with any status; "" if there is none */
    char printed[600]; /* the last lines of the program's output in its last run, or "" */
    char file[256];    /* the file of a source line, or "" if there is none */
    unsigned line;     /* line number, from 1, or 0 if unknown */
    unsigned column;   /* column number, from 1, or 0 if unknown */
    /* numbers of other lines that may belong to the mistake */
    unsigned also[SLICE_MOST], also_count;
    /* if LINE is 0, the name of the kernel whose launch the report shows, or "" */
    char kernel[200];
    char cause[400];     /* the reason for the waste in LINE, or "" if it is unknown */
    char loss_case[160]; /* describes the input with which CAUSE and SPARE were found */
    /* the cost of LINE without the waste, and the points that the check would then give, or "" */
    char spare[200];
};

/* Returns true as long as neither the submission nor the grader has failed. */
bool check_is_open(const struct check *check);

/* Returns true if the figure has been measured and earns nothing. A refusal would then only hide
 * it. */
bool check_is_lost(const struct check *check);

/* Reports that the submission has failed. STATUS is a status of struct verdict. */
void check_fail(struct check *check, const char *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the hint for the failure that was just reported, because the check's own hint is about wrong
 * answers. */
void check_advise(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* If the check has failed, makes the message say that the result depends on the order of warps.
 * Call this after a run with warps in the other order. */
void check_blame_order(struct check *check);

/* Appends text to the message of the failure that was just reported. */
void check_add(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports that the grader has failed, so there will be no grade. The first call decides. */
void check_break(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes the report show a source line, if FILE is the student's file. */
void check_point_at(struct check *check, const char *file, unsigned line, unsigned column);
/* Returns whether FILE is the student's file. */
bool check_is_own_file(const struct check *check, const char *file);

/* Gives the points that VALUE, the check's figure, earns according to its budget. */
void check_value(struct check *check, double value);

#endif
