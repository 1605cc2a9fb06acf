/* A grading in the forms that learning systems read. Each form has one writer, in a file of its own; the
 * table of them is in format.c.
 *
 *   gradescope   results.json of a Gradescope autograder
 *   autolab      the last two lines of an Autolab autograder's output
 *   classroom50  result.json, classroom50/result/v1
 *   junit        JUnit's XML, which most CI servers show
 *   csv          one row a check
 *   json         the document itself (RESULTS.md)
 *
 * Text that a submission can influence is cleaned (base/text.h) and escaped by each writer. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What the receiving system has told about the submission. NULL: it has not. */
struct report_context {
    const char *classroom, *assignment, *assignment_type, *owner;
    const char *submission;                /* the name of its tag */
    const char *commit, *release, *review; /* addresses */
    const char *datetime, *graded_at;      /* "2026-11-21T18:30:00Z": handed in, and graded */
};

typedef void report_writer(FILE *to, const json_t *document, const struct report_context *context);

/* The writer of format NAME; NULL: there is none of that name. */
report_writer *report_format(const char *name);

/* Their names as text: "gradescope, autolab, ...". */
void report_format_names(char *text, size_t size);

/* DOCUMENT, a lanewise/result/v1 or lanewise/results/v1, as the format has it. */
report_writer report_gradescope, report_autolab, report_classroom50, report_junit, report_csv;

/* --- for the writers ---------------------------------------------------------------------------------- */

/* DOCUMENT's results as an array, a new reference: of one result, or of a set. */
json_t *report_results(const json_t *document);

/* "02-coalesce: exact sum", or, of a single result, "exact sum". */
json_t *report_check_name(const json_t *document, const json_t *result, const json_t *check);

/* What there is to say about CHECK, as plain text; for one that was not built, what the compiler said of
 * RESULT. To be freed; NULL when out of memory. */
char *report_check_feedback(const json_t *result, const json_t *check);

/* Writes TEXT as a field of a CSV file: quoted where it must be, and no spreadsheet takes it for a formula. */
void report_csv_field(FILE *to, const char *text);

#endif
