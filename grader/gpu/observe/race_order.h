/* The clocks of racecheck decide which access comes before another, whatever the speed of the
 * threads.
 *
 * Time is one counter for the launch. Every event that orders something advances it. An access has
 * the time of its warp. Each warp "knows" every other warp of its CTA up to some time: that warp's
 * accesses before this time come before its own. Barriers and __syncwarp() advance what warps know.
 * Between CTAs, and between threads that wait for each other by flags and locks, order comes from a
 * release (a fence, then an atomic or volatile store) that another thread acquires (by an atomic or
 * volatile load of the same address). Arriving at a phase of an mbarrier is a release; having
 * waited for that phase is an acquire. What a thread has acquired is one number: the latest release
 * at any address that it read. So racecheck sometimes assumes an order that does not exist, but it
 * never misses an order that exists.
 *
 * A worker runs its CTAs in turns: it runs one CTA for some time, then another CTA, and so on. */
#ifndef GPU_OBSERVE_RACE_ORDER_H
#define GPU_OBSERVE_RACE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/view.h"

#define ORDER_WARPS 32u
#define ORDER_LANES 32u

enum order_scope { ORDER_CTA, ORDER_GRID, ORDER_SCOPES };

/* The accesses of one warp that a release covers: release number `last` covers those before time
 * `covered`; release number `first`, or a later release, covers those before time
 * `covered_before`. */
struct order_release {
    uint64_t covered_before, first, covered, last;
};

struct order_cta {
    uint64_t linear;
    uint32_t warps;
    bool has_fenced, has_released;
    uint64_t begun; /* the time when its turn began; earlier times may belong to other CTAs */
    uint64_t now[ORDER_WARPS]; /* the time of each warp's accesses */
    /* known[w][v] is the time before which warp v's accesses come before warp w's. known[w][w] is
     * this time for w's own accesses and all its lanes. */
    uint64_t known[ORDER_WARPS][ORDER_WARPS];
    /* the same for each lane of a warp if only some of its lanes have met, or NULL if none have */
    uint64_t (*lanes_known[ORDER_WARPS])[ORDER_LANES];
    uint32_t fenced[ORDER_SCOPES][ORDER_WARPS];             /* lanes that executed a fence */
    uint64_t fence[ORDER_SCOPES][ORDER_WARPS][ORDER_WARPS]; /* copy of `known` at the fence */
    struct order_release release[ORDER_SCOPES][ORDER_WARPS];
    /* number of the latest release that each lane acquired */
    uint64_t acquired[ORDER_WARPS][ORDER_LANES];
};

struct order_turn {
    uint64_t begun, cta;
    uint32_t seat;
};

/* The releases of an ended CTA to the grid: one for each of its warps. */
struct order_past {
    uint64_t linear;
    struct order_release release[];
};

struct order {
    uint64_t time, releases;
    bool has_wide_release; /* other CTAs can acquire some release */
    uint32_t warps;
    struct order_cta *current, **seats; /* a seat is reused after its CTA ends */
    uint32_t seat_count;
    struct order_past **past; /* a hash table, by CTA, of ended CTAs with releases */
    uint64_t past_count, past_room;
    struct order_turn *turns;
    uint64_t turn_count, turn_room;
    struct order_place *places; /* a hash table of the addresses of releases */
    uint64_t place_count, place_room;
    bool failed; /* memory ran out, so nothing is known after that */
};

void order_init(struct order *order, uint32_t warps, uint32_t seats);
void order_free(struct order *order);

/* Applies an event. */
void order_event(struct order *order, const struct obs_order *event);

/* Records that LANES of WARP make a releasing access to ADDR. OWNER is the number of the CTA plus 1
 * for its shared memory, and 0 for other memory. IMPLIED says that the instruction is itself a
 * fence. */
void order_release_at(struct order *order, uint32_t warp, uint32_t lanes, bool implied,
                      const uint64_t *addr, uint64_t owner);
/* Records that LANES of WARP make an acquiring access to ADDR. */
void order_acquire(struct order *order, uint32_t warp, uint32_t lanes, const uint64_t *addr,
                   uint64_t owner);
/* Returns whether THREAD of CTA made the latest release at ADDR, and LANE of WARP has acquired
 * it. */
bool order_has_acquired(const struct order *order, uint64_t addr, uint64_t owner, uint64_t cta,
                        uint32_t thread, uint32_t warp, uint32_t lane);

/* Returns the CTA that ran at TIME. */
uint64_t order_cta_at(const struct order *order, uint64_t time);
/* Returns whether an access that THREAD made at TIME, in the CTA that ran then, comes before an
 * access that LANE of WARP makes now. */
bool order_is_before(const struct order *order, uint64_t time, uint32_t thread, uint32_t warp,
                     uint32_t lane);

#endif
