/* The program's side of memory that it shares with the device's process: which of its pages lie in
 * the file that both have mapped. See wire.h. Calls are serialised by the caller. */
#ifndef GPU_REMOTE_LEND_H
#define GPU_REMOTE_LEND_H

#include <stdbool.h>
#include <stdint.h>

/* What to ask the server for, so that SIZE bytes at HOST can be shared. */
struct lend_plan {
    uintptr_t first;     /* address of the first page */
    uint64_t pages;      /* all that the range touches */
    uint64_t in_page;    /* where the range begins in the first */
    uint64_t head, tail; /* places in the file of pages that are shared already; or WIRE_NO_PAGE */
};
struct lend_plan lend_plan(void *host, uint64_t size);

/* Moves the plan's other pages into FILE, where they are at FRESH, with what they hold if KEEP.
 * False: they stay as they are. ADDR is the device's name for the range. */
bool lend_begin(const struct lend_plan *plan, uint64_t addr, int file, uint64_t fresh, bool keep);

/* Makes the pages of the range at ADDR, if it is one, the program's own again, but for those that
 * another range needs. */
void lend_end(uint64_t addr);

#endif
