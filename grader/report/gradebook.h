/* Writes the gradebook: a class as CSV, with one row per student, for spreadsheets and learning
 * systems. */
#ifndef REPORT_GRADEBOOK_H
#define REPORT_GRADEBOOK_H

#include <jansson.h>
#include <stdio.h>

/* Writes CLASS, a lanewise/class/v1. The columns are: id, name, points of each lab, total, maximum,
 * late days, and the names of the labs that are missing, too late, or in review. The points of a
 * lab are empty if it has no grade yet, and 0 if it is missing or too late. A student's total is
 * empty until the student has a grade. The columns "pending", "by_hand" and "excused" appear only
 * if at least one lab has that status. The same class gives the same bytes. */
void report_gradebook(FILE *to, const json_t *class);

#endif
