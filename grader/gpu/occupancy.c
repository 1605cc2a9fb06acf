/* Computes occupancy from the table of limits.
 *
 * Since capability 2.0, an SM has parts, each with its own registers. Each warp belongs to one
 * part, and gets its registers there, rounded up to an allocation unit. A CTA's warps are
 * distributed over the parts in turn. On older GPUs, registers were allocated for all warps of a
 * CTA together, and for an even number of warps. */
#include "gpu/occupancy.h"

#include <stdbool.h>

#include "gpu/device.h"

static uint64_t round_up(uint64_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

uint32_t emu_occupancy_warps(const struct emu_demand *demand)
{
    return (demand->threads + EMU_WARP_SIZE - 1) / EMU_WARP_SIZE;
}

/* Returns the number of registers that are allocated for WARPS warps together: in one part or,
 * before 2.0, in the SM. */
static uint32_t registers_of(const struct emu_limits *limits, uint32_t registers, uint32_t warps)
{
    uint64_t units = round_up((uint64_t)registers * EMU_WARP_SIZE * warps, limits->register_unit) /
                     limits->register_unit;
    if (limits->capability / 10 == 2 && units >= 11 && units <= 23 && units % 4 == 3)
        units++; /* GPUs of capability 2.x also round up 11, 15, 19 and 23 units */
    return (uint32_t)units * limits->register_unit;
}

/* Returns the number of warps whose registers fit into an SM that has parts. */
static uint32_t warps_by_registers(const struct emu_limits *limits, uint32_t registers)
{
    uint32_t of_warp = registers_of(limits, registers, 1), parts = limits->register_parts;
    return of_warp ? limits->sm_registers / parts / of_warp * parts : limits->sm_warps;
}

uint32_t emu_occupancy_registers(const struct emu_limits *limits, const struct emu_demand *demand)
{
    uint32_t warps = emu_occupancy_warps(demand);
    return limits->register_parts
               ? registers_of(limits, demand->registers, 1) * warps
               : registers_of(limits, demand->registers, (uint32_t)round_up(warps, 2));
}

/* Returns whether a CTA needs too many registers. In this check, a GPU assumes that each part has
 * as many of the CTA's warps as the part with the most. A GPU of capability 6.0 has two parts, but
 * assumes four, like a GPU of capability 6.1. */
static bool is_too_much(const struct emu_limits *limits, const struct emu_demand *demand)
{
    struct emu_demand even = *demand;
    even.threads =
        (uint32_t)round_up(emu_occupancy_warps(demand), limits->capability < 30 ? 2 : 4) *
        EMU_WARP_SIZE;
    return demand->registers > limits->thread_registers ||
           emu_occupancy_registers(limits, &even) > limits->block_registers;
}

static uint32_t ctas_by_registers(const struct emu_limits *limits, const struct emu_demand *demand)
{
    if (!demand->registers)
        return UINT32_MAX;
    if (is_too_much(limits, demand))
        return 0;
    return limits->register_parts
               ? warps_by_registers(limits, demand->registers) / emu_occupancy_warps(demand)
               : limits->sm_registers / emu_occupancy_registers(limits, demand);
}

uint64_t emu_occupancy_shared(const struct emu_limits *limits, uint64_t shared)
{
    return round_up(shared + limits->shared_reserved, limits->shared_unit);
}

static uint32_t ctas_by_shared(const struct emu_limits *limits, uint64_t shared, uint32_t capacity)
{
    uint64_t bytes = emu_occupancy_shared(limits, shared);
    if (shared > limits->block_shared_optin)
        return 0;
    return bytes ? (uint32_t)(capacity / bytes) : UINT32_MAX;
}

static void find_most(const struct emu_limits *limits, const struct emu_demand *demand,
                      uint32_t capacity, uint32_t most[EMU_OCCUPANCY_LIMITS])
{
    bool is_short = demand->threads <= limits->block_threads;
    most[EMU_BY_WARPS] = is_short ? limits->sm_warps / emu_occupancy_warps(demand) : 0;
    most[EMU_BY_BLOCKS] = limits->sm_blocks;
    most[EMU_BY_REGISTERS] = ctas_by_registers(limits, demand);
    most[EMU_BY_SHARED] = ctas_by_shared(limits, demand->shared, capacity);
}

void emu_occupancy_most(const struct emu_limits *limits, const struct emu_demand *demand,
                        uint32_t most[EMU_OCCUPANCY_LIMITS])
{
    find_most(limits, demand, limits->sm_shared, most);
}

/* Returns the occupancy of an SM with CAPACITY bytes of shared memory. */
static struct emu_occupancy occupancy(const struct emu_limits *limits,
                                      const struct emu_demand *demand, uint32_t capacity)
{
    uint32_t most[EMU_OCCUPANCY_LIMITS];
    struct emu_occupancy o = {.ctas = UINT32_MAX};
    find_most(limits, demand, capacity, most);
    for (int i = 0; i < EMU_OCCUPANCY_LIMITS; i++) {
        if (most[i] >= o.ctas)
            continue;
        o.ctas = most[i];
        o.limit = (enum emu_occupancy_limit)i;
    }
    o.warps = o.ctas * emu_occupancy_warps(demand);
    return o;
}

struct emu_occupancy emu_occupancy_of(const struct emu_limits *limits,
                                      const struct emu_demand *demand)
{
    return occupancy(limits, demand, limits->sm_shared);
}

struct emu_occupancy emu_occupancy(const struct emu_demand *demand)
{
    return emu_occupancy_of(emu_limits(EMU_CAPABILITY), demand);
}

struct emu_occupancy emu_occupancy_carved(const struct emu_demand *demand, unsigned percent)
{
    const struct emu_limits *limits = emu_limits(EMU_CAPABILITY);
    uint64_t wanted = ((uint64_t)limits->sm_shared * percent + 99) / 100;
    uint64_t needed = emu_occupancy_shared(limits, demand->shared);
    return occupancy(limits, demand, emu_limits_split(limits, wanted > needed ? wanted : needed));
}

/* The number of SMs in each group of SMs. It varies, because some SMs of every GPU are switched
 * off; which ones depends on the individual GPU. With these numbers, the results equal an H100's
 * for clusters of 1 to 16 blocks, with 2, 8, 11 and 32 blocks on an SM. */
#define CLUSTERED_CTAS 8u /* largest number of CTAs on one SM if they are in clusters */
uint32_t emu_occupancy_clusters(const struct emu_demand *demand, uint32_t size)
{
    static const uint32_t sms[] = {18, 18, 16, 16, 16, 16,
                                   16, 8,  2,  2,  2,  2}; /* their sum is EMU_MULTIPROCESSORS */
    uint32_t clusters = 0, ctas = emu_occupancy(demand).ctas;
    ctas = ctas < CLUSTERED_CTAS ? ctas : CLUSTERED_CTAS;
    for (unsigned i = 0; i < sizeof sms / sizeof *sms; i++)
        clusters += sms[i] < size ? 0 : sms[i] * ctas / size;
    return clusters;
}

uint32_t emu_occupancy_threads(uint32_t registers)
{
    const struct emu_limits *limits = emu_limits(EMU_CAPABILITY);
    uint32_t threads = warps_by_registers(limits, registers) * EMU_WARP_SIZE;
    return threads < EMU_MAX_THREADS ? threads : EMU_MAX_THREADS;
}

const char *emu_occupancy_limit_name(enum emu_occupancy_limit limit)
{
    static const char *const names[] = {
        [EMU_BY_WARPS] = "warps",
        [EMU_BY_BLOCKS] = "blocks",
        [EMU_BY_REGISTERS] = "registers",
        [EMU_BY_SHARED] = "shared memory",
    };
    return names[limit];
}
