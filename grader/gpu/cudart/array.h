/* A CUDA array is device memory with one, two or three dimensions, or with layers of one or two
 * dimensions each. The runtime library chooses its layout; Lanewise leaves no gaps between rows or
 * layers. Textures read arrays; surfaces read and write them. */
#ifndef GPU_CUDART_ARRAY_H
#define GPU_CUDART_ARRAY_H

#include "gpu/cudart/rt.h"

struct rt_array {
    emu_addr addr;
    struct cudaChannelFormatDesc desc;
    /* the size that the program requested; the size of an unused dimension is 0 */
    struct cudaExtent extent;
    unsigned flags;
    size_t element; /* bytes of an element */
    /* bytes per row, rows per layer, number of layers; each is at least 1 */
    size_t pitch, height, depth;
    bool is_level;         /* the array is a level of a mipmap, which owns the memory */
    struct emu_place made; /* line of the program that allocated the array */
    struct rt_array *next;
};

/* Returns the array with the handle ARRAY, or NULL if there is no such array. */
struct rt_array *rt_live_array(cudaArray_const_t array);
/* Initialises *ARRAY for this format and size, without allocating memory. Fails if no array can
 * have them. */
cudaError_t rt_array_shape(struct rt_array *array, const struct cudaChannelFormatDesc *desc,
                           struct cudaExtent extent, unsigned flags);
/* Adds a copy of MADE to the list of arrays, and sets *ARRAY to its handle. Returns false when out
 * of memory. */
bool rt_array_add(const struct rt_array *made, cudaArray_t *array);
/* Removes ARRAY from the list of arrays and copies it to *TAKEN, without freeing its memory.
 * Returns false if ARRAY is not in the list, or if its is_level differs from IS_LEVEL. */
bool rt_array_take(cudaArray_t array, bool is_level, struct rt_array *taken);
/* Returns the size in bytes of an element of ARRAY, or 0 if ARRAY does not exist. */
size_t rt_array_element(cudaArray_const_t array);
/* Returns the size in bytes of an element with the format DESC, or 0 if no array or texture can
 * have such elements. */
size_t rt_channel_bytes(const struct cudaChannelFormatDesc *desc);
void rt_arrays_reset(struct emu_device *device); /* frees all arrays */
/* Calls VISIT with the memory of each array that owns memory. VISIT must not add or remove
 * arrays. */
void rt_arrays_each(void (*visit)(void *context, const struct rt_range *range), void *context);

/* --- texture.c -------------------------------------------------------------------------------- */

/* Sets the members of *T that describe the texels of ARRAY. */
void rt_array_texels(struct emu_texture *t, const struct rt_array *array);
void rt_textures_reset(struct emu_device *device); /* destroys all texture and surface objects */

/* --- mipmap.c --------------------------------------------------------------------------------- */

/* Sets the members of *T that describe the texels of all levels of MIPMAP. */
cudaError_t rt_mipmap_texels(struct emu_texture *t, cudaMipmappedArray_const_t mipmap);
void rt_mipmaps_reset(struct emu_device *device); /* frees all mipmaps */

#endif
