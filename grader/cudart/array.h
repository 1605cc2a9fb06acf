/* Arrays: device memory of one, two or three dimensions, or layers of one or two, whose layout is the
 * runtime's own. Textures and surfaces read and write them. Here rows and layers lie without gaps. */
#ifndef RT_ARRAY_H
#define RT_ARRAY_H

#include "cudart/rt.h"

struct rt_array {
    emu_addr addr;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program gave it: 0 for a dimension that it lacks */
    unsigned flags;
    size_t element;              /* bytes */
    size_t pitch, height, depth; /* bytes of a row, rows of a layer, layers: 1 or more */
    struct rt_array *next;
};

/* The live array that ARRAY names, or NULL. */
struct rt_array *rt_array(cudaArray_const_t array);
/* Bytes of its elements; 0 if it is not a live one. */
size_t rt_array_element(cudaArray_const_t array);
/* Bytes of an element as DESC describes it, or 0 if no array or texture has such ones. */
size_t rt_channel_bytes(const struct cudaChannelFormatDesc *desc);
void rt_arrays_reset(struct emu_device *device);
/* texture.c: destroys all texture and surface objects. */
void rt_textures_reset(struct emu_device *device);

#endif
