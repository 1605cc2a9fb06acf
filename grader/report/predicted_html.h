/* Writes the pictures of a run's predicted times, as one page or as one picture. */
#ifndef REPORT_PREDICTED_HTML_H
#define REPORT_PREDICTED_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes a page about DOCUMENT (lanewise/run/v1) of PROGRAM. It shows the roofline of all kernels,
 * and for each kernel the limit of its longest launch and the occupancy of the chip. The page needs
 * no network and no scripts. Returns false if no launch has a prediction. */
bool report_predicted_html(FILE *to, const json_t *document, const char *program);

/* Writes one SVG: PICTURE (REPORT_LIMITS, ...) of the kernel whose launch takes longest, or the
 * roofline of all kernels. Returns false if no launch has a prediction. */
bool report_predicted_svg(FILE *to, const json_t *document, unsigned picture);

#endif
