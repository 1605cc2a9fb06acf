/* cp.async.bulk: copies of many bytes that one lane starts.
 *
 *   global or own shared memory -> shared memory    ends at an mbarrier, which counts the bytes
 *   own shared memory -> global memory              belongs to a group, for which its lane waits
 *
 * As cp.async does, a copy takes effect at the latest moment that CUDA allows, so a kernel that
 * forgets to wait sees old data. A copy that ends at an mbarrier reads its source when it starts;
 * its bytes arrive when some lane asks whether the mbarrier's phase is over. A copy to global
 * memory reads and stores when its lane waits, or when the CTA ends.
 *
 * The GPU makes these accesses outside of its load and store units, so they are not requests of the
 * warp: is_bulk in struct obs_access. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/schedule.h"

#define PIECE 16u /* copies and their addresses are multiples of this */

/* One lane's operands. */
struct operands {
    uint64_t to, from, barrier;
    uint32_t size;
    unsigned lane;
};

static uint64_t address(const struct warp *warp, struct slot base, uint64_t offset, unsigned lane)
{
    uint64_t addr[WARP];
    access_addresses(warp, base, offset, 1u << lane, addr);
    return addr[lane];
}

static uint64_t constant(const struct warp *warp, struct slot slot)
{
    uint64_t value;
    memcpy(&value, slot_at(warp, slot), sizeof value);
    return value;
}

static struct operands read_operands(const struct warp *warp, const struct inst *inst,
                                     unsigned lane)
{
    struct operands o = {.lane = lane};
    o.to = address(warp, inst->mem.base, (uint64_t)inst->mem.offset, lane);
    o.from = address(warp, inst->src[0], constant(warp, inst->src[1]), lane);
    if (inst->dst.offset != NO_SLOT)
        o.barrier = address(warp, inst->src[3], constant(warp, inst->dst), lane);
    memcpy(&o.size, slot_at(warp, inst->src[2]) + lane * sizeof o.size, sizeof o.size);
    return o;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Checks and reports the access to SIZE bytes at ADDR. If BYTES is not NULL, reads them. False: an
 * address is bad, and the launch has failed. */
static bool visit(struct warp *warp, const struct obs_access *wanted, unsigned lane, uint64_t addr,
                  uint32_t size, uint8_t *bytes)
{
    /* access_find() reports a misaligned piece: the first one, or else what is behind a ragged
     * end */
    uint32_t ragged = addr % PIECE ? 0 : size % PIECE ? size : 0;
    for (uint32_t at = ragged; at < size + !!ragged; at += PIECE) {
        struct obs_access access = *wanted;
        uint8_t *host[WARP];
        for (unsigned l = 0; l < WARP; l++)
            access.addr[l] = addr + at;
        if (!access_find(warp, &access, 1u << lane, host))
            return false;
        if (bytes)
            memcpy(bytes + at, host[lane], PIECE);
    }
    return true;
}

static struct obs_access access_to(const struct warp *warp, uint8_t kind, uint8_t space)
{
    struct obs_access access = {.pc = warp->pc, .kind = kind, .space = space, .is_bulk = true};
    access.bytes = access.element = PIECE;
    return access;
}

/* The CTA whose shared memory ADDR is in; ADDR becomes relative to it. NULL, with a report: it is
 * not running. */
static struct cta *reach(struct warp *warp, unsigned lane, uint64_t *addr,
                         struct obs_access *access)
{
    enum obs_fault_kind wrong;
    uint32_t rank = warp->cta->rank;
    if (warp->cta->launch->cluster_size == 1)
        return warp->cta;
    rank = cluster_rank(*addr, rank);
    *addr = cluster_offset(*addr);
    if (rank == warp->cta->rank)
        return warp->cta;
    struct cta *cta = cluster_reach(warp, rank, &wrong);
    access->space = PTX_CLUSTER;
    access->rank = rank;
    access->seat = cta ? cta->seat : OBS_NO_SEAT;
    if (!cta) {
        warp_fault(warp, wrong, lane, access);
        launch_fail(warp->cta->launch, EMU_ILLEGAL_ADDRESS);
    }
    return cta;
}

/* --- copies that end at an mbarrier ----------------------------------------------------------- */

/* A copy whose bytes have not arrived yet. WARP and LANE started it, in any CTA of the cluster. */
struct bulk_copy {
    struct bulk_copy *next;
    uint32_t to, size, barrier, pc, warp, lane;
    uint8_t data[];
};

static struct bulk_copy *add_copy(struct warp *warp, struct cta *cta, const struct operands *o)
{
    struct bulk_copy *copy = malloc(sizeof *copy + o->size), **last = &cta->bulk_copies;
    if (!copy) {
        launch_stop(cta->launch, EMU_INTERNAL);
        return NULL;
    }
    *copy = (struct bulk_copy){.to = (uint32_t)o->to,
                               .size = o->size,
                               .barrier = (uint32_t)o->barrier,
                               .pc = warp->pc,
                               .warp = warp->index,
                               .lane = o->lane};
    while (*last)
        last = &(*last)->next;
    *last = copy;
    return copy;
}

static void remove_copy(struct bulk_copy **place)
{
    struct bulk_copy *copy = *place;
    *place = copy->next;
    free(copy);
}

/* Starts a copy to shared memory. */
static void start_copy(struct warp *warp, const struct inst *inst, struct operands *o)
{
    bool from_global = inst->mem.op == PTX_MOD_global;
    struct obs_access to = access_to(warp, OBS_STORE, PTX_SHARED), unused = to;
    struct obs_access from = access_to(warp, OBS_LOAD, from_global ? PTX_GLOBAL : PTX_SHARED);
    struct cta *cta = reach(warp, o->lane, &o->to, &to);
    struct cta *waits = cta ? reach(warp, o->lane, &o->barrier, &unused) : NULL;
    if (!waits)
        return;
    if (waits != cta || !mbarrier_is_at(cta, o->barrier)) {
        warp_fault(warp, OBS_NO_MBARRIER, o->lane, NULL);
        launch_stop(warp->cta->launch, EMU_TRAP);
        return;
    }
    if (!visit(warp, &to, o->lane, o->to, o->size,
               NULL)) /* first: it bounds what add_copy() allocates */
        return;
    struct bulk_copy *copy = add_copy(warp, cta, o), **place = &cta->bulk_copies;
    while (copy && *place != copy)
        place = &(*place)->next;
    if (copy && !visit(warp, &from, o->lane, o->from, o->size, copy->data))
        remove_copy(place);
}

/* Stores the bytes. Threads that wait for PHASE come after that. */
static void arrive(struct cta *cta, const struct bulk_copy *copy, uint64_t phase)
{
    uint64_t place[WARP] = {0}, barrier[WARP] = {0};
    struct obs_order event = {.kind = OBS_COPIED,
                              .warp = copy->warp,
                              .lanes = 1u << copy->lane,
                              .pc = copy->pc,
                              .bytes = copy->size,
                              .place = place};
    memcpy(cta->shared + copy->to, copy->data, copy->size);
    cta->worker->atomic_changes++; /* a wait that makes a copy arrive does not stand still */
    place[copy->lane] = copy->to;
    barrier[copy->lane] = phase;
    cta_tell_order(cta, event);
    event.kind = OBS_ARRIVE;
    event.place = barrier;
    cta_tell_order(cta, event);
}

uint32_t bulk_arrive(struct cta *cta, uint32_t barrier, uint64_t phase)
{
    struct bulk_copy **place = &cta->bulk_copies;
    while (*place && (*place)->barrier != barrier)
        place = &(*place)->next;
    if (!*place)
        return 0;
    uint32_t size = (*place)->size;
    arrive(cta, *place, phase);
    remove_copy(place);
    return size;
}

/* --- copies to global memory ------------------------------------------------------------------ */

struct bulk_store {
    struct bulk_store *next;
    uint32_t lane, group, from, size;
    uint8_t *to;
};

static void start_store(struct warp *warp, const struct operands *o)
{
    struct obs_access from = access_to(warp, OBS_LOAD, PTX_SHARED);
    struct obs_access to = access_to(warp, OBS_STORE, PTX_GLOBAL);
    struct bulk_store **last = &warp->bulk_stores, *store;
    if (!visit(warp, &from, o->lane, o->from, o->size, NULL) ||
        !visit(warp, &to, o->lane, o->to, o->size, NULL) || !o->size)
        return;
    store = malloc(sizeof *store);
    uint8_t *host = mem_range(warp->cta->launch->memory, o->to, o->size);
    if (!store || !host) {
        free(store);
        launch_stop(warp->cta->launch, EMU_INTERNAL);
        return;
    }
    *store = (struct bulk_store){.lane = o->lane,
                                 .group = warp->bulk_groups[o->lane],
                                 .from = (uint32_t)o->from,
                                 .size = o->size,
                                 .to = host};
    while (*last)
        last = &(*last)->next;
    *last = store;
}

/* Performs the copies of LANES whose group has a number below the lane's BEFORE. */
static void finish(struct warp *warp, const uint32_t *before, uint32_t lanes)
{
    for (struct bulk_store **place = &warp->bulk_stores; *place;) {
        struct bulk_store *store = *place;
        if (!(lanes >> store->lane & 1) || store->group >= before[store->lane]) {
            place = &store->next;
            continue;
        }
        memcpy(store->to, warp->cta->shared + store->from, store->size);
        *place = store->next;
        free(store);
    }
}

void bulk_commit_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)inst;
    groups_commit(warp->bulk_groups, mask);
}

void bulk_wait_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint32_t before[WARP];
    groups_before(warp->bulk_groups, inst->wait.pending, before);
    finish(warp, before, mask);
}

/* --- both ------------------------------------------------------------------------------------- */

void bulk_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        struct operands o = read_operands(warp, inst, (unsigned)__builtin_ctz(mask));
        if (inst->mem.space == PTX_GLOBAL)
            start_store(warp, &o);
        else
            start_copy(warp, inst, &o);
    }
}

void bulk_end(struct cta *cta, bool drops)
{
    uint32_t before[WARP];
    memset(before, 0xff, sizeof before);
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct warp *warp = &cta->warps[w];
        if (!drops)
            finish(warp, before, ALL_LANES);
        while (warp->bulk_stores) {
            struct bulk_store *store = warp->bulk_stores;
            warp->bulk_stores = store->next;
            free(store);
        }
    }
    while (cta->bulk_copies)
        remove_copy(&cta->bulk_copies);
}
