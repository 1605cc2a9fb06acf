/* Checks the rules of tensor maps. They are the rules of NVIDIA's driver for an H100, which were
 * measured where cuda.h does not state them. The device also checks a map before each use, because
 * a program can write any bytes into it. */
#include "gpu/tensor_map.h"

#define MOST_BYTES (228u << 10) /* largest box in bytes: the shared memory of a multiprocessor */
#define MOST_BOX   256u
#define MOST_STEP  8u

unsigned tensor_type_bytes(unsigned type)
{
    static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

static bool has_valid_dimension(const struct tensor_map *map, unsigned i)
{
    return map->size[i] && map->size[i] <= (uint64_t)1 << 32 && map->box[i] &&
           map->box[i] <= MOST_BOX && map->step[i] && map->step[i] <= MOST_STEP &&
           (!i || (map->stride[i - 1] % TENSOR_PIECE == 0 && !(map->stride[i - 1] >> 40)));
}

bool tensor_map_is_valid(const struct tensor_map *map)
{
    bool is_float = map->type >= TENSOR_F16;
    if (map->magic != TENSOR_MAP_MAGIC || !map->dims || map->dims > TENSOR_DIMS ||
        map->type >= TENSOR_TYPES || map->swizzle > 3 || map->fill > is_float ||
        map->address % TENSOR_PIECE)
        return false;
    uint64_t row = (uint64_t)map->box[0] * tensor_type_bytes(map->type), bytes = row;
    for (unsigned i = 0; i < map->dims; i++) {
        if (!has_valid_dimension(map, i))
            return false;
        bytes *= i ? map->box[i] : 1u;
    }
    return row % TENSOR_PIECE == 0 && (!map->swizzle || row <= 16u << map->swizzle) &&
           bytes <= MOST_BYTES;
}
