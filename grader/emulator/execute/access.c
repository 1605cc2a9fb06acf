/* Loads, stores and atomics: from 32 addresses to bytes.
 *
 * Every access is checked against what is allocated before a byte is touched: find_lanes() turns
 * addresses into host pointers and drops the lanes whose address is bad, with a fault for each. */
#include <string.h>

#include "emulator/execute/machine.h"

/* --- addresses ---------------------------------------------------------------------------------- */

/* base + offset in every lane; inactive lanes repeat the first active one's address. */
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

LANES_INLINE bool is_dense(const uint64_t *addr, unsigned bytes, uint32_t mask)
{
    unsigned shift = (unsigned)__builtin_ctz(bytes);
    uint64_t stray = 0;
    if (mask != ALL_LANES || addr[WARP - 1] - addr[0] != (WARP - 1) << shift)
        return false;
    for (unsigned l = 0; l < WARP; l++)
        stray |= addr[l] ^ (addr[0] + ((uint64_t)l << shift));
    return !stray;
}

static enum ptx_space space_of_address(uint64_t addr)
{
    return mem_in_window(addr, MEM_SHARED_WINDOW)  ? PTX_SHARED
           : mem_in_window(addr, MEM_LOCAL_WINDOW) ? PTX_LOCAL
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

/* What the addresses of a space that belongs to the CTA, the warp or the launch are offsets into: its
 * bytes, and how far apart those of two lanes are. */
struct area {
    uint8_t *start;
    uint64_t size, stride;
};

LANES_INLINE struct area area_of(const struct warp *warp, uint8_t space)
{
    const struct launch *launch = warp->cta->launch;
    uint32_t local = launch->own_bytes, params = warp->frame->image->frame_bytes;
    switch (space) {
    case PTX_SHARED:
        return (struct area){warp->cta->shared, warp->cta->shared_bytes, 0};
    case PTX_LOCAL: /* the kernel's own variables; others are looked for lane by lane */
        return (struct area){warp->local, local, local};
    case PTX_FRAME: /* parameters and results of device functions */
        return (struct area){warp->frame->params, params, params};
    default: /* the launch's parameters: the only space that is the same for every lane */
        return (struct area){(uint8_t *)(uintptr_t)launch->request.params,
                             launch->request.param_bytes, 0};
    }
}

LANES_INLINE bool is_global(uint8_t space)
{
    return space == PTX_GLOBAL || space == PTX_CONST;
}

/* Where the bytes of ADDR lie, if all from LOW to HIGH are in one block. The block that was hit last
 * from this place in the code is tried first. */
LANES_INLINE uint8_t *find_in_block(struct warp *warp, const struct obs_access *access,
                                    uint64_t addr, uint64_t low, uint64_t high)
{
    struct worker *worker = warp->cta->worker;
    struct mem_block **block = &worker->patterns[access->pc % PATTERNS].block;
    if (!holds(*block, low, high))
        *block = mem_nearest(worker->launch->memory, low);
    return holds(*block, low, high) && may_touch(*block, access)
               ? (*block)->host + (addr - (*block)->addr)
               : NULL;
}

/* SIZE bytes of a lane's local memory at AT: the kernel's own variables, or those of the functions that
 * it called, which lie behind them on the stack. NULL if they are neither. */
static uint8_t *local_bytes(const struct warp *warp, unsigned lane, uint64_t at, uint64_t size)
{
    uint64_t own = warp->cta->launch->own_bytes;
    if (at <= own && size <= own - at)
        return warp->local + lane * own + at;
    at -= own;
    if (at > warp->stack_room || size > warp->stack_room - at)
        return NULL;
    return warp->stack + (size_t)lane * warp->stack_room + at;
}

/* One lane's bytes, or NULL and what is wrong. */
static uint8_t *find_lane(struct warp *warp, const struct obs_access *access, unsigned lane,
                          enum obs_fault_kind *wrong)
{
    uint64_t addr = access->addr[lane], end = addr + access->bytes;
    *wrong = OBS_OUT_OF_BOUNDS;
    if (access->space == PTX_LOCAL)
        return local_bytes(warp, lane, addr, access->bytes);
    if (!is_global(access->space)) {
        struct area area = area_of(warp, access->space);
        return addr <= end && end <= area.size ? area.start + lane * area.stride + addr : NULL;
    }
    struct mem_block *block = mem_nearest(warp->cta->launch->memory, addr);
    if (!holds(block, addr, end))
        return NULL;
    *wrong = OBS_READ_ONLY;
    return may_touch(block, access) ? block->host + (addr - block->addr) : NULL;
}

/* Lane by lane: somebody is outside, or two blocks are touched at once. */
static uint32_t find_slowly(struct warp *warp, const struct obs_access *access, uint32_t lanes,
                            uint8_t **host)
{
    static const uint64_t zeros[2] = {
        0}; /* what bad addresses read, to watch the rest of the kernel */
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

static void tell_observers(struct warp *warp, const struct obs_access *access)
{
    struct worker *worker = warp->cta->worker;
    struct launch *launch = worker->launch;
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->events & OBS_ACCESS)
            launch->observers[i]->access(worker->observer_state[i], access);
}

/* Reports one access of LANES in one space. Returns its pattern; NULL if it has none, or is dense. */
LANES_INLINE const struct pattern *report(struct warp *warp, struct obs_access *access,
                                          uint32_t lanes)
{
    const struct pattern *pattern = NULL;
    access->mask = lanes;
    access->repeats = false;
    access->dense = is_dense(access->addr, access->bytes, lanes);
    if (!access->dense)
        pattern = pattern_find(&warp->cta->worker->patterns[access->pc % PATTERNS], access);
    access->warp = warp->index;
    access->cta = warp->cta->linear;
    if (warp->cta->launch->wanted & OBS_ACCESS && access->space != PTX_PARAM &&
        access->space != PTX_FRAME)
        tell_observers(warp, access);
    return pattern;
}

/* The usual case: 32 neighbours in one block, of whom only the first address matters. Returns its
 * bytes, or NULL where it is not that simple. */
LANES_INLINE uint8_t *find_dense(struct warp *warp, const struct obs_access *access)
{
    uint64_t low = access->addr[0], high = low + WARP * access->bytes;
    if (!access->dense || low & (access->bytes - 1u))
        return NULL;
    if (access->space == PTX_SHARED)
        return low < high && high <= warp->cta->shared_bytes ? warp->cta->shared + low : NULL;
    return is_global(access->space) ? find_in_block(warp, access, low, low, high) : NULL;
}

/* Where the first lane's bytes lie and how far apart those of two lanes are, the deltas aside, once all
 * addresses of the pattern are found to be good. NULL if they are not, or there is no pattern. */
LANES_INLINE uint8_t *find_pattern(struct warp *warp, const struct obs_access *access,
                                   const struct pattern *pattern, uint64_t *stride)
{
    uint64_t first = access->addr[0];
    *stride = 0;
    if (access->dense) { /* as one long piece of the first lane */
        *stride = access->bytes;
        return find_dense(warp, access);
    }
    if (!pattern || (first | pattern->bits) & (access->bytes - 1u))
        return NULL;
    uint64_t low = first + (uint64_t)(int64_t)pattern->low;
    uint64_t high = first + (uint64_t)(int64_t)pattern->high + access->bytes;
    if (is_global(access->space))
        return find_in_block(warp, access, first, low, high);
    struct area area = area_of(warp, access->space);
    *stride = area.stride;
    return low < high && high <= area.size ? area.start + first : NULL;
}

/* Checks one access of LANES in one space. HOST gets each lane's bytes: those that it may only read,
 * but for the lanes returned. */
LANES_INLINE uint32_t find_lanes(struct warp *warp, const struct obs_access *access,
                                 const struct pattern *pattern, uint32_t lanes, uint8_t **host)
{
    uint64_t stride;
    uint8_t *start = find_pattern(warp, access, pattern, &stride);
    if (!start)
        return find_slowly(warp, access, lanes, host);
    for (unsigned l = 0; l < WARP && !stride; l++)
        host[l] = start + pattern->delta[l];
    for (unsigned l = 0; l < WARP && stride; l++)
        host[l] = start + l * stride + (pattern ? pattern->delta[l] : 0);
    return lanes;
}

/* --- loads and stores --------------------------------------------------------------------------- */

/* Four lanes a turn: the loop itself would cost as much as what it does. */
#define EACH_LANE(l) _Pragma("GCC unroll 4") for (unsigned l = 0; l < WARP; l++)

/* DEFINE: a vector of values of type T, in each lane's bytes from AT on. Lanes that are not active have
 * bytes that may be read, too; they are not written. */
#define LANE_VALUES(T)                                                                             \
    LANES_INLINE T value_##T(const uint8_t *host, size_t at)                                       \
    {                                                                                              \
        return *(const T *)(const void *)(host + at);                                              \
    }                                                                                              \
    LANES_INLINE void put_##T(void *to, const T *v, uint32_t mask)                                 \
    {                                                                                              \
        T *d = to;                                                                                 \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = mask >> l & 1 ? v[l] : d[l];                                                    \
    }                                                                                              \
    LANES_INLINE void load_##T(void *to, uint8_t *const *host, size_t at, uint32_t mask)           \
    {                                                                                              \
        T v[WARP], *d = mask == ALL_LANES ? to : v;                                                \
        EACH_LANE(l) d[l] = value_##T(host[l], at);                                                \
        if (mask != ALL_LANES)                                                                     \
            put_##T(to, v, mask);                                                                  \
    }                                                                                              \
    LANES_INLINE void broadcast_##T(void *to, const uint8_t *host, size_t at, uint32_t mask)       \
    {                                                                                              \
        T v[WARP], value = value_##T(host, at);                                                    \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            v[l] = value;                                                                          \
        put_##T(to, v, mask);                                                                      \
    }                                                                                              \
    LANES_INLINE void store_##T(const uint8_t *v, unsigned width, uint8_t *const *host, size_t at, \
                                uint32_t lanes)                                                    \
    {                                                                                              \
        if (lanes == ALL_LANES)                                                                    \
            EACH_LANE(l) * (T *)(void *)(host[l] + at) = value_##T(v, l * width);                  \
        else                                                                                       \
            for (uint32_t left = lanes; left; left &= left - 1) {                                  \
                unsigned l = (unsigned)__builtin_ctz(left);                                        \
                *(T *)(void *)(host[l] + at) = value_##T(v, l * width);                            \
            }                                                                                      \
    }
LANE_VALUES(uint8_t)
LANE_VALUES(uint16_t)
LANE_VALUES(uint32_t)
LANE_VALUES(uint64_t)

/* Values narrower than the register are extended to its width. */
LANES_INLINE void load_narrow(uint8_t *d, unsigned width, uint8_t *const *host, size_t at,
                              uint32_t mask, unsigned bytes, bool is_signed)
{
    uint32_t raw[WARP];
    uint64_t wide[WARP];
    uint16_t narrow[WARP];
    unsigned shift = 32 - 8 * bytes;
    if (bytes == 1)
        EACH_LANE(l) raw[l] = value_uint8_t(host[l], at);
    else if (bytes == 2)
        EACH_LANE(l) raw[l] = value_uint16_t(host[l], at);
    else
        EACH_LANE(l) raw[l] = value_uint32_t(host[l], at);
    for (unsigned l = 0; l < WARP && is_signed; l++)
        raw[l] = (uint32_t)((int32_t)(raw[l] << shift) >> shift);
    if (width == 4) {
        put_uint32_t(d, raw, mask);
    } else if (width == 2) {
        for (unsigned l = 0; l < WARP; l++)
            narrow[l] = (uint16_t)raw[l];
        put_uint16_t(d, narrow, mask);
    } else {
        for (unsigned l = 0; l < WARP; l++)
            wide[l] = is_signed ? (uint64_t)(int32_t)raw[l] : raw[l];
        put_uint64_t(d, wide, mask);
    }
}

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

/* Element K of COUNT that neighbours load or store as one piece each, one right behind the other. */
#define LANE_PIECES(T)                                                                             \
    LANES_INLINE void load_pieces_##T(void *to, const uint8_t *from, unsigned count, unsigned k)   \
    {                                                                                              \
        T *d = to;                                                                                 \
        const T *v = (const T *)(const void *)from;                                                \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = v[l * count + k];                                                               \
    }                                                                                              \
    LANES_INLINE void store_pieces_##T(const uint8_t *from, uint8_t *to, unsigned count,           \
                                       unsigned k)                                                 \
    {                                                                                              \
        T *d = (T *)(void *)to;                                                                    \
        const T *v = (const T *)(const void *)from;                                                \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l * count + k] = v[l];                                                               \
    }
LANE_PIECES(uint32_t)
LANE_PIECES(uint64_t)

/* Loads or stores all elements so, if they are as wide as their registers. */
LANES_INLINE bool move_pieces(const struct warp *warp, const struct inst *inst, uint8_t *bytes)
{
    unsigned count = inst->mem.count, width = inst->mem.bytes;
    bool is_load = inst->mem.event == OBS_LOAD;
    for (unsigned k = 0; k < count; k++)
        if (inst->mem.vector[k].offset == NO_SLOT || inst->mem.vector[k].bytes != width)
            return false;
    for (unsigned k = 0; k < count; k++) {
        uint8_t *lanes = slot_at(warp, inst->mem.vector[k]);
        if (width == 4 && count == 4 && is_load)
            load_pieces_uint32_t(lanes, bytes, 4, k);
        else if (width == 4 && count == 4)
            store_pieces_uint32_t(lanes, bytes, 4, k);
        else if (width == 4 && count == 2 && is_load)
            load_pieces_uint32_t(lanes, bytes, 2, k);
        else if (width == 4 && count == 2)
            store_pieces_uint32_t(lanes, bytes, 2, k);
        else if (width == 8 && count == 2 && is_load)
            load_pieces_uint64_t(lanes, bytes, 2, k);
        else if (width == 8 && count == 2)
            store_pieces_uint64_t(lanes, bytes, 2, k);
        else
            return false;
    }
    return true;
}

/* Element K of what the lanes of MASK load; UNIFORM: all from the same place. */
LANES_INLINE void load_element(const struct warp *warp, const struct inst *inst, unsigned k,
                               uint8_t *const *host, uint32_t mask, bool uniform)
{
    struct slot slot = inst->mem.vector[k];
    if (slot.offset == NO_SLOT) /* _ */
        return;
    uint8_t *d = slot_at(warp, slot);
    unsigned bytes = inst->mem.bytes;
    size_t at = (size_t)k * bytes;
    if (bytes != slot.bytes || bytes < 4)
        load_narrow(d, slot.bytes, host, at, mask, bytes,
                    ptx_type_class((enum ptx_type)inst->mem.type) == 'S');
    else if (uniform && bytes == 4)
        broadcast_uint32_t(d, host[0], at, mask);
    else if (uniform)
        broadcast_uint64_t(d, host[0], at, mask);
    else if (bytes == 4)
        load_uint32_t(d, host, at, mask);
    else
        load_uint64_t(d, host, at, mask);
}

LANES_INLINE void store_element(const struct warp *warp, const struct inst *inst, unsigned k,
                                uint8_t *const *host, uint32_t lanes)
{
    struct slot slot = inst->mem.vector[k];
    const uint8_t *v = slot_at(warp, slot);
    unsigned bytes = inst->mem.bytes;
    size_t at = (size_t)k * bytes;
    if (bytes == 4)
        store_uint32_t(v, slot.bytes, host, at, lanes);
    else if (bytes == 8)
        store_uint64_t(v, slot.bytes, host, at, lanes);
    else if (bytes == 2)
        store_uint16_t(v, slot.bytes, host, at, lanes);
    else
        store_uint8_t(v, slot.bytes, host, at, lanes);
}

/* Everything but the addresses and what report() finds out. */
LANES_INLINE void start_access(const struct warp *warp, const struct inst *inst,
                               struct obs_access *access)
{
    access->pc = warp->pc;
    access->kind = inst->mem.event;
    access->bytes = (uint8_t)(inst->mem.bytes * inst->mem.count);
    access->element = inst->mem.bytes;
}

/* What a store will write, for those who want to know. */
LANES_INLINE void show_values(const struct warp *warp, const struct inst *inst,
                              struct obs_access *access)
{
    for (unsigned k = 0; k < inst->mem.count; k++)
        access->value[k] = slot_at(warp, inst->mem.vector[k]);
    access->value_bytes = inst->mem.vector[0].bytes;
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

/* One word for each lane of MASK out of the 32 at FROM: the vector unit picks them all at once. */
LANES_INLINE void load_window(uint32_t *d, const uint8_t *from, const uint32_t *word, uint32_t mask)
{
    uint32_t v[WARP];
    pick_words(mask == ALL_LANES ? d : v, (const uint32_t *)(const void *)from, word);
    if (mask != ALL_LANES)
        put_uint32_t(d, v, mask);
}

/* Are all bytes of the window there, too, behind those that are asked for? */
LANES_INLINE bool has_window(const struct warp *warp, const struct obs_access *access,
                             const struct pattern *pattern)
{
    if (!pattern->is_window || !is_global(access->space))
        return pattern->is_window && access->space == PTX_SHARED; /* SHARED_PAD */
    const struct mem_block *block = warp->cta->worker->patterns[access->pc % PATTERNS].block;
    uint64_t low = access->addr[0] + (uint64_t)(int64_t)pattern->low;
    return block->size >= PATTERN_WINDOW && low - block->addr <= block->size - PATTERN_WINDOW;
}

LANES_INLINE void load_lanes(struct warp *warp, const struct inst *inst,
                             const struct obs_access *access, const struct pattern *pattern,
                             uint32_t group)
{
    uint64_t stride;
    uint8_t *host[WARP], *start = find_pattern(warp, access, pattern, &stride);
    struct slot slot = inst->mem.vector[0];
    bool uniform = start && !stride && pattern->low == pattern->high;
    if (!uniform && start && is_plain(inst) && slot.offset != NO_SLOT && slot.bytes == 4 &&
        has_window(warp, access, pattern)) {
        load_window((uint32_t *)(void *)slot_at(warp, slot), start + pattern->low, pattern->word,
                    group);
        return;
    }
    find_lanes(warp, access, pattern, group, host);
    for (unsigned k = 0; k < inst->mem.count; k++)
        load_element(warp, inst, k, host, group, uniform);
}

LANES_INLINE void store_lanes(struct warp *warp, const struct inst *inst,
                              const struct obs_access *access, const struct pattern *pattern,
                              uint32_t group)
{
    uint8_t *host[WARP];
    uint32_t lanes = find_lanes(warp, access, pattern, group, host);
    for (unsigned k = 0; k < inst->mem.count && lanes; k++)
        store_element(warp, inst, k, host, lanes);
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
        const struct pattern *pattern = report(warp, &access, group);
        uint8_t *bytes = find_dense(warp, &access);
        if (bytes && is_plain(inst) && inst->mem.vector[0].offset != NO_SLOT)
            copy_dense(slot_at(warp, inst->mem.vector[0]), bytes, inst->mem.bytes);
        else if (!bytes || !move_pieces(warp, inst, bytes))
            load_lanes(warp, inst, &access, pattern, group);
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
        if (warp->cta->launch->wanted & OBS_ORDER)
            show_values(warp, inst, &access);
        const struct pattern *pattern = report(warp, &access, group);
        uint8_t *bytes = find_dense(warp, &access);
        if (bytes && is_plain(inst))
            copy_dense(bytes, slot_at(warp, inst->mem.vector[0]), inst->mem.bytes);
        else if (!bytes || !move_pieces(warp, inst, bytes))
            store_lanes(warp, inst, &access, pattern, group);
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
        uint8_t *host[WARP];
        uint64_t old[WARP];
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(inst, todo, &access);
        const struct pattern *pattern = report(warp, &access, group);
        uint32_t lanes = find_lanes(warp, &access, pattern, group, host);
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

/* --- for accesses that other files make -------------------------------------------------------------- */

void access_addresses(const struct warp *warp, struct slot base, uint64_t offset, uint32_t mask,
                      uint64_t *addr)
{
    add_addresses(warp, base, offset, mask, addr);
}

uint32_t access_take_space(const struct inst *inst, uint32_t todo, struct obs_access *access)
{
    return take_space(inst, todo, access);
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

/* --- fences ------------------------------------------------------------------------------------- */

/* Memory is always in order here, but whoever asks for order is noted. */
void fence_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    cta_tell_order(warp->cta, (struct obs_order){.kind = OBS_FENCE,
                                                 .warp = warp->index,
                                                 .lanes = mask,
                                                 .wide = inst->mem.op != PTX_MOD_cta});
}

/* --- for functions without PTX ------------------------------------------------------------------ */

uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size)
{
    uint64_t at;
    switch (space_of_address(addr)) {
    case PTX_LOCAL:
        return local_bytes(warp, lane, addr - MEM_LOCAL_WINDOW, size);
    case PTX_SHARED:
        at = addr - MEM_SHARED_WINDOW;
        return at <= warp->cta->shared_bytes && size <= warp->cta->shared_bytes - at
                   ? warp->cta->shared + at
                   : NULL;
    default:
        return mem_range(warp->cta->launch->memory, addr, size);
    }
}
