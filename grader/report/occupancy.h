/* Writes the output of `lanewise occupancy`: the occupancy of a kernel for one or all compute
 * capabilities, as text or as curves, and the table of limits. */
#ifndef REPORT_OCCUPANCY_H
#define REPORT_OCCUPANCY_H

#include <stdio.h>

#include "gpu/occupancy.h"

/* Prints the occupancy, the resource that limits it, and what to change to fit one more block. */
void report_occupancy(FILE *to, const struct emu_limits *limits, const struct emu_demand *demand);

/* Prints the occupancy for all capabilities, with one line for each. */
void report_occupancy_all(FILE *to, const struct emu_demand *demand);

/* Draws three curves as SVG: the number of warps on a multiprocessor as a function of the threads
 * per block, the registers per thread, and the bytes of shared memory per block. Marks the values
 * in DEMAND. */
void report_svg_occupancy(FILE *to, const struct emu_limits *limits,
                          const struct emu_demand *demand);

/* Prints all limits and features of one capability. */
void report_limits(FILE *to, const struct emu_limits *limits);

/* Prints the limits of all capabilities as tables, and the first capability that has each
 * feature. */
void report_limits_all(FILE *to);

#endif
