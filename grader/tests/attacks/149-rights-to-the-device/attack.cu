// Sends descriptors to the device with each request, more than the device may have open.
#include "tests/attacks/speak.h"

ATTACK(149)
{
    enum { COUNT = 200 };
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(COUNT * sizeof(int))];
    } rights = {};
    rights.head.cmsg_len = CMSG_LEN(COUNT * sizeof(int));
    rights.head.cmsg_level = SOL_SOCKET;
    rights.head.cmsg_type = SCM_RIGHTS;
    for (int i = 0; i < COUNT; ++i)
        ((int *)CMSG_DATA(&rights.head))[i] = WIRE_FD;
    for (int i = 0; i < 20; ++i) {
        struct wire_head head = {WIRE_CALL_memory, 0, {}};
        struct iovec part = {&head, sizeof head};
        struct msghdr message = {};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = &rights;
        message.msg_controllen = sizeof rights.bytes;
        HELD_BACK(sendmsg(WIRE_FD, &message, MSG_NOSIGNAL) == sizeof head);
        HELD_BACK(recv(WIRE_FD, &head, sizeof head, MSG_WAITALL) == sizeof head && head.what == 0);
    }
    return honest(stage);
}
