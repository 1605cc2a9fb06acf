/* Memory that kernels take with malloc(): one block of device memory, cut into chunks.
 *
 * Which chunks there are is kept on the host, where no kernel can damage it. Workers share it. Taking
 * and returning memory costs the same however many chunks there are, but for a search by address. */
#ifndef EXECUTE_HEAP_H
#define EXECUTE_HEAP_H

#include <pthread.h>
#include <stdint.h>

#define HEAP_BINS 1024u

struct heap_chunk;

struct heap {
    pthread_mutex_t lock;
    uint64_t begin, end;                /* addresses of all of it; 0 until it is opened */
    struct heap_chunk *first;           /* all chunks by address; NULL until the heap is opened */
    void *used;                         /* those in use, a tree by address */
    struct heap_chunk *free[HEAP_BINS]; /* the others by size */
    uint64_t filled[HEAP_BINS / 64];    /* a bit for each bin that is not empty */
};

void heap_init(struct heap *heap);
/* Gives it SIZE bytes of device memory at ADDR; 0 when memory is out. */
int heap_open(struct heap *heap, uint64_t addr, uint64_t size);
void heap_close(struct heap *heap);

/* An address aligned to 16, or 0 when there is no room. */
uint64_t heap_alloc(struct heap *heap, uint64_t size);
/* What was not allocated is left alone. */
void heap_free(struct heap *heap, uint64_t addr);

#endif
