/* Sets the options of a device inside the program's process. They are read before main(), and so
 * before any code of the student runs. This device ignores accesses just past an allocation,
 * because a GPU would not detect them. For a device in its own process, gpu/remote/main.c sets the
 * options. */
#include "gpu/cudart/rt.h"

#include <stdio.h>
#include <unistd.h>

#include "gpu/environment.h"

static struct emu_options options;

static void tell(const char *line)
{
    fprintf(stderr, "lanewise: %s\n", line);
}

__attribute__((constructor)) static void read_options(void)
{
    emu_read_environment(&options);
    options.ignores_strays = true;
    options.tell = isatty(STDERR_FILENO) ? tell : NULL;
}

const struct emu_options *rt_options(void)
{
    return &options;
}
