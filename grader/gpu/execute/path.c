/* Begins, splits, merges and ends the paths of a warp. */
#include "gpu/execute/path.h"

#include <stdlib.h>

#include "gpu/execute/standstill.h"

struct path *path_add(struct warp *warp)
{
    /* each path has at least one lane, so a warp has at most 32 paths; finished paths are reused */
    struct path **place = &warp->paths[warp->path_count];
    if (!*place)
        *place = calloc(1, sizeof **place);
    if (!*place) {
        launch_stop(warp->cta->launch, EMU_INTERNAL);
        return NULL;
    }
    warp->path_count++;
    (*place)->state = PATH_READY;
    (*place)->has_met = (*place)->gives_way = (*place)->is_stuck = false;
    (*place)->waits_at = NOWHERE;
    (*place)->depth = 0;
    path_forget(*place);
    return *place;
}

bool path_push(struct warp *warp, struct path *path, uint32_t pc, uint32_t meet, uint32_t lanes,
               struct frame *frame)
{
    if (path->depth == path->room) {
        uint32_t room = path->room ? 2 * path->room : 16;
        struct path_entry *stack = realloc(path->stack, room * sizeof *stack);
        if (!stack) {
            launch_stop(warp->cta->launch, EMU_INTERNAL);
            return false;
        }
        path->stack = stack;
        path->room = room;
    }
    path->stack[path->depth++] = (struct path_entry){pc, meet, lanes, frame};
    frame->holders++;
    return true;
}

void paths_drop_done(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->path_count;) {
        struct path *path = warp->paths[i];
        if (path->state != PATH_DONE) {
            i++;
            continue;
        }
        warp->paths[i] = warp->paths[--warp->path_count];
        warp->paths[warp->path_count] = path;
    }
}

/* Keeps only LANES. Moves an entry down the stack only if an entry below it is removed. This is
 * rare, because usually only one entry loses lanes, and it loses all of them. A move is slow: an
 * entry was written by two stores and is read by one load, so the CPU cannot forward the stored
 * data and waits until the data are in the cache. */
void path_keep(struct warp *warp, struct path *path, uint32_t lanes)
{
    uint32_t kept = 0;
    path_forget(path);
    for (uint32_t i = 0; i < path->depth; i++) {
        struct path_entry *entry = &path->stack[i];
        entry->lanes &= lanes;
        if (!entry->lanes)
            frame_release(warp, entry->frame);
        else if (kept++ != i)
            path->stack[kept - 1] = *entry;
    }
    path->depth = kept;
    if (!kept)
        path->state = PATH_DONE;
}

void path_split(struct warp *warp, struct path *path, uint32_t kept)
{
    uint32_t others = path->stack[0].lanes & ~kept;
    struct path *fresh = others ? path_add(warp) : NULL;
    if (!fresh)
        return;
    for (uint32_t i = 0; i < path->depth; i++) {
        const struct path_entry *entry = &path->stack[i];
        path_push(warp, fresh, entry->pc, entry->meet, entry->lanes, entry->frame);
    }
    path_keep(warp, fresh, others);
    path_keep(warp, path, kept);
}

static bool same_place(const struct path *a, const struct path *b)
{
    if (a->state != PATH_READY || b->state != PATH_READY || a->depth != b->depth)
        return false;
    for (uint32_t i = 0; i < a->depth; i++)
        if (a->stack[i].pc != b->stack[i].pc || a->stack[i].meet != b->stack[i].meet ||
            a->stack[i].frame != b->stack[i].frame)
            return false;
    return true;
}

void paths_merge(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->path_count; i++) {
        for (uint32_t k = i + 1; k < warp->path_count; k++) {
            if (!same_place(warp->paths[i], warp->paths[k]))
                continue;
            for (uint32_t n = 0; n < warp->paths[i]->depth; n++)
                warp->paths[i]->stack[n].lanes |= warp->paths[k]->stack[n].lanes;
            path_forget(warp->paths[i]);
            path_keep(warp, warp->paths[k], 0);
        }
    }
    paths_drop_done(warp);
}
