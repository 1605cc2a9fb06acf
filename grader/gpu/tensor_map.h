/* The contents of a tensor map, which describes a tensor in global memory and the boxes that bulk
 * copies move. NVIDIA does not document the 128 bytes of a CUtensorMap, so these are our own.
 * cuTensorMapEncodeTiled() writes them (cudart/tensor_map.c), and copies read them
 * (execute/tensor_copy.c).
 *
 * The first dimension is the innermost. Its elements are neighbours in memory. */
#ifndef GPU_TENSOR_MAP_H
#define GPU_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define TENSOR_MAP_BYTES 128u
#define TENSOR_MAP_ALIGN 64u /* of a map in the device's memory */
#define TENSOR_MAP_MAGIC 0x70616d2d726f736eull
#define TENSOR_DIMS      5u
#define TENSOR_PIECE     16u  /* copies move pieces of a row; all addresses are multiples of this */
#define TENSOR_TILE      128u /* alignment of a box in shared memory */

/* The numbers are those of CUtensorMapDataType. */
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
    uint64_t size[TENSOR_DIMS];       /* number of elements in each dimension */
    uint64_t stride[TENSOR_DIMS - 1]; /* bytes between elements of each dimension but the first */
    /* The box: it spans `box` elements of each dimension, of which every `step`th is copied. The
     * step of the first dimension has no effect. */
    uint16_t box[TENSOR_DIMS];
    uint8_t step[TENSOR_DIMS];
    uint8_t dims;
    uint8_t type;    /* enum tensor_type */
    uint8_t swizzle; /* 0, or the pattern spans 16 << swizzle bytes; as CUtensorMapSwizzle */
    uint8_t fill;    /* fills with NaN instead of 0; as CUtensorMapFloatOOBfill */
};

unsigned tensor_type_bytes(unsigned type);

/* Returns the number of elements of a dimension that a copy of the box moves. */
static inline uint32_t tensor_map_count(const struct tensor_map *map, unsigned dim)
{
    uint32_t step = dim ? map->step[dim] : 1;
    return (map->box[dim] + step - 1) / step;
}

/* Returns whether an H100's driver would encode this map. */
bool tensor_map_is_valid(const struct tensor_map *map);

#endif
