/* The causes of a result, as all reports show them: errors that the emulator found in checks that
 * lost points. grade/finding.c has decided them. */
#ifndef REPORT_CAUSE_H
#define REPORT_CAUSE_H

#include <jansson.h>
#include <stdbool.h>

/* The element of RESULT's causes that explains why CHECK lost points; NULL: none does. */
const json_t *report_cause_of(const json_t *result, const json_t *check);

/* Whether the message of CHECK is that of CAUSE. */
bool report_says_cause(const json_t *check, const json_t *cause);

/* "n = 5: the message; allocated here: line 88". The caller frees it. NULL when out of memory. */
char *report_cause_message(const json_t *cause);

/* "sums.cu:31: the message [race-shared]". The caller frees it. NULL when out of memory. */
char *report_cause_line(const json_t *cause);

/* The message of CHECK and, if it does not say so, the cause. The caller frees it. */
char *report_message(const json_t *result, const json_t *check);

/* What CAUSE costs: "3 checks lose 45 points by this error". The caller frees it. */
char *report_cause_cost(const json_t *cause);

/* The titles of the checks that CAUSE explains, separated by semicolons. The caller frees them. */
char *report_cause_checks(const json_t *result, const json_t *cause);

#endif
