/* Implements user objects: objects of the program that graphs keep alive by counted references.
 * When the last reference to an object is released, its destructor is called.
 *
 * A graph has a list of its references. Its clones and launchable graphs have references to the
 * same objects. */
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

/* The references of one graph to one object. COUNT is their number. */
struct rt_ref {
    struct CUuserObject_st *object;
    size_t count;
    struct rt_ref *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUuserObject_st *objects;

/* --- counting --------------------------------------------------------------------------------- */

/* Returns the pointer in the list that points to OBJECT, or NULL if OBJECT does not exist. The
 * caller holds the lock. */
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

/* --- references of graphs --------------------------------------------------------------------- */

static struct rt_ref *find_ref(struct rt_ref *ref, cudaUserObject_t object)
{
    while (ref && ref->object != object)
        ref = ref->next;
    return ref;
}

cudaError_t rt_refs_copy(struct rt_ref **to, const struct rt_ref *from)
{
    *to = NULL;
    for (; from; from = from->next) {
        struct rt_ref *copy = malloc(sizeof *copy);
        if (!copy || !retain(from->object, 1)) {
            free(copy);
            rt_refs_free(to);
            return cudaErrorMemoryAllocation;
        }
        *copy = (struct rt_ref){from->object, 1, *to};
        *to = copy;
    }
    return cudaSuccess;
}

void rt_refs_free(struct rt_ref **refs)
{
    while (*refs) {
        struct rt_ref *first = *refs;
        *refs = first->next;
        release(first->object, first->count);
        free(first);
    }
}

/* --- the program's calls ---------------------------------------------------------------------- */

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
    struct CUgraph_st *live = rt_live_graph(graph);
    bool moves = flags & cudaGraphUserObjectMove;
    if (!live || !is_count(count) || flags & ~(unsigned)cudaGraphUserObjectMove ||
        !retain(object, moves ? 0 : count))
        return rt_return(cudaErrorInvalidValue);
    struct rt_ref *ref = find_ref(live->refs, object);
    if (!ref && (ref = calloc(1, sizeof *ref))) {
        *ref = (struct rt_ref){object, 0, live->refs};
        live->refs = ref;
    }
    if (ref)
        ref->count += count;
    else if (!moves)
        release(object, count);
    return rt_return(ref ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    struct CUgraph_st *live = rt_live_graph(graph);
    struct rt_ref *ref = live ? find_ref(live->refs, object) : NULL;
    if (!ref || !is_count(count) || count > ref->count)
        return rt_return(cudaErrorInvalidValue);
    ref->count -= count;
    if (ref->count == 0) {
        struct rt_ref **at = &live->refs;
        while (*at != ref)
            at = &(*at)->next;
        *at = ref->next;
        free(ref);
    }
    release(object, count);
    return rt_return(cudaSuccess);
}
