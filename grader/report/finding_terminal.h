/* A place in a source file with what there is to say about it, as a good compiler prints it: the line,
 * marks under it with the cause, what to try, what it would cost if it were ideal. */
#ifndef REPORT_FINDING_TERMINAL_H
#define REPORT_FINDING_TERMINAL_H

#include <jansson.h>
#include <stdio.h>

/* Writes to TO what OBJECT, a finding or a check's place, has of "line", "column", "cause", "help",
 * "spare", "unit" and "share" (record/losses.h). SOURCE: the line itself, LENGTH bytes; NULL: unknown. */
void report_place(FILE *to, const json_t *object, const char *source, size_t length);

#endif
