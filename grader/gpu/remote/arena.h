/* The server's side of memory that is shared with the program: one file in memory, of whose pages
 * each lent range has some. See wire.h. The program can write into the file at any time, but not
 * shrink it; a false place names another page of its own, or none. */
#ifndef GPU_REMOTE_ARENA_H
#define GPU_REMOTE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_range {
    uint64_t addr; /* the device's name for it */
    uint8_t *pages;
    size_t page_count;
    uint64_t head, fresh, tail; /* places in the file; WIRE_NO_PAGE: no such page */
    uint64_t fresh_count;       /* pages */
};

struct arena {
    int file; /* -1 until a range was added */
    uint64_t size, most;
    struct arena_range *ranges;
    size_t count;
};

/* MOST: bytes that may be lent at a time, in whole pages; 0: 16 GiB. They are taken only when
 * touched. */
void arena_open(struct arena *arena, uint64_t most);
void arena_close(struct arena *arena);

/* Maps pages for SIZE bytes that begin IN_PAGE bytes into the first; HEAD and TAIL are places that
 * its first and last page have already. *FRESH is where the others are, all zeros. NULL: not
 * possible. */
uint8_t *arena_add(struct arena *arena, uint64_t addr, uint64_t size, uint64_t in_page,
                   uint64_t head, uint64_t tail, uint64_t *fresh);
/* Forgets the range at ADDR, if there is one: pages that no other range has are given back. */
void arena_remove(struct arena *arena, uint64_t addr);

#endif
