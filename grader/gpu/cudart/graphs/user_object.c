/* Objects of the program that graphs keep alive: each is counted, and its destructor is called once nobody refers to
 * it any more.
 *
 * A graph holds a list of those that it refers to; what is cloned from it or made ready to launch refers to them
 * too. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "gpu/cudart/graphs/graph.h"

struct CUuserObject_st {
    cudaHostFn_t destroy;
    void *ptr;
    size_t count;
    struct CUuserObject_st *next;
};

/* What one graph refers to: COUNT times. */
struct rt_held {
    struct CUuserObject_st *object;
    size_t count;
    struct rt_held *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUuserObject_st *objects;

/* --- counting --------------------------------------------------------------------------------------------- */

/* With the lock held: where OBJECT hangs in the list, or NULL. */
static struct CUuserObject_st **find(cudaUserObject_t object)
{
    struct CUuserObject_st **at = &objects;
    while (*at && *at != object)
        at = &(*at)->next;
    return object && *at ? at : NULL;
}

static bool retain(cudaUserObject_t object, size_t count)
{
    pthread_mutex_lock(&lock);
    struct CUuserObject_st **at = find(object);
    if (at)
        (*at)->count += count;
    pthread_mutex_unlock(&lock);
    return at != NULL;
}

static bool release(cudaUserObject_t object, size_t count)
{
    struct CUuserObject_st *gone = NULL;
    pthread_mutex_lock(&lock);
    struct CUuserObject_st **at = find(object);
    bool legal = at && count <= (*at)->count;
    if (legal && ((*at)->count -= count) == 0) {
        gone = *at;
        *at = gone->next;
    }
    pthread_mutex_unlock(&lock);
    if (gone)
        gone->destroy(gone->ptr);
    free(gone);
    return legal;
}

/* --- what graphs hold -------------------------------------------------------------------------------------- */

static struct rt_held *find_held(struct rt_held *held, cudaUserObject_t object)
{
    while (held && held->object != object)
        held = held->next;
    return held;
}

cudaError_t rt_held_copy(struct rt_held **to, const struct rt_held *from)
{
    *to = NULL;
    for (; from; from = from->next) {
        struct rt_held *copy = malloc(sizeof *copy);
        if (!copy || !retain(from->object, 1)) {
            free(copy);
            rt_held_free(to);
            return cudaErrorMemoryAllocation;
        }
        *copy = (struct rt_held){from->object, 1, *to};
        *to = copy;
    }
    return cudaSuccess;
}

void rt_held_free(struct rt_held **held)
{
    while (*held) {
        struct rt_held *first = *held;
        *held = first->next;
        release(first->object, first->count);
        free(first);
    }
}

/* --- the program's calls -------------------------------------------------------------------------------------- */

static bool is_count(unsigned count)
{
    return count > 0 && count <= INT_MAX;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *ptr, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags)
{
    if (!object || !destroy || !count || flags != cudaUserObjectNoDestructorSync)
        return rt_return(cudaErrorInvalidValue);
    struct CUuserObject_st *made = malloc(sizeof *made);
    if (!made)
        return rt_return(cudaErrorMemoryAllocation);
    pthread_mutex_lock(&lock);
    *made = (struct CUuserObject_st){destroy, ptr, count, objects};
    objects = made;
    pthread_mutex_unlock(&lock);
    *object = made;
    return rt_return(cudaSuccess);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    return rt_return(is_count(count) && retain(object, count) ? cudaSuccess
                                                              : cudaErrorInvalidValue);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count)
{
    return rt_return(is_count(count) && release(object, count) ? cudaSuccess
                                                               : cudaErrorInvalidValue);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags)
{
    struct CUgraph_st *live = rt_graph(graph);
    bool moves = flags & cudaGraphUserObjectMove;
    if (!live || !is_count(count) || flags & ~(unsigned)cudaGraphUserObjectMove ||
        !retain(object, moves ? 0 : count))
        return rt_return(cudaErrorInvalidValue);
    struct rt_held *held = find_held(live->held, object);
    if (!held && (held = calloc(1, sizeof *held))) {
        *held = (struct rt_held){object, 0, live->held};
        live->held = held;
    }
    if (held)
        held->count += count;
    else if (!moves)
        release(object, count);
    return rt_return(held ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    struct CUgraph_st *live = rt_graph(graph);
    struct rt_held *held = live ? find_held(live->held, object) : NULL;
    if (!held || !is_count(count) || count > held->count)
        return rt_return(cudaErrorInvalidValue);
    held->count -= count;
    if (held->count == 0) {
        struct rt_held **at = &live->held;
        while (*at != held)
            at = &(*at)->next;
        *at = held->next;
        free(held);
    }
    release(object, count);
    return rt_return(cudaSuccess);
}
