/* Implements the server's side of memory that is shared with the program (see wire.h). The memory
 * is one memory file. Each lent range consists of pages of this file. A page's place is its offset
 * in the file. The program can write into the file at any time, but cannot shrink it. A program
 * that sends a wrong place gets a different page that also belongs to it, or no page. */
#ifndef GPU_REMOTE_ARENA_H
#define GPU_REMOTE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_range {
    uint64_t addr; /* the range's device address */
    uint8_t *pages;
    size_t page_count;
    uint64_t head, fresh, tail; /* places in the file (see arena_add()) */
    uint64_t fresh_count;       /* number of pages from place FRESH on */
};

struct arena {
    int file; /* -1 until a range is added */
    uint64_t size, most;
    struct arena_range *ranges;
    size_t count;
};

/* Opens an arena. MOST is the number of bytes that can be lent at the same time, in whole pages, or
 * 0 for 16 GiB. A page takes memory only when it is touched. */
void arena_open(struct arena *arena, uint64_t most);
void arena_close(struct arena *arena);

/* Maps pages for SIZE bytes that begin IN_PAGE bytes into the first page. HEAD and TAIL are the
 * places of the first and the last page if the file has these pages already, otherwise
 * WIRE_NO_PAGE. *FRESH becomes the place of all other pages, which are zeroed. Returns NULL if the
 * call failed. */
uint8_t *arena_add(struct arena *arena, uint64_t addr, uint64_t size, uint64_t in_page,
                   uint64_t head, uint64_t tail, uint64_t *fresh);
/* Removes the range at ADDR, if it exists, and frees the pages that no other range uses. */
void arena_remove(struct arena *arena, uint64_t addr);

#endif
