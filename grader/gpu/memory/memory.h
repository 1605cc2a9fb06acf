/* Device memory: live and freed allocations, and whether a range lies inside one.
 *
 * Device addresses start high enough that a host pointer is never one of them, go up with each
 * allocation and are not reused, with a gap between neighbours: a stray index or a stale pointer
 * meets no one else's data and can be named. Only memory that the program lends (page-locked memory
 * and managed memory) keeps the host's address. */
#ifndef GPU_MEMORY_MEMORY_H
#define GPU_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Generic addresses: two windows for the spaces that belong to a CTA or a lane, then global. */
#define MEM_SHARED_WINDOW 0x01000000ull
#define MEM_LOCAL_WINDOW  0x02000000ull
#define MEM_CODE_WINDOW   0x03000000ull /* function pointers: 16 apart, in the module's order */
#define MEM_WINDOW_BYTES  0x01000000ull
#define MEM_GLOBAL_BASE   0x200000000000ull

/* The upper half of the shared window holds what the CTAs of a cluster have, by rank, for all of them; the
 * lower one what the CTA itself has. A rank from MEM_CLUSTER_CTAS - 1 on is none. */
#define MEM_CLUSTER_BEGIN 0x00800000u
#define MEM_CLUSTER_STEP  0x00040000u /* more than a CTA has */
#define MEM_CLUSTER_CTAS  32u

static inline bool mem_in_window(uint64_t addr, uint64_t window)
{
    return addr - window < MEM_WINDOW_BYTES;
}

/* What is known of each byte, if anybody asks. */
enum mem_mark {
    MEM_WRITTEN, /* it holds a value. Without a map all bytes do */
    MEM_MADE, /* a kernel wrote it last, or it was cleared: no value of the host's. Without a map none */
    MEM_MARKS
};

/* A place in the program's source; file NULL: unknown. */
struct mem_place {
    char *file;
    uint32_t line;
};

struct mem_block {
    uint64_t addr, size;
    uint8_t *host;                /* NULL once freed */
    bool is_constant;             /* a .const variable or parameters: kernels may not write it */
    bool is_lent;                 /* its bytes are the program's own: see mem_lend() */
    bool is_guest;                /* and so is its address */
    const char *name;             /* of a variable, or NULL; owned by the module */
    uint8_t *marks[MEM_MARKS];    /* a bit for each byte; NULL: no map */
    bool whole[MEM_MARKS];        /* known that all are set, as after a copy that fills the block */
    bool is_heap;                 /* what malloc() in kernels gives out: see heap.h */
    struct mem_place made, freed; /* by the program, if it was told */
};

struct memory {
    struct mem_block *blocks; /* by address */
    uint32_t count, room;
    uint32_t lent;              /* blocks that the program may write beside a kernel */
    uint64_t next, used, limit; /* next free address; bytes */
    uint64_t poison;
    uint64_t
        layout; /* grows as blocks come, go and move: pointers to them are good as long as it stays */
    bool tracks[MEM_MARKS]; /* of blocks that are allocated from now on */
};

void mem_init(struct memory *memory, uint64_t limit, uint64_t poison);
void mem_close(struct memory *memory);

/* A new block of SIZE > 0 bytes, zeroed or poisoned; NULL when over the limit or out of memory.
 * The pointer is good until the next call. */
struct mem_block *mem_alloc(struct memory *memory, uint64_t size);
/* Makes a new block all zeros, where it is not: pages that nobody has touched stay so. */
void mem_zero(const struct memory *memory, struct mem_block *block);
/* All bytes of the block count as written, from now on. */
void mem_trust(struct mem_block *block);
/* SIZE bytes at ADDR, all in one block, have this mark, or not. Those at TO have the marks of those at
 * FROM. */
void mem_mark(const struct memory *memory, enum mem_mark mark, uint64_t addr, uint64_t size,
              bool marked);
void mem_copy_marks(const struct memory *memory, uint64_t to, uint64_t from, uint64_t size);
/* Of SIZE bytes from AT on in the block: the first without the mark, or SIZE. There is a map. */
uint64_t mem_first_unmarked(const struct mem_block *block, enum mem_mark mark, uint64_t at,
                            uint64_t size);
/* Remembers a place of the program; FILE is copied, and forgotten when memory is out. */
void mem_set_place(struct mem_place *place, const char *file, uint32_t line);
/* False if no live block begins at ADDR. */
bool mem_free(struct memory *memory, uint64_t addr);

/* Lets SIZE > 0 bytes of the program at HOST be the memory at ADDR. Where a live block of that size
 * begins, it moves there with what it holds; otherwise ADDR must be free and lie outside what the
 * device gives out. False if not, or when memory is out. */
bool mem_lend(struct memory *memory, uint64_t addr, uint8_t *host, uint64_t size);

/* The block, live or freed, whose range or the gap behind it holds ADDR; NULL below the first. */
struct mem_block *mem_nearest(const struct memory *memory, uint64_t addr);
/* The block whose bytes, live or freed, lie nearest to ADDR; NULL if there is none. */
struct mem_block *mem_closest(const struct memory *memory, uint64_t addr);
/* Whether ADDR, outside of all live blocks, is in the gap behind one. A GPU maps memory by large pages, so it
 * lets pass who goes a little too far. */
bool mem_is_gap(const struct memory *memory, uint64_t addr);
/* Where the bytes of the range lie on the host; NULL unless all are inside one live block. */
uint8_t *mem_range(const struct memory *memory, uint64_t addr, uint64_t size);

#endif
