/* Writes one grading as one HTML page: score, checks, findings, pictures of the costliest lines,
 * the source with its counters, and the versions of the tools.
 *
 * The page needs no network and no scripts; its content security policy forbids both. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>

#include "report/markup.h"

struct report_page {
    const char *source; /* the submission's text */
    const char *date;   /* the date that the page shows, or "" if there is none */
    /* address of a page that steps through the program, or NULL if there is none */
    const char *steps;
    const char *prefix; /* prefix of ids on a page of several gradings, otherwise NULL */
};

/* Writes the page of RESULT (lanewise/result/v1). The same arguments give the same bytes. */
void report_html(FILE *to, const json_t *result, const struct report_page *page);

/* --- for other pages -------------------------------------------------------------------------- */

/* Writes the sections of RESULT: checks, findings, pictures, source and environment. */
void report_html_sections(struct markup *m, const json_t *result, const struct report_page *page);

/* --- html_frame.c: the frame of any page ------------------------------------------------------ */

/* Returns the style sheet of reports. */
const char *report_html_style(void);
/* Writes everything before the first element of the body. */
void report_html_begin(struct markup *m, const char *title);
/* Writes everything after the last element of the body. */
void report_html_end(struct markup *m);

#endif
