/* Prints a source line in the style of a compiler's message: the line, a caret and the cause under
 * it, then advice, and the lowest possible cost of the line. */
#ifndef REPORT_FINDING_TERMINAL_H
#define REPORT_FINDING_TERMINAL_H

#include <jansson.h>
#include <stdio.h>

/* Writes the source line of OBJECT, which is a finding or the place of a check, with a caret and
 * NOTE (may be NULL). Also writes the lines in OBJECT's "also". SOURCE is the text of the line
 * (LENGTH bytes). */
void report_snippet(FILE *to, const json_t *object, const char *source, size_t length,
                    const char *note);

/* Writes OBJECT, which is a finding or the place of a check: its members "line", "column", "cause",
 * "help", "spare" and "share" (record/losses.h), if they exist. SOURCE is the text of the line
 * (LENGTH bytes), or NULL if it is unknown. */
void report_place(FILE *to, const json_t *object, const char *source, size_t length);

#endif
