/* Computes the heat of each line of a source file, which is the line's share of the file's cost.
 * The functions are pure (no side effects).
 *
 * The cost of a line is the sum of its warp instructions, sectors of global memory and wavefronts
 * of shared memory. These are not equally expensive, but the line with the highest cost is the
 * first to improve. */
#ifndef REPORT_HEAT_H
#define REPORT_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "report/run_totals.h"

#define REPORT_HEAT_LEVELS 6 /* level 0: was not executed; levels 1 to 5: from cool to hot */

struct report_heat {
    const struct report_line *line; /* NULL if the line was not executed */
    uint64_t cost;
    double share; /* share of the cost of all lines of the file, 0 to 1 */
    unsigned level;
};

/* Fills HEAT[0] to HEAT[COUNT - 1], for the lines 1 to COUNT of FILE, from TOTALS. */
void report_heat(const struct report_totals *totals, const char *file, struct report_heat *heat,
                 size_t count);

/* Returns the number of lines in TEXT. */
size_t report_line_count(const char *text);

#endif
