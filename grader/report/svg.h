/* Draws pictures as SVG: one recorded memory access, or a source file in which each line is shaded
 * by its cost.
 *
 * Things that differ in colour also differ in pattern, outline or label. Colours follow the
 * reader's light or dark scheme. Each picture has a title, a description for screen readers and a
 * caption with its numbers. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/run_totals.h"

struct report_picture {
    const char *id;          /* the picture's id, of letters and digits, unique on the page */
    const char *file;        /* the file's name, as the picture shows it */
    const char *source;      /* text of the file, or NULL */
    const char *source_file; /* the file's name in the totals, for the heat map */
    bool inlined;            /* the page already contains the style sheet */
    bool adds_runs;          /* LINE has totals of several runs, so the caption says so */
    /* totals of the line, for the caption, or NULL if there is none */
    const struct emu_counters *line;
};

/* Draws ACCESS, an element of a run's "accesses" (record/record.h). The picture shows which lane
 * accesses which sector of global memory, or which bank of shared memory in which pass. */
void report_svg_access(FILE *to, const json_t *access, const struct report_picture *picture);

/* Draws the source, which must not be NULL. A bar next to each line shows its share of the file's
 * cost in TOTALS, and a number shows its waste. */
void report_svg_heat(FILE *to, const struct report_totals *totals,
                     const struct report_picture *picture);

/* The style sheet that inlined pictures need. */
extern const char report_svg_style[];

#endif
