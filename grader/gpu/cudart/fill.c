/* Fills rows and layers of memory with a byte. A graph node can also fill with elements of 2 or 4
 * bytes. */
#include "gpu/cudart/work.h"

#include <stdlib.h>
#include <string.h>

static bool is_inside(struct emu_device *device, const void *to, size_t size)
{
    emu_addr base;
    uint64_t length;
    return emu_find(device, (emu_addr)to, &base, &length) == EMU_OK &&
           size <= length - ((emu_addr)to - base);
}

cudaError_t rt_check_fill(struct emu_device *device, const struct cudaMemsetParams *fill)
{
    size_t row_bytes, size;
    if (fill->width == 0 || fill->height == 0)
        return cudaSuccess;
    if (__builtin_mul_overflow(fill->width, fill->elementSize, &row_bytes) ||
        (fill->height > 1 && row_bytes > fill->pitch) ||
        __builtin_mul_overflow(fill->pitch, fill->height - 1, &size) ||
        __builtin_add_overflow(size, row_bytes, &size))
        return cudaErrorInvalidValue;
    if (is_inside(device, fill->dst, size))
        return cudaSuccess;
    const struct rt_rows rows = {size, row_bytes, fill->height, fill->pitch};
    rt_report_bad_range(device, "fills", fill->dst, &rows);
    return cudaErrorInvalidValue;
}

/* Returns the four bytes that the fill repeats. */
static uint32_t pattern_of(const struct cudaMemsetParams *fill)
{
    return fill->elementSize == 1   ? (fill->value & 0xff) * 0x01010101u
           : fill->elementSize == 2 ? (fill->value & 0xffff) * 0x00010001u
                                    : fill->value;
}

cudaError_t rt_run_fill(struct emu_device *device, const struct rt_work *work)
{
    const struct cudaMemsetParams *fill = &work->fill;
    struct emu_rows rows = {fill->width * fill->elementSize, fill->height, .to_pitch = fill->pitch};
    emu_addr to = (emu_addr)fill->dst;
    cudaError_t error = rt_check_fill(device, fill);
    if (error != cudaSuccess || fill->width == 0 || fill->height == 0)
        return error;
    if (rows.count == 1) /* the pitch of a single row does not matter */
        rows.to_pitch = rows.width;
    else
        rt_check_pitches(fill->dst, fill->pitch, NULL, 0, 0);
    rt_note_fill(device, fill->dst, rows.count * rows.to_pitch);
    return rt_error(rows.count == 1 && !work->has_rows
                        ? emu_set(device, to, pattern_of(fill), rows.width)
                        : emu_set_rows(device, to, pattern_of(fill), &rows));
}

struct emu_touch *rt_fill_touches(const struct cudaMemsetParams *fill, size_t *count, bool *waits)
{
    struct rt_range range;
    struct emu_touch *list = calloc(fill->height + 1, sizeof *list);
    *waits = *waits && rt_range_find(fill->dst, &range) && range.kind & RT_ON_BOTH;
    *count = list ? fill->height : 0;
    for (size_t y = 0; y < *count; y++) {
        list[y].begin = (emu_addr)fill->dst + y * fill->pitch;
        list[y].end = list[y].begin + fill->width * fill->elementSize;
        list[y].kind = EMU_WRITES;
    }
    return list;
}

static struct rt_work rows(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct rt_work work = {.type = cudaGraphNodeTypeMemset};
    work.fill = (struct cudaMemsetParams){.dst = to,
                                          .pitch = pitch,
                                          .value = (unsigned char)value,
                                          .elementSize = 1,
                                          .width = width,
                                          .height = height};
    return work;
}

/* Returns the work of cudaMemset2D(). */
static struct rt_work rows_2d(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct rt_work work = rows(to, pitch, value, width, height);
    work.has_rows = true;
    return work;
}

/* Runs a fill immediately, unless earlier work is unfinished. Then it queues the fill, because
 * cudaMemset() does not wait. */
static cudaError_t fill(const struct rt_work *work)
{
    return rt_is_stream_busy(cudaStreamDefault) ? rt_submit(cudaStreamDefault, work)
                                                : rt_wait_and_run(work);
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    struct rt_work work = rows(to, size, value, size, 1);
    return rt_return(fill(&work));
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct rt_work work = rows_2d(to, pitch, value, width, height);
    return rt_return(fill(&work));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    struct rt_work work = rows(to, size, value, size, 1);
    return rt_return(rt_submit(stream, &work));
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    struct rt_work work = rows_2d(to, pitch, value, width, height);
    return rt_return(rt_submit(stream, &work));
}

/* --- fills of several layers, one by one ------------------------------------------------------ */

typedef cudaError_t submit_fn(cudaStream_t stream, const struct rt_work *work);

static cudaError_t do_now(cudaStream_t stream, const struct rt_work *work)
{
    return fill(work);
}

static cudaError_t layers(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                          submit_fn *submit, cudaStream_t stream)
{
    size_t slice;
    if (__builtin_mul_overflow(to.pitch, to.ysize, &slice) ||
        (extent.depth > 1 && extent.height > to.ysize))
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++) {
        struct rt_work work =
            rows((char *)to.ptr + z * slice, to.pitch, value, extent.width, extent.height);
        error = submit(stream, &work);
    }
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return rt_return(layers(to, value, extent, do_now, NULL));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    return rt_return(layers(to, value, extent, rt_submit, stream));
}
