/* What a check reports about the submission. A check has one verdict: the first failure decides it.
 * */
#ifndef CHECKS_VERDICT_H
#define CHECKS_VERDICT_H

#include <stdbool.h>

#define CHECK_MESSAGE_SIZE 600

struct check;

struct verdict {
    const char *status; /* "failed", "crashed", "timeout" or "no-result"; NULL: none of these yet */
    char message[CHECK_MESSAGE_SIZE];
    char failed_case[160]; /* describes the case that failed; "" none */
    bool advised;          /* HINT is about this failure; false: the check's own hint is shown */
    char hint[400];
    char broken[CHECK_MESSAGE_SIZE]; /* why the grader failed; "" if it did not */
    double share;                    /* of the check's points that the submission earns: 0 to 1 */
    bool measured;
    double value; /* the figure's, if measured */

    /* What the report shows beside the message. */
    char note[300];      /* whatever the status; "" none */
    char printed[600];   /* the last lines that the program printed in its last run; "" none */
    char file[256];      /* a source line; "" none */
    unsigned line;       /* from 1; 0: unknown */
    unsigned column;     /* from 1; 0: unknown */
    char kernel[200];    /* without a line: the kernel whose launch is shown; "" none */
    char cause[400];     /* why that line costs so much; "" unknown */
    char loss_case[160]; /* the run in which CAUSE and SPARE were found */
    char spare[200];     /* what that line would cost and earn if it were ideal; "" unknown */
};

/* True until the submission or the grader has failed. */
bool check_is_open(const struct check *check);

/* The figure has been measured and earns nothing: a refusal would only hide it. */
bool check_is_lost(const struct check *check);

/* The submission has failed. STATUS is one of those above. */
void check_fail(struct check *check, const char *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the hint for the failure just reported. The check's own hint is about wrong answers. */
void check_advise(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* After a run with warps in the other order: the failure, if there is one, is about that order. */
void check_blame_order(struct check *check);

/* Adds to the message of the failure just reported. */
void check_add(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The grader has failed: there will be no grade. The first call decides. */
void check_break(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Has the report show a source line, if FILE is the student's. */
void check_point_at(struct check *check, const char *file, unsigned line, unsigned column);
/* Whether FILE is the student's. */
bool check_is_own_file(const struct check *check, const char *file);

/* Judges VALUE, the check's figure, by its budget. */
void check_value(struct check *check, double value);

#endif
