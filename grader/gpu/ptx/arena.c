/* An arena is a list of chunks. Each allocation is cut from the newest chunk; a large allocation
 * gets its own chunk. */
#include "gpu/ptx/arena.h"

#include <stdint.h>
#include <stdlib.h>

#define CHUNK_BYTES ((size_t)64 << 10)

struct chunk {
    struct chunk *older;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

struct ptx_arena {
    struct chunk *newest;
};

struct ptx_arena *ptx_arena_new(void)
{
    return calloc(1, sizeof(struct ptx_arena));
}

void ptx_arena_free(struct ptx_arena *arena)
{
    if (!arena)
        return;
    while (arena->newest) {
        struct chunk *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    free(arena);
}

void *ptx_arena_take(struct ptx_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    struct chunk *chunk = arena->newest;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        chunk = calloc(1, sizeof *chunk + room);
        if (!chunk)
            return NULL;
        chunk->size = room;
        chunk->older = arena->newest;
        arena->newest = chunk;
    }
    void *piece = chunk->bytes + chunk->used;
    chunk->used += size;
    return piece;
}
