#include "gpu/observe/old_rules.h"

#include "gpu/lanes.h"

#define HALF   16u
#define BANKS  16u
#define SECTOR 32u

/* The accesses of half a warp. Lane 0 of `addr` and `mask` is the first lane of this half. */
struct half {
    const uint64_t *addr;
    uint32_t mask;
    uint32_t bytes; /* bytes that one lane accesses */
};

static unsigned lowest(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* --- global memory ---------------------------------------------------------------------------- */

/* Returns whether lane k accesses word k of a segment. Ignores inactive lanes. */
static bool is_coalesced(const struct half *half)
{
    uint32_t segment = half->bytes == 4 ? 64 : 128;
    uint64_t first = half->addr[lowest(half->mask)] - lowest(half->mask) * half->bytes;
    if (half->bytes < 4 || first % segment != 0)
        return false;
    for (uint32_t left = half->mask; left; left &= left - 1)
        if (half->addr[lowest(left)] != first + lowest(left) * half->bytes)
            return false;
    return true;
}

static void measure_g80(const struct half *half, struct old_cost *cost)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(half->mask);
    bool coalesced = is_coalesced(half);
    cost->transactions += !coalesced ? lanes : half->bytes == 16 ? 2 : 1;
    cost->pieces += coalesced ? HALF * half->bytes / SECTOR : lanes;
}

/* Makes one transaction, which serves the lowest lane of *LEFT and all other lanes in its segment.
 * Removes these lanes from *LEFT. Returns the size of the transaction in bytes. */
static uint32_t serve_segment(const struct half *half, uint32_t *left)
{
    uint32_t size = half->bytes == 1 ? 32 : half->bytes == 2 ? 64 : 128;
    uint64_t begin = half->addr[lowest(*left)] / size * size;
    uint64_t low = UINT64_MAX, high = 0; /* addresses of the first and the last accessed byte */
    for (uint32_t lanes = *left; lanes; lanes &= lanes - 1) {
        uint64_t addr = half->addr[lowest(lanes)];
        if (addr / size * size != begin)
            continue;
        low = addr < low ? addr : low;
        high = addr + half->bytes - 1 > high ? addr + half->bytes - 1 : high;
        *left &= ~(1u << lowest(lanes));
    }
    while (size > SECTOR && low / (size / 2) == high / (size / 2))
        size /= 2;
    return size;
}

static void measure_gt200(const struct half *half, struct old_cost *cost)
{
    for (uint32_t left = half->mask; left; cost->transactions++)
        cost->pieces += serve_segment(half, &left) / SECTOR;
}

/* Returns the smallest number of sectors that can hold all accessed words. A word that several
 * lanes share counts once. */
static uint32_t ideal_sectors(const struct half *half)
{
    uint32_t distinct = 0;
    for (uint32_t left = half->mask; left; left &= left - 1) {
        uint32_t before = half->mask & ((1u << lowest(left)) - 1);
        while (before && half->addr[lowest(before)] != half->addr[lowest(left)])
            before &= before - 1;
        distinct += !before;
    }
    return (distinct * half->bytes + SECTOR - 1) / SECTOR;
}

/* --- shared memory ---------------------------------------------------------------------------- */

static uint32_t lanes_that(const uint32_t *value, uint32_t wanted, uint32_t mask)
{
    uint32_t lanes = 0;
    for (; mask; mask &= mask - 1)
        lanes |= (uint32_t)(value[lowest(mask)] == wanted) << lowest(mask);
    return lanes;
}

/* Returns the largest group of lanes in MASK that have the same VALUE. */
static uint32_t largest_group(const uint32_t *value, uint32_t mask)
{
    uint32_t largest = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t group = lanes_that(value, value[lowest(left)], mask);
        if (__builtin_popcount(group) > __builtin_popcount(largest))
            largest = group;
    }
    return largest;
}

/* Returns the number of steps until each lane has received one word. In each step, the GPU
 * broadcasts one word. NVIDIA's guides do not say which. This function chooses a word of the
 * fullest bank: the word that most lanes access. */
static uint32_t count_steps(const uint32_t *word, uint32_t mask)
{
    uint32_t bank[HALF], steps = 0;
    for (unsigned i = 0; i < HALF; i++)
        bank[i] = word[i] % BANKS;
    for (; mask; steps++) {
        uint32_t fullest = largest_group(bank, mask), others = mask & ~fullest;
        mask &= ~largest_group(word, fullest);
        for (uint32_t group; others; others &= ~group) {
            group = lanes_that(bank, bank[lowest(others)], others);
            mask &= ~(1u << lowest(group));
        }
    }
    return steps;
}

static void measure_banks(const struct half *half, struct old_cost *cost)
{
    uint32_t words = half->bytes > 4 ? half->bytes / 4 : 1;
    for (uint32_t k = 0; k < words; k++) {
        uint32_t word[HALF];
        for (unsigned i = 0; i < HALF; i++)
            word[i] = (uint32_t)(half->addr[i] / 4) + k;
        cost->pieces += count_steps(word, half->mask);
    }
    cost->ideal += words;
}

/* ---------------------------------------------------------------------------------------------- */

bool old_rules_coalesces(const struct obs_access *access, unsigned first)
{
    struct half half = {access->addr + first, access->mask >> first & 0xffff, access->bytes};
    return half.mask && is_coalesced(&half);
}

struct old_cost old_rules_measure(enum emu_rules rules, const struct obs_access *access)
{
    struct old_cost cost = {0};
    for (unsigned first = 0; first < WARP; first += HALF) {
        struct half half = {access->addr + first, access->mask >> first & 0xffff, access->bytes};
        if (!half.mask)
            continue;
        cost.requests++;
        if (access->space == PTX_SHARED) {
            measure_banks(&half, &cost);
            continue;
        }
        cost.ideal += ideal_sectors(&half);
        if (rules == EMU_G80)
            measure_g80(&half, &cost);
        else
            measure_gt200(&half, &cost);
    }
    return cost;
}
