/* Implements the heap. Free chunks are in bins by size. There is one bin for each multiple of 16
 * bytes up to 240, then sixteen bins for each power of two. A request takes the first chunk of the
 * first non-empty bin in which all chunks are large enough. A freed chunk is joined with free
 * neighbours. This scheme is TLSF (Masmano and others, "TLSF: a new dynamic memory allocator for
 * real-time systems", 2004). */
#include "gpu/memory/heap.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#define GRAIN 16u

struct heap_chunk {
    uint64_t addr, size; /* must be the first fields, because by_address() reads them */
    uint64_t asked;      /* bytes that the kernel requested */
    struct heap_chunk *before, *next; /* neighbours in the order of addresses */
    struct heap_chunk *newer, *older; /* neighbours in the bin */
    int is_used;
};

/* Compares two ranges of addresses. Ranges that overlap are equal, so a search for one byte finds
 * the chunk that holds it. */
static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return x[0] >= y[0] + y[1] ? 1 : y[0] >= x[0] + x[1] ? -1 : 0;
}

/* Returns the chunk in use that holds ADDR, or NULL if there is none. */
static struct heap_chunk *chunk_at(const struct heap *heap, uint64_t addr)
{
    const uint64_t key[] = {addr, 1};
    struct heap_chunk **found = tfind(key, &heap->used, by_address);
    return found ? *found : NULL;
}

/* --- bins ------------------------------------------------------------------------------------- */

/* Returns the bin for chunks of GRAINS grains. The leading bit of GRAINS and the next four bits
 * select the bin. */
static unsigned bin_of(uint64_t grains)
{
    if (grains < 16)
        return (unsigned)grains;
    unsigned log = 63u - (unsigned)__builtin_clzll(grains);
    return 16 * (log - 3) + (unsigned)(grains >> (log - 4) & 15);
}

/* Returns the first bin in which all chunks have at least GRAINS grains. */
static unsigned bin_above(uint64_t grains)
{
    if (grains < 16)
        return (unsigned)grains;
    unsigned log = 63u - (unsigned)__builtin_clzll(grains);
    return bin_of(grains + ((uint64_t)1 << (log - 4)) - 1);
}

static void put(struct heap *heap, struct heap_chunk *chunk)
{
    unsigned bin = bin_of(chunk->size / GRAIN);
    chunk->newer = NULL;
    chunk->older = heap->free[bin];
    if (chunk->older)
        chunk->older->newer = chunk;
    heap->free[bin] = chunk;
    heap->filled[bin / 64] |= (uint64_t)1 << bin % 64;
}

static void take(struct heap *heap, struct heap_chunk *chunk)
{
    unsigned bin = bin_of(chunk->size / GRAIN);
    if (chunk->older)
        chunk->older->newer = chunk->newer;
    if (chunk->newer)
        chunk->newer->older = chunk->older;
    else
        heap->free[bin] = chunk->older;
    if (!heap->free[bin])
        heap->filled[bin / 64] &= ~((uint64_t)1 << bin % 64);
}

/* Returns a free chunk of at least SIZE bytes, or NULL if there is none. */
static struct heap_chunk *find(const struct heap *heap, uint64_t size)
{
    unsigned bin = bin_above(size / GRAIN);
    uint64_t bits = heap->filled[bin / 64] & ~(uint64_t)0 << bin % 64;
    for (unsigned word = bin / 64;; bits = heap->filled[word]) {
        if (bits)
            return heap->free[word * 64 + (unsigned)__builtin_ctzll(bits)];
        if (++word == HEAP_BINS / 64)
            break;
    }
    /* the bin for SIZE itself has smaller and larger chunks, so try each of them */
    struct heap_chunk *chunk = heap->free[bin_of(size / GRAIN)];
    while (chunk && chunk->size < size)
        chunk = chunk->older;
    return chunk;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* Adds a chunk to the list of all chunks: after BEFORE or, if BEFORE is NULL, at the front. */
static struct heap_chunk *insert(struct heap *heap, struct heap_chunk *before, uint64_t addr,
                                 uint64_t size)
{
    struct heap_chunk *chunk = malloc(sizeof *chunk);
    if (!chunk)
        return NULL;
    *chunk = (struct heap_chunk){.addr = addr, .size = size, .before = before};
    struct heap_chunk **place = before ? &before->next : &heap->first;
    chunk->next = *place;
    if (chunk->next)
        chunk->next->before = chunk;
    *place = chunk;
    return chunk;
}

/* Cuts CHUNK, which is in no bin, to SIZE bytes. The rest becomes a free chunk. */
static void split(struct heap *heap, struct heap_chunk *chunk, uint64_t size)
{
    struct heap_chunk *rest =
        chunk->size > size ? insert(heap, chunk, chunk->addr + size, chunk->size - size) : NULL;
    if (!rest)
        return;
    chunk->size = size;
    put(heap, rest);
}

/* Joins CHUNK, which is in no bin, with the next chunk if the next chunk is free. */
static void join_with_next(struct heap *heap, struct heap_chunk *chunk)
{
    struct heap_chunk *next = chunk->next;
    if (!next || next->is_used)
        return;
    take(heap, next);
    chunk->size += next->size;
    chunk->next = next->next;
    if (chunk->next)
        chunk->next->before = chunk;
    free(next);
}

void heap_init(struct heap *heap)
{
    memset(heap, 0, sizeof *heap);
    pthread_mutex_init(&heap->lock, NULL);
}

int heap_open(struct heap *heap, uint64_t addr, uint64_t size)
{
    heap->begin = addr;
    heap->end = addr + size;
    size -= size % GRAIN;
    struct heap_chunk *chunk = insert(heap, NULL, addr, size);
    if (chunk && size)
        put(heap, chunk);
    return chunk != NULL;
}

static void leave(void *chunk)
{
}

void heap_close(struct heap *heap)
{
    tdestroy(heap->used, leave);
    while (heap->first) {
        struct heap_chunk *next = heap->first->next;
        free(heap->first);
        heap->first = next;
    }
    pthread_mutex_destroy(&heap->lock);
}

uint64_t heap_alloc(struct heap *heap, uint64_t size)
{
    uint64_t addr = 0, asked = size;
    if (!size || size > UINT64_MAX / 2)
        return 0;
    size = (size + GRAIN - 1) & ~(uint64_t)(GRAIN - 1);
    pthread_mutex_lock(&heap->lock);
    struct heap_chunk *chunk = find(heap, size);
    if (chunk && tsearch(chunk, &heap->used, by_address)) {
        take(heap, chunk);
        split(heap, chunk, size);
        chunk->is_used = 1;
        chunk->asked = asked;
        addr = chunk->addr;
    }
    pthread_mutex_unlock(&heap->lock);
    return addr;
}

/* Returns the most recently freed chunk that contained ADDR, or NULL if there is none. */
static const struct heap_place *past_at(const struct heap *heap, uint64_t addr)
{
    for (uint32_t i = 0; i < HEAP_FREED_MAX; i++) { /* newest first */
        const struct heap_place *place = &heap->past[(heap->past_count - 1 - i) % HEAP_FREED_MAX];
        if (addr - place->addr < place->size)
            return place;
    }
    return NULL;
}

static void give_back(struct heap *heap, struct heap_chunk *chunk)
{
    tdelete(chunk, &heap->used, by_address);
    heap->past[heap->past_count++ % HEAP_FREED_MAX] =
        (struct heap_place){chunk->addr, chunk->asked};
    chunk->is_used = 0;
    join_with_next(heap, chunk);
    put(heap, chunk);
    struct heap_chunk *before = chunk->before;
    if (before && !before->is_used) {
        take(heap, before);
        join_with_next(heap, before);
        put(heap, before);
    }
}

enum heap_result heap_free(struct heap *heap, uint64_t addr)
{
    enum heap_result end = HEAP_FREED;
    pthread_mutex_lock(&heap->lock);
    struct heap_chunk *chunk = chunk_at(heap, addr);
    const struct heap_place *past = chunk ? NULL : past_at(heap, addr);
    if (chunk && chunk->addr == addr)
        give_back(heap, chunk);
    else
        end = past && past->addr == addr ? HEAP_FREED_BEFORE : HEAP_NEVER_ALLOCATED;
    pthread_mutex_unlock(&heap->lock);
    return end;
}

/* --- queries ---------------------------------------------------------------------------------- */

int heap_holds(struct heap *heap, uint64_t addr, uint64_t end)
{
    pthread_mutex_lock(&heap->lock);
    const struct heap_chunk *chunk = chunk_at(heap, addr);
    int held = chunk && end > addr && end - chunk->addr <= chunk->asked;
    pthread_mutex_unlock(&heap->lock);
    return held;
}

int heap_was_freed(struct heap *heap, uint64_t addr, struct heap_place *place)
{
    pthread_mutex_lock(&heap->lock);
    const struct heap_place *past = chunk_at(heap, addr) ? NULL : past_at(heap, addr);
    if (past)
        *place = *past;
    pthread_mutex_unlock(&heap->lock);
    return past != NULL;
}

int heap_near(struct heap *heap, uint64_t addr, struct heap_place *place)
{
    int found = 0;
    pthread_mutex_lock(&heap->lock);
    for (const struct heap_chunk *chunk = heap->first; chunk; chunk = chunk->next) {
        if (!chunk->is_used)
            continue;
        if (found && chunk->addr > addr)
            break;
        *place = (struct heap_place){chunk->addr, chunk->asked};
        found = 1;
    }
    pthread_mutex_unlock(&heap->lock);
    return found;
}
