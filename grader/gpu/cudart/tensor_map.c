/* Encodes tensor maps (gpu/tensor_map.h). In CUDA, these functions belong to the driver; here, no
 * driver is needed. Programs get them from cudaGetDriverEntryPoint() (driver.c). */
#include "gpu/cudart/tensor_map.h"

#include <string.h>

#include "gpu/cudart/rt.h"
#include "gpu/tensor_map.h"

_Static_assert(sizeof(CUtensorMap) == TENSOR_MAP_BYTES, "the size of cuda.h");
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "a map must fit");
_Static_assert((int)TENSOR_TF32_FTZ == (int)CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, "numbers");

/* Returns VALUE, or, if it does not fit into a byte, a number that is invalid for every member. */
static uint8_t narrow(cuuint32_t value)
{
    return value > UINT8_MAX ? UINT8_MAX : (uint8_t)value;
}

CUresult rt_tensor_map_encode(CUtensorMap *result, CUtensorMapDataType type, cuuint32_t dims,
                              void *address, const cuuint64_t *size, const cuuint64_t *strides,
                              const cuuint32_t *box, const cuuint32_t *step,
                              CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                              CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_map map = {.magic = TENSOR_MAP_MAGIC,
                             .address = (uintptr_t)address,
                             .dims = narrow(dims),
                             .type = narrow(type),
                             .swizzle = narrow(swizzle),
                             .fill = narrow(fill)};
    if (!result || !size || !box || !step || !dims || dims > TENSOR_DIMS || !strides ||
        (unsigned)interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && dims < 3) ||
        (unsigned)promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < dims; i++) {
        map.size[i] = size[i];
        map.box[i] = box[i] > UINT16_MAX ? UINT16_MAX : (uint16_t)box[i];
        map.step[i] = narrow(step[i]);
        if (i)
            map.stride[i - 1] = strides[i - 1];
    }
    if (!tensor_map_is_valid(&map))
        return CUDA_ERROR_INVALID_VALUE;
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) {
        rt_finding("unsupported-call", NULL,
                   "cuTensorMapEncodeTiled() with an interleaved layout is not supported by "
                   "Lanewise");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    memset(result, 0, sizeof *result);
    memcpy(result, &map, sizeof map);
    return CUDA_SUCCESS;
}

CUresult rt_tensor_map_replace(CUtensorMap *map, void *address)
{
    struct tensor_map changed;
    if (!map || (uintptr_t)address % TENSOR_PIECE)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&changed, map, sizeof changed);
    changed.address = (uintptr_t)address;
    memcpy(map, &changed, sizeof changed);
    return CUDA_SUCCESS;
}
