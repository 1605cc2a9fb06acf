/* What source lines did, added up over the runs of a grading: their counters, and of each the access that
 * cost most beyond its ideal. Elements are those of a run's record (record/record.h). */
#ifndef RECORD_LINES_H
#define RECORD_LINES_H

#include <jansson.h>

/* Adds FROM, a launch's "lines", to LINES, an array of {"line", "counters"} in the order of the lines.
 * FILE_NAME: only lines of a file with that name, in whatever folder; NULL: all. */
void record_add_lines(json_t *lines, const json_t *from, const char *file_name);

/* The same for "accesses", at most RECORD_ACCESSES of them; the first of equals is kept. */
void record_add_accesses(json_t *accesses, const json_t *from, const char *file_name);

#endif
