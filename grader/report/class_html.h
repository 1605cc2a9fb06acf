/* A class as one HTML page, for its instructor: how the scores lie, what each check found, where points
 * were lost, what a human must look at, which submissions are nearly the same, how scores grow. */
#ifndef REPORT_CLASS_HTML_H
#define REPORT_CLASS_HTML_H

#include <jansson.h>
#include <stdio.h>

/* Writes the page of CLASS (lanewise/class/v1). The same document gives the same bytes. */
void report_class_html(FILE *to, const json_t *class);

#endif
