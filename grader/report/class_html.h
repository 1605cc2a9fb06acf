/* Writes the class page, for the instructor. It shows the labs, the distribution of scores, the
 * checks, the findings that cost points, the hand-ins that need review, similar submissions, and
 * the scores by attempt. */
#ifndef REPORT_CLASS_HTML_H
#define REPORT_CLASS_HTML_H

#include <jansson.h>
#include <stdio.h>

/* Writes the page of CLASS (lanewise/class/v1). The same document gives the same bytes. */
void report_class_html(FILE *to, const json_t *class);

#endif
