/* Shares pages of the program's memory. Two ranges can have a page in common: malloc() can put the
 * end of one buffer and the start of the next into one page, and a program may register both
 * buffers. Such a page is in the shared file only once. */
#include "gpu/remote/lend.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "gpu/remote/wire.h"

struct lent {
    uint64_t addr;
    struct lend_plan plan;
    /* file offset of the new pages; the first and the last page can be elsewhere (head, tail) */
    uint64_t fresh;
};

static struct lent *ranges;
static size_t count;

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(uintptr_t)(WIRE_PAGE - 1);
}

static uint64_t last_page(const struct lend_plan *plan)
{
    return plan->first + (plan->pages - 1) * WIRE_PAGE;
}

/* Returns the file offset of the page of RANGE at address PAGE. */
static uint64_t place(const struct lent *range, uintptr_t page)
{
    const struct lend_plan *plan = &range->plan;
    if (page == plan->first && plan->head != WIRE_NO_PAGE)
        return plan->head;
    if (page == last_page(plan) && plan->tail != WIRE_NO_PAGE)
        return plan->tail;
    return range->fresh + (page - plan->first - (plan->head != WIRE_NO_PAGE ? WIRE_PAGE : 0));
}

/* Returns the file offset of the program's page at address PAGE, or WIRE_NO_PAGE if no range other
 * than EXCEPT contains it. */
static uint64_t find_page(uintptr_t page, const struct lent *except)
{
    for (size_t i = 0; i < count; i++) {
        const struct lend_plan *plan = &ranges[i].plan;
        if (&ranges[i] != except && page >= plan->first && page <= last_page(plan))
            return place(&ranges[i], page);
    }
    return WIRE_NO_PAGE;
}

struct lend_plan lend_plan(void *host, uint64_t size)
{
    uintptr_t start = (uintptr_t)host, last = page_of(start + size - 1);
    struct lend_plan plan = {.first = page_of(start), .in_page = start % WIRE_PAGE};
    plan.pages = (last - plan.first) / WIRE_PAGE + 1;
    plan.head = find_page(plan.first, NULL);
    plan.tail = plan.pages > 1 ? find_page(last, NULL) : WIRE_NO_PAGE;
    return plan;
}

/* Copies whole pages, including bytes outside of the range. Sanitizers would reject memcpy() for
 * these bytes. */
__attribute__((no_sanitize("address"))) static void copy_pages(void *to, const void *from,
                                                               uint64_t size)
{
    /* volatile, so that the compiler does not turn the loop into memcpy() */
    const volatile uint64_t *source = from;
    for (uint64_t i = 0; i < size / sizeof *source; i++)
        ((uint64_t *)to)[i] = source[i];
}

/* Replaces the program's SIZE bytes at AT with a new mapping of FILE, or of private memory if FILE
 * is -1. If KEEP is true, keeps the contents, but a write by another thread during the call can be
 * lost. */
static bool replace(uintptr_t at, uint64_t size, int file, uint64_t offset, bool keep)
{
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, (off_t)offset);
    if (pages == MAP_FAILED)
        return false;
    if (keep)
        copy_pages(pages, (const void *)at, size);
    if (mremap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)at) != MAP_FAILED)
        return true;
    munmap(pages, size);
    return false;
}

bool lend_begin(const struct lend_plan *plan, uint64_t addr, int file, uint64_t fresh, bool keep)
{
    uintptr_t first = plan->first + (plan->head != WIRE_NO_PAGE ? WIRE_PAGE : 0);
    uintptr_t end = last_page(plan) + (plan->tail != WIRE_NO_PAGE ? 0 : WIRE_PAGE);
    struct lent *more = realloc(ranges, (count + 1) * sizeof *more);
    if (!more)
        return false;
    ranges = more;
    if (first < end && !replace(first, end - first, file, fresh, keep))
        return false;
    ranges[count++] = (struct lent){addr, *plan, fresh};
    return true;
}

void lend_end(uint64_t addr)
{
    struct lent *range = ranges, *end = ranges + count;
    while (range < end && range->addr != addr)
        range++;
    if (range == end)
        return;
    uintptr_t first = range->plan.first, last = last_page(&range->plan);
    uintptr_t from = find_page(first, range) == WIRE_NO_PAGE ? first : first + WIRE_PAGE;
    uintptr_t to = find_page(last, range) == WIRE_NO_PAGE ? last + WIRE_PAGE : last;
    if (from < to)
        /* if this fails, the program keeps using the file's pages */
        replace(from, to - from, -1, 0, true);
    *range = ranges[--count];
}
