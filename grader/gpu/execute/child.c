#include "gpu/execute/child.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/execute/builtin.h"
#include "gpu/execute/launch.h"
#include "gpu/memory/memory.h"

/* CUDA's codes for the streams that every kernel has. Handles of streams that a kernel creates are
 * larger. */
#define STREAM_DEFAULT         0u
#define STREAM_TAIL            3u
#define STREAM_FIRE_AND_FORGET 4u /* not ordered with other launches */

void children_init(struct children *children)
{
    *children = (struct children){0};
    pthread_mutex_init(&children->lock, NULL);
}

void child_free(struct child *child)
{
    free((void *)(uintptr_t)child->request.params);
    free(child);
}

void children_free(struct children *children, struct heap *heap)
{
    for (unsigned state = 0; state < CHILD_STATES; state++) {
        while (children->first[state]) {
            struct child *child = children->first[state];
            children->first[state] = child->next;
            if (child->buffer)
                heap_free(heap, child->buffer);
            child_free(child);
        }
    }
    free(children->handles);
    pthread_mutex_destroy(&children->lock);
}

/* Adds CHILD to the list for STATE. A prepared child goes to the front, because the program soon
 * looks it up; others go to the end. */
static void add(struct children *children, enum child_state state, struct child *child)
{
    struct child *before = children->first[state] ? children->last[state] : NULL;
    child->next = state == CHILD_PREPARED ? children->first[state] : NULL;
    if (before && state != CHILD_PREPARED)
        before->next = child;
    else
        children->first[state] = child;
    children->last[state] = child;
}

/* --- streams and events ----------------------------------------------------------------------- */

uint64_t child_create(struct children *children, enum child_handle kind)
{
    pthread_mutex_lock(&children->lock);
    uint32_t number = children->handle_count;
    uint8_t *more = number < CHILD_MOST ? realloc(children->handles, number + 1u) : NULL;
    if (more) {
        children->handles = more;
        children->handles[children->handle_count++] = (uint8_t)kind;
    }
    pthread_mutex_unlock(&children->lock);
    return more ? CHILD_FIRST_HANDLE + number : 0;
}

/* Returns a pointer to HANDLE's element in children->handles, or NULL if HANDLE is not of KIND. */
static uint8_t *find_handle(const struct children *children, uint64_t handle,
                            enum child_handle kind)
{
    uint64_t number = handle - CHILD_FIRST_HANDLE;
    bool known = number < children->handle_count && children->handles[number] == kind;
    return known ? &children->handles[number] : NULL;
}

bool child_has(struct children *children, uint64_t handle, enum child_handle kind)
{
    pthread_mutex_lock(&children->lock);
    bool known = find_handle(children, handle, kind) != NULL;
    pthread_mutex_unlock(&children->lock);
    return known;
}

bool child_destroy(struct children *children, uint64_t handle, enum child_handle kind)
{
    pthread_mutex_lock(&children->lock);
    uint8_t *found = find_handle(children, handle, kind);
    if (found)
        *found = CHILD_GONE;
    pthread_mutex_unlock(&children->lock);
    return found != NULL;
}

/* --- launches --------------------------------------------------------------------------------- */

static const struct ptx_function *kernel_at(const struct ptx_module *module, uint64_t address)
{
    for (const struct ptx_function *f = module->functions; f; f = f->next)
        if (f->is_kernel && kernel_function_address(f) == address)
            return f;
    return NULL;
}

uint64_t child_prepare(struct launch *launch, uint64_t function, const struct emu_launch *shape)
{
    const struct ptx_function *kernel = kernel_at(launch->kernel->module, function);
    struct child *child = kernel ? calloc(1, sizeof *child) : NULL;
    if (!child)
        return 0;
    child->request = *shape;
    child->request.param_bytes = kernel->param_bytes;
    child->request.params = calloc(1, kernel->param_bytes + 1u);
    child->function = kernel;
    child->buffer = heap_alloc(launch->heap, kernel->param_bytes + 1u);
    uint64_t buffer = child->buffer;
    if (!buffer || !child->request.params) {
        if (buffer)
            heap_free(launch->heap, buffer);
        child_free(child);
        return 0;
    }
    pthread_mutex_lock(&launch->children->lock);
    add(launch->children, CHILD_PREPARED, child);
    pthread_mutex_unlock(&launch->children->lock);
    return buffer;
}

/* Removes the prepared launch whose buffer is at address BUFFER from its list, and returns it.
 * Returns NULL if there is no such launch. */
static struct child *find_prepared(struct children *children, uint64_t buffer)
{
    struct child **at = &children->first[CHILD_PREPARED];
    while (*at && (*at)->buffer != buffer)
        at = &(*at)->next;
    struct child *child = *at;
    if (child)
        *at = child->next;
    return child;
}

uint32_t child_launch(struct launch *launch, uint64_t buffer, uint64_t stream)
{
    struct children *children = launch->children;
    if (stream != STREAM_DEFAULT && stream != STREAM_TAIL && stream != STREAM_FIRE_AND_FORGET &&
        !child_has(children, stream, CHILD_STREAM))
        return RT_INVALID_HANDLE;
    if (launch->depth >= CHILD_DEPTH)
        return RT_TOO_DEEP;
    pthread_mutex_lock(&children->lock);
    bool full = children->launched >= CHILD_MOST;
    struct child *child = full ? NULL : find_prepared(children, buffer);
    if (child) {
        const uint8_t *bytes = mem_range(launch->memory, buffer, child->request.param_bytes);
        memcpy((void *)(uintptr_t)child->request.params, bytes, child->request.param_bytes);
        child->buffer = 0;
        children->launched++;
        add(children, stream == STREAM_TAIL ? CHILD_TAIL : CHILD_LAUNCHED, child);
    }
    pthread_mutex_unlock(&children->lock);
    if (child)
        heap_free(launch->heap, buffer);
    return child ? RT_SUCCESS : full ? RT_TOO_MANY : RT_INVALID_VALUE;
}

struct child *children_take(struct children *children)
{
    enum child_state state = children->first[CHILD_LAUNCHED] ? CHILD_LAUNCHED : CHILD_TAIL;
    struct child *child = children->first[state];
    if (child)
        children->first[state] = child->next;
    return child;
}
