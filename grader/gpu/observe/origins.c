/* The origins observer marks the bytes of global memory that kernels write. From these marks, the
 * grader can tell which bytes of a result were written by kernels and which by the host.
 * device_memory.c updates the marks when the host writes or copies. */
#include <stdlib.h>

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

struct origins {
    const struct memory *memory;
};

/* Notes that a kernel wrote the BYTES at ADDR. Returns false if no allocation contains them. */
static bool note_write(const struct memory *memory, uint64_t addr, uint64_t bytes)
{
    if (!mem_range(memory, addr, bytes))
        return false;
    mem_mark(memory, MEM_FROM_KERNEL, addr, bytes, true);
    struct mem_block *block = memory->lent ? mem_block_at(memory, addr) : NULL;
    if (block && block->is_lent) {
        uint64_t at = addr - block->addr;
        if (block->wrote_to == 0 || at < block->wrote_from)
            block->wrote_from = at;
        if (at + bytes > block->wrote_to)
            block->wrote_to = at + bytes;
    }
    return true;
}

static void origins_access(void *state, const struct obs_access *access)
{
    const struct origins *origins = state;
    if (access->space != PTX_GLOBAL)
        return;
    /* a dense access may reach past the end of its allocation, where the launch then fails */
    if (access->dense &&
        note_write(origins->memory, access->addr[0], (uint64_t)WARP * access->bytes))
        return;
    for (uint32_t left = access->mask; left; left &= left - 1)
        note_write(origins->memory, access->addr[__builtin_ctz(left)], access->bytes);
}

static void *origins_begin(const struct launch_view *launch)
{
    struct origins *origins = malloc(sizeof *origins);
    if (origins)
        origins->memory = launch->memory;
    return origins;
}

/* a single worker runs the launch, so there is no second state to join */
static void origins_join(void *into, void *state)
{
    (void)into;
    free(state);
}

static void origins_end(void *state, const struct launch_view *launch,
                        struct emu_counters *per_instruction)
{
    (void)launch;
    (void)per_instruction;
    free(state);
}

const struct observer obs_origins = {
    .name = "origins",
    .events = OBS_WRITE,
    .is_serial = true,
    .begin = origins_begin,
    .access = origins_access,
    .join = origins_join,
    .end = origins_end,
};
