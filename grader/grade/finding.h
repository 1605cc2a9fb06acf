/* Composes the findings and the causes of a result, which report/RESULTS.md describes. */
#ifndef GRADE_FINDING_H
#define GRADE_FINDING_H

#include "grade/edits.h"
#include "grade/result.h"

/* Adds FOUND, a finding of a record, to the result. If the result already has the same finding,
 * only adds FOUND's count to it. */
void grade_add_finding(struct grade_result *result, const json_t *found);

/* If VERDICT says which finding made the check fail, adds the check to the cause of this finding.
 * CHECK is the check's element in the result. Does nothing if the message of an earlier check
 * already explains the mistake, because a report would show the cause above this message. */
void grade_add_cause(struct grade_result *result, const json_t *verdict, const json_t *check);
/* Each of the edits FOUND makes the checks with the ids REPAIRED pass. If the result has a cause
 * for one of these checks, adds the edits as this cause's advice. If an edit is sure, replaces the
 * cause's message. If there is no cause, adds the line of the first edit as the first cause. */
void grade_add_repair(struct grade_result *result, const struct found_edits *found,
                      const json_t *repaired);
/* If a finding reports that a kernel uses an uninitialised variable, adds a cause at the variable's
 * declaration, or where it is used if the declaration cannot be determined. The cause costs the
 * points of all failed checks that belong to no cause yet and have no figure. */
void grade_add_unset(struct grade_result *result);

/* Copies the members NAMES of FROM that are non-empty strings to INTO, cleaned for display. NULL
 * ends NAMES. */
void grade_copy_texts(json_t *into, const json_t *from, const char *const *names);

/* Adds to PLACE the source lines whose numbers are in ALSO, with their text, for the report. */
void grade_add_lines(const struct grade_result *result, json_t *place, const json_t *also);

/* --- hint.c ----------------------------------------------------------------------------------- */

/* Adds a hint of the lab to each cause that affects only one of the lab's tasks. Does so only if
 * the hint quotes code of the lines that the report shows; another hint may be about another
 * mistake. */
void grade_add_hints(const struct grade_result *result);

#endif
