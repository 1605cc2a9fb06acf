/* One request after the other, each handled by the function of its name.
 *
 * Nothing in a request is believed: sizes are compared with the call's limit before anything is read,
 * numbers are turned into enums and bools here, and addresses and handles are checked by the device.
 * A call that fails is answered; a request that the client could not have sent ends the service.
 *
 * Where there is a twin (twin.h), a call that changes anything is performed on it first.
 *
 * Requests are counted, and the record tells how many there were: it need not take the program's word for it. */
#include "gpu/remote/server.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "gpu/remote/arena.h"
#include "gpu/remote/twin.h"
#include "gpu/remote/wire.h"

#define MOST_NOTES 1000 /* lines that a program's library may add to the record */

/* A part of a copy that is too long for one message. LEFT, in bytes or in rows, counts from this part on. */
struct part {
    uint64_t what, at, left;
};

struct server {
    int fd;
    struct emu_device *device;
    struct twin twin;
    struct arena arena;
    bool sent_file;
    unsigned notes;
    uint64_t requests[WIRE_CALL_COUNT], rows[WIRE_CALL_COUNT];
    struct part next; /* what would go on with the last request; left 0: nothing */
    char *data;       /* what came with the request, and a NUL */
    size_t room;
};

/* The device that is watched and has the record. */
static struct emu_device *watched(const struct server *server)
{
    return server->twin.is_judged ? server->twin.device : server->device;
}

/* A request becomes its reply: what = status, arg, and data with head.bytes of them. */
struct exchange {
    struct wire_head head;
    const void *data;
    void *owned;    /* to be freed when the reply is sent */
    bool with_file; /* the file of shared memory goes with it */
};

static const uint32_t most_bytes[WIRE_CALL_COUNT] = {
#define CALL(name, most) [WIRE_CALL_##name] = (most),
    WIRE_CALLS(CALL)
#undef CALL
};

/* --- calls: false ends the service ------------------------------------------------------------------ */

static bool call_hello(struct server *server, struct exchange *x)
{
    bool same = x->head.arg[0] == WIRE_VERSION;
    x->head.arg[0] = emu_has_record(watched(server));
    x->head.what = EMU_OK;
    return same;
}

static bool call_alloc(struct server *server, struct exchange *x)
{
    x->head.what = emu_alloc(server->device, x->head.arg[0], &x->head.arg[0]);
    return true;
}

static bool call_alloc_rows(struct server *server, struct exchange *x)
{
    x->head.what = emu_alloc_rows(server->device, x->head.arg[0], x->head.arg[1], &x->head.arg[0],
                                  &x->head.arg[1]);
    return true;
}

static bool call_free(struct server *server, struct exchange *x)
{
    x->head.what = emu_free(server->device, x->head.arg[0]);
    if (x->head.what == EMU_OK && server->twin.device)
        twin_free(&server->twin, x->head.arg[0]);
    if (x->head.what == EMU_OK)
        arena_remove(&server->arena, x->head.arg[0]);
    return true;
}

static bool call_find(struct server *server, struct exchange *x)
{
    x->head.what = emu_find(server->device, x->head.arg[0], &x->head.arg[0], &x->head.arg[1]);
    return true;
}

static bool call_set_place(struct server *server, struct exchange *x)
{
    struct emu_place place = {server->data, (uint32_t)x->head.arg[1]};
    emu_set_place(watched(server), x->head.arg[0], place);
    x->head.what = EMU_OK;
    x->head.bytes = 0;
    return true;
}

static bool call_lend(struct server *server, struct exchange *x)
{
    uint64_t addr = x->head.arg[0], size = x->head.arg[1];
    bool was_there = emu_find(server->device, addr, NULL, NULL) == EMU_OK;
    uint8_t *host = arena_add(&server->arena, addr, size, x->head.arg[2], x->head.arg[3],
                              x->head.arg[4], &x->head.arg[0]);
    x->head.what = host ? emu_lend(server->device, addr, host, size) : EMU_OUT_OF_MEMORY;
    if (x->head.what == EMU_OK && server->twin.device &&
        !twin_lend(&server->twin, addr, host, size)) {
        emu_free(server->device, addr);
        x->head.what = EMU_OUT_OF_MEMORY;
    }
    if (host && x->head.what != EMU_OK)
        arena_remove(&server->arena, addr);
    x->head.arg[1] = was_there;
    x->with_file = x->head.what == EMU_OK && !server->sent_file;
    return true;
}

/* Whether SIZE bytes at ADDR are memory: a copy in parts fails before its first part changes anything. */
static enum emu_status check_range(struct server *server, uint64_t addr, uint64_t size)
{
    emu_addr base;
    uint64_t bytes;
    if (emu_find(server->device, addr, &base, &bytes) == EMU_OK && size <= bytes - (addr - base))
        return EMU_OK;
    return emu_copy(server->device, addr, addr, size); /* which says why */
}

static bool call_write(struct server *server, struct exchange *x)
{
    uint64_t to = x->head.arg[0], left = x->head.arg[1];
    x->head.what = left > x->head.bytes ? check_range(server, to, left) : EMU_OK;
    if (x->head.what == EMU_OK)
        x->head.what = emu_write(server->device, to, server->data, x->head.bytes);
    x->head.bytes = 0;
    return true;
}

static bool call_read(struct server *server, struct exchange *x)
{
    uint64_t from = x->head.arg[0], left = x->head.arg[1];
    uint64_t size = left < WIRE_CHUNK ? left : WIRE_CHUNK;
    x->owned = malloc(size + 1);
    x->head.what = !x->owned     ? EMU_OUT_OF_MEMORY
                   : left > size ? check_range(server, from, left)
                                 : EMU_OK;
    if (x->head.what == EMU_OK)
        x->head.what = emu_read(server->device, x->owned, from, size);
    x->data = x->owned;
    x->head.bytes = (uint32_t)size;
    return true;
}

static bool call_copy(struct server *server, struct exchange *x)
{
    x->head.what = emu_copy(server->device, x->head.arg[0], x->head.arg[1], x->head.arg[2]);
    return true;
}

/* Rows on the wire lie end to end; more of them than go into a chunk come in several calls. */
static bool rows_fit(const struct emu_rows *rows)
{
    return rows->width > 0 && rows->count > 0 && rows->width <= WIRE_CHUNK &&
           rows->count <= WIRE_CHUNK / rows->width;
}

static bool call_write_rows(struct server *server, struct exchange *x)
{
    const struct emu_rows rows = {.width = x->head.arg[1],
                                  .count = x->head.arg[2],
                                  .to_pitch = x->head.arg[3],
                                  .from_pitch = x->head.arg[1]};
    if (!rows_fit(&rows) || x->head.bytes != rows.width * rows.count)
        return false;
    x->head.what = emu_write_rows(server->device, x->head.arg[0], server->data, &rows);
    x->head.bytes = 0;
    return true;
}

static bool call_read_rows(struct server *server, struct exchange *x)
{
    const struct emu_rows rows = {.width = x->head.arg[1],
                                  .count = x->head.arg[2],
                                  .to_pitch = x->head.arg[1],
                                  .from_pitch = x->head.arg[3]};
    if (!rows_fit(&rows))
        return false;
    x->owned = malloc(rows.width * rows.count);
    x->head.what = x->owned ? emu_read_rows(server->device, x->owned, x->head.arg[0], &rows)
                            : EMU_OUT_OF_MEMORY;
    x->data = x->owned;
    x->head.bytes = (uint32_t)(rows.width * rows.count);
    return true;
}

static bool call_copy_rows(struct server *server, struct exchange *x)
{
    const struct emu_rows rows = {.width = x->head.arg[2],
                                  .count = x->head.arg[3],
                                  .to_pitch = x->head.arg[4],
                                  .from_pitch = x->head.arg[5]};
    x->head.what = emu_copy_rows(server->device, x->head.arg[0], x->head.arg[1], &rows);
    return true;
}

static bool call_set(struct server *server, struct exchange *x)
{
    x->head.what = emu_set(server->device, x->head.arg[0], (uint8_t)x->head.arg[1], x->head.arg[2]);
    return true;
}

static bool call_set_rows(struct server *server, struct exchange *x)
{
    const struct emu_rows rows = {
        .width = x->head.arg[2], .count = x->head.arg[3], .to_pitch = x->head.arg[4]};
    x->head.what = emu_set_rows(server->device, x->head.arg[0], (uint8_t)x->head.arg[1], &rows);
    return true;
}

static bool call_set_limit(struct server *server, struct exchange *x)
{
    if (x->head.arg[0] >= EMU_LIMITS)
        return false;
    x->head.what = emu_set_limit(server->device, (enum emu_limit)x->head.arg[0], x->head.arg[1]);
    return true;
}

static bool call_get_limit(struct server *server, struct exchange *x)
{
    if (x->head.arg[0] >= EMU_LIMITS)
        return false;
    x->head.arg[0] = emu_get_limit(server->device, (enum emu_limit)x->head.arg[0]);
    x->head.what = EMU_OK;
    return true;
}

static bool call_memory(struct server *server, struct exchange *x)
{
    emu_memory(server->device, &x->head.arg[0], &x->head.arg[1]);
    x->head.what = EMU_OK;
    return true;
}

static bool call_texture_open(struct server *server, struct exchange *x)
{
    struct wire_texture sent;
    if (x->head.bytes != sizeof sent)
        return false;
    memcpy(&sent, server->data, sizeof sent);
    struct emu_texture texture = {
        .addr = sent.addr,
        .pitch = sent.pitch,
        .slice = sent.slice,
        .width = sent.width,
        .height = sent.height,
        .depth = sent.depth,
        .channels = sent.channels,
        .bits = sent.bits,
        .kind = sent.kind,
        .layered = sent.layered,
        .is_surface = sent.is_surface,
        .linear = sent.linear,
        .normalized_coords = sent.normalized_coords,
        .normalized_float = sent.normalized_float,
    };
    memcpy(texture.address, sent.address, sizeof texture.address);
    memcpy(texture.border, sent.border, sizeof texture.border);
    for (int i = 0; i < 3; i++)
        if (texture.address[i] > EMU_BORDER)
            return false;
    if (!texture.kind || !strchr("usf", texture.kind))
        return false;
    x->head.bytes = 0;
    x->head.what = emu_texture_open(server->device, &texture, &x->head.arg[0]);
    return true;
}

static bool call_texture_close(struct server *server, struct exchange *x)
{
    x->head.what = emu_texture_close(server->device, x->head.arg[0]);
    return true;
}

static bool call_load(struct server *server, struct exchange *x)
{
    uint32_t module = 0;
    x->head.what = emu_load(server->device, server->data, x->head.bytes, &module);
    x->head.arg[0] = module;
    x->head.bytes = 0;
    return true;
}

static bool call_unload(struct server *server, struct exchange *x)
{
    if (x->head.arg[0] > UINT32_MAX)
        return false;
    x->head.what = emu_unload(server->device, (uint32_t)x->head.arg[0]);
    return true;
}

static bool call_symbol(struct server *server, struct exchange *x)
{
    if (x->head.arg[0] > UINT32_MAX)
        return false;
    x->head.what = emu_symbol(server->device, (uint32_t)x->head.arg[0], server->data,
                              &x->head.arg[0], &x->head.arg[1]);
    x->head.bytes = 0;
    return true;
}

static bool call_kernel(struct server *server, struct exchange *x)
{
    uint32_t kernel = 0;
    if (x->head.arg[0] > UINT32_MAX)
        return false;
    x->head.what = emu_kernel(server->device, (uint32_t)x->head.arg[0], server->data, &kernel);
    x->head.arg[0] = kernel;
    x->head.bytes = 0;
    return true;
}

/* The parameters' places, then the rest. */
static bool call_kernel_info(struct server *server, struct exchange *x)
{
    struct emu_kernel_info info;
    if (x->head.arg[0] > UINT32_MAX)
        return false;
    x->head.what = emu_kernel_info(server->device, (uint32_t)x->head.arg[0], &info);
    if (x->head.what != EMU_OK)
        return true;
    size_t size = info.param_count * sizeof *info.params;
    char *data = x->owned = malloc(size + sizeof info);
    if (!data)
        return false;
    if (size)
        memcpy(data, info.params, size);
    info.params = NULL; /* it would tell where our memory lies */
    memcpy(data + size, &info, sizeof info);
    x->data = data;
    x->head.bytes = (uint32_t)(size + sizeof info);
    return true;
}

static void tell_parked(const struct server *server, struct exchange *x)
{
    struct emu_parked parked = emu_parked(server->device);
    if (x->head.what != EMU_PARKED)
        return;
    x->head.arg[0] = parked.launch;
    x->head.arg[1] = parked.sees_lent;
    x->head.arg[2] = parked.has_changed;
    x->head.arg[3] = parked.is_still;
}

static bool call_launch(struct server *server, struct exchange *x)
{
    struct wire_launch sent;
    if (x->head.bytes < sizeof sent)
        return false;
    memcpy(&sent, server->data, sizeof sent);
    struct emu_launch launch = {
        .kernel = sent.kernel,
        .dynamic_shared_bytes = sent.dynamic_shared_bytes,
        .params = server->data + sizeof sent,
        .param_bytes = x->head.bytes - (uint32_t)sizeof sent,
        .cooperative = sent.cooperative,
        .alone = sent.alone,
        .may_park = sent.may_park && !server->twin.device, /* two devices would not park alike */
    };
    memcpy(launch.grid, sent.grid, sizeof launch.grid);
    memcpy(launch.block, sent.block, sizeof launch.block);
    memcpy(launch.cluster, sent.cluster, sizeof launch.cluster);
    x->head.bytes = 0;
    x->head.what = emu_launch(server->device, &launch, NULL);
    tell_parked(server, x);
    return true;
}

static bool call_go_on(struct server *server, struct exchange *x)
{
    if (x->head.arg[1] > EMU_FINISH)
        return false;
    x->head.what = emu_go_on(server->device, x->head.arg[0], (enum emu_patience)x->head.arg[1]);
    tell_parked(server, x);
    return true;
}

static bool call_abandon(struct server *server, struct exchange *x)
{
    x->head.what = emu_abandon(server->device, x->head.arg[0]);
    return true;
}

static bool call_output(struct server *server, struct exchange *x)
{
    char *text;
    size_t length;
    if (x->head.arg[0] >= EMU_STREAMS)
        return false;
    emu_output(server->device, (enum emu_stream)x->head.arg[0], &text, &length);
    x->data = x->owned = text;
    x->head.bytes = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
    x->head.what = EMU_OK;
    return true;
}

/* What a finding says is shown beside the grader's own words. This one is the program's, whatever it is. */
static void name_teller(json_t *findings)
{
    size_t i;
    json_t *finding, *message;
    json_array_foreach(findings, i, finding)
    {
        message = json_object_get(finding, "message");
        if (json_is_string(message))
            json_object_set_new(
                finding, "message",
                json_sprintf("the CUDA library says: %s", json_string_value(message)));
    }
}

/* A line for the record is written anew from what it means: one object, with one of two members. */
static bool call_note(struct server *server, struct exchange *x)
{
    json_t *line = json_loadb(server->data, x->head.bytes, JSON_REJECT_DUPLICATES, NULL);
    bool known = json_is_array(json_object_get(line, "findings")) ||
                 json_is_object(json_object_get(line, "calls"));
    name_teller(json_object_get(line, "findings"));
    char *text = known && json_object_size(line) == 1 ? json_dumps(line, JSON_COMPACT) : NULL;
    bool sound = text && server->notes++ < MOST_NOTES;
    x->head.bytes = 0;
    x->head.what = sound ? emu_note(watched(server), text, strlen(text)) : EMU_INVALID_VALUE;
    free(text);
    json_decref(line);
    return true;
}

/* --- the loop ----------------------------------------------------------------------------------------- */

/* Room for SIZE bytes and a NUL. What a large module took is given back at once. */
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

static bool receive(struct server *server, struct wire_head *head)
{
    if (!wire_receive(server->fd, head, sizeof *head))
        return false;
    if (head->what >= WIRE_CALL_COUNT || head->bytes > most_bytes[head->what] ||
        !make_room(server, head->bytes) || !wire_receive(server->fd, server->data, head->bytes))
        return false;
    server->data[head->bytes] = 0;
    return true;
}

/* The head with the file beside it, which has no other way to come. */
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

typedef bool handler(struct server *server, struct exchange *x);

static handler *const handlers[WIRE_CALL_COUNT] = {
#define CALL(name, most) [WIRE_CALL_##name] = call_##name,
    WIRE_CALLS(CALL)
#undef CALL
};

/* --- with a twin --------------------------------------------------------------------------------------- */

/* The calls that the twin takes part in, beside those that see to it themselves: free and lend. The others
 * change nothing. */
static const enum {
    ALONE,
    BOTH,
    BOTH_WITH_DATA
} takes_part[WIRE_CALL_COUNT] = {
    [WIRE_CALL_alloc] = BOTH,        [WIRE_CALL_write] = BOTH_WITH_DATA,
    [WIRE_CALL_read] = BOTH,         [WIRE_CALL_copy] = BOTH,
    [WIRE_CALL_set] = BOTH,          [WIRE_CALL_set_limit] = BOTH,
    [WIRE_CALL_texture_open] = BOTH, [WIRE_CALL_texture_close] = BOTH,
    [WIRE_CALL_load] = BOTH,         [WIRE_CALL_unload] = BOTH,
    [WIRE_CALL_kernel] = BOTH,       [WIRE_CALL_launch] = BOTH,
    [WIRE_CALL_output] = BOTH,       [WIRE_CALL_write_rows] = BOTH_WITH_DATA,
    [WIRE_CALL_read_rows] = BOTH,    [WIRE_CALL_copy_rows] = BOTH,
    [WIRE_CALL_alloc_rows] = BOTH,   [WIRE_CALL_set_rows] = BOTH,
};

/* Performs the call on the twin, with its own data. *X becomes its reply. */
static bool perform_on_twin(struct server *server, struct exchange *x)
{
    struct emu_device *device = server->device;
    char *data = server->data, *own = NULL;
    if (takes_part[x->head.what] == BOTH_WITH_DATA && (own = malloc((size_t)x->head.bytes + 1))) {
        memcpy(own, data, x->head.bytes);
        twin_change(&server->twin, (uint8_t *)own, x->head.bytes);
        server->data = own;
    }
    server->device = server->twin.device;
    bool good = handlers[x->head.what](server, x);
    server->device = device;
    server->data = data;
    free(own);
    return good;
}

/* The program has been given a part of memory, of which the twin has another copy. */
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

/* Whether a call has given the program what the twin does not know: a handle or an address, or a failure. As long
 * as it has not, what the program asks for next means the same to both. */
static bool has_strayed(const struct exchange *x, const struct exchange *twin)
{
    return twin->head.what == EMU_OK &&
           (x->head.what != EMU_OK || x->head.arg[0] != twin->head.arg[0]);
}

/* Performs a call, on the twin, too. What has failed on the device that is judged, has failed. */
static bool perform(struct server *server, struct exchange *x)
{
    struct exchange request = *x, twin = *x;
    bool both = server->twin.device && takes_part[x->head.what] != ALONE;
    bool reads = x->head.what == WIRE_CALL_read || x->head.what == WIRE_CALL_read_rows;
    if (both)
        twin_follow(&server->twin);
    bool good = (!both || perform_on_twin(server, &twin)) && handlers[request.head.what](server, x);
    if (both)
        twin_settle(&server->twin);
    server->twin.has_strayed |= good && both && has_strayed(x, &twin);
    if (good && both && server->twin.is_judged && twin.head.what != EMU_OK)
        x->head.what = twin.head.what;
    else if (good && reads && x->head.what == EMU_OK)
        note_read(server, &request, both ? &twin : NULL, x);
    free(twin.owned);
    return good;
}

/* --- counting ------------------------------------------------------------------------------------------ */

/* What REQUEST is a part of, and after it what is to follow. What comes in one message has nothing left. */
static struct part find_parts(const struct wire_head *request, struct part *next)
{
    const uint64_t *arg = request->arg;
    bool rows = request->what == WIRE_CALL_write_rows || request->what == WIRE_CALL_read_rows;
    bool bytes = request->what == WIRE_CALL_write || request->what == WIRE_CALL_read;
    struct part part = {request->what, arg[0], rows ? arg[4] : bytes ? arg[1] : 0};
    uint64_t here = rows ? arg[2] : part.left < WIRE_CHUNK ? part.left : WIRE_CHUNK;
    *next = (struct part){part.what, part.at + here * (rows ? arg[3] : 1),
                          part.left > here ? part.left - here : 0};
    return part;
}

/* How many rows REQUEST is about, with those that are to come in further parts. */
static uint64_t rows_of(const struct wire_head *request)
{
    const uint64_t *arg = request->arg;
    switch ((enum wire_call)request->what) {
    case WIRE_CALL_alloc_rows:
        return arg[1];
    case WIRE_CALL_copy_rows:
    case WIRE_CALL_set_rows:
        return arg[3];
    case WIRE_CALL_write_rows:
    case WIRE_CALL_read_rows:
        return arg[4] > arg[2] ? arg[4] : arg[2];
    default:
        return 0;
    }
}

static void count_request(struct server *server, const struct wire_head *request)
{
    struct part next, part = find_parts(request, &next), *due = &server->next;
    bool goes_on =
        due->left && part.what == due->what && part.at == due->at && part.left == due->left;
    server->requests[request->what] += !goes_on;
    server->rows[request->what] += goes_on ? 0 : rows_of(request);
    *due = next;
}

static json_t *by_name(const uint64_t counts[WIRE_CALL_COUNT])
{
    static const char *const names[] = {
#define CALL(name, most) [WIRE_CALL_##name] = #name,
        WIRE_CALLS(CALL)
#undef CALL
    };
    json_t *object = json_object();
    for (int i = 0; i < WIRE_CALL_COUNT; i++)
        if (counts[i])
            json_object_set_new(object, names[i], json_integer((json_int_t)counts[i]));
    return object;
}

static void record_requests(const struct server *server)
{
    json_t *line = json_pack("{s:o, s:o}", "requests", by_name(server->requests), "rows",
                             by_name(server->rows));
    char *text = json_dumps(line, JSON_COMPACT);
    if (text)
        emu_note(watched(server), text, strlen(text));
    free(text);
    json_decref(line);
}

/* --- serving ------------------------------------------------------------------------------------------- */

static enum server_end serve(struct server *server)
{
    struct exchange x = {0};
    /* The end of the stream between two requests is a good end; within one, or a wrong one, is not. */
    while (receive(server, &x.head)) {
        count_request(server, &x.head);
        if (!perform(server, &x)) {
            free(x.owned);
            return SERVER_BROKEN;
        }
        if (!reply(server, &x))
            return SERVER_DONE;
        x = (struct exchange){0};
    }
    return x.head.bytes || x.head.what ? SERVER_BROKEN : SERVER_DONE;
}

enum server_end server_run(int fd, const struct emu_options *options,
                           const struct twin_options *twin)
{
    struct server server = {.fd = fd};
    if (!twin_open(&server.twin, twin, options, &server.device))
        return SERVER_DONE;
    arena_open(&server.arena, options->memory_bytes); /* it is lent as much as it has */
    enum server_end end = serve(&server);
    record_requests(&server);
    twin_close(&server.twin);
    emu_close(server.device); /* before the pages that it was lent */
    arena_close(&server.arena);
    free(server.data);
    return end;
}
