/* Performs the calls of calls.def. Most handlers are generated, because they only pass parameters.
 * The other handlers check the data of the request, and the device checks addresses and handles. */
#include "gpu/remote/calls.h"

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/counters.h"

/* maximum number of lines that the program's runtime library may add to the record */
#define MOST_NOTES 1000

struct emu_device *calls_watched(const struct server *server)
{
    return server->twin.is_judged ? server->twin.device : server->device;
}

/* Allocates SIZE bytes for the reply's data, which the caller fills in. Returns NULL when out of
 * memory. */
static void *give(struct exchange *x, uint64_t size)
{
    x->data = x->owned = malloc(size + 1);
    x->head.bytes = (uint32_t)size;
    return x->owned;
}

/* --- calls that only pass their parameters, generated from calls.def -------------------------- */

static struct emu_rows rows_from(const uint64_t arg[4])
{
    return (struct emu_rows){arg[0], arg[1], arg[2], arg[3]};
}

#define DECLARE_NONE
#define DECLARE_IN(i, type, name, most)
#define DECLARE_ROWS(i, name) const struct emu_rows name = rows_from(arg + i);
#define DECLARE_NAME(name)
#define DECLARE_OUT(i, type, name) type name = 0;

#define PASS_NONE
#define PASS_IN(i, type, name, most) , (type)arg[i]
#define PASS_ROWS(i, name)           , &name
#define PASS_NAME(name)              , server->data
#define PASS_OUT(i, type, name)      , &name

#define RETURN_NONE
#define RETURN_IN(i, type, name, most)
#define RETURN_ROWS(i, name)
#define RETURN_NAME(name)
#define RETURN_OUT(i, type, name) arg[i] = name;

#define SPECIAL(...)
#define CALL(name, most, twin, ...)                                                                \
    static bool call_##name(struct server *server, struct exchange *x)                             \
    {                                                                                              \
        uint64_t *arg = x->head.arg;                                                               \
        WIRE_EACH(DECLARE_, __VA_ARGS__)                                                           \
        x->head.what = emu_##name(server->device WIRE_EACH(PASS_, __VA_ARGS__));                   \
        WIRE_EACH(RETURN_, __VA_ARGS__)                                                            \
        return true;                                                                               \
    }
#include "gpu/remote/calls.def"

/* --- the other calls -------------------------------------------------------------------------- */

static enum emu_status free_memory(struct server *server, emu_addr addr)
{
    enum emu_status status = emu_free(server->device, addr);
    if (status == EMU_OK && server->twin.device)
        twin_free(&server->twin, addr);
    if (status == EMU_OK)
        arena_remove(&server->arena, addr);
    return status;
}

/* Begins to serve a process. After a fork() in the program, this can be another child. An earlier
 * child may have ended without freeing the memory that it shared. The new process does not have the
 * shared file yet. */
static bool call_hello(struct server *server, struct exchange *x)
{
    bool same = x->head.arg[0] == WIRE_VERSION;
    const struct arena *arena = &server->arena;
    while (arena->count && free_memory(server, arena->ranges[arena->count - 1].addr) == EMU_OK)
        continue;
    server->sent_file = false;
    x->head.arg[0] = emu_has_record(calls_watched(server));
    x->head.arg[1] = emu_is_timed(calls_watched(server));
    x->head.what = EMU_OK;
    return same;
}

static bool call_free(struct server *server, struct exchange *x)
{
    x->head.what = free_memory(server, x->head.arg[0]);
    return true;
}

static bool call_set_place(struct server *server, struct exchange *x)
{
    struct emu_place place = {server->data, (uint32_t)x->head.arg[1]};
    emu_set_place(calls_watched(server), x->head.arg[0], place, x->head.arg[2]);
    x->head.what = EMU_OK;
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

static bool call_get_limit(struct server *server, struct exchange *x)
{
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

/* Checks that the SIZE bytes at ADDR are inside one allocation. A copy in parts calls this first,
 * so that it fails before it changes any byte. */
static enum emu_status check_range(struct server *server, uint64_t addr, uint64_t size)
{
    emu_addr base;
    uint64_t bytes;
    if (emu_find(server->device, addr, &base, &bytes) == EMU_OK && size <= bytes - (addr - base))
        return EMU_OK;
    /* the range is invalid, so this copy fails and sets the message */
    return emu_copy(server->device, addr, addr, size);
}

static bool call_write(struct server *server, struct exchange *x)
{
    uint64_t to = x->head.arg[0], left = x->head.arg[1];
    x->head.what = left > x->head.bytes ? check_range(server, to, left) : EMU_OK;
    if (x->head.what == EMU_OK)
        x->head.what = emu_write(server->device, to, server->data, x->head.bytes);
    return true;
}

static bool call_read(struct server *server, struct exchange *x)
{
    uint64_t from = x->head.arg[0], left = x->head.arg[1];
    uint64_t size = left < WIRE_CHUNK ? left : WIRE_CHUNK;
    void *bytes = give(x, size);
    x->head.what = !bytes        ? EMU_OUT_OF_MEMORY
                   : left > size ? check_range(server, from, left)
                                 : EMU_OK;
    if (x->head.what == EMU_OK)
        x->head.what = emu_read(server->device, bytes, from, size);
    return true;
}

/* Returns whether ROWS fit into one message. */
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
    void *bytes = give(x, rows.width * rows.count);
    x->head.what =
        bytes ? emu_read_rows(server->device, bytes, x->head.arg[0], &rows) : EMU_OUT_OF_MEMORY;
    return true;
}

/* Offsets of the bool members in structs that are received as bytes; 0 ends a list. Each such byte
 * must be checked, because reading a bool from a byte other than 0 or 1 is undefined. */
static const size_t texture_flags[] = {offsetof(struct emu_texture, layered),
                                       offsetof(struct emu_texture, is_surface),
                                       offsetof(struct emu_texture, linear),
                                       offsetof(struct emu_texture, normalized_coords),
                                       offsetof(struct emu_texture, normalized_float),
                                       offsetof(struct emu_texture, level_linear),
                                       offsetof(struct emu_texture, cube),
                                       0};
static const size_t launch_flags[] = {offsetof(struct emu_launch, cooperative),
                                      offsetof(struct emu_launch, alone),
                                      offsetof(struct emu_launch, may_park), 0};
_Static_assert(sizeof(struct emu_texture) == 88 && sizeof(struct emu_launch) == 304,
               "the struct has changed: add its new bools to the lists above");

static bool flags_are_legal(const char *bytes, const size_t *flags)
{
    for (; *flags; flags++)
        if (bytes[*flags] != 0 && bytes[*flags] != 1)
            return false;
    return true;
}

static bool call_texture_open(struct server *server, struct exchange *x)
{
    struct emu_texture texture;
    if (x->head.bytes != sizeof texture || !flags_are_legal(server->data, texture_flags))
        return false;
    memcpy(&texture, server->data, sizeof texture);
    for (int i = 0; i < 3; i++)
        if (texture.address[i] > EMU_BORDER)
            return false;
    if (!texture.kind || !strchr("usf", texture.kind))
        return false;
    x->head.what = emu_texture_open(server->device, &texture, &x->head.arg[0]);
    return true;
}

static bool call_load(struct server *server, struct exchange *x)
{
    uint32_t module = 0;
    x->head.what = emu_load(server->device, server->data, x->head.bytes, &module);
    x->head.arg[0] = module;
    return true;
}

static bool call_kernel_info(struct server *server, struct exchange *x)
{
    struct emu_kernel_info info;
    x->head.what = emu_kernel_info(server->device, (uint32_t)x->head.arg[0], &info);
    if (x->head.what != EMU_OK)
        return true;
    size_t size = info.param_count * sizeof *info.params;
    char *data = give(x, size + sizeof info);
    if (!data)
        return false;
    if (size)
        memcpy(data, info.params, size);
    info.params = NULL; /* the program must not learn addresses of this process */
    memcpy(data + size, &info, sizeof info);
    return true;
}

static bool call_launch(struct server *server, struct exchange *x)
{
    struct emu_launch launch;
    if (x->head.bytes < sizeof launch || !flags_are_legal(server->data, launch_flags))
        return false;
    memcpy(&launch, server->data, sizeof launch);
    launch.file[sizeof launch.file - 1] = '\0';
    launch.params = server->data + sizeof launch;
    launch.param_bytes = x->head.bytes - (uint32_t)sizeof launch;
    bool is_timed = emu_is_timed(server->device);
    launch.touches = is_timed ? EMU_TOUCHES_ALL : launch.touches;
    /* a launch cannot be parked if there is a twin, because the two devices would park it at
     * different times */
    launch.may_park &= !server->twin.device;
    struct emu_counters counters = {0};
    x->head.what = emu_launch(server->device, &launch, &counters);
    server->work += counters.value[EMU_warp_instructions];
    struct emu_touch *touched;
    size_t count;
    emu_touched(server->device, &touched, &count);
    if (is_timed && server->steps)
        steps_note_launch(server->steps, touched, count);
    x->data = x->owned = touched;
    x->head.bytes = (uint32_t)(count * sizeof *touched);
    return true;
}

static bool call_output(struct server *server, struct exchange *x)
{
    char *text;
    size_t length;
    emu_output(server->device, (enum emu_stream)x->head.arg[0], &text, &length);
    x->data = x->owned = text;
    x->head.bytes = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
    x->head.what = EMU_OK;
    return true;
}

static bool call_step(struct server *server, struct exchange *x)
{
    if (server->steps)
        steps_take(server->steps, &x->head);
    x->head.what = EMU_OK;
    return true;
}

static bool call_event_time(struct server *server, struct exchange *x)
{
    double us = 0;
    x->head.arg[0] = emu_event_time(calls_watched(server), x->head.arg[0], &us);
    memcpy(&x->head.arg[1], &us, sizeof us);
    x->head.what = EMU_OK;
    return true;
}

/* Marks each message as the program's own, because reports print it next to the grader's
 * findings. */
static void mark_messages(json_t *findings)
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

/* Parses the program's line, which must be an object with one member, "findings" or "calls". Writes
 * the parsed object to the record, so that the record has only valid JSON. */
static bool call_note(struct server *server, struct exchange *x)
{
    json_t *line = json_loadb(server->data, x->head.bytes, JSON_REJECT_DUPLICATES, NULL);
    bool known = json_is_array(json_object_get(line, "findings")) ||
                 json_is_object(json_object_get(line, "calls"));
    mark_messages(json_object_get(line, "findings"));
    char *text = known && json_object_size(line) == 1 ? json_dumps(line, JSON_COMPACT) : NULL;
    bool sound = text && server->notes++ < MOST_NOTES;
    x->head.what = sound ? emu_note(calls_watched(server), text, strlen(text)) : EMU_INVALID_VALUE;
    free(text);
    json_decref(line);
    return true;
}

/* --- all calls -------------------------------------------------------------------------------- */

#define ANY UINT64_MAX
#define MOST_NONE
#define MOST_IN(i, type, name, most) [i] = (most),
#define MOST_ROWS(i, name)           [(i)...(i) + 3] = ANY,
#define MOST_NAME(name)
#define MOST_OUT(i, type, name)

const struct call call_table[WIRE_CALL_COUNT] = {
#define CALL(name, most_bytes, twin, ...)                                                          \
    {call_##name, twin, most_bytes, {WIRE_EACH(MOST_, __VA_ARGS__)}},
#define SPECIAL CALL
#include "gpu/remote/calls.def"
};
