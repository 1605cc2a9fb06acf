/* Executes copies between the host, the device and arrays. Every copy is a box: layers of rows of
 * bytes. A pitch is the distance in bytes between the starts of two rows. The source and the target
 * are checked completely before the first byte is copied.
 *
 * An asynchronous copy normally runs during the call. A program cannot notice this, because
 * launches also run during the call. There are two exceptions. In a captured stream, the copy
 * becomes a graph node (graphs/capture.c). If an earlier launch has not ended, the copy waits in a
 * queue (queue.c). */
#include "gpu/cudart/array.h"
#include "gpu/cudart/work.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- where memory is -------------------------------------------------------------------------- */

/* The kind of memory that an address belongs to. ON_BOTH is memory that host and device share.
 * Copies access it as host memory. */
enum place { NOWHERE, ON_HOST, ON_DEVICE, ON_BOTH };

/* Returns whether all SIZE bytes at PTR are mapped. Every copy checks this first. Otherwise an
 * access to unmapped memory would kill the process inside the library, and the student would not
 * learn which call was wrong. */
bool rt_is_mapped(const void *ptr, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)ptr & -page;
    uintptr_t end;
    if (__builtin_add_overflow((uintptr_t)ptr, size, &end))
        return false;
    return msync((void *)start, end - start, MS_ASYNC) == 0;
}

static enum place find_place(struct emu_device *device, const void *ptr, size_t size)
{
    struct rt_range range;
    emu_addr base;
    uint64_t length;
    if (rt_range_find(ptr, &range) && range.kind & RT_ON_BOTH) {
        size_t offset = (size_t)((const char *)ptr - (const char *)range.ptr);
        return size <= range.size - offset ? ON_BOTH : NOWHERE;
    }
    if (emu_find(device, (emu_addr)ptr, &base, &length) == EMU_OK)
        return size <= length - ((emu_addr)ptr - base) ? ON_DEVICE : NOWHERE;
    return rt_is_mapped(ptr, size) ? ON_HOST : NOWHERE;
}

/* Returns whether KIND allows a copy from FROM to TO. As on a GPU, HostToHost allows the same
 * copies as Default. */
static bool kind_fits(enum cudaMemcpyKind kind, enum place to, enum place from)
{
    if (to == NOWHERE || from == NOWHERE)
        return false;
    bool unified = to == ON_BOTH || from == ON_BOTH;
    if (unified && to != ON_HOST && from != ON_HOST)
        return true;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return to != ON_HOST && from != ON_DEVICE;
    case cudaMemcpyDeviceToHost:
        return to != ON_DEVICE && from != ON_HOST;
    case cudaMemcpyDeviceToDevice:
        return to != ON_HOST && from != ON_HOST;
    default:
        return true;
    }
}

/* --- boxes ------------------------------------------------------------------------------------ */

/* The source or the target of a copy. */
struct side {
    char *at; /* address of the first byte, as the program sees it */
    /* distance in bytes from one row to the next, and from one layer to the next */
    size_t pitch, slice;
    enum place place;
};

/* Copies SIZE bytes. The caller has checked both addresses. */
static cudaError_t move(struct emu_device *device, enum place to, char *target, enum place from,
                        char *source, size_t size)
{
    if (to == ON_DEVICE && from == ON_DEVICE)
        return rt_error(emu_copy(device, (emu_addr)target, (emu_addr)source, size));
    if (to == ON_DEVICE) {
        rt_note_fill(device, target, size);
        return rt_error(emu_write(device, (emu_addr)target, source, size));
    }
    if (from == ON_DEVICE)
        return rt_error(emu_read(device, target, (emu_addr)source, size));
    memmove(target, source, size);
    return cudaSuccess;
}

/* Does the same as move(), but for ROWS. */
static cudaError_t move_rows(struct emu_device *device, enum place to, char *target,
                             enum place from, char *source, const struct emu_rows *rows)
{
    if (to == ON_DEVICE && from == ON_DEVICE)
        return rt_error(emu_copy_rows(device, (emu_addr)target, (emu_addr)source, rows));
    if (to == ON_DEVICE) {
        rt_note_fill(device, target, rows->count * rows->to_pitch);
        return rt_error(emu_write_rows(device, (emu_addr)target, source, rows));
    }
    if (from == ON_DEVICE)
        return rt_error(emu_read_rows(device, target, (emu_addr)source, rows));
    for (size_t y = 0; y < rows->count; y++)
        memmove(target + y * rows->to_pitch, source + y * rows->from_pitch, rows->width);
    return cudaSuccess;
}

/* Sets *SIZE to the number of bytes from the start of the first row to the end of the last row.
 * Returns false if this number overflows. */
static bool span(const struct side *side, struct cudaExtent box, size_t *size)
{
    size_t layers;
    return !__builtin_mul_overflow(side->pitch, box.height - 1, size) &&
           !__builtin_mul_overflow(side->slice, box.depth - 1, &layers) &&
           !__builtin_add_overflow(*size, layers, size) &&
           !__builtin_add_overflow(*size, box.width, size);
}

/* Finds out what kind of memory SIDE is in. If SIDE is not accessible, reports this and returns
 * false. The report begins with WHAT, such as "reads from". */
static bool locate(struct emu_device *device, struct side *side, struct cudaExtent box,
                   const char *what)
{
    size_t size;
    if (!span(side, box, &size))
        return false;
    side->place = find_place(device, side->at, size);
    const struct rt_rows rows = {size, box.width, box.depth > 1 ? 1 : box.height, side->pitch};
    size_t room = side->place == ON_HOST ? rt_host_room(side->at, size) : SIZE_MAX;
    if (side->place == NOWHERE)
        rt_report_bad_range(device, what, side->at, &rows);
    else if (size > room)
        rt_report_host_array(what, &rows, room);
    return side->place != NOWHERE && size <= room;
}

static const char *name_of(enum place place)
{
    return place == ON_DEVICE ? "the device"
           : place == ON_HOST ? "the host"
                              : "managed or pinned memory";
}

/* Reports a copy whose KIND does not match its pointers. */
static void report_direction(enum cudaMemcpyKind kind, enum place to, enum place from)
{
    static const char *const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                        "cudaMemcpyDefault"};
    rt_finding("wrong-copy-direction", NULL, "the call specifies %s, but copies from %s to %s",
               names[kind], name_of(from), name_of(to));
}

/* A checked copy. */
struct plan {
    struct side to, from;
    struct cudaExtent box; /* width is in bytes; width is 0 if there is nothing to copy */
};

static cudaError_t check_places(struct emu_device *device, struct plan *plan,
                                enum cudaMemcpyKind kind)
{
    struct side *to = &plan->to, *from = &plan->from;
    if (!locate(device, to, plan->box, "writes to") ||
        !locate(device, from, plan->box, "reads from"))
        return cudaErrorInvalidValue;
    if (kind_fits(kind, to->place, from->place))
        return cudaSuccess;
    report_direction(kind, to->place, from->place);
    return cudaErrorInvalidValue;
}

static cudaError_t copy_box(struct emu_device *device, const struct plan *plan, bool has_rows)
{
    struct side to = plan->to, from = plan->from;
    struct emu_rows rows = {plan->box.width, plan->box.height, to.pitch, from.pitch};
    if (rows.count == 1) /* the pitch of a single row does not matter */
        rows.to_pitch = rows.from_pitch = rows.width;
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < plan->box.depth && error == cudaSuccess; z++) {
        char *target = to.at + z * to.slice, *source = from.at + z * from.slice;
        error = rows.count > 1 || has_rows
                    ? move_rows(device, to.place, target, from.place, source, &rows)
                    : move(device, to.place, target, from.place, source, rows.width);
    }
    return error;
}

/* --- copies described by cudaMemcpy3DParms ---------------------------------------------------- */

static void report_null(void)
{
    struct rt_places places = {
        .at = rt_caller(),
        .help =
            "one of the two pointers is NULL: is it set before this line, and did its cudaMalloc() or "
            "malloc() succeed?"};
    rt_finding_at("out-of-bounds", NULL, &places, 1, "a copy to or from a null pointer");
}

/* Sets *SIDE to the bytes of ARRAY from position AT on or, if ARRAY is NULL, to the bytes at
 * PTR. */
static cudaError_t make_side(struct side *side, cudaArray_t array, struct cudaPitchedPtr ptr,
                             struct cudaPos at, struct cudaExtent box, size_t element)
{
    if (!!array == !!ptr.ptr) {
        if (!array)
            report_null();
        return cudaErrorInvalidValue;
    }
    if (!array) {
        if (box.depth > 1 && ptr.ysize < box.height)
            return cudaErrorInvalidPitchValue;
        *side = (struct side){.pitch = ptr.pitch, .slice = ptr.pitch * ptr.ysize};
        side->at = (char *)ptr.ptr + at.z * side->slice + at.y * ptr.pitch + at.x;
        return cudaSuccess;
    }
    struct rt_array *live = rt_live_array(array);
    if (!live)
        return cudaErrorInvalidResourceHandle;
    if (live->element != element || at.x * element + box.width > live->pitch ||
        at.y + box.height > live->height || at.z + box.depth > live->depth)
        return cudaErrorInvalidValue;
    *side = (struct side){.pitch = live->pitch, .slice = live->pitch * live->height};
    side->at = (char *)live->addr + at.z * side->slice + at.y * side->pitch + at.x * element;
    return cudaSuccess;
}

/* Returns the size in bytes of an element. The width of the extent, and positions in arrays, are in
 * elements. */
static size_t element_of(const struct cudaMemcpy3DParms *copy)
{
    cudaArray_t array = copy->srcArray ? copy->srcArray : copy->dstArray;
    return array ? rt_array_element(array) : 1;
}

static cudaError_t make_plan(struct emu_device *device, const struct cudaMemcpy3DParms *copy,
                             struct plan *plan)
{
    *plan = (struct plan){0};
    if ((unsigned)copy->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    struct cudaExtent box = copy->extent;
    if (!copy->dstArray && box.width > copy->dstPtr.pitch) {
        rt_report_small_pitch("target's", copy->dstPtr.ptr, copy->dstPtr.pitch, box.width);
        return cudaErrorInvalidPitchValue;
    }
    if (!copy->srcArray && box.width > copy->srcPtr.pitch) {
        rt_report_small_pitch("source's", copy->srcPtr.ptr, copy->srcPtr.pitch, box.width);
        return cudaErrorInvalidPitchValue;
    }
    if (box.width == 0 || box.height == 0 || box.depth == 0)
        return cudaSuccess;
    size_t element = element_of(copy);
    if (__builtin_mul_overflow(box.width, element, &box.width))
        return cudaErrorInvalidValue;
    cudaError_t error =
        make_side(&plan->to, copy->dstArray, copy->dstPtr, copy->dstPos, box, element);
    if (error == cudaSuccess)
        error = make_side(&plan->from, copy->srcArray, copy->srcPtr, copy->srcPos, box, element);
    plan->box = box;
    return error == cudaSuccess ? check_places(device, plan, copy->kind) : error;
}

cudaError_t rt_run_copy(struct emu_device *device, const struct rt_work *work)
{
    const struct cudaMemcpy3DParms *copy = &work->copy;
    struct plan plan;
    cudaError_t error = make_plan(device, copy, &plan);
    if (error != cudaSuccess || !plan.box.width)
        return error;
    if (copy->extent.height > 1 && !copy->dstArray && !copy->srcArray)
        rt_check_pitches(copy->dstPtr.ptr, copy->dstPtr.pitch, copy->srcPtr.ptr, copy->srcPtr.pitch,
                         plan.box.width);
    return copy_box(device, &plan, work->has_rows);
}

cudaError_t rt_check_copy(struct emu_device *device, const struct cudaMemcpy3DParms *copy)
{
    struct plan plan;
    return make_plan(device, copy, &plan);
}

/* Appends the byte ranges of SIDE to LIST, which has *COUNT entries. */
static void add_touches(struct emu_touch *list, size_t *count, const struct side *side,
                        struct cudaExtent box, enum emu_touch_kind kind)
{
    for (size_t z = 0; z < box.depth && side->place != ON_HOST; z++)
        for (size_t y = 0; y < box.height; y++) {
            emu_addr at = (emu_addr)side->at + z * side->slice + y * side->pitch;
            list[(*count)++] = (struct emu_touch){at, at + box.width, kind};
        }
}

static bool is_host_memory(const struct side *side)
{
    struct rt_range range;
    return side->place == ON_HOST || (side->place == ON_BOTH && rt_range_find(side->at, &range) &&
                                      range.kind & (RT_HOST | RT_REGISTERED));
}

struct emu_touch *rt_copy_touches(struct emu_device *device, const struct cudaMemcpy3DParms *copy,
                                  size_t *count, bool *waits)
{
    struct plan plan;
    *count = 0;
    if (make_plan(device, copy, &plan) != cudaSuccess || !plan.box.width)
        return NULL;
    bool blocks = *waits && (plan.to.place != ON_DEVICE || plan.from.place != ON_DEVICE);
    *waits = blocks || plan.to.place == ON_HOST ||
             (is_host_memory(&plan.to) && is_host_memory(&plan.from));
    struct emu_touch *list = calloc(2 * plan.box.height * plan.box.depth, sizeof *list);
    if (list) {
        add_touches(list, count, &plan.to, plan.box, EMU_WRITES);
        add_touches(list, count, &plan.from, plan.box, EMU_READS);
    }
    return list;
}

struct rt_route rt_copy_route(struct emu_device *device, const struct cudaMemcpy3DParms *copy)
{
    struct plan plan;
    if (make_plan(device, copy, &plan) != cudaSuccess || !plan.box.width)
        return (struct rt_route){0};
    return (struct rt_route){.from_host = is_host_memory(&plan.from),
                             .to_host = is_host_memory(&plan.to),
                             .is_pageable = plan.from.place == ON_HOST || plan.to.place == ON_HOST,
                             .bytes = (uint64_t)plan.box.width * plan.box.height * plan.box.depth,
                             .host = is_host_memory(&plan.from) ? plan.from.at : plan.to.at};
}

bool rt_copies_from_pageable(struct emu_device *device, const struct cudaMemcpy3DParms *copy)
{
    struct plan plan;
    return make_plan(device, copy, &plan) == cudaSuccess && plan.from.place == ON_HOST;
}

bool rt_copies_to_pageable(struct emu_device *device, const struct cudaMemcpy3DParms *copy)
{
    struct plan plan;
    return make_plan(device, copy, &plan) == cudaSuccess && plan.to.place == ON_HOST;
}

size_t rt_copy_width(const struct cudaMemcpy3DParms *copy)
{
    return copy->extent.width * element_of(copy);
}

struct rt_work rt_work_of_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct rt_work work = {.type = cudaGraphNodeTypeMemcpy, .has_rows = true};
    work.copy = (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)from, from_pitch, width, height},
        .dstPtr = {to, to_pitch, width, height},
        .extent = {width, height, 1},
        .kind = kind,
    };
    return work;
}

struct rt_work rt_work_of_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    struct rt_work work = rt_work_of_rows(to, size, from, size, size, 1, kind);
    work.has_rows = false;
    return work;
}

/* --- the program's copies --------------------------------------------------------------------- */

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    struct rt_work work = rt_work_of_bytes(to, from, size, kind);
    return rt_return(rt_wait_and_run(&work));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    struct rt_work work = rt_work_of_bytes(to, from, size, kind);
    return rt_return(rt_submit(stream, &work));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct rt_work work = rt_work_of_rows(to, to_pitch, from, from_pitch, width, height, kind);
    return rt_return(rt_wait_and_run(&work));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    struct rt_work work = rt_work_of_rows(to, to_pitch, from, from_pitch, width, height, kind);
    return rt_return(rt_submit(stream, &work));
}
