/* Prints a line of source in the style of a compiler's message: the line, under it a caret and the
 * cause, then advice and the line's lowest possible cost. */
#ifndef REPORT_FINDING_TERMINAL_H
#define REPORT_FINDING_TERMINAL_H

#include <jansson.h>
#include <stdio.h>

/* Writes the source line of OBJECT, a finding or the place of a check, with a caret and NOTE, which
 * may be NULL. Also writes the other lines in OBJECT's "also". SOURCE is the text of the line
 * (LENGTH bytes). */
void report_snippet(FILE *to, const json_t *object, const char *source, size_t length,
                    const char *note);

/* Writes OBJECT, which is a finding or the place of a check: its "line", "column", "cause", "help",
 * "spare" and "share" (record/losses.h), if present. SOURCE is the text of the line (LENGTH bytes),
 * or NULL if it is unknown. */
void report_place(FILE *to, const json_t *object, const char *source, size_t length);

#endif
