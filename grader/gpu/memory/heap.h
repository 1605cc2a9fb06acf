/* Memory that kernels take with malloc(): one block of device memory, cut into chunks.
 *
 * The list of chunks is kept on the host, where no kernel can damage it. Workers share it. The
 * cost of taking and returning memory does not grow with the number of chunks, except for a
 * search by address. */
#ifndef GPU_MEMORY_HEAP_H
#define GPU_MEMORY_HEAP_H

#include <pthread.h>
#include <stdint.h>

#define HEAP_BINS      1024u
#define HEAP_FREED_MAX 1024u /* freed chunks that are remembered */

struct heap_chunk;

struct heap {
    pthread_mutex_t lock;
    uint64_t begin, end;                /* address range; 0 until the heap is opened */
    struct heap_chunk *first;           /* all chunks by address; NULL until the heap is opened */
    void *used;                         /* the chunks in use: a tree by address */
    struct heap_chunk *free[HEAP_BINS]; /* the free chunks by size */
    uint64_t filled[HEAP_BINS / 64];    /* a bit for each bin that is not empty */
    struct heap_place {
        uint64_t addr, size; /* as requested */
    } past[HEAP_FREED_MAX];  /* the chunks freed last, in a ring */
    uint32_t past_at;
};

void heap_init(struct heap *heap);
/* Gives the heap SIZE bytes of device memory at ADDR; 0 when memory is out. */
int heap_open(struct heap *heap, uint64_t addr, uint64_t size);
void heap_close(struct heap *heap);

/* An address aligned to 16, or 0 when there is no room. */
uint64_t heap_alloc(struct heap *heap, uint64_t size);
/* Frees the chunk that begins at ADDR. Any other address changes nothing. */
enum heap_result { HEAP_FREED, HEAP_FREED_BEFORE, HEAP_NEVER_ALLOCATED };
enum heap_result heap_free(struct heap *heap, uint64_t addr);

/* Whether the bytes from ADDR to END are all in one chunk in use, within its requested size. */
int heap_holds(struct heap *heap, uint64_t addr, uint64_t end);
/* Finds the latest freed chunk that held ADDR. 0: none did, or a chunk in use holds ADDR now. */
int heap_was_freed(struct heap *heap, uint64_t addr, struct heap_place *place);
/* Finds the last chunk in use that begins at or before ADDR, else the first; 0: none is in use. */
int heap_near(struct heap *heap, uint64_t addr, struct heap_place *place);

#endif
