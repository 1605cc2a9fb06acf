/* Writes the page for one student: the points of each lab, then each lab's grading as in
 * report_html(). */
#ifndef REPORT_HTML_STUDENT_H
#define REPORT_HTML_STUDENT_H

#include <jansson.h>
#include <stdio.h>

/* Writes the page of STUDENT, a lanewise/student/v1 (RESULTS.md). SOURCES has the text of each
 * graded source, by lab. The same arguments give the same bytes. */
void report_html_student(FILE *to, const json_t *student, const json_t *sources);

#endif
