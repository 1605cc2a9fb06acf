/* The emulated GPU in a process of its own: what goes over the socket between it and the program.
 *
 *     program + libcudart (client.c)  --- request --->  lanewise-device (server.c) + emulator
 *                                     <--- reply ----
 *
 * Both directions carry one shape: a head of 56 bytes, then at most as many bytes of data as the
 * call allows. One request, one reply, strictly in turn. The two ends are built together and run on
 * one machine, so numbers have its byte order; a version is compared first all the same.
 *
 * The program is not trusted: whatever it sends, the server answers with a status or hangs up. The
 * server is trusted by the client, which lives in the program's process and protects nothing. */
#ifndef GPU_REMOTE_WIRE_H
#define GPU_REMOTE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"

#define WIRE_VERSION 4
#define WIRE_FD      3 /* the program's and the server's end of the socket, as they are started */

/* The environment variable that tells the program that its descriptor WIRE_FD leads to a device. */
#define WIRE_VARIABLE "LANEWISE_DEVICE"

enum {
    WIRE_ARGS = 6,
    WIRE_NAME = 4096, /* bytes of a kernel's or variable's name */
    WIRE_CHUNK =
        256 << 10, /* bytes of one write or read: longer ones go in several; of rows, whole ones */
    WIRE_NOTE = 64 << 10, /* bytes of a line for the record */
    WIRE_PTX = 64 << 20,  /* bytes of a module */
};

/* Requests, with the most bytes that may follow each. */
#define WIRE_CALLS(CALL)                                                                           \
    CALL(hello, 0)                                                                                 \
    CALL(alloc, 0)                                                                                 \
    CALL(free, 0)                                                                                  \
    CALL(find, 0)                                                                                  \
    CALL(set_place, WIRE_NAME)                                                                     \
    CALL(lend, 0)                                                                                  \
    CALL(write, WIRE_CHUNK)                                                                        \
    CALL(read, 0)                                                                                  \
    CALL(copy, 0)                                                                                  \
    CALL(set, 0)                                                                                   \
    CALL(set_limit, 0)                                                                             \
    CALL(get_limit, 0)                                                                             \
    CALL(memory, 0)                                                                                \
    CALL(texture_open, sizeof(struct wire_texture))                                                \
    CALL(texture_close, 0)                                                                         \
    CALL(load, WIRE_PTX)                                                                           \
    CALL(unload, 0)                                                                                \
    CALL(symbol, WIRE_NAME)                                                                        \
    CALL(kernel, WIRE_NAME)                                                                        \
    CALL(kernel_info, 0)                                                                           \
    CALL(launch, sizeof(struct wire_launch) + WIRE_PARAMS)                                         \
    CALL(go_on, 0)                                                                                 \
    CALL(abandon, 0)                                                                               \
    CALL(output, 0)                                                                                \
    CALL(note, WIRE_NOTE)                                                                          \
    CALL(write_rows, WIRE_CHUNK)                                                                   \
    CALL(read_rows, 0)                                                                             \
    CALL(copy_rows, 0)                                                                             \
    CALL(set_rows, 0)                                                                              \
    CALL(alloc_rows, 0)

#define WIRE_PARAMS 65536u /* bytes of a launch's parameters: more than any GPU takes */

enum wire_call {
#define CALL(name, most) WIRE_CALL_##name,
    WIRE_CALLS(CALL)
#undef CALL
        WIRE_CALL_COUNT
};

struct wire_head {
    uint32_t what;  /* a request's enum wire_call, a reply's enum emu_status */
    uint32_t bytes; /* that follow: data, or why a call has failed */
    uint64_t arg[WIRE_ARGS];
};

/* struct emu_texture in numbers only: any bytes are a legal value of it. */
struct wire_texture {
    uint64_t addr, pitch, slice;
    uint32_t width, height, depth;
    uint32_t border[4];
    uint8_t channels, bits, kind, address[3];
    uint8_t layered, is_surface, linear, normalized_coords, normalized_float;
    uint8_t zero[5];
};

struct wire_launch {
    uint32_t kernel, grid[3], block[3], cluster[3], dynamic_shared_bytes, cooperative, alone,
        may_park;
};

/* Memory that the program lends is shared: pages of one file in memory, which the server makes and
 * hands over with its first reply to `lend`. A range begins IN_PAGE bytes into its first page. Where a
 * neighbour's pages end or begin in the same page, that page has its place in the file already. */
#define WIRE_PAGE    4096u
#define WIRE_NO_PAGE UINT64_MAX

/* Sends HEAD and the BYTES of DATA that it announces. False: the other side is gone. */
bool wire_send(int fd, const struct wire_head *head, const void *data);
/* Receives exactly SIZE bytes. False: the other side is gone, or too little came. */
bool wire_receive(int fd, void *data, size_t size);

#endif
