/* Runs clusters. A cluster consists of CTAs that run at the same time, share a barrier and can
 * access each other's shared memory.
 *
 *   shared window   0 ───── own memory ───── MEM_CLUSTER_BEGIN ─ rank 0 ─┬─ rank 1 ─┬─ … ─
 *
 * mapa maps an address in the CTA's own memory to the upper part of the window, where an address
 * refers to the same byte for all CTAs of the cluster. One worker (CPU thread) runs all CTAs of a
 * cluster in turn, so this file needs no locks. In a launch without clusters, each CTA counts as a
 * separate cluster. A CTA that has ended stays allocated until the whole cluster has ended. */
#include <string.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/schedule.h"

/* --- start, run and end ----------------------------------------------------------------------- */

/* Returns the linear index in the grid of the CTA with RANK in cluster UNIT. All these numbers
 * increase along x first. */
static uint64_t cta_number(const struct launch *launch, uint64_t unit, uint32_t rank)
{
    const uint32_t *grid = launch->request.grid, *size = launch->request.cluster;
    uint64_t index[3];
    if (launch->cluster_size == 1)
        return unit;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t clusters = grid[i] / size[i];
        index[i] = unit % clusters * size[i] + rank % size[i];
        unit /= clusters;
        rank /= size[i];
    }
    return (index[2] * grid[1] + index[1]) * grid[0] + index[0];
}

struct cta *cluster_start(struct worker *worker, uint64_t unit)
{
    const struct launch *launch = worker->launch;
    struct cta *leader = NULL;
    for (uint32_t rank = 0; rank < launch->cluster_size; rank++) {
        struct cta *cta = cta_start(worker, cta_number(launch, unit, rank), rank);
        if (!cta) {
            while (leader && rank--)
                cta_recycle(leader->members[rank]);
            return NULL;
        }
        leader = rank ? leader : cta;
        leader->members[rank] = cta;
        cta->cluster = leader->members;
    }
    leader->phase = leader->cluster_path = leader->cluster_opened_path = 0;
    return leader;
}

enum cta_end cluster_run(struct cta *leader)
{
    uint32_t size = leader->launch->cluster_size;
    bool waits = true, moved = true;
    uint32_t looks = 0;
    if (size == 1)
        return cta_run(leader);
    while (waits && moved && looks < MOST_LOOKS) {
        uint32_t most = 0;
        waits = moved = false;
        for (uint32_t turn = 0; turn < size; turn++) {
            uint32_t rank = leader->launch->options->backwards ? size - 1 - turn : turn;
            struct cta *cta = leader->members[rank];
            if (cta->has_ended)
                continue;
            enum cta_end end = cta_run(cta);
            if (end == CTA_STOPPED)
                return CTA_STOPPED;
            most = cta->looks > most ? cta->looks : most;
            moved |= cta->has_moved || end == CTA_DONE;
            waits |= end == CTA_WAITS;
            cta->has_ended = end == CTA_DONE;
        }
        looks += most;
    }
    leader->gave_way = looks >= MOST_LOOKS;
    return waits ? CTA_WAITS : CTA_DONE;
}

void cluster_report_deadlock(struct cta *leader)
{
    for (uint32_t rank = 0; rank < leader->launch->cluster_size; rank++)
        cta_report_deadlock(leader->members[rank]);
}

void cluster_recycle(struct cta *leader)
{
    for (uint32_t rank = leader->launch->cluster_size; rank-- > 0;)
        cta_recycle(leader->members[rank]);
}

/* --- each other's memory ---------------------------------------------------------------------- */

struct cta *cluster_reach(const struct warp *warp, uint32_t rank, enum obs_fault_kind *wrong)
{
    struct cta *cta = rank < warp->cta->launch->cluster_size ? warp->cta->cluster[rank] : NULL;
    *wrong = !cta ? OBS_NO_SUCH_CTA : cta->has_ended ? OBS_CTA_ENDED : OBS_CTA_NOT_STARTED;
    return cta && cta->started && !cta->has_ended ? cta : NULL;
}

/* Returns LANE's value of an operand of 4 or 8 bytes. */
static uint64_t read_lane(const struct warp *warp, struct slot slot, unsigned lane)
{
    uint64_t value = 0;
    memcpy(&value, slot_at(warp, slot) + (size_t)lane * slot.bytes, slot.bytes);
    return value;
}

static uint64_t window_of(const struct inst *inst)
{
    return inst->mem.space == PTX_GENERIC ? MEM_SHARED_WINDOW : 0;
}

/* Maps OFFSET in the shared window to the memory of the CTA with RANK. If the offset is not in
 * shared memory or the rank does not exist, the result is an address that no CTA has. Without
 * clusters, rank 0 leaves the offset unchanged. */
static uint64_t map(const struct launch *launch, uint64_t offset, uint32_t rank)
{
    uint32_t none = MEM_CLUSTER_CTAS - 1;
    uint64_t at = offset < MEM_WINDOW_BYTES ? cluster_offset(offset) : MEM_CLUSTER_STEP;
    if (launch->cluster_size == 1 && rank == 0)
        return offset;
    return MEM_CLUSTER_BEGIN + (uint64_t)(rank < none ? rank : none) * MEM_CLUSTER_STEP +
           (at < MEM_CLUSTER_STEP ? at : MEM_CLUSTER_STEP - 16);
}

void map_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint64_t window = window_of(inst);
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        uint64_t offset = read_lane(warp, inst->src[0], l) - window;
        uint32_t rank = (uint32_t)read_lane(warp, inst->src[1], l);
        uint64_t mapped = window + map(warp->cta->launch, offset, rank);
        memcpy(slot_at(warp, inst->dst) + (size_t)l * inst->dst.bytes, &mapped, inst->dst.bytes);
    }
}

void rank_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, inst->dst);
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        uint64_t offset = read_lane(warp, inst->src[0], l) - window_of(inst);
        d[l] = cluster_rank(offset, warp->cta->rank);
    }
}
