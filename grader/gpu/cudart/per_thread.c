/* Defines the functions for programs built with --default-stream per-thread. In these programs,
 * nvcc's headers rename each function that works in a stream:
 *
 *     cudaMemcpyAsync(..., 0) -> cudaMemcpyAsync_ptsz(..., 0)   stream 0 is the thread's stream
 *     cudaMemcpy(...)         -> cudaMemcpy_ptds(...)           works in the thread's stream
 *
 * A renamed function does the same as the original, but its default stream is that of the calling
 * thread: stream.c calls rt_default_is_per_thread(). The default streams of different threads do
 * not wait for each other. But each of them waits for the legacy default stream, and the legacy
 * default stream waits for it. */
#include <cuda_runtime_api.h>

#include "gpu/cudart/rt.h"

extern cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                      size_t shared, cudaStream_t stream);

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* the number of calls of these functions that are active in this thread */
static _Thread_local unsigned depth;

bool rt_default_is_per_thread(void)
{
    return depth > 0;
}

#define OWN(function, suffix, parameters, arguments)                                               \
    cudaError_t function##suffix parameters                                                        \
    {                                                                                              \
        depth++;                                                                                   \
        cudaError_t error = function arguments;                                                    \
        depth--;                                                                                   \
        return error;                                                                              \
    }

/* --- functions with a parameter STREAM, where 0 means the thread's own stream ----------------- */

OWN(cudaMemcpy3DAsync, _ptsz, (const struct cudaMemcpy3DParms *parms, cudaStream_t stream),
    (parms, stream))
OWN(cudaMemcpy2DToArrayAsync, _ptsz,
    (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
    (to, x, y, from, pitch, width, height, kind, stream))
OWN(cudaMemcpy2DFromArrayAsync, _ptsz,
    (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
    (to, pitch, from, x, y, width, height, kind, stream))
OWN(cudaMemcpyToArrayAsync, _ptsz,
    (cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum cudaMemcpyKind kind,
     cudaStream_t stream),
    (to, x, y, from, count, kind, stream))
OWN(cudaMemcpyFromArrayAsync, _ptsz,
    (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind,
     cudaStream_t stream),
    (to, from, x, y, count, kind, stream))
OWN(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
    (stream, mode))
OWN(cudaStreamBeginCaptureToGraph, _ptsz,
    (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *depends,
     const cudaGraphEdgeData *data, size_t count, enum cudaStreamCaptureMode mode),
    (stream, graph, depends, data, count, mode))
OWN(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t *graph), (stream, graph))
OWN(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
    (stream, status))
OWN(cudaStreamGetCaptureInfo, _ptsz,
    (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
     cudaGraph_t *graph, const cudaGraphNode_t **depends, const cudaGraphEdgeData **data,
     size_t *count),
    (stream, status, id, graph, depends, data, count))
OWN(cudaStreamUpdateCaptureDependencies, _ptsz,
    (cudaStream_t stream, cudaGraphNode_t *depends, const cudaGraphEdgeData *data, size_t count,
     unsigned flags),
    (stream, depends, data, count, flags))
OWN(cudaMemcpyAsync, _ptsz,
    (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
    (to, from, size, kind, stream))
OWN(cudaMemcpy2DAsync, _ptsz,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
     enum cudaMemcpyKind kind, cudaStream_t stream),
    (to, to_pitch, from, from_pitch, width, height, kind, stream))
OWN(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))
OWN(cudaEventRecordWithFlags, _ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
    (event, stream, flags))
OWN(cudaStreamWaitEvent, _ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
    (stream, event, flags))
OWN(cudaMemsetAsync, _ptsz, (void *to, int value, size_t size, cudaStream_t stream),
    (to, value, size, stream))
OWN(cudaMemset2DAsync, _ptsz,
    (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
    (to, pitch, value, width, height, stream))
OWN(cudaMemset3DAsync, _ptsz,
    (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream),
    (to, value, extent, stream))
OWN(cudaGraphInstantiateWithParams, _ptsz,
    (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams *params),
    (exec, graph, params))
OWN(cudaGraphLaunch, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
OWN(cudaGraphUpload, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
OWN(cudaLaunchKernel, _ptsz,
    (const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
    (func, grid, block, args, shared, stream))
OWN(__cudaLaunchKernel, _ptsz,
    (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
    (kernel, grid, block, args, shared, stream))
OWN(cudaLaunchCooperativeKernel, _ptsz,
    (const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
    (func, grid, block, args, shared, stream))
OWN(cudaLaunchKernelExC, _ptsz, (const cudaLaunchConfig_t *config, const void *func, void **args),
    (config, func, args))
OWN(cudaMemPrefetchAsync, _ptsz,
    (const void *ptr, size_t count, struct cudaMemLocation location, unsigned flags,
     cudaStream_t stream),
    (ptr, count, location, flags, stream))
OWN(cudaStreamAttachMemAsync, _ptsz,
    (cudaStream_t stream, void *ptr, size_t length, unsigned flags), (stream, ptr, length, flags))
OWN(cudaMemcpy3DPeerAsync, _ptsz, (const struct cudaMemcpy3DPeerParms *parms, cudaStream_t stream),
    (parms, stream))
OWN(cudaMallocAsync, _ptsz, (void **ptr, size_t size, cudaStream_t stream), (ptr, size, stream))
OWN(cudaMallocFromPoolAsync, _ptsz,
    (void **ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream), (ptr, size, pool, stream))
OWN(cudaFreeAsync, _ptsz, (void *ptr, cudaStream_t stream), (ptr, stream))
OWN(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream))
OWN(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream))
OWN(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned *flags), (stream, flags))
OWN(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int *priority), (stream, priority))
OWN(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long *id), (stream, id))
OWN(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int *device), (stream, device))
OWN(cudaStreamSetAttribute, _ptsz,
    (cudaStream_t stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value),
    (stream, id, value))
OWN(cudaStreamGetAttribute, _ptsz,
    (cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value),
    (stream, id, value))
OWN(cudaStreamCopyAttributes, _ptsz, (cudaStream_t to, cudaStream_t from), (to, from))
OWN(cudaLaunchHostFunc, _ptsz, (cudaStream_t stream, cudaHostFn_t function, void *data),
    (stream, function, data))
OWN(cudaStreamAddCallback, _ptsz,
    (cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags),
    (stream, callback, data, flags))
OWN(cudaMemcpyToSymbolAsync, _ptsz,
    (const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind,
     cudaStream_t stream),
    (symbol, from, count, offset, kind, stream))
OWN(cudaMemcpyFromSymbolAsync, _ptsz,
    (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
     cudaStream_t stream),
    (to, symbol, count, offset, kind, stream))

OWN(cudaMemcpyBatchAsync, _ptsz,
    (void *const *to, const void *const *from, const size_t *sizes, size_t count,
     struct cudaMemcpyAttributes *attributes, size_t *first, size_t listed, cudaStream_t stream),
    (to, from, sizes, count, attributes, first, listed, stream))
OWN(cudaMemcpy3DBatchAsync, _ptsz,
    (size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags, cudaStream_t stream),
    (count, list, flags, stream))
OWN(cudaMemPrefetchBatchAsync, _ptsz,
    (void **ptrs, size_t *sizes, size_t count, struct cudaMemLocation *places, size_t *first,
     size_t listed, unsigned long long flags, cudaStream_t stream),
    (ptrs, sizes, count, places, first, listed, flags, stream))
OWN(cudaMemDiscardBatchAsync, _ptsz,
    (void **ptrs, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream),
    (ptrs, sizes, count, flags, stream))
OWN(cudaMemDiscardAndPrefetchBatchAsync, _ptsz,
    (void **ptrs, size_t *sizes, size_t count, struct cudaMemLocation *places, size_t *first,
     size_t listed, unsigned long long flags, cudaStream_t stream),
    (ptrs, sizes, count, places, first, listed, flags, stream))

OWN(cudaGetDriverEntryPoint, _ptsz,
    (const char *symbol, void **function, unsigned long long flags,
     enum cudaDriverEntryPointQueryResult *status),
    (symbol, function, flags, status))
OWN(cudaGetDriverEntryPointByVersion, _ptsz,
    (const char *symbol, void **function, unsigned version, unsigned long long flags,
     enum cudaDriverEntryPointQueryResult *status),
    (symbol, function, version, flags, status))

/* --- functions without STREAM, which use the thread's own stream and wait for their work ------ */

OWN(cudaMemcpy3D, _ptds, (const struct cudaMemcpy3DParms *parms), (parms))
OWN(cudaMemcpy2DToArray, _ptds,
    (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
     size_t height, enum cudaMemcpyKind kind),
    (to, x, y, from, pitch, width, height, kind))
OWN(cudaMemcpy2DFromArray, _ptds,
    (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
     size_t height, enum cudaMemcpyKind kind),
    (to, pitch, from, x, y, width, height, kind))
OWN(cudaMemcpy2DArrayToArray, _ptds,
    (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
     size_t width, size_t height, enum cudaMemcpyKind kind),
    (to, to_x, to_y, from, from_x, from_y, width, height, kind))
OWN(cudaMemcpyToArray, _ptds,
    (cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum cudaMemcpyKind kind),
    (to, x, y, from, count, kind))
OWN(cudaMemcpyFromArray, _ptds,
    (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind),
    (to, from, x, y, count, kind))
OWN(cudaMemcpyArrayToArray, _ptds,
    (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
     size_t count, enum cudaMemcpyKind kind),
    (to, to_x, to_y, from, from_x, from_y, count, kind))
OWN(cudaMemcpy, _ptds, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
    (to, from, size, kind))
OWN(cudaMemcpy2D, _ptds,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
     enum cudaMemcpyKind kind),
    (to, to_pitch, from, from_pitch, width, height, kind))
OWN(cudaMemset, _ptds, (void *to, int value, size_t size), (to, value, size))
OWN(cudaMemset2D, _ptds, (void *to, size_t pitch, int value, size_t width, size_t height),
    (to, pitch, value, width, height))
OWN(cudaMemset3D, _ptds, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
    (to, value, extent))
OWN(cudaMemcpy3DPeer, _ptds, (const struct cudaMemcpy3DPeerParms *parms), (parms))
OWN(cudaMemcpyToSymbol, _ptds,
    (const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind),
    (symbol, from, count, offset, kind))
OWN(cudaMemcpyFromSymbol, _ptds,
    (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
    (to, symbol, count, offset, kind))
