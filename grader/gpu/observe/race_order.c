#include "gpu/observe/race_order.h"

#include <stdlib.h>
#include <string.h>

struct order_place {
    uint64_t addr, owner; /* `owner` is as in order_release_at() */
    /* number of the latest release at this address, or 0 if the slot is free */
    uint64_t release;
    uint64_t cta; /* CTA that made the release */
    uint32_t thread;
};

#define NO_CTA UINT64_MAX

void order_init(struct order *order, uint32_t warps, uint32_t seats)
{
    *order = (struct order){.time = 1, .warps = warps, .seat_count = seats};
    order->seats = calloc((size_t)seats + 1, sizeof(struct order_cta *));
    order->failed = !order->seats;
}

/* --- CTAs ------------------------------------------------------------------------------------- */

void order_free(struct order *order)
{
    for (uint32_t i = 0; order->seats && i < order->seat_count; i++) {
        for (uint32_t w = 0; order->seats[i] && w < ORDER_WARPS; w++)
            free(order->seats[i]->lanes_known[w]);
        free(order->seats[i]);
    }
    free(order->seats);
    for (uint64_t i = 0; i < order->past_room; i++)
        free(order->past[i]);
    free(order->past);
    free(order->turns);
    free(order->places);
}

static void forget_lanes(struct order_cta *cta, uint32_t warp)
{
    free(cta->lanes_known[warp]);
    cta->lanes_known[warp] = NULL;
}

/* Records a barrier of all threads: orders all earlier accesses of the CTA before all later
 * ones. */
static void meet_all(struct order *order, struct order_cta *cta)
{
    uint64_t time = ++order->time;
    for (uint32_t w = 0; w < cta->warps; w++) {
        cta->now[w] = time;
        for (uint32_t v = 0; v < ORDER_WARPS; v++)
            cta->known[w][v] = time;
        if (cta->lanes_known[w])
            forget_lanes(cta, w);
    }
}

/* Prepares the entry of a new CTA at SEAT. Returns NULL when out of memory. */
static struct order_cta *begin_cta(struct order *order, uint64_t linear, uint32_t seat)
{
    struct order_cta *cta = order->seats[seat];
    if (!cta)
        cta = order->seats[seat] = calloc(1, sizeof *cta);
    if (!cta)
        return NULL;
    cta->linear = linear;
    cta->warps = order->warps;
    cta->has_fenced = cta->has_released = false;
    for (unsigned s = 0; s < ORDER_SCOPES; s++)
        for (uint32_t w = 0; w < cta->warps; w++)
            cta->fenced[s][w] = 0;
    memset(cta->fence[0], 0, cta->warps * sizeof cta->fence[0][0]);
    memset(cta->fence[1], 0, cta->warps * sizeof cta->fence[1][0]);
    memset(cta->acquired, 0, cta->warps * sizeof cta->acquired[0]);
    memset(cta->release, 0, sizeof cta->release);
    meet_all(order, cta);
    return cta;
}

static bool add_turn(struct order *order, struct order_cta *cta, uint32_t seat)
{
    if (order->turn_count == order->turn_room) {
        uint64_t room = order->turn_room ? 2 * order->turn_room : 256;
        struct order_turn *turns = realloc(order->turns, room * sizeof *turns);
        if (!turns)
            return false;
        order->turns = turns;
        order->turn_room = room;
    }
    /* times from here on belong to this turn */
    cta->begun = ++order->time;
    for (uint32_t w = 0; w < cta->warps; w++)
        cta->now[w] = cta->begun;
    order->turns[order->turn_count++] = (struct order_turn){cta->begun, cta->linear, seat};
    return true;
}

static void run_cta(struct order *order, uint64_t linear, uint32_t seat)
{
    struct order_cta *cta = order->current;
    if (order->failed || (cta && cta->linear == linear))
        return;
    cta = order->seats[seat];
    if (!cta || cta->linear != linear)
        cta = begin_cta(order, linear, seat);
    order->current = cta;
    order->failed = !cta || !add_turn(order, cta, seat);
}

/* Returns the slot that holds an ended CTA or, if there is none, the free slot for it. The table is
 * never full. */
static struct order_past **find_past(const struct order *order, uint64_t linear)
{
    uint64_t at = linear & (order->past_room - 1);
    while (order->past[at] && order->past[at]->linear != linear)
        at = (at + 1) & (order->past_room - 1);
    return &order->past[at];
}

static bool grow_past(struct order *order)
{
    struct order_past **old = order->past;
    uint64_t old_room = order->past_room;
    order->past_room = old_room ? 4 * old_room : 64;
    order->past = calloc(order->past_room, sizeof(struct order_past *));
    for (uint64_t i = 0; order->past && i < old_room; i++)
        if (old[i])
            *find_past(order, old[i]->linear) = old[i];
    if (!order->past)
        order->past_room = 0;
    free(old);
    return order->past;
}

static bool keep_releases(struct order *order, const struct order_cta *cta)
{
    size_t bytes = cta->warps * sizeof(struct order_release);
    if (2 * order->past_count >= order->past_room && !grow_past(order))
        return false;
    struct order_past *past = malloc(sizeof *past + bytes);
    if (!past)
        return false;
    past->linear = cta->linear;
    memcpy(past->release, cta->release[ORDER_GRID], bytes);
    *find_past(order, cta->linear) = past;
    order->past_count++;
    return true;
}

static void end_cta(struct order *order)
{
    struct order_cta *cta = order->current;
    if (cta->has_released && !keep_releases(order, cta))
        order->failed = true;
    cta->linear = NO_CTA;
    order->current = NULL;
}

static const struct order_turn *turn_at(const struct order *order, uint64_t time)
{
    uint64_t low = 0, high = order->turn_count;
    while (high - low > 1) { /* finds the last turn that began at or before TIME */
        uint64_t middle = low + (high - low) / 2;
        if (order->turns[middle].begun <= time)
            low = middle;
        else
            high = middle;
    }
    return &order->turns[low];
}

uint64_t order_cta_at(const struct order *order, uint64_t time)
{
    return turn_at(order, time)->cta;
}

/* Returns the releases to the whole grid by the CTA that ran in TURN, or NULL if there are none. */
static const struct order_release *find_releases(const struct order *order,
                                                 const struct order_turn *turn)
{
    const struct order_cta *cta = order->seats[turn->seat];
    if (cta->linear == turn->cta)
        return cta->has_released ? cta->release[ORDER_GRID] : NULL;
    const struct order_past *past = order->past_count ? *find_past(order, turn->cta) : NULL;
    return past ? past->release : NULL;
}

/* --- barriers --------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Records a barrier of some warps. Afterwards, each of these warps knows all accesses that any of
 * them knew before. */
static void meet_warps(struct order *order, struct order_cta *cta, const uint32_t *arrived)
{
    uint64_t joint[ORDER_WARPS] = {0}, time = ++order->time;
    for (uint32_t w = 0; w < cta->warps; w++)
        for (uint32_t v = 0; arrived[w] && v < cta->warps; v++)
            joint[v] = larger(joint[v], cta->known[w][v]);
    for (uint32_t w = 0; w < cta->warps; w++)
        if (arrived[w])
            joint[w] = time;
    for (uint32_t w = 0; w < cta->warps; w++) {
        if (!arrived[w])
            continue;
        memcpy(cta->known[w], joint, sizeof joint);
        cta->now[w] = time;
        forget_lanes(cta, w);
    }
}

/* Records that threads synchronise: each of them acquires the latest release that any of them has
 * acquired. */
static void share_acquired(struct order_cta *cta, const uint32_t *arrived)
{
    uint64_t acquired = 0;
    for (uint32_t w = 0; w < cta->warps; w++)
        for (uint32_t l = 0; l < ORDER_LANES; l++)
            if (arrived[w] >> l & 1)
                acquired = larger(acquired, cta->acquired[w][l]);
    for (uint32_t w = 0; w < cta->warps && acquired; w++)
        for (uint32_t l = 0; l < ORDER_LANES; l++)
            if (arrived[w] >> l & 1)
                cta->acquired[w][l] = acquired;
}

static void meet_lanes(struct order *order, struct order_cta *cta, uint32_t warp, uint32_t lanes)
{
    uint64_t(*known)[ORDER_LANES] = cta->lanes_known[warp];
    uint64_t joint[ORDER_LANES] = {0}, time = ++order->time;
    if (!known)
        known = cta->lanes_known[warp] = calloc(ORDER_LANES, sizeof *known);
    if (!known) {
        order->failed = true;
        return;
    }
    for (uint32_t l = 0; l < ORDER_LANES; l++)
        for (uint32_t m = 0; lanes >> l & 1 && m < ORDER_LANES; m++)
            joint[m] = larger(joint[m], known[l][m]);
    for (uint32_t l = 0; l < ORDER_LANES; l++)
        joint[l] = lanes >> l & 1 ? time : joint[l];
    for (uint32_t l = 0; l < ORDER_LANES; l++)
        if (lanes >> l & 1)
            memcpy(known[l], joint, sizeof joint);
    cta->now[warp] = time;
}

static void sync_warp(struct order *order, struct order_cta *cta, const struct obs_order *event)
{
    uint32_t arrived[ORDER_WARPS] = {0};
    arrived[event->warp] = event->lanes;
    if (event->whole) {
        cta->now[event->warp] = cta->known[event->warp][event->warp] = ++order->time;
        forget_lanes(cta, event->warp);
    } else {
        meet_lanes(order, cta, event->warp, event->lanes);
    }
    if (order->releases)
        share_acquired(cta, arrived);
}

static void sync_cta(struct order *order, struct order_cta *cta, const struct obs_order *event)
{
    if (event->whole)
        meet_all(order, cta);
    else
        meet_warps(order, cta, event->arrived);
    if (order->releases)
        share_acquired(cta, event->arrived);
}

/* --- fences, releases and acquires ------------------------------------------------------------ */

static void set_fence(struct order *order, struct order_cta *cta, uint32_t warp, uint32_t lanes,
                      bool wide)
{
    uint64_t time = ++order->time;
    cta->now[warp] = time;
    cta->has_fenced = true;
    for (unsigned scope = ORDER_CTA; scope <= (wide ? ORDER_GRID : ORDER_CTA); scope++) {
        memcpy(cta->fence[scope][warp], cta->known[warp], sizeof cta->known[warp]);
        cta->fence[scope][warp][warp] = time;
        cta->fenced[scope][warp] |= lanes;
    }
}

/* Returns the time before which a release by LANES of WARP covers OTHER's accesses. The release
 * covers the accesses that WARP knew at its own fence. It also covers the accesses before OTHER's
 * fence, if OTHER and WARP have synchronised since. */
static uint64_t covered_by(const struct order_cta *cta, enum order_scope scope, uint32_t warp,
                           uint32_t lanes, uint32_t other)
{
    uint64_t own = cta->fenced[scope][warp] & lanes ? cta->fence[scope][warp][other] : 0;
    uint64_t theirs = cta->fence[scope][other][other];
    return theirs <= cta->known[warp][other] ? larger(own, theirs) : own;
}

static bool release(struct order *order, struct order_cta *cta, uint32_t warp, uint32_t lanes)
{
    bool any = false;
    uint64_t number = order->releases + 1;
    for (unsigned scope = 0; scope < ORDER_SCOPES; scope++) {
        for (uint32_t v = 0; v < cta->warps; v++) {
            struct order_release *r = &cta->release[scope][v];
            uint64_t covered = covered_by(cta, scope, warp, lanes, v);
            any |= covered != 0;
            order->has_wide_release |= covered && scope == ORDER_GRID;
            if (covered <= r->covered)
                continue;
            r->covered_before = r->covered;
            r->first = r->first ? r->first : number;
            r->covered = covered;
            r->last = number;
        }
    }
    if (any)
        order->releases = number;
    cta->has_released |= any;
    return any;
}

static bool grow_places(struct order *order)
{
    uint64_t room = order->place_room ? 4 * order->place_room : 256;
    struct order_place *places = calloc(room, sizeof *places), *old = order->places;
    if (!places)
        return false;
    for (uint64_t i = 0; i < order->place_room; i++) {
        uint64_t at = (old[i].addr / 4 + old[i].owner * 7919) & (room - 1);
        while (old[i].release && places[at].release)
            at = (at + 1) & (room - 1);
        if (old[i].release)
            places[at] = old[i];
    }
    free(old);
    order->places = places;
    order->place_room = room;
    return true;
}

/* Returns the slot that holds the releases at ADDR in OWNER's memory or, if there is none, the free
 * slot for them. The table is never full. */
static struct order_place *find_place(const struct order *order, uint64_t addr, uint64_t owner)
{
    uint64_t at = (addr / 4 + owner * 7919) & (order->place_room - 1);
    while (order->places[at].release &&
           (order->places[at].addr != addr || order->places[at].owner != owner))
        at = (at + 1) & (order->place_room - 1);
    return &order->places[at];
}

void order_release_at(struct order *order, uint32_t warp, uint32_t lanes, bool implied,
                      const uint64_t *addr, uint64_t owner)
{
    struct order_cta *cta = order->current;
    if (implied)
        set_fence(order, cta, warp, lanes, true);
    if (!cta->has_fenced || !release(order, cta, warp, lanes))
        return;
    for (uint32_t l = 0; l < ORDER_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (2 * order->place_count >= order->place_room && !grow_places(order)) {
            order->failed = true;
            return;
        }
        struct order_place *place = find_place(order, addr[l], owner);
        order->place_count += !place->release;
        *place = (struct order_place){addr[l], owner, order->releases, cta->linear,
                                      warp * ORDER_LANES + l};
    }
}

void order_acquire(struct order *order, uint32_t warp, uint32_t lanes, const uint64_t *addr,
                   uint64_t owner)
{
    struct order_cta *cta = order->current;
    for (uint32_t l = 0; order->place_count && l < ORDER_LANES; l++)
        if (lanes >> l & 1)
            cta->acquired[warp][l] =
                larger(cta->acquired[warp][l], find_place(order, addr[l], owner)->release);
}

bool order_has_acquired(const struct order *order, uint64_t addr, uint64_t owner, uint64_t cta,
                        uint32_t thread, uint32_t warp, uint32_t lane)
{
    const struct order_place *place = order->place_count ? find_place(order, addr, owner) : NULL;
    return place && place->release && place->cta == cta && place->thread == thread &&
           order->current->acquired[warp][lane] >= place->release;
}

static bool has_acquired(const struct order_release *release, uint64_t time, uint64_t acquired)
{
    return time < release->covered_before ? acquired >= release->first
                                          : time < release->covered && acquired >= release->last;
}

/* --- queries ---------------------------------------------------------------------------------- */

bool order_is_before(const struct order *order, uint64_t time, uint32_t thread, uint32_t warp,
                     uint32_t lane)
{
    const struct order_cta *cta = order->current;
    uint32_t other = thread / ORDER_LANES;
    const struct order_turn *turn = time >= cta->begun ? NULL : turn_at(order, time);
    if (turn && turn->cta != cta->linear) {
        const struct order_release *its = order->releases ? find_releases(order, turn) : NULL;
        return its && has_acquired(&its[other], time, cta->acquired[warp][lane]);
    }
    if (time < cta->known[warp][other])
        return true;
    if (other == warp && cta->lanes_known[warp] &&
        time < cta->lanes_known[warp][lane][thread % ORDER_LANES])
        return true;
    return cta->has_released &&
           has_acquired(&cta->release[ORDER_CTA][other], time, cta->acquired[warp][lane]);
}

void order_event(struct order *order, const struct obs_order *event)
{
    if (event->kind == OBS_CTA_RUNS)
        run_cta(order, event->cta, event->seat);
    if (!order->current || order->failed)
        return;
    /* the owner of an mbarrier in the current CTA (see order_release_at()) */
    uint64_t own = order->current->linear + 1;
    uint64_t owner = event->wide ? 0 : event->owner ? event->owner : own;
    switch (event->kind) {
    case OBS_CTA_ENDS:
        end_cta(order);
        break;
    case OBS_BARRIER:
        sync_cta(order, order->current, event);
        break;
    case OBS_WARP_SYNC:
        sync_warp(order, order->current, event);
        break;
    case OBS_ARRIVE:
        order_release_at(order, event->warp, event->lanes, true, event->place, owner);
        break;
    case OBS_WAITED:
        order_acquire(order, event->warp, event->lanes, event->place, owner);
        break;
    case OBS_FENCE:
        set_fence(order, order->current, event->warp, event->lanes, event->wide);
        break;
    }
}
