/* Implements device.h for a program whose device is another process: each call sends one request
 * and waits for its reply. The runtime library links this file in place of the emulator; see
 * gpu/remote/rules.mk.
 *
 * Once the device's process has ended, every call fails with EMU_INTERNAL. The counters that
 * emu_launch() returns are all 0: only the record has the counters, and the program cannot read
 * it. */
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

/* The parameters that a struct emu_kernel_info points to. Closing the device frees them. */
struct params {
    struct params *next;
    struct emu_param list[];
};

struct emu_device {
    pthread_mutex_t lock;
    /* the socket, and the memory file of shared memory, or -1 until the server sends it */
    int fd, file;
    bool has_record, is_timed;
    struct params *params;
};

static _Thread_local char last_message[512];
static _Thread_local struct emu_parked last_parked;
static _Thread_local struct {
    struct emu_touch *list;
    size_t count;
} last_touched;

static enum emu_status failed(enum emu_status status, const char *why)
{
    snprintf(last_message, sizeof last_message, "%s", why);
    return status;
}

/* Called when the device's process has ended before the program. This happens only if the program
 * has violated the protocol or a limit. The grader then kills the program (process_run_served()).
 * Sleeps until that happens, because any further output would differ from one execution to the
 * next. */
static enum emu_status gone(void)
{
    sleep(1);
    return failed(EMU_INTERNAL, "the device's process has ended");
}

const char *emu_message(struct emu_device *device)
{
    (void)device;
    return last_message;
}

struct emu_parked emu_parked(struct emu_device *device)
{
    (void)device;
    return last_parked;
}

/* --- one request and its reply ---------------------------------------------------------------- */

struct call {
    struct wire_head head; /* the request's head, then the reply's head */
    const void *data;      /* the request's data, of head.bytes bytes */
    /* buffer for the reply's data; if NULL, malloc() makes a buffer, which the caller frees */
    void *reply;
    size_t room; /* size of the buffer in bytes */
};

#define REQUEST(name, ...)                                                                         \
    {                                                                                              \
        .head = {.what = WIRE_CALL_##name, .arg = {__VA_ARGS__} }                                  \
    }

/* Receives the reply's data, which is the call's result or, if the call failed, a message. Returns
 * false if the server's process has ended. */
static bool take_data(int fd, struct call *call)
{
    size_t size = call->head.bytes;
    const uint64_t *arg = call->head.arg;
    if (call->head.what == EMU_PARKED)
        last_parked = (struct emu_parked){arg[0], arg[1], arg[2], arg[3]};
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

/* Sends the request and waits for the reply. The caller holds the lock. */
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

/* Sends the request with SIZE bytes of DATA and waits for the reply. */
static enum emu_status ask_with(struct emu_device *device, struct call *call, const void *data,
                                size_t size)
{
    call->data = data;
    call->head.bytes = (uint32_t)size;
    return ask(device, call);
}

/* --- calls that only pass their parameters, generated from calls.def -------------------------- */

#define DECLARE_NONE
#define DECLARE_IN(i, type, name, most) , type name
#define DECLARE_ROWS(i, name)           , const struct emu_rows *name
#define DECLARE_NAME(name)              , const char *name
#define DECLARE_OUT(i, type, name)      , type *name

#define SEND_NONE
#define SEND_IN(i, type, name, most) call.head.arg[i] = (uint64_t)name;
#define SEND_ROWS(i, name)           memcpy(&call.head.arg[i], name, sizeof *name);
#define SEND_NAME(name)                                                                            \
    if (strlen(name) > WIRE_NAME)                                                                  \
        return failed(EMU_NOT_FOUND, "the name is longer than 4096 bytes");                        \
    call.head.bytes = (uint32_t)strlen(name);                                                      \
    call.data = name;
#define SEND_OUT(i, type, name)

#define RETURN_NONE
#define RETURN_IN(i, type, name, most)
#define RETURN_ROWS(i, name)
#define RETURN_NAME(name)
#define RETURN_OUT(i, type, name)                                                                  \
    if (status == EMU_OK && name)                                                                  \
        *name = (type)call.head.arg[i];

#define SPECIAL(...)
#define CALL(name, most, twin, ...)                                                                \
    enum emu_status emu_##name(struct emu_device *device WIRE_EACH(DECLARE_, __VA_ARGS__))         \
    {                                                                                              \
        struct call call = REQUEST(name);                                                          \
        WIRE_EACH(SEND_, __VA_ARGS__)                                                              \
        enum emu_status status = ask(device, &call);                                               \
        WIRE_EACH(RETURN_, __VA_ARGS__)                                                            \
        return status;                                                                             \
    }
#include "gpu/remote/calls.def"

/* --- opening and closing ---------------------------------------------------------------------- */

enum emu_status emu_open(const struct emu_options *options, struct emu_device **device)
{
    (void)options; /* the server reads them from its environment */
    struct call call = REQUEST(hello, WIRE_VERSION);
    *device = getenv(WIRE_VARIABLE) ? calloc(1, sizeof **device) : NULL;
    if (!*device)
        return failed(EMU_INTERNAL, "this program was started without a device");
    **device = (struct emu_device){.fd = WIRE_FD, .file = -1};
    pthread_mutex_init(&(*device)->lock, NULL);
    fcntl(WIRE_FD, F_SETFD, FD_CLOEXEC);
    enum emu_status status = ask(*device, &call);
    (*device)->has_record = call.head.arg[0];
    (*device)->is_timed = call.head.arg[1];
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

/* --- memory ----------------------------------------------------------------------------------- */

enum emu_status emu_free(struct emu_device *device, emu_addr addr)
{
    struct call call = REQUEST(free, addr);
    pthread_mutex_lock(&device->lock);
    /* call lend_end() first, because it copies data out of pages that the server then frees */
    lend_end(addr);
    enum emu_status status = exchange(device, &call);
    pthread_mutex_unlock(&device->lock);
    return status;
}

void emu_set_place(struct emu_device *device, emu_addr addr, struct emu_place place, bool fills)
{
    struct call call = REQUEST(set_place, addr, place.line, fills);
    size_t length = place.file ? strlen(place.file) : 0;
    if (length && length <= WIRE_NAME)
        ask_with(device, &call, place.file, length);
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

/* Receives the head of the reply to `lend`. The first such reply after `hello` also contains the
 * memory file's descriptor. */
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
    bool keep = !call.head.arg[1]; /* false if the pages already have the device's data */
    if (call.head.what != EMU_OK || lend_begin(&plan, addr, device->file, call.head.arg[0], keep))
        return call.head.what;
    exchange(device, &back);
    return failed(EMU_OUT_OF_MEMORY, "the emulated GPU could not map the program's memory");
}

enum emu_status emu_lend(struct emu_device *device, emu_addr addr, void *host, uint64_t size)
{
    if (!size)
        return failed(EMU_INVALID_VALUE, "the size of the memory to share is 0 bytes");
    pthread_mutex_lock(&device->lock);
    enum emu_status status = lend(device, addr, host, size);
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* --- copies between the program and the device, in parts of at most WIRE_CHUNK bytes ---------- */

/* The program's memory in a copy. */
struct host {
    char *bytes;
    bool is_source;
};

/* Sends BYTES of the program's memory with the call, or receives BYTES of the reply into it. */
static enum emu_status move(struct emu_device *device, struct call call, struct host host,
                            uint64_t bytes)
{
    if (host.is_source) {
        call.data = host.bytes;
        call.head.bytes = (uint32_t)bytes;
    } else {
        call.reply = host.bytes;
        call.room = bytes;
    }
    return exchange(device, &call);
}

/* Copies bytes in parts. Each request contains the number of bytes left, so that the server can
 * check the whole range before it changes any byte. */
static enum emu_status move_bytes(struct emu_device *device, struct host host, emu_addr at,
                                  uint64_t size)
{
    enum emu_status status;
    uint64_t left = size, bytes;
    do {
        bytes = left < WIRE_CHUNK ? left : WIRE_CHUNK;
        struct call out = REQUEST(write, at, left, (emu_addr)host.bytes);
        struct call in = REQUEST(read, at, left);
        status = move(device, host.is_source ? out : in, host, bytes);
        at += bytes;
        host.bytes += bytes;
        left -= bytes;
    } while (status == EMU_OK && left > 0);
    return status;
}

/* Copies the first COUNT of ROWS between the device and the program's memory, in which the rows
 * begin PITCH bytes apart. PACKED is a buffer for the rows without gaps. */
static enum emu_status move_rows(struct emu_device *device, struct host host, uint64_t pitch,
                                 emu_addr at, const struct emu_rows *rows, uint64_t count,
                                 char *packed)
{
    uint64_t width = rows->width;
    struct call out = REQUEST(write_rows, at, width, count, rows->to_pitch, rows->count);
    struct call in = REQUEST(read_rows, at, width, count, rows->from_pitch, rows->count);
    for (uint64_t i = 0; i < count && host.is_source; i++)
        memcpy(packed + i * width, host.bytes + i * pitch, width);
    enum emu_status status = move(device, host.is_source ? out : in,
                                  (struct host){packed, host.is_source}, count * width);
    for (uint64_t i = 0; i < count && !host.is_source && status == EMU_OK; i++)
        memcpy(host.bytes + i * pitch, packed + i * width, width);
    return status;
}

/* Copies all rows. Each message contains the maximum number of rows, and a row that is too long for
 * one message is split. The caller has checked that all rows are inside memory. */
static enum emu_status move_all_rows(struct emu_device *device, struct host host, emu_addr at,
                                     const struct emu_rows *rows)
{
    uint64_t most = rows->width ? WIRE_CHUNK / rows->width : 0, count;
    uint64_t pitch = host.is_source ? rows->from_pitch : rows->to_pitch;
    char *packed = malloc(WIRE_CHUNK);
    enum emu_status status = packed ? EMU_OK : EMU_OUT_OF_MEMORY;
    struct emu_rows left = *rows;
    pthread_mutex_lock(&device->lock);
    for (; left.count > 0 && status == EMU_OK; left.count -= count) {
        count = !most ? 1 : left.count < most ? left.count : most;
        status = most ? move_rows(device, host, pitch, at, &left, count, packed)
                      : move_bytes(device, host, at, left.width);
        at += count * (host.is_source ? rows->to_pitch : rows->from_pitch);
        host.bytes += count * pitch;
    }
    pthread_mutex_unlock(&device->lock);
    free(packed);
    return status;
}

enum emu_status emu_write(struct emu_device *device, emu_addr to, const void *from, uint64_t size)
{
    pthread_mutex_lock(&device->lock);
    enum emu_status status = move_bytes(device, (struct host){(char *)from, true}, to, size);
    pthread_mutex_unlock(&device->lock);
    return status;
}

enum emu_status emu_read(struct emu_device *device, void *to, emu_addr from, uint64_t size)
{
    pthread_mutex_lock(&device->lock);
    enum emu_status status = move_bytes(device, (struct host){to, false}, from, size);
    pthread_mutex_unlock(&device->lock);
    return status;
}

enum emu_status emu_write_rows(struct emu_device *device, emu_addr to, const void *from,
                               const struct emu_rows *rows)
{
    return move_all_rows(device, (struct host){(char *)from, true}, to, rows);
}

enum emu_status emu_read_rows(struct emu_device *device, void *to, emu_addr from,
                              const struct emu_rows *rows)
{
    return move_all_rows(device, (struct host){to, false}, from, rows);
}

/* --- textures, modules and kernels ------------------------------------------------------------ */

enum emu_status emu_texture_open(struct emu_device *device, const struct emu_texture *texture,
                                 uint64_t *handle)
{
    struct call call = REQUEST(texture_open);
    enum emu_status status = ask_with(device, &call, texture, sizeof *texture);
    if (status == EMU_OK)
        *handle = call.head.arg[0];
    return status;
}

enum emu_status emu_load(struct emu_device *device, const char *ptx, size_t size, uint32_t *module)
{
    struct call call = REQUEST(load);
    if (size > WIRE_PTX)
        return failed(EMU_INVALID_PTX, "the PTX is larger than 64 MiB");
    enum emu_status status = ask_with(device, &call, ptx, size);
    if (status == EMU_OK)
        *module = (uint32_t)call.head.arg[0];
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
    size_t size = call.head.bytes - sizeof *info;
    memcpy(info, (char *)params->list + size, sizeof *info);
    info->params = params->list;
    pthread_mutex_lock(&device->lock);
    params->next = device->params;
    device->params = params;
    pthread_mutex_unlock(&device->lock);
    return EMU_OK;
}

/* --- launches --------------------------------------------------------------------------------- */

enum emu_status emu_launch(struct emu_device *device, const struct emu_launch *launch,
                           struct emu_counters *counters)
{
    struct call call = REQUEST(launch);
    size_t size = sizeof *launch + launch->param_bytes;
    char *bytes = launch->param_bytes <= WIRE_PARAMS ? malloc(size) : NULL;
    if (!bytes)
        return failed(EMU_OUT_OF_MEMORY, "not enough memory for the kernel's parameters");
    memcpy(bytes, launch, sizeof *launch);
    if (launch->param_bytes)
        memcpy(bytes + sizeof *launch, launch->params, launch->param_bytes);
    enum emu_status status = ask_with(device, &call, bytes, size);
    free(bytes);
    free(last_touched.list);
    last_touched.list = call.reply;
    last_touched.count = call.reply ? call.head.bytes / sizeof *last_touched.list : 0;
    if (counters)
        *counters = (struct emu_counters){0};
    return status;
}

void emu_touched(struct emu_device *device, struct emu_touch **list, size_t *count)
{
    (void)device;
    *list = last_touched.list;
    *count = last_touched.count;
    last_touched.list = NULL;
    last_touched.count = 0;
}

void emu_output(struct emu_device *device, enum emu_stream stream, char **text, size_t *length)
{
    struct call call = REQUEST(output, stream);
    bool known = ask(device, &call) == EMU_OK;
    *text = known ? call.reply : NULL;
    *length = known ? call.head.bytes : 0;
}

/* Does nothing, because launches run in the device's process, which does not receive Ctrl-C. */
bool emu_interrupt(void)
{
    return false;
}

/* --- the order of work ------------------------------------------------------------------------ */

bool emu_is_timed(struct emu_device *device)
{
    return device->is_timed;
}

void emu_step(struct emu_device *device, const struct emu_step *step)
{
    struct call call = REQUEST(step, step->type, (uint64_t)step->work | step->flags << 8,
                               step->stream, step->event, step->bytes, step->host);
    ask(device, &call);
}

bool emu_event_time(struct emu_device *device, uint64_t event, double *us)
{
    struct call call = REQUEST(event_time, event);
    bool known = ask(device, &call) == EMU_OK && call.head.arg[0];
    memcpy(us, &call.head.arg[1], sizeof *us);
    return known;
}

/* --- the record ------------------------------------------------------------------------------- */

bool emu_has_record(struct emu_device *device)
{
    return device->has_record;
}

enum emu_status emu_note(struct emu_device *device, const char *line, size_t size)
{
    struct call call = REQUEST(note);
    if (size > WIRE_NOTE)
        return failed(EMU_INVALID_VALUE, "the line for the record is too long");
    return ask_with(device, &call, line, size);
}
