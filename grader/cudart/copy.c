/* Copies and fills, one- and two-dimensional. Both sides are checked over their whole extent before
 * the first byte moves. The asynchronous forms do the work at once: nobody can tell, because
 * a launch has ended too when it returns. */
#include "cudart/rt.h"

#include <string.h>
#include <sys/mman.h>

/* Where a range of bytes lies. Managed memory is both: the host's copy is the true one. */
enum place { NOWHERE, ON_HOST, ON_DEVICE, ON_BOTH };

/* Whether the program has mapped all of these bytes. Reading them would otherwise end the process
 * inside the library, and the student would not learn which call was wrong. */
static bool is_mapped(const void *ptr, size_t size)
{
    const uintptr_t page = 4096, start = (uintptr_t)ptr & -page;
    uintptr_t end;
    if (__builtin_add_overflow((uintptr_t)ptr, size, &end))
        return false;
    return msync((void *)start, end - start, MS_ASYNC) == 0;
}

static enum place find_place(struct emu_device *device, const void *ptr, size_t size)
{
    size_t left;
    emu_addr base;
    uint64_t length;
    if (rt_managed_find(ptr, &left))
        return size <= left ? ON_BOTH : NOWHERE;
    if (emu_find(device, (emu_addr)ptr, &base, &length) == EMU_OK)
        return size <= length - ((emu_addr)ptr - base) ? ON_DEVICE : NOWHERE;
    return is_mapped(ptr, size) ? ON_HOST : NOWHERE;
}

static bool kind_is_known(enum cudaMemcpyKind kind)
{
    return (unsigned)kind <= cudaMemcpyDefault;
}

/* Whether KIND allows these two places. HostToHost is as lenient as Default, as on a GPU. */
static bool kind_fits(enum cudaMemcpyKind kind, enum place to, enum place from)
{
    if (to == NOWHERE || from == NOWHERE)
        return false;
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

/* SIZE bytes between two places that have been checked. */
static cudaError_t move(struct emu_device *device, void *to, enum place to_place, const void *from,
                        enum place from_place, size_t size)
{
    if (to_place == ON_DEVICE && from_place == ON_DEVICE)
        return rt_error(emu_copy(device, (emu_addr)to, (emu_addr)from, size));
    if (to_place == ON_DEVICE)
        return rt_error(emu_write(device, (emu_addr)to, from, size));
    if (from_place == ON_DEVICE)
        return rt_error(emu_read(device, to, (emu_addr)from, size));
    memmove(to, from, size);
    return cudaSuccess;
}

cudaError_t rt_copy(struct emu_device *device, void *to, const void *from, size_t size,
                    enum cudaMemcpyKind kind)
{
    if (!kind_is_known(kind))
        return cudaErrorInvalidMemcpyDirection;
    if (size == 0)
        return cudaSuccess;
    enum place to_place = find_place(device, to, size);
    enum place from_place = find_place(device, from, size);
    if (!kind_fits(kind, to_place, from_place))
        return cudaErrorInvalidValue;
    return move(device, to, to_place, from, from_place, size);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    if (error == cudaSuccess)
        error = rt_copy(device, to, from, size, kind);
    return rt_return(error);
}
RT_PER_THREAD(cudaMemcpy, _ptds)

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_stream(stream);
    if (error == cudaSuccess && !rt_faulted())
        error = rt_copy(device, to, from, size, kind);
    return rt_return(error);
}
RT_PER_THREAD(cudaMemcpyAsync, _ptsz)

/* --- rows ------------------------------------------------------------------------------------------ */

/* The bytes from the first of the first row to the last of the last; false if they overflow. */
static bool extent(size_t pitch, size_t width, size_t height, size_t *size)
{
    return !__builtin_mul_overflow(pitch, height - 1, size) &&
           !__builtin_add_overflow(*size, width, size);
}

static cudaError_t copy_rows(struct emu_device *device, void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind)
{
    size_t to_size, from_size;
    if (!kind_is_known(kind))
        return cudaErrorInvalidMemcpyDirection;
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (!extent(to_pitch, width, height, &to_size) ||
        !extent(from_pitch, width, height, &from_size))
        return cudaErrorInvalidValue;
    enum place to_place = find_place(device, to, to_size);
    enum place from_place = find_place(device, from, from_size);
    if (!kind_fits(kind, to_place, from_place))
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++)
        error = move(device, (char *)to + row * to_pitch, to_place,
                     (const char *)from + row * from_pitch, from_place, width);
    return error;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    if (error == cudaSuccess)
        error = copy_rows(device, to, to_pitch, from, from_pitch, width, height, kind);
    return rt_return(error);
}
RT_PER_THREAD(cudaMemcpy2D, _ptds)

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_stream(stream);
    if (error == cudaSuccess && !rt_faulted())
        error = copy_rows(device, to, to_pitch, from, from_pitch, width, height, kind);
    return rt_return(error);
}
RT_PER_THREAD(cudaMemcpy2DAsync, _ptsz)

/* --- fills ------------------------------------------------------------------------------------------ */

static cudaError_t fill_rows(struct emu_device *device, void *to, size_t pitch, int value,
                             size_t width, size_t height)
{
    size_t size;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if ((height > 1 && width > pitch) || !extent(pitch, width, height, &size))
        return cudaErrorInvalidValue;
    enum place place = find_place(device, to, size);
    if (place != ON_DEVICE && place != ON_BOTH)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++) {
        char *at = (char *)to + row * pitch;
        if (place == ON_BOTH)
            memset(at, value, width);
        else
            error = rt_error(emu_set(device, (emu_addr)at, value, width));
    }
    return error;
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    if (error == cudaSuccess)
        error = fill_rows(device, to, size, value, size, 1);
    return rt_return(error);
}
RT_PER_THREAD(cudaMemset, _ptds)

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    if (error == cudaSuccess)
        error = fill_rows(device, to, pitch, value, width, height);
    return rt_return(error);
}
RT_PER_THREAD(cudaMemset2D, _ptds)

static cudaError_t fill_async(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_stream(stream);
    if (error == cudaSuccess && !rt_faulted())
        error = fill_rows(device, to, pitch, value, width, height);
    return rt_return(error);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    return fill_async(to, size, value, size, 1, stream);
}
RT_PER_THREAD(cudaMemsetAsync, _ptsz)

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return fill_async(to, pitch, value, width, height, stream);
}
RT_PER_THREAD(cudaMemset2DAsync, _ptsz)
