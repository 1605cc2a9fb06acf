/* Serves one program: answers its requests, until it hangs up or sends what its runtime library
 * never would. */
#ifndef GPU_REMOTE_SERVER_H
#define GPU_REMOTE_SERVER_H

#include "gpu/device.h"
#include "gpu/remote/twin.h"

enum server_end {
    SERVER_DONE = 0,   /* the program has hung up */
    SERVER_BROKEN = 3, /* it broke the protocol. 1 is what sanitizers end with, 2 a wrong option */
};

/* Requests come from FD, replies go there. OPTIONS as for emu_open(); with record_fd, findings that
 * the program's library reports are written there, too. TWIN: all zeros, but for answers_fd, for a
 * device alone. */
enum server_end server_run(int fd, const struct emu_options *options,
                           const struct twin_options *twin);

#endif
