/* The shadow of memory: which threads accessed each word last, as far as racecheck must know.
 *
 * A cell has one stamp of the last write, two of reads and, after the first atomic, two of
 * atomics. The two are the latest access and, of all others, the farthest one (from another CTA,
 * another warp, another lane). So the next thread always finds one that is not its own. Cells
 * are words, and as small as bytes where bytes are accessed, so that neighbours in a word do not
 * interfere. */
#ifndef GPU_OBSERVE_RACE_SHADOW_H
#define GPU_OBSERVE_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* A stamp: time, thread in the CTA, site (an index of memory instructions); 0: no access. */
#define STAMP_SITE_BITS   13u
#define STAMP_THREAD_BITS 10u
#define STAMP_SITES       (1u << STAMP_SITE_BITS)

/* The time of an unfinished write: later than all others. */
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
#define SHADOW_MOST_BYTES ((uint64_t)2 << 30) /* for all shadows of a launch */

/* The shadow of a part of memory: arrays of one stamp a cell. ATOMIC is NULL until the first
 * atomic. A page of device memory has shadow_zeros as WRITE and READ until the first such
 * access: most pages are only read, or only written. */
struct shadow {
    uint64_t *write, *read[2], *atomic[2];
    uint64_t addr;          /* of its first byte */
    uint32_t bytes;         /* of memory */
    uint8_t shift;          /* a cell is 1 << shift bytes: 2, 1 or 0 */
    struct shadow_map *map; /* of a page: the source of its stamps; else NULL */
    struct race_log *log;   /* of a page: accesses that are only noted so far; or NULL */
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
    struct shadow_slab *slabs; /* the memory for stamps; newest first */
    uint64_t last_page;        /* found last */
    struct shadow *last;
    uint64_t bytes; /* taken by all pages */
};

/* False when memory is out, here and below; then nothing has changed. */
bool shadow_open(struct shadow *shadow, uint32_t bytes);
void shadow_close(struct shadow *shadow);
void shadow_clear(struct shadow *shadow);
/* Makes cells small enough for accesses of BYTES bytes. */
bool shadow_refine(struct shadow *shadow, unsigned bytes);
bool shadow_add_atomics(struct shadow *shadow);
/* Replaces shared zeros by stamps that the shadow owns. Needed before any of them is set. */
bool shadow_own_slowly(struct shadow *shadow, uint64_t **stamps);
static inline bool shadow_own(struct shadow *shadow, uint64_t **stamps)
{
    return *stamps != shadow_zeros || shadow_own_slowly(shadow, stamps);
}

/* The shadow of the page that holds ADDR, or NULL if there is none. */
struct shadow *shadow_find(struct shadow_map *map, uint64_t addr);
/* Adds the shadow; NULL when memory is out. */
struct shadow *shadow_add(struct shadow_map *map, uint64_t addr);
void shadow_map_close(struct shadow_map *map);

#endif
