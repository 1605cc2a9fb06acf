/* The class page while it is being written. class_html.c writes the page, and class_similar.c its
 * section about similar submissions. */
#ifndef REPORT_CLASS_PAGE_H
#define REPORT_CLASS_PAGE_H

#include <jansson.h>

#include "report/class_totals.h"
#include "report/markup.h"

struct class_page {
    struct markup m;
    const json_t *class;
    struct class_totals totals;
};

/* --- class_html.c ----------------------------------------------------------------------------- */

unsigned class_percent(double part, double whole);
void class_open_section(struct markup *m, const char *id, const char *title);
/* Opens a table that scrolls, and writes its head. COLUMNS are separated by "|". */
void class_open_table(struct class_page *page, const char *class, const char *columns);
void class_close_table(struct class_page *page);

/* --- class_similar.c -------------------------------------------------------------------------- */

void class_put_similar(struct class_page *page);

#endif
