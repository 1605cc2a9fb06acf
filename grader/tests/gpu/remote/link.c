#include "tests/gpu/remote/link.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu/tools.h"

static void *serve(void *data)
{
    struct link *link = data;
    struct emu_options options = {.deterministic = true, .memory_bytes = 64 << 20};
    if (link->twin.spoil)
        options.tools = EMU_ORIGINS;
    options.record_fd = link->record;
    link->end = server_run(link->server_fd, &options, &link->twin);
    close(link->server_fd);
    return NULL;
}

void open_twins(struct link *link, uint64_t spoil)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    *link = (struct link){.fd = ends[0], .server_fd = ends[1], .file = -1};
    link->record = memfd_create("record", 0);
    link->twin.spoil = spoil;
    cr_assert_eq(pthread_create(&link->thread, NULL, serve, link), 0);
}

void open_link(struct link *link)
{
    open_twins(link, 0);
}

char link_record[4096];

enum server_end close_link(struct link *link)
{
    shutdown(link->fd, SHUT_WR);
    pthread_join(link->thread, NULL);
    ssize_t size = pread(link->record, link_record, sizeof link_record - 1, 0);
    link_record[size > 0 ? size : 0] = '\0';
    close(link->fd);
    close(link->record);
    if (link->file >= 0)
        close(link->file);
    return link->end;
}

/* Receives the head of a reply, and the file that may come with it. */
static bool receive_head(struct link *link, struct wire_head *head)
{
    char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
    struct iovec part = {head, sizeof *head};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(link->fd, &message, MSG_WAITALL) != sizeof *head)
        return false;
    struct cmsghdr *extra = CMSG_FIRSTHDR(&message);
    if (extra)
        memcpy(&link->file, CMSG_DATA(extra), sizeof(int));
    return true;
}

char reply_data[WIRE_CHUNK + 1];

bool ask(struct link *link, enum wire_call call, struct wire_head *head, const void *data)
{
    head->what = call;
    memset(reply_data, 0, 512);
    return wire_send(link->fd, head, data) && receive_head(link, head) &&
           head->bytes <= WIRE_CHUNK && wire_receive(link->fd, reply_data, head->bytes);
}

emu_addr link_alloc(struct link *link, uint64_t size)
{
    struct wire_head head = HEAD(0, size);
    cr_assert(ask(link, WIRE_CALL_alloc, &head, NULL) && head.what == EMU_OK);
    return head.arg[0];
}

void read_back(struct link *link, emu_addr from, uint64_t size)
{
    struct wire_head head = HEAD(0, from, size);
    cr_assert(ask(link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK && head.bytes == size);
}
