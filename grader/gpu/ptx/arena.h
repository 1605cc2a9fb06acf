/* An arena serves many small allocations, which are all freed together. */
#ifndef GPU_PTX_ARENA_H
#define GPU_PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

struct ptx_arena *ptx_arena_new(void); /* returns NULL when out of memory */
void ptx_arena_free(struct ptx_arena *arena);

/* Allocates SIZE zeroed bytes, aligned for any type. Returns NULL when out of memory. */
void *ptx_arena_take(struct ptx_arena *arena, size_t size);

#endif
