/* Writes a grading in the formats that learning systems read. The writer of each format is in its
 * own file; format.c lists all writers.
 *
 *   gradescope   results.json of a Gradescope autograder
 *   autolab      the last two lines of an Autolab autograder's output
 *   classroom50  result.json, classroom50/result/v1
 *   junit        JUnit's XML, which most CI servers show
 *   csv          one row for each check
 *   json         the document itself (RESULTS.md)
 *   lines        findings as gcc's messages, for editors
 *
 * Each writer cleans (base/text.h) and escapes all text that a submission can influence. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What the learning system knows about the submission. A member is NULL if it is unknown. */
struct report_context {
    const char *classroom, *assignment, *assignment_type, *owner;
    const char *submission;                /* the name of the git tag */
    const char *commit, *release, *review; /* URLs */
    /* the times of the hand-in and of the grading, such as "2026-11-21T18:30:00Z" */
    const char *datetime, *graded_at;
};

typedef void report_writer(FILE *to, const json_t *document, const struct report_context *context);

/* Returns the writer of format NAME, or NULL. */
report_writer *report_format(const char *name);

/* Writes the names of all formats: "gradescope, autolab, ...". */
void report_format_names(char *text, size_t size);

/* The writers. Each of them writes DOCUMENT, a lanewise/result/v1 or lanewise/results/v1, in its
 * format. */
report_writer report_gradescope, report_autolab, report_classroom50, report_junit, report_csv,
    report_lines;

/* --- for the writers -------------------------------------------------------------------------- */

/* Returns the results in DOCUMENT, which is one result or a set of results, as an array. The array
 * is a new reference. */
json_t *report_results(const json_t *document);

/* Returns the name of CHECK: "02-coalesce: exact sum" if DOCUMENT is a set, "exact sum" if it is
 * one result. */
json_t *report_check_name(const json_t *document, const json_t *result, const json_t *check);

/* Returns the feedback on CHECK as plain text, or the compiler's messages if the submission was not
 * built. The caller frees it. Returns NULL when out of memory. */
char *report_check_feedback(const json_t *result, const json_t *check);

/* Writes TEXT as a field of a CSV file. Quotes the field if needed, and makes sure that a
 * spreadsheet does not read it as a formula. */
void report_csv_field(FILE *to, const char *text);

#endif
