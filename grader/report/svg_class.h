/* Draws the plots of a class as SVG. Every bar and point has a label with its number, so that the
 * plots are also readable without colour, such as on paper. Colours follow the reader's light or
 * dark scheme (report.css). */
#ifndef REPORT_SVG_CLASS_H
#define REPORT_SVG_CLASS_H

#include "report/class_totals.h"
#include "report/markup.h"

/* Draws a histogram of scores. ID is unique on the page; TITLE names the lab. */
void report_svg_scores(struct markup *m, const char *id, const char *title,
                       const unsigned bins[CLASS_BINS]);

/* Draws a curve of the mean scores of attempts 1, 2, and so on. Each mean includes only the
 * students who made that attempt. */
void report_svg_trend(struct markup *m, const char *id, const char *title,
                      const struct class_trend trend[CLASS_ATTEMPTS]);

/* Draws a bar of full width, divided in proportion to the check's outcomes. */
void report_svg_outcomes(struct markup *m, const struct class_check *check);

#endif
