/* Shows a result on a terminal, or as plain text in a pipe. */
#ifndef REPORT_RESULT_TERMINAL_H
#define REPORT_RESULT_TERMINAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* True if FILE is a terminal that shows colours and the user has not asked for none. */
bool report_wants_colour(FILE *file);

/* Writes one lanewise/result/v1. The text is for a student: what is right, what is not, on which
 * line, and what to try; only what went wrong is longer than a line. */
void report_result_terminal(FILE *to, const json_t *result, bool colour);

/* Writes what there is to say about one of its checks, as plain lines: what went wrong, where, and what to
 * try. Nothing if all is well. */
void report_check_plain(FILE *to, const json_t *check);

/* Writes the last line after several results, from a lanewise/results/v1. */
void report_total_terminal(FILE *to, const json_t *results, bool colour);

/* Writes TEXT in lines of at most 100 columns, each behind MARGIN. */
void report_folded(FILE *to, const char *margin, const char *text);

#endif
