/* The options are read before main, when nothing of the student's has run yet. */
#include "cudart/rt.h"

#include "emulator/environment.h"

static struct emu_options options;

__attribute__((constructor)) static void read_options(void)
{
    emu_read_environment(&options);
}

const struct emu_options *rt_options(void)
{
    return &options;
}
