/* What becomes of a warp's paths, and of the stacks that they have: see warp.c. Where memory is out, the launch stops. */
#ifndef GPU_EXECUTE_PATH_H
#define GPU_EXECUTE_PATH_H

#include "gpu/execute/state.h"

/* call.c: frames, calls and returns. A frame lives as long as some path entry holds it. */
struct frame *frame_open(struct warp *warp, const struct image *image); /* NULL: out of memory */
void frame_release(struct warp *warp, struct frame *frame);
void frames_free(struct worker *worker);
/* LANES call; the path's top entry goes on behind the call. */
void call_enter(struct warp *warp, struct path *path, const struct inst *inst, uint32_t lanes);
/* Results of LANES go to the caller's variables. */
void call_return(struct warp *warp, uint32_t lanes);

#define NOWHERE UINT32_MAX /* no instruction is there */

/* A new path, ready and with an empty stack; or NULL. */
struct path *path_add(struct warp *warp);

static inline struct path_entry *path_top(struct path *path)
{
    return &path->stack[path->depth - 1];
}

/* Returns where ENTRY is then; or NULL. */
struct path_entry *path_push(struct warp *warp, struct path *path, struct path_entry entry);

static inline void path_pop(struct warp *warp, struct path *path)
{
    frame_release(warp, path->stack[--path->depth].frame);
}

/* Keeps only LANES in the path, and pops what has none left. It may be done then. */
void path_keep(struct warp *warp, struct path *path, uint32_t lanes);
/* Moves all lanes but KEPT to a new path. */
void path_split(struct warp *warp, struct path *path, uint32_t kept);
/* Those that are ready at the same place become one. */
void paths_merge(struct warp *warp);
void paths_drop_done(struct warp *warp);

#endif
