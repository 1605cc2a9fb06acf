/* Keeps the memory that the server shares with the program (see wire.h). All of it is in one memory
 * file. Each shared range uses some pages of this file; the place of a page is its offset in the
 * file. The program can write into the file at any time, but cannot shrink it. A program that sends
 * a wrong place gets another of its own pages, or none. */
#ifndef GPU_REMOTE_ARENA_H
#define GPU_REMOTE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_range {
    uint64_t addr; /* the range's device address */
    uint8_t *pages;
    size_t page_count;
    /* places of the first page, the new pages and the last page (see arena_add()) */
    uint64_t head, fresh, tail;
    uint64_t fresh_count; /* number of new pages, which follow one another from place FRESH */
};

struct arena {
    int file; /* descriptor of the memory file; -1 until a range is added */
    uint64_t size, most;
    struct arena_range *ranges;
    size_t count;
};

/* Opens an arena in which at most MOST bytes, rounded to whole pages, can be shared at the same
 * time. 0 stands for 16 GiB. A page takes memory only once it is touched. */
void arena_open(struct arena *arena, uint64_t most);
void arena_close(struct arena *arena);

/* Maps pages for a range of SIZE bytes, which begins IN_PAGE bytes into its first page. HEAD and
 * TAIL are the places of the first and the last page, or WIRE_NO_PAGE if the file does not have
 * that page yet. Sets *FRESH to the place of the new pages, which hold zeros. Returns NULL if this
 * fails. */
uint8_t *arena_add(struct arena *arena, uint64_t addr, uint64_t size, uint64_t in_page,
                   uint64_t head, uint64_t tail, uint64_t *fresh);
/* Removes the range at ADDR, if it exists, and frees the pages that no other range uses. */
void arena_remove(struct arena *arena, uint64_t addr);

#endif
