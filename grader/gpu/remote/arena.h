/* The server's side of memory that is shared with the program: one memory file. Each lent range
 * has some of its pages. See wire.h. The program can write into the file at any time, but cannot
 * shrink it. If the program sends a false place, it gets another of its own pages, or none. */
#ifndef GPU_REMOTE_ARENA_H
#define GPU_REMOTE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_range {
    uint64_t addr; /* the device's address of the range */
    uint8_t *pages;
    size_t page_count;
    uint64_t head, fresh, tail; /* places in the file; WIRE_NO_PAGE: no such page */
    uint64_t fresh_count;       /* pages */
};

struct arena {
    int file; /* -1 until a range is added */
    uint64_t size, most;
    struct arena_range *ranges;
    size_t count;
};

/* MOST: the bytes that may be lent at a time, in whole pages; 0: 16 GiB. Pages take memory only
 * when touched. */
void arena_open(struct arena *arena, uint64_t most);
void arena_close(struct arena *arena);

/* Maps pages for SIZE bytes that begin IN_PAGE bytes into the first page. HEAD and TAIL are the
 * places of the first and the last page if the file has them already. *FRESH is the place of the
 * other pages, all zeros. NULL: the call failed. */
uint8_t *arena_add(struct arena *arena, uint64_t addr, uint64_t size, uint64_t in_page,
                   uint64_t head, uint64_t tail, uint64_t *fresh);
/* Forgets the range at ADDR, if it exists, and gives back pages that no other range uses. */
void arena_remove(struct arena *arena, uint64_t addr);

#endif
