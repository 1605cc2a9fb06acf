/* Memory that kernels take with malloc(): one block of device memory, cut into chunks.
 *
 * Which chunks there are is kept on the host, where no kernel can damage it. Workers share it. Taking
 * and returning memory costs the same however many chunks there are, but for a search by address. */
#ifndef GPU_MEMORY_HEAP_H
#define GPU_MEMORY_HEAP_H

#include <pthread.h>
#include <stdint.h>

#define HEAP_BINS 1024u
#define HEAP_PAST 1024u /* freed chunks that are remembered */

struct heap_chunk;

struct heap {
    pthread_mutex_t lock;
    uint64_t begin, end;                /* addresses of all of it; 0 until it is opened */
    struct heap_chunk *first;           /* all chunks by address; NULL until the heap is opened */
    void *used;                         /* those in use, a tree by address */
    struct heap_chunk *free[HEAP_BINS]; /* the others by size */
    uint64_t filled[HEAP_BINS / 64];    /* a bit for each bin that is not empty */
    struct heap_place {
        uint64_t addr, size; /* as it was asked for */
    } past[HEAP_PAST];       /* what was freed last, in a ring */
    uint32_t past_at;
};

void heap_init(struct heap *heap);
/* Gives it SIZE bytes of device memory at ADDR; 0 when memory is out. */
int heap_open(struct heap *heap, uint64_t addr, uint64_t size);
void heap_close(struct heap *heap);

/* An address aligned to 16, or 0 when there is no room. */
uint64_t heap_alloc(struct heap *heap, uint64_t size);
/* What was not allocated is left alone. */
enum heap_end { HEAP_FREED, HEAP_FREED_BEFORE, HEAP_NEVER_GIVEN };
enum heap_end heap_free(struct heap *heap, uint64_t addr);

/* Whether all bytes from ADDR to END are in one chunk in use, as it was asked for. */
int heap_holds(struct heap *heap, uint64_t addr, uint64_t end);
/* The freed chunk that ADDR was in, if it is in none in use; else 0. */
int heap_was_freed(struct heap *heap, uint64_t addr, struct heap_place *place);
/* The last chunk in use that begins before ADDR, or else the first one; 0: there is none. */
int heap_near(struct heap *heap, uint64_t addr, struct heap_place *place);

#endif
