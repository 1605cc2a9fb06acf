/* Sends and receives whole messages over a stream socket, which may split them. */
#include "gpu/remote/wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

bool wire_send(int fd, const struct wire_head *head, const void *data)
{
    struct iovec parts[2] = {{(void *)head, sizeof *head}, {(void *)data, head->bytes}};
    struct iovec *part = parts, *end = parts + 2;
    while (part < end) {
        struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)(end - part)};
        /* the flag prevents SIGPIPE in the program */
        ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        for (; part < end && sent >= (ssize_t)part->iov_len; part++)
            sent -= (ssize_t)part->iov_len;
        if (part < end && sent > 0) {
            part->iov_base = (char *)part->iov_base + sent;
            part->iov_len -= (size_t)sent;
        }
    }
    return true;
}

bool wire_receive(int fd, void *data, size_t size)
{
    for (char *to = data, *end = to + size; to < end;) {
        ssize_t got = read(fd, to, (size_t)(end - to));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        to += got > 0 ? got : 0;
    }
    return true;
}
