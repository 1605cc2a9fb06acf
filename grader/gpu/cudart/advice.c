/* Implements advice and prefetches for managed memory. There is only one copy of managed memory, so
 * they only change the results of cudaMemRangeGetAttribute(). They apply to whole pages. A span is
 * a sequence of pages with the same advice. */
#include "gpu/cudart/work.h"

#include <pthread.h>
#include <stdlib.h>

#define PAGE 4096ull

struct advice {
    /* whether cudaMemAdviseSetAccessedBy is set for the device, and for the host */
    bool read_mostly, by_device, by_host;
    struct cudaMemLocation preferred, prefetched; /* the type is Invalid if no place is set */
};

/* The pages from START up to END, exclusive. Spans are sorted by address. Pages outside of all
 * spans have no advice. */
struct span {
    uintptr_t start, end;
    struct advice advice;
    struct span *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct span *spans;

/* --- spans; callers hold the lock ------------------------------------------------------------- */

/* Inserts SPAN before the span at *AT. Returns false when out of memory. */
static bool insert(struct span **at, struct span span)
{
    struct span *made = malloc(sizeof *made);
    if (!made)
        return false;
    *made = span;
    made->next = *at;
    *at = made;
    return true;
}

/* If a span crosses ADDRESS, splits it there. Returns false when out of memory. */
static bool cut(uintptr_t address)
{
    struct span *at = spans;
    while (at && at->end <= address)
        at = at->next;
    if (!at || at->start >= address)
        return true;
    if (!insert(&at->next, (struct span){address, at->end, at->advice, NULL}))
        return false;
    at->end = address;
    return true;
}

/* Splits and adds spans until each page from START to END is in a span, and no such span extends
 * beyond START or END. New spans have empty advice. Returns false when out of memory. */
static bool cover(uintptr_t start, uintptr_t end)
{
    struct span **at = &spans;
    if (!cut(start) || !cut(end))
        return false;
    while (*at && (*at)->end <= start)
        at = &(*at)->next;
    for (uintptr_t done = start; done < end; done = (*at)->end, at = &(*at)->next) {
        uintptr_t next = *at && (*at)->start < end ? (*at)->start : end;
        if (done < next && !insert(at, (struct span){.start = done, .end = next}))
            return false;
    }
    return true;
}

/* Finds the pages that contain the COUNT bytes at PTR. Page boundaries are relative to the start of
 * RANGE, because on a GPU a range starts at a page boundary. */
static void pages_of(const struct rt_range *range, const void *ptr, size_t count, uintptr_t *start,
                     uintptr_t *end)
{
    uintptr_t base = (uintptr_t)range->ptr, first = (uintptr_t)ptr - base;
    *start = base + (first & ~(PAGE - 1));
    *end = base + ((first + count + PAGE - 1) & ~(PAGE - 1));
}

void rt_advice_forget(const struct rt_range *range)
{
    uintptr_t start, end;
    pages_of(range, range->ptr, range->size, &start, &end);
    pthread_mutex_lock(&lock);
    for (struct span **at = &spans; *at;) {
        struct span *span = *at;
        /* RANGE contains each span completely or not at all, because no two ranges share a page */
        if (span->start >= start && span->end <= end) {
            *at = span->next;
            free(span);
        } else {
            at = &span->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* --- giving advice ---------------------------------------------------------------------------- */

/* If one managed allocation contains all COUNT bytes at PTR, sets *RANGE to it and returns true. */
static bool find_managed(const void *ptr, size_t count, struct rt_range *range)
{
    return ptr && count && rt_range_find(ptr, range) && range->kind & (RT_MANAGED | RT_VARIABLE) &&
           count <= range->size - (size_t)((const char *)ptr - (const char *)range->ptr);
}

bool rt_is_managed(const void *ptr, size_t count)
{
    struct rt_range range;
    return find_managed(ptr, count, &range);
}

static cudaError_t check_location(struct cudaMemLocation location)
{
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static const struct cudaMemLocation the_host = {cudaMemLocationTypeHost, cudaCpuDeviceId};

static void advise(struct advice *advice, enum cudaMemoryAdvise what, struct cudaMemLocation where)
{
    bool is_device = where.type == cudaMemLocationTypeDevice;
    switch (what) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        advice->read_mostly = what == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        /* a NUMA node of the host is stored as the host */
        advice->preferred = is_device ? where : the_host;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        advice->preferred = (struct cudaMemLocation){cudaMemLocationTypeInvalid, 0};
        break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
        *(is_device ? &advice->by_device : &advice->by_host) = what == cudaMemAdviseSetAccessedBy;
        break;
    }
}

/* The value of WHAT in note_advice() for a prefetch. All other values are kinds of advice. */
#define PREFETCHED ((enum cudaMemoryAdvise)0)

static cudaError_t note_advice(const void *ptr, size_t count, enum cudaMemoryAdvise what,
                               struct cudaMemLocation where)
{
    struct rt_range range;
    uintptr_t start, end;
    if (!find_managed(ptr, count, &range))
        return cudaErrorInvalidValue;
    pages_of(&range, ptr, count, &start, &end);
    pthread_mutex_lock(&lock);
    bool covered = cover(start, end);
    for (struct span *at = spans; covered && at && at->start < end; at = at->next) {
        if (at->start < start)
            continue;
        if (what == PREFETCHED)
            at->advice.prefetched = where;
        else
            advise(&at->advice, what, where);
    }
    pthread_mutex_unlock(&lock);
    return covered ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMemAdvise(const void *ptr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return rt_return(error);
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
        !rt_is_managed(ptr, count))
        return rt_return(cudaErrorInvalidValue);
    bool has_location = advice != cudaMemAdviseSetReadMostly &&
                        advice != cudaMemAdviseUnsetReadMostly &&
                        advice != cudaMemAdviseUnsetPreferredLocation;
    bool legal = !has_location || check_location(location) == cudaSuccess;
    return rt_return(legal ? note_advice(ptr, count, advice, location) : cudaErrorInvalidValue);
}

cudaError_t rt_prefetch(const void *ptr, size_t count, struct cudaMemLocation location,
                        cudaStream_t stream)
{
    struct rt_work nothing = {.type = cudaGraphNodeTypeEmpty};
    cudaError_t error =
        rt_is_managed(ptr, count) ? check_location(location) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_submit(stream, &nothing);
    return error == cudaSuccess ? note_advice(ptr, count, PREFETCHED, location) : error;
}

cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t count, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    if (location.type == cudaMemLocationTypeHost)
        location = the_host;
    return rt_return(flags ? cudaErrorInvalidValue : rt_prefetch(ptr, count, location, stream));
}

/* Only checks its arguments. On a GPU, this function restricts the host's access to managed memory
 * while kernels run. The emulator never restricts it. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t length, unsigned flags)
{
    struct rt_work nothing = {.type = cudaGraphNodeTypeEmpty};
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
         flags != cudaMemAttachSingle) ||
        !rt_is_managed(ptr, 1))
        return rt_return(cudaErrorInvalidValue);
    return rt_return(rt_submit(stream, &nothing));
}

/* --- queries ---------------------------------------------------------------------------------- */

static bool is_same(struct cudaMemLocation a, struct cudaMemLocation b)
{
    return a.type == b.type && a.id == b.id;
}

/* Removes from *ALL the advice that *PART does not have. */
static void intersect(struct advice *all, const struct advice *part)
{
    const struct cudaMemLocation none = {cudaMemLocationTypeInvalid, 0};
    all->read_mostly &= part->read_mostly;
    all->by_device &= part->by_device;
    all->by_host &= part->by_host;
    if (!is_same(all->preferred, part->preferred))
        all->preferred = none;
    if (!is_same(all->prefetched, part->prefetched))
        all->prefetched = none;
}

/* Returns the advice that all of the COUNT bytes at PTR have in common. The bytes are in RANGE. */
static struct advice advice_of(const struct rt_range *range, const void *ptr, size_t count)
{
    const struct advice nothing = {0};
    struct advice all = {0};
    uintptr_t start, end, done;
    pages_of(range, ptr, count, &start, &end);
    pthread_mutex_lock(&lock);
    done = start;
    for (const struct span *at = spans; at && at->start < end; at = at->next) {
        if (at->end <= start)
            continue;
        if (done == start)
            all = at->advice;
        else
            intersect(&all, &at->advice);
        if (at->start > done)
            intersect(&all, &nothing);
        done = at->end;
    }
    if (done < end)
        intersect(&all, &nothing);
    pthread_mutex_unlock(&lock);
    return all;
}

/* Returns the device number for PLACE, which can be cudaCpuDeviceId or cudaInvalidDeviceId. */
static int number_of(struct cudaMemLocation place)
{
    switch (place.type) {
    case cudaMemLocationTypeInvalid:
        return cudaInvalidDeviceId;
    case cudaMemLocationTypeDevice:
        return place.id;
    default:
        return cudaCpuDeviceId;
    }
}

/* Returns the id of PLACE, or cudaInvalidDeviceId if no place is set. */
static int id_of(struct cudaMemLocation place)
{
    return place.type == cudaMemLocationTypeInvalid ? cudaInvalidDeviceId : place.id;
}

static int attribute_of(const struct advice *advice, enum cudaMemRangeAttribute attribute)
{
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        return advice->read_mostly;
    case cudaMemRangeAttributePreferredLocation:
        return number_of(advice->preferred);
    case cudaMemRangeAttributeLastPrefetchLocation:
        return number_of(advice->prefetched);
    case cudaMemRangeAttributePreferredLocationType:
        return (int)advice->preferred.type;
    case cudaMemRangeAttributePreferredLocationId:
        return id_of(advice->preferred);
    case cudaMemRangeAttributeLastPrefetchLocationType:
        return (int)advice->prefetched.type;
    default:
        return id_of(advice->prefetched);
    }
}

/* Writes to USERS the processors for which cudaMemAdviseSetAccessedBy is set. Sets the remaining
 * entries to cudaInvalidDeviceId. */
static void list_users(const struct advice *advice, int *users, size_t room)
{
    size_t count = 0;
    if (advice->by_device)
        users[count++] = 0;
    if (advice->by_host && count < room)
        users[count++] = cudaCpuDeviceId;
    while (count < room)
        users[count++] = cudaInvalidDeviceId;
}

static bool is_legal_query(const void *data, size_t size, enum cudaMemRangeAttribute attribute)
{
    if (!data || attribute < cudaMemRangeAttributeReadMostly ||
        attribute > cudaMemRangeAttributeLastPrefetchLocationId)
        return false;
    return attribute == cudaMemRangeAttributeAccessedBy ? size && size % sizeof(int) == 0
                                                        : size == sizeof(int);
}

static cudaError_t ask(void **data, const size_t *sizes,
                       const enum cudaMemRangeAttribute *attributes, size_t asked, const void *ptr,
                       size_t count)
{
    struct emu_device *device;
    struct rt_range range;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!data || !sizes || !attributes || !asked || !find_managed(ptr, count, &range))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < asked; i++)
        if (!is_legal_query(data[i], sizes[i], attributes[i]))
            return cudaErrorInvalidValue;
    const struct advice advice = advice_of(&range, ptr, count);
    for (size_t i = 0; i < asked; i++) {
        if (attributes[i] == cudaMemRangeAttributeAccessedBy)
            list_users(&advice, data[i], sizes[i] / sizeof(int));
        else
            *(int *)data[i] = attribute_of(&advice, attributes[i]);
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *ptr, size_t count)
{
    return rt_return(ask(&data, &size, &attribute, 1, ptr, count));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
                                      enum cudaMemRangeAttribute *attributes, size_t asked,
                                      const void *ptr, size_t count)
{
    return rt_return(ask(data, sizes, attributes, asked, ptr, count));
}
