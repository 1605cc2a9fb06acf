#include "gpu/observe/view.h"
#include "gpu/tools.h"

static const struct {
    unsigned tool;
    const struct observer *observer;
} table[] = {
#define T(tool, name, code, bits) {EMU_##tool, &obs_##code},
#include "gpu/tools.def"
#undef T
};

/* Returns the tools that a launch with OPTIONS needs, as bits of enum emu_tool. COUNTED requests
 * the counters. */
static unsigned find_tools(const struct emu_options *options, bool counted)
{
    const unsigned counters = EMU_COUNTERS & ~EMU_ONLY;
    unsigned tools = options->tools;
    if (!(tools & EMU_ONLY))
        tools |= EMU_MEMCHECK | EMU_SYNCCHECK | (counted ? EMU_COUNTERS : 0);
    if (tools & counters && options->rules != EMU_SECTOR)
        tools ^= counters | EMU_OLD_COUNTERS;
    if (options->steps) /* only one observer of a launch can have a `follows` function */
        return (tools & ~(unsigned)EMU_WAITS) | EMU_STEPS;
    bool predicts = options->chip && !(tools & EMU_WAITS);
    return tools | (options->trace ? EMU_TRACE : 0) | (predicts ? EMU_PREDICT : 0);
}

_Static_assert(sizeof table / sizeof *table <= OBS_MAX, "raise OBS_MAX for a new observer");

unsigned observers_choose(const struct emu_options *options, bool counted,
                          const struct observer *chosen[OBS_MAX])
{
    unsigned count = 0, tools = find_tools(options, counted);
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if ((tools & table[i].tool) == table[i].tool)
            chosen[count++] = table[i].observer;
    return count;
}
