/* Draws pictures of predicted times as SVG. Like the pictures of svg.h, they follow the reader's
 * light or dark scheme, have a description for screen readers, and are readable without colour. */
#ifndef REPORT_SVG_PREDICTED_H
#define REPORT_SVG_PREDICTED_H

#include <stdbool.h>
#include <stdio.h>

#include "report/predicted.h"

#define REPORT_MOST_POINTS 8 /* maximum number of launches in a roofline, each shown as a point */

/* The properties of a picture. ID is unique on the page, and has only letters and digits. INLINED
 * is true if the page already contains report_svg_predicted_style. */
struct report_drawing {
    const char *id;
    bool inlined;
};

/* Draws the roofs of the chip, and COUNT launches under them. A launch has a mark for each kind of
 * memory that it uses. If there are several launches, they are numbered. */
void report_svg_roofline(FILE *to, const struct report_prediction *launches, unsigned count,
                         const struct report_drawing *drawing);

/* Draws a bar for each part of the predicted time, and marks the part that limits the launch. */
void report_svg_limits(FILE *to, const struct report_prediction *p,
                       const struct report_drawing *drawing);

/* Draws the number of warps on the chip over the launch's time. */
void report_svg_waves(FILE *to, const struct report_prediction *p,
                      const struct report_drawing *drawing);

/* Draws the work (copies and kernels) in TIMELINE, a member of a run's document (record/record.h),
 * over time. There is a row for each engine, and a row for the host's own copies of pageable
 * memory. Draws only the first REPORT_MOST_PIECES copies and kernels. */
#define REPORT_MOST_PIECES 400
void report_svg_timeline(FILE *to, const json_t *timeline, const struct report_drawing *drawing);

extern const char report_svg_predicted_style[];

#endif
