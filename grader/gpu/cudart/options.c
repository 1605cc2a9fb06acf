/* The options are read before main, when nothing of the student's has run yet. A program that is only run goes
 * on where it would on a GPU; a device in a process of its own has options of its own. */
#include "gpu/cudart/rt.h"

#include "gpu/environment.h"

static struct emu_options options;

__attribute__((constructor)) static void read_options(void)
{
    emu_read_environment(&options);
    options.overlooks_strays = true;
}

const struct emu_options *rt_options(void)
{
    return &options;
}
