/* The shadow of memory records, for each word, the latest accesses that racecheck needs.
 *
 * Memory is divided into cells. A stamp stands for one access to a cell. A cell has one stamp for
 * its last write, two stamps for reads and, after the first atomic, two stamps for atomics. One of
 * the two is for the latest access. The other is for the earlier access by the most distant thread,
 * where a thread of another CTA is more distant than a thread of another warp, and that thread is
 * more distant than another lane of the same warp. So if two threads have accessed the cell, each
 * thread finds a stamp of a thread other than itself. A cell is usually a word (4 bytes). Where
 * code accesses single bytes or halves of words, cells have one or two bytes, so that accesses to
 * different bytes of a word are kept apart. */
#ifndef GPU_OBSERVE_RACE_SHADOW_H
#define GPU_OBSERVE_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* A stamp packs into one number the time of an access, the thread's index in its CTA, and the site
 * (race.h). 0 means that there was no access. */
#define STAMP_SITE_BITS   13u
#define STAMP_THREAD_BITS 10u
#define STAMP_SITES       (1u << STAMP_SITE_BITS)

/* This time is in the stamp of a cp.async that has not ended. It is later than all other times. */
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

#define SHADOW_PAGE 4096u
/* the stamps of all pages of a launch take at most this many bytes */
#define SHADOW_MOST_BYTES ((uint64_t)2 << 30)

/* The shadow of a range of memory: arrays with one stamp per cell. ATOMIC is NULL until the first
 * atomic. Most pages of global memory are either only read or only written. So for a page, WRITE
 * and READ point to shadow_zeros until they are needed. */
struct shadow {
    uint64_t *write, *read[2], *atomic[2];
    uint64_t addr;          /* address of the first byte of the range */
    uint32_t bytes;         /* size of the range in bytes */
    uint8_t shift;          /* log2 of the bytes in a cell: 2, 1 or 0 */
    struct shadow_map *map; /* for a page: the map that owns the stamps; otherwise NULL */
    /* for a page: the accesses that are noted but not checked yet; NULL if every access is checked
     * immediately */
    struct race_log *log;
};
/* the zeros that all pages share as long as they have no stamps of their own */
extern uint64_t shadow_zeros[SHADOW_PAGE];

struct shadow_page {
    uint64_t number; /* address / SHADOW_PAGE */
    struct shadow *shadow;
};

/* The shadows of global memory, one for each page. */
struct shadow_map {
    struct shadow_page *slots;
    uint64_t count, room;
    struct shadow_slab *slabs; /* memory for stamps; the newest slab is first */
    uint64_t last_page;        /* number of the page that was found last */
    struct shadow *last;
    uint64_t bytes; /* bytes of all stamps of pages */
};

/* Prepares an empty shadow for BYTES bytes. If memory runs out, this function and those below
 * return false and have changed nothing. */
bool shadow_open(struct shadow *shadow, uint32_t bytes);
void shadow_close(struct shadow *shadow);
void shadow_clear(struct shadow *shadow);
/* Makes the cells small enough for accesses of BYTES bytes. */
bool shadow_refine(struct shadow *shadow, unsigned bytes);
bool shadow_add_atomics(struct shadow *shadow);
/* If STAMPS points to the shared zeros, replaces it with zeros that belong to the shadow. This must
 * be done before a stamp is set. */
bool shadow_own_slowly(struct shadow *shadow, uint64_t **stamps);
static inline bool shadow_own(struct shadow *shadow, uint64_t **stamps)
{
    return *stamps != shadow_zeros || shadow_own_slowly(shadow, stamps);
}

/* Returns the shadow of the page that contains ADDR, or NULL if it has none. */
struct shadow *shadow_find(struct shadow_map *map, uint64_t addr);
/* Adds a shadow for the page that contains ADDR. Returns NULL when out of memory. */
struct shadow *shadow_add(struct shadow_map *map, uint64_t addr);
void shadow_map_close(struct shadow_map *map);

#endif
