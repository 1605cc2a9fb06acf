#include "report/heat.h"

#include <string.h>

static uint64_t cost_of(const struct emu_counters *counters)
{
    static const enum emu_counter costs[] = {
        EMU_warp_instructions,       EMU_global_load_sectors,      EMU_global_store_sectors,
        EMU_global_atomic_sectors,   EMU_global_reduction_sectors, EMU_shared_load_wavefronts,
        EMU_shared_store_wavefronts, EMU_shared_atomic_wavefronts, EMU_local_load_sectors,
        EMU_local_store_sectors};
    uint64_t cost = 0;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        cost += counters->value[costs[i]];
    return cost;
}

static unsigned level_of(double share)
{
    static const double least[] = {0, 0.02, 0.08, 0.2, 0.4};
    unsigned level = 0;
    while (level < sizeof least / sizeof *least && share > least[level])
        level++;
    return level;
}

void report_heat(const struct report_totals *totals, const char *file, struct report_heat *heat,
                 size_t count)
{
    uint64_t all = 0;
    memset(heat, 0, count * sizeof *heat);
    for (size_t i = 0; i < totals->line_count; i++) {
        const struct report_line *line = &totals->lines[i];
        if (line->number > count || strcmp(line->file, file) != 0)
            continue;
        struct report_heat *here = &heat[line->number - 1];
        *here = (struct report_heat){.line = line, .cost = cost_of(&line->counters)};
        all += here->cost;
    }
    for (size_t i = 0; i < count && all; i++) {
        heat[i].share = (double)heat[i].cost / (double)all;
        heat[i].level = level_of(heat[i].share);
    }
}

size_t report_line_count(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n' || !text[1];
    return count;
}
