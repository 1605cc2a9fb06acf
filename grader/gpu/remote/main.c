/* lanewise-device runs the emulated GPU of one program in a separate process.
 *
 * The parent process connects this process's descriptor 3 with the program's descriptor 3 by a
 * socket, and puts the device's options into the environment (gpu/environment.h). The process ends
 * when the program ends. Its exit code is an enum server_end. The environment can also ask for a
 * twin, a second device with other input data (twin.h):
 *
 *   LANEWISE_SHOWN               path of the decoy input
 *   LANEWISE_JUDGED              path of the judged input
 *   LANEWISE_ANSWERS             path of a file, to which the twin's answers are appended
 *   LANEWISE_MISLEADS            any text: the program gets the decoy, but reads the twin's answers
 *   LANEWISE_SPOIL               seed of the random changes to the twin's data
 *   LANEWISE_SPOIL_EVERY         N: about one piece of 16 bytes in N is changed */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "gpu/environment.h"
#include "gpu/remote/server.h"
#include "gpu/remote/wire.h"

#define USAGE_ERROR 2

static uint64_t read_number(const char *name)
{
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : 0;
}

static struct twin_options read_twin(void)
{
    const char *answers = getenv("LANEWISE_ANSWERS");
    struct twin_options twin = {.shown = getenv("LANEWISE_SHOWN"),
                                .judged = getenv("LANEWISE_JUDGED"),
                                .answers_fd = -1,
                                .misleads = getenv("LANEWISE_MISLEADS"),
                                .spoil = read_number("LANEWISE_SPOIL"),
                                .every = read_number("LANEWISE_SPOIL_EVERY")};
    if (!twin.shown)
        return twin;
    if (answers)
        twin.answers_fd = open(answers, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (twin.judged && twin.answers_fd >= 0)
        return twin;
    fprintf(stderr, "lanewise-device: LANEWISE_SHOWN needs LANEWISE_JUDGED and LANEWISE_ANSWERS\n");
    _exit(USAGE_ERROR);
}

int main(void)
{
    struct emu_options options;
    emu_read_environment(&options);
    struct twin_options twin = read_twin();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0);
    return (int)server_run(WIRE_FD, &options, &twin);
}
