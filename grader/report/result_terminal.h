/* Shows a result as text, on a terminal or in a file or pipe. */
#ifndef REPORT_RESULT_TERMINAL_H
#define REPORT_RESULT_TERMINAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns true if FILE is a terminal with colours, and the user has not turned them off. */
bool report_wants_colour(FILE *file);

/* Writes one lanewise/result/v1 for a student: what is right, what is wrong and on which line, and
 * what to try. A passed check takes one line. */
void report_result_terminal(FILE *to, const json_t *result, bool colour);

/* Writes CHANGE, the text of progress_change() about the last grading. DIFFERENCE is the number of
 * points gained. */
void report_change_terminal(FILE *to, const char *change, double difference, bool colour);

/* Writes the feedback on one check of RESULT as plain lines: what went wrong, why and where, and
 * what to try. Writes nothing for a check that passed. */
void report_check_plain(FILE *to, const json_t *result, const json_t *check);

/* Writes the total of a lanewise/results/v1. */
void report_total_terminal(FILE *to, const json_t *results, bool colour);

/* Writes TEXT in lines of at most 100 columns, each starting with MARGIN. */
void report_folded(FILE *to, const char *margin, const char *text);

#endif
