/* Adds up the counters of each source line over all runs of a grading. For each line, also keeps
 * the access that wastes most (cost minus ideal cost). record/record.h describes the elements of
 * both arrays. */
#ifndef RECORD_LINES_H
#define RECORD_LINES_H

#include <jansson.h>

/* FROM is the "lines" member of a launch. Adds it to LINES, an array of {"line", "counters"} sorted
 * by line. If FILE_NAME is not NULL, adds only lines of files with that name, in any folder. */
void record_add_lines(json_t *lines, const json_t *from, const char *file_name);

/* Adds FROM to ACCESSES, which has at most RECORD_ACCESSES elements. If two accesses on a line
 * waste the same, the first is kept. */
void record_add_accesses(json_t *accesses, const json_t *from, const char *file_name);

#endif
