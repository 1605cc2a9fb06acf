/* The driver's functions for tensor maps. Their arguments and results are described in NVIDIA's
 * cuda.h. */
#ifndef GPU_CUDART_TENSOR_MAP_H
#define GPU_CUDART_TENSOR_MAP_H

#include <cuda.h>

CUresult rt_tensor_map_encode(CUtensorMap *result, CUtensorMapDataType type, cuuint32_t dims,
                              void *address, const cuuint64_t *size, const cuuint64_t *strides,
                              const cuuint32_t *box, const cuuint32_t *step,
                              CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                              CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult rt_tensor_map_replace(CUtensorMap *map, void *address);

#endif
