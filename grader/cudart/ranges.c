/* What the program has in memory, by address: its allocations on the device and the host, and the
 * managed variables of its modules. Ranges never overlap. */
#include "cudart/rt.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *ranges; /* a tree of struct rt_range, by ptr */
static unsigned long long last_id;

/* Ranges that touch the same byte are equal: a key of one byte finds the range that holds it. */
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

bool rt_range_take(const void *ptr, unsigned owners, struct rt_range *range)
{
    struct rt_range key = {.ptr = ptr, .size = 1};
    struct rt_range *found = NULL;
    pthread_mutex_lock(&lock);
    struct rt_range **node = tfind(&key, &ranges, compare);
    if (node && (*node)->ptr == ptr && (*node)->owner & owners) {
        found = *node;
        tdelete(&key, &ranges, compare);
    }
    pthread_mutex_unlock(&lock);
    if (found)
        *range = *found;
    free(found);
    return found != NULL;
}

static _Thread_local unsigned wanted;
static _Thread_local const struct rt_range *chosen;

static void choose(const void *node, VISIT visit, int depth)
{
    const struct rt_range *range = *(struct rt_range *const *)node;
    if ((visit == postorder || visit == leaf) && range->owner & wanted)
        chosen = range;
}

bool rt_range_take_any(unsigned owners, struct rt_range *range)
{
    pthread_mutex_lock(&lock);
    chosen = NULL;
    wanted = owners;
    twalk(ranges, choose);
    const void *ptr = chosen ? chosen->ptr : NULL;
    pthread_mutex_unlock(&lock);
    return ptr && rt_range_take(ptr, owners, range);
}
