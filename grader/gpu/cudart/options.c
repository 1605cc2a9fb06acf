/* The options of a device inside the program's process. They are read before main(), when no code
 * of the student has run yet. Such a device ignores stray accesses that a GPU would not notice. A
 * device in its own process has other options. */
#include "gpu/cudart/rt.h"

#include "gpu/environment.h"

static struct emu_options options;

__attribute__((constructor)) static void read_options(void)
{
    emu_read_environment(&options);
    options.ignores_strays = true;
}

const struct emu_options *rt_options(void)
{
    return &options;
}
