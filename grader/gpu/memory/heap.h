/* The heap for malloc() in kernels: one block of device memory, divided into chunks.
 *
 * The list of chunks is in host memory, where no kernel can damage it. All workers share the list,
 * under a lock. The time for an allocation or a free does not grow with the number of chunks,
 * except for the search by address in a tree. */
#ifndef GPU_MEMORY_HEAP_H
#define GPU_MEMORY_HEAP_H

#include <pthread.h>
#include <stdint.h>

#define HEAP_BINS      1024u
#define HEAP_FREED_MAX 1024u /* number of freed chunks that the heap remembers */

struct heap_chunk;

struct heap {
    pthread_mutex_t lock;
    uint64_t begin, end;      /* address range of the heap; 0 until the heap is opened */
    struct heap_chunk *first; /* list of all chunks by address; NULL until the heap is opened */
    void *used;               /* tree of the chunks in use, by address */
    struct heap_chunk *free[HEAP_BINS]; /* bins, which are lists of free chunks by size */
    /* one bit for each bin, which is set if the bin is not empty */
    uint64_t filled[HEAP_BINS / 64];
    struct heap_place {
        uint64_t addr, size; /* `size` is the number of bytes that the kernel requested */
    } past[HEAP_FREED_MAX];  /* ring buffer of the most recently freed chunks */
    uint32_t past_count;     /* number of chunks freed so far */
};

void heap_init(struct heap *heap);
/* Gives the heap SIZE bytes of device memory at ADDR. Returns 0 when the host is out of memory. */
int heap_open(struct heap *heap, uint64_t addr, uint64_t size);
void heap_close(struct heap *heap);

/* Allocates SIZE bytes. Returns an address that is a multiple of 16, or 0 if no chunk is large
 * enough. */
uint64_t heap_alloc(struct heap *heap, uint64_t size);
/* Frees the chunk that begins at ADDR. If no chunk in use begins there, changes nothing. */
enum heap_result { HEAP_FREED, HEAP_FREED_BEFORE, HEAP_NEVER_ALLOCATED };
enum heap_result heap_free(struct heap *heap, uint64_t addr);

/* Returns whether one chunk in use holds all bytes from ADDR to END - 1 within its requested
 * size. */
int heap_holds(struct heap *heap, uint64_t addr, uint64_t end);
/* Finds the most recently freed chunk that contained ADDR. Returns 0 if there is none, or if a
 * chunk in use now contains ADDR. */
int heap_was_freed(struct heap *heap, uint64_t addr, struct heap_place *place);
/* Finds the last chunk in use that begins at or before ADDR. If there is none, finds the first
 * chunk in use. Returns 0 if no chunk is in use. */
int heap_near(struct heap *heap, uint64_t addr, struct heap_place *place);

#endif
