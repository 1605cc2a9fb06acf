/* Lists the program's memory, sorted by address: its allocations on the device and on the host, and
 * the managed variables of its modules. Ranges never overlap. */
#include "gpu/cudart/rt.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *ranges; /* tree of struct rt_range, sorted by ptr */
static void *past;   /* another tree, of ranges that were freed */
static unsigned long long last_id;

/* Compares two ranges by address. Overlapping ranges compare as equal. So a search for a range of
 * one byte finds the range that contains this byte. */
static int compare(const void *a, const void *b)
{
    const struct rt_range *left = a, *right = b;
    uintptr_t left_at = (uintptr_t)left->ptr, right_at = (uintptr_t)right->ptr;
    if (left_at >= right_at + right->size)
        return 1;
    return right_at >= left_at + left->size ? -1 : 0;
}

bool rt_range_add(struct rt_range range)
{
    struct rt_range *added = malloc(sizeof *added);
    if (!added)
        return false;
    if (!range.made.file)
        range.made = rt_caller();
    pthread_mutex_lock(&lock);
    range.id = ++last_id;
    *added = range;
    struct rt_range **node = tsearch(added, &ranges, compare);
    bool done = node && *node == added;
    pthread_mutex_unlock(&lock);
    if (!done)
        free(added);
    return done;
}

bool rt_range_find(const void *ptr, struct rt_range *range)
{
    struct rt_range key = {.ptr = ptr, .size = 1};
    pthread_mutex_lock(&lock);
    struct rt_range **node = tfind(&key, &ranges, compare);
    if (node)
        *range = **node;
    pthread_mutex_unlock(&lock);
    return node != NULL;
}

bool rt_range_take(const void *ptr, unsigned kinds, struct rt_range *range)
{
    struct rt_range key = {.ptr = ptr, .size = 1};
    struct rt_range *found = NULL;
    pthread_mutex_lock(&lock);
    struct rt_range **node = tfind(&key, &ranges, compare);
    if (node && (*node)->ptr == ptr && (*node)->kind & kinds) {
        found = *node;
        tdelete(&key, &ranges, compare);
    }
    pthread_mutex_unlock(&lock);
    if (found)
        *range = *found;
    free(found);
    return found != NULL;
}

bool rt_range_fill(const void *ptr, size_t size)
{
    struct rt_range key = {.ptr = ptr, .size = 1};
    pthread_mutex_lock(&lock);
    struct rt_range **node = tfind(&key, &ranges, compare);
    struct rt_range *range = node ? *node : NULL;
    bool is_new = range && range->ptr == ptr && size < range->size && size != range->filled;
    if (is_new)
        range->filled = size;
    pthread_mutex_unlock(&lock);
    return is_new;
}

void rt_range_add_freed(struct rt_range range)
{
    struct rt_range *buried = malloc(sizeof *buried), **node;
    if (!buried)
        return;
    *buried = range;
    pthread_mutex_lock(&lock);
    /* remove the older freed ranges that overlap this range */
    while ((node = tfind(&range, &past, compare))) {
        struct rt_range *older = *node;
        tdelete(older, &past, compare);
        free(older);
    }
    if (!tsearch(buried, &past, compare))
        free(buried);
    pthread_mutex_unlock(&lock);
}

bool rt_range_find_freed(const void *ptr, struct rt_range *range)
{
    struct rt_range key = {.ptr = ptr, .size = 1};
    pthread_mutex_lock(&lock);
    struct rt_range **node = tfind(&key, &ranges, compare) ? NULL : tfind(&key, &past, compare);
    if (node)
        *range = **node;
    pthread_mutex_unlock(&lock);
    return node != NULL;
}

struct walk {
    unsigned kinds;
    bool is_reset; /* visit only ranges that cudaDeviceReset() has freed */
    void (*visit)(void *context, const struct rt_range *range);
    void *context;
};

static void visit_node(const void *node, VISIT visit, void *closure)
{
    const struct rt_range *range = *(struct rt_range *const *)node;
    const struct walk *walk = closure;
    if ((visit == postorder || visit == leaf) && range->kind & walk->kinds &&
        range->is_reset == walk->is_reset)
        walk->visit(walk->context, range);
}

void rt_range_each(unsigned kinds, void (*visit)(void *context, const struct rt_range *range),
                   void *context)
{
    struct walk walk = {kinds, false, visit, context};
    pthread_mutex_lock(&lock);
    twalk_r(ranges, visit_node, &walk);
    pthread_mutex_unlock(&lock);
}

void rt_range_each_reset(unsigned kinds, void (*visit)(void *context, const struct rt_range *range),
                         void *context)
{
    struct walk walk = {kinds, true, visit, context};
    pthread_mutex_lock(&lock);
    twalk_r(past, visit_node, &walk);
    pthread_mutex_unlock(&lock);
}

static void choose(void *context, const struct rt_range *range)
{
    *(const void **)context = range->ptr;
}

bool rt_range_take_any(unsigned kinds, struct rt_range *range)
{
    const void *ptr = NULL;
    rt_range_each(kinds, choose, &ptr);
    return ptr && rt_range_take(ptr, kinds, range);
}
