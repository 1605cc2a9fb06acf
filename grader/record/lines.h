/* Source lines over all runs of a grading: the sums of their counters, and of each line the access
 * that cost most beyond its ideal. Elements are those of a run's record (record/record.h). */
#ifndef RECORD_LINES_H
#define RECORD_LINES_H

#include <jansson.h>

/* Adds FROM, a launch's "lines", to LINES, an array of {"line", "counters"} sorted by line.
 * FILE_NAME: only lines of files with that name, in any folder; NULL: all. */
void record_add_lines(json_t *lines, const json_t *from, const char *file_name);

/* Adds FROM to ACCESSES, at most RECORD_ACCESSES of them. Of equally costly accesses it keeps the
 * first. */
void record_add_accesses(json_t *accesses, const json_t *from, const char *file_name);

#endif
