/* Lays out one memory access of a warp: finds the rows of its picture, and what the lanes touch in
 * each row. Global memory has a row for each 128-byte line, shared memory for each pass. The rules
 * are those of gpu/observe/traffic.h. */
#ifndef REPORT_ACCESS_LAYOUT_H
#define REPORT_ACCESS_LAYOUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_LANES 32u
#define LAYOUT_BANKS 32u
#define LAYOUT_ROWS  64u /* maximum number of rows */

/* An item is a location that lanes access: bytes of global memory, or a word of shared memory. */
struct layout_item {
    uint64_t at; /* offset in bytes >> `shift` */
    uint32_t lanes;
    /* row in the picture; half (0 or 1) of the warp, for 128-bit accesses to shared memory */
    unsigned row, half;
};

struct access_layout {
    bool shared;
    unsigned bytes, shift; /* bytes per lane, and log2 of the bytes per item */
    uint32_t mask;
    struct layout_item items[LAYOUT_LANES];
    unsigned item_count;
    /* for each row of global memory, the number of its 128-byte line; for each row of shared
     * memory, whether the pass is extra (0 or 1) */
    uint64_t row_at[LAYOUT_ROWS];
    unsigned row_count;
    unsigned sectors, ideal, ways;
};

/* ACCESS is an element of a run's "accesses" (record/record.h). */
void access_lay_out(struct access_layout *layout, const json_t *access);

#endif
