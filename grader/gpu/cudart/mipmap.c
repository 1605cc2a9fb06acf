/* Implements mipmapped arrays. A mipmap is one allocation of device memory. Each of its levels is
 * an array. */
#include <pthread.h>
#include <stdlib.h>

#include "gpu/cudart/array.h"

enum { LEVELS = 16 };

struct mipmap {
    struct rt_array first; /* level 0 */
    unsigned count;
    cudaArray_t levels[LEVELS];
    struct mipmap *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mipmap *mipmaps;

/* Returns the pointer in the list that points to MIPMAP, or NULL if MIPMAP does not exist. The
 * caller holds the lock. */
static struct mipmap **find(cudaMipmappedArray_const_t mipmap)
{
    for (struct mipmap **at = &mipmaps; *at; at = &(*at)->next)
        if ((const void *)*at == (const void *)mipmap)
            return at;
    return NULL;
}

/* --- levels ----------------------------------------------------------------------------------- */

static struct emu_texture texels_of(const struct mipmap *mipmap)
{
    struct emu_texture t = {.levels = (uint8_t)mipmap->count};
    rt_array_texels(&t, &mipmap->first);
    return t;
}

/* Returns the number of levels. It is at least 1, and WANTED if that is not more than the number of
 * levels down to a single texel. */
static unsigned count_levels(const struct rt_array *first, unsigned wanted)
{
    size_t most = first->extent.width > first->height ? first->extent.width : first->height;
    bool layered = first->flags & (cudaArrayLayered | cudaArrayCubemap);
    if (!layered && first->depth > most)
        most = first->depth;
    unsigned count = 1;
    while (count < wanted && count < LEVELS && most >> count)
        count++;
    return count;
}

static size_t half_of(size_t size, unsigned level)
{
    return size >> level || !size ? size >> level : 1;
}

static struct rt_array level_of(const struct mipmap *mipmap, unsigned level)
{
    struct emu_texture whole = texels_of(mipmap), t = emu_texture_level(&whole, level);
    struct rt_array array = mipmap->first;
    array.addr = t.addr;
    array.pitch = t.pitch;
    array.height = t.height;
    array.depth = t.depth;
    array.extent.width = half_of(array.extent.width, level);
    array.extent.height = half_of(array.extent.height, level);
    if (!t.layered)
        array.extent.depth = half_of(array.extent.depth, level);
    array.is_level = true;
    return array;
}

/* --- making and freeing ----------------------------------------------------------------------- */

static void free_levels(struct mipmap *mipmap)
{
    struct rt_array taken;
    for (unsigned k = 0; k < mipmap->count && mipmap->levels[k]; k++)
        rt_array_take(mipmap->levels[k], true, &taken);
}

static bool add_levels(struct mipmap *mipmap)
{
    for (unsigned k = 0; k < mipmap->count; k++) {
        struct rt_array level = level_of(mipmap, k);
        if (!rt_array_add(&level, &mipmap->levels[k])) {
            free_levels(mipmap);
            return false;
        }
    }
    return true;
}

/* Allocates the memory of MIPMAP, and adds its levels to the list of arrays. */
static cudaError_t allocate(struct emu_device *device, struct mipmap *mipmap)
{
    struct emu_texture t = texels_of(mipmap);
    cudaError_t error = rt_error(emu_alloc(device, emu_texture_bytes(&t), &mipmap->first.addr));
    if (error != cudaSuccess)
        return error;
    if (add_levels(mipmap))
        return cudaSuccess;
    emu_free(device, mipmap->first.addr);
    return cudaErrorMemoryAllocation;
}

static cudaError_t make(cudaMipmappedArray_t *result, const struct cudaChannelFormatDesc *desc,
                        struct cudaExtent extent, unsigned levels, unsigned flags)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    struct mipmap *made = calloc(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    error = result ? rt_array_shape(&made->first, desc, extent, flags) : cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        made->count = count_levels(&made->first, levels);
        error = allocate(device, made);
    }
    if (error != cudaSuccess) {
        free(made);
        return error;
    }
    pthread_mutex_lock(&lock);
    made->next = mipmaps;
    mipmaps = made;
    pthread_mutex_unlock(&lock);
    *result = (cudaMipmappedArray_t)made;
    return cudaSuccess;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned levels, unsigned flags)
{
    return rt_return(make(mipmap, desc, extent, levels, flags));
}

static cudaError_t release(cudaMipmappedArray_t mipmap)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    if (error != cudaSuccess || !mipmap)
        return error;
    pthread_mutex_lock(&lock);
    struct mipmap **at = find(mipmap), *live = at ? *at : NULL;
    if (live)
        *at = live->next;
    pthread_mutex_unlock(&lock);
    if (!live)
        return cudaErrorInvalidResourceHandle;
    free_levels(live);
    emu_free(device, live->first.addr);
    free(live);
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    return rt_return(release(mipmap));
}

void rt_mipmaps_reset(struct emu_device *device)
{
    pthread_mutex_lock(&lock);
    while (mipmaps) {
        struct mipmap *first = mipmaps;
        mipmaps = first->next;
        free_levels(first);
        emu_free(device, first->first.addr);
        free(first);
    }
    pthread_mutex_unlock(&lock);
}

/* --- queries ---------------------------------------------------------------------------------- */

static cudaError_t give_level(cudaArray_t *level, cudaMipmappedArray_const_t mipmap, unsigned k)
{
    if (!level)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    struct mipmap **at = find(mipmap), *live = at ? *at : NULL;
    bool there = live && k < live->count;
    if (there)
        *level = live->levels[k];
    pthread_mutex_unlock(&lock);
    return there ? cudaSuccess : live ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t mipmap,
                                       unsigned k)
{
    return rt_return(give_level(level, mipmap, k));
}

cudaError_t rt_mipmap_texels(struct emu_texture *t, cudaMipmappedArray_const_t mipmap)
{
    pthread_mutex_lock(&lock);
    struct mipmap **at = find(mipmap);
    if (at) {
        t->levels = (uint8_t)(*at)->count;
        rt_array_texels(t, &(*at)->first);
    }
    pthread_mutex_unlock(&lock);
    return at ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
