/* The clocks of racecheck decide which of two accesses comes first, independent of the speed of the
 * threads.
 *
 * Time is a counter, which starts with the launch. Every event that orders accesses increments it.
 * The time of an access is the present time of its warp. A warp "knows" another warp of its CTA up
 * to some time: all accesses that the other warp made before this time are ordered before this
 * warp's next access. Barriers and __syncwarp() increase these times.
 *
 * Releases and acquires order accesses of different CTAs, and of threads that wait for each other
 * with flags and locks. A release is a fence followed by an atomic or volatile store. Another
 * thread acquires it by an atomic or volatile load from the same address. A thread that arrives at
 * a phase of an mbarrier also makes a release; a thread that has waited for this phase acquires it.
 * For each thread, only the number of the latest acquired release is kept, whatever its address. So
 * racecheck sometimes assumes an order that does not exist, but it never misses an order that
 * exists.
 *
 * A worker (a CPU thread) runs its CTAs in turns: it runs one CTA for some time, then another CTA,
 * and so on. */
#ifndef GPU_OBSERVE_RACE_ORDER_H
#define GPU_OBSERVE_RACE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/view.h"

#define ORDER_WARPS 32u
#define ORDER_LANES 32u

enum order_scope { ORDER_CTA, ORDER_GRID, ORDER_SCOPES };

/* The accesses of one warp that are covered by releases. The latest release, number `last`, covers
 * accesses before time `covered`. All releases from number `first` on cover accesses before time
 * `covered_before`. */
struct order_release {
    uint64_t covered_before, first, covered, last;
};

struct order_cta {
    uint64_t linear;
    uint32_t warps;
    bool has_fenced, has_released;
    uint64_t begun; /* when the CTA's turn began; earlier times may belong to other CTAs */
    uint64_t now[ORDER_WARPS]; /* present time of each warp */
    /* Warp v's accesses before time known[w][v] are ordered before warp w's next access. For
     * known[w][w], this holds between all lanes of warp w. */
    uint64_t known[ORDER_WARPS][ORDER_WARPS];
    /* the same for pairs of lanes of a warp; NULL unless only some lanes of the warp have
     * synchronised */
    uint64_t (*lanes_known[ORDER_WARPS])[ORDER_LANES];
    uint32_t fenced[ORDER_SCOPES][ORDER_WARPS];             /* lanes that have executed a fence */
    uint64_t fence[ORDER_SCOPES][ORDER_WARPS][ORDER_WARPS]; /* copy of `known` at the fence */
    struct order_release release[ORDER_SCOPES][ORDER_WARPS];
    /* number of the latest release that each lane has acquired */
    uint64_t acquired[ORDER_WARPS][ORDER_LANES];
};

struct order_turn {
    uint64_t begun, cta;
    uint32_t seat;
};

/* The releases to the whole grid by a CTA that has ended, one for each of its warps. */
struct order_past {
    uint64_t linear;
    struct order_release release[];
};

struct order {
    uint64_t time, releases;
    bool has_wide_release; /* some release can be acquired by other CTAs */
    uint32_t warps;
    /* `seats` has the CTA at each seat (see view.h); a seat is reused after its CTA has ended */
    struct order_cta *current, **seats;
    uint32_t seat_count;
    struct order_past **past; /* hash table of the ended CTAs that made releases */
    uint64_t past_count, past_room;
    struct order_turn *turns;
    uint64_t turn_count, turn_room;
    struct order_place *places; /* hash table of the addresses of releases */
    uint64_t place_count, place_room;
    bool failed; /* memory ran out, so the order of later accesses is unknown */
};

void order_init(struct order *order, uint32_t warps, uint32_t seats);
void order_free(struct order *order);

/* Updates the clocks for EVENT. */
void order_event(struct order *order, const struct obs_order *event);

/* Records that LANES of WARP write to ADDR with a release. OWNER is 0 for global memory. For shared
 * memory, OWNER is the index of the CTA that has the memory, plus 1. IMPLIED says that the
 * instruction includes a fence. */
void order_release_at(struct order *order, uint32_t warp, uint32_t lanes, bool implied,
                      const uint64_t *addr, uint64_t owner);
/* Records that LANES of WARP read from ADDR with an acquire. */
void order_acquire(struct order *order, uint32_t warp, uint32_t lanes, const uint64_t *addr,
                   uint64_t owner);
/* Returns whether LANE of WARP has acquired the latest release at ADDR, and whether THREAD of CTA
 * made this release. */
bool order_has_acquired(const struct order *order, uint64_t addr, uint64_t owner, uint64_t cta,
                        uint32_t thread, uint32_t warp, uint32_t lane);

/* Returns the index of the CTA that ran at TIME. */
uint64_t order_cta_at(const struct order *order, uint64_t time);
/* Returns whether an earlier access by THREAD, in the CTA that ran at TIME, is ordered before an
 * access that LANE of WARP makes now. */
bool order_is_before(const struct order *order, uint64_t time, uint32_t thread, uint32_t warp,
                     uint32_t lane);

#endif
