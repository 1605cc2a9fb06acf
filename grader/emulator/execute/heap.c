/* First fit; a freed chunk is joined with free neighbours. */
#include "emulator/execute/heap.h"

#include <stdlib.h>

void heap_init(struct heap *heap)
{
    pthread_mutex_init(&heap->lock, NULL);
    heap->first = NULL;
}

int heap_open(struct heap *heap, uint64_t addr, uint64_t size)
{
    heap->first = malloc(sizeof *heap->first);
    if (heap->first)
        *heap->first = (struct heap_chunk){addr, size, 0, NULL};
    return heap->first != NULL;
}

void heap_close(struct heap *heap)
{
    while (heap->first) {
        struct heap_chunk *next = heap->first->next;
        free(heap->first);
        heap->first = next;
    }
    pthread_mutex_destroy(&heap->lock);
}

/* Leaves SIZE bytes in the chunk and makes the rest one of its own. */
static void split(struct heap_chunk *chunk, uint64_t size)
{
    struct heap_chunk *rest = chunk->size > size ? malloc(sizeof *rest) : NULL;
    if (!rest)
        return;
    *rest = (struct heap_chunk){chunk->addr + size, chunk->size - size, 0, chunk->next};
    chunk->next = rest;
    chunk->size = size;
}

uint64_t heap_alloc(struct heap *heap, uint64_t size)
{
    uint64_t addr = 0;
    if (!size || size > UINT64_MAX - 15)
        return 0;
    size = (size + 15) & ~(uint64_t)15;
    pthread_mutex_lock(&heap->lock);
    struct heap_chunk *chunk = heap->first;
    while (chunk && (chunk->is_used || chunk->size < size))
        chunk = chunk->next;
    if (chunk) {
        split(chunk, size);
        chunk->is_used = 1;
        addr = chunk->addr;
    }
    pthread_mutex_unlock(&heap->lock);
    return addr;
}

static void join_with_next(struct heap_chunk *chunk)
{
    struct heap_chunk *next = chunk->next;
    if (chunk->is_used || !next || next->is_used)
        return;
    chunk->size += next->size;
    chunk->next = next->next;
    free(next);
}

void heap_free(struct heap *heap, uint64_t addr)
{
    pthread_mutex_lock(&heap->lock);
    struct heap_chunk *before = NULL, *chunk = heap->first;
    while (chunk && chunk->addr != addr) {
        before = chunk;
        chunk = chunk->next;
    }
    if (chunk && chunk->is_used) {
        chunk->is_used = 0;
        join_with_next(chunk);
        if (before)
            join_with_next(before);
    }
    pthread_mutex_unlock(&heap->lock);
}
