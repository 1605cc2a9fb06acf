/* Computes the occupancy of a program's launches on GPUs of any capability. */
#include "gpu/occupancy.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/number.h"
#include "checks/check.h"
#include "checks/internal.h"
#include "checks/run.h"

/* If the average warp of a launch executes less than this fraction of the longest warp's
 * instructions, the launch counts less. */
#define BUSY 0.7

static struct emu_demand demand_of(const struct check_launch *launch)
{
    return (struct emu_demand){
        .threads = (uint32_t)launch->threads,
        .shared = (uint64_t)(launch->static_shared_bytes + launch->dynamic_shared_bytes)};
}

/* Returns average / longest / BUSY, but at most 1. `average` and `longest` are the numbers of
 * instructions that the average warp and the longest warp execute. */
static double busy(const struct check_launch *launch, const json_t *counters)
{
    struct emu_demand demand = demand_of(launch);
    double longest = json_number_of(counters, "longest_warp_instructions");
    double average = json_number_of(counters, "warp_instructions") / launch->blocks;
    return longest > 0 ? fmin(1, average / emu_occupancy_warps(&demand) / longest / BUSY) : 1;
}

/* Sets the hint for LIMIT, the resource that limits the occupancy. */
static void advise(struct check *check, const struct emu_limits *limits,
                   const struct emu_demand *demand, enum emu_occupancy_limit limit, double share)
{
    char command[120];
    snprintf(command, sizeof command,
             "build/lanewise occupancy --threads %u --shared %llu --cc %u.%u shows how to fit "
             "one more block.",
             demand->threads, (unsigned long long)demand->shared, limits->capability / 10,
             limits->capability % 10);
    if (share < 1)
        check_hint(check,
                   "Some warps of a block have much less work than others. Share the work among "
                   "all warps, and give a block enough work for all of them.");
    else if (limit == EMU_BY_SHARED)
        check_hint(
            check,
            "More warps fit if a block has less shared memory, or if more warps share it. %s",
            command);
    else if (limit == EMU_BY_WARPS)
        check_hint(check, "Choose a number of warps per block that divides %u.", limits->sm_warps);
    else
        check_hint(check, "More warps fit if each block has more warps. %s", command);
}

/* Writes a note that says which resources a block uses, and which resource limits the occupancy. */
static void write_note(struct check *check, const struct emu_limits *limits,
                       const struct check_launch *launch, double share)
{
    struct emu_demand demand = demand_of(launch);
    struct emu_occupancy o = emu_occupancy_of(limits, &demand);
    char *note = check->verdict.note;
    size_t size = sizeof check->verdict.note;
    static const char *const names[] = {[EMU_BY_WARPS] = "the number of warps",
                                        [EMU_BY_BLOCKS] = "the number of blocks",
                                        [EMU_BY_REGISTERS] = "the registers",
                                        [EMU_BY_SHARED] = "the shared memory"};
    unsigned warps = emu_occupancy_warps(&demand);
    snprintf(note, size,
             "A block has %u warp%s and %s bytes of shared memory. A multiprocessor holds %u "
             "such block%s, so %u of its %u warps. The limit is %s.%s",
             warps, warps == 1 ? "" : "s", NUMBER(demand.shared), o.ctas, o.ctas == 1 ? "" : "s",
             o.warps, limits->sm_warps, names[o.limit],
             share < 1 ? " Warps that have much less work than others count less." : "");
    advise(check, limits, &demand, o.limit, share);
}

/* Only launches that do at least this fraction of the work count. Among them, the lowest occupancy
 * decides, because another launch cannot compensate for it. */
#define SOME 0.05

double check_occupancy(struct check *check, const struct run *run, unsigned capability)
{
    const struct emu_limits *limits = emu_limits(capability);
    double worst = INFINITY, all = check_counter(run, "warp_instructions");
    size_t i;
    json_t *launch;
    json_array_foreach(run ? json_object_get(run->record, "launches") : NULL, i, launch)
    {
        const json_t *counters = json_object_get(launch, "counters");
        struct check_launch shape = check_launch(run, i);
        struct emu_demand demand = demand_of(&shape);
        double share = busy(&shape, counters);
        double percent = 100 * share * emu_occupancy_of(limits, &demand).warps / limits->sm_warps;
        if (json_number_of(counters, "warp_instructions") < SOME * all || percent >= worst)
            continue;
        worst = percent;
        write_note(check, limits, &shape, share);
    }
    if (worst >= 100)
        check->verdict.note[0] = '\0';
    return isfinite(worst) ? worst : 0;
}
