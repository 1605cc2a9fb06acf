/* Pictures as SVG: of one recorded access, and of a source file whose lines are shaded by what they cost.
 *
 * Nothing is said by colour alone: what matters also differs in pattern, outline or label. Colours follow
 * the reader's light or dark scheme. Each picture has a title, a description for those who do not see it
 * and a caption with its figures. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/run_totals.h"

struct report_picture {
    const char *id;                  /* unique on the page: letters and digits */
    const char *file;                /* as the student calls it */
    const char *source;              /* text of the file, or NULL */
    const char *source_file;         /* for the heat: the file's name in the totals */
    bool inlined;                    /* in a page, which has the style once */
    const struct emu_counters *line; /* of all accesses by the line, for the caption; or NULL */
};

/* Draws ACCESS, one of a run's "accesses" (record/record.h): which lane touches which sector of global
 * memory, or which bank of shared memory in which pass. */
void report_svg_access(FILE *to, const json_t *access, const struct report_picture *picture);

/* Draws the source, which must be there, with a bar beside each line: its share of the cost of all lines of
 * the file in TOTALS, and what it wastes. */
void report_svg_heat(FILE *to, const struct report_totals *totals,
                     const struct report_picture *picture);

/* The style sheet that inlined pictures need. */
extern const char report_svg_style[];

#endif
