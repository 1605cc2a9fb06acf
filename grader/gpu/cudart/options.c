/* The options of a device inside the program's process. They are read before main(), before any
 * code of the student runs. This device ignores accesses just past an allocation, because a GPU
 * would not notice them. A device in its own process gets its options elsewhere
 * (gpu/remote/main.c). */
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
