/* Implements stream-ordered allocation. Most work runs during the API call that requests it. So
 * memory is also allocated and freed during the call, and a pool only counts bytes. In a captured
 * stream, an allocation or a free becomes a node of the graph. */
#include "gpu/cudart/graphs.h"
#include "gpu/cudart/order.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
    uint64_t threshold, used, used_high, reserved_high;
    int reuse[3]; /* FollowEventDependencies, AllowOpportunistic, AllowInternalDependencies */
    struct CUmemPoolHandle_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}};
static struct CUmemPoolHandle_st *pools; /* pools that the program created */
static cudaMemPool_t current = &default_pool;

/* Returns whether POOL exists. The caller holds the lock. */
static bool is_live(cudaMemPool_t pool)
{
    struct CUmemPoolHandle_st *p = pools;
    while (p && p != pool)
        p = p->next;
    return pool == &default_pool || (pool && p);
}

static void count(cudaMemPool_t pool, int64_t bytes)
{
    pthread_mutex_lock(&lock);
    if (is_live(pool))
        pool->used += (uint64_t)bytes;
    if (is_live(pool) && pool->used > pool->used_high)
        pool->used_high = pool->used;
    pthread_mutex_unlock(&lock);
}

/* --- allocation ------------------------------------------------------------------------------- */

static cudaError_t allocate(void **ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    struct emu_device *device;
    struct rt_range range;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error == cudaSuccess && ptr && size && rt_is_capturing(stream))
        return rt_capture_alloc(stream, size, ptr);
    if (error == cudaSuccess)
        error = rt_allocate(ptr, size, RT_POOL, 0);
    if (error != cudaSuccess || !*ptr)
        return error;
    if (rt_range_take(*ptr, RT_POOL, &range)) {
        range.pool = pool; /* the pool that counts these bytes until the range is freed */
        rt_range_add(range);
        rt_order_allocates(stream, &range);
    }
    count(pool, (int64_t)size);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **ptr, size_t size, cudaStream_t stream)
{
    return rt_return(allocate(ptr, size, current, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    bool live = is_live(pool);
    pthread_mutex_unlock(&lock);
    return rt_return(live ? allocate(ptr, size, pool, stream) : cudaErrorInvalidValue);
}

static void free_now(void *ptr)
{
    struct emu_device *device;
    if (rt_device(&device) == cudaSuccess)
        rt_free(device, ptr);
}

static cudaError_t release(void *ptr, cudaStream_t stream)
{
    struct emu_device *device;
    struct rt_range range;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error != cudaSuccess || !ptr)
        return error;
    if (rt_is_capturing(stream)) {
        struct rt_work work = {.type = cudaGraphNodeTypeMemFree, .memory = ptr};
        return rt_submit(stream, &work);
    }
    if (!rt_range_find(ptr, &range) || range.ptr != ptr ||
        !(range.kind & (RT_DEVICE | RT_POOL | RT_GRAPH)))
        return cudaErrorInvalidValue;
    rt_order_frees(stream, &range);
    struct rt_work later = {.type = cudaGraphNodeTypeHost, .host = {free_now, ptr}};
    return rt_is_stream_busy(stream) ? rt_queue(device, stream, &later) : rt_free(device, ptr);
}

cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream)
{
    return rt_return(release(ptr, stream));
}

void rt_pool_freed(const struct rt_range *range)
{
    count(range->pool, -(int64_t)range->size);
}

/* --- pools ------------------------------------------------------------------------------------ */

static cudaError_t get_pool(cudaMemPool_t *pool, int device, cudaMemPool_t value)
{
    if (!pool)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    *pool = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return rt_return(get_pool(pool, device, &default_pool));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return rt_return(get_pool(pool, device, current));
}

static cudaError_t set_current(int device, cudaMemPool_t pool)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = device != 0     ? cudaErrorInvalidDevice
                        : is_live(pool) ? cudaSuccess
                                        : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        current = pool;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    return rt_return(set_current(device, pool));
}

/* Does the same as get_pool(), but also checks LOCATION and TYPE. The memory of all pools is pinned
 * and on the device. */
static cudaError_t get_pool_at(cudaMemPool_t *pool, const struct cudaMemLocation *location,
                               enum cudaMemAllocationType type, cudaMemPool_t value)
{
    if (!location || type != cudaMemAllocationTypePinned ||
        location->type != cudaMemLocationTypeDevice || location->id != 0)
        return cudaErrorInvalidValue;
    return get_pool(pool, 0, value);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    return rt_return(get_pool_at(pool, location, type, &default_pool));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    return rt_return(get_pool_at(pool, location, type, current));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t pool)
{
    cudaMemPool_t old;
    cudaError_t error = get_pool_at(&old, location, type, current);
    return rt_return(error == cudaSuccess ? set_current(0, pool) : error);
}

static cudaError_t make(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    if (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (props->location.id != 0)
        return cudaErrorInvalidDevice;
    if (props->handleTypes != cudaMemHandleTypeNone)
        return rt_unsupported("a memory pool that is shared with other processes");
    struct CUmemPoolHandle_st *made = calloc(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    memcpy(made->reuse, default_pool.reuse, sizeof made->reuse);
    pthread_mutex_lock(&lock);
    made->next = pools;
    pools = made;
    pthread_mutex_unlock(&lock);
    *pool = made;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    return rt_return(make(pool, props));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    pthread_mutex_lock(&lock);
    struct CUmemPoolHandle_st **at = &pools;
    while (*at && *at != pool)
        at = &(*at)->next;
    struct CUmemPoolHandle_st *found = *at;
    if (found)
        *at = found->next;
    if (found && current == found)
        current = &default_pool;
    pthread_mutex_unlock(&lock);
    free(found);
    return rt_return(found ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    pthread_mutex_lock(&lock);
    bool live = is_live(pool);
    pthread_mutex_unlock(&lock);
    return rt_return(live ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- attributes of pools ---------------------------------------------------------------------- */

/* Returns a pointer to a 64-bit attribute, or NULL if POOL has no such attribute. A pool reserves
 * only the memory that is in use, so the values for reserved and used memory are the same. */
static uint64_t *attribute_64(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->threshold;
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrReservedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->used_high;
    case cudaMemPoolAttrReservedMemHigh:
        return &pool->reserved_high;
    default:
        return NULL;
    }
}

/* Returns a pointer to an int attribute, or NULL if there is no such attribute. */
static int *attribute_int(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
                   attribute <= cudaMemPoolReuseAllowInternalDependencies
               ? &pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies]
               : NULL;
}

static cudaError_t set(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, const void *value)
{
    if (!value || !is_live(pool))
        return cudaErrorInvalidValue;
    uint64_t bytes;
    if (attribute_int(pool, attribute)) {
        memcpy(attribute_int(pool, attribute), value, sizeof(int));
        return cudaSuccess;
    }
    if (!attribute_64(pool, attribute))
        return cudaErrorInvalidValue;
    memcpy(&bytes, value, sizeof bytes);
    bool is_high =
        attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh;
    if (attribute != cudaMemPoolAttrReleaseThreshold && !(is_high && bytes == 0))
        return cudaErrorInvalidValue;
    /* setting a high-water mark to 0 resets it to the present use */
    *attribute_64(pool, attribute) = is_high ? pool->used : bytes;
    return cudaSuccess;
}

static cudaError_t get(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    if (!value || !is_live(pool))
        return cudaErrorInvalidValue;
    pool->reserved_high =
        pool->used_high > pool->reserved_high ? pool->used_high : pool->reserved_high;
    if (attribute_int(pool, attribute))
        memcpy(value, attribute_int(pool, attribute), sizeof(int));
    else if (attribute_64(pool, attribute))
        memcpy(value, attribute_64(pool, attribute), sizeof(uint64_t));
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = set(pool, attribute, value);
    pthread_mutex_unlock(&lock);
    return rt_return(error);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = get(pool, attribute, value);
    pthread_mutex_unlock(&lock);
    return rt_return(error);
}

/* Only checks the arguments, because the only device always has access. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count_of_list)
{
    bool legal = list || !count_of_list;
    for (size_t i = 0; legal && i < count_of_list; i++)
        legal = list[i].location.type == cudaMemLocationTypeDevice && list[i].location.id == 0 &&
                list[i].flags == cudaMemAccessFlagsProtReadWrite;
    return rt_return(legal ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    if (!flags || !location || location->type != cudaMemLocationTypeDevice || location->id != 0)
        return rt_return(cudaErrorInvalidValue);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}
