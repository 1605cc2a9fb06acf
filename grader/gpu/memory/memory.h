/* Manages device memory: keeps live and freed allocations (blocks), and finds out whether a range
 * is inside one of them.
 *
 * Host pointers are not device addresses. They are above all device addresses on x86-64 and on
 * arm64 with 48-bit addresses, and below them on arm64 with 39-bit addresses. Each allocation gets
 * a higher address than all earlier allocations, and there is a gap between neighbours. So an index
 * just out of bounds or a stale pointer never reaches another allocation's data, and a finding can
 * name the allocation that the kernel meant to access. There is one exception: memory that the
 * program lends to the device (page-locked memory and managed memory) can keep its host address. */
#ifndef GPU_MEMORY_MEMORY_H
#define GPU_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The layout of generic addresses. Shared memory, local memory and code each have a window of
 * MEM_WINDOW_BYTES. All addresses above the windows are in global memory. */
#define MEM_SHARED_WINDOW 0x01000000ull
#define MEM_LOCAL_WINDOW  0x02000000ull
/* pointers to functions are 16 bytes apart, in the order of the module's functions */
#define MEM_CODE_WINDOW  0x03000000ull
#define MEM_WINDOW_BYTES 0x01000000ull
#define MEM_GLOBAL_BASE  0x200000000000ull

/* The lower half of the shared window is the CTA's own shared memory. The upper half has the shared
 * memory of each CTA of the cluster, in the order of their ranks. An address in the upper half
 * means the same byte to all these CTAs. The place of rank MEM_CLUSTER_CTAS - 1 stands for all
 * invalid ranks. */
#define MEM_CLUSTER_BEGIN 0x00800000u
/* bytes in the window for each CTA; a CTA's shared memory is smaller */
#define MEM_CLUSTER_STEP 0x00040000u
#define MEM_CLUSTER_CTAS 32u

static inline bool mem_in_window(uint64_t addr, uint64_t window)
{
    return addr - window < MEM_WINDOW_BYTES;
}

#define MEM_MOST_CONSTANTS (1u << 30)

/* A mark is a flag of each byte in a block. A block's map of a mark has one bit for each byte. */
enum mem_mark {
    /* the byte has been written; if the block has no map, all bytes count as written */
    MEM_WRITTEN,
    /* A kernel was the last to write the byte, or the byte was cleared. If the block has no map, no
     * byte has this mark. */
    MEM_FROM_KERNEL,
    MEM_MARKS
};

/* A line in the program's source. FILE is NULL if the line is unknown. */
struct mem_place {
    char *file;
    uint32_t line;
};

struct mem_block {
    uint64_t addr, size;
    uint8_t *host; /* the block's bytes on the host, or NULL if the block has been freed */
    /* the block is a .const variable or parameters, which kernels must not write */
    bool is_constant;
    /* for a constant block, the offset after the last byte that the host has ever copied to it */
    uint64_t filled;
    bool is_lent; /* the block's bytes belong to the program (see mem_lend()) */
    /* the program lent the block at an address that mem_alloc() did not choose: it is page-locked
     * memory of the host, not managed memory */
    bool keeps_address;
    const char *name;          /* name of the block's variable, which the module owns, or NULL */
    uint8_t *marks[MEM_MARKS]; /* the map of each mark, or NULL if the block has no map */
    bool whole[MEM_MARKS];     /* all bits of the mark's map are known to be set */
    /* width and pitch of the block's rows, in bytes, or 0 if it has no rows */
    uint64_t width, pitch;
    /* offsets: kernels wrote only here since emu_take_written(); both 0 if they wrote nothing */
    uint64_t wrote_from, wrote_to;
    bool is_heap;                 /* the block is the heap for malloc() in kernels (see heap.h) */
    struct mem_place made, freed; /* source lines that allocated and freed the block */
    /* source line of the host's latest write that covered the block's first bytes, but not the
     * whole block */
    struct mem_place fill;
};

struct memory {
    struct mem_block *blocks; /* in the order of addresses */
    uint32_t count, room;
    uint32_t lent; /* number of lent blocks */
    /* next free address, bytes in use, and limit of the bytes in use */
    uint64_t next, used, limit;
    /* sum of `filled` of all constant blocks, live or freed; no longer updated once it reaches
     * MEM_MOST_CONSTANTS */
    uint64_t constants;
    uint64_t poison; /* seed of the bytes in new blocks, or 0 if new blocks are zeroed */
    /* increases when a block is added, freed or moved; pointers to blocks are then invalid */
    uint64_t layout;
    bool tracks[MEM_MARKS]; /* marks for which new blocks get a map */
};

void mem_init(struct memory *memory, uint64_t limit, uint64_t poison);
void mem_close(struct memory *memory);

/* Allocates a block of SIZE > 0 bytes, zeroed or poisoned. Returns NULL when over the limit, or out
 * of memory. The pointer is valid until `layout` changes. */
struct mem_block *mem_alloc(struct memory *memory, uint64_t size);
/* Zeroes a new block. Writes only to a poisoned block, because other new blocks are zero
 * already. */
void mem_zero(const struct memory *memory, struct mem_block *block);
/* Makes all bytes of the block count as written from now on. */
void mem_assume_written(struct mem_block *block);
/* Updates `filled` and `constants` before the host copies SIZE bytes to ADDR. One block must
 * contain these bytes. */
void mem_note_constants(struct memory *memory, uint64_t addr, uint64_t size);
/* Set or copy marks. mem_mark() sets (if MARKED) or clears MARK of the SIZE bytes at ADDR, which
 * one block must contain. mem_copy_marks() copies all marks of the SIZE bytes at FROM to the bytes
 * at TO. */
void mem_mark(const struct memory *memory, enum mem_mark mark, uint64_t addr, uint64_t size,
              bool marked);
void mem_copy_marks(const struct memory *memory, uint64_t to, uint64_t from, uint64_t size);
/* Counts the bytes with MARK from offset AT on, up to the first byte without it. Returns at most
 * SIZE. The block must have a map of this mark. */
uint64_t mem_first_unmarked(const struct mem_block *block, enum mem_mark mark, uint64_t at,
                            uint64_t size);
/* Counts the bytes without MARK from offset AT on, up to the first byte with it. Returns at most
 * SIZE. The block must have a map of this mark. */
uint64_t mem_first_marked(const struct mem_block *block, enum mem_mark mark, uint64_t at,
                          uint64_t size);
/* Gives a lent block a map of MARK in which no byte is marked. If memory runs out, the block has no
 * map. */
void mem_track_lent(const struct memory *memory, enum mem_mark mark, struct mem_block *block);
/* Sets *PLACE to line LINE of FILE. Copies FILE; if memory runs out, the place is unknown. */
void mem_set_place(struct mem_place *place, const char *file, uint32_t line);
/* Frees a block. Returns false if no live block begins at ADDR. */
bool mem_free(struct memory *memory, uint64_t addr);

/* Lends memory of the program to the device. The SIZE > 0 bytes at HOST become the device's memory
 * at ADDR. If a live block of SIZE bytes begins at ADDR, its contents move to HOST. Otherwise, the
 * addresses must be unused, and must not be addresses that mem_alloc() has given to a block.
 * Returns false if one of these conditions is not met, or memory runs out. */
bool mem_lend(struct memory *memory, uint64_t addr, uint8_t *host, uint64_t size);

/* Returns the last block, live or freed, that begins at or before ADDR. Returns NULL if there is
 * none. */
struct mem_block *mem_block_at(const struct memory *memory, uint64_t addr);
/* Returns the block, live or freed, whose bytes are nearest to ADDR. Returns NULL if there is
 * none. */
struct mem_block *mem_closest(const struct memory *memory, uint64_t addr);
/* Returns whether ADDR, which is in no live block, is in the gap after a live block. A GPU maps
 * memory in large pages, so an access a little past the end does not fault there. */
bool mem_is_gap(const struct memory *memory, uint64_t addr);
/* Returns the host address of a range of device memory. Returns NULL unless one live block contains
 * the range. */
uint8_t *mem_range(const struct memory *memory, uint64_t addr, uint64_t size);

#endif
