/* Changes a warp's paths and their stacks, which warp.c explains. If memory runs out, these
 * functions stop the launch. */
#ifndef GPU_EXECUTE_PATH_H
#define GPU_EXECUTE_PATH_H

#include "gpu/execute/state.h"

/* The functions from here to call_return() are in call.c. A frame is freed when no path entry
 * refers to it any more. */
/* Opens a frame for a call of IMAGE's function. Returns NULL when out of memory. */
struct frame *frame_open(struct warp *warp, const struct image *image);
void frame_release(struct warp *warp, struct frame *frame);
void frames_free(struct worker *worker);
/* Makes LANES call a function. After the call, the path's current top entry continues. */
void call_enter(struct warp *warp, struct path *path, const struct inst *inst, uint32_t lanes);
/* Copies the function's results for LANES to the caller's variables. */
void call_return(struct warp *warp, uint32_t lanes);

#define NOWHERE UINT32_MAX /* no instruction has this pc */

/* Adds a path in state PATH_READY that has an empty stack. Returns NULL when out of memory. */
struct path *path_add(struct warp *warp);

static inline struct path_entry *path_top(struct path *path)
{
    return &path->stack[path->depth - 1];
}

/* Pushes an entry. Returns false when out of memory. Takes the entry's members one by one: the CPU
 * stalls when it reads several members at once that were written one by one. */
bool path_push(struct warp *warp, struct path *path, uint32_t pc, uint32_t meet, uint32_t lanes,
               struct frame *frame);

static inline void path_pop(struct warp *warp, struct path *path)
{
    frame_release(warp, path->stack[--path->depth].frame);
}

/* Keeps only LANES in the path and removes entries that have no lanes left. If no entry is left,
 * the path becomes PATH_DONE. */
void path_keep(struct warp *warp, struct path *path, uint32_t lanes);
/* Moves all lanes except KEPT to a new path. */
void path_split(struct warp *warp, struct path *path, uint32_t kept);
/* Merges those ready paths whose stacks differ only in their lanes. */
void paths_merge(struct warp *warp);
void paths_drop_done(struct warp *warp);

#endif
