/* The origins observer marks the bytes of global memory that kernels write. From these marks, the
 * grader can tell which bytes of a result were written by kernels and which by the host. device.c
 * updates the marks when the host writes or copies. */
#include <stdlib.h>

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

struct origins {
    const struct memory *memory;
};

static void origins_access(void *state, const struct obs_access *access)
{
    const struct origins *origins = state;
    if (access->space != PTX_GLOBAL)
        return;
    /* a dense access may reach past the end of its allocation, where the launch then fails */
    if (access->dense) {
        uint64_t bytes = (uint64_t)WARP * access->bytes;
        if (mem_range(origins->memory, access->addr[0], bytes)) {
            mem_mark(origins->memory, MEM_FROM_KERNEL, access->addr[0], bytes, true);
            return;
        }
    }
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint64_t addr = access->addr[__builtin_ctz(left)];
        if (mem_range(origins->memory, addr, access->bytes))
            mem_mark(origins->memory, MEM_FROM_KERNEL, addr, access->bytes, true);
    }
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
