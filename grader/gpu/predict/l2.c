/* Simulates which lines the second-level cache holds, across launches.
 *
 * Each launch is divided into parts, which are ranges of its CTAs (footprint.h). The simulation's
 * clock counts parts. The cache replaces the least recently used line. So it still holds a line if
 * the number of distinct lines used since that line's last use is smaller than the number of lines
 * that fit. A line takes the space of its four sectors even if only one of them is used.
 *
 * The order of the accesses within a part is not known. When a line is used, the simulation assumes
 * that half of the other lines of the same part were used before it, and half are used after it. */
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/footprint.h"

/* a line that was not used in this many parts is assumed to have been replaced */
#define TIMES      8192u
#define PAGE_LINES (PAGE_SECTORS / 4)

struct l2_page {
    uint64_t number;
    uint32_t last[PAGE_LINES]; /* time of the line's last use, or 0 if it is not in the cache */
    uint8_t held[PAGE_LINES];  /* the sectors of each line that the cache holds, as bits */
    /* for each sector, a bit set of the words that were written since its last write-back to
     * DRAM */
    uint8_t dirty[PAGE_SECTORS];
};

struct l2 {
    struct l2_page *pages; /* sorted by number */
    uint32_t count, room;
    unsigned shift;
    uint32_t now;
    uint32_t used[TIMES]; /* used[T % TIMES] is the number of lines whose last use was at time T */
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
    for (unsigned i = 0; i < PAGE_LINES; i++)
        if (page->last[i])
            l2->used[page->last[i] % TIMES]--;
}

/* Sets the shift, which never decreases (see footprint.h), and drops the pages that are no longer
 * tracked. */
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

/* Adds those pages of FOOTPRINT that the cache does not have yet. */
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
    if (l2->count > known)
        qsort(pages, l2->count, sizeof *pages, by_number);
    return true;
}

/* Returns an array from malloc() with the entry in FOOTPRINT of each of the cache's pages, or NULL
 * for a page that the launch does not access. Returns NULL when out of memory. */
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

bool l2_holds(const struct l2 *l2, uint64_t line)
{
    uint32_t low = 0, high = l2->count; /* binary search for the first page after the line's page */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l2->pages[middle].number <= line / PAGE_BYTES)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || (!l2->shift && l2->pages[low - 1].number != line / PAGE_BYTES))
        return false;
    return l2->pages[low - 1].held[line % PAGE_BYTES / 128] != 0;
}

/* --- a launch --------------------------------------------------------------------------------- */

struct launch_traffic {
    const struct memory *memory;
    struct l2_buffer *buffers, *latest; /* the one that buffer_at() returned last */
    unsigned count, room;
    double weight;   /* number of sectors that each tracked sector represents */
    double capacity; /* number of tracked lines that fit in the cache */
};

/* Returns the buffer that contains ADDR. Adds the buffer if it is new. If BUFFERS is full, returns
 * its last entry. */
static struct l2_buffer *find_buffer(struct launch_traffic *traffic, uint64_t addr)
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

static struct l2_buffer *buffer_at(struct launch_traffic *traffic, uint64_t addr)
{
    struct l2_buffer *latest = traffic->latest;
    if (!latest || addr < latest->begin || addr >= latest->end)
        traffic->latest = find_buffer(traffic, addr);
    return traffic->latest;
}

/* Returns a bit mask of those sectors of line LINE that were accessed in PART. TOUCHED has, for
 * each sector of a page, the bit set of the parts that accessed it. */
static uint32_t bits_of(const uint64_t *touched, unsigned line, unsigned part)
{
    uint32_t bits = 0;
    for (unsigned s = 0; s < 4; s++)
        bits |= (uint32_t)(touched[4 * line + s] >> part & 1) << s;
    return bits;
}

/* Returns the bit set of the parts that accessed line LINE. */
static uint64_t parts_of(const struct page *touched, unsigned line)
{
    uint64_t parts = 0;
    for (unsigned s = 4 * line; s < 4 * line + 4; s++)
        parts |= touched->read[s] | touched->written[s];
    return parts;
}

/* Returns the number of distinct lines that the launch uses in PART. */
static double size_of_part(const struct l2 *l2, const struct page *const *touched, unsigned part)
{
    double size = 0;
    for (uint32_t i = 0; i < l2->count; i++)
        for (unsigned line = 0; touched[i] && line < PAGE_LINES; line++)
            size += (double)(parts_of(touched[i], line) >> part & 1);
    return size;
}

/* Fills NEWER[i] with the number of lines whose last use was less than i parts ago, for all i up to
 * the age of the oldest line. */
static void count_newer(const struct l2 *l2, double newer[TIMES])
{
    double sum = 0;
    for (uint32_t age = 0; age < TIMES && age <= l2->now; age++) {
        newer[age] = sum;
        sum += l2->used[(l2->now - age) % TIMES];
    }
}

/* Returns whether the cache has replaced a line that was last used AGE parts ago. The current part
 * uses SIZE distinct lines. */
static bool is_gone(const double *newer, uint32_t age, double size, double capacity)
{
    if (age >= TIMES - 1)
        return true;
    double own = newer[age + 1] - newer[age];
    return newer[age] + (own + size) / 2 > capacity;
}

/* Writes back the dirty sectors of a line that the cache drops. If only a part of a sector was
 * written, the rest is first read from DRAM. */
static void drop_line(struct launch_traffic *traffic, struct l2_page *page, unsigned line)
{
    uint32_t dirty = 0, partial = 0;
    for (unsigned s = 0; s < 4; s++) {
        uint8_t words = page->dirty[4 * line + s];
        dirty |= (uint32_t)(words != 0) << s;
        partial |= (uint32_t)(words && words != 0xff) << s;
        page->dirty[4 * line + s] = 0;
    }
    page->held[line] = 0;
    if (!dirty)
        return;
    struct l2_buffer *buffer = buffer_at(traffic, page->number * PAGE_BYTES + 128 * line);
    buffer->written += traffic->weight * __builtin_popcount(dirty);
    buffer->write_cost += traffic->weight * dram_cost(dram_halves(dirty));
    buffer->read += traffic->weight * __builtin_popcount(partial);
    buffer->write_cost += traffic->weight * dram_cost(dram_halves(partial));
}

/* Simulates that the launch reads and writes sectors of LINE. READS and WRITES are bit masks of
 * these sectors. */
static void use_line(struct l2 *l2, struct launch_traffic *traffic, struct l2_page *page,
                     const struct page *touched, unsigned line, uint32_t reads, uint32_t writes)
{
    uint32_t missed = reads & ~(uint32_t)page->held[line];
    if (missed) {
        struct l2_buffer *buffer = buffer_at(traffic, page->number * PAGE_BYTES + 128 * line);
        unsigned halves = dram_halves(missed);
        page->held[line] |= (uint8_t)((missed & 3 ? 3 : 0) | (missed & 12 ? 12 : 0));
        buffer->missed += traffic->weight * __builtin_popcount(missed);
        buffer->read += traffic->weight * 2 * halves;
        buffer->read_cost += traffic->weight * dram_cost(halves);
    }
    page->held[line] |= (uint8_t)writes;
    for (unsigned s = 0; s < 4; s++)
        if (writes >> s & 1)
            page->dirty[4 * line + s] |= touched->words[4 * line + s];
    if (page->last[line])
        l2->used[page->last[line] % TIMES]--;
    page->last[line] = l2->now;
    l2->used[l2->now % TIMES]++;
}

static void run_part(struct l2 *l2, struct launch_traffic *traffic,
                     const struct page *const *touched, unsigned part)
{
    double newer[TIMES], size = size_of_part(l2, touched, part);
    count_newer(l2, newer);
    l2->now++;
    l2->used[l2->now % TIMES] = 0;
    for (uint32_t i = 0; i < l2->count; i++)
        for (unsigned line = 0; touched[i] && line < PAGE_LINES; line++) {
            struct l2_page *page = &l2->pages[i];
            if (!(parts_of(touched[i], line) >> part & 1))
                continue;
            uint32_t reads = bits_of(touched[i]->read, line, part);
            uint32_t writes = bits_of(touched[i]->written, line, part);
            if (page->last[line] &&
                is_gone(newer, l2->now - 1 - page->last[line], size, traffic->capacity))
                drop_line(traffic, page, line);
            use_line(l2, traffic, page, touched[i], line, reads, writes);
        }
}

/* At the end of a launch, drops the lines that have been replaced by lines used later. */
static void sweep(struct l2 *l2, struct launch_traffic *traffic)
{
    double newer[TIMES];
    count_newer(l2, newer);
    for (uint32_t i = 0; i < l2->count; i++)
        for (unsigned line = 0; line < PAGE_LINES; line++) {
            struct l2_page *page = &l2->pages[i];
            if (page->held[line] &&
                is_gone(newer, l2->now - page->last[line], 0, traffic->capacity))
                drop_line(traffic, page, line);
        }
}

/* Counts the sectors that the launch reads in each buffer. */
static void count_touched(const struct l2 *l2, struct launch_traffic *traffic,
                          const struct page *const *touched)
{
    for (uint32_t i = 0; i < l2->count; i++) {
        bool writes = false;
        for (unsigned s = 0; touched[i] && s < PAGE_SECTORS; s++) {
            /* a buffer that is only written needs an entry in `buffers`, too */
            struct l2_buffer *buffer =
                touched[i]->read[s] || (touched[i]->written[s] && !writes)
                    ? buffer_at(traffic, touched[i]->number * PAGE_BYTES + 32 * s)
                    : NULL;
            if (touched[i]->read[s])
                buffer->touched += traffic->weight;
            writes |= touched[i]->written[s] != 0;
        }
    }
}

unsigned l2_launch(struct l2 *l2, const struct footprint *footprint, unsigned parts, double bytes,
                   const struct memory *memory, struct l2_buffer *buffers, unsigned room)
{
    struct launch_traffic traffic = {.memory = memory,
                                     .buffers = buffers,
                                     .room = room,
                                     .weight = (double)(1u << footprint->shift),
                                     .capacity = bytes / 128 / (double)(1u << footprint->shift)};
    if (footprint->shift > l2->shift)
        set_shift(l2, footprint->shift);
    if (!add_pages(l2, footprint))
        return 0;
    const struct page **touched = match(l2, footprint);
    if (!touched)
        return 0;
    count_touched(l2, &traffic, touched);
    for (unsigned part = 0; part < parts; part++)
        run_part(l2, &traffic, touched, part);
    sweep(l2, &traffic);
    free(touched);
    return traffic.count;
}
