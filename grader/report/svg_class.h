/* The plots of a class as SVG: figures stand beside every bar and point, so that nothing is said by colour
 * alone, and on paper all can be read. Colours follow the reader's light or dark scheme (report.css). */
#ifndef REPORT_SVG_CLASS_H
#define REPORT_SVG_CLASS_H

#include "report/class_totals.h"
#include "report/markup.h"

/* A histogram of BINS, which are shares of the full score. ID: unique on the page; TITLE: whose scores. */
void report_svg_scores(struct markup *m, const char *id, const char *title,
                       const unsigned bins[CLASS_BINS]);

/* The mean score of each attempt over its number, for those who made it. */
void report_svg_trend(struct markup *m, const char *id, const char *title,
                      const struct class_trend trend[CLASS_ATTEMPTS]);

/* A bar as wide as 100 %, in parts as long as OUTCOMES. */
void report_svg_outcomes(struct markup *m, const struct class_check *check);

#endif
