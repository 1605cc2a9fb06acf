/* Draws a run's predicted times, as one page with all pictures or as one picture. */
#ifndef REPORT_PREDICTED_HTML_H
#define REPORT_PREDICTED_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes a page about DOCUMENT (lanewise/run/v1) of PROGRAM. The page shows the roofline of all
 * kernels, and for each kernel the limits and the occupancy of its longest launch. The page needs
 * no network and no scripts. Returns false if no launch has a prediction. */
bool report_predicted_html(FILE *to, const json_t *document, const char *program);

/* Writes one SVG: PICTURE (REPORT_LIMITS, ...) of the kernel whose launch takes longest, or the
 * roofline of all kernels. Returns false if no launch has a prediction. */
bool report_predicted_svg(FILE *to, const json_t *document, unsigned picture);

#endif
