/* lanewise-device: the emulated GPU of one program, in a process of its own.
 *
 * Whoever starts it has put a socket at descriptor 3, whose other end is the program's descriptor 3,
 * and the device's options into the environment (emulator/environment.h). It ends when the program
 * does: its exit code is the enum server_end. */
#include <sys/prctl.h>

#include "emulator/environment.h"
#include "remote/server.h"
#include "remote/wire.h"

int main(void)
{
    struct emu_options options;
    emu_read_environment(&options);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0);
    return (int)server_run(WIRE_FD, &options);
}
