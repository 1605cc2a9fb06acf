/* Makes loads from shared or constant memory return wrong values, on purpose (see `scrambles` in
 * struct emu_options).
 *
 * Each load runs as usual. If its values come from that memory, some of their bits are then
 * flipped. After decoding, kernel_scramble() replaces the function of each load, so loads are not
 * slower without the option. */
#include <string.h>

#include "gpu/execute/kernel.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"
#include "gpu/execute/values.h"
#include "gpu/memory/memory.h"

/* Mask of the bits that are flipped in each byte. They include exponent bits of floats, so that
 * floats change by more than a rounding error. */
#define FLIPPED 0x55

static bool reads_shared(const struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint64_t base;
    if (inst->mem.space != PTX_GENERIC || inst->mem.base.bytes != sizeof base)
        return inst->mem.space == PTX_SHARED;
    memcpy(&base, slot_at(warp, inst->mem.base) + __builtin_ctz(mask) * sizeof base, sizeof base);
    return mem_in_window(base + (uint64_t)inst->mem.offset, MEM_SHARED_WINDOW);
}

/* Flips bits of the values that a load has written to registers. */
static void flip(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (unsigned k = 0; k < inst->mem.count; k++) {
        struct slot slot = inst->mem.vector[k];
        if (slot.offset == NO_SLOT)
            continue;
        for (uint32_t todo = mask; todo; todo &= todo - 1) {
            uint8_t *value = slot_at(warp, slot) + (unsigned)__builtin_ctz(todo) * slot.bytes;
            for (unsigned i = 0; i < slot.bytes && i < inst->mem.bytes; i++)
                value[i] ^= FLIPPED;
        }
    }
}

static void scrambled_shared_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    /* call reads_shared() before the load, which may overwrite the address register */
    bool is_shared = reads_shared(warp, inst, mask);
    load_run(warp, inst, mask);
    if (is_shared)
        flip(warp, inst, mask);
}

static void scrambled_constant_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    load_run(warp, inst, mask);
    flip(warp, inst, mask);
}

void kernel_scramble(struct kernel *kernel, enum emu_scramble memory)
{
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        struct inst *inst = &kernel->code[pc];
        if (inst->run != load_run)
            continue;
        if (memory == EMU_SCRAMBLE_SHARED)
            inst->run = scrambled_shared_run;
        else if (memory == EMU_SCRAMBLE_CONSTANT && inst->mem.space == PTX_CONST)
            inst->run = scrambled_constant_run;
    }
}
