/* Manages memory that graphs allocate. The address is fixed when the allocation node is added. The
 * program may use the memory only while it is live: from a launch of that node until a node or
 * cudaFree() frees it.
 *
 *   node is added       launch        freed by a node or by cudaFree()      last node is destroyed
 *     | has address       | live        | no longer live, but kept            | gone
 *
 * Several nodes of graphs and launchable graphs can allocate or free the same block of memory. Each
 * has a reference to the block, which is freed when the last reference is released. */
#include <pthread.h>
#include <stdlib.h>

#include "gpu/cudart/graphs/graph.h"

struct block {
    void *ptr;
    size_t size;
    /* number of references: one for each node that uses it, and one while it is live */
    unsigned holders;
    /* `planned`: the block is live after the steps that have been checked so far */
    bool live, planned;
    /* the launchable graph that may allocate this block, or NULL */
    const struct CUgraphExec_st *exec;
    struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static uint64_t used, used_high; /* bytes, rounded up by account() */

/* Returns the block at PTR, or NULL. The caller holds the lock. */
static struct block *find(const void *ptr)
{
    struct block *at = blocks;
    while (at && at->ptr != ptr)
        at = at->next;
    return at;
}

/* Updates the counts of used memory. A GPU takes memory for graphs in chunks of 32 MiB, and keeps
 * it until the program trims it (TRIMS). */
static void account(bool trims)
{
    const uint64_t piece = 32 << 20;
    uint64_t now = 0;
    for (const struct block *at = blocks; at; at = at->next)
        now += at->live ? at->size : 0;
    now = (now + piece - 1) / piece * piece;
    used = now > used || trims ? now : used;
    used_high = used > used_high ? used : used_high;
}

/* --- holding ---------------------------------------------------------------------------------- */

cudaError_t rt_graph_memory_new(size_t size, void **ptr)
{
    struct emu_device *device;
    emu_addr addr;
    cudaError_t error = rt_device(&device);
    struct block *made = error == cudaSuccess ? calloc(1, sizeof *made) : NULL;
    if (error == cudaSuccess)
        error = made ? rt_error(emu_alloc(device, size, &addr)) : cudaErrorMemoryAllocation;
    if (error != cudaSuccess) {
        free(made);
        return error;
    }
    *ptr = made->ptr = (void *)addr;
    made->size = size;
    made->holders = 1;
    pthread_mutex_lock(&lock);
    made->next = blocks;
    blocks = made;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

bool rt_graph_memory_hold(const void *ptr)
{
    pthread_mutex_lock(&lock);
    struct block *block = find(ptr);
    if (block)
        block->holders++;
    pthread_mutex_unlock(&lock);
    return block != NULL;
}

void rt_graph_memory_release(const void *ptr)
{
    struct emu_device *device;
    pthread_mutex_lock(&lock);
    struct block *block = find(ptr), *gone = block && --block->holders == 0 ? block : NULL;
    for (struct block **at = &blocks; gone && *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (gone && rt_device(&device) == cudaSuccess)
        emu_free(device, (emu_addr)gone->ptr);
    free(gone);
}

bool rt_graph_memory_size(const void *ptr, size_t *size)
{
    pthread_mutex_lock(&lock);
    struct block *block = find(ptr);
    *size = block ? block->size : 0;
    pthread_mutex_unlock(&lock);
    return block != NULL;
}

/* --- launches --------------------------------------------------------------------------------- */

bool rt_graph_memory_claim(const void *ptr, const struct CUgraphExec_st *from,
                           const struct CUgraphExec_st *to)
{
    pthread_mutex_lock(&lock);
    struct block *block = find(ptr);
    bool can_claim = block && (block->exec == from || block->exec == to);
    if (can_claim)
        block->exec = to;
    pthread_mutex_unlock(&lock);
    return can_claim;
}

void rt_graph_memory_plan(void)
{
    pthread_mutex_lock(&lock);
    for (struct block *at = blocks; at; at = at->next)
        at->planned = at->live;
    pthread_mutex_unlock(&lock);
}

bool rt_graph_memory_step(const struct rt_work *work, bool auto_frees)
{
    bool allocates = work->type == cudaGraphNodeTypeMemAlloc;
    pthread_mutex_lock(&lock);
    struct block *block = find(work->memory);
    bool legal = block && (allocates != block->planned || (allocates && auto_frees));
    if (block)
        block->planned = allocates;
    pthread_mutex_unlock(&lock);
    return legal;
}

cudaError_t rt_graph_memory_allocate(const void *ptr)
{
    pthread_mutex_lock(&lock);
    struct block *block = find(ptr);
    bool begins = block && !block->live;
    struct rt_range range = {.ptr = ptr, .size = block ? block->size : 0, .kind = RT_GRAPH};
    if (begins && rt_range_add(range)) {
        block->live = true;
        block->holders++;
        account(false);
    }
    bool is_live = block && block->live;
    pthread_mutex_unlock(&lock);
    return is_live ? cudaSuccess : cudaErrorMemoryAllocation;
}

void rt_graph_memory_freed(const void *ptr)
{
    pthread_mutex_lock(&lock);
    struct block *block = find(ptr);
    if (block)
        block->live = false;
    pthread_mutex_unlock(&lock);
    rt_graph_memory_release(ptr);
}

/* --- queries ---------------------------------------------------------------------------------- */

static cudaError_t trim(int device)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    pthread_mutex_lock(&lock);
    account(true);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return rt_return(trim(device));
}

static bool is_high(enum cudaGraphMemAttributeType attribute)
{
    return attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    if (device != 0)
        return rt_return(cudaErrorInvalidDevice);
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return rt_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    *(uint64_t *)value = is_high(attribute) ? used_high : used;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* Resets a high-water mark. No other attribute can be set, and a mark can only be set to 0. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    if (device != 0)
        return rt_return(cudaErrorInvalidDevice);
    if (!value || !is_high(attribute) || *(const uint64_t *)value)
        return rt_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    used_high = used;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}
