/* One grading as one HTML page: score, checks, findings, pictures of the costliest lines, the source with
 * its counters, and what it was graded with.
 *
 * The page needs no network and no script, and forbids both to itself. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>

#include "report/markup.h"

struct report_page {
    const char *source; /* the submission's text */
    const char *date;   /* as it shall be shown; "" leaves it out */
    const char
        *part; /* of a page of several gradings: ids begin with it. NULL: it has just this one */
};

/* Writes the page of RESULT (lanewise/result/v1). The same arguments give the same bytes. */
void report_html(FILE *to, const json_t *result, const struct report_page *page);

/* --- for pages of other kinds ------------------------------------------------------------------------- */

/* All up to the body's first element, and from its last on. */
void report_html_begin(struct markup *m, const char *title);
void report_html_end(struct markup *m);
/* Checks, findings, pictures, source and environment of RESULT, a section each. */
void report_html_sections(struct markup *m, const json_t *result, const struct report_page *page);

#endif
