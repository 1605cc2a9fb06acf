/* Computes occupancy by the rules of compute capability 9.0. An SM has four quarters of 16,384
 * registers. A warp takes its registers from one quarter, in units of 256. A CTA's warps go to the
 * quarters in turn. */
#include "gpu/occupancy.h"

#include "gpu/device.h"

enum { QUARTERS = 4, REGISTER_UNIT = 256 };

static uint32_t round_up(uint64_t value, uint32_t unit)
{
    return (uint32_t)((value + unit - 1) / unit * unit);
}

/* The number of warps whose registers fit into an SM. */
static uint32_t warps_by_registers(uint32_t registers)
{
    uint32_t of_warp = round_up((uint64_t)registers * EMU_WARP_SIZE, REGISTER_UNIT);
    return of_warp ? EMU_SM_REGISTERS / QUARTERS / of_warp * QUARTERS : EMU_SM_WARPS;
}

/* The shared memory that a CTA takes, in units. */
static uint64_t shared_units(const struct emu_demand *demand)
{
    return (demand->shared + EMU_SHARED_RESERVED + EMU_SHARED_UNIT - 1) / EMU_SHARED_UNIT;
}

/* The occupancy of an SM with CAPACITY bytes of shared memory. */
static struct emu_occupancy occupancy(const struct emu_demand *demand, uint32_t capacity)
{
    uint32_t warps = (demand->threads + EMU_WARP_SIZE - 1) / EMU_WARP_SIZE;
    const uint32_t most[EMU_OCCUPANCY_LIMITS] = {
        [EMU_BY_WARPS] = EMU_SM_WARPS / warps,
        [EMU_BY_BLOCKS] = EMU_SM_CTAS,
        [EMU_BY_REGISTERS] = warps_by_registers(demand->registers) / warps,
        [EMU_BY_SHARED] = (uint32_t)(capacity / EMU_SHARED_UNIT / shared_units(demand)),
    };
    struct emu_occupancy o = {.ctas = UINT32_MAX};
    for (int i = 0; i < EMU_OCCUPANCY_LIMITS; i++) {
        if (most[i] >= o.ctas)
            continue;
        o.ctas = most[i];
        o.limit = (enum emu_occupancy_limit)i;
    }
    o.warps = o.ctas * warps;
    return o;
}

struct emu_occupancy emu_occupancy(const struct emu_demand *demand)
{
    return occupancy(demand, EMU_SM_SHARED);
}

struct emu_occupancy emu_occupancy_carved(const struct emu_demand *demand, unsigned percent)
{
    static const uint32_t divisions[] = {8, 16, 32, 64, 100, 132, 164, 196, 228}; /* KiB */
    uint64_t needed = shared_units(demand) * EMU_SHARED_UNIT;
    uint32_t i = 0, last = sizeof divisions / sizeof *divisions - 1;
    while (i < last &&
           (divisions[i] * 100 < divisions[last] * percent || divisions[i] << 10 < needed))
        i++;
    return occupancy(demand, divisions[i] << 10);
}

/* SMs come in groups. Some SMs are switched off, not the same ones on every GPU. With these group
 * sizes, the answers are an H100's for clusters of 1 to 16 blocks, with 2, 8, 11 and 32 blocks on
 * an SM. */
#define CLUSTERED_CTAS 8u /* most CTAs in clusters on one SM */
uint32_t emu_occupancy_clusters(const struct emu_demand *demand, uint32_t size)
{
    static const uint32_t sms[] = {18, 18, 16, 16, 16, 16,
                                   16, 8,  2,  2,  2,  2}; /* the sum is EMU_MULTIPROCESSORS */
    uint32_t clusters = 0, ctas = emu_occupancy(demand).ctas;
    ctas = ctas < CLUSTERED_CTAS ? ctas : CLUSTERED_CTAS;
    for (unsigned i = 0; i < sizeof sms / sizeof *sms; i++)
        clusters += sms[i] < size ? 0 : sms[i] * ctas / size;
    return clusters;
}

uint32_t emu_occupancy_threads(uint32_t registers)
{
    uint32_t threads = warps_by_registers(registers) * EMU_WARP_SIZE;
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
