#include "gpu/cudart/array.h"

#include <pthread.h>
#include <stdlib.h>

#include "gpu/cudart/work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_array *arrays;

/* Returns the pointer in the list that points to ARRAY, or NULL if ARRAY does not exist. The caller
 * holds the lock. */
static struct rt_array **find(cudaArray_const_t array)
{
    for (struct rt_array **at = &arrays; *at; at = &(*at)->next)
        if ((const void *)*at == (const void *)array)
            return at;
    return NULL;
}

struct rt_array *rt_live_array(cudaArray_const_t array)
{
    pthread_mutex_lock(&lock);
    struct rt_array **at = array ? find(array) : NULL;
    struct rt_array *live = at ? *at : NULL;
    pthread_mutex_unlock(&lock);
    return live;
}

size_t rt_array_element(cudaArray_const_t array)
{
    const struct rt_array *live = rt_live_array(array);
    return live ? live->element : 0;
}

/* --- elements that an array can have ---------------------------------------------------------- */

size_t rt_channel_bytes(const struct cudaChannelFormatDesc *desc)
{
    int bits = desc->x, channels = 1 + !!desc->y + !!desc->z + !!desc->w;
    bool same = (!desc->y || desc->y == bits) && (!desc->z || desc->z == bits) &&
                (!desc->w || desc->w == bits);
    bool in_order = (!desc->z || desc->y) && (!desc->w || desc->z);
    bool known = desc->f == cudaChannelFormatKindSigned ||
                 desc->f == cudaChannelFormatKindUnsigned ||
                 (desc->f == cudaChannelFormatKindFloat && bits != 8);
    if (!same || !in_order || !known || channels == 3 || (bits != 8 && bits != 16 && bits != 32))
        return 0;
    return (size_t)channels * (size_t)bits / 8;
}

/* --- making and freeing ----------------------------------------------------------------------- */

static size_t at_least_1(size_t value)
{
    return value ? value : 1;
}

static bool shape_is_legal(struct cudaExtent extent, unsigned flags)
{
    const unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
    if (!extent.width || (flags & ~known))
        return false;
    if (flags & cudaArrayCubemap)
        return extent.height == extent.width && extent.depth &&
               (flags & cudaArrayLayered ? extent.depth % 6 == 0 : extent.depth == 6);
    if (flags & cudaArrayLayered)
        return extent.depth != 0;
    return extent.height || !extent.depth;
}

cudaError_t rt_array_shape(struct rt_array *array, const struct cudaChannelFormatDesc *desc,
                           struct cudaExtent extent, unsigned flags)
{
    size_t size;
    if (!desc)
        return cudaErrorInvalidValue;
    if (!rt_channel_bytes(desc))
        return cudaErrorInvalidChannelDescriptor;
    if (!shape_is_legal(extent, flags))
        return cudaErrorInvalidValue;
    *array = (struct rt_array){.desc = *desc, .extent = extent, .flags = flags};
    array->element = rt_channel_bytes(desc);
    array->height = at_least_1(extent.height);
    array->depth = at_least_1(extent.depth);
    if (__builtin_mul_overflow(extent.width, array->element, &array->pitch) ||
        __builtin_mul_overflow(array->pitch, array->height, &size) ||
        __builtin_mul_overflow(size, array->depth, &size))
        return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

bool rt_array_add(const struct rt_array *made, cudaArray_t *array)
{
    struct rt_array *live = malloc(sizeof *live);
    if (!live)
        return false;
    *live = *made;
    pthread_mutex_lock(&lock);
    live->next = arrays;
    arrays = live;
    pthread_mutex_unlock(&lock);
    *array = (cudaArray_t)live;
    return true;
}

static cudaError_t make(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                        struct cudaExtent extent, unsigned flags)
{
    struct emu_device *device;
    struct rt_array made;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    error = array ? rt_array_shape(&made, desc, extent, flags) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_error(emu_alloc(device, made.pitch * made.height * made.depth, &made.addr));
    if (error != cudaSuccess)
        return error;
    made.made = rt_caller();
    if (rt_array_add(&made, array))
        return cudaSuccess;
    emu_free(device, made.addr);
    return cudaErrorMemoryAllocation;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned flags)
{
    return rt_return(make(array, desc, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags)
{
    return rt_return(make(array, desc, extent, flags));
}

bool rt_array_take(cudaArray_t array, bool is_level, struct rt_array *taken)
{
    pthread_mutex_lock(&lock);
    struct rt_array **at = find(array), *live = at && (*at)->is_level == is_level ? *at : NULL;
    if (live)
        *at = live->next;
    pthread_mutex_unlock(&lock);
    if (live)
        *taken = *live;
    free(live);
    return live != NULL;
}

static cudaError_t release(cudaArray_t array)
{
    struct emu_device *device;
    struct rt_array taken;
    cudaError_t error = rt_wait(&device);
    if (error != cudaSuccess || !array)
        return error;
    if (!rt_array_take(array, false, &taken))
        return cudaErrorInvalidResourceHandle;
    emu_free(device, taken.addr);
    return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    return rt_return(release(array));
}

void rt_arrays_reset(struct emu_device *device)
{
    pthread_mutex_lock(&lock);
    while (arrays) {
        struct rt_array *first = arrays;
        arrays = first->next;
        if (!first->is_level)
            emu_free(device, first->addr);
        free(first);
    }
    pthread_mutex_unlock(&lock);
}

void rt_arrays_each(void (*visit)(void *context, const struct rt_range *range), void *context)
{
    pthread_mutex_lock(&lock);
    for (const struct rt_array *array = arrays; array; array = array->next) {
        struct rt_range range = {.ptr = (const void *)array->addr,
                                 .size = array->pitch * array->height * array->depth,
                                 .made = array->made};
        if (!array->is_level)
            visit(context, &range);
    }
    pthread_mutex_unlock(&lock);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array)
{
    const struct rt_array *live = rt_live_array(array);
    if (!live)
        return rt_return(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = live->desc;
    if (extent)
        *extent = live->extent;
    if (flags)
        *flags = live->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    const struct rt_array *live = rt_live_array(array);
    if (!live)
        return rt_return(cudaErrorInvalidResourceHandle);
    if (!desc)
        return rt_return(cudaErrorInvalidValue);
    *desc = live->desc;
    return cudaSuccess;
}

/* --- copies of 3-dimensional boxes ------------------------------------------------------------ */

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *parms, bool waits, cudaStream_t stream)
{
    struct rt_work work = {.type = cudaGraphNodeTypeMemcpy};
    if (!parms)
        return cudaErrorInvalidValue;
    work.copy = *parms;
    return waits ? rt_wait_and_run(&work) : rt_submit(stream, &work);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parms)
{
    return rt_return(copy_3d(parms, true, NULL));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parms, cudaStream_t stream)
{
    return rt_return(copy_3d(parms, false, stream));
}

/* --- rows of an array; offsets and widths are in bytes ---------------------------------------- */

/* Sets *AT to the device address of byte X in row Y of ARRAY, and *LEFT to the number of bytes from
 * there to the end of the array. */
static cudaError_t part(cudaArray_const_t array, size_t x, size_t y, struct rt_array **live,
                        char **at, size_t *left)
{
    *live = rt_live_array(array);
    if (!*live)
        return cudaErrorInvalidResourceHandle;
    size_t size = (*live)->pitch * (*live)->height;
    if (x > (*live)->pitch || y >= (*live)->height)
        return cudaErrorInvalidValue;
    *at = (char *)(*live)->addr + y * (*live)->pitch + x;
    *left = size - y * (*live)->pitch - x;
    return cudaSuccess;
}

/* Returns whether ARRAY contains HEIGHT rows of WIDTH bytes that begin at (X, Y). */
static bool rows_fit(const struct rt_array *array, size_t x, size_t y, size_t width, size_t height)
{
    return width <= array->pitch - x && height <= array->height - y;
}

/* Returns whether KIND allows a copy to an array (if TO_ARRAY is true) or from an array. Arrays are
 * on the device. */
static bool kind_fits(enum cudaMemcpyKind kind, bool to_array)
{
    return kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault ||
           kind == (to_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

/* Creates the work item for a copy of rows: from PTR to ARRAY if TO_ARRAY is true, otherwise from
 * ARRAY to PTR. */
static cudaError_t rows_work(struct rt_work *work, cudaArray_const_t array, size_t x, size_t y,
                             void *ptr, size_t pitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind, bool to_array)
{
    struct rt_array *live;
    char *at;
    size_t left;
    cudaError_t error = part(array, x, y, &live, &at, &left);
    if (error == cudaSuccess && !kind_fits(kind, to_array))
        error = cudaErrorInvalidMemcpyDirection;
    if (error != cudaSuccess)
        return error;
    if (width > pitch)
        return cudaErrorInvalidPitchValue;
    if (!rows_fit(live, x, y, width, height))
        return cudaErrorInvalidValue;
    *work = to_array ? rt_work_of_rows(at, live->pitch, ptr, pitch, width, height, kind)
                     : rt_work_of_rows(ptr, pitch, at, live->pitch, width, height, kind);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct rt_work work;
    cudaError_t error = rows_work(&work, to, x, y, (void *)from, pitch, width, height, kind, true);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = rows_work(&work, to, x, y, (void *)from, pitch, width, height, kind, true);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct rt_work work;
    cudaError_t error = rows_work(&work, from, x, y, to, pitch, width, height, kind, false);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = rows_work(&work, from, x, y, to, pitch, width, height, kind, false);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct rt_work work;
    struct rt_array *source;
    char *at;
    size_t left;
    cudaError_t error = part(from, from_x, from_y, &source, &at, &left);
    if (error == cudaSuccess && !rows_fit(source, from_x, from_y, width, height))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rows_work(&work, to, to_x, to_y, at, source->pitch, width, height,
                          cudaMemcpyDeviceToDevice, true);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

/* --- copies of bytes that can span rows; these functions are deprecated, but still exported --- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cudaError_t bytes_work(struct rt_work *work, cudaArray_const_t array, size_t x, size_t y,
                              void *ptr, size_t count, enum cudaMemcpyKind kind, bool to_array)
{
    struct rt_array *live;
    char *at;
    size_t left;
    cudaError_t error = part(array, x, y, &live, &at, &left);
    if (error == cudaSuccess && !kind_fits(kind, to_array))
        error = cudaErrorInvalidMemcpyDirection;
    if (error == cudaSuccess && count > left)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *work = to_array ? rt_work_of_bytes(at, ptr, count, kind)
                         : rt_work_of_bytes(ptr, at, count, kind);
    return error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    struct rt_work work;
    cudaError_t error = bytes_work(&work, to, x, y, (void *)from, count, kind, true);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = bytes_work(&work, to, x, y, (void *)from, count, kind, true);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    struct rt_work work;
    cudaError_t error = bytes_work(&work, from, x, y, to, count, kind, false);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = bytes_work(&work, from, x, y, to, count, kind, false);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t count,
                                   enum cudaMemcpyKind kind)
{
    struct rt_work work;
    struct rt_array *source;
    char *at;
    size_t left;
    cudaError_t error = part(from, from_x, from_y, &source, &at, &left);
    if (error == cudaSuccess && count > left)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = bytes_work(&work, to, to_x, to_y, at, count, cudaMemcpyDeviceToDevice, true);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}
