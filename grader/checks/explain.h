/* Why a run failed: verdicts from how its processes ended and from what the emulator found. Each
 * does nothing if all is well, or if the check has failed already. */
#ifndef CHECKS_EXPLAIN_H
#define CHECKS_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>

#include "sandbox/process.h"

struct check;

/* By how the device's process ended. */
void check_explain_device(struct check *check, struct process_outcome *device);

/* By the findings in the record. An error costs the check, whatever the answer: it explains a wrong
 * one, so this comes before the answer is judged. PROGRAM's last line is shown where it says more.
 * */
void check_explain_findings(struct check *check, const json_t *record,
                            struct process_outcome *program);

/* Explains a failure from the way the program's process ended. SECONDS is its time limit. */
void check_explain_end(struct check *check, struct process_outcome *program, int seconds);

/* The check has failed by a wrong answer, and RECORD is of the run that looked for the cause: reports
 * the errors that it found. False: none. */
bool check_explain_wrong(struct check *check, const json_t *record);

/* Keeps the last lines that the program printed, to show them if the check fails. They decide
 * nothing. */
void check_keep_printed(struct check *check, const struct process_outcome *outcome);

#endif
