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

static struct page *page_at(struct footprint *footprint, uint64_t number)
{
    struct page **place = make_room(footprint) ? place_of(footprint, number) : NULL;
    if (place && !*place) {
        *place = calloc(1, sizeof **place);
        if (*place) {
            (*place)->number = number;
            footprint->count++;
        }
    }
    footprint->failed |= !place || !*place;
    return place ? *place : NULL;
}

void footprint_note(struct footprint *footprint, uint64_t begin, uint64_t end, unsigned part,
                    enum footprint_use use)
{
    struct page *page = page_at(footprint, begin / PAGE_BYTES);
    bool writes = use != FOOTPRINT_READS;
    if (!page)
        return;
    uint64_t *sectors = writes ? page->written : page->read;
    for (uint64_t s = begin % PAGE_BYTES / 32; s <= (end - 1) % PAGE_BYTES / 32; s++)
        sectors[s] |= (uint64_t)1 << part;
    for (uint64_t at = begin & ~(uint64_t)3; writes && at < end; at += 4)
        page->words[at % PAGE_BYTES / 32] |= (uint8_t)(1u << (at % 32 / 4));
}

double sketch_count(const struct sketch *sketch)
{
    double set = 0;
    for (unsigned i = 0; i < SKETCH_BITS / 64; i++)
        set += __builtin_popcountll(sketch->bits[i]);
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
