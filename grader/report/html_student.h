/* All that a student has handed in, as one HTML page to send back: points of each lab, then each lab's
 * grading as report_html() shows it. */
#ifndef REPORT_HTML_STUDENT_H
#define REPORT_HTML_STUDENT_H

#include <jansson.h>
#include <stdio.h>

/* Writes the page of STUDENT, a lanewise/student/v1 (RESULTS.md). SOURCES has the text of what was graded, by
 * lab. The same arguments give the same bytes. */
void report_html_student(FILE *to, const json_t *student, const json_t *sources);

#endif
