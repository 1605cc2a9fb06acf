/* Executes mbarriers, which are barriers in shared memory. Arriving and waiting are separate
 * instructions.
 *
 * A barrier counts the arrivals that are still pending in its current phase. When none is pending,
 * the phase ends, and the next phase begins with `expected` pending arrivals. An arrival returns a
 * state: the number of the current phase and its pending count. A wait takes a state and checks
 * whether the barrier is in another phase by now. A phase can also wait for bytes: expect_tx raises
 * the number of expected bytes, and bulk copies lower it when they store their bytes (bulk.c).
 *
 * PTX does not define the contents of a barrier's 8 bytes in shared memory. So each CTA keeps a
 * table of its barriers. An instruction that uses a barrier that is not in the table is reported,
 * because the barrier was never initialised. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/schedule.h"

#define MOST_ARRIVALS 0xfffffu /* largest count of an mbarrier, a field of 20 bits */

static struct mbarrier *find(const struct cta *cta, uint32_t at)
{
    for (uint32_t i = 0; i < cta->mbarrier_count; i++)
        if (cta->mbarriers[i].at == at)
            return &cta->mbarriers[i];
    return NULL;
}

bool mbarrier_is_at(const struct cta *cta, uint64_t at)
{
    return at <= UINT32_MAX && find(cta, (uint32_t)at);
}

static struct mbarrier *add(struct cta *cta, uint32_t at)
{
    if (cta->mbarrier_count == cta->mbarrier_room) {
        uint32_t room = cta->mbarrier_room ? 2 * cta->mbarrier_room : 8;
        struct mbarrier *bigger = realloc(cta->mbarriers, room * sizeof *bigger);
        if (!bigger) {
            launch_stop(cta->launch, EMU_INTERNAL);
            return NULL;
        }
        cta->mbarriers = bigger;
        cta->mbarrier_room = room;
    }
    cta->mbarriers[cta->mbarrier_count].at = at;
    return &cta->mbarriers[cta->mbarrier_count++];
}

static void fail(struct warp *warp, enum obs_fault_kind kind, unsigned lane)
{
    warp_fault(warp, kind, lane, NULL);
    launch_stop(warp->cta->launch, EMU_TRAP);
}

/* --- what one lane does ----------------------------------------------------------------------- */

static void init(struct warp *warp, unsigned lane, struct cta *cta, uint32_t at, uint32_t count)
{
    struct mbarrier *barrier = find(cta, at);
    if (!count || count > MOST_ARRIVALS) {
        fail(warp, OBS_MBARRIER_COUNT, lane);
        return;
    }
    barrier = barrier ? barrier : add(cta, at);
    if (barrier)
        *barrier = (struct mbarrier){.at = at, .expected = count, .pending = count};
}

static uint64_t state_of(const struct mbarrier *barrier)
{
    return (uint64_t)barrier->phase << 32 | barrier->pending;
}

/* Ends the phase if neither arrivals nor bytes are pending. */
static void end_phase(struct mbarrier *barrier)
{
    if (barrier->pending || barrier->bytes)
        return;
    barrier->phase++;
    barrier->pending = barrier->expected;
    barrier->ended_path = barrier->path;
    barrier->path = 0;
}

/* Makes LANE arrive COUNT times. Returns the barrier's state before the arrival. */
static uint64_t arrive(struct warp *warp, unsigned lane, const struct inst *inst,
                       struct mbarrier *barrier, uint32_t count)
{
    uint64_t state = state_of(barrier);
    bool ends = count == barrier->pending && !barrier->bytes;
    bool must_not_end = inst->mem.variant && inst->mem.op != PTX_OP_cp_async_mbarrier_arrive;
    if (!count || count > barrier->pending || (ends && must_not_end)) {
        fail(warp, OBS_MBARRIER_COUNT, lane);
        return state;
    }
    if (inst->mem.op == PTX_OP_mbarrier_arrive_drop)
        barrier->expected -= count;
    barrier->pending -= count;
    if (warp_path(warp) > barrier->path)
        barrier->path = warp_path(warp);
    end_phase(barrier);
    return state;
}

/* Completes the lane's copies, then arrives for them. Without .noinc, the instruction first adds 1
 * to the pending count, so that the arrival leaves the count unchanged. */
static void arrive_with_copies(struct warp *warp, unsigned lane, const struct inst *inst,
                               struct mbarrier *barrier)
{
    async_arrive(warp, 1u << lane, barrier->at, barrier->phase);
    if (inst->mem.variant)
        arrive(warp, lane, inst, barrier, 1);
}

static bool has_ended(const struct inst *inst, const struct mbarrier *barrier, uint64_t state)
{
    return inst->mem.variant ? (barrier->phase & 1) != (state & 1)
                             : barrier->phase != (uint32_t)(state >> 32);
}

/* --- instructions ----------------------------------------------------------------------------- */

static uint64_t read_lane(const struct warp *warp, struct slot slot, unsigned lane)
{
    uint64_t value = 0;
    memcpy(&value, slot_at(warp, slot) + lane * slot.bytes, slot.bytes);
    return value;
}

static void return_state(struct warp *warp, const struct inst *inst, unsigned lane, uint64_t state)
{
    if (inst->dst.offset != NO_SLOT)
        memcpy(slot_at(warp, inst->dst) + lane * sizeof state, &state, sizeof state);
}

/* Returns the number by which observers identify a phase: an address in the barrier. Two successive
 * phases have different addresses. */
static uint64_t place_of(const struct mbarrier *barrier, uint64_t phase)
{
    return barrier->at + (phase & 1) * 4;
}

static bool is_wait(const struct inst *inst)
{
    return inst->mem.op == PTX_OP_mbarrier_test_wait || inst->mem.op == PTX_OP_mbarrier_try_wait;
}

/* Completes the copies that a phase waits for, then returns whether the phase has ended. VALUE
 * identifies the phase: it is a state or, with .parity, the parity of the phase's number. */
static bool ask(struct warp *warp, const struct inst *inst, unsigned lane, struct mbarrier *barrier,
                uint64_t value, uint64_t *place)
{
    uint32_t bytes = 1;
    while (!has_ended(inst, barrier, value) && bytes) {
        bytes = bulk_arrive(warp->cta, barrier->at, place_of(barrier, barrier->phase));
        barrier->bytes -= bytes;
        if (bytes)
            end_phase(barrier);
    }
    bool ended = has_ended(inst, barrier, value);
    if (ended) {
        async_awaited(warp->cta, barrier->at, barrier->phase);
        warp_lengthen_path(warp, barrier->ended_path);
    }
    slot_set_predicate(warp, inst->dst, ended ? ALL_LANES : 0, 1u << lane);
    *place = place_of(barrier, inst->mem.variant ? value : value >> 32);
    return ended;
}

/* Executes the instruction for one lane. Returns true if the lane has arrived in a phase or has
 * waited until a phase ended; PLACE then identifies the phase. */
static bool one_lane(struct warp *warp, const struct inst *inst, struct cta *cta, unsigned lane,
                     uint32_t at, uint64_t *place)
{
    struct mbarrier *barrier = find(cta, at);
    uint64_t value = read_lane(warp, inst->src[0], lane);
    if (inst->mem.op == PTX_OP_mbarrier_init) {
        init(warp, lane, cta, at, (uint32_t)value);
        return false;
    }
    if (!barrier) {
        fail(warp, OBS_NO_MBARRIER, lane);
        return false;
    }
    if (is_wait(inst))
        return ask(warp, inst, lane, barrier, value, place);
    *place = place_of(barrier, barrier->phase);
    switch (inst->mem.op) {
    case PTX_OP_mbarrier_inval:
        *barrier = cta->mbarriers[--cta->mbarrier_count];
        return false;
    case PTX_OP_cp_async_mbarrier_arrive:
        arrive_with_copies(warp, lane, inst, barrier);
        return true;
    case PTX_OP_mbarrier_expect_tx:
        barrier->bytes += (int64_t)value;
        return false;
    case PTX_OP_mbarrier_complete_tx:
        barrier->bytes -= (int64_t)value;
        end_phase(barrier);
        return true;
    default: /* arrive, arrive_drop */
        barrier->bytes += (int64_t)read_lane(warp, inst->src[1], lane);
        return_state(warp, inst, lane, arrive(warp, lane, inst, barrier, (uint32_t)value));
        return true;
    }
}

static void report_event(struct warp *warp, const struct inst *inst, const struct cta *cta,
                         uint32_t lanes, const uint64_t *place)
{
    if (lanes)
        cta_report_order(warp->cta,
                         (struct obs_order){.kind = is_wait(inst) ? OBS_WAITED : OBS_ARRIVE,
                                            .warp = warp->index,
                                            .lanes = lanes,
                                            .owner = cta == warp->cta ? 0 : cta->linear + 1,
                                            .place = place});
}

/* Returns whether the instruction's mbarrier may belong to another CTA. */
static bool may_be_remote(const struct inst *inst)
{
    return inst->mem.op == PTX_OP_mbarrier_arrive || inst->mem.op == PTX_OP_mbarrier_arrive_drop ||
           inst->mem.op == PTX_OP_mbarrier_expect_tx || inst->mem.op == PTX_OP_mbarrier_complete_tx;
}

/* Returns the CTA that owns the mbarriers at ACCESS's addresses. If the access is not allowed,
 * reports a fault and returns NULL. If the CTA is not running, returns WARP's CTA, and
 * access_find() then reports the fault. */
static struct cta *find_owner(struct warp *warp, const struct inst *inst,
                              const struct obs_access *access, unsigned lane)
{
    enum obs_fault_kind wrong = OBS_NO_MBARRIER;
    if (access->space == PTX_SHARED)
        return warp->cta;
    if (access->space == PTX_CLUSTER && may_be_remote(inst)) {
        struct cta *cta = cluster_reach(warp, access->rank, &wrong);
        return cta ? cta : warp->cta;
    }
    fail(warp, access->space == PTX_CLUSTER ? OBS_REMOTE_MBARRIER : wrong, lane);
    return NULL;
}

/* Executes the instruction for one lane after another. The address must be in shared memory, even
 * if it is generic. */
void mbarrier_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t todo = mask, group; todo; todo &= ~group) {
        struct obs_access access = {.pc = warp->pc, .kind = OBS_ATOMIC, .warp = warp->index};
        uint8_t *host[WARP];
        uint64_t place[WARP];
        uint32_t reported = 0;
        access.bytes = inst->mem.bytes;
        access_addresses(warp, inst->mem.base, (uint64_t)inst->mem.offset, mask, access.addr);
        group = access_take_space(warp, inst, todo, &access);
        struct cta *cta = find_owner(warp, inst, &access, (unsigned)__builtin_ctz(todo));
        if (!cta)
            return;
        uint32_t lanes = access_find(warp, &access, group, host);
        for (unsigned l = 0; l < WARP; l++)
            if (lanes >> l & 1 && !atomic_load(&warp->cta->launch->stopping))
                reported |=
                    (uint32_t)one_lane(warp, inst, cta, l, (uint32_t)access.addr[l], &place[l])
                    << l;
        report_event(warp, inst, cta, reported, place);
    }
}

void pending_count_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint64_t *state = (const uint64_t *)(const void *)slot_at(warp, inst->src[0]);
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++)
        d[l] = mask >> l & 1 ? (uint32_t)state[l] : d[l];
}
