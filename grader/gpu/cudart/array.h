/* Arrays: device memory of one, two or three dimensions, or layers of one or two, whose layout is the
 * runtime's own. Textures and surfaces read and write them. Here rows and layers lie without gaps. */
#ifndef GPU_CUDART_ARRAY_H
#define GPU_CUDART_ARRAY_H

#include "gpu/cudart/rt.h"

struct rt_array {
    emu_addr addr;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program gave it: 0 for a dimension that it lacks */
    unsigned flags;
    size_t element;              /* bytes */
    size_t pitch, height, depth; /* bytes of a row, rows of a layer, layers: 1 or more */
    bool is_level;               /* of a mipmap, whose memory it is */
    struct emu_place made;       /* where the program does it */
    struct rt_array *next;
};

/* The live array that ARRAY names, or NULL. */
struct rt_array *rt_array(cudaArray_const_t array);
/* What an array of that shape would be, without memory; or why there can be none. */
cudaError_t rt_array_shape(struct rt_array *array, const struct cudaChannelFormatDesc *desc,
                           struct cudaExtent extent, unsigned flags);
/* Makes it a live one, and takes one away (not its memory). False: out of memory; there is none. */
bool rt_array_add(const struct rt_array *made, cudaArray_t *array);
bool rt_array_take(cudaArray_t array, bool is_level, struct rt_array *taken);
/* Bytes of its elements; 0 if it is not a live one. */
size_t rt_array_element(cudaArray_const_t array);
/* Bytes of an element as DESC describes it, or 0 if no array or texture has such ones. */
size_t rt_channel_bytes(const struct cudaChannelFormatDesc *desc);
void rt_arrays_reset(struct emu_device *device);
/* Calls VISIT with the memory of each live array that has its own. It must not change them. */
void rt_arrays_each(void (*visit)(void *context, const struct rt_range *range), void *context);
/* texture.c: its texels as a texture has them; destroys all texture and surface objects. */
void rt_array_texels(struct emu_texture *t, const struct rt_array *array);
void rt_textures_reset(struct emu_device *device);

/* mipmap.c: the texels of all levels; destroys all mipmaps. */
cudaError_t rt_mipmap_texels(struct emu_texture *t, cudaMipmappedArray_const_t mipmap);
void rt_mipmaps_reset(struct emu_device *device);

#endif
