#include "gpu/observe/race_shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/observe/race_log.h"

#define FIRST_SLAB ((size_t)1 << 16)
/* in bytes; for slabs of at least this size, huge pages are requested */
#define LARGE_SLAB ((size_t)1 << 22)
#define LAST_SLAB  ((size_t)1 << 24)

uint64_t shadow_zeros[SHADOW_PAGE];

/* --- stamps ----------------------------------------------------------------------------------- */

/* A large block of zeroed memory, from which stamps are allocated. A launch keeps all its stamps
 * until it ends. Allocating them one by one would take more time than using them. */
struct shadow_slab {
    struct shadow_slab *next;
    size_t used, size;
};

static bool add_slab(struct shadow_map *map)
{
    size_t size = map->slabs ? 4 * map->slabs->size : FIRST_SLAB;
    if (size > LAST_SLAB)
        size = LAST_SLAB;
    struct shadow_slab *slab = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED)
        return false;
    if (size >= LARGE_SLAB)
        madvise(slab, size, MADV_HUGEPAGE); /* may fail; then accesses are only slower */
    *slab = (struct shadow_slab){map->slabs, 64, size};
    map->slabs = slab;
    return true;
}

/* Returns zeroed stamps for CELLS cells, or NULL when out of memory. If MAP is not NULL, the stamps
 * are freed with MAP. */
static uint64_t *take_stamps(struct shadow_map *map, size_t cells)
{
    size_t bytes = cells * sizeof(uint64_t);
    if (!map)
        return calloc(cells, sizeof(uint64_t));
    if (map->bytes + bytes > SHADOW_MOST_BYTES)
        return NULL;
    if ((!map->slabs || map->slabs->size - map->slabs->used < bytes) && !add_slab(map))
        return NULL;
    uint64_t *stamps = (uint64_t *)(void *)((uint8_t *)map->slabs + map->slabs->used);
    map->slabs->used += bytes;
    map->bytes += bytes;
    return stamps;
}

static size_t cells_of(const struct shadow *shadow)
{
    return ((size_t)shadow->bytes + (1u << shadow->shift) - 1) >> shadow->shift;
}

/* Sets all stamps to zero. The shadow of a page uses the shared zeros; any other shadow allocates
 * stamps. */
static bool open_stamps(struct shadow *shadow)
{
    size_t cells = cells_of(shadow);
    shadow->write = shadow->read[0] = shadow->read[1] = shadow_zeros;
    if (shadow->map)
        return true;
    shadow->write = calloc(3 * cells + 1, sizeof *shadow->write);
    shadow->read[0] = shadow->write + cells;
    shadow->read[1] = shadow->write + 2 * cells;
    return shadow->write;
}

bool shadow_open(struct shadow *shadow, uint32_t bytes)
{
    *shadow = (struct shadow){.bytes = bytes, .shift = 2};
    return open_stamps(shadow);
}

void shadow_close(struct shadow *shadow)
{
    if (shadow->map)
        return;
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

bool shadow_own_slowly(struct shadow *shadow, uint64_t **stamps)
{
    uint64_t *own = take_stamps(shadow->map, cells_of(shadow));
    if (own)
        *stamps = own;
    return own;
}

bool shadow_add_atomics(struct shadow *shadow)
{
    size_t cells = cells_of(shadow);
    uint64_t *atomic = take_stamps(shadow->map, 2 * cells);
    if (!atomic)
        return false;
    shadow->atomic[0] = atomic;
    shadow->atomic[1] = atomic + cells;
    return true;
}

/* Copies stamps to a shadow with smaller cells. Each small cell gets the stamp of the larger cell
 * that contained it. */
static bool spread(struct shadow *fine, uint64_t **to, const uint64_t *from, unsigned cut)
{
    if (from == shadow_zeros)
        return true;
    if (!shadow_own(fine, to))
        return false;
    for (size_t i = 0; i < cells_of(fine); i++)
        (*to)[i] = from[i >> cut];
    return true;
}

bool shadow_refine(struct shadow *shadow, unsigned bytes)
{
    struct shadow fine = *shadow;
    fine.shift = bytes >= 2;
    fine.atomic[0] = fine.atomic[1] = NULL;
    unsigned cut = shadow->shift - fine.shift;
    bool ok = open_stamps(&fine) && (!shadow->atomic[0] || shadow_add_atomics(&fine)) &&
              spread(&fine, &fine.write, shadow->write, cut);
    for (unsigned i = 0; i < 2 && ok; i++)
        ok = spread(&fine, &fine.read[i], shadow->read[i], cut) &&
             (!fine.atomic[i] || spread(&fine, &fine.atomic[i], shadow->atomic[i], cut));
    shadow_close(ok ? shadow : &fine);
    if (ok)
        *shadow = fine;
    return ok;
}

/* --- pages ------------------------------------------------------------------------------------ */

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
    if (2 * map->count >= map->room && !grow(map))
        return NULL;
    struct shadow *shadow = malloc(sizeof *shadow);
    if (!shadow)
        return NULL;
    *shadow =
        (struct shadow){.addr = number * SHADOW_PAGE, .bytes = SHADOW_PAGE, .shift = 2, .map = map};
    open_stamps(shadow);
    *find_slot(map, number) = (struct shadow_page){number, shadow};
    map->count++;
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
            log_close(map->slots[i].shadow->log);
        free(map->slots[i].shadow);
    }
    free(map->slots);
    while (map->slabs) {
        struct shadow_slab *slab = map->slabs;
        map->slabs = slab->next;
        munmap(slab, slab->size);
    }
}
