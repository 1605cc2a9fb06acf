/* The handlers of the calls in calls.def, and the state of the server that they change. */
#ifndef GPU_REMOTE_CALLS_H
#define GPU_REMOTE_CALLS_H

#include <stdbool.h>

#include "gpu/remote/arena.h"
#include "gpu/remote/steps.h"
#include "gpu/remote/tally.h"
#include "gpu/remote/twin.h"
#include "gpu/remote/wire.h"

struct server {
    int fd;
    struct emu_device *device;
    struct twin twin;
    struct arena arena;
    bool sent_file;
    unsigned notes;
    uint64_t work, most_work; /* in warp instructions; most_work is 0 if there is no limit */
    struct tally tally;
    struct steps *steps; /* NULL if the device is not timed */
    char *data;          /* the request's data, followed by a NUL */
    size_t room;
};

/* A request, which its handler overwrites with the reply. */
struct exchange {
    struct wire_head head;
    const void *data; /* the reply's data, of head.bytes bytes */
    void *owned;      /* memory to free after the reply, or NULL */
    bool with_file;   /* the reply also sends the descriptor of the shared memory file */
};

/* Performs a call. Returns false if the server must close the connection. */
typedef bool call_handler(struct server *server, struct exchange *x);

/* Which devices perform a call (calls.def). */
enum twin_use { ALONE, BOTH, BOTH_WITH_DATA };

struct call {
    call_handler *handle;
    enum twin_use twin;
    uint32_t most_bytes;
    uint64_t most[WIRE_ARGS];
};
extern const struct call call_table[WIRE_CALL_COUNT];

/* Returns the device that has observers and the record. */
struct emu_device *calls_watched(const struct server *server);

#endif
