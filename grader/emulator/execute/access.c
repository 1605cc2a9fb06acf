/* Loads, stores and atomics: from 32 addresses to bytes.
 *
 * Every access is checked against what is allocated before a byte is touched: find_lanes() turns
 * addresses into host pointers and drops the lanes whose address is bad, with a fault for each. */
#include <string.h>

#include "emulator/execute/machine.h"

/* --- addresses ---------------------------------------------------------------------------------- */

/* base + offset in every lane; inactive lanes repeat the first active one's address. */
LANES_INLINE void find_addresses(const struct warp *warp, const struct inst *inst, uint32_t mask,
                                 uint64_t *addr)
{
    struct slot base = inst->mem.base;
    uint64_t offset = (uint64_t)inst->mem.offset;
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

LANES_INLINE bool is_dense(const uint64_t *addr, unsigned bytes, uint32_t mask)
{
    uint64_t stray = 0;
    for (unsigned l = 0; l < WARP; l++)
        stray |= addr[l] ^ (addr[0] + (uint64_t)l * bytes);
    return !stray && mask == ALL_LANES;
}

static bool in_window(uint64_t addr, uint64_t window)
{
    return addr - window < MEM_WINDOW_BYTES;
}

static enum ptx_space space_of_address(uint64_t addr)
{
    return in_window(addr, MEM_SHARED_WINDOW)  ? PTX_SHARED
           : in_window(addr, MEM_LOCAL_WINDOW) ? PTX_LOCAL
                                               : PTX_GLOBAL;
}

/* Of the lanes in TODO, those whose generic address is in the space of the first one. Their
 * addresses become relative to the space. */
LANES_INLINE uint32_t take_space(const struct inst *inst, uint32_t todo, struct obs_access *access)
{
    access->space = inst->mem.space;
    if (inst->mem.space != PTX_GENERIC)
        return todo;
    access->space = space_of_address(access->addr[__builtin_ctz(todo)]);
    uint64_t window = access->space == PTX_SHARED  ? MEM_SHARED_WINDOW
                      : access->space == PTX_LOCAL ? MEM_LOCAL_WINDOW
                                                   : 0;
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

/* --- checks ------------------------------------------------------------------------------------- */

static uint32_t drop(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                     unsigned lane, enum obs_fault_kind kind)
{
    warp_fault(warp, kind, lane, access);
    launch_fail(warp->cta->launch,
                kind == OBS_MISALIGNED ? EMU_MISALIGNED_ADDRESS : EMU_ILLEGAL_ADDRESS);
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

static bool may_touch(const struct mem_block *block, const struct obs_access *access)
{
    return access->kind == OBS_LOAD || !block->is_constant;
}

static bool holds(const struct mem_block *block, uint64_t low, uint64_t high)
{
    return block && block->host && low >= block->addr && low <= high &&
           high - block->addr <= block->size;
}

/* Global memory, lane by lane: somebody is outside, or two blocks are touched at once. */
static uint32_t find_global_slowly(struct warp *warp, const struct obs_access *access,
                                   uint32_t lanes, uint8_t **host)
{
    const struct memory *memory = warp->cta->launch->memory;
    for (unsigned l = 0; l < WARP; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint64_t addr = access->addr[l];
        struct mem_block *block = mem_nearest(memory, addr);
        if (!holds(block, addr, addr + access->bytes))
            lanes = drop(warp, access, lanes, l, OBS_OUT_OF_BOUNDS);
        else if (!may_touch(block, access))
            lanes = drop(warp, access, lanes, l, OBS_READ_ONLY);
        else
            host[l] = block->host + (addr - block->addr);
    }
    return lanes;
}

LANES_INLINE uint32_t find_global(struct warp *warp, const struct obs_access *access,
                                  uint32_t lanes, uint8_t **host)
{
    struct worker *worker = warp->cta->worker;
    uint64_t low = access->addr[0], high = access->addr[0];
    for (unsigned l = 1; l < WARP; l++) {
        low = access->addr[l] < low ? access->addr[l] : low;
        high = access->addr[l] > high ? access->addr[l] : high;
    }
    high += access->bytes;
    if (!holds(worker->last, low, high))
        worker->last = mem_nearest(worker->launch->memory, low);
    if (!holds(worker->last, low, high) || !may_touch(worker->last, access))
        return find_global_slowly(warp, access, lanes, host);
    uint8_t *start = worker->last->host;
    uint64_t base = worker->last->addr;
    for (unsigned l = 0; l < WARP; l++)
        host[l] = start + (access->addr[l] - base);
    return lanes;
}

LANES_INLINE uint32_t find_shared(struct warp *warp, const struct obs_access *access,
                                  uint32_t lanes, uint8_t **host)
{
    uint32_t size = warp->cta->shared_bytes;
    uint64_t high = 0;
    for (unsigned l = 0; l < WARP; l++)
        high = access->addr[l] > high ? access->addr[l] : high;
    if (high > size || high + access->bytes > size)
        for (unsigned l = 0; l < WARP; l++)
            if (lanes >> l & 1 &&
                (access->addr[l] > size || access->addr[l] + access->bytes > size))
                lanes = drop(warp, access, lanes, l, OBS_OUT_OF_BOUNDS);
    for (unsigned l = 0; l < WARP; l++)
        host[l] = warp->cta->shared + (lanes >> l & 1 ? access->addr[l] : 0);
    return lanes;
}

static uint32_t find_local(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                           uint8_t **host)
{
    uint32_t size = warp->cta->launch->local_bytes;
    for (unsigned l = 0; l < WARP; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (access->addr[l] > size || access->addr[l] + access->bytes > size)
            lanes = drop(warp, access, lanes, l, OBS_OUT_OF_BOUNDS);
        else
            host[l] = warp->local + (size_t)l * size + access->addr[l];
    }
    return lanes;
}

/* The launch's parameters: the only space that is the same for every lane. */
static uint32_t find_param(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                           uint8_t **host)
{
    const struct emu_launch *request = &warp->cta->launch->request;
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t addr = access->addr[l];
        if (!(lanes >> l & 1))
            continue;
        if (addr > request->param_bytes || addr + access->bytes > request->param_bytes)
            lanes = drop(warp, access, lanes, l, OBS_OUT_OF_BOUNDS);
        else
            host[l] = (uint8_t *)(uintptr_t)request->params + addr;
    }
    return lanes;
}

/* Parameters and results of device functions: each lane's own, in the frame. */
static uint32_t find_frame(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                           uint8_t **host)
{
    uint32_t size = warp->frame->image->frame_bytes;
    for (unsigned l = 0; l < WARP; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (access->addr[l] > size || access->addr[l] + access->bytes > size)
            lanes = drop(warp, access, lanes, l, OBS_OUT_OF_BOUNDS);
        else
            host[l] = warp->frame->params + (size_t)l * size + access->addr[l];
    }
    return lanes;
}

static void tell_observers(struct warp *warp, const struct obs_access *access)
{
    struct worker *worker = warp->cta->worker;
    struct launch *launch = worker->launch;
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->events & OBS_ACCESS)
            launch->observers[i]->access(worker->observer_state[i], access);
}

/* Reports one access of LANES in one space. */
LANES_INLINE void report(struct warp *warp, struct obs_access *access, uint32_t lanes)
{
    access->mask = lanes;
    access->dense = is_dense(access->addr, access->bytes, lanes);
    if (warp->cta->launch->wanted & OBS_ACCESS && access->space != PTX_PARAM &&
        access->space != PTX_FRAME)
        tell_observers(warp, access);
}

/* The usual case: 32 neighbours in one block, of whom only the first address matters. Returns its
 * bytes, or NULL where it is not that simple. */
LANES_INLINE uint8_t *find_dense(struct warp *warp, const struct obs_access *access)
{
    struct worker *worker = warp->cta->worker;
    uint64_t low = access->addr[0], high = low + WARP * access->bytes;
    if (!access->dense || low & (access->bytes - 1u))
        return NULL;
    if (access->space == PTX_SHARED)
        return low < high && high <= warp->cta->shared_bytes ? warp->cta->shared + low : NULL;
    if (access->space != PTX_GLOBAL)
        return NULL;
    if (!holds(worker->last, low, high))
        worker->last = mem_nearest(worker->launch->memory, low);
    return holds(worker->last, low, high) && may_touch(worker->last, access)
               ? worker->last->host + (low - worker->last->addr)
               : NULL;
}

/* Checks one access of LANES in one space; HOST gets the bytes of each lane returned. */
LANES_INLINE uint32_t find_lanes(struct warp *warp, struct obs_access *access, uint32_t lanes,
                                 uint8_t **host)
{
    lanes = check_alignment(warp, access, lanes);
    if (!lanes)
        return 0;
    switch (access->space) {
    case PTX_SHARED:
        return find_shared(warp, access, lanes, host);
    case PTX_LOCAL:
        return find_local(warp, access, lanes, host);
    case PTX_PARAM:
        return find_param(warp, access, lanes, host);
    case PTX_FRAME:
        return find_frame(warp, access, lanes, host);
    default:
        return find_global(warp, access, lanes, host);
    }
}

/* --- loads and stores --------------------------------------------------------------------------- */

LANES_INLINE void gather_narrow(uint64_t *bits, uint8_t *const *host, uint32_t lanes,
                                unsigned bytes)
{
    for (unsigned l = 0; l < WARP; l++)
        if (lanes >> l & 1)
            memcpy(&bits[l], host[l], bytes);
}

/* Values narrower than the register are extended to its width. */
LANES_INLINE void load_narrow(uint8_t *d, unsigned width, uint8_t *const *host, uint32_t lanes,
                              unsigned bytes, bool is_signed)
{
    uint64_t bits[WARP] = {0};
    unsigned shift = 64 - 8 * bytes;
    if (bytes == 1)
        gather_narrow(bits, host, lanes, 1);
    else if (bytes == 2)
        gather_narrow(bits, host, lanes, 2);
    else
        gather_narrow(bits, host, lanes, bytes);
    for (unsigned l = 0; l < WARP && is_signed; l++)
        bits[l] = (uint64_t)((int64_t)(bits[l] << shift) >> shift);
    for (unsigned l = 0; l < WARP && width == 4; l++)
        ((uint32_t *)(void *)d)[l] =
            lanes >> l & 1 ? (uint32_t)bits[l] : ((const uint32_t *)(const void *)d)[l];
    for (unsigned l = 0; l < WARP && width == 2; l++)
        ((uint16_t *)(void *)d)[l] =
            lanes >> l & 1 ? (uint16_t)bits[l] : ((const uint16_t *)(const void *)d)[l];
    for (unsigned l = 0; l < WARP && width != 4 && width != 2; l++)
        if (lanes >> l & 1)
            memcpy(d + l * width, &bits[l], width);
}

#define LOAD_LANES(T)                                                                              \
    LANES_INLINE void load_##T(T *d, uint8_t *const *host, uint32_t lanes)                         \
    {                                                                                              \
        if (lanes == ALL_LANES)                                                                    \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                d[l] = *(const T *)(const void *)host[l];                                          \
        else                                                                                       \
            for (unsigned l = 0; l < WARP; l++)                                                    \
                if (lanes >> l & 1)                                                                \
                    d[l] = *(const T *)(const void *)host[l];                                      \
    }                                                                                              \
    LANES_INLINE void store_##T(const T *v, uint8_t *const *host, uint32_t lanes)                  \
    {                                                                                              \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            if (lanes >> l & 1)                                                                    \
                *(T *)(void *)host[l] = v[l];                                                      \
    }
LOAD_LANES(uint32_t)
LOAD_LANES(uint64_t)

/* A memcpy whose size the compiler knows needs no call. */
LANES_INLINE void copy_dense(void *to, const void *from, unsigned bytes)
{
    if (bytes == 4)
        memcpy(to, from, WARP * sizeof(uint32_t));
    else if (bytes == 8)
        memcpy(to, from, WARP * sizeof(uint64_t));
    else
        memcpy(to, from, (size_t)WARP * bytes);
}

LANES_INLINE void load_element(const struct warp *warp, const struct inst *inst, unsigned k,
                               uint8_t *const *host, uint32_t lanes)
{
    struct slot slot = inst->mem.vector[k];
    if (slot.offset == NO_SLOT) /* _ */
        return;
    uint8_t *d = slot_at(warp, slot);
    unsigned bytes = inst->mem.bytes;
    if (bytes != slot.bytes || bytes < 4)
        load_narrow(d, slot.bytes, host, lanes, bytes,
                    ptx_type_class((enum ptx_type)inst->mem.type) == 'S');
    else if (bytes == 4)
        load_uint32_t((uint32_t *)(void *)d, host, lanes);
    else
        load_uint64_t((uint64_t *)(void *)d, host, lanes);
}

LANES_INLINE void store_element(const struct warp *warp, const struct inst *inst, unsigned k,
                                uint8_t *const *host, uint32_t lanes)
{
    struct slot slot = inst->mem.vector[k];
    const uint8_t *v = slot_at(warp, slot);
    unsigned bytes = inst->mem.bytes;
    if (bytes == 4 && slot.bytes == 4)
        store_uint32_t((const uint32_t *)(const void *)v, host, lanes);
    else if (bytes == 8 && slot.bytes == 8)
        store_uint64_t((const uint64_t *)(const void *)v, host, lanes);
    else
        for (unsigned l = 0; l < WARP; l++)
            if (lanes >> l & 1)
                memcpy(host[l], v + l * slot.bytes, bytes);
}

static void advance(uint8_t **host, uint32_t lanes, unsigned bytes)
{
    for (unsigned l = 0; l < WARP; l++)
        if (lanes >> l & 1)
            host[l] += bytes;
}

/* What a bad address reads: zeros, so that the rest of the kernel can still be watched. */
static void load_zeros(const struct warp *warp, const struct inst *inst, uint32_t lanes)
{
    for (unsigned k = 0; k < inst->mem.count; k++) {
        struct slot slot = inst->mem.vector[k];
        for (unsigned l = 0; l < WARP && slot.offset != NO_SLOT; l++)
            if (lanes >> l & 1)
                memset(slot_at(warp, slot) + l * slot.bytes, 0, slot.bytes);
    }
}

/* Everything but the addresses and what report() finds out. */
LANES_INLINE void start_access(const struct warp *warp, const struct inst *inst,
                               struct obs_access *access)
{
    access->pc = warp->pc;
    access->kind = inst->mem.event;
    access->bytes = (uint8_t)(inst->mem.bytes * inst->mem.count);
}

/* One element for each lane, as wide as its register: what can be copied in one piece. */
LANES_INLINE bool is_plain(const struct inst *inst)
{
    return inst->mem.count == 1 && inst->mem.bytes == inst->mem.vector[0].bytes;
}

/* A kernel's parameter at a fixed place: nobody is told, and every lane gets the same. Kernels begin
 * with a row of these. False where it is not that simple. */
LANES_INLINE bool load_parameter(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const struct emu_launch *request = &warp->cta->launch->request;
    struct slot slot = inst->mem.vector[0];
    uint64_t at = (uint64_t)inst->mem.offset;
    unsigned bytes = inst->mem.bytes;
    if (inst->mem.base.offset != NO_SLOT || inst->mem.count != 1 || slot.offset == NO_SLOT ||
        slot.bytes != bytes || bytes < 4 || at % bytes || at > request->param_bytes ||
        bytes > request->param_bytes - at)
        return false;
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)request->params + at, bytes);
    uint32_t *d32 = (uint32_t *)(void *)slot_at(warp, slot);
    uint64_t *d64 = (uint64_t *)(void *)slot_at(warp, slot);
    for (unsigned l = 0; l < WARP && bytes == 4; l++)
        d32[l] = mask >> l & 1 ? (uint32_t)value : d32[l];
    for (unsigned l = 0; l < WARP && bytes == 8; l++)
        d64[l] = mask >> l & 1 ? value : d64[l];
    return true;
}

LANES_INLINE void load_lanes(struct warp *warp, const struct inst *inst, struct obs_access *access,
                             uint32_t group)
{
    uint8_t *host[WARP] = {0};
    uint32_t lanes = find_lanes(warp, access, group, host);
    if (group != lanes)
        load_zeros(warp, inst, group & ~lanes);
    for (unsigned k = 0; k < inst->mem.count && lanes; k++) {
        load_element(warp, inst, k, host, lanes);
        if (k + 1 < inst->mem.count)
            advance(host, lanes, inst->mem.bytes);
    }
}

LANES_INLINE void store_lanes(struct warp *warp, const struct inst *inst, struct obs_access *access,
                              uint32_t group)
{
    uint8_t *host[WARP] = {0};
    uint32_t lanes = find_lanes(warp, access, group, host);
    for (unsigned k = 0; k < inst->mem.count && lanes; k++) {
        store_element(warp, inst, k, host, lanes);
        if (k + 1 < inst->mem.count)
            advance(host, lanes, inst->mem.bytes);
    }
}

LANES_CLONES void load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    if (inst->mem.space == PTX_PARAM && load_parameter(warp, inst, mask))
        return;
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(inst, todo, &access);
        report(warp, &access, group);
        uint8_t *bytes = is_plain(inst) ? find_dense(warp, &access) : NULL;
        if (bytes && inst->mem.vector[0].offset != NO_SLOT)
            copy_dense(slot_at(warp, inst->mem.vector[0]), bytes, inst->mem.bytes);
        else
            load_lanes(warp, inst, &access, group);
        todo &= ~group;
    }
}

LANES_CLONES void store_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(inst, todo, &access);
        report(warp, &access, group);
        uint8_t *bytes = is_plain(inst) ? find_dense(warp, &access) : NULL;
        if (bytes)
            copy_dense(bytes, slot_at(warp, inst->mem.vector[0]), inst->mem.bytes);
        else
            store_lanes(warp, inst, &access, group);
        todo &= ~group;
    }
}

/* --- atomics ------------------------------------------------------------------------------------ */

static uint64_t read_lane(const struct warp *warp, struct slot slot, unsigned lane)
{
    uint64_t value = 0;
    if (slot.offset != NO_SLOT)
        memcpy(&value, slot_at(warp, slot) + lane * slot.bytes, slot.bytes);
    return value;
}

/* Lanes take their turn in order: one legal outcome, and always the same. */
LANES_CLONES void atomic_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        uint8_t *host[WARP] = {0};
        uint64_t old[WARP];
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(inst, todo, &access);
        report(warp, &access, group);
        uint32_t lanes = find_lanes(warp, &access, group, host);
        bool shared = access.space == PTX_SHARED;
        for (unsigned l = 0; l < WARP; l++) {
            if (!(lanes >> l & 1))
                continue;
            uint64_t b = read_lane(warp, inst->src[0], l), c = read_lane(warp, inst->src[1], l);
            old[l] = atomic_apply(inst, shared, host[l], b, c);
        }
        for (unsigned l = 0; l < WARP && inst->dst.offset != NO_SLOT; l++)
            if (lanes >> l & 1)
                memcpy(slot_at(warp, inst->dst) + l * inst->dst.bytes, &old[l], inst->dst.bytes);
        todo &= ~group;
    }
}

/* --- for functions without PTX ------------------------------------------------------------------ */

uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size)
{
    uint32_t local = warp->cta->launch->local_bytes;
    uint64_t at = addr - MEM_LOCAL_WINDOW;
    switch (space_of_address(addr)) {
    case PTX_LOCAL:
        return at <= local && size <= local - at ? warp->local + (size_t)lane * local + at : NULL;
    case PTX_SHARED:
        at = addr - MEM_SHARED_WINDOW;
        return at <= warp->cta->shared_bytes && size <= warp->cta->shared_bytes - at
                   ? warp->cta->shared + at
                   : NULL;
    default:
        return mem_range(warp->cta->launch->memory, addr, size);
    }
}
