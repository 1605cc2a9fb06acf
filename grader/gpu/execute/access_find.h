/* Finds the bytes of memory that the lanes of one access touch, and reports the access to the
 * observers. These functions are inlined into the loops over lanes; access.c has the functions for
 * rare cases. */
#ifndef GPU_EXECUTE_ACCESS_FIND_H
#define GPU_EXECUTE_ACCESS_FIND_H

#include "gpu/execute/pattern.h"
#include "gpu/execute/repeat.h"
#include "gpu/execute/schedule.h"
#include "gpu/execute/state.h"

/* --- addresses -------------------------------------------------------------------------------- */

/* Writes each lane's base + offset to ADDR. Inactive lanes get the first active lane's address. */
LANES_INLINE void add_addresses(const struct warp *warp, struct slot base, uint64_t offset,
                                uint32_t mask, uint64_t *addr)
{
    if (base.offset == NO_SLOT) {
        for (unsigned l = 0; l < WARP; l++)
            addr[l] = offset;
        return;
    }
    const uint8_t *lanes = slot_at(warp, base);
    if (base.bytes == 8)
        for (unsigned l = 0; l < WARP; l++)
            addr[l] = ((const uint64_t *)(const void *)lanes)[l] + offset;
    else
        for (unsigned l = 0; l < WARP; l++)
            addr[l] = (uint32_t)(((const uint32_t *)(const void *)lanes)[l] + (uint32_t)offset);
    if (mask == ALL_LANES)
        return;
    uint64_t active = addr[__builtin_ctz(mask)];
    for (unsigned l = 0; l < WARP; l++)
        addr[l] = mask >> l & 1 ? addr[l] : active;
}

LANES_INLINE void find_addresses(const struct warp *warp, const struct inst *inst, uint32_t mask,
                                 uint64_t *addr)
{
    add_addresses(warp, inst->mem.base, (uint64_t)inst->mem.offset, mask, addr);
}

static inline enum ptx_space space_of_address(uint64_t addr)
{
    return mem_in_window(addr, MEM_SHARED_WINDOW)  ? PTX_SHARED
           : mem_in_window(addr, MEM_LOCAL_WINDOW) ? PTX_LOCAL
                                                   : PTX_GLOBAL;
}

/* Returns the lanes of TODO whose generic addresses are in the same state space as the first lane's
 * address. Makes their addresses relative to that space. */
LANES_INLINE uint32_t take_window(uint32_t todo, struct obs_access *access)
{
    access->space = space_of_address(access->addr[__builtin_ctz(todo)]);
    uint64_t window = window_of(access->space);
    uint32_t lanes = 0;
    for (unsigned l = 0; l < WARP; l++)
        if (todo >> l & 1 && space_of_address(access->addr[l]) == access->space)
            lanes |= 1u << l;
    if (!window && lanes == todo)
        return lanes;
    uint64_t first = access->addr[__builtin_ctz(lanes)];
    for (unsigned l = 0; l < WARP; l++)
        access->addr[l] = (lanes >> l & 1 ? access->addr[l] : first) - window;
    return lanes;
}

/* Returns the lanes of TODO whose addresses in the cluster's shared memory refer to the same CTA as
 * the first lane's address. Makes their addresses relative to that CTA's memory. */
uint32_t access_take_cta(const struct warp *warp, uint32_t todo, struct obs_access *access);

/* Returns the lanes of TODO that make one access together: they access the same state space as
 * the first lane and, in a cluster's shared memory, the same CTA. */
LANES_INLINE uint32_t take_space(const struct warp *warp, const struct inst *inst, uint32_t todo,
                                 struct obs_access *access)
{
    access->space = inst->mem.space;
    if (inst->mem.space == PTX_GENERIC)
        todo = take_window(todo, access);
    else if (inst->mem.space == PTX_CLUSTER)
        access->space = PTX_SHARED;
    else
        return todo;
    bool is_in_cluster = access->space == PTX_SHARED && warp->cta->launch->cluster_size > 1;
    return is_in_cluster ? access_take_cta(warp, todo, access) : todo;
}

LANES_INLINE bool is_shared(uint8_t space)
{
    return space == PTX_SHARED || space == PTX_CLUSTER;
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Returns whether the access may touch BLOCK. Constant memory is read-only. Instructions for
 * constant memory can read no other memory. */
static inline bool may_touch(const struct mem_block *block, const struct obs_access *access)
{
    if (access->space == PTX_CONST)
        return block->is_constant;
    return access->kind == OBS_LOAD || !block->is_constant;
}

static inline bool holds(const struct mem_block *block, uint64_t low, uint64_t high)
{
    return block && block->host && low >= block->addr && low <= high &&
           high - block->addr <= block->size;
}

/* Returns the end of the shared memory that INST may access: the end of the array into which its
 * address points, or the end of the CTA's memory if that is lower. */
LANES_INLINE uint64_t shared_end(const struct warp *warp, const struct inst *inst)
{
    uint32_t all = warp->cta->shared_bytes;
    return inst->mem.high && inst->mem.high < all ? inst->mem.high : all;
}

/* Returns whether the access may touch the bytes of shared memory from LOW to HIGH - 1. */
LANES_INLINE bool is_in_shared(const struct warp *warp, const struct obs_access *access,
                               uint64_t low, uint64_t high)
{
    const struct inst *inst = &warp->cta->launch->kernel->code[access->pc];
    return low < high && low >= inst->mem.low && high <= shared_end(warp, inst);
}

/* The memory of the CTA, the warp or the launch in one state space. `stride` is the distance in
 * bytes from one lane's part to the next lane's, or 0 if all lanes share the memory. */
struct area {
    uint8_t *start;
    uint64_t size, stride;
};

/* Returns the shared memory of the CTA with RANK in the cluster, or an empty area if the CTA is not
 * running. */
struct area access_area_of_other(const struct warp *warp, uint32_t rank);

LANES_INLINE struct area area_of(const struct warp *warp, const struct obs_access *access)
{
    const struct launch *launch = warp->cta->launch;
    uint32_t local = launch->kernel->function->local_bytes,
             params = warp->frame->image->frame_bytes;
    switch (access->space) {
    case PTX_SHARED:
        return (struct area){warp->cta->shared, warp->cta->shared_bytes, 0};
    case PTX_CLUSTER:
        return access_area_of_other(warp, access->rank);
    /* the kernel's own variables; find_lane() finds the variables of other functions */
    case PTX_LOCAL:
        return (struct area){warp->local, local, launch->own_bytes};
    case PTX_FRAME: /* parameters and results of device functions */
        return (struct area){warp->frame->params, params, params};
    default: /* PTX_PARAM, the launch's parameters */
        return (struct area){(uint8_t *)(uintptr_t)launch->request.params,
                             launch->request.param_bytes, 0};
    }
}

LANES_INLINE bool is_global(uint8_t space)
{
    return space == PTX_GLOBAL || space == PTX_CONST;
}

/* Returns the host's pointer for ADDR if a single block contains all bytes from LOW to HIGH - 1 and
 * the access may touch this block; otherwise returns NULL. First tries the block that this
 * instruction accessed last. */
LANES_INLINE uint8_t *find_in_block(struct warp *warp, const struct obs_access *access,
                                    uint64_t addr, uint64_t low, uint64_t high)
{
    struct worker *worker = warp->cta->worker;
    struct mem_block **block = &worker->patterns[access->pc].block;
    if (!holds(*block, low, high))
        *block = mem_block_at(worker->launch->memory, low);
    return holds(*block, low, high) && may_touch(*block, access) &&
                   !(*block)->is_heap /* find_lane() checks accesses to the heap */
               ? (*block)->host + (addr - (*block)->addr)
               : NULL;
}

/* Finds each lane's bytes separately. This is the slow path, taken if an address is bad or the
 * lanes access several blocks. Reports lanes with bad addresses. Returns the other lanes. */
uint32_t access_find_slowly(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                            uint8_t **host);

static inline void report_to_observers(struct worker *worker, const struct obs_access *access)
{
    worker_add_cost(worker, access->dense, access->mask);
    for (unsigned i = 0; i < worker->listeners[access->kind != OBS_LOAD]; i++)
        worker->listener[i].observer->access(worker->listener[i].state, access);
}

/* Reports the repeats of the access at PC that have been counted but not yet reported to the
 * observers. */
void access_flush_repeats(struct worker *worker, uint32_t pc);

LANES_INLINE void flush(struct worker *worker, uint32_t pc)
{
    struct pattern *pattern = &worker->patterns[pc];
    if (pattern->times || pattern->series_count || pattern->latest.times)
        access_flush_repeats(worker, pc);
    pattern->answer = OBS_DONE;
}

/* Reports to the observers one access of LANES in one state space. Returns the access's pattern or
 * NULL. */
LANES_INLINE struct pattern *report(struct warp *warp, struct obs_access *access, uint32_t lanes)
{
    struct worker *worker = warp->cta->worker;
    access->mask = lanes;
    flush(worker, access->pc);
    struct pattern *pattern = pattern_find(&worker->patterns[access->pc], access,
                                           worker->listeners[access->kind != OBS_LOAD]);
    access->dense = pattern && pattern->shape == PATTERN_DENSE;
    access->warp = warp->index;
    access->cta = warp->cta->linear;
    if (access->space != PTX_PARAM && access->space != PTX_FRAME)
        report_to_observers(worker, access);
    return pattern;
}

/* Checks all addresses of the pattern together. Returns a pointer to the first lane's bytes; lane
 * l's bytes are l * *STRIDE + pattern->delta[l] bytes after it. Returns NULL if there is no
 * pattern, an address is bad, or the bytes are in several blocks. */
LANES_INLINE uint8_t *find_pattern(struct warp *warp, const struct obs_access *access,
                                   const struct pattern *pattern, uint64_t *stride)
{
    uint64_t first = access->addr[0];
    *stride = 0;
    if (!pattern || (first | pattern->bits) & (access->bytes - 1u))
        return NULL;
    uint64_t low = first + (uint64_t)(int64_t)pattern->low;
    uint64_t high = first + (uint64_t)(int64_t)pattern->high + access->bytes;
    if (is_global(access->space))
        return find_in_block(warp, access, first, low, high);
    struct area area = area_of(warp, access);
    if (is_shared(access->space) && !is_in_shared(warp, access, low, high))
        return NULL;
    *stride = area.stride;
    return low < high && high <= area.size ? area.start + first : NULL;
}

/* Checks one access of LANES in one state space. Writes to HOST a pointer to each lane's bytes.
 * Returns the lanes with valid addresses. HOST has readable pointers for the other lanes, too, but
 * these must not be used for writing. */
LANES_INLINE uint32_t find_lanes(struct warp *warp, const struct obs_access *access,
                                 const struct pattern *pattern, uint32_t lanes, uint8_t **host)
{
    uint64_t stride;
    uint8_t *start = find_pattern(warp, access, pattern, &stride);
    if (!start)
        return access_find_slowly(warp, access, lanes, host);
    for (unsigned l = 0; l < WARP; l++)
        host[l] = start + l * stride + pattern->delta[l];
    return lanes;
}

#endif
