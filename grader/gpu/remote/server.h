/* Serves one program: answers its requests until it hangs up or sends something that its runtime
 * library never would. */
#ifndef GPU_REMOTE_SERVER_H
#define GPU_REMOTE_SERVER_H

#include "gpu/device.h"
#include "gpu/remote/twin.h"

enum server_end {
    SERVER_DONE = 0,   /* the program has hung up */
    SERVER_BROKEN = 3, /* it broke the protocol; 1 is a sanitizer's code, 2 a wrong option's */
};

/* Receives requests from FD and sends the replies there. OPTIONS are those of emu_open(); with
 * record_fd, findings from the program's library go there too. For a device without a twin, TWIN
 * is all zeros except for answers_fd. */
enum server_end server_run(int fd, const struct emu_options *options,
                           const struct twin_options *twin);

#endif
