/* Which access comes before which, whatever the threads' speed: the clocks of racecheck.
 *
 * Time is one counter for the launch, which every event that orders something moves on. An access has
 * the time of its warp, and a warp knows up to what time the accesses of each other warp of its CTA
 * come before its own: barriers and __syncwarp() move that on. Between CTAs, and between threads that
 * wait for each other by flags and locks, order comes from a release (a fence, then an atomic or
 * volatile store) that another thread has heard of (an atomic or volatile load there). Arriving at a
 * phase of an mbarrier is such a release, and having waited for it is having heard. What a thread
 * has heard is one number, the latest release at any place that it looked at: so order is now and
 * then believed where there is none, and never doubted where there is some. */
#ifndef GPU_OBSERVE_RACE_ORDER_H
#define GPU_OBSERVE_RACE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/view.h"

#define ORDER_WARPS 32u
#define ORDER_LANES 32u

enum order_scope { ORDER_CTA, ORDER_GRID, ORDER_SCOPES };

/* Accesses of one warp that some release covers: those before `covered` by release number `last`,
 * those before `covered_before` by number `first` or a later one. */
struct order_release {
    uint64_t covered_before, first, covered, last;
};

struct order_cta {
    uint64_t linear;
    uint32_t warps;
    bool has_fenced, has_released;
    uint64_t begun;            /* when its turn began: what has an earlier time may be another's */
    uint64_t now[ORDER_WARPS]; /* the time of each warp's accesses */
    /* [w][v]: accesses of warp v before this time come before those of w; [w][w]: of all its lanes */
    uint64_t known[ORDER_WARPS][ORDER_WARPS];
    /* the same for lanes of one warp, where only some have met; NULL: they have not */
    uint64_t (*lanes_known[ORDER_WARPS])[ORDER_LANES];
    uint32_t fenced[ORDER_SCOPES][ORDER_WARPS];             /* lanes that executed a fence */
    uint64_t fence[ORDER_SCOPES][ORDER_WARPS][ORDER_WARPS]; /* what was known then */
    struct order_release release[ORDER_SCOPES][ORDER_WARPS];
    uint64_t heard[ORDER_WARPS][ORDER_LANES]; /* number of the latest release */
};

struct order_turn {
    uint64_t begun, cta;
    uint32_t seat;
};

/* What a CTA that has ended released to the grid, of each warp. */
struct order_past {
    uint64_t linear;
    struct order_release release[];
};

struct order {
    uint64_t time, releases;
    bool has_wide_release; /* one that other CTAs may hear of */
    uint32_t warps;
    struct order_cta *current, **seats; /* each is used again when its CTA has ended */
    uint32_t seat_count;
    struct order_past **past; /* by CTA; ended ones that released nothing are not there */
    uint64_t past_count, past_room;
    struct order_turn *turns;
    uint64_t turn_count, turn_room;
    struct order_place *places; /* where was released: a hash table */
    uint64_t place_count, place_room;
    bool failed; /* memory is out: nothing more is known */
};

void order_init(struct order *order, uint32_t warps, uint32_t seats);
void order_free(struct order *order);

/* Takes in an event. */
void order_event(struct order *order, const struct obs_order *event);

/* LANES of WARP access PLACE (an address; in shared memory the OWNER is its CTA's number + 1, elsewhere 0) so that
 * others hear of it; IMPLIED: the instruction is a fence itself. */
void order_publish(struct order *order, uint32_t warp, uint32_t lanes, bool implied,
                   const uint64_t *addr, uint64_t owner);
/* LANES of WARP look at these places. */
void order_hear(struct order *order, uint32_t warp, uint32_t lanes, const uint64_t *addr,
                uint64_t owner);
/* Whether the latest release at ADDR was by THREAD of CTA, and LANE of WARP has heard of it. */
bool order_has_heard(const struct order *order, uint64_t addr, uint64_t owner, uint64_t cta,
                     uint32_t thread, uint32_t warp, uint32_t lane);

/* The CTA that ran at TIME. */
uint64_t order_cta_at(const struct order *order, uint64_t time);
/* Whether what THREAD of the CTA that ran at TIME did then comes before what LANE of WARP does now. */
bool order_is_before(const struct order *order, uint64_t time, uint32_t thread, uint32_t warp,
                     uint32_t lane);

#endif
