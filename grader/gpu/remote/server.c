/* Receives one request after another and sends a reply to each. Each call in calls.def has a
 * handler.
 *
 * The server trusts nothing in a request. It first checks the head against calls.def. Then the
 * handlers check the data, and the device checks addresses and handles. The reply to a failed call
 * is its status and message. After a request that the client could not have sent, the server closes
 * the connection.
 *
 * If there is a twin (twin.h), the server performs each call on the twin first, except the calls
 * that calls.def marks as ALONE.
 *
 * The server also counts the requests and writes the counts to the record, because the program
 * could forge counts of its own. */
#include "gpu/remote/server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "gpu/remote/calls.h"

/* A program that endlessly launches kernels or makes other calls must be stopped, like an endless
 * kernel. So a program's total work is limited to MOST_LAUNCHES times the limit of a single launch.
 * A request counts as REQUEST_WORK warp instructions, which take about the same time. */
#define MOST_LAUNCHES 4
#define REQUEST_WORK  2000

/* Returns whether the client could have sent HEAD. */
static bool is_legal(const struct wire_head *head)
{
    bool legal = head->what < WIRE_CALL_COUNT && head->bytes <= call_table[head->what].most_bytes;
    for (unsigned i = 0; i < WIRE_ARGS && legal; i++)
        legal = head->arg[i] <= call_table[head->what].most[i];
    return legal;
}

/* --- the loop --------------------------------------------------------------------------------- */

/* Makes room for SIZE bytes of data and a NUL. Shrinks a buffer that an earlier module enlarged. */
static bool make_room(struct server *server, size_t size)
{
    if (size < server->room && server->room <= 2 * WIRE_CHUNK)
        return true;
    size_t room = size < WIRE_CHUNK ? WIRE_CHUNK + 1 : size + 1;
    char *data = realloc(server->data, room);
    if (!data)
        return false;
    server->data = data;
    server->room = room;
    return true;
}

/* Receives a request's data and appends a NUL. */
static bool receive_data(struct server *server, uint32_t size)
{
    if (!make_room(server, size) || !wire_receive(server->fd, server->data, size))
        return false;
    server->data[size] = 0;
    return true;
}

/* Sends the head together with the file's descriptor. */
static bool send_file(struct server *server, const struct wire_head *head)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.head), &server->arena.file, sizeof(int));
    struct iovec part = {(void *)head, sizeof *head};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control.bytes};
    server->sent_file = sendmsg(server->fd, &message, MSG_NOSIGNAL) == sizeof *head;
    return server->sent_file;
}

static bool reply(struct server *server, struct exchange *x)
{
    if (x->head.what == EMU_PARKED) {
        struct emu_parked parked = emu_parked(server->device);
        const uint64_t arg[] = {parked.launch, parked.sees_lent, parked.has_changed,
                                parked.is_still};
        memcpy(x->head.arg, arg, sizeof arg);
    }
    if (x->head.what != EMU_OK) {
        x->data = emu_message(server->device);
        x->head.bytes = (uint32_t)strlen(x->data);
    } else if (!x->data) {
        x->head.bytes = 0;
    }
    bool sent =
        x->with_file ? send_file(server, &x->head) : wire_send(server->fd, &x->head, x->data);
    free(x->owned);
    return sent;
}

/* --- the twin --------------------------------------------------------------------------------- */

/* Performs the call on the twin, with the twin's data. */
static bool perform_on_twin(struct server *server, struct exchange *x)
{
    struct emu_device *device = server->device;
    char *data = server->data, *own = NULL;
    if (call_table[x->head.what].twin == BOTH_WITH_DATA &&
        (own = malloc((size_t)x->head.bytes + 1))) {
        memcpy(own, data, x->head.bytes);
        twin_change(&server->twin, (uint8_t *)own, x->head.bytes);
        if (x->head.what == WIRE_CALL_write)
            twin_change_shared(&server->twin, x->head.arg[2], (const uint8_t *)data, (uint8_t *)own,
                               x->head.bytes);
        server->data = own;
    }
    server->device = server->twin.device;
    bool good = call_table[x->head.what].handle(server, x);
    server->device = device;
    server->data = data;
    free(own);
    return good;
}

/* Adds to the record which bytes the program has read. If the twin has performed the read, too,
 * also records the twin's bytes at the same address. */
static void note_read(struct server *server, const struct exchange *request,
                      const struct exchange *twin, const struct exchange *x)
{
    const uint64_t *arg = request->head.arg;
    bool rows = request->head.what == WIRE_CALL_read_rows;
    uint64_t width = rows ? arg[1] : x->head.bytes, count = rows ? arg[2] : width > 0;
    const uint8_t *seen = x->data, *own = twin ? twin->data : NULL;
    for (uint64_t i = 0; i < count; i++) {
        emu_addr from = arg[0] + i * (rows ? arg[3] : 0);
        if (own)
            twin_note_read(&server->twin, server->device, from, seen + i * width, own + i * width,
                           width);
        else
            emu_note_read(server->device, from, seen + i * width, width, false);
    }
}

/* Returns whether the two devices' states have diverged: the twin succeeded, but the device failed
 * or replied with another handle or address. After that, the same request can have different
 * effects on the two devices. */
static bool has_strayed(const struct exchange *x, const struct exchange *twin)
{
    return twin->head.what == EMU_OK &&
           (x->head.what != EMU_OK || x->head.arg[0] != twin->head.arg[0]);
}

/* Performs a call. Performs it on the twin first, unless calls.def marks the call as ALONE. If the
 * call fails on a judged twin, the program gets the twin's error. */
static bool perform(struct server *server, struct exchange *x)
{
    struct exchange request = *x, twin = *x;
    bool both = server->twin.device && call_table[x->head.what].twin != ALONE;
    bool reads = x->head.what == WIRE_CALL_read || x->head.what == WIRE_CALL_read_rows;
    if (both)
        twin_follow(&server->twin);
    bool good = (!both || perform_on_twin(server, &twin)) &&
                call_table[request.head.what].handle(server, x);
    if (request.head.what == WIRE_CALL_launch)
        twin_note_launch(&server->twin);
    if (both)
        twin_settle(&server->twin);
    server->twin.has_strayed |= good && both && has_strayed(x, &twin);
    if (good && both && server->twin.is_judged && twin.head.what != EMU_OK)
        x->head.what = twin.head.what;
    else if (good && reads && x->head.what == EMU_OK)
        note_read(server, &request, both ? &twin : NULL, x);
    if (reads && both && server->twin.misleads && x->head.what == EMU_OK) {
        void *own = twin.owned;
        twin.owned = x->owned;
        x->data = x->owned = own;
    }
    free(twin.owned);
    return good;
}

/* --- serving ---------------------------------------------------------------------------------- */

static enum server_end serve(struct server *server)
{
    struct exchange x = {0};
    while (wire_receive(server->fd, &x.head, sizeof x.head)) {
        if (!is_legal(&x.head) || !receive_data(server, x.head.bytes))
            return SERVER_BROKEN;
        const struct wire_head request = x.head;
        server->work += REQUEST_WORK;
        if (server->most_work && server->work > server->most_work)
            return SERVER_TIRED;
        tally_add(&server->tally, &request);
        if (!perform(server, &x)) {
            free(x.owned);
            return SERVER_BROKEN;
        }
        if (x.head.what == EMU_OK) {
            tally_add_sectors(&server->tally, &request);
            if (server->steps)
                steps_note(server->steps, &request, x.head.arg[0]);
        }
        if (!reply(server, &x))
            return SERVER_DONE;
        x = (struct exchange){0};
    }
    /* the program may close the connection between two requests, but not in the middle of one */
    return x.head.bytes || x.head.what ? SERVER_BROKEN : SERVER_DONE;
}

enum server_end server_run(int fd, const struct emu_options *options,
                           const struct twin_options *twin)
{
    struct server server = {.fd = fd, .most_work = MOST_LAUNCHES * options->max_warp_instructions};
    if (!twin_open(&server.twin, twin, options, &server.device))
        return SERVER_DONE;
    arena_open(&server.arena, options->memory_bytes); /* at most this many bytes can be shared */
    if (emu_is_timed(calls_watched(&server)))
        server.steps = steps_open(calls_watched(&server), &server.arena);
    enum server_end end = serve(&server);
    tally_record(&server.tally, calls_watched(&server));
    steps_close(server.steps);
    twin_close(&server.twin);
    emu_close(server.device); /* before the arena, because the device uses its pages */
    arena_close(&server.arena);
    free(server.data);
    return end;
}
