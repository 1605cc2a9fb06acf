/* Functions for attacks that bypass the runtime library and send requests to the device
 * themselves. */
#ifndef TESTS_ATTACKS_SPEAK_H
#define TESTS_ATTACKS_SPEAK_H

#include "gpu/remote/wire.h"
#include "tests/attacks/stage.h"

// Sends a request with DATA after its head, and receives the head of the reply. Discards the
// reply's data.
static inline struct wire_head speak(enum wire_call call, std::initializer_list<uint64_t> args,
                                     const void *data = NULL, uint32_t bytes = 0)
{
    struct wire_head head = {(uint32_t)call, bytes, {}};
    int i = 0;
    for (uint64_t arg : args)
        head.arg[i++] = arg;
    keep(send(WIRE_FD, &head, sizeof head, MSG_NOSIGNAL));
    for (uint32_t done = 0; done < bytes;) {
        ssize_t sent = send(WIRE_FD, (const char *)data + done, bytes - done, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        done += (uint32_t)sent;
    }
    head = {};
    keep(recv(WIRE_FD, &head, sizeof head, MSG_WAITALL));
    for (uint32_t left = head.bytes; left > 0;) {
        char thrown[4096];
        ssize_t got = recv(WIRE_FD, thrown, left < sizeof thrown ? left : sizeof thrown, 0);
        if (got <= 0)
            break;
        left -= (uint32_t)got;
    }
    return head;
}

#endif
