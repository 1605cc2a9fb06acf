#include "gpu/counters.h"

#include <stdbool.h>

const char *emu_counter_name(enum emu_counter counter)
{
    static const char *const names[EMU_COUNTER_COUNT] = {
#define C(name, unit) #name,
#include "gpu/counters.def"
#undef C
    };
    return names[counter];
}

void emu_counters_add(struct emu_counters *into, const struct emu_counters *from)
{
    for (int i = 0; i < EMU_COUNTER_COUNT; i++) {
        bool of_one_warp = i == EMU_longest_warp_instructions || i == EMU_longest_warp_load_sectors;
        if (!of_one_warp)
            into->value[i] += from->value[i];
        else if (into->value[i] < from->value[i])
            into->value[i] = from->value[i];
    }
}
