#include "gpu/order/touches.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct emu_touch *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind > y->kind ? 1 : -1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Merges touches of the same kind that overlap or are adjacent. Returns the number of remaining
 * touches. */
static size_t merge(struct emu_touch *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct emu_touch *last = kept ? &list[kept - 1] : NULL;
        if (list[i].begin >= list[i].end)
            continue;
        if (last && last->kind == list[i].kind && last->end >= list[i].begin)
            last->end = list[i].end > last->end ? list[i].end : last->end;
        else
            list[kept++] = list[i];
    }
    return kept;
}

/* Sets all fields except the list, which is sorted already. */
static void note(struct touches *touches, size_t count)
{
    size_t i = 0;
    touches->begin = UINT64_MAX;
    touches->end = 0;
    for (unsigned kind = 0; kind <= EMU_TOUCH_KINDS; kind++) {
        touches->first[kind] = i;
        for (; i < count && touches->list[i].kind == kind; i++) {
            if (touches->list[i].begin < touches->begin)
                touches->begin = touches->list[i].begin;
            if (touches->list[i].end > touches->end)
                touches->end = touches->list[i].end;
        }
    }
}

static size_t sort_and_merge(struct emu_touch *list, size_t count)
{
    size_t i = 1;
    while (i < count && compare(&list[i - 1], &list[i]) <= 0)
        i++;
    if (i < count)
        qsort(list, count, sizeof *list, compare);
    return merge(list, count);
}

/* Longer ranges of volatile accesses contain data, not only flags. */
#define SIGNAL_MOST 4096

/* Turns long signals into updates, which conflict with copies. Returns whether there were any. */
static bool turn_long_signals(struct emu_touch *list, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (list[i].kind != EMU_SIGNALS || list[i].end - list[i].begin <= SIGNAL_MOST)
            continue;
        list[i].kind = EMU_UPDATES;
        found = true;
    }
    return found;
}

struct touches touches_sort(struct emu_touch *list, size_t count)
{
    struct touches touches = {.list = list};
    count = sort_and_merge(list, count);
    if (turn_long_signals(list, count))
        count = sort_and_merge(list, count);
    note(&touches, count);
    return touches;
}

bool touches_conflict(enum emu_touch_kind one, enum emu_touch_kind other)
{
    if (one == EMU_SIGNALS || other == EMU_SIGNALS)
        return false;
    if (one == EMU_UPDATES && other == EMU_UPDATES)
        return false;
    return one != EMU_READS || other != EMU_READS;
}

const struct emu_touch *touches_at(const struct touches *touches, enum emu_touch_kind kind,
                                   uint64_t begin, uint64_t end)
{
    size_t low = touches->first[kind], high = touches->first[kind + 1];
    /* binary search for the first touch that ends after BEGIN */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (touches->list[middle].end > begin)
            high = middle;
        else
            low = middle + 1;
    }
    const struct emu_touch *found = &touches->list[low];
    return low < touches->first[kind + 1] && found->begin < end ? found : NULL;
}

static size_t count_of(const struct touches *touches, enum emu_touch_kind kind)
{
    return touches->first[kind + 1] - touches->first[kind];
}

/* Finds a byte that FEW touches with an access of FEW_KIND, and MANY with an access of MANY_KIND.
 * Sets *AT to its address. */
static bool find_common(const struct touches *few, enum emu_touch_kind few_kind,
                        const struct touches *many, enum emu_touch_kind many_kind, uint64_t *at)
{
    for (size_t i = few->first[few_kind]; i < few->first[few_kind + 1]; i++) {
        const struct emu_touch *one = &few->list[i],
                               *other = touches_at(many, many_kind, one->begin, one->end);
        if (!other)
            continue;
        *at = one->begin > other->begin ? one->begin : other->begin;
        return true;
    }
    return false;
}

bool touches_find(const struct touches *one, const struct touches *other,
                  enum emu_touch_kind *one_kind, enum emu_touch_kind *other_kind, uint64_t *at)
{
    if (one->begin >= other->end || other->begin >= one->end)
        return false;
    for (unsigned a = 0; a < EMU_TOUCH_KINDS; a++)
        for (unsigned b = 0; b < EMU_TOUCH_KINDS; b++) {
            bool swapped = count_of(one, a) > count_of(other, b);
            if (!touches_conflict(a, b) ||
                !(swapped ? find_common(other, b, one, a, at) : find_common(one, a, other, b, at)))
                continue;
            *one_kind = a;
            *other_kind = b;
            return true;
        }
    return false;
}

bool touches_equal(const struct touches *one, const struct touches *other)
{
    size_t count = one->first[EMU_TOUCH_KINDS];
    if (memcmp(one->first, other->first, sizeof one->first) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (one->list[i].begin != other->list[i].begin || one->list[i].end != other->list[i].end)
            return false;
    return true;
}

/* Returns whether TOUCH has bytes both before BEGIN and from END on. If so, two touches remain
 * after the bytes from BEGIN to END - 1 have been removed. */
static bool surrounds(const struct emu_touch *touch, uint64_t begin, uint64_t end)
{
    return touch->begin < begin && touch->end > end;
}

void touches_remove(struct touches *touches, uint64_t begin, uint64_t end)
{
    size_t count = touches->first[EMU_TOUCH_KINDS], added = 0;
    if (touches->begin >= end || begin >= touches->end)
        return;
    for (size_t i = 0; i < count; i++)
        added += surrounds(&touches->list[i], begin, end);
    struct emu_touch *list = calloc(count + added + 1, sizeof *list);
    size_t kept = 0;
    for (size_t i = 0; list && i < count; i++) {
        struct emu_touch left = touches->list[i], right = left;
        left.end = left.end < begin ? left.end : begin;
        right.begin = right.begin > end ? right.begin : end;
        if (left.begin < left.end)
            list[kept++] = left;
        if (right.begin < right.end)
            list[kept++] = right;
    }
    free(touches->list);
    *touches = touches_sort(list, kept);
}
