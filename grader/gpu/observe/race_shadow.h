/* The shadow of memory records which threads accessed each word last, as far as racecheck needs to
 * know.
 *
 * Memory is divided into cells. A cell has one stamp for writes (the last one), two for reads and,
 * after the first atomic, two for atomics. Of two stamps, one is for the latest access and one is
 * for the farthest of the other accesses: another CTA is farther than another warp, and another
 * warp is farther than another lane. So the next thread always finds an access that is not its own.
 * A cell is a word, but as small as a byte where bytes are accessed, so that accesses to different
 * bytes of a word do not interfere. */
#ifndef GPU_OBSERVE_RACE_SHADOW_H
#define GPU_OBSERVE_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* A stamp packs a time, a thread of the CTA and a site (race.h) into one number, which is 0 if
 * there was no access. */
#define STAMP_SITE_BITS   13u
#define STAMP_THREAD_BITS 10u
#define STAMP_SITES       (1u << STAMP_SITE_BITS)

/* The time of an unfinished cp.async, later than all other times. */
#define COPY_PENDING ((1ull << (64 - STAMP_SITE_BITS - STAMP_THREAD_BITS)) - 1)

static inline uint64_t stamp_make(uint64_t time, uint32_t thread, uint32_t site)
{
    return time << (STAMP_SITE_BITS + STAMP_THREAD_BITS) | (uint64_t)thread << STAMP_SITE_BITS |
           site;
}

static inline uint64_t stamp_time(uint64_t stamp)
{
    return stamp >> (STAMP_SITE_BITS + STAMP_THREAD_BITS);
}

static inline uint32_t stamp_thread(uint64_t stamp)
{
    return (uint32_t)(stamp >> STAMP_SITE_BITS) & ((1u << STAMP_THREAD_BITS) - 1);
}

static inline uint32_t stamp_site(uint64_t stamp)
{
    return (uint32_t)stamp & (STAMP_SITES - 1);
}

#define SHADOW_PAGE       4096u
#define SHADOW_MOST_BYTES ((uint64_t)2 << 30) /* limit for all shadows of a launch */

/* The shadow of a part of memory: arrays with one stamp per cell. ATOMIC is NULL until the first
 * atomic. For a page of device memory, WRITE and READ point to shadow_zeros until the first such
 * access, because most pages are only read or only written. */
struct shadow {
    uint64_t *write, *read[2], *atomic[2];
    uint64_t addr;          /* address of its first byte */
    uint32_t bytes;         /* size of that part of memory */
    uint8_t shift;          /* 2, 1 or 0; a cell has 1 << shift bytes */
    struct shadow_map *map; /* the map that owns a page's stamps; NULL if this is not a page */
    struct race_log *log;   /* accesses to a page that are noted but not checked yet; may be NULL */
};
extern uint64_t shadow_zeros[SHADOW_PAGE]; /* shared by all pages */

struct shadow_page {
    uint64_t number; /* address / SHADOW_PAGE */
    struct shadow *shadow;
};

/* The shadows of device memory, by page. */
struct shadow_map {
    struct shadow_page *slots;
    uint64_t count, room;
    struct shadow_slab *slabs; /* the memory for stamps, newest first */
    uint64_t last_page;        /* the page that was found last */
    struct shadow *last;
    uint64_t bytes; /* bytes that all pages take */
};

/* Makes an empty shadow. Returns false when out of memory, as do the functions below; nothing has
 * changed then. */
bool shadow_open(struct shadow *shadow, uint32_t bytes);
void shadow_close(struct shadow *shadow);
void shadow_clear(struct shadow *shadow);
/* Makes cells small enough for accesses of BYTES bytes. */
bool shadow_refine(struct shadow *shadow, unsigned bytes);
bool shadow_add_atomics(struct shadow *shadow);
/* Replaces STAMPS by zeros that the shadow owns, if they are the shared zeros. This must happen
 * before a stamp is set. */
bool shadow_own_slowly(struct shadow *shadow, uint64_t **stamps);
static inline bool shadow_own(struct shadow *shadow, uint64_t **stamps)
{
    return *stamps != shadow_zeros || shadow_own_slowly(shadow, stamps);
}

/* Returns the shadow of the page that holds ADDR, or NULL if there is none. */
struct shadow *shadow_find(struct shadow_map *map, uint64_t addr);
/* Adds the shadow of the page that holds ADDR. Returns NULL when out of memory. */
struct shadow *shadow_add(struct shadow_map *map, uint64_t addr);
void shadow_map_close(struct shadow_map *map);

#endif
