/* Implements texture and surface objects. Converts CUDA's descriptions to those of the device
 * (struct emu_texture). The handle of an object is the same in the program and on the device. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cudart/array.h"

struct object {
    uint64_t handle;
    bool is_surface;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    bool has_view;
    struct object *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects;

/* --- resources: the memory of the texels ------------------------------------------------------ */

static void set_channels(struct emu_texture *t, const struct cudaChannelFormatDesc *desc)
{
    t->channels = (uint8_t)(1 + !!desc->y + !!desc->z + !!desc->w);
    t->bits = (uint8_t)desc->x;
    t->kind = desc->f == cudaChannelFormatKindFloat    ? 'f'
              : desc->f == cudaChannelFormatKindSigned ? 's'
                                                       : 'u';
}

void rt_array_texels(struct emu_texture *t, const struct rt_array *array)
{
    set_channels(t, &array->desc);
    t->addr = array->addr;
    t->width = (uint32_t)(array->pitch / array->element);
    t->height = (uint32_t)array->height;
    t->depth = (uint32_t)array->depth;
    t->pitch = array->pitch;
    t->slice = array->pitch * array->height;
    t->layered = array->flags & (cudaArrayLayered | cudaArrayCubemap);
    t->cube = array->flags & cudaArrayCubemap;
}

static cudaError_t use_array(struct emu_texture *t, cudaArray_t array)
{
    const struct rt_array *live = rt_live_array(array);
    if (live)
        rt_array_texels(t, live);
    return live ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* Returns whether SIZE bytes from PTR on are allocated on the device, and PTR is aligned as a
 * texture requires. */
static bool is_usable(struct emu_device *device, const void *ptr, uint64_t size)
{
    const uintptr_t alignment = 512;
    emu_addr base;
    uint64_t length;
    return ptr && (uintptr_t)ptr % alignment == 0 && size &&
           emu_find(device, (emu_addr)ptr, &base, &length) == EMU_OK &&
           size <= length - ((emu_addr)ptr - base);
}

static cudaError_t use_linear(struct emu_device *device, struct emu_texture *t, const void *ptr,
                              const struct cudaChannelFormatDesc *desc, size_t size)
{
    size_t element = rt_channel_bytes(desc);
    if (!element)
        return cudaErrorInvalidChannelDescriptor;
    if (!is_usable(device, ptr, size) || size / element > UINT32_MAX)
        return cudaErrorInvalidValue;
    set_channels(t, desc);
    t->addr = (emu_addr)ptr;
    t->width = (uint32_t)(size / element);
    t->height = t->depth = 1;
    t->pitch = t->slice = size;
    return cudaSuccess;
}

static cudaError_t use_rows(struct emu_device *device, struct emu_texture *t,
                            const struct cudaResourceDesc *resource)
{
    const size_t alignment = 32;
    size_t element = rt_channel_bytes(&resource->res.pitch2D.desc);
    size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
    size_t pitch = resource->res.pitch2D.pitchInBytes;
    if (!element)
        return cudaErrorInvalidChannelDescriptor;
    if (!width || !height || width > UINT16_MAX * 2 || height > UINT16_MAX || pitch % alignment ||
        pitch < width * element ||
        !is_usable(device, resource->res.pitch2D.devPtr, pitch * (height - 1) + width * element))
        return cudaErrorInvalidValue;
    set_channels(t, &resource->res.pitch2D.desc);
    t->addr = (emu_addr)resource->res.pitch2D.devPtr;
    t->width = (uint32_t)width;
    t->height = (uint32_t)height;
    t->depth = 1;
    t->pitch = pitch;
    t->slice = pitch * height;
    return cudaSuccess;
}

static cudaError_t use_resource(struct emu_device *device, struct emu_texture *t,
                                const struct cudaResourceDesc *resource)
{
    switch (resource->resType) {
    case cudaResourceTypeArray:
        return use_array(t, resource->res.array.array);
    case cudaResourceTypeLinear:
        return use_linear(device, t, resource->res.linear.devPtr, &resource->res.linear.desc,
                          resource->res.linear.sizeInBytes);
    case cudaResourceTypePitch2D:
        return use_rows(device, t, resource);
    case cudaResourceTypeMipmappedArray:
        return rt_mipmap_texels(t, resource->res.mipmap.mipmap);
    default:
        return cudaErrorInvalidValue;
    }
}

/* --- how fetches convert and filter texels ---------------------------------------------------- */

static cudaError_t set_reading(struct emu_texture *t, const struct cudaTextureDesc *desc)
{
    t->normalized_float = desc->readMode == cudaReadModeNormalizedFloat;
    t->linear = desc->filterMode == cudaFilterModeLinear;
    t->normalized_coords = desc->normalizedCoords;
    for (int i = 0; i < 3; i++)
        t->address[i] = (uint8_t)desc->addressMode[i];
    if (t->cube)
        memset(t->address, EMU_CLAMP, sizeof t->address);
    memcpy(t->border, desc->borderColor, sizeof t->border);
    t->level_linear = desc->mipmapFilterMode == cudaFilterModeLinear;
    t->level_bias = desc->mipmapLevelBias;
    t->level_min = desc->minMipmapLevelClamp;
    t->level_max = desc->maxMipmapLevelClamp;
    bool reads_floats = t->kind == 'f' || (t->normalized_float && t->bits < 32);
    if (t->linear && !reads_floats)
        return cudaErrorInvalidFilterSetting;
    if (t->normalized_float && (t->kind == 'f' || t->bits == 32))
        return cudaErrorInvalidNormSetting;
    return cudaSuccess;
}

/* Makes fetches outside of the texture return 0. Textures of linear memory have no other address
 * mode, such as clamping. */
static void set_outside(struct emu_texture *t)
{
    memset(t->address, EMU_BORDER, sizeof t->address);
    memset(t->border, 0, sizeof t->border);
    t->linear = false;
}

static cudaError_t add(struct emu_device *device, const struct emu_texture *t,
                       struct object described, uint64_t *handle)
{
    struct object *object = malloc(sizeof *object);
    if (!object)
        return cudaErrorMemoryAllocation;
    cudaError_t error = rt_error(emu_texture_open(device, t, &described.handle));
    if (error != cudaSuccess) {
        free(object);
        return error;
    }
    pthread_mutex_lock(&lock);
    described.next = objects;
    *object = described;
    objects = object;
    pthread_mutex_unlock(&lock);
    *handle = described.handle;
    return cudaSuccess;
}

static cudaError_t make_texture(cudaTextureObject_t *result,
                                const struct cudaResourceDesc *resource,
                                const struct cudaTextureDesc *desc,
                                const struct cudaResourceViewDesc *view)
{
    struct emu_device *device;
    struct emu_texture t = {0};
    uint64_t handle;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!result || !resource)
        return cudaErrorInvalidValue;
    if (!desc)
        return cudaErrorInvalidResourceHandle;
    if (view && view->format != cudaResViewFormatNone)
        return rt_unsupported("a resource view with a different format");
    error = use_resource(device, &t, resource);
    if (error == cudaSuccess)
        error = set_reading(&t, desc);
    if (resource->resType == cudaResourceTypeLinear)
        set_outside(&t);
    struct object described = {.resource = *resource, .texture = *desc, .has_view = view != NULL};
    if (view)
        described.view = *view;
    if (error == cudaSuccess)
        error = add(device, &t, described, &handle);
    if (error == cudaSuccess)
        *result = handle;
    return error;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *desc,
                                    const struct cudaResourceViewDesc *view)
{
    return rt_return(make_texture(texture, resource, desc, view));
}

static cudaError_t make_surface(cudaSurfaceObject_t *result,
                                const struct cudaResourceDesc *resource)
{
    struct emu_device *device;
    struct emu_texture t = {.is_surface = true};
    uint64_t handle;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!result || !resource)
        return cudaErrorInvalidValue;
    if (resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    error = use_array(&t, resource->res.array.array);
    if (error == cudaSuccess)
        error =
            add(device, &t, (struct object){.resource = *resource, .is_surface = true}, &handle);
    if (error == cudaSuccess)
        *result = handle;
    return error;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource)
{
    return rt_return(make_surface(surface, resource));
}

/* --- live objects ----------------------------------------------------------------------------- */

/* Returns the pointer in the list that points to the object, or NULL if the object does not exist.
 * The caller holds the lock. */
static struct object **find(uint64_t handle, bool is_surface)
{
    for (struct object **at = &objects; *at; at = &(*at)->next)
        if ((*at)->handle == handle && (*at)->is_surface == is_surface)
            return at;
    return NULL;
}

static cudaError_t destroy(uint64_t handle, bool is_surface)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    if (error != cudaSuccess || !handle)
        return error;
    pthread_mutex_lock(&lock);
    struct object **at = find(handle, is_surface), *object = at ? *at : NULL;
    if (object)
        *at = object->next;
    pthread_mutex_unlock(&lock);
    if (!object)
        return cudaErrorInvalidValue;
    free(object);
    return rt_error(emu_texture_close(device, handle));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return rt_return(destroy(texture, false));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return rt_return(destroy(surface, true));
}

void rt_textures_reset(struct emu_device *device)
{
    pthread_mutex_lock(&lock);
    while (objects) {
        struct object *first = objects;
        objects = first->next;
        emu_texture_close(device, first->handle);
        free(first);
    }
    pthread_mutex_unlock(&lock);
}

/* Copies the object with this HANDLE to *OBJECT. Fails if RESULT is NULL. */
static cudaError_t describe(uint64_t handle, bool is_surface, const void *result,
                            struct object *object)
{
    if (!result)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    struct object **at = find(handle, is_surface);
    if (at)
        *object = **at;
    pthread_mutex_unlock(&lock);
    return at ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *desc,
                                             cudaTextureObject_t texture)
{
    struct object object;
    cudaError_t error = describe(texture, false, desc, &object);
    if (error == cudaSuccess)
        *desc = object.resource;
    return rt_return(error);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc,
                                            cudaTextureObject_t texture)
{
    struct object object;
    cudaError_t error = describe(texture, false, desc, &object);
    if (error == cudaSuccess)
        *desc = object.texture;
    return rt_return(error);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *desc,
                                                 cudaTextureObject_t texture)
{
    struct object object;
    cudaError_t error = describe(texture, false, desc, &object);
    if (error == cudaSuccess && !object.has_view)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *desc = object.view;
    return rt_return(error);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *desc,
                                             cudaSurfaceObject_t surface)
{
    struct object object;
    cudaError_t error = describe(surface, true, desc, &object);
    if (error == cudaSuccess)
        *desc = object.resource;
    return rt_return(error);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const struct cudaChannelFormatDesc *desc,
                                                 int device)
{
    if (!width || !desc || !rt_channel_bytes(desc))
        return rt_return(cudaErrorInvalidValue);
    if (device != 0)
        return rt_return(cudaErrorInvalidDevice);
    *width = (size_t)1 << 28;
    return cudaSuccess;
}
