/* Wrong values from shared memory, on purpose: see struct emu_options, scrambles_shared.
 *
 * Each load runs as ever, and then its destinations lose their values if they came from shared memory. Loads change
 * their function only after decoding, so a device without the option does nothing more than before. */
#include <string.h>

#include "gpu/execute/kernel.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"
#include "gpu/execute/values.h"
#include "gpu/memory/memory.h"

#define FLIPPED                                                                                    \
    0x55 /* of each byte: other integers, and other exponents of floating-point numbers */

static bool reads_shared(const struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint64_t base;
    if (inst->mem.space != PTX_GENERIC || inst->mem.base.bytes != sizeof base)
        return inst->mem.space == PTX_SHARED;
    memcpy(&base, slot_at(warp, inst->mem.base) + __builtin_ctz(mask) * sizeof base, sizeof base);
    return mem_in_window(base + (uint64_t)inst->mem.offset, MEM_SHARED_WINDOW);
}

static void scrambled_load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    bool is_shared =
        reads_shared(warp, inst, mask); /* before the load: it may overwrite the base */
    load_run(warp, inst, mask);
    for (unsigned k = 0; is_shared && k < inst->mem.count; k++) {
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

void kernel_scramble_shared(struct kernel *kernel)
{
    for (uint32_t pc = 0; pc < kernel->code_count; pc++)
        if (kernel->code[pc].run == load_run)
            kernel->code[pc].run = scrambled_load_run;
}
