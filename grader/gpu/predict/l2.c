/* The second-level cache between launches.
 *
 * Time is counted in parts of launches. A sector is still in the cache if, since its last use, fewer
 * different sectors were used than the cache holds: that is what "least recently used" means. Of the
 * sectors used in one part, half are taken to be used before any other one of that part. */
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/footprint.h"

#define TIMES 8192u /* parts that are remembered */

struct l2_page {
    uint64_t number;
    uint32_t last[PAGE_SECTORS]; /* time of the last use; 0: not in the cache */
    uint8_t dirty[PAGE_SECTORS]; /* a bit for each word that was written; 0: it is clean */
};

struct l2 {
    struct l2_page *pages; /* sorted by number */
    uint32_t count, room;
    unsigned shift;
    uint32_t now;
    uint32_t used[TIMES]; /* sectors whose last use was at this time */
};

struct l2 *l2_new(void)
{
    struct l2 *l2 = calloc(1, sizeof *l2);
    if (l2)
        l2->now = 1;
    return l2;
}

void l2_free(struct l2 *l2)
{
    if (l2)
        free(l2->pages);
    free(l2);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const struct l2_page *)a)->number, y = ((const struct l2_page *)b)->number;
    return (x > y) - (x < y);
}

static void forget_page(struct l2 *l2, const struct l2_page *page)
{
    for (unsigned s = 0; s < PAGE_SECTORS; s++)
        if (page->last[s])
            l2->used[page->last[s] % TIMES]--;
}

/* Watches fewer pages from now on. */
static void set_shift(struct l2 *l2, unsigned shift)
{
    struct footprint watch = {.shift = shift};
    uint32_t kept = 0;
    l2->shift = shift;
    for (uint32_t i = 0; i < l2->count; i++) {
        if (footprint_watches(&watch, l2->pages[i].number))
            l2->pages[kept++] = l2->pages[i];
        else
            forget_page(l2, &l2->pages[i]);
    }
    l2->count = kept;
}

/* Adds the pages of FOOTPRINT that are new. */
static bool add_pages(struct l2 *l2, const struct footprint *footprint)
{
    uint32_t known = l2->count, room = known + footprint->count;
    struct l2_page *pages = realloc(l2->pages, (room + 1) * sizeof *pages);
    if (!pages)
        return false;
    l2->pages = pages;
    for (uint32_t i = 0; i < footprint->room; i++) {
        struct l2_page key = {.number = footprint->pages[i] ? footprint->pages[i]->number : 0};
        if (footprint->pages[i] && !bsearch(&key, pages, known, sizeof *pages, by_number))
            pages[l2->count++] = key;
    }
    qsort(pages, l2->count, sizeof *pages, by_number);
    return true;
}

/* For each page, its entry in the footprint or NULL. */
static const struct page **match(const struct l2 *l2, const struct footprint *footprint)
{
    const struct page **touched = calloc(l2->count + 1u, sizeof *touched);
    for (uint32_t i = 0; touched && i < footprint->room; i++) {
        struct l2_page key = {.number = footprint->pages[i] ? footprint->pages[i]->number : 0};
        if (!footprint->pages[i])
            continue;
        const struct l2_page *page =
            bsearch(&key, l2->pages, l2->count, sizeof *l2->pages, by_number);
        touched[page - l2->pages] = footprint->pages[i];
    }
    return touched;
}

/* --- a launch ----------------------------------------------------------------------------------- */

struct launch_traffic {
    const struct memory *memory;
    struct l2_buffer *buffers;
    unsigned count, room;
    double weight;   /* sectors that a watched one stands for */
    double capacity; /* watched sectors that the cache holds */
};

/* The buffer of ADDR. Pages come in order, so it is the last one or a new one. */
static struct l2_buffer *buffer_at(struct launch_traffic *traffic, uint64_t addr)
{
    for (unsigned i = traffic->count; i-- > 0;)
        if (addr >= traffic->buffers[i].begin && addr < traffic->buffers[i].end)
            return &traffic->buffers[i];
    if (traffic->count == traffic->room)
        return &traffic->buffers[traffic->count - 1];
    const struct mem_block *block = mem_block_at(traffic->memory, addr);
    struct l2_buffer *buffer = &traffic->buffers[traffic->count++];
    *buffer = (struct l2_buffer){.begin = addr, .end = addr + 1};
    if (block) {
        buffer->begin = block->addr;
        buffer->end = block->addr + block->size;
    }
    return buffer;
}

/* Different sectors that the launch uses in PART. */
static double size_of_part(const struct l2 *l2, const struct page *const *touched, unsigned part)
{
    double size = 0;
    for (uint32_t i = 0; i < l2->count; i++)
        for (unsigned s = 0; touched[i] && s < PAGE_SECTORS; s++)
            size += (touched[i]->read[s] | touched[i]->written[s]) >> part & 1;
    return size;
}

/* Fills NEWER[i] with the number of sectors that were last used later than i parts ago. */
static void count_newer(const struct l2 *l2, double newer[TIMES])
{
    double sum = 0;
    for (uint32_t age = 0; age < TIMES; age++) {
        newer[age] = sum;
        sum += age < l2->now ? l2->used[(l2->now - age) % TIMES] : 0;
    }
}

/* Whether the cache has dropped a sector that was last used AGE parts ago, when SIZE further sectors
 * are used now. */
static bool is_gone(const double *newer, uint32_t age, double size, double capacity)
{
    if (age >= TIMES - 1)
        return true;
    double own = newer[age + 1] - newer[age];
    return newer[age] + (own + size) / 2 > capacity;
}

/* Writes back the sectors GONE of the line at sector FIRST, as far as they are dirty. Of a sector that
 * was written in part, DRAM first reads the rest. */
static void write_back(struct launch_traffic *traffic, struct l2_page *page, unsigned first,
                       uint32_t gone)
{
    uint32_t dirty = 0, partial = 0;
    for (unsigned s = 0; s < 4; s++) {
        uint8_t words = page->dirty[first + s];
        if (!(gone >> s & 1) || !words)
            continue;
        dirty |= 1u << s;
        partial |= (uint32_t)(words != 0xff) << s;
        page->dirty[first + s] = 0;
    }
    if (!dirty)
        return;
    struct l2_buffer *buffer = buffer_at(traffic, page->number * PAGE_BYTES + 32 * first);
    buffer->written += traffic->weight * __builtin_popcount(dirty);
    buffer->write_cost += traffic->weight * dram_cost(dram_halves(dirty));
    buffer->read += traffic->weight * __builtin_popcount(partial);
    buffer->write_cost += traffic->weight * dram_cost(dram_halves(partial));
}

static void hold(struct l2 *l2, struct l2_page *page, unsigned s)
{
    if (page->last[s])
        l2->used[page->last[s] % TIMES]--;
    page->last[s] = l2->now;
    l2->used[l2->now % TIMES]++;
}

/* Uses the line at sector FIRST: READS and WRITES are bits of its sectors, GONE those that the cache
 * does not hold. */
static void use_line(struct l2 *l2, struct launch_traffic *traffic, struct l2_page *page,
                     const struct page *touched, unsigned first, uint32_t reads, uint32_t writes,
                     uint32_t gone)
{
    write_back(traffic, page, first, gone & (reads | writes));
    uint32_t missed = reads & gone, fetched = 0;
    if (missed) {
        struct l2_buffer *buffer = buffer_at(traffic, page->number * PAGE_BYTES + 32 * first);
        unsigned halves = dram_halves(missed);
        fetched = ((missed & 3 ? 3u : 0) | (missed & 12 ? 12u : 0)) & gone;
        buffer->missed += traffic->weight * __builtin_popcount(missed);
        buffer->read += traffic->weight * 2 * halves;
        buffer->read_cost += traffic->weight * dram_cost(halves);
    }
    for (unsigned s = 0; s < 4; s++) {
        if ((reads | writes | fetched) >> s & 1)
            hold(l2, page, first + s);
        if (writes >> s & 1)
            page->dirty[first + s] |= touched->words[first + s];
    }
}

static void run_part(struct l2 *l2, struct launch_traffic *traffic,
                     const struct page *const *touched, unsigned part)
{
    double newer[TIMES], size = size_of_part(l2, touched, part);
    count_newer(l2, newer);
    l2->now++;
    l2->used[l2->now % TIMES] = 0;
    for (uint32_t i = 0; i < l2->count; i++)
        for (unsigned first = 0; touched[i] && first < PAGE_SECTORS; first += 4) {
            uint32_t reads = 0, writes = 0, gone = 0;
            for (unsigned s = 0; s < 4; s++) {
                uint32_t last = l2->pages[i].last[first + s];
                reads |= (uint32_t)(touched[i]->read[first + s] >> part & 1) << s;
                writes |= (uint32_t)(touched[i]->written[first + s] >> part & 1) << s;
                gone |= (uint32_t)(!last || is_gone(newer, l2->now - 1 - last, size,
                                                    traffic->capacity))
                        << s;
            }
            if (reads | writes)
                use_line(l2, traffic, &l2->pages[i], touched[i], first, reads, writes, gone);
        }
}

/* Writes back what has been dropped without being used again. */
static void sweep(struct l2 *l2, struct launch_traffic *traffic)
{
    double newer[TIMES];
    count_newer(l2, newer);
    for (uint32_t i = 0; i < l2->count; i++)
        for (unsigned first = 0; first < PAGE_SECTORS; first += 4) {
            struct l2_page *page = &l2->pages[i];
            uint32_t gone = 0;
            for (unsigned s = 0; s < 4; s++)
                gone |= (uint32_t)(page->dirty[first + s] && is_gone(newer, l2->now - page->last[first + s], 0,
                                           traffic->capacity)) << s;
            write_back(traffic, page, first, gone);
        }
}

/* Counts the pages that the launch writes in each buffer. */
static void count_pages(const struct l2 *l2, struct launch_traffic *traffic,
                        const struct page *const *touched)
{
    for (uint32_t i = 0; i < l2->count; i++) {
        unsigned s = 0;
        while (touched[i] && s < PAGE_SECTORS && !touched[i]->written[s])
            s++;
        if (touched[i] && s < PAGE_SECTORS)
            buffer_at(traffic, touched[i]->number * PAGE_BYTES + 32 * s)->write_pages +=
                traffic->weight;
    }
}

unsigned l2_launch(struct l2 *l2, const struct footprint *footprint, unsigned parts, double bytes,
                   const struct memory *memory, struct l2_buffer *buffers, unsigned room)
{
    struct launch_traffic traffic = {.memory = memory,
                                     .buffers = buffers,
                                     .room = room,
                                     .weight = (double)(1u << footprint->shift),
                                     .capacity = bytes / 32 / (double)(1u << footprint->shift)};
    if (footprint->shift > l2->shift)
        set_shift(l2, footprint->shift);
    if (!add_pages(l2, footprint))
        return 0;
    const struct page **touched = match(l2, footprint);
    if (!touched)
        return 0;
    count_pages(l2, &traffic, touched);
    for (unsigned part = 0; part < parts; part++)
        run_part(l2, &traffic, touched, part);
    sweep(l2, &traffic);
    free(touched);
    return traffic.count;
}
