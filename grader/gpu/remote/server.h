/* Serves one program: answers its requests until the program closes the connection, breaks the
 * protocol or has made too many requests. */
#ifndef GPU_REMOTE_SERVER_H
#define GPU_REMOTE_SERVER_H

#include "gpu/device.h"
#include "gpu/remote/twin.h"

enum server_end {
    SERVER_DONE = 0, /* the program closed the connection */
    /* The program broke the protocol. The code is neither 1 nor 2, because sanitizers and invalid
     * options end the process with these codes. */
    SERVER_BROKEN = 3,
    SERVER_TIRED, /* the program's launches and other calls took too much work */
};

/* Receives requests from FD and sends the replies to it. OPTIONS are those of emu_open(), but the
 * record also gets the findings of the program's runtime library. For a device without a twin, TWIN
 * is all zeros except answers_fd, which is -1. */
enum server_end server_run(int fd, const struct emu_options *options,
                           const struct twin_options *twin);

#endif
