/* Writes the class page, for the instructor. It shows labs, distribution of scores, checks, where
 * points were lost, what needs review, similar submissions, and scores over attempts. */
#ifndef REPORT_CLASS_HTML_H
#define REPORT_CLASS_HTML_H

#include <jansson.h>
#include <stdio.h>

/* Writes the page of CLASS (lanewise/class/v1). The same document gives the same bytes. */
void report_class_html(FILE *to, const json_t *class);

#endif
