/* Implements the rare cases of accesses to memory (see access_find.h), and the functions by which
 * other files access memory. */
#include "gpu/execute/access.h"

#include "gpu/execute/access_find.h"
#include "gpu/memory/heap.h"

/* --- addresses -------------------------------------------------------------------------------- */

uint32_t access_take_cta(const struct warp *warp, uint32_t todo, struct obs_access *access)
{
    uint32_t lanes = 0, own = warp->cta->rank;
    uint64_t first = access->addr[__builtin_ctz(todo)];
    enum obs_fault_kind unused;
    access->rank = cluster_rank(first, own);
    for (unsigned l = 0; l < WARP; l++)
        if (todo >> l & 1 && cluster_rank(access->addr[l], own) == access->rank)
            lanes |= 1u << l;
    for (unsigned l = 0; l < WARP; l++)
        access->addr[l] = cluster_offset(lanes >> l & 1 ? access->addr[l] : first);
    if (access->rank == own)
        return lanes;
    const struct cta *other = cluster_reach(warp, access->rank, &unused);
    access->space = PTX_CLUSTER;
    access->seat = other ? other->seat : OBS_NO_SEAT;
    return lanes;
}

/* --- checks ----------------------------------------------------------------------------------- */

struct area access_area_of_other(const struct warp *warp, uint32_t rank)
{
    enum obs_fault_kind unused;
    const struct cta *other = cluster_reach(warp, rank, &unused);
    return other ? (struct area){other->shared, other->shared_bytes, 0} : (struct area){0};
}

/* Returns whether the launch continues after the fault, which is reported in any case. It continues
 * if the options ask for this and a GPU would not detect the bad access. */
static bool is_overlooked(const struct launch *launch, const struct obs_access *access,
                          unsigned lane, enum obs_fault_kind kind)
{
    return kind == OBS_OUT_OF_BOUNDS && launch->options->ignores_strays &&
           (access->space == PTX_GLOBAL || access->space == PTX_CONST) &&
           mem_is_gap(launch->memory, access->addr[lane]);
}

static uint32_t drop(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                     unsigned lane, enum obs_fault_kind kind)
{
    struct launch *launch = warp->cta->launch;
    warp_fault(warp, kind, lane, access);
    if (!is_overlooked(launch, access, lane, kind))
        launch_fail(launch, kind == OBS_MISALIGNED ? EMU_MISALIGNED_ADDRESS : EMU_ILLEGAL_ADDRESS);
    return lanes & ~(1u << lane);
}

LANES_INLINE uint32_t check_alignment(struct warp *warp, const struct obs_access *access,
                                      uint32_t lanes)
{
    uint64_t bits = 0;
    for (unsigned l = 0; l < WARP; l++)
        bits |= access->addr[l];
    if (!(bits & (access->bytes - 1u)))
        return lanes;
    for (unsigned l = 0; l < WARP; l++)
        if (lanes >> l & 1 && access->addr[l] & (access->bytes - 1u))
            lanes = drop(warp, access, lanes, l, OBS_MISALIGNED);
    return lanes;
}

uint8_t *access_local(const struct warp *warp, unsigned lane, uint64_t at, uint64_t size)
{
    const struct launch *launch = warp->cta->launch;
    uint64_t own = launch->own_bytes, used = launch->kernel->function->local_bytes;
    if (at <= used && size <= used - at)
        return warp->local + lane * own + at;
    at -= own; /* addresses from `used` to `own` belong to no variable */
    if (at > warp->stack_room || size > warp->stack_room - at)
        return NULL;
    return warp->stack + (size_t)lane * warp->stack_room + at;
}

/* Returns a pointer to one lane's bytes. If the address is bad, returns NULL and sets *WRONG to the
 * fault. */
static uint8_t *find_lane(struct warp *warp, const struct obs_access *access, unsigned lane,
                          enum obs_fault_kind *wrong)
{
    uint64_t addr = access->addr[lane], end = addr + access->bytes;
    *wrong = OBS_OUT_OF_BOUNDS;
    if (access->space == PTX_LOCAL)
        return access_local(warp, lane, addr, access->bytes);
    if (!is_global(access->space)) {
        struct area area = area_of(warp, access);
        if (access->space == PTX_CLUSTER && !cluster_reach(warp, access->rank, wrong))
            return NULL;
        *wrong = OBS_OUT_OF_BOUNDS;
        if (is_shared(access->space) && !is_in_shared(warp, access, addr, end))
            return NULL;
        return addr <= end && end <= area.size ? area.start + lane * area.stride + addr : NULL;
    }
    struct mem_block *block = mem_block_at(warp->cta->launch->memory, addr);
    if (!holds(block, addr, end) ||
        (block->is_heap && !heap_holds(warp->cta->launch->heap, addr, end)))
        return NULL;
    *wrong = access->space == PTX_CONST ? OBS_OUT_OF_BOUNDS : OBS_READ_ONLY;
    return may_touch(block, access) ? block->host + (addr - block->addr) : NULL;
}

uint32_t access_find_slowly(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                            uint8_t **host)
{
    /* lanes with bad addresses read zeros, so that the kernel can continue */
    static const uint64_t zeros[2] = {0};
    enum obs_fault_kind wrong;
    lanes = check_alignment(warp, access, lanes);
    for (unsigned l = 0; l < WARP; l++) {
        host[l] = lanes >> l & 1 ? find_lane(warp, access, l, &wrong) : NULL;
        if (lanes >> l & 1 && !host[l])
            lanes = drop(warp, access, lanes, l, wrong);
        if (!host[l])
            host[l] = (uint8_t *)(uintptr_t)zeros;
    }
    return lanes;
}

void access_flush_repeats(struct worker *worker, uint32_t pc)
{
    struct pattern *pattern = &worker->patterns[pc];
    struct obs_repeat repeat = pattern->repeat;
    repeat.times = pattern->times;
    repeat.first = repeat.cta = repeat.warp = 0;
    repeat.low = repeat.high = 0;
    if (pattern->latest.times)
        pattern->series[pattern->series_count++] = pattern->latest;
    for (uint32_t i = 0; i < pattern->series_count; i++)
        repeat.times += pattern->series[i].times;
    const struct obs_series_list list = {.series = pattern->series,
                                         .count = pattern->series_count,
                                         .times = repeat.times,
                                         .delta = pattern->delta,
                                         .pc = pc,
                                         .mask = repeat.mask,
                                         .kind = repeat.kind,
                                         .space = repeat.space,
                                         .bytes = repeat.bytes,
                                         .dense = repeat.dense};
    pattern->times = pattern->series_count = pattern->latest.times = 0;
    unsigned listeners = worker->listeners[repeat.kind != OBS_LOAD];
    for (unsigned i = 0; i < listeners; i++) {
        const struct listener *listener = &worker->listener[i];
        if (list.count && listener->observer->series)
            listener->observer->series(listener->state, &list);
        else
            listener->observer->repeat(listener->state, &repeat);
    }
}

void access_flush(struct worker *worker)
{
    for (uint32_t pc = 0; pc <= worker->launch->kernel->code_count; pc++)
        flush(worker, pc);
}

/* --- accesses by other files ------------------------------------------------------------------ */

void access_addresses(const struct warp *warp, struct slot base, uint64_t offset, uint32_t mask,
                      uint64_t *addr)
{
    add_addresses(warp, base, offset, mask, addr);
}

uint32_t access_take_space(const struct warp *warp, const struct inst *inst, uint32_t todo,
                           struct obs_access *access)
{
    return take_space(warp, inst, todo, access);
}

uint32_t access_find(struct warp *warp, struct obs_access *access, uint32_t lanes, uint8_t **host)
{
    const struct pattern *pattern = report(warp, access, lanes);
    return find_lanes(warp, access, pattern, lanes, host);
}

void access_report(struct warp *warp, struct obs_access *access, uint32_t lanes)
{
    report(warp, access, lanes);
}

uint8_t *access_find_part(struct warp *warp, struct obs_access *access, unsigned lane,
                          unsigned size)
{
    enum obs_fault_kind wrong = OBS_MISALIGNED;
    struct obs_access part = *access;
    uint8_t *host = NULL;
    part.bytes = (uint8_t)size;
    if (!(access->addr[lane] & (access->bytes - 1u)))
        host = find_lane(warp, &part, lane, &wrong);
    if (!host)
        drop(warp, access, 0, lane, wrong);
    return host;
}

/* --- accesses by built-in functions ----------------------------------------------------------- */

uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size)
{
    uint64_t at;
    switch (space_of_address(addr)) {
    case PTX_LOCAL:
        return access_local(warp, lane, addr - MEM_LOCAL_WINDOW, size);
    case PTX_SHARED:
        at = addr - MEM_SHARED_WINDOW;
        return at <= warp->cta->shared_bytes && size <= warp->cta->shared_bytes - at
                   ? warp->cta->shared + at
                   : NULL;
    default:
        return mem_range(warp->cta->launch->memory, addr, size);
    }
}
