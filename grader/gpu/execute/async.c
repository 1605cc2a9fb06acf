/* Executes cp.async, with which a thread starts a copy from global to shared memory. The thread
 * waits for the copy later.
 *
 * A copy reads its source when it starts, and stores the data when the thread waits for it. CUDA
 * allows no later time, so a kernel that forgets to wait always reads the old data. A thread's
 * copies belong to the group that the thread's next commit_group closes. wait_group N stores the
 * data of all groups except the latest N. If a thread ends without waiting for a copy, the copy's
 * data is never stored.
 *
 * A copy is exposed if the warp waits for it before it has executed enough other instructions to
 * hide the latency of global memory. With cp.async.mbarrier.arrive, a thread arrives at an mbarrier
 * for its copies; their data is stored at this arrival. Such a copy is exposed if any warp of the
 * CTA waits too early for the mbarrier's phase. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/operations.h"

static struct async_copy *take(struct warp *warp)
{
    struct async_copy *copy = warp->idle_copies;
    if (copy)
        warp->idle_copies = copy->next;
    else
        copy = malloc(sizeof *copy);
    if (!copy)
        launch_stop(warp->cta->launch, EMU_INTERNAL);
    return copy;
}

static struct async_copy *begin(struct warp *warp, uint32_t lanes, unsigned bytes)
{
    struct async_copy *copy = take(warp), **last = &warp->copies;
    if (!copy)
        return NULL;
    warp->arrival = counters_arrival(warp->added, warp->arrival);
    *copy = (struct async_copy){.lanes = lanes,
                                .bytes = bytes,
                                .pc = warp->pc,
                                .start = warp->executed,
                                .arrival = warp->arrival};
    memcpy(copy->group, warp->groups, sizeof copy->group);
    while (*last)
        last = &(*last)->next;
    *last = copy;
    return copy;
}

/* --- starting --------------------------------------------------------------------------------- */

/* Writes to SIZES the number of bytes that each lane reads from its source. The remaining bytes of
 * the lane's destination become zero. */
static void source_sizes(const struct warp *warp, const struct inst *inst, uint8_t *sizes)
{
    uint32_t ignored = inst->src[3].offset == NO_SLOT ? 0 : slot_predicate(warp, inst->src[3]);
    const uint32_t *wanted = NULL;
    if (inst->src[2].offset != NO_SLOT)
        wanted = (const uint32_t *)(const void *)slot_at(warp, inst->src[2]);
    for (unsigned l = 0; l < WARP; l++) {
        uint32_t size = wanted ? wanted[l] : inst->mem.bytes;
        size = size < inst->mem.bytes ? size : inst->mem.bytes;
        sizes[l] = ignored >> l & 1 ? 0 : (uint8_t)size;
    }
}

/* Reads the sources of LANES. A lane that copies 0 bytes reads nothing, so its address may be
 * bad. */
static void read_sources(struct warp *warp, const struct inst *inst, struct async_copy *copy,
                         uint32_t lanes)
{
    struct obs_access access = {.pc = warp->pc, .kind = OBS_LOAD, .warp = warp->index};
    access.space = PTX_GLOBAL;
    uint8_t *host[WARP], sizes[WARP];
    uint32_t readers = 0, whole = 0;
    uint64_t offset;
    source_sizes(warp, inst, sizes);
    for (unsigned l = 0; l < WARP; l++) {
        readers |= (lanes >> l & (uint32_t)(sizes[l] != 0)) << l;
        whole |= (lanes >> l & (uint32_t)(sizes[l] == inst->mem.bytes)) << l;
    }
    if (!readers)
        return;
    memcpy(&offset, slot_at(warp, inst->src[1]), sizeof offset);
    access.bytes = access.element = inst->mem.bytes;
    access_addresses(warp, inst->src[0], offset, readers, access.addr);
    bool simple = readers == whole;
    if (simple)
        readers = access_find(warp, &access, readers, host);
    else
        access_report(warp, &access, readers);
    for (unsigned l = 0; l < WARP; l++) {
        if (!(readers >> l & 1))
            continue;
        const uint8_t *bytes = simple ? host[l] : access_find_part(warp, &access, l, sizes[l]);
        if (bytes)
            memcpy(copy->data[l], bytes, sizes[l]);
    }
}

/* Executes cp.async: [mem.base + mem.offset] := [src[0] + src[1]]. src[2] holds the number of bytes
 * to read, and src[3] a predicate that is true in lanes that read nothing; src[2] and src[3] can be
 * NO_SLOT. */
void copy_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct obs_access access = {.pc = warp->pc, .kind = OBS_STORE, .warp = warp->index};
    uint8_t *host[WARP];
    access.space = PTX_SHARED;
    access.bytes = access.element = inst->mem.bytes;
    access_addresses(warp, inst->mem.base, (uint64_t)inst->mem.offset, mask, access.addr);
    uint32_t lanes = access_find(warp, &access, mask, host);
    struct async_copy *copy = lanes ? begin(warp, lanes, inst->mem.bytes) : NULL;
    if (!copy)
        return;
    for (unsigned l = 0; l < WARP; l++)
        copy->to[l] = lanes >> l & 1 ? (uint32_t)access.addr[l] : 0;
    read_sources(warp, inst, copy, lanes);
}

/* --- finishing -------------------------------------------------------------------------------- */

static void store(struct warp *warp, struct async_copy *copy, uint32_t lanes)
{
    uint64_t place[WARP];
    for (unsigned l = 0; l < WARP; l++) {
        place[l] = copy->to[l];
        if (lanes >> l & 1)
            memcpy(warp->cta->shared + copy->to[l], copy->data[l], copy->bytes);
    }
    copy->lanes &= ~lanes;
    if (lanes)
        cta_report_order(warp->cta, (struct obs_order){.kind = OBS_COPIED,
                                                       .warp = warp->index,
                                                       .lanes = lanes,
                                                       .place = place,
                                                       .bytes = copy->bytes,
                                                       .pc = copy->pc});
}

/* Removes the copy at PLACE, for which the warp has now waited, from the warp's list. */
static void retire(struct warp *warp, struct async_copy **place)
{
    struct async_copy *copy = *place;
    struct profile *profile = &warp->cta->worker->profile[copy->pc];
    profile->exposed += warp->executed - copy->start <= EMU_HIDES_LATENCY;
    if (warp->added < copy->arrival) {
        profile->uncovered++;
        warp->arrival = 0; /* later copies do not wait for this one */
    }
    *place = copy->next;
    copy->next = warp->idle_copies;
    warp->idle_copies = copy;
}

/* Stores the copies of LANES, oldest first, whose group number is below the lane's number in
 * BEFORE. */
static void finish(struct warp *warp, const uint32_t *before, uint32_t lanes)
{
    for (struct async_copy **place = &warp->copies; *place;) {
        struct async_copy *copy = *place;
        uint32_t ready = 0;
        for (unsigned l = 0; l < WARP; l++)
            ready |= (uint32_t)(copy->group[l] < before[l]) << l;
        store(warp, copy, ready & lanes & copy->lanes);
        if (copy->lanes || copy->arrived)
            place = &copy->next;
        else
            retire(warp, place);
    }
}

void async_finish(struct warp *warp, uint32_t lanes)
{
    uint32_t before[WARP];
    memset(before, 0xff, sizeof before);
    finish(warp, before, lanes);
}

void async_arrive(struct warp *warp, uint32_t lanes, uint32_t barrier, uint32_t phase)
{
    for (struct async_copy *copy = warp->copies; copy; copy = copy->next) {
        if (copy->arrived || !(copy->lanes & lanes))
            continue;
        store(warp, copy, copy->lanes & lanes);
        copy->arrived = !copy->lanes;
        copy->barrier = barrier;
        copy->phase = phase;
    }
}

void async_awaited(struct cta *cta, uint32_t barrier, uint32_t phase)
{
    for (struct warp *warp = cta->warps; warp < cta->warps + cta->warp_count; warp++)
        for (struct async_copy **place = &warp->copies; *place;) {
            struct async_copy *copy = *place;
            if (copy->arrived && copy->barrier == barrier && copy->phase != phase)
                retire(warp, place);
            else
                place = &copy->next;
        }
}

void groups_commit(uint32_t *groups, uint32_t mask)
{
    for (unsigned l = 0; l < WARP; l++)
        groups[l] += mask >> l & 1;
}

void groups_before(const uint32_t *groups, uint32_t pending, uint32_t *before)
{
    for (unsigned l = 0; l < WARP; l++)
        before[l] = groups[l] > pending ? groups[l] - pending : 0;
}

void commit_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)inst;
    groups_commit(warp->groups, mask);
}

void wait_group_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint32_t before[WARP];
    groups_before(warp->groups, inst->wait.pending, before);
    finish(warp, before, mask);
}

void wait_all_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)inst;
    async_finish(warp, mask);
}

/* Drops the warp's copies, but keeps the counters of groups, because only the differences between
 * them matter. */
void async_drop(struct warp *warp)
{
    while (warp->copies) {
        struct async_copy *copy = warp->copies;
        warp->copies = copy->next;
        copy->next = warp->idle_copies;
        warp->idle_copies = copy;
    }
}

void async_free(struct warp *warp)
{
    async_drop(warp);
    while (warp->idle_copies) {
        struct async_copy *copy = warp->idle_copies;
        warp->idle_copies = copy->next;
        free(copy);
    }
}
