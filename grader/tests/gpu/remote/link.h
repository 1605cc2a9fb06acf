/* Runs a server in a thread. The test plays the role of the program: it sends requests and reads
 * the replies. */
#ifndef TESTS_GPU_REMOTE_LINK_H
#define TESTS_GPU_REMOTE_LINK_H

#include <pthread.h>
#include <stdbool.h>

#include "gpu/remote/server.h"
#include "gpu/remote/wire.h"

struct link {
    int fd, server_fd, file, record;
    pthread_t thread;
    enum server_end end;
    struct twin_options twin;
};

/* Opens a connection to a server. If SPOIL is not 0, the device has a twin with spoilt data. */
void open_twins(struct link *link, uint64_t spoil);
void open_link(struct link *link);
/* Closes the connection and returns how the server ended. */
enum server_end close_link(struct link *link);

extern char link_record[4096];          /* record of the last closed connection */
extern char reply_data[WIRE_CHUNK + 1]; /* data of the last reply */

/* Sends a request and receives its reply. Returns false if the server has closed the connection. */
bool ask(struct link *link, enum wire_call call, struct wire_head *head, const void *data);
emu_addr link_alloc(struct link *link, uint64_t size);
void read_back(struct link *link, emu_addr from, uint64_t size);

#define FOUR(byte)      ((byte)*0x01010101u) /* a pattern of four bytes BYTE */
#define HEAD(size, ...) ((struct wire_head){.bytes = (size), .arg = {__VA_ARGS__}})

#endif
