/* Manages the memory that the server shares with the program (see wire.h). All of it is in one
 * memory file. Each shared range uses some pages of this file, which are identified by their
 * offsets in the file. The program can write into the file at any time, but cannot shrink it. A
 * program that sends a wrong offset receives another page of its own, or none. */
#ifndef GPU_REMOTE_ARENA_H
#define GPU_REMOTE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_range {
    uint64_t addr; /* the range's device address */
    uint8_t *pages;
    size_t page_count;
    /* offsets in the file of the first page, the new pages and the last page (see arena_add()) */
    uint64_t head, fresh, tail;
    uint64_t fresh_count; /* number of new pages, which are contiguous from offset FRESH on */
};

struct arena {
    int file; /* descriptor of the memory file; -1 until a range is added */
    uint64_t size, most;
    struct arena_range *ranges;
    size_t count;
};

/* Opens an arena in which at most MOST bytes, rounded to whole pages, can be shared at the same
 * time. If MOST is 0, the limit is 16 GiB. A page takes memory only after it has been accessed. */
void arena_open(struct arena *arena, uint64_t most);
void arena_close(struct arena *arena);

/* Maps pages for a range of SIZE bytes, which begins IN_PAGE bytes into its first page. HEAD and
 * TAIL are the file offsets of the first and the last page, or WIRE_NO_PAGE if that page is not in
 * the file yet. Sets *FRESH to the file offset of the new pages, which hold zeros. Returns NULL on
 * failure. */
uint8_t *arena_add(struct arena *arena, uint64_t addr, uint64_t size, uint64_t in_page,
                   uint64_t head, uint64_t tail, uint64_t *fresh);
/* Removes the range at ADDR, if it exists, and frees the pages that no other range uses. */
void arena_remove(struct arena *arena, uint64_t addr);

#endif
