/* Device memory: live and freed allocations, and whether a range is inside one.
 *
 * Device addresses start so high that no host pointer is among them. They go up with each
 * allocation and are not reused, and there is a gap between neighbours. So a stray index or a
 * stale pointer never hits another allocation's data, and a finding can name the allocation that
 * was meant. Only memory that the program lends (page-locked memory and managed memory) keeps
 * the host's address. */
#ifndef GPU_MEMORY_MEMORY_H
#define GPU_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Generic addresses: windows for shared memory, local memory and code, then global memory. */
#define MEM_SHARED_WINDOW 0x01000000ull
#define MEM_LOCAL_WINDOW  0x02000000ull
#define MEM_CODE_WINDOW   0x03000000ull /* function pointers: 16 apart, in the module's order */
#define MEM_WINDOW_BYTES  0x01000000ull
#define MEM_GLOBAL_BASE   0x200000000000ull

/* The lower half of the shared window is the CTA's own shared memory. The upper half has the
 * shared memory of each CTA of the cluster, by rank, at the same addresses for all of them.
 * Ranks from MEM_CLUSTER_CTAS - 1 on are invalid. */
#define MEM_CLUSTER_BEGIN 0x00800000u
#define MEM_CLUSTER_STEP  0x00040000u /* more shared memory than a CTA has */
#define MEM_CLUSTER_CTAS  32u

static inline bool mem_in_window(uint64_t addr, uint64_t window)
{
    return addr - window < MEM_WINDOW_BYTES;
}

/* Marks that a block can keep for each of its bytes. */
enum mem_mark {
    MEM_WRITTEN,     /* the byte holds a value; without a map every byte does */
    MEM_FROM_KERNEL, /* last written by a kernel or cleared, not by the host; without a map: none */
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
    bool is_lent;                 /* its bytes belong to the program: see mem_lend() */
    bool keeps_address;           /* lent at the host's own address */
    const char *name;             /* of a variable, or NULL; owned by the module */
    uint8_t *marks[MEM_MARKS];    /* a bit for each byte; NULL: no map */
    bool whole[MEM_MARKS];        /* known to be all set, as after a copy that fills the block */
    uint64_t width, pitch;        /* of rows, in bytes; 0: it was not made for rows */
    bool is_heap;                 /* the heap of malloc() in kernels: see heap.h */
    struct mem_place made, freed; /* in the program's source, if known */
};

struct memory {
    struct mem_block *blocks; /* in address order */
    uint32_t count, room;
    uint32_t lent;              /* blocks that the program may write while a kernel runs */
    uint64_t next, used, limit; /* next free address; bytes in use; their limit */
    uint64_t poison;
    uint64_t layout;        /* grows when blocks come, go or move: pointers to them expire */
    bool tracks[MEM_MARKS]; /* the marks that blocks allocated from now on keep */
};

void mem_init(struct memory *memory, uint64_t limit, uint64_t poison);
void mem_close(struct memory *memory);

/* A new block of SIZE > 0 bytes, zeroed or poisoned; NULL when over the limit or out of memory.
 * The pointer is valid until `layout` changes. */
struct mem_block *mem_alloc(struct memory *memory, uint64_t size);
/* Zeroes a new block. Only a poisoned one needs work: other pages are zero and stay untouched. */
void mem_zero(const struct memory *memory, struct mem_block *block);
/* From now on all bytes of the block count as written. */
void mem_assume_written(struct mem_block *block);
/* mem_mark() sets or clears (MARKED) the mark of SIZE bytes at ADDR, all in one block.
 * mem_copy_marks() copies all marks of SIZE bytes from FROM to TO. */
void mem_mark(const struct memory *memory, enum mem_mark mark, uint64_t addr, uint64_t size,
              bool marked);
void mem_copy_marks(const struct memory *memory, uint64_t to, uint64_t from, uint64_t size);
/* The first of SIZE bytes from AT on that lacks the mark, or SIZE. The block has a map. */
uint64_t mem_first_unmarked(const struct mem_block *block, enum mem_mark mark, uint64_t at,
                            uint64_t size);
/* The first one that has the mark, or SIZE. */
uint64_t mem_first_marked(const struct mem_block *block, enum mem_mark mark, uint64_t at,
                          uint64_t size);
/* Gives a lent block a map of the mark, with all bytes unmarked. If memory is out, it has none. */
void mem_track_lent(const struct memory *memory, enum mem_mark mark, struct mem_block *block);
/* Sets a place in the program's source. FILE is copied; when memory is out, it stays unknown. */
void mem_set_place(struct mem_place *place, const char *file, uint32_t line);
/* Frees a block. False if no live block begins at ADDR. */
bool mem_free(struct memory *memory, uint64_t addr);

/* Makes SIZE > 0 bytes of the program at HOST the memory at ADDR. If a live block of that size
 * begins there, its contents move to HOST. Otherwise ADDR must be unused and outside the
 * addresses that mem_alloc() hands out. False if it is not, or when memory is out. */
bool mem_lend(struct memory *memory, uint64_t addr, uint8_t *host, uint64_t size);

/* The last block, live or freed, that begins at or before ADDR; NULL: there is none. */
struct mem_block *mem_block_at(const struct memory *memory, uint64_t addr);
/* The block, live or freed, whose bytes are nearest to ADDR; NULL: there is none. */
struct mem_block *mem_closest(const struct memory *memory, uint64_t addr);
/* Whether ADDR, which is in no live block, is in the gap after one. A GPU maps memory in large
 * pages, so an access a little past the end does not fault there. */
bool mem_is_gap(const struct memory *memory, uint64_t addr);
/* The host address of the range; NULL unless all of it is inside one live block. */
uint8_t *mem_range(const struct memory *memory, uint64_t addr, uint64_t size);

#endif
