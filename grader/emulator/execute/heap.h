/* Memory that kernels take with malloc(): one block of device memory, cut into chunks.
 *
 * Which chunks there are is kept on the host, where no kernel can damage it. Workers share it. */
#ifndef EXECUTE_HEAP_H
#define EXECUTE_HEAP_H

#include <pthread.h>
#include <stdint.h>

struct heap_chunk {
    uint64_t addr, size;
    int is_used;
    struct heap_chunk *next; /* by address */
};

struct heap {
    pthread_mutex_t lock;
    struct heap_chunk *first; /* NULL until it is opened */
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
