/* Adds up a run's counters by kernel and by source line. The functions are pure. */
#ifndef REPORT_RUN_TOTALS_H
#define REPORT_RUN_TOTALS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/counters.h"
#include "report/run_predicted.h"

#define REPORT_OCCUPANCIES 4

/* All launches of one kernel. The document owns the strings. */
struct report_kernel {
    const char *name;
    /* the status of the first launch that failed, or NULL if no launch failed */
    const char *failed;
    uint64_t launches;
    unsigned grid[3], block[3]; /* sizes of the first launch */
    bool sizes_differ;          /* a later launch has another size */
    /* The first REPORT_OCCUPANCIES different occupancies, each with its number of launches.
     * Launches with other occupancies are only counted. */
    struct report_occupancy {
        /* warps on a multiprocessor, and the largest number that a multiprocessor can hold */
        unsigned warps, most;
        unsigned registers; /* estimated number per thread */
        const char *limit;  /* the resource that limits the occupancy, such as "registers" */
        unsigned block[3];
        uint64_t launches;
    } occupancies[REPORT_OCCUPANCIES];
    size_t occupancy_count;
    uint64_t other_launches; /* number of launches with other occupancies */
    struct emu_counters counters;
    struct report_predicted predicted;
};

/* One source line, added up over all kernels. */
struct report_line {
    const char *file;
    unsigned number;
    uint64_t waste; /* sectors and wavefronts beyond the ideal, and divergent branches */
    struct emu_counters counters;
};

struct report_totals {
    struct report_kernel *kernels; /* in the order of their first launches */
    size_t kernel_count;
    /* sorted by waste, then by warp instructions (largest first), then by file and line */
    struct report_line *lines;
    size_t line_count;
    const char *rules;  /* the counting rules of the first launch (gpu/rules.h) */
    bool unknown_lines; /* kernels were executed, but no source line is known */
};

/* Adds up DOCUMENT (lanewise/run/v1), which must live as long as TOTALS. */
void report_add_up(const json_t *document, struct report_totals *totals);
/* Adds up LINES, a result's "lines", which all belong to FILE. TOTALS then has no kernels. */
void report_add_up_lines(const json_t *lines, const char *file, struct report_totals *totals);
void report_totals_free(struct report_totals *totals);

/* Returns the waste in COUNTERS: sectors and wavefronts beyond the ideal, and divergent
 * branches. */
uint64_t report_waste(const struct emu_counters *counters);

#endif
