/* Draws pictures of a predicted time in characters, in at most 96 columns. */
#ifndef REPORT_PREDICTED_TERMINAL_H
#define REPORT_PREDICTED_TERMINAL_H

#include <stdio.h>

#include "report/predicted.h"

/* Draws a bar for each part that takes at least 1 % of the predicted time. */
void report_draw_limits(FILE *to, const struct report_prediction *p, bool colour);

/* Draws the chip's roofs and the launch. The marks D, L and S show the launch's FLOP (or warp
 * instructions) per second over its FLOP (or instructions) per byte of DRAM, L2 and shared
 * memory. */
void report_draw_roofline(FILE *to, const struct report_prediction *p, bool colour);

/* Draws the number of warps on the chip from the start of the launch to its end. */
void report_draw_waves(FILE *to, const struct report_prediction *p, bool colour);

#endif
