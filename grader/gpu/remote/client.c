/* device.h for a program whose device is another process: each call is one request, and waits for its
 * reply. Linked into the runtime library in place of the emulator; see gpu/remote/rules.mk.
 *
 * When the device's process has gone, every call fails with EMU_INTERNAL. A launch's counters are not
 * told: they are in the record, where the program does not reach. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu/remote/lend.h"
#include "gpu/remote/wire.h"

/* What a kernel's info points at, for as long as the device is open. */
struct params {
    struct params *next;
    struct emu_param list[];
};

struct emu_device {
    pthread_mutex_t lock;
    int fd, file; /* the socket; the file of shared memory, -1 until there is one */
    bool has_record;
    struct params *params;
};

static _Thread_local char last_message[512];

static enum emu_status failed(enum emu_status status, const char *why)
{
    snprintf(last_message, sizeof last_message, "%s", why);
    return status;
}

static enum emu_status gone(void)
{
    return failed(EMU_INTERNAL, "the device's process has ended");
}

const char *emu_message(struct emu_device *device)
{
    (void)device;
    return last_message;
}

/* --- one call -------------------------------------------------------------------------------------- */

/* What comes with a call, in either direction. */
struct call {
    struct wire_head head; /* of the request; then of the reply */
    const void *data;      /* head.bytes of the request's */
    void *reply;           /* room for the reply's data; NULL: none is expected */
    size_t room;           /* bytes of it; 0: as many as come, to be freed */
};

#define REQUEST(name, ...)                                                                         \
    {                                                                                              \
        .head = {.what = WIRE_CALL_##name, .arg = {__VA_ARGS__} }                                  \
    }

/* Takes the reply's data: why the call failed, or what it gives. False: the server is gone. */
static bool take_data(int fd, struct call *call)
{
    size_t size = call->head.bytes;
    if (call->head.what != EMU_OK) {
        char why[sizeof last_message] = "";
        if (size >= sizeof why || !wire_receive(fd, why, size))
            return false;
        failed(call->head.what, why);
        return true;
    }
    if (call->reply)
        return size <= call->room && wire_receive(fd, call->reply, size);
    call->reply = size ? malloc(size) : NULL;
    return !size || (call->reply && wire_receive(fd, call->reply, size));
}

/* Sends the request and waits for the reply; the caller holds the lock. */
static enum emu_status exchange(const struct emu_device *device, struct call *call)
{
    if (!wire_send(device->fd, &call->head, call->data) ||
        !wire_receive(device->fd, &call->head, sizeof call->head) || !take_data(device->fd, call))
        return gone();
    return call->head.what;
}

static enum emu_status ask(struct emu_device *device, struct call *call)
{
    pthread_mutex_lock(&device->lock);
    enum emu_status status = exchange(device, call);
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* --- opening and closing --------------------------------------------------------------------------- */

enum emu_status emu_open(const struct emu_options *options, struct emu_device **device)
{
    (void)options; /* the server has been told already, by those who started it */
    struct call call = REQUEST(hello, WIRE_VERSION);
    *device = getenv(WIRE_VARIABLE) ? calloc(1, sizeof **device) : NULL;
    if (!*device)
        return failed(EMU_INTERNAL, "no device was given to this program");
    **device = (struct emu_device){.fd = WIRE_FD, .file = -1};
    pthread_mutex_init(&(*device)->lock, NULL);
    fcntl(WIRE_FD, F_SETFD, FD_CLOEXEC);
    enum emu_status status = ask(*device, &call);
    (*device)->has_record = call.head.arg[0];
    if (status == EMU_OK)
        return EMU_OK;
    free(*device);
    *device = NULL;
    return status;
}

void emu_close(struct emu_device *device)
{
    if (!device)
        return;
    while (device->params) {
        struct params *params = device->params;
        device->params = params->next;
        free(params);
    }
    close(device->fd);
    if (device->file >= 0)
        close(device->file);
    free(device);
}

/* --- memory ---------------------------------------------------------------------------------------- */

enum emu_status emu_alloc(struct emu_device *device, uint64_t size, emu_addr *addr)
{
    struct call call = REQUEST(alloc, size);
    enum emu_status status = ask(device, &call);
    if (status == EMU_OK)
        *addr = call.head.arg[0];
    return status;
}

enum emu_status emu_alloc_rows(struct emu_device *device, uint64_t width, uint64_t count,
                               emu_addr *addr, uint64_t *pitch)
{
    struct call call = REQUEST(alloc_rows, width, count);
    enum emu_status status = ask(device, &call);
    if (status == EMU_OK) {
        *addr = call.head.arg[0];
        *pitch = call.head.arg[1];
    }
    return status;
}

enum emu_status emu_free(struct emu_device *device, emu_addr addr)
{
    struct call call = REQUEST(free, addr);
    pthread_mutex_lock(&device->lock);
    lend_end(addr); /* while its pages still hold what is to be kept */
    enum emu_status status = exchange(device, &call);
    pthread_mutex_unlock(&device->lock);
    return status;
}

enum emu_status emu_find(struct emu_device *device, emu_addr addr, emu_addr *base, uint64_t *size)
{
    struct call call = REQUEST(find, addr);
    enum emu_status status = ask(device, &call);
    if (status == EMU_OK && base)
        *base = call.head.arg[0];
    if (status == EMU_OK && size)
        *size = call.head.arg[1];
    return status;
}

void emu_set_place(struct emu_device *device, emu_addr addr, struct emu_place place)
{
    struct call call = REQUEST(set_place, addr, place.line);
    size_t length = place.file ? strlen(place.file) : 0;
    if (!length || length > WIRE_NAME)
        return;
    call.head.bytes = (uint32_t)length;
    call.data = place.file;
    ask(device, &call);
}

/* The reply's head, and with the first one the file. */
static bool receive_file(struct emu_device *device, struct wire_head *head)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {head, sizeof *head};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (recvmsg(device->fd, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL) != sizeof *head)
        return false;
    struct cmsghdr *extra = CMSG_FIRSTHDR(&message);
    if (extra && extra->cmsg_type == SCM_RIGHTS)
        memcpy(&device->file, CMSG_DATA(extra), sizeof device->file);
    return true;
}

static enum emu_status lend(struct emu_device *device, emu_addr addr, void *host, uint64_t size)
{
    struct lend_plan plan = lend_plan(host, size);
    struct call call = REQUEST(lend, addr, size, plan.in_page, plan.head, plan.tail);
    struct call back = REQUEST(free, addr);
    if (!wire_send(device->fd, &call.head, NULL) || !receive_file(device, &call.head) ||
        !take_data(device->fd, &call))
        return gone();
    bool keep = !call.head.arg[1]; /* else it holds what was on the device */
    if (call.head.what != EMU_OK || lend_begin(&plan, addr, device->file, call.head.arg[0], keep))
        return call.head.what;
    exchange(device, &back);
    return failed(EMU_OUT_OF_MEMORY, "the program's memory cannot be shared");
}

enum emu_status emu_lend(struct emu_device *device, emu_addr addr, void *host, uint64_t size)
{
    if (!size)
        return failed(EMU_INVALID_VALUE, "0 bytes cannot be lent");
    pthread_mutex_lock(&device->lock);
    enum emu_status status = lend(device, addr, host, size);
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* Long copies go in chunks. The first one also tells the whole size, which the server checks before
 * it changes anything. */
enum emu_status emu_write(struct emu_device *device, emu_addr to, const void *from, uint64_t size)
{
    enum emu_status status = EMU_OK;
    uint64_t done = 0;
    pthread_mutex_lock(&device->lock);
    do {
        uint64_t left = size - done, bytes = left < WIRE_CHUNK ? left : WIRE_CHUNK;
        struct call call = REQUEST(write, to + done, left);
        call.head.bytes = (uint32_t)bytes;
        call.data = (const char *)from + done;
        status = exchange(device, &call);
        done += bytes;
    } while (status == EMU_OK && done < size);
    pthread_mutex_unlock(&device->lock);
    return status;
}

enum emu_status emu_read(struct emu_device *device, void *to, emu_addr from, uint64_t size)
{
    enum emu_status status = EMU_OK;
    uint64_t done = 0;
    pthread_mutex_lock(&device->lock);
    do {
        uint64_t left = size - done;
        struct call call = REQUEST(read, from + done, left);
        call.reply = (char *)to + done;
        call.room = left < WIRE_CHUNK ? left : WIRE_CHUNK;
        status = exchange(device, &call);
        done += call.room;
    } while (status == EMU_OK && done < size);
    pthread_mutex_unlock(&device->lock);
    return status;
}

enum emu_status emu_copy(struct emu_device *device, emu_addr to, emu_addr from, uint64_t size)
{
    struct call call = REQUEST(copy, to, from, size);
    return ask(device, &call);
}

/* How many of ROWS' rows go in one message; 0: a row alone is too long for it. */
static uint64_t rows_at_once(const struct emu_rows *rows)
{
    return rows->width ? WIRE_CHUNK / rows->width : 0;
}

/* The first COUNT of ROWS, which PACKED holds end to end. */
static enum emu_status send_rows(struct emu_device *device, emu_addr to, const char *from,
                                 const struct emu_rows *rows, uint64_t count, char *packed)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(packed + i * rows->width, from + i * rows->from_pitch, rows->width);
    struct call call = REQUEST(write_rows, to, rows->width, count, rows->to_pitch, rows->count);
    call.head.bytes = (uint32_t)(count * rows->width);
    call.data = packed;
    return ask(device, &call);
}

static enum emu_status fetch_rows(struct emu_device *device, char *to, emu_addr from,
                                  const struct emu_rows *rows, uint64_t count, char *packed)
{
    struct call call = REQUEST(read_rows, from, rows->width, count, rows->from_pitch, rows->count);
    call.reply = packed;
    call.room = count * rows->width;
    enum emu_status status = ask(device, &call);
    for (uint64_t i = 0; i < count && status == EMU_OK; i++)
        memcpy(to + i * rows->to_pitch, packed + i * rows->width, rows->width);
    return status;
}

/* The caller has found out that all rows lie in memory: a first part would be copied for nothing. */
enum emu_status emu_write_rows(struct emu_device *device, emu_addr to, const void *from,
                               const struct emu_rows *rows)
{
    uint64_t most = rows_at_once(rows), count;
    char *packed = malloc(WIRE_CHUNK);
    enum emu_status status = packed ? EMU_OK : EMU_OUT_OF_MEMORY;
    struct emu_rows left = *rows;
    for (const char *at = from; left.count > 0 && status == EMU_OK; left.count -= count) {
        count = !most ? 1 : left.count < most ? left.count : most;
        status = most ? send_rows(device, to, at, &left, count, packed)
                      : emu_write(device, to, at, left.width);
        to += count * left.to_pitch;
        at += count * left.from_pitch;
    }
    free(packed);
    return status;
}

enum emu_status emu_read_rows(struct emu_device *device, void *to, emu_addr from,
                              const struct emu_rows *rows)
{
    uint64_t most = rows_at_once(rows), count;
    char *packed = malloc(WIRE_CHUNK);
    enum emu_status status = packed ? EMU_OK : EMU_OUT_OF_MEMORY;
    struct emu_rows left = *rows;
    for (char *at = to; left.count > 0 && status == EMU_OK; left.count -= count) {
        count = !most ? 1 : left.count < most ? left.count : most;
        status = most ? fetch_rows(device, at, from, &left, count, packed)
                      : emu_read(device, at, from, left.width);
        from += count * left.from_pitch;
        at += count * left.to_pitch;
    }
    free(packed);
    return status;
}

enum emu_status emu_copy_rows(struct emu_device *device, emu_addr to, emu_addr from,
                              const struct emu_rows *rows)
{
    struct call call =
        REQUEST(copy_rows, to, from, rows->width, rows->count, rows->to_pitch, rows->from_pitch);
    return ask(device, &call);
}

enum emu_status emu_set(struct emu_device *device, emu_addr to, uint8_t value, uint64_t size)
{
    struct call call = REQUEST(set, to, value, size);
    return ask(device, &call);
}

enum emu_status emu_set_rows(struct emu_device *device, emu_addr to, uint8_t value,
                             const struct emu_rows *rows)
{
    struct call call = REQUEST(set_rows, to, value, rows->width, rows->count, rows->to_pitch);
    return ask(device, &call);
}

enum emu_status emu_set_limit(struct emu_device *device, enum emu_limit limit, uint64_t bytes)
{
    struct call call = REQUEST(set_limit, limit, bytes);
    return ask(device, &call);
}

uint64_t emu_get_limit(struct emu_device *device, enum emu_limit limit)
{
    struct call call = REQUEST(get_limit, limit);
    return ask(device, &call) == EMU_OK ? call.head.arg[0] : 0;
}

void emu_memory(struct emu_device *device, uint64_t *free_bytes, uint64_t *total_bytes)
{
    struct call call = REQUEST(memory);
    bool known = ask(device, &call) == EMU_OK;
    *free_bytes = known ? call.head.arg[0] : 0;
    *total_bytes = known ? call.head.arg[1] : 0;
}

/* --- textures -------------------------------------------------------------------------------------- */

enum emu_status emu_texture_open(struct emu_device *device, const struct emu_texture *texture,
                                 uint64_t *handle)
{
    struct wire_texture sent = {
        .addr = texture->addr,
        .pitch = texture->pitch,
        .slice = texture->slice,
        .width = texture->width,
        .height = texture->height,
        .depth = texture->depth,
        .channels = texture->channels,
        .bits = texture->bits,
        .kind = texture->kind,
        .layered = texture->layered,
        .is_surface = texture->is_surface,
        .linear = texture->linear,
        .normalized_coords = texture->normalized_coords,
        .normalized_float = texture->normalized_float,
    };
    memcpy(sent.address, texture->address, sizeof sent.address);
    memcpy(sent.border, texture->border, sizeof sent.border);
    struct call call = REQUEST(texture_open);
    call.head.bytes = sizeof sent;
    call.data = &sent;
    enum emu_status status = ask(device, &call);
    if (status == EMU_OK)
        *handle = call.head.arg[0];
    return status;
}

enum emu_status emu_texture_close(struct emu_device *device, uint64_t handle)
{
    struct call call = REQUEST(texture_close, handle);
    return ask(device, &call);
}

/* --- modules and kernels --------------------------------------------------------------------------- */

enum emu_status emu_load(struct emu_device *device, const char *ptx, size_t size, uint32_t *module)
{
    struct call call = REQUEST(load);
    if (size > WIRE_PTX)
        return failed(EMU_INVALID_PTX, "more than 64 MiB of PTX");
    call.head.bytes = (uint32_t)size;
    call.data = ptx;
    enum emu_status status = ask(device, &call);
    if (status == EMU_OK)
        *module = (uint32_t)call.head.arg[0];
    return status;
}

enum emu_status emu_unload(struct emu_device *device, uint32_t module)
{
    struct call call = REQUEST(unload, module);
    return ask(device, &call);
}

/* Asks for what has NAME in a module. */
static enum emu_status look_up(struct emu_device *device, struct call *call, const char *name)
{
    size_t length = strlen(name);
    if (length > WIRE_NAME)
        return failed(EMU_NOT_FOUND, "a name of more than 4096 bytes");
    call->head.bytes = (uint32_t)length;
    call->data = name;
    return ask(device, call);
}

enum emu_status emu_symbol(struct emu_device *device, uint32_t module, const char *name,
                           emu_addr *addr, uint64_t *size)
{
    struct call call = REQUEST(symbol, module);
    enum emu_status status = look_up(device, &call, name);
    if (status == EMU_OK) {
        *addr = call.head.arg[0];
        *size = call.head.arg[1];
    }
    return status;
}

enum emu_status emu_kernel(struct emu_device *device, uint32_t module, const char *name,
                           uint32_t *kernel)
{
    struct call call = REQUEST(kernel, module);
    enum emu_status status = look_up(device, &call, name);
    if (status == EMU_OK)
        *kernel = (uint32_t)call.head.arg[0];
    return status;
}

enum emu_status emu_kernel_info(struct emu_device *device, uint32_t kernel,
                                struct emu_kernel_info *info)
{
    size_t room = sizeof *info + EMU_MAX_PARAMS * sizeof(struct emu_param);
    struct params *params = malloc(sizeof *params + room);
    struct call call = REQUEST(kernel_info, kernel);
    if (!params)
        return failed(EMU_OUT_OF_MEMORY, "out of memory");
    call.reply = params->list;
    call.room = room;
    enum emu_status status = ask(device, &call);
    if (status != EMU_OK) {
        free(params);
        return status;
    }
    /* The parameters' places come first, then the rest, whose pointer meant something over there. */
    size_t size = call.head.bytes - sizeof *info;
    memcpy(info, (char *)params->list + size, sizeof *info);
    info->params = params->list;
    pthread_mutex_lock(&device->lock);
    params->next = device->params;
    device->params = params;
    pthread_mutex_unlock(&device->lock);
    return EMU_OK;
}

/* --- launches -------------------------------------------------------------------------------------- */

static _Thread_local struct emu_parked last_parked;

static enum emu_status note_parked(enum emu_status status, const struct call *call)
{
    const uint64_t *arg = call->head.arg;
    if (status == EMU_PARKED)
        last_parked = (struct emu_parked){arg[0], arg[1], arg[2], arg[3]};
    return status;
}

enum emu_status emu_launch(struct emu_device *device, const struct emu_launch *launch,
                           struct emu_counters *counters)
{
    struct wire_launch sent = {
        .kernel = launch->kernel,
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .cooperative = launch->cooperative,
        .alone = launch->alone,
        .may_park = launch->may_park,
    };
    memcpy(sent.grid, launch->grid, sizeof sent.grid);
    memcpy(sent.block, launch->block, sizeof sent.block);
    memcpy(sent.cluster, launch->cluster, sizeof sent.cluster);
    char *bytes =
        launch->param_bytes <= WIRE_PARAMS ? malloc(sizeof sent + launch->param_bytes) : NULL;
    if (!bytes)
        return failed(EMU_OUT_OF_MEMORY, "no room for a kernel's parameters");
    memcpy(bytes, &sent, sizeof sent);
    if (launch->param_bytes)
        memcpy(bytes + sizeof sent, launch->params, launch->param_bytes);
    struct call call = REQUEST(launch);
    call.head.bytes = (uint32_t)(sizeof sent + launch->param_bytes);
    call.data = bytes;
    enum emu_status status = ask(device, &call);
    free(bytes);
    if (counters)
        *counters = (struct emu_counters){0};
    return note_parked(status, &call);
}

enum emu_status emu_go_on(struct emu_device *device, uint64_t launch, enum emu_patience patience)
{
    struct call call = REQUEST(go_on, launch, patience);
    return note_parked(ask(device, &call), &call);
}

enum emu_status emu_abandon(struct emu_device *device, uint64_t launch)
{
    struct call call = REQUEST(abandon, launch);
    return ask(device, &call);
}

struct emu_parked emu_parked(struct emu_device *device)
{
    (void)device;
    return last_parked;
}

void emu_output(struct emu_device *device, enum emu_stream stream, char **text, size_t *length)
{
    struct call call = REQUEST(output, stream);
    bool known = ask(device, &call) == EMU_OK;
    *text = known ? call.reply : NULL;
    *length = known ? call.head.bytes : 0;
}

/* --- the record ------------------------------------------------------------------------------------ */

bool emu_has_record(struct emu_device *device)
{
    return device->has_record;
}

enum emu_status emu_note(struct emu_device *device, const char *line, size_t size)
{
    struct call call = REQUEST(note);
    if (size > WIRE_NOTE)
        return failed(EMU_INVALID_VALUE, "too long a line for the record");
    call.head.bytes = (uint32_t)size;
    call.data = line;
    return ask(device, &call);
}
