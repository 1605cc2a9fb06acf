/* Implements the program's side of memory that it shares with the device's process (see wire.h).
 * Keeps track of the program's pages that are in the shared file. A page's place is its offset in
 * that file. The caller serialises the calls. */
#ifndef GPU_REMOTE_LEND_H
#define GPU_REMOTE_LEND_H

#include <stdbool.h>
#include <stdint.h>

/* The data that the client sends to the server to share SIZE bytes at HOST. */
struct lend_plan {
    uintptr_t first;  /* address of the first page */
    uint64_t pages;   /* number of pages that the range touches */
    uint64_t in_page; /* offset of the range in the first page */
    /* places of the first and last page, or WIRE_NO_PAGE for a page that is not shared yet */
    uint64_t head, tail;
};
struct lend_plan lend_plan(void *host, uint64_t size);

/* Moves the plan's pages that are not shared yet into FILE, at place FRESH. If KEEP is true, copies
 * their contents. ADDR is the range's device address. On failure returns false and leaves the pages
 * unchanged. */
bool lend_begin(const struct lend_plan *plan, uint64_t addr, int file, uint64_t fresh, bool keep);

/* Makes the pages of the range at ADDR private again, except those that another range needs.
 * Does nothing if no range has this address. */
void lend_end(uint64_t addr);

#endif
