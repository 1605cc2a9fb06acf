/* Explains why a run failed. Makes verdicts from the way in which its processes ended, and from the
 * emulator's findings. Each function does nothing if there is no failure, or if the check has
 * failed already. */
#ifndef CHECKS_EXPLAIN_H
#define CHECKS_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>

#include "sandbox/process.h"

struct check;
struct run;
struct run_limits;

/* Explains a failure from the way in which the device's process ended. LIMITS were its limits. */
void check_explain_device(struct check *check, struct process_outcome *device,
                          const struct run_limits *limits);

/* Explains a failure from the findings in RUN's record. An error makes the check fail even if the
 * answer is right. If the answer is wrong, an error is a better explanation than the wrong numbers,
 * so call this before the answer is judged. Shows the last line that PROGRAM printed, if it says
 * more. */
void check_explain_findings(struct check *check, const struct run *run,
                            struct process_outcome *program);

/* Explains a failure from the way in which the program's process ended. LIMITS were its limits. */
void check_explain_end(struct check *check, struct process_outcome *program,
                       const struct run_limits *limits);

/* Makes the check fail if its runs so far have together taken longer than LIMITS->check. */
void check_explain_total(struct check *check, const struct run_limits *limits);

/* Adds the cause of a wrong answer to a check that has failed: the errors in RECORD, the record of
 * a second run that searched for errors. Returns false if there are none. */
bool check_explain_wrong(struct check *check, const json_t *record);

/* Keeps the last lines of the program's output. Reports show them if the check fails; they do not
 * affect the points. */
void check_keep_printed(struct check *check, const struct process_outcome *outcome);

#endif
