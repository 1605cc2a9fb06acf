/* Defines the messages between a program and the emulated GPU, which is in a separate process.
 *
 *     program + libcudart (client.c)  --- request --->  lanewise-device (server.c) + emulator
 *                                     <--- reply ----
 *
 * A message is a head of 56 bytes, then its data. Each request gets one reply before the next
 * request is sent. Both ends are built together and run on one machine, so numbers have the
 * machine's byte order. The first call compares versions, in case the two ends are from different
 * builds. calls.def describes every call.
 *
 * The server does not trust the program: it answers any request with a status, or closes the
 * connection. The client trusts the server, because the client runs in the program's process and
 * has nothing to protect. */
#ifndef GPU_REMOTE_WIRE_H
#define GPU_REMOTE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"

#define WIRE_VERSION 12
#define WIRE_FD      3 /* descriptor of the socket in both processes */

/* If this environment variable is set, the program's descriptor WIRE_FD is connected to a
 * device. */
#define WIRE_VARIABLE "LANEWISE_DEVICE"

enum {
    WIRE_ARGS = 6,
    WIRE_NAME = 4096,       /* bytes of the name of a kernel, variable or file */
    WIRE_CHUNK = 256 << 10, /* bytes that one request writes or reads; longer copies are split */
    WIRE_NOTE = 64 << 10,   /* bytes of a line for the record */
    WIRE_PTX = 64 << 20,    /* bytes of a module */
    WIRE_PARAMS = 64 << 10, /* bytes of a launch's parameters, more than any GPU accepts */
};

enum wire_call {
#define CALL(name, ...) WIRE_CALL_##name,
#define SPECIAL         CALL
#include "gpu/remote/calls.def"
    WIRE_CALL_COUNT
};

/* Expands to one macro call for each parameter of a call in calls.def. IN(...) becomes
 * USE##IN(...), and in the same way for ROWS, NAME, OUT and NONE. */
#define WIRE_EACH(USE, ...) WIRE_EACH_OF(USE, __VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
/* A call has at most seven parameters. NONE fills the rest. */
#define WIRE_EACH_OF(USE, a, b, c, d, e, f, g, ...) USE##a USE##b USE##c USE##d USE##e USE##f USE##g

struct wire_head {
    uint32_t what;  /* enum wire_call in a request, enum emu_status in a reply */
    uint32_t bytes; /* bytes of data; the data of a failed call is its message */
    uint64_t arg[WIRE_ARGS];
};

/* Lent memory is memory that the program and the device share. It consists of pages of one memory
 * file. The server creates this file and sends it with its first reply to `lend` after each
 * `hello`. A range begins IN_PAGE bytes into its first page. HEAD and TAIL are the file offsets of
 * its first and last page if another range has already put these pages into the file, otherwise
 * WIRE_NO_PAGE. */
#define WIRE_PAGE    4096u
#define WIRE_NO_PAGE UINT64_MAX

/* Sends HEAD and its DATA. Returns false if the other side has closed the connection. */
bool wire_send(int fd, const struct wire_head *head, const void *data);
/* Receives exactly SIZE bytes. Returns false if the other side has closed the connection. */
bool wire_receive(int fd, void *data, size_t size);

#endif
