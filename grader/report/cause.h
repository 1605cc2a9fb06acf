/* Describes the causes of a result as text, for all reports. A cause is an error that the emulator
 * found and that made checks lose points. grade/finding.c decides which errors are causes. */
#ifndef REPORT_CAUSE_H
#define REPORT_CAUSE_H

#include <jansson.h>
#include <stdbool.h>

/* Returns the element of RESULT's "causes" that explains why CHECK lost points, or NULL if there is
 * none. */
const json_t *report_cause_of(const json_t *result, const json_t *check);

/* Returns whether the message of CHECK already names CAUSE. */
bool report_says_cause(const json_t *check, const json_t *cause);

/* Returns the cause's message: "n = 5: the message; allocated here: line 88". The caller frees it.
 * Returns NULL when out of memory. */
char *report_cause_message(const json_t *cause);

/* Returns the cause as one line: "sums.cu:31: the message [race-shared]". The caller frees it.
 * Returns NULL when out of memory. */
char *report_cause_line(const json_t *cause);

/* Returns the message of CHECK, followed by its cause if the message does not name it. The caller
 * frees it. */
char *report_message(const json_t *result, const json_t *check);

/* Returns the points that CAUSE costs: "it costs 45 points in 3 checks". The caller frees it. */
char *report_cause_cost(const json_t *cause);

/* Returns the titles of the checks that CAUSE explains, separated by semicolons. The caller frees
 * them. */
char *report_cause_checks(const json_t *result, const json_t *cause);

#endif
