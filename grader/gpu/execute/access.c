/* Executes loads, stores and atomics: turns the addresses of 32 lanes into accesses to bytes in the
 * host's memory.
 *
 * Every access is checked before it touches a byte. find_lanes() turns addresses into host
 * pointers; it drops and reports lanes with bad addresses. A repeated pattern of addresses takes a
 * fast path: find_again(). */
#include "gpu/execute/access.h"

#include "gpu/execute/access_values.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/raw.h"
#include "gpu/execute/repeat.h"
#include "gpu/execute/schedule.h"
#include "gpu/memory/heap.h"

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

static enum ptx_space space_of_address(uint64_t addr)
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
static uint32_t take_cta(const struct warp *warp, uint32_t todo, struct obs_access *access)
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
    return is_in_cluster ? take_cta(warp, todo, access) : todo;
}

LANES_INLINE bool is_shared(uint8_t space)
{
    return space == PTX_SHARED || space == PTX_CLUSTER;
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Returns whether the fault must be reported without failing the launch. This is the case if the
 * options ask for it and a GPU would not notice the access. */
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

/* Returns whether the access may touch BLOCK. Constant memory is read-only. Instructions for
 * constant memory can read no other memory. */
static bool may_touch(const struct mem_block *block, const struct obs_access *access)
{
    if (access->space == PTX_CONST)
        return block->is_constant;
    return access->kind == OBS_LOAD || !block->is_constant;
}

static bool holds(const struct mem_block *block, uint64_t low, uint64_t high)
{
    return block && block->host && low >= block->addr && low <= high &&
           high - block->addr <= block->size;
}

/* Returns the end of the shared memory that INST may access: the end of the array that its address
 * points into, but at most the end of the CTA's memory. */
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

/* Memory in one state space, which belongs to the CTA, the warp or the launch. `stride` is the
 * distance in bytes from one lane's part to the next lane's, or 0 if all lanes share the memory. */
struct area {
    uint8_t *start;
    uint64_t size, stride;
};

static struct area area_of_other(const struct warp *warp, uint32_t rank)
{
    enum obs_fault_kind unused;
    const struct cta *other = cluster_reach(warp, rank, &unused);
    return other ? (struct area){other->shared, other->shared_bytes, 0} : (struct area){0};
}

LANES_INLINE struct area area_of(const struct warp *warp, const struct obs_access *access)
{
    const struct launch *launch = warp->cta->launch;
    uint32_t local = launch->kernel->function->local_bytes,
             params = warp->frame->image->frame_bytes;
    switch (access->space) {
    case PTX_SHARED:
        return (struct area){warp->cta->shared, warp->cta->shared_bytes, 0};
    case PTX_CLUSTER:
        return area_of_other(warp, access->rank);
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

/* Returns the host's pointer for ADDR if one block has all bytes from LOW to HIGH - 1 and the
 * access may touch this block; otherwise returns NULL. First tries the block that this instruction
 * accessed last. */
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

uint8_t *access_local(const struct warp *warp, unsigned lane, uint64_t at, uint64_t size)
{
    const struct launch *launch = warp->cta->launch;
    uint64_t own = launch->own_bytes, used = launch->kernel->function->local_bytes;
    if (at <= used && size <= used - at)
        return warp->local + lane * own + at;
    at -= own; /* addresses from `used` to `own` are a gap */
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

/* Finds each lane's bytes separately: the slow path, for bad addresses or several blocks. */
static uint32_t find_slowly(struct warp *warp, const struct obs_access *access, uint32_t lanes,
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

static void tell_observers(struct worker *worker, const struct obs_access *access)
{
    worker_add_cost(worker, access->dense, access->mask);
    for (unsigned i = 0; i < worker->listeners[access->kind != OBS_LOAD]; i++)
        worker->listener[i].observer->access(worker->listener[i].state, access);
}

/* Reports to the observers the repeats of the access at PC, which so far have only been counted. */
static void flush_repeats(struct worker *worker, uint32_t pc)
{
    struct pattern *pattern = &worker->patterns[pc];
    struct obs_repeat repeat = {.pc = pc,
                                .mask = pattern->mask,
                                .times = pattern->times,
                                .kind = worker->launch->kernel->code[pc].mem.event,
                                .space = pattern->space,
                                .bytes = pattern->bytes,
                                .dense = pattern->shape == PATTERN_DENSE};
    unsigned listeners = worker->listeners[repeat.kind != OBS_LOAD];
    for (unsigned i = 0; i < listeners; i++)
        worker->listener[i].observer->repeat(worker->listener[i].state, &repeat);
}

LANES_INLINE void flush(struct worker *worker, uint32_t pc)
{
    struct pattern *pattern = &worker->patterns[pc];
    if (pattern->times)
        flush_repeats(worker, pc);
    pattern->times = 0;
    pattern->silent = false;
}

void access_flush(struct worker *worker)
{
    for (uint32_t pc = 0; pc <= worker->launch->kernel->code_count; pc++)
        if (worker->patterns[pc].silent)
            flush(worker, pc);
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
        tell_observers(worker, access);
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
 * Returns the lanes with good addresses. The pointers of other lanes may be used only for
 * reading. */
LANES_INLINE uint32_t find_lanes(struct warp *warp, const struct obs_access *access,
                                 const struct pattern *pattern, uint32_t lanes, uint8_t **host)
{
    uint64_t stride;
    uint8_t *start = find_pattern(warp, access, pattern, &stride);
    if (!start)
        return find_slowly(warp, access, lanes, host);
    for (unsigned l = 0; l < WARP; l++)
        host[l] = start + l * stride + pattern->delta[l];
    return lanes;
}

/* --- loads and stores ------------------------------------------------------------------------- */

/* Sets the fields of ACCESS that the instruction alone determines. */
LANES_INLINE void start_access(const struct warp *warp, const struct inst *inst,
                               struct obs_access *access)
{
    access->pc = warp->pc;
    access->kind = inst->mem.event;
    access->bytes = (uint8_t)(inst->mem.bytes * inst->mem.count);
    access->element = inst->mem.bytes;
    access->is_bulk = false;
}

/* Writes to ACCESS, for the observers, the values that a store will write. */
LANES_INLINE void show_values(const struct warp *warp, const struct inst *inst,
                              struct obs_access *access)
{
    for (unsigned k = 0; k < inst->mem.count; k++)
        access->value[k] = slot_at(warp, inst->mem.vector[k]);
    access->value_bytes = inst->mem.vector[0].bytes;
}

/* Returns whether PATTERN_WINDOW bytes from the pattern's lowest address on can be read. */
LANES_INLINE bool has_window(const struct pattern *pattern, uint64_t first)
{
    if (pattern->space == PTX_SHARED)
        return true; /* cta.c allocates PATTERN_WINDOW extra bytes */
    if (!is_global(pattern->space))
        return false;
    uint64_t low = first + (uint64_t)(int64_t)pattern->low - pattern->block->addr;
    return pattern->block->size >= PATTERN_WINDOW && low <= pattern->block->size - PATTERN_WINDOW;
}

/* Stores in PATTERN the values that find_again() and lies_apart() need. Called after an access
 * whose addresses were all good. FIRST is the first lane's address. */
LANES_INLINE void remember(const struct warp *warp, struct pattern *pattern, uint64_t first)
{
    const struct mem_block *block = pattern->block;
    uint64_t span = (uint64_t)((int64_t)pattern->high - pattern->low) + pattern->bytes;
    if (pattern->shape == PATTERN_NEAR && !has_window(pattern, first))
        pattern->shape = PATTERN_ANY;
    if (pattern->shape == PATTERN_NEAR && pattern->space != PTX_SHARED)
        span = PATTERN_WINDOW;
    pattern->ready = pattern->mask;
    pattern->stride = 0;
    pattern->strays = 0;
    if (pattern->space == PTX_SHARED) {
        const struct inst *inst = &warp->cta->launch->kernel->code[warp->pc];
        pattern->host = NULL;
        pattern->begin = inst->mem.low - (uint64_t)(int64_t)pattern->low;
        pattern->room = shared_end(warp, inst) - inst->mem.low - span;
    } else if (is_global(pattern->space)) {
        pattern->host = block->host - pattern->low;
        pattern->begin = block->addr - (uint64_t)(int64_t)pattern->low;
        pattern->room = block->size - span;
    } else if (pattern->space == PTX_LOCAL) {
        const struct launch *launch = warp->cta->launch;
        pattern->host = NULL;
        pattern->begin = 0 - (uint64_t)(int64_t)pattern->low;
        pattern->room = launch->kernel->function->local_bytes - span;
        pattern->stride = launch->own_bytes;
    } else {
        pattern->ready = 0;
    }
}

LANES_CLONES static void load_in_full(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        uint8_t *host[WARP];
        uint64_t stride;
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(warp, inst, todo, &access);
        struct pattern *pattern = report(warp, &access, group);
        uint8_t *start = find_pattern(warp, &access, pattern, &stride);
        if (start) {
            remember(warp, pattern, access.addr[0]);
            load_found(warp, inst, start, stride, pattern, group);
        } else {
            find_slowly(warp, &access, group, host);
        }
        if (!start)
            load_elements(warp, inst, host, group, false);
        todo &= ~group;
    }
}

LANES_CLONES static void store_in_full(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        uint8_t *host[WARP];
        uint64_t stride;
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(warp, inst, todo, &access);
        if (warp->cta->launch->wanted & OBS_VALUES)
            show_values(warp, inst, &access);
        struct pattern *pattern = report(warp, &access, group);
        uint8_t *start = find_pattern(warp, &access, pattern, &stride);
        uint32_t lanes = start ? group : find_slowly(warp, &access, group, host);
        if (start) {
            remember(warp, pattern, access.addr[0]);
            store_found(warp, inst, start, stride, pattern, group);
        }
        if (!start && lanes)
            store_elements(warp, inst, host, lanes);
        todo &= ~group;
    }
}

/* --- accesses that repeat --------------------------------------------------------------------- */

/* Loads a repeated access's values. Not inlined, to keep the common path of load_run() short. */
LANES_CLONES static void load_again(const struct warp *warp, const struct inst *inst,
                                    uint8_t *start, const struct pattern *pattern, uint32_t mask)
{
    load_found(warp, inst, start, pattern->stride, pattern, mask);
}

/* Reports a repeated access in full to one listener. FIRST is the first lane's address. */
LANES_CLONES static void report_in_full(const struct warp *warp, const struct inst *inst,
                                        const struct pattern *pattern, uint64_t first,
                                        const struct listener *listener)
{
    struct obs_access access;
    start_access(warp, inst, &access);
    for (unsigned l = 0; l < WARP; l++)
        access.addr[l] = first + (uint64_t)(int64_t)pattern->delta[l];
    access.mask = pattern->mask;
    access.space = pattern->space;
    access.dense = pattern->shape == PATTERN_DENSE;
    access.repeats = true;
    access.warp = warp->index;
    access.cta = warp->cta->linear;
    if (inst->mem.event != OBS_LOAD && warp->cta->launch->wanted & OBS_VALUES)
        show_values(warp, inst, &access);
    worker_add_cost(warp->cta->worker, access.dense, access.mask);
    listener->observer->access(listener->state, &access);
}

/* Reports a repeated access to all listeners. FIRST is the first lane's address. */
LANES_INLINE void report_repeat(const struct warp *warp, const struct inst *inst,
                                struct pattern *pattern, uint64_t first)
{
    const struct worker *worker = warp->cta->worker;
    struct obs_repeat repeat = {.first = first,
                                .low = pattern->low,
                                .high = pattern->high,
                                .cta = warp->cta->linear,
                                .pc = warp->pc,
                                .mask = pattern->mask,
                                .warp = warp->index,
                                .times = 1,
                                .kind = inst->mem.event,
                                .space = pattern->space,
                                .bytes = pattern->bytes,
                                .dense = pattern->shape == PATTERN_DENSE};
    bool silent = true;
    for (unsigned i = 0; i < worker->listeners[inst->mem.event != OBS_LOAD]; i++) {
        const struct listener *listener = &worker->listener[i];
        enum obs_answer answer = OBS_FULL;
        if (listener->observer->repeat)
            answer = listener->observer->repeat(listener->state, &repeat);
        if (answer == OBS_FULL)
            report_in_full(warp, inst, pattern, first, listener);
        silent &= answer == OBS_COUNT_ONLY;
    }
    pattern->silent = silent;
}

/* Tries the fast path for a repeated access, which nearly all accesses take (see repeat.h). Returns
 * a pointer to the first lane's bytes. If the fast path does not apply, counts and reports nothing
 * and returns NULL. */
LANES_INLINE uint8_t *find_again(const struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct pattern *pattern = &warp->cta->worker->patterns[warp->pc];
    unsigned lead = mask == ALL_LANES ? 0 : (unsigned)__builtin_ctz(mask);
    struct slot base = inst->mem.base;
    uint64_t first;
    if (pattern->ready != mask || /* `ready` is 0 for parameters, so they never take this path */
        !lies_as_before(slot_at(warp, base), base.bytes, pattern, mask, lead) ||
        !is_in_place(pattern, slot_at(warp, base), base.bytes, (uint64_t)inst->mem.offset,
                     inst->mem.space == PTX_GENERIC, lead, &first))
        return NULL;
    pattern->strays = 0;
    if (pattern->silent)
        pattern->times++;
    else
        report_repeat(warp, inst, pattern, first);
    return repeat_start(warp, pattern, first);
}

/* Tries the second fast path (see find_apart() in repeat.h). Writes to HOST a pointer to each
 * lane's bytes. Returns false if this path does not apply. */
LANES_INLINE bool lies_apart(const struct warp *warp, const struct inst *inst, uint32_t mask,
                             uint8_t **host)
{
    uint64_t at[WARP];
    struct slot base = inst->mem.base;
    uint8_t *start =
        find_apart(warp, inst->mem.event == OBS_LOAD, &warp->cta->worker->patterns[warp->pc],
                   slot_at(warp, base), base.bytes, (uint64_t)inst->mem.offset,
                   inst->mem.space == PTX_GENERIC, mask, at);
    for (unsigned l = 0; l < WARP && start; l++)
        host[l] = start + at[l];
    return start;
}

/* Saves the values of register D before a poll. The poll has failed if they do not change. If the
 * instruction loads a vector, D is its first element. */
LANES_INLINE void keep_seen(const struct warp *warp, struct slot d, uint8_t seen[8 * WARP])
{
    if (d.offset != NO_SLOT)
        memcpy(seen, slot_at(warp, d), (size_t)d.bytes * WARP);
}

LANES_INLINE void count_failed(struct warp *warp, struct slot d, const uint8_t seen[8 * WARP])
{
    warp->failed +=
        d.offset != NO_SLOT && memcmp(seen, slot_at(warp, d), (size_t)d.bytes * WARP) == 0;
}

LANES_CLONES void load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t *host[WARP], seen[8 * WARP];
    if (inst->mem.space == PTX_PARAM && parameter_load(warp, inst, mask))
        return;
    if (inst->mem.space == PTX_FRAME && frame_load(warp, inst, mask))
        return;
    if (inst->observes)
        keep_seen(warp, inst->mem.vector[0], seen);
    uint8_t *start = find_again(warp, inst, mask);
    const struct pattern *pattern = &warp->cta->worker->patterns[warp->pc];
    if (!start && lies_apart(warp, inst, mask, host))
        load_elements(warp, inst, host, mask, false);
    else if (!start)
        load_in_full(warp, inst, mask);
    else if (mask == ALL_LANES && inst->mem.moves == MOVES_WORDS && !pattern->stride)
        load_words((uint32_t *)(void *)slot_at(warp, inst->mem.vector[0]), start, pattern, mask);
    else
        load_again(warp, inst, start, pattern, mask);
    if (inst->observes)
        count_failed(warp, inst->mem.vector[0], seen);
}

LANES_CLONES void store_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    if (inst->mem.space == PTX_FRAME && frame_store(warp, inst, mask))
        return;
    uint8_t *host[WARP], *start = find_again(warp, inst, mask);
    const struct pattern *pattern = &warp->cta->worker->patterns[warp->pc];
    if (start)
        store_found(warp, inst, start, pattern->stride, pattern, mask);
    else if (lies_apart(warp, inst, mask, host))
        store_elements(warp, inst, host, mask);
    else
        store_in_full(warp, inst, mask);
}

/* --- atomics ---------------------------------------------------------------------------------- */

static const void *operand_at(const struct warp *warp, struct slot slot)
{
    return slot.offset == NO_SLOT ? NULL : slot_at(warp, slot);
}

/* Adds to atomic_changes the number of lanes whose old value differs from the final value. */
static void count_changes(struct worker *worker, const struct inst *inst, uint8_t *const *host,
                          uint32_t lanes, const uint64_t *old)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        worker->atomic_changes += memcmp(host[l], &old[l], inst->mem.bytes) != 0;
    }
}

/* Returns whether no other CPU thread can change a value between this thread's load and store. */
LANES_INLINE bool is_alone(const struct warp *warp, bool shared)
{
    return shared || (warp->cta->launch->workers == 1 && !warp->cta->launch->memory->lent);
}

/* Executes the atomic on element K for LANES and advances HOST to the next element. The other lanes
 * of GROUP have bad addresses; their result is 0. */
LANES_INLINE void atomic_element(struct warp *warp, const struct inst *inst, unsigned k,
                                 bool shared, uint32_t lanes, uint32_t group, uint8_t **host)
{
    uint64_t old[WARP] = {0};
    struct slot dst = inst->mem.vector[inst->mem.count + k];
    atomic_lanes(inst, shared, is_alone(warp, shared), lanes, host,
                 slot_at(warp, inst->mem.vector[k]), operand_at(warp, inst->src[0]), old);
    if (dst.offset != NO_SLOT)
        write_raw(slot_at(warp, dst), dst.bytes, old, group);
    if (warp->cta->worker->watches)
        count_changes(warp->cta->worker, inst, host, lanes, old);
    for (unsigned l = 0; l < WARP; l++)
        host[l] += inst->mem.bytes;
}

static const uint64_t *longs_at(const struct warp *warp, struct slot slot)
{
    return (const uint64_t *)(const void *)slot_at(warp, slot);
}

/* Executes a 128-bit atomic. The instruction's vector holds b, the result and, for cas, c; each
 * takes two entries, its halves. */
static void atomic_wide(struct warp *warp, const struct inst *inst, uint32_t lanes,
                        uint8_t *const *host)
{
    uint64_t old[2][WARP];
    const struct slot *vector = inst->mem.vector;
    const uint64_t *b[2], *c[2] = {NULL, NULL};
    for (unsigned half = 0; half < 2; half++) {
        b[half] = longs_at(warp, vector[half]);
        if (inst->mem.op == PTX_MOD_cas)
            c[half] = longs_at(warp, vector[4 + half]);
    }
    atomic_wide_lanes(inst, lanes, host, b, c, old);
    for (unsigned half = 0; half < 2; half++) {
        if (vector[2 + half].offset != NO_SLOT)
            write_raw(slot_at(warp, vector[2 + half]), 8, old[half], lanes);
        for (uint32_t left = warp->cta->worker->watches ? lanes : 0; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            warp->cta->worker->atomic_changes += memcmp(host[l] + 8 * half, &old[half][l], 8) != 0;
        }
    }
}

/* Executes an atomic, one lane after another. CUDA allows any order of lanes; a fixed order makes
 * results repeatable. */
LANES_CLONES void atomic_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t seen[8 * WARP];
    struct slot first = inst->mem.vector[inst->mem.count];
    if (inst->observes)
        keep_seen(warp, first, seen);
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        uint8_t *host[WARP];
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(warp, inst, todo, &access);
        const struct pattern *pattern = report(warp, &access, group);
        uint32_t lanes = find_lanes(warp, &access, pattern, group, host);
        if (inst->mem.type == PTX_b128)
            atomic_wide(warp, inst, lanes, host);
        for (unsigned k = 0; k < inst->mem.count && inst->mem.type != PTX_b128; k++)
            atomic_element(warp, inst, k, is_shared(access.space), lanes, group, host);
        todo &= ~group;
    }
    if (inst->observes)
        count_failed(warp, first, seen);
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
