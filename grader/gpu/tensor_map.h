/* The contents of a tensor map, which describes a tensor in global memory and the boxes that bulk
 * copies move. NVIDIA does not document the 128 bytes of a CUtensorMap, so Lanewise uses a format
 * of its own. cuTensorMapEncodeTiled() writes maps in this format (cudart/tensor_map.c), and copies
 * read them (execute/tensor_copy.c).
 *
 * The first dimension is the innermost. Its elements are neighbours in memory. */
#ifndef GPU_TENSOR_MAP_H
#define GPU_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define TENSOR_MAP_BYTES 128u
#define TENSOR_MAP_ALIGN 64u /* alignment of a map in device memory, in bytes */
#define TENSOR_MAP_MAGIC 0x70616d2d726f736eull
#define TENSOR_DIMS      5u
/* bytes; copies move rows in pieces of this size, and all addresses are multiples of it */
#define TENSOR_PIECE 16u
#define TENSOR_TILE  128u /* alignment of a box in shared memory, in bytes */

/* The values are those of CUtensorMapDataType. */
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};

struct tensor_map {
    uint64_t magic;
    uint64_t address;
    uint64_t size[TENSOR_DIMS]; /* number of elements in each dimension */
    /* bytes from one element to the next in each dimension except the first */
    uint64_t stride[TENSOR_DIMS - 1];
    /* The box spans `box` elements in each dimension, and a copy moves every `step`th of them. The
     * step of the first dimension has no effect. */
    uint16_t box[TENSOR_DIMS];
    uint8_t step[TENSOR_DIMS];
    uint8_t dims;
    uint8_t type; /* enum tensor_type */
    /* A CUtensorMapSwizzle. If it is not 0, the pattern spans 16 << swizzle bytes. */
    uint8_t swizzle;
    uint8_t fill; /* a CUtensorMapFloatOOBfill: fills with NaN instead of 0 */
};

unsigned tensor_type_bytes(unsigned type);

/* Returns the number of elements in dimension DIM that a copy of the box moves. */
static inline uint32_t tensor_map_count(const struct tensor_map *map, unsigned dim)
{
    uint32_t step = dim ? map->step[dim] : 1;
    return (map->box[dim] + step - 1) / step;
}

/* Returns whether an H100's driver would accept this map. */
bool tensor_map_is_valid(const struct tensor_map *map);

#endif
