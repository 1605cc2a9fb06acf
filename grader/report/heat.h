/* The heat of a source file's lines: what share of the whole cost each has. Pure: no input, no output.
 *
 * A line's cost is one point for each warp instruction, each sector of global memory and each wavefront
 * of shared memory. They are not the same thing, but where they pile up is where to look. */
#ifndef REPORT_HEAT_H
#define REPORT_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "report/run_totals.h"

#define REPORT_HEAT_LEVELS 6 /* 0: nothing ran there; 1 to 5: the hotter the more */

struct report_heat {
    const struct report_line *line; /* NULL: nothing ran there */
    uint64_t cost;
    double share; /* of the cost of all lines of the file, 0 to 1 */
    unsigned level;
};

/* Fills HEAT[0] to HEAT[COUNT - 1], for the lines of FILE numbered from 1, from TOTALS. */
void report_heat(const struct report_totals *totals, const char *file, struct report_heat *heat,
                 size_t count);

/* How many lines TEXT has. */
size_t report_line_count(const char *text);

#endif
