/* Keeps track of the memory that the program shares with the device's process (see wire.h): which
 * pages of the program are in the shared file, and at which offset in it. The caller serialises the
 * calls. */
#ifndef GPU_REMOTE_LEND_H
#define GPU_REMOTE_LEND_H

#include <stdbool.h>
#include <stdint.h>

/* The fields of the client's request to share SIZE bytes at HOST. */
struct lend_plan {
    uintptr_t first;  /* address of the first page in the program */
    uint64_t pages;   /* number of pages that contain bytes of the range */
    uint64_t in_page; /* offset of the range in the first page */
    /* file offsets of the first and last page, or WIRE_NO_PAGE if that page is not shared yet */
    uint64_t head, tail;
};
struct lend_plan lend_plan(void *host, uint64_t size);

/* Moves those pages of PLAN that are not shared yet into FILE, at offset FRESH. If KEEP is true,
 * copies their contents. ADDR is the range's device address. Returns false on failure, and then
 * leaves the pages unchanged. */
bool lend_begin(const struct lend_plan *plan, uint64_t addr, int file, uint64_t fresh, bool keep);

/* Makes the pages of the range at device address ADDR private again, except pages that another
 * range uses. Does nothing if no range has this address. */
void lend_end(uint64_t addr);

#endif
