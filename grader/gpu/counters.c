#include "gpu/counters.h"

#include "gpu/lanes.h"

const char *emu_counter_name(enum emu_counter counter)
{
    static const char *const names[EMU_COUNTER_COUNT] = {
#define C(name, unit) #name,
#include "gpu/counters.def"
#undef C
    };
    return names[counter];
}

LANES_CLONES void emu_counters_add(struct emu_counters *restrict into,
                                   const struct emu_counters *restrict from)
{
    static const enum emu_counter of_one_warp[] = {EMU_longest_warp_instructions,
                                                   EMU_longest_warp_load_sectors};
    for (unsigned i = 0; i < sizeof of_one_warp / sizeof *of_one_warp; i++) {
        enum emu_counter longest = of_one_warp[i];
        if (into->value[longest] < from->value[longest])
            into->value[longest] = from->value[longest];
        into->value[longest] -= from->value[longest]; /* the loop below adds it */
    }
    for (int i = 0; i < EMU_COUNTER_COUNT; i++)
        into->value[i] += from->value[i];
}
