/* Executes cp.async.bulk, with which one lane copies many bytes.
 *
 *   global or own shared memory -> shared memory   completes on an mbarrier, which counts the bytes
 *   own shared memory -> global memory             belongs to a group that the lane waits for
 *
 * cp.reduce.async.bulk combines the copied bytes with those at the target, for example by adding
 * them. st.async and red.async take the bytes from registers, and complete on an mbarrier.
 *
 * As for cp.async, a copy takes effect as late as CUDA allows, so a kernel that forgets to wait
 * reads old data. A copy that completes on an mbarrier reads its source when it starts; its bytes
 * arrive when a lane tests whether the mbarrier's phase is over. A copy to global memory reads and
 * stores when its lane waits, or when the CTA ends.
 *
 * The GPU makes these accesses outside of its load and store units, so they do not count as
 * requests of the warp; is_bulk is set in their struct obs_access. */
#include "gpu/execute/bulk.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/schedule.h"

struct operands {
    uint64_t to, from, barrier;
    uint32_t size;
    unsigned lane;
};

uint64_t bulk_address(const struct warp *warp, struct slot base, uint64_t offset, unsigned lane)
{
    uint64_t addr[WARP];
    access_addresses(warp, base, offset, 1u << lane, addr);
    return addr[lane];
}

uint64_t bulk_constant(const struct warp *warp, struct slot slot)
{
    uint64_t value;
    memcpy(&value, slot_at(warp, slot), sizeof value);
    return value;
}

/* Returns whether the bytes come from registers, as in st.async. */
static bool takes_registers(const struct inst *inst)
{
    return inst->src[2].offset == NO_SLOT;
}

static struct operands read_operands(const struct warp *warp, const struct inst *inst,
                                     unsigned lane)
{
    struct operands o = {.lane = lane};
    o.to = bulk_address(warp, inst->mem.base, (uint64_t)inst->mem.offset, lane);
    if (inst->dst.offset != NO_SLOT)
        o.barrier = bulk_address(warp, inst->src[3], bulk_constant(warp, inst->dst), lane);
    o.size = (uint32_t)inst->mem.bytes * inst->mem.count;
    if (takes_registers(inst))
        return o;
    o.from = bulk_address(warp, inst->src[0], bulk_constant(warp, inst->src[1]), lane);
    memcpy(&o.size, slot_at(warp, inst->src[2]) + lane * sizeof o.size, sizeof o.size);
    return o;
}

/* --- memory ----------------------------------------------------------------------------------- */

bool bulk_visit(struct warp *warp, const struct obs_access *wanted, unsigned lane, uint64_t addr,
                uint32_t size, uint8_t *bytes)
{
    /* The copy is made in pieces of STEP bytes, and access_find() reports a misaligned piece. If
     * ADDR is aligned but SIZE is not a multiple of STEP, access only the piece that begins after
     * the last byte: this piece is misaligned and so is reported. */
    uint32_t step = wanted->bytes, ragged = addr % step ? 0 : size % step ? size : 0;
    for (uint32_t at = ragged; at < size + !!ragged; at += step) {
        struct obs_access access = *wanted;
        uint8_t *host[WARP];
        for (unsigned l = 0; l < WARP; l++)
            access.addr[l] = addr + at;
        if (!access_find(warp, &access, 1u << lane, host))
            return false;
        if (bytes)
            memcpy(bytes + at, host[lane], step);
    }
    return true;
}

struct obs_access bulk_access(const struct warp *warp, uint8_t kind, uint8_t space, uint8_t bytes)
{
    return (struct obs_access){.pc = warp->pc,
                               .kind = kind,
                               .space = space,
                               .is_bulk = true,
                               .bytes = bytes,
                               .element = bytes};
}

/* Returns the CTA with RANK in the cluster. If this CTA is not running, reports a fault and returns
 * NULL. */
static struct cta *reach(struct warp *warp, unsigned lane, uint32_t rank, struct obs_access *access)
{
    enum obs_fault_kind wrong;
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

bool bulk_find(struct warp *warp, unsigned lane, uint32_t rank, uint64_t to, uint64_t barrier,
               struct bulk_target *target)
{
    bool in_cluster = warp->cta->launch->cluster_size > 1;
    uint32_t own = warp->cta->rank;
    uint32_t ranks[2] = {in_cluster ? cluster_rank(to, own) : own,
                         in_cluster ? cluster_rank(barrier, own) : own};
    if (rank != NO_RANK)
        ranks[0] = ranks[1] = rank;
    *target = (struct bulk_target){
        .at = in_cluster ? cluster_offset(to) : to,
        .barrier = in_cluster ? cluster_offset(barrier) : barrier,
        .access = bulk_access(warp, OBS_STORE, PTX_SHARED, PIECE),
    };
    struct obs_access unused = target->access;
    target->cta = reach(warp, lane, ranks[0], &target->access);
    struct cta *waits = target->cta ? reach(warp, lane, ranks[1], &unused) : NULL;
    if (!waits)
        return false;
    if (waits == target->cta && mbarrier_is_at(waits, target->barrier))
        return true;
    warp_fault(warp, OBS_NO_MBARRIER, lane, NULL);
    launch_stop(warp->cta->launch, EMU_TRAP);
    return false;
}

/* Copies SIZE bytes to TO, or combines them with the bytes there. */
static void put(const struct bulk_operation *does, uint8_t *to, const uint8_t *from, uint32_t size)
{
    struct inst how = {.mem = {.op = does->op, .type = does->type}};
    if (does->op == PTX_MOD_COUNT) {
        memcpy(to, from, size);
        return;
    }
    unsigned bytes = how.mem.bytes = (uint8_t)ptx_type_bytes((enum ptx_type)does->type);
    for (uint32_t at = 0; at < size; at += bytes) {
        uint8_t *host[WARP] = {to + at};
        uint64_t value[1] = {0}, old[WARP];
        memcpy(value, from + at, bytes);
        atomic_lanes(&how, !does->flushes, false, 1, host, value, NULL, old);
    }
}

/* Returns the operation that INST, which has no tensor map, applies to the elements at its
 * target. */
static struct bulk_operation operation_of(const struct inst *inst)
{
    return (struct bulk_operation){.op = inst->mem.type == PTX_pred ? PTX_MOD_COUNT : inst->mem.op,
                                   .type = inst->mem.type};
}

/* --- copies that complete on an mbarrier ------------------------------------------------------ */

struct bulk_copy *bulk_add(struct warp *warp, unsigned lane, const struct bulk_target *target,
                           uint32_t size)
{
    size_t pieces = size / PIECE;
    struct bulk_copy *copy = calloc(1, sizeof *copy + size + pieces);
    struct bulk_copy **last = &target->cta->bulk_copies;
    if (!copy) {
        launch_stop(warp->cta->launch, EMU_INTERNAL);
        return NULL;
    }
    *copy = (struct bulk_copy){.to = (uint32_t)target->at,
                               .size = size,
                               .brings = size,
                               .does = {.op = PTX_MOD_COUNT},
                               .barrier = (uint32_t)target->barrier,
                               .pc = warp->pc,
                               .warp = warp->index,
                               .lane = lane};
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

/* Reads the bytes to copy. Returns false if an address is bad. */
static bool read_source(struct warp *warp, const struct inst *inst, const struct operands *o,
                        uint8_t *bytes)
{
    uint8_t space = inst->mem.op == PTX_MOD_global ? PTX_GLOBAL : PTX_SHARED;
    struct obs_access from = bulk_access(warp, OBS_LOAD, space, PIECE);
    uint32_t each = inst->mem.bytes;
    if (!takes_registers(inst))
        return bulk_visit(warp, &from, o->lane, o->from, o->size, bytes);
    for (uint32_t i = 0; i < inst->mem.count; i++)
        memcpy(bytes + i * each, slot_at(warp, inst->mem.vector[i]) + o->lane * each, each);
    return true;
}

/* Starts a copy to the shared memory of the CTA with RANK. If RANK is NO_RANK, the target's address
 * determines the CTA. Returns false if the copy cannot start. */
static bool start_copy_to(struct warp *warp, const struct inst *inst, const struct operands *o,
                          uint32_t rank)
{
    struct bulk_target target;
    if (!takes_registers(inst) && inst->mem.type != PTX_pred &&
        !warp->cta->launch->is_in_clusters) {
        warp_fault(warp, OBS_REDUCES_ALONE, o->lane, NULL);
        launch_fail(warp->cta->launch, EMU_BAD_INSTRUCTION); /* an H100 reports this error, too */
        return false;
    }
    if (!bulk_find(warp, o->lane, rank, o->to, o->barrier, &target))
        return false;
    if (takes_registers(inst))
        target.access.bytes = target.access.element = (uint8_t)o->size;
    /* check the target first, because a valid target limits the size that bulk_add() allocates */
    if (!bulk_visit(warp, &target.access, o->lane, target.at, o->size, NULL))
        return false;
    struct bulk_copy *copy = bulk_add(warp, o->lane, &target, o->size);
    struct bulk_copy **place = &target.cta->bulk_copies;
    while (copy && *place != copy)
        place = &(*place)->next;
    if (copy)
        copy->does = operation_of(inst);
    if (copy && read_source(warp, inst, o, copy->data))
        return true;
    if (copy)
        remove_copy(place);
    return false;
}

/* Starts a copy to shared memory, or one copy to each CTA that the instruction names. */
static void start_copy(struct warp *warp, const struct inst *inst, const struct operands *o)
{
    struct slot ctas = inst->mem.vector[0];
    uint32_t ranks = 0;
    if (ctas.offset == NO_SLOT)
        start_copy_to(warp, inst, o, NO_RANK);
    else
        ranks = ((const uint16_t *)(const void *)slot_at(warp, ctas))[o->lane];
    for (uint32_t rank = 0; ranks >> rank; rank++)
        if (ranks >> rank & 1 && !start_copy_to(warp, inst, o, rank))
            return;
}

/* Stores SIZE bytes of the copy, from offset AT on. */
static void store_part(struct cta *cta, const struct bulk_copy *copy, uint32_t at, uint32_t size)
{
    uint64_t place[WARP] = {0};
    put(&copy->does, cta->shared + copy->to + at, copy->data + at, size);
    place[copy->lane] = copy->to + at;
    cta_report_order(cta, (struct obs_order){.kind = OBS_COPIED,
                                             .warp = copy->warp,
                                             .lanes = 1u << copy->lane,
                                             .pc = copy->pc,
                                             .bytes = size,
                                             .place = place});
}

/* Stores the copy's bytes. Reports to the observers that this happens before any thread that waits
 * for PHASE continues. */
static void arrive(struct cta *cta, const struct bulk_copy *copy, uint64_t phase)
{
    const uint8_t *is_written = copy->data + copy->size;
    uint64_t barrier[WARP] = {0};
    if (copy->brings == copy->size)
        store_part(cta, copy, 0, copy->size);
    for (uint32_t at = 0; copy->brings < copy->size && at < copy->size; at += PIECE)
        if (is_written[at / PIECE])
            store_part(cta, copy, at, PIECE);
    /* completing a copy is progress, so the waiting thread is not stuck */
    cta->worker->atomic_changes++;
    barrier[copy->lane] = phase;
    cta_report_order(cta, (struct obs_order){.kind = OBS_ARRIVE,
                                             .warp = copy->warp,
                                             .lanes = 1u << copy->lane,
                                             .pc = copy->pc,
                                             .place = barrier});
}

uint32_t bulk_arrive(struct cta *cta, uint32_t barrier, uint64_t phase)
{
    struct bulk_copy **place = &cta->bulk_copies;
    while (*place && (*place)->barrier != barrier)
        place = &(*place)->next;
    if (!*place)
        return 0;
    uint32_t size = (*place)->brings;
    arrive(cta, *place, phase);
    remove_copy(place);
    return size;
}

/* --- copies to global memory ------------------------------------------------------------------ */

struct bulk_store *bulk_add_store(struct warp *warp, unsigned lane, uint32_t count)
{
    struct bulk_store **last = &warp->bulk_stores, *store;
    store = calloc(1, sizeof *store + count * sizeof *store->part);
    if (!store) {
        launch_stop(warp->cta->launch, EMU_INTERNAL);
        return NULL;
    }
    store->lane = lane;
    store->group = warp->bulk_groups[lane];
    store->does.op = PTX_MOD_COUNT;
    while (*last)
        last = &(*last)->next;
    *last = store;
    return store;
}

static void start_store(struct warp *warp, const struct inst *inst, const struct operands *o)
{
    struct obs_access from = bulk_access(warp, OBS_LOAD, PTX_SHARED, PIECE);
    struct obs_access to = bulk_access(warp, inst->mem.event, PTX_GLOBAL, PIECE);
    if (!bulk_visit(warp, &from, o->lane, o->from, o->size, NULL) ||
        !bulk_visit(warp, &to, o->lane, o->to, o->size, NULL) || !o->size)
        return;
    uint8_t *host = mem_range(warp->cta->launch->memory, o->to, o->size);
    struct bulk_store *store = host ? bulk_add_store(warp, o->lane, 1) : NULL;
    if (store) {
        store->does = operation_of(inst);
        store->part[store->count++] = (struct bulk_part){host, (uint32_t)o->from, o->size};
    }
    if (!host)
        launch_stop(warp->cta->launch, EMU_INTERNAL);
}

static void perform(struct warp *warp, const struct bulk_store *store)
{
    for (uint32_t i = 0; i < store->count; i++) {
        const struct bulk_part *part = &store->part[i];
        put(&store->does, part->to, warp->cta->shared + part->from, part->size);
    }
}

/* Performs those copies of LANES whose group number is below the lane's number in BEFORE. */
static void finish(struct warp *warp, const uint32_t *before, uint32_t lanes)
{
    for (struct bulk_store **place = &warp->bulk_stores; *place;) {
        struct bulk_store *store = *place;
        if (!(lanes >> store->lane & 1) || store->group >= before[store->lane]) {
            place = &store->next;
            continue;
        }
        perform(warp, store);
        *place = store->next;
        free(store);
    }
}

static void finish_all(struct warp *warp)
{
    uint32_t before[WARP];
    memset(before, 0xff, sizeof before);
    finish(warp, before, ALL_LANES);
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
        unsigned lane = (unsigned)__builtin_ctz(mask);
        if (inst->mem.rows) {
            tensor_copy(warp, inst, lane);
            continue;
        }
        struct operands o = read_operands(warp, inst, lane);
        if (inst->mem.space == PTX_GLOBAL)
            start_store(warp, inst, &o);
        else if (takes_registers(inst))
            start_copy_to(warp, inst, &o, NO_RANK);
        else
            start_copy(warp, inst, &o);
    }
}

void bulk_end(struct cta *cta, bool drops)
{
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct warp *warp = &cta->warps[w];
        if (!drops && warp->bulk_stores)
            finish_all(warp);
        while (warp->bulk_stores) {
            struct bulk_store *store = warp->bulk_stores;
            warp->bulk_stores = store->next;
            free(store);
        }
    }
    while (cta->bulk_copies)
        remove_copy(&cta->bulk_copies);
}
