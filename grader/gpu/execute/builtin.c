/* Executes calls of built-in device functions. Programs call these without defining them in PTX:
 * printf, assert, malloc, free, functions that launch kernels, and the function that sets a graph's
 * condition.
 *
 * The arguments are in the caller's frame, in the .param variables that the call names. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/builtin.h"
#include "gpu/execute/child.h"
#include "gpu/execute/operations.h"
#include "gpu/memory/heap.h"
#include "gpu/memory/memory.h"

static const struct ptx_variable *argument(const struct inst *inst, unsigned which, unsigned i)
{
    const struct ptx_operand *list = &inst->call.in->operands[which];
    return i < list->count ? list->elements[i].variable : NULL;
}

uint64_t builtin_argument(const struct warp *warp, const struct inst *inst, unsigned i,
                          unsigned lane)
{
    const struct ptx_variable *variable = argument(inst, 1, i);
    uint64_t value = 0;
    if (variable && variable->size <= sizeof value)
        memcpy(&value,
               warp->frame->params + (size_t)lane * warp->frame->image->frame_bytes +
                   variable->offset,
               variable->size);
    return value;
}

void builtin_set_result(const struct warp *warp, const struct inst *inst, unsigned lane,
                        uint64_t value)
{
    const struct ptx_variable *variable = argument(inst, 2, 0);
    if (variable && variable->size <= sizeof value)
        memcpy(warp->frame->params + (size_t)lane * warp->frame->image->frame_bytes +
                   variable->offset,
               &value, variable->size);
}

void builtin_set_error(struct warp *warp, const struct inst *inst, unsigned lane, uint32_t error)
{
    builtin_set_result(warp, inst, lane, error);
    if (!error)
        return;
    warp->runtime_error[lane] = error;
    warp->has_runtime_error = true;
}

/* Copies a string from device memory to TEXT, and cuts it to SIZE - 1 characters. Returns TEXT,
 * which is empty if the pointer is bad. */
static const char *device_string(struct warp *warp, unsigned lane, uint64_t addr, char *text,
                                 size_t size)
{
    size_t n = 0;
    while (n + 1 < size) {
        const uint8_t *byte = access_bytes(warp, lane, addr + n, 1);
        if (!byte || !*byte)
            break;
        text[n++] = (char)*byte;
    }
    text[n] = 0;
    return text;
}

/* --- printf ----------------------------------------------------------------------------------- */

struct printer {
    struct warp *warp;
    unsigned lane;
    uint64_t args; /* address of the next argument */
    uint32_t used; /* number of arguments used so far; CUDA's printf returns it, unlike C's */
    char text[2048];
    size_t length;
};

static uint64_t next_argument(struct printer *p, unsigned bytes)
{
    uint64_t value = 0;
    p->args = (p->args + bytes - 1) & ~(uint64_t)(bytes - 1);
    const uint8_t *from = access_bytes(p->warp, p->lane, p->args, bytes);
    if (from)
        memcpy(&value, from, bytes);
    p->args += bytes;
    p->used++;
    return value;
}

static void put(struct printer *p, const char *text, size_t length)
{
    size_t room = sizeof p->text - p->length;
    length = length < room ? length : room;
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

/* Prints the value of one %-directive. FORMAT ends with the directive's letter, such as d; each *
 * in FORMAT has already been replaced by a number. */
static void put_value(struct printer *p, char *format, size_t length, bool is_long)
{
    char letter = format[length - 1], text[512], string[400];
    int n = 0;
    if (strchr("di", letter)) {
        memcpy(format + length - 1, "lld", 4);
        format[length + 1] = letter;
        int64_t value = (int64_t)next_argument(p, is_long ? 8 : 4);
        n = snprintf(text, sizeof text, format, (long long)(is_long ? value : (int32_t)value));
    } else if (strchr("uxXo", letter)) {
        memcpy(format + length - 1, "llu", 4);
        format[length + 1] = letter;
        n = snprintf(text, sizeof text, format,
                     (unsigned long long)next_argument(p, is_long ? 8 : 4));
    } else if (strchr("fFeEgGaA", letter)) {
        uint64_t bits = next_argument(p, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        n = snprintf(text, sizeof text, format, value);
    } else if (letter == 'c') {
        n = snprintf(text, sizeof text, format, (int)next_argument(p, 4));
    } else if (letter == 's') {
        device_string(p->warp, p->lane, next_argument(p, 8), string, sizeof string);
        n = snprintf(text, sizeof text, format, string);
    } else if (letter == 'p') {
        n = snprintf(text, sizeof text, "0x%" PRIx64, next_argument(p, 8));
    }
    if (n > 0)
        put(p, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* Limits widths and precisions to 999, to save time. put_value() truncates the output to fewer
 * characters anyway. */
static size_t cap_numbers(char *format)
{
    for (char *at = format; (at = strpbrk(at, "123456789"));) {
        size_t digits = strspn(at, "0123456789");
        if (digits > 3) {
            memset(at, '9', 3);
            memmove(at + 3, at + digits, strlen(at + digits) + 1);
        }
        at += digits > 3 ? 3 : digits;
    }
    return strlen(format);
}

/* Prints the %-directive at AT and returns a pointer to the text after it. Copies flags, width and
 * precision. The length modifier (h, l, z, …) only decides whether the argument has 8 bytes. */
static const char *put_directive(struct printer *p, const char *at)
{
    char format[64] = "%";
    size_t length = 1;
    bool is_long = false;
    for (at++; *at && strchr("-+ #0123456789.*hlLjzt", *at); at++) {
        is_long |= *at == 'l' || *at == 'j' || *at == 'z' || *at == 't';
        if (*at == '*' && length < 40)
            length += (size_t)snprintf(format + length, 16, "%d", (int)next_argument(p, 4));
        else if (!strchr("hlLjzt*", *at) && length < 40)
            format[length++] = *at;
    }
    if (*at == '%' || !*at) {
        put(p, "%", 1);
        return *at ? at + 1 : at;
    }
    format[length++] = *at;
    format[length] = 0;
    length = cap_numbers(format);
    put_value(p, format, length, is_long);
    return at + 1;
}

static void append_output(struct launch *launch, enum emu_stream stream, const char *text,
                          size_t length)
{
    struct output *output = launch->output;
    pthread_mutex_lock(&output->lock);
    size_t used = output->streams[stream].length,
           room = output->limit > used ? output->limit - used : 0;
    length = length < room ? length : room;
    char *bigger = length ? realloc(output->streams[stream].text, used + length) : NULL;
    if (bigger) {
        memcpy(bigger + used, text, length);
        output->streams[stream].text = bigger;
        output->streams[stream].length += length;
    }
    pthread_mutex_unlock(&output->lock);
}

static void vprintf_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    char format[1024];
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1))
            continue;
        struct printer printer = {
            .warp = warp, .lane = l, .args = builtin_argument(warp, inst, 1, l)};
        device_string(warp, l, builtin_argument(warp, inst, 0, l), format, sizeof format);
        for (const char *at = format; *at;) {
            size_t plain = strcspn(at, "%");
            put(&printer, at, plain);
            at += plain;
            if (*at)
                at = put_directive(&printer, at);
        }
        append_output(warp->cta->launch, EMU_STDOUT, printer.text, printer.length);
        builtin_set_result(warp, inst, l, printer.used);
    }
}

/* --- assert ----------------------------------------------------------------------------------- */

/* Prints the line that a GPU's driver prints for a thread whose assert() failed. */
static void print_assertion(struct warp *warp, const struct inst *inst, unsigned lane)
{
    char message[160], file[256], function[160], line[800];
    const uint32_t *cta = warp->cta->index, *block = warp->cta->launch->request.block;
    uint32_t thread = warp->index * WARP + lane;
    device_string(warp, lane, builtin_argument(warp, inst, 0, lane), message, sizeof message);
    device_string(warp, lane, builtin_argument(warp, inst, 1, lane), file, sizeof file);
    device_string(warp, lane, builtin_argument(warp, inst, 3, lane), function, sizeof function);
    int n = snprintf(line, sizeof line,
                     "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                     file, (unsigned)builtin_argument(warp, inst, 2, lane), function, cta[0],
                     cta[1], cta[2], thread % block[0], thread / block[0] % block[1],
                     thread / block[0] / block[1], message);
    append_output(warp->cta->launch, EMU_STDERR, line, (size_t)n);
}

static void assertfail_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned lane = (unsigned)__builtin_ctz(mask);
    struct launch *launch = warp->cta->launch;
    pthread_mutex_lock(&launch->output->lock);
    if (!launch->output->assertion[0])
        device_string(warp, lane, builtin_argument(warp, inst, 0, lane), launch->output->assertion,
                      sizeof launch->output->assertion);
    pthread_mutex_unlock(&launch->output->lock);
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1))
            continue;
        print_assertion(warp, inst, l);
        warp_fault(warp, OBS_ASSERTION, l, NULL);
    }
    launch_stop(launch, EMU_ASSERT);
}

/* --- malloc and free -------------------------------------------------------------------------- */

uint64_t builtin_allocate(const struct warp *warp, uint64_t size)
{
    const struct launch *launch = warp->cta->launch;
    uint64_t addr = heap_alloc(launch->heap, size);
    if (addr)
        mem_mark(launch->memory, MEM_WRITTEN, addr, size, false);
    return addr;
}

bool builtin_free(struct warp *warp, unsigned lane, uint64_t addr)
{
    enum heap_result end = addr ? heap_free(warp->cta->launch->heap, addr) : HEAP_FREED;
    if (end != HEAP_FREED)
        warp_fault(warp, end == HEAP_FREED_BEFORE ? OBS_DOUBLE_FREE : OBS_BAD_FREE, lane, NULL);
    return end == HEAP_FREED;
}

static void malloc_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        uint64_t size = builtin_argument(warp, inst, 0, l);
        builtin_set_result(warp, inst, l, builtin_allocate(warp, size));
    }
}

static void free_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        builtin_free(warp, l, builtin_argument(warp, inst, 0, l));
    }
}

/* --- conditions of graphs --------------------------------------------------------------------- */

static void set_condition_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned bad = WARP; /* last lane whose argument is not a handle, or WARP */
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint32_t *value =
            condition_find(warp->cta->launch->conditions, builtin_argument(warp, inst, 0, l));
        if (value)
            __atomic_store_n(value, (uint32_t)builtin_argument(warp, inst, 1, l), __ATOMIC_RELAXED);
        else
            bad = l;
    }
    if (bad < WARP) {
        warp_fault(warp, OBS_BAD_CONDITION, bad, NULL);
        launch_stop(warp->cta->launch, EMU_ILLEGAL_ADDRESS);
    }
}

/* --- launches by kernels: see child.h --------------------------------------------------------- */

/* Reads argument I, a dim3, into SIZE. */
static void dimensions(const struct warp *warp, const struct inst *inst, unsigned i, unsigned lane,
                       uint32_t size[3])
{
    const struct ptx_variable *variable = argument(inst, 1, i);
    size_t at = (size_t)lane * warp->frame->image->frame_bytes;
    if (variable && variable->size == 3 * sizeof *size)
        memcpy(size, warp->frame->params + at + variable->offset, 3 * sizeof *size);
}

static void prepare_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        struct emu_launch shape = {.dynamic_shared_bytes =
                                       (uint32_t)builtin_argument(warp, inst, 3, l)};
        dimensions(warp, inst, 1, l, shape.grid);
        dimensions(warp, inst, 2, l, shape.block);
        builtin_set_result(
            warp, inst, l,
            child_prepare(warp->cta->launch, builtin_argument(warp, inst, 0, l), &shape));
    }
}

static void launch_run_child(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        builtin_set_error(warp, inst, l,
                          child_launch(warp->cta->launch, builtin_argument(warp, inst, 0, l),
                                       builtin_argument(warp, inst, 1, l)));
    }
}

lane_fn *builtin_find(struct ptx_name name)
{
    return ptx_name_is(name, "__cudaCDP2GetParameterBufferV2")  ? prepare_run
           : ptx_name_is(name, "__cudaCDP2LaunchDeviceV2")      ? launch_run_child
           : ptx_name_is(name, "__cudaCDP2LaunchDeviceV2_ptsz") ? launch_run_child
           : ptx_name_is(name, "vprintf")                       ? vprintf_run
           : ptx_name_is(name, "__assertfail")                  ? assertfail_run
           : ptx_name_is(name, "cudaGraphSetConditional")       ? set_condition_run
           : ptx_name_is(name, "malloc")                        ? malloc_run
           : ptx_name_is(name, "free")                          ? free_run
                                                                : runtime_call_find(name);
}
