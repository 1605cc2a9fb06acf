#include "emulator/counters.h"

const char *emu_counter_name(enum emu_counter counter)
{
    static const char *const names[EMU_COUNTER_COUNT] = {
#define C(name, unit) #name,
#include "emulator/counters.def"
#undef C
    };
    return names[counter];
}

void emu_counters_add(struct emu_counters *into, const struct emu_counters *from)
{
    uint64_t longest = into->value[EMU_longest_warp_instructions];
    for (int i = 0; i < EMU_COUNTER_COUNT; i++)
        into->value[i] += from->value[i];
    if (longest < from->value[EMU_longest_warp_instructions])
        longest = from->value[EMU_longest_warp_instructions];
    into->value[EMU_longest_warp_instructions] = longest;
}
