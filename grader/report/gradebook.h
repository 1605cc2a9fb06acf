/* The gradebook: a class as CSV, one row a student, as spreadsheets and learning systems read it. */
#ifndef REPORT_GRADEBOOK_H
#define REPORT_GRADEBOOK_H

#include <jansson.h>
#include <stdio.h>

/* Writes CLASS, a lanewise/class/v1: id and name, the points of each lab, their total and what was possible,
 * late days, and the names of the labs that are missing, came too late, and must be reviewed. A lab that has no grade
 * yet is empty, one that is missing or too late 0; so is the total of who has no grade yet at all. An
 * unfinished class has one column more, of the labs that are still to be graded. The same class gives the same
 * bytes. */
void report_gradebook(FILE *to, const json_t *class);

#endif
