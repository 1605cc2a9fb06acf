/* Defines the functions that differ for programs built by nvcc 12: functions with other parameters
 * or shorter structures, and functions that CUDA 13 has removed. All other functions have the same
 * names and the same binary interface. So libcudart.so.12 consists of the object files of
 * libcudart.so.13 and this file.
 *
 *     program of nvcc 12 --cudaMemAdvise--> cuda12_MemAdvise() here --> cudaMemAdvise() of advice.c
 *
 * Programs of both versions call a function named cudaMemAdvise. So symbols are renamed when
 * libcudart.so.12 is linked; the file "names" lists the new names. This file is compiled with CUDA
 * 13's headers and uses the old names. The interface is that of CUDA 12.0 to 12.9: each version
 * only added names. */
#include <string.h>

#include "gpu/cudart/rt.h"
#include "gpu/cudart/unsupported.h"

#define CUDA_12 12090 /* CUDA 12.9, the last version of CUDA 12 */

/* Overrides the weak definition in errors.c, because CUDA 12 returns a different error. */
const cudaError_t rt_shape_error = cudaErrorInvalidConfiguration;

/* Returns CUDA 12's version. cudaDriverGetVersion() still returns 13, because a driver may be newer
 * than the runtime. */
cudaError_t cuda12_RuntimeGetVersion(int *version)
{
    cudaError_t error = cudaRuntimeGetVersion(version);
    if (error == cudaSuccess)
        *version = CUDA_12;
    return error;
}

/* --- properties of the device ----------------------------------------------------------------- */

/* CUDA 12's structure has all fields of CUDA 13's structure, and additional fields in between. RUN
 * describes a sequence of fields without an additional field, which is copied as a whole. It gives
 * the offset of the sequence in CUDA 12's structure, the sequence's first field, and the first
 * field after it. */
#define RUN(at12, first, after)                                                                    \
    {                                                                                              \
        at12, offsetof(struct cudaDeviceProp, first),                                              \
            offsetof(struct cudaDeviceProp, after) - offsetof(struct cudaDeviceProp, first)        \
    }
static const struct {
    size_t to, from, size;
} runs[] = {
    {0, 0, offsetof(struct cudaDeviceProp, maxGridSize) + sizeof(int[3])},
    RUN(352, totalConstMem, multiProcessorCount),
    RUN(388, multiProcessorCount, integrated),
    RUN(396, integrated, maxTexture1D),
    RUN(408, maxTexture1D, maxTexture2D),
    RUN(420, maxTexture2D, surfaceAlignment),
    RUN(568, surfaceAlignment, memoryBusWidth),
    RUN(612, memoryBusWidth, sharedMemPerMultiprocessor),
    RUN(640, sharedMemPerMultiprocessor, pageableMemoryAccess),
    RUN(672, pageableMemoryAccess, sharedMemPerBlockOptin),
    RUN(696, sharedMemPerBlockOptin, deviceNumaConfig),
};

/* The additional fields, which are all of type int. */
static const struct {
    size_t at;
    enum cudaDeviceAttr value;
} attributes[] = {
    {348, cudaDevAttrClockRate},
    {384, cudaDevAttrGpuOverlap},
    {392, cudaDevAttrKernelExecTimeout},
    {404, cudaDevAttrComputeMode},
    {416, cudaDevAttrMaxTexture1DLinearWidth},
    {608, cudaDevAttrMemoryClockRate},
    {668, cudaDevAttrSingleToDoublePrecisionPerfRatio},
};

#define WHOLE 1032 /* bytes of CUDA 12's structure */
/* size in bytes of CUDA 11's structure, which is filled by cudaGetDeviceProperties() without _v2 */
#define SHORT 728

static cudaError_t get_properties(void *properties, size_t size, int device)
{
    char whole[WHOLE] = {0};
    struct cudaDeviceProp now;
    cudaError_t error = cudaGetDeviceProperties(properties ? &now : NULL, device);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        memcpy(whole + runs[i].to, (char *)&now + runs[i].from, runs[i].size);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int value = rt_attribute(attributes[i].value);
        memcpy(whole + attributes[i].at, &value, sizeof value);
    }
    memcpy(properties, whole, size);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties_v2(void *properties, int device)
{
    return get_properties(properties, WHOLE, device);
}

cudaError_t cuda12_GetDeviceProperties(void *properties, int device)
{
    return get_properties(properties, SHORT, device);
}

/* --- structures that have additional fields at the end in CUDA 13 ----------------------------- */

enum { POINTER_ATTRIBUTES = 24, RESOURCE = 64, VIEW = 48 }; /* sizes in CUDA 12, in bytes */

cudaError_t cuda12_PointerGetAttributes(void *attributes, const void *ptr)
{
    struct cudaPointerAttributes now;
    cudaError_t error = cudaPointerGetAttributes(attributes ? &now : NULL, ptr);
    if (error == cudaSuccess)
        memcpy(attributes, &now, POINTER_ATTRIBUTES);
    return error;
}

cudaError_t cuda12_CreateTextureObject(cudaTextureObject_t *texture, const void *resource,
                                       const struct cudaTextureDesc *desc, const void *view)
{
    struct cudaResourceDesc long_resource = {0};
    struct cudaResourceViewDesc long_view = {0};
    if (resource)
        memcpy(&long_resource, resource, RESOURCE);
    if (view)
        memcpy(&long_view, view, VIEW);
    return cudaCreateTextureObject(texture, resource ? &long_resource : NULL, desc,
                                   view ? &long_view : NULL);
}

cudaError_t cuda12_CreateSurfaceObject(cudaSurfaceObject_t *surface, const void *resource)
{
    struct cudaResourceDesc now = {0};
    if (resource)
        memcpy(&now, resource, RESOURCE);
    return cudaCreateSurfaceObject(surface, resource ? &now : NULL);
}

cudaError_t cuda12_GetTextureObjectResourceDesc(void *resource, cudaTextureObject_t texture)
{
    struct cudaResourceDesc now;
    cudaError_t error = cudaGetTextureObjectResourceDesc(resource ? &now : NULL, texture);
    if (error == cudaSuccess)
        memcpy(resource, &now, RESOURCE);
    return error;
}

cudaError_t cuda12_GetSurfaceObjectResourceDesc(void *resource, cudaSurfaceObject_t surface)
{
    struct cudaResourceDesc now;
    cudaError_t error = cudaGetSurfaceObjectResourceDesc(resource ? &now : NULL, surface);
    if (error == cudaSuccess)
        memcpy(resource, &now, RESOURCE);
    return error;
}

cudaError_t cuda12_GetTextureObjectResourceViewDesc(void *view, cudaTextureObject_t texture)
{
    struct cudaResourceViewDesc now;
    cudaError_t error = cudaGetTextureObjectResourceViewDesc(view ? &now : NULL, texture);
    if (error == cudaSuccess)
        memcpy(view, &now, VIEW);
    return error;
}

/* --- managed memory: CUDA 12 gives a location as a device number, or -1 for the host ---------- */

static struct cudaMemLocation place_of(int device)
{
    return (struct cudaMemLocation){.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                                                      : cudaMemLocationTypeDevice,
                                    .id = device == cudaCpuDeviceId ? 0 : device};
}

cudaError_t cuda12_MemAdvise(const void *ptr, size_t count, enum cudaMemoryAdvise advice,
                             int device)
{
    return cudaMemAdvise(ptr, count, advice, place_of(device));
}

cudaError_t cuda12_MemPrefetchAsync(const void *ptr, size_t count, int device, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(ptr, count, place_of(device), 0, stream);
}

extern __typeof__(cudaMemPrefetchAsync) cudaMemPrefetchAsync_ptsz;
cudaError_t cuda12_MemPrefetchAsync_ptsz(const void *ptr, size_t count, int device,
                                         cudaStream_t stream)
{
    return cudaMemPrefetchAsync_ptsz(ptr, count, place_of(device), 0, stream);
}

/* --- graphs: edges have no data in CUDA 12 ---------------------------------------------------- */

cudaError_t cuda12_GraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, NULL, count);
}

cudaError_t cuda12_GraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                const cudaGraphNode_t *depends, size_t count,
                                struct cudaGraphNodeParams *params)
{
    return cudaGraphAddNode(node, graph, depends, NULL, count, params);
}

cudaError_t cuda12_GraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}

cudaError_t cuda12_GraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 size_t *count)
{
    return cudaGraphGetEdges(graph, from, to, NULL, count);
}

cudaError_t cuda12_GraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                            size_t *count)
{
    return cudaGraphNodeGetDependencies(node, nodes, NULL, count);
}

cudaError_t cuda12_GraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                              size_t *count)
{
    return cudaGraphNodeGetDependentNodes(node, nodes, NULL, count);
}

/* Programs with per-thread default streams use the functions with the suffix _ptsz. */
#define CAPTURE_FUNCTIONS(suffix)                                                                  \
    extern __typeof__(cudaStreamGetCaptureInfo) cudaStreamGetCaptureInfo##suffix;                  \
    extern __typeof__(cudaStreamUpdateCaptureDependencies)                                         \
        cudaStreamUpdateCaptureDependencies##suffix;                                               \
                                                                                                   \
    cudaError_t cuda12_StreamGetCaptureInfo##suffix(                                               \
        cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)         \
    {                                                                                              \
        return cudaStreamGetCaptureInfo##suffix(stream, status, id, NULL, NULL, NULL, NULL);       \
    }                                                                                              \
                                                                                                   \
    cudaError_t cudaStreamGetCaptureInfo_v2##suffix(                                               \
        cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,         \
        cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count)                          \
    {                                                                                              \
        return cudaStreamGetCaptureInfo##suffix(stream, status, id, graph, nodes, NULL, count);    \
    }                                                                                              \
                                                                                                   \
    cudaError_t cuda12_StreamUpdateCaptureDependencies##suffix(                                    \
        cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned flags)                 \
    {                                                                                              \
        return cudaStreamUpdateCaptureDependencies##suffix(stream, nodes, NULL, count, flags);     \
    }

CAPTURE_FUNCTIONS()
CAPTURE_FUNCTIONS(_ptsz)

cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(milliseconds, start, end);
}

/* --- batches: CUDA 12 also sets the index of a failed copy, or SIZE_MAX if it is unknown ------ */

#define BATCH_FUNCTIONS(suffix)                                                                    \
    extern __typeof__(cudaMemcpyBatchAsync) cudaMemcpyBatchAsync##suffix;                          \
    extern __typeof__(cudaMemcpy3DBatchAsync) cudaMemcpy3DBatchAsync##suffix;                      \
                                                                                                   \
    cudaError_t cuda12_MemcpyBatchAsync##suffix(                                                   \
        void *const *to, const void *const *from, const size_t *sizes, size_t count,               \
        struct cudaMemcpyAttributes *attributes, size_t *first, size_t listed, size_t *failed,     \
        cudaStream_t stream)                                                                       \
    {                                                                                              \
        if (failed)                                                                                \
            *failed = SIZE_MAX;                                                                    \
        return cudaMemcpyBatchAsync##suffix(to, from, sizes, count, attributes, first, listed,     \
                                            stream);                                               \
    }                                                                                              \
                                                                                                   \
    cudaError_t cuda12_Memcpy3DBatchAsync##suffix(size_t count, struct cudaMemcpy3DBatchOp *list,  \
                                                  size_t *failed, unsigned long long flags,        \
                                                  cudaStream_t stream)                             \
    {                                                                                              \
        if (failed)                                                                                \
            *failed = SIZE_MAX;                                                                    \
        return cudaMemcpy3DBatchAsync##suffix(count, list, flags, stream);                         \
    }

BATCH_FUNCTIONS()
BATCH_FUNCTIONS(_ptsz)

/* --- functions that CUDA 13 has removed ------------------------------------------------------- */

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}

/* These functions once converted between double and float, for GPUs without double precision. */
cudaError_t cudaSetDoubleForDevice(double *value)
{
    return rt_return(cudaSuccess);
}

cudaError_t cudaSetDoubleForHost(double *value)
{
    return rt_return(cudaSuccess);
}

RT_UNSUPPORTED(cudaLaunchCooperativeKernelMultiDevice)
RT_UNSUPPORTED(cudaSignalExternalSemaphoresAsync_v2)
RT_UNSUPPORTED(cudaSignalExternalSemaphoresAsync_v2_ptsz)
RT_UNSUPPORTED(cudaWaitExternalSemaphoresAsync_v2)
RT_UNSUPPORTED(cudaWaitExternalSemaphoresAsync_v2_ptsz)
