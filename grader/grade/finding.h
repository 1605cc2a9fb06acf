/* Composes the findings and the causes of a result, which report/RESULTS.md describes. */
#ifndef GRADE_FINDING_H
#define GRADE_FINDING_H

#include "grade/result.h"

/* Adds FOUND, a finding of a record, to the result. If the result has an equal finding, adds only
 * FOUND's count to it. */
void grade_add_finding(struct grade_result *result, const json_t *found);

/* Adds the check to the cause of a finding, if this finding caused the failure that VERDICT
 * reports. CHECK is the check's element in the result. Does nothing after a check whose message
 * names the mistake, because a cause is shown above all checks. */
void grade_add_cause(struct grade_result *result, const json_t *verdict, const json_t *check);
/* Adds the lab's own hint to causes that affect just one of its tasks, if the hint quotes code of
 * the lines that are shown. */
void grade_add_hints(const struct grade_result *result);

/* Copies those members NAMES (the last is NULL) of FROM that are non-empty strings, and cleans
 * them. */
void grade_copy_texts(json_t *into, const json_t *from, const char *const *names);

/* Adds to PLACE the lines whose numbers ALSO lists, with their text. */
void grade_add_lines(const struct grade_result *result, json_t *place, const json_t *also);

#endif
