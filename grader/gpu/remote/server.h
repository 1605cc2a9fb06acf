/* Serves one program: performs its requests until the program closes the connection, violates the
 * protocol or exceeds the limit on its work. */
#ifndef GPU_REMOTE_SERVER_H
#define GPU_REMOTE_SERVER_H

#include "gpu/device.h"
#include "gpu/remote/twin.h"

enum server_end {
    SERVER_DONE = 0, /* the program closed the connection */
    /* The program violated the protocol. The code is neither 1 nor 2, because sanitizers and
     * invalid options end the process with these codes. */
    SERVER_BROKEN = 3,
    SERVER_TIRED, /* the program's launches and other calls exceeded the limit on its work */
};

/* Receives requests from FD and sends the replies to it. OPTIONS are passed to emu_open(); the
 * record also gets the findings of the program's runtime library. To have no twin, set all fields
 * of TWIN to 0 except answers_fd, which must be -1. */
enum server_end server_run(int fd, const struct emu_options *options,
                           const struct twin_options *twin);

#endif
