#include "gpu/predict/footprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* footprint_shift() selects pages so that at most this many bytes of memory are tracked */
#define WATCHED_BYTES (1u << 19)

unsigned footprint_shift(uint64_t bytes)
{
    unsigned shift = 0;
    while (bytes >> shift > WATCHED_BYTES)
        shift++;
    return shift;
}

/* Returns the slot that holds page NUMBER or, if there is none, the free slot for it. */
static struct page **place_of(const struct footprint *footprint, uint64_t number)
{
    uint32_t mask = footprint->room - 1, i = (uint32_t)(number * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (footprint->pages[i] && footprint->pages[i]->number != number)
        i = (i + 1) & mask;
    return &footprint->pages[i];
}

static bool make_room(struct footprint *footprint)
{
    if (2 * footprint->count < footprint->room)
        return true;
    struct footprint larger = *footprint;
    larger.room = footprint->room ? 2 * footprint->room : 64;
    larger.pages = calloc(larger.room, sizeof *larger.pages);
    if (!larger.pages)
        return false;
    for (uint32_t i = 0; i < footprint->room; i++)
        if (footprint->pages[i])
            *place_of(&larger, footprint->pages[i]->number) = footprint->pages[i];
    free(footprint->pages);
    *footprint = larger;
    return true;
}

static struct page *add_page(struct footprint *footprint, uint64_t number)
{
    struct page *page = make_room(footprint) ? calloc(1, sizeof *page) : NULL;
    footprint->failed |= !page;
    if (!page)
        return NULL;
    page->number = number;
    footprint->count++;
    return *place_of(footprint, number) = page;
}

static struct page *page_at(struct footprint *footprint, uint64_t number)
{
    struct page *page = footprint->room ? *place_of(footprint, number) : NULL;
    return page ? page : add_page(footprint, number);
}

void footprint_note(struct footprint *footprint, uint64_t begin, uint64_t end, unsigned part,
                    enum footprint_use use)
{
    struct page *page = page_at(footprint, begin / PAGE_BYTES);
    bool writes = use != FOOTPRINT_READS;
    if (!page)
        return;
    uint64_t *sectors = writes ? page->written : page->read, last = (end - 1) % PAGE_BYTES / 4;
    for (uint64_t word = begin % PAGE_BYTES / 4; word <= last; word = (word | 7) + 1) {
        sectors[word / 8] |= (uint64_t)1 << part;
        uint32_t stop = word / 8 == last / 8 ? last % 8 : 7;
        if (writes)
            page->words[word / 8] |= (uint8_t)((2u << stop) - (1u << word % 8));
    }
}

double sketch_count(const struct sketch *sketch)
{
    double set = 0;
    for (unsigned i = 0; i < SKETCH_BITS / 64; i++)
        set += sketch->bits[i] ? __builtin_popcountll(sketch->bits[i]) : 0;
    return -log(1 - fmin(set, SKETCH_BITS - 1) / SKETCH_BITS) * SKETCH_BITS;
}

static void join_sketches(struct sketch *into, const struct sketch *from)
{
    for (unsigned i = 0; i < SKETCH_BITS / 64; i++)
        into->bits[i] |= from->bits[i];
}

void footprint_join(struct footprint *into, struct footprint *from)
{
    join_sketches(&into->added, &from->added);
    join_sketches(&into->swapped, &from->swapped);
    for (uint32_t i = 0; i < from->room; i++) {
        const struct page *page = from->pages[i];
        struct page *mine = page ? page_at(into, page->number) : NULL;
        for (unsigned s = 0; mine && s < PAGE_SECTORS; s++) {
            mine->read[s] |= page->read[s];
            mine->written[s] |= page->written[s];
            mine->words[s] |= page->words[s];
        }
    }
    footprint_free(from);
}

void footprint_free(struct footprint *footprint)
{
    for (uint32_t i = 0; i < footprint->room; i++)
        free(footprint->pages[i]);
    free(footprint->pages);
    *footprint = (struct footprint){.shift = footprint->shift};
}
