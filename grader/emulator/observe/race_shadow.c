#include "emulator/observe/race_shadow.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((uint64_t)2 << 30) /* that all shadows of a launch may take */

struct shadow_page {
    uint64_t number; /* address / SHADOW_PAGE */
    struct shadow *shadow;
};

static size_t cells_of(const struct shadow *shadow)
{
    return ((size_t)shadow->bytes >> shadow->shift) + 1;
}

bool shadow_open(struct shadow *shadow, uint32_t bytes)
{
    *shadow = (struct shadow){.bytes = bytes, .shift = 2};
    size_t cells = cells_of(shadow);
    shadow->write = calloc(3 * cells, sizeof *shadow->write);
    shadow->read[0] = shadow->write + cells;
    shadow->read[1] = shadow->write + 2 * cells;
    return shadow->write;
}

void shadow_close(struct shadow *shadow)
{
    free(shadow->write);
    free(shadow->atomic[0]);
}

void shadow_clear(struct shadow *shadow)
{
    size_t cells = cells_of(shadow);
    memset(shadow->write, 0, 3 * cells * sizeof *shadow->write);
    if (shadow->atomic[0])
        memset(shadow->atomic[0], 0, 2 * cells * sizeof *shadow->write);
}

bool shadow_add_atomics(struct shadow *shadow)
{
    size_t cells = cells_of(shadow);
    uint64_t *atomic = calloc(2 * cells, sizeof *atomic);
    if (!atomic)
        return false;
    shadow->atomic[0] = atomic;
    shadow->atomic[1] = atomic + cells;
    return true;
}

/* Each new cell begins with what the larger one it was cut from has. */
static void spread(uint64_t *to, size_t to_cells, const uint64_t *from, unsigned cut)
{
    for (size_t i = 0; i < to_cells; i++)
        to[i] = from[i >> cut];
}

bool shadow_refine(struct shadow *shadow, unsigned bytes)
{
    struct shadow fine = {.bytes = shadow->bytes, .shift = bytes >= 2};
    size_t cells = cells_of(&fine), old = cells_of(shadow);
    unsigned cut = shadow->shift - fine.shift;
    fine.write = calloc(3 * cells, sizeof *fine.write);
    bool ok = fine.write && (!shadow->atomic[0] || shadow_add_atomics(&fine));
    if (!ok) {
        free(fine.write);
        return false;
    }
    fine.read[0] = fine.write + cells;
    fine.read[1] = fine.write + 2 * cells;
    size_t whole = old << cut < cells ? old << cut : cells;
    spread(fine.write, whole, shadow->write, cut);
    for (unsigned i = 0; i < 2; i++) {
        spread(fine.read[i], whole, shadow->read[i], cut);
        if (fine.atomic[i])
            spread(fine.atomic[i], whole, shadow->atomic[i], cut);
    }
    shadow_close(shadow);
    *shadow = fine;
    return true;
}

/* --- pages -------------------------------------------------------------------------------------- */

static struct shadow_page *find_slot(const struct shadow_map *map, uint64_t number)
{
    uint64_t at = number * 0x9e3779b97f4a7c15ull >> 20 & (map->room - 1);
    while (map->slots[at].shadow && map->slots[at].number != number)
        at = (at + 1) & (map->room - 1);
    return &map->slots[at];
}

static bool grow(struct shadow_map *map)
{
    struct shadow_map larger = *map;
    larger.room = map->room ? 4 * map->room : 256;
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint64_t i = 0; i < map->room; i++)
        if (map->slots[i].shadow)
            *find_slot(&larger, map->slots[i].number) = map->slots[i];
    free(map->slots);
    *map = larger;
    return true;
}

struct shadow *shadow_add(struct shadow_map *map, uint64_t addr)
{
    uint64_t number = addr / SHADOW_PAGE;
    if (map->bytes > MAX_BYTES || (2 * map->count >= map->room && !grow(map)))
        return NULL;
    struct shadow *shadow = malloc(sizeof *shadow);
    if (!shadow || !shadow_open(shadow, SHADOW_PAGE)) {
        free(shadow);
        return NULL;
    }
    *find_slot(map, number) = (struct shadow_page){number, shadow};
    map->count++;
    map->bytes += 3 * sizeof(uint64_t) * cells_of(shadow);
    return shadow;
}

struct shadow *shadow_find(struct shadow_map *map, uint64_t addr)
{
    uint64_t number = addr / SHADOW_PAGE;
    if (map->last && map->last_page == number)
        return map->last;
    struct shadow *shadow = map->room ? find_slot(map, number)->shadow : NULL;
    if (shadow) {
        map->last = shadow;
        map->last_page = number;
    }
    return shadow;
}

void shadow_map_close(struct shadow_map *map)
{
    for (uint64_t i = 0; i < map->room; i++) {
        if (map->slots[i].shadow)
            shadow_close(map->slots[i].shadow);
        free(map->slots[i].shadow);
    }
    free(map->slots);
}
