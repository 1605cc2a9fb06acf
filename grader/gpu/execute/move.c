/* Executes instructions that only move values: selection, predicates, vectors, special registers,
 * parameters. */
#include <string.h>
#include <time.h>

#include "gpu/chips.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/raw.h"
#include "gpu/execute/rows.h"
#include "gpu/execute/schedule.h"
#include "gpu/memory/memory.h"

/* --- choice and predicates -------------------------------------------------------------------- */

#define CHOICE(T)                                                                                  \
    LANES_CLONES static void choose_##T(struct warp *warp, const struct inst *inst, uint32_t mask) \
    {                                                                                              \
        select_##T(mask, slot_at(warp, inst->dst), slot_at(warp, inst->src[0]),                    \
                   slot_at(warp, inst->src[1]), slot_predicate(warp, inst->src[2]));               \
    }
CHOICE(u16)
CHOICE(u32)
CHOICE(u64)

lane_fn *select_find(unsigned bytes)
{
    return bytes == 2 ? choose_u16 : bytes == 4 ? choose_u32 : choose_u64;
}

static void and_pred(struct warp *w, const struct inst *i, uint32_t mask)
{
    slot_set_predicate(w, i->dst, slot_predicate(w, i->src[0]) & slot_predicate(w, i->src[1]),
                       mask);
}

static void or_pred(struct warp *w, const struct inst *i, uint32_t mask)
{
    slot_set_predicate(w, i->dst, slot_predicate(w, i->src[0]) | slot_predicate(w, i->src[1]),
                       mask);
}

static void xor_pred(struct warp *w, const struct inst *i, uint32_t mask)
{
    slot_set_predicate(w, i->dst, slot_predicate(w, i->src[0]) ^ slot_predicate(w, i->src[1]),
                       mask);
}

static void not_pred(struct warp *w, const struct inst *i, uint32_t mask)
{
    slot_set_predicate(w, i->dst, ~slot_predicate(w, i->src[0]), mask);
}

static void mov_pred(struct warp *w, const struct inst *i, uint32_t mask)
{
    slot_set_predicate(w, i->dst, slot_predicate(w, i->src[0]), mask);
}

lane_fn *predicate_find(enum ptx_opcode opcode)
{
    switch (opcode) {
    case PTX_OP_and:
        return and_pred;
    case PTX_OP_or:
        return or_pred;
    case PTX_OP_xor:
        return xor_pred;
    case PTX_OP_not:
        return not_pred;
    default:
        return mov_pred;
    }
}

/* --- vectors: mov.b64 %rd1, {%r1, %r2} and back; the first element is the lowest -------------- */

/* Packs COUNT parts of BYTES bytes each into one value. Inlining with constant arguments gives
 * shorter code. */
LANES_INLINE void pack(struct warp *warp, const struct inst *inst, uint32_t mask, unsigned bytes,
                       unsigned count)
{
    uint64_t whole[WARP] = {0}, part[WARP];
    for (unsigned k = 0; k < count; k++) {
        read_raw(part, slot_at(warp, inst->mem.vector[k]), bytes);
        for (unsigned l = 0; l < WARP; l++)
            whole[l] |= part[l] << (8 * k * bytes);
    }
    write_raw(slot_at(warp, inst->dst), bytes * count, whole, mask);
}

LANES_INLINE void unpack(struct warp *warp, const struct inst *inst, uint32_t mask, unsigned bytes,
                         unsigned count)
{
    /* `whole` is a copy, because writing a part may overwrite the source */
    uint64_t whole[WARP], part[WARP];
    read_raw(whole, slot_at(warp, inst->src[0]), bytes * count);
    for (unsigned k = 0; k < count; k++) {
        /* the instruction has _ in place of this element */
        if (inst->mem.vector[k].offset == NO_SLOT)
            continue;
        for (unsigned l = 0; l < WARP; l++)
            part[l] = whole[l] >> (8 * k * bytes);
        write_raw(slot_at(warp, inst->mem.vector[k]), bytes, part, mask);
    }
}

LANES_CLONES void pack_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned bytes = inst->mem.bytes, count = inst->mem.count;
    if (count == 2 && bytes == 4)
        pack(warp, inst, mask, 4, 2);
    else if (count == 2 && bytes == 2)
        pack(warp, inst, mask, 2, 2);
    else
        pack(warp, inst, mask, bytes, count);
}

LANES_CLONES void unpack_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned bytes = inst->mem.bytes, count = inst->mem.count;
    if (count == 2 && bytes == 4)
        unpack(warp, inst, mask, 4, 2);
    else if (count == 2 && bytes == 2)
        unpack(warp, inst, mask, 2, 2);
    else
        unpack(warp, inst, mask, bytes, count);
}

void wide_mov_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (unsigned half = 0; half < 2; half++) {
        struct slot slot = inst->mem.vector[2 + half];
        if (slot.offset == NO_SLOT) /* the instruction has _ in place of this half */
            continue;
        const uint64_t *from =
            (const uint64_t *)(const void *)slot_at(warp, inst->mem.vector[half]);
        uint64_t *to = (uint64_t *)(void *)slot_at(warp, slot);
        for (unsigned l = 0; l < WARP; l++)
            to[l] = mask >> l & 1 ? from[l] : to[l];
    }
}

/* --- special registers and parameters --------------------------------------------------------- */

/* Writes VALUE to all lanes of MASK. This is optimised, because a kernel that waits by polling the
 * clock spends most of its time here. */
LANES_INLINE void broadcast(struct warp *warp, struct slot slot, uint64_t value, uint32_t mask)
{
    uint32_t *words = (uint32_t *)(void *)slot_at(warp, slot);
    uint64_t *wide = (uint64_t *)(void *)words;
    if (slot.bytes == 8)
        for (unsigned l = 0; l < WARP; l++)
            wide[l] = mask >> l & 1 ? value : wide[l];
    else
        for (unsigned l = 0; l < WARP; l++)
            words[l] = mask >> l & 1 ? (uint32_t)value : words[l];
}

/* Returns whether clocks show predicted time. If so, sets *CYCLES to the warp's predicted cycles
 * since the launch began. */
static bool predicted_now(const struct warp *warp, double *cycles)
{
    const struct listener *follower = &warp->cta->worker->follower;
    bool is_predicted =
        warp->cta->launch->options->predicts_clock && follower->observer && follower->observer->now;
    if (is_predicted)
        *cycles = follower->observer->now(follower->state, warp->cta->linear, warp->index);
    return is_predicted;
}

static uint64_t nanoseconds(const struct warp *warp)
{
    struct timespec now;
    double cycles;
    if (predicted_now(warp, &cycles)) {
        const struct launch *launch = warp->cta->launch;
        return (uint64_t)(launch->timer + cycles * 1000 / launch->options->chip->clock_mhz);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns %clock, which begins at the device's clock. It advances by the predicted cycles or,
 * without a prediction, by 4 cycles for each instruction of the warp. It never decreases, and its
 * values are the same whenever the program is executed. */
static uint64_t clock_now(const struct warp *warp)
{
    double cycles;
    uint64_t begin = warp->cta->launch->clock;
    return predicted_now(warp, &cycles) ? begin + (uint64_t)cycles : begin + 4 * warp->executed;
}

static uint64_t special_now(const struct warp *warp, uint32_t special)
{
    switch (special) {
    case PTX_SPECIAL_clock_hi:
        return clock_now(warp) >> 32;
    case PTX_SPECIAL_globaltimer:
    case PTX_SPECIAL_globaltimer_lo:
        return nanoseconds(warp);
    case PTX_SPECIAL_globaltimer_hi:
        return nanoseconds(warp) >> 32;
    default:
        return clock_now(warp);
    }
}

LANES_CLONES void read_special_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    broadcast(warp, inst->dst, special_now(warp, inst->read.special), mask);
}

/* --- addresses -------------------------------------------------------------------------------- */

/* Returns whether ADDR is in SPACE. An address outside all windows and all constant variables
 * counts as global, even if no memory is allocated there. */
static bool is_in(const struct cta *cta, uint64_t addr, enum ptx_space space)
{
    const struct launch *launch = cta->launch;
    if (mem_in_window(addr, MEM_LOCAL_WINDOW))
        return space == PTX_LOCAL;
    if (mem_in_window(addr, MEM_SHARED_WINDOW))
        return space == PTX_CLUSTER ||
               (space == PTX_SHARED &&
                cluster_rank(addr - MEM_SHARED_WINDOW, cta->rank) == cta->rank);
    const struct mem_block *block = mem_block_at(launch->memory, addr);
    bool fixed = block && block->is_constant && addr - block->addr < block->size;
    /* the parameters' address is in two state spaces, as on a GPU */
    if (fixed && block->addr == launch->kernel->params_at)
        return space == PTX_PARAM || space == PTX_GLOBAL;
    return space == (fixed ? PTX_CONST : PTX_GLOBAL);
}

void in_space_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint64_t *addr = (const uint64_t *)(const void *)slot_at(warp, inst->src[0]);
    uint32_t bits = 0;
    for (unsigned l = 0; l < WARP; l++)
        if (mask >> l & 1 && is_in(warp->cta, addr[l], (enum ptx_space)inst->read.special))
            bits |= 1u << l;
    slot_set_predicate(warp, inst->dst, bits, mask);
}

void parameter_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint64_t at = warp->cta->launch->kernel->params_at;
    const uint64_t *from = (const uint64_t *)(const void *)slot_at(warp, inst->src[0]);
    uint64_t *to = (uint64_t *)(void *)slot_at(warp, inst->dst);
    for (unsigned l = 0; l < WARP; l++)
        if (mask >> l & 1)
            to[l] = inst->read.back ? from[l] - at : from[l] + at;
}
