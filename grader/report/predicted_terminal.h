/* Draws pictures of a predicted time in characters, in at most 96 columns. */
#ifndef REPORT_PREDICTED_TERMINAL_H
#define REPORT_PREDICTED_TERMINAL_H

#include <stdio.h>

#include "report/predicted.h"

/* Draws a bar for each part that takes at least 1 % of the predicted time. */
void report_draw_limits(FILE *to, const struct report_prediction *p, bool colour);

/* Draws the chip's roofs and the launch. The launch has a mark for each kind of memory: D for DRAM,
 * L for L2, and S for shared memory. A mark shows FLOP (or warp instructions) per second over FLOP
 * (or instructions) per byte that this memory moves. */
void report_draw_roofline(FILE *to, const struct report_prediction *p, bool colour);

/* Draws the number of warps on the chip from the start of the launch to its end. */
void report_draw_waves(FILE *to, const struct report_prediction *p, bool colour);

#endif
