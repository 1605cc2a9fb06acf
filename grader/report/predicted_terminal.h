/* Draws pictures of a predicted time in characters, in at most 96 columns. */
#ifndef REPORT_PREDICTED_TERMINAL_H
#define REPORT_PREDICTED_TERMINAL_H

#include <stdio.h>

#include "report/predicted.h"

/* Draws a bar for each part that takes at least a hundredth of the time. */
void report_draw_limits(FILE *to, const struct report_prediction *p, bool colour);

/* Draws the launch under the chip's roofs. D, L and S are its FLOP (or instructions) per second,
 * placed at those per byte of DRAM, L2 and shared memory. */
void report_draw_roofline(FILE *to, const struct report_prediction *p, bool colour);

/* Draws the number of warps on the chip from the start of the launch to its end. */
void report_draw_waves(FILE *to, const struct report_prediction *p, bool colour);

#endif
