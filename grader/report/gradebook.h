/* The gradebook: a class as CSV, one row per student, for spreadsheets and learning systems. */
#ifndef REPORT_GRADEBOOK_H
#define REPORT_GRADEBOOK_H

#include <jansson.h>
#include <stdio.h>

/* Writes CLASS, a lanewise/class/v1. The columns: id, name, points of each lab, total, maximum,
 * late days, and the names of the labs that are missing, too late, or in review. A lab without a
 * grade yet is empty; a missing or late one is 0. The total is empty until a student has a grade.
 * Columns "pending", "by_hand" and "excused" follow if any lab has that status. The same class
 * gives the same bytes. */
void report_gradebook(FILE *to, const json_t *class);

#endif
