/* Arrays: device memory of one, two or three dimensions, or layers of one or two. The runtime
 * chooses their layout; ours has no gaps between rows or layers. Textures read arrays, surfaces
 * read and write them. */
#ifndef GPU_CUDART_ARRAY_H
#define GPU_CUDART_ARRAY_H

#include "gpu/cudart/rt.h"

struct rt_array {
    emu_addr addr;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program passed it: 0 for a missing dimension */
    unsigned flags;
    size_t element;              /* bytes */
    size_t pitch, height, depth; /* bytes of a row, rows of a layer, layers: 1 or more */
    bool is_level;               /* a level of a mipmap, which owns the memory */
    struct emu_place made;       /* the program's line that allocated it */
    struct rt_array *next;
};

/* The live array that ARRAY names, or NULL. */
struct rt_array *rt_live_array(cudaArray_const_t array);
/* Describes in *ARRAY an array of that shape, without memory. An error if no array has that
 * shape. */
cudaError_t rt_array_shape(struct rt_array *array, const struct cudaChannelFormatDesc *desc,
                           struct cudaExtent extent, unsigned flags);
/* Adds a live array that is a copy of MADE. False: out of memory. */
bool rt_array_add(const struct rt_array *made, cudaArray_t *array);
/* Removes a live array from the list, but does not free its memory. False: ARRAY is not such a live
 * array. */
bool rt_array_take(cudaArray_t array, bool is_level, struct rt_array *taken);
/* Bytes of an element; 0 if ARRAY is not a live one. */
size_t rt_array_element(cudaArray_const_t array);
/* Bytes of an element as DESC describes it; 0 if no array or texture can have such elements. */
size_t rt_channel_bytes(const struct cudaChannelFormatDesc *desc);
void rt_arrays_reset(struct emu_device *device); /* frees all arrays */
/* Calls VISIT with the memory of each live array that owns memory. VISIT must not add or remove
 * arrays. */
void rt_arrays_each(void (*visit)(void *context, const struct rt_range *range), void *context);

/* --- texture.c -------------------------------------------------------------------------------- */

/* Describes ARRAY's texels as a texture needs them. */
void rt_array_texels(struct emu_texture *t, const struct rt_array *array);
void rt_textures_reset(struct emu_device *device); /* destroys all texture and surface objects */

/* --- mipmap.c --------------------------------------------------------------------------------- */

/* Describes the texels of all levels. */
cudaError_t rt_mipmap_texels(struct emu_texture *t, cudaMipmappedArray_const_t mipmap);
void rt_mipmaps_reset(struct emu_device *device); /* frees all mipmaps */

#endif
