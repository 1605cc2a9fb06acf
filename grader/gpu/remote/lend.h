/* The program's side of memory that it shares with the device's process: it knows which pages
 * are in the file that both map. See wire.h. The caller serialises the calls. */
#ifndef GPU_REMOTE_LEND_H
#define GPU_REMOTE_LEND_H

#include <stdbool.h>
#include <stdint.h>

/* What the client sends to the server so that SIZE bytes at HOST can be shared. */
struct lend_plan {
    uintptr_t first;     /* address of the first page */
    uint64_t pages;      /* all pages that the range touches */
    uint64_t in_page;    /* start of the range in the first page */
    uint64_t head, tail; /* places of pages that are shared already, or WIRE_NO_PAGE */
};
struct lend_plan lend_plan(void *host, uint64_t size);

/* Moves the plan's other pages into FILE, at place FRESH; KEEP copies their contents. False: the
 * pages stay as they are. ADDR is the device's address of the range. */
bool lend_begin(const struct lend_plan *plan, uint64_t addr, int file, uint64_t fresh, bool keep);

/* Makes the pages of the range at ADDR private again, except those that another range needs.
 * Does nothing if no range has this address. */
void lend_end(uint64_t addr);

#endif
