/* Implements batches: single calls that request many copies, prefetches or discards. CUDA may
 * perform these in any order. This library performs them in the order of the list. */
#include "gpu/cudart/array.h"
#include "gpu/cudart/graphs.h"

/* A batch has COUNT elements. Attributes (or locations) are given for ranges of elements: entry i
 * applies from element FIRST[i] on. Returns whether FIRST, which has LISTED entries, is legal. */
static bool are_firsts(const size_t *first, size_t listed, size_t count)
{
    if (!first || !listed || listed > count || first[0] != 0)
        return false;
    for (size_t i = 1; i < listed; i++)
        if (first[i] <= first[i - 1] || first[i] >= count)
            return false;
    return true;
}

static bool is_order(enum cudaMemcpySrcAccessOrder order)
{
    return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

/* Fails for the legacy default stream, and for a stream that is being captured. The capture stays
 * valid. */
static cudaError_t check_batch_stream(cudaStream_t stream)
{
    cudaError_t error = rt_check_stream(stream);
    if (error != cudaSuccess)
        return error;
    if (rt_stream_order(stream).is_legacy)
        return cudaErrorInvalidValue;
    return rt_is_capturing(stream) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/* --- copies of bytes -------------------------------------------------------------------------- */

static cudaError_t copy_bytes(void *const *to, const void *const *from, const size_t *sizes,
                              size_t count, cudaStream_t stream)
{
    cudaError_t error = check_batch_stream(stream);
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        if (!to[i] || !from[i] || !sizes[i])
            error = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        struct rt_work work = rt_work_of_bytes(to[i], from[i], sizes[i], cudaMemcpyDefault);
        error = rt_submit(stream, &work);
    }
    return error;
}

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attributes,
                                 size_t *first, size_t listed, cudaStream_t stream)
{
    if (!to || !from || !sizes || !attributes || !are_firsts(first, listed, count))
        return rt_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < listed; i++)
        if (!is_order(attributes[i].srcAccessOrder) ||
            attributes[i].flags > cudaMemcpyFlagPreferOverlapWithCompute)
            return rt_return(cudaErrorInvalidValue);
    return rt_return(copy_bytes(to, from, sizes, count, stream));
}

/* --- copies of boxes -------------------------------------------------------------------------- */

/* Returns the array that is SIDE of a copy, or NULL if SIDE is not an array. */
static cudaArray_t array_of(const struct cudaMemcpy3DOperand *side)
{
    return side->type == cudaMemcpyOperandTypeArray ? side->op.array.array : NULL;
}

/* Converts SIDE of a copy to the members of cudaMemcpy3DParms. If the length of a row or a layer is
 * 0, there are no gaps between rows or layers. */
static bool make_side(const struct cudaMemcpy3DOperand *side, struct cudaExtent extent,
                      size_t element, cudaArray_t *array, struct cudaPos *at,
                      struct cudaPitchedPtr *ptr)
{
    if (side->type == cudaMemcpyOperandTypeArray) {
        *array = side->op.array.array;
        *at = (struct cudaPos){side->op.array.offset.x, side->op.array.offset.y,
                               side->op.array.offset.z};
        return *array != NULL;
    }
    size_t length = side->op.ptr.rowLength ? side->op.ptr.rowLength : extent.width,
           height = side->op.ptr.layerHeight ? side->op.ptr.layerHeight : extent.height, pitch;
    if (side->type != cudaMemcpyOperandTypePointer || !side->op.ptr.ptr || length < extent.width ||
        height < extent.height || __builtin_mul_overflow(length, element, &pitch))
        return false;
    *ptr = (struct cudaPitchedPtr){side->op.ptr.ptr, pitch, pitch, height};
    return true;
}

static bool make_box(struct rt_work *work, const struct cudaMemcpy3DBatchOp *op)
{
    cudaArray_t array = array_of(&op->src) ? array_of(&op->src) : array_of(&op->dst);
    /* OP gives sizes in units of this many bytes */
    size_t element = array ? rt_array_element(array) : 1;
    struct cudaMemcpy3DParms copy = {.extent = op->extent, .kind = cudaMemcpyDefault};
    if (!op->extent.width || !op->extent.height || !op->extent.depth ||
        !is_order(op->srcAccessOrder) || op->flags > cudaMemcpyFlagPreferOverlapWithCompute)
        return false;
    bool legal =
        make_side(&op->src, op->extent, element, &copy.srcArray, &copy.srcPos, &copy.srcPtr) &&
        make_side(&op->dst, op->extent, element, &copy.dstArray, &copy.dstPos, &copy.dstPtr);
    *work = (struct rt_work){.type = cudaGraphNodeTypeMemcpy, .copy = copy};
    return legal;
}

static cudaError_t copy_boxes(size_t count, const struct cudaMemcpy3DBatchOp *list,
                              unsigned long long flags, cudaStream_t stream)
{
    struct rt_work work;
    if (!count || !list || flags)
        return cudaErrorInvalidValue;
    cudaError_t error = check_batch_stream(stream);
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        if (!make_box(&work, &list[i]))
            error = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        make_box(&work, &list[i]);
        error = rt_submit(stream, &work);
    }
    return error;
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list,
                                   unsigned long long flags, cudaStream_t stream)
{
    return rt_return(copy_boxes(count, list, flags, stream));
}

/* --- managed memory --------------------------------------------------------------------------- */

static bool are_managed(void **ptrs, const size_t *sizes, size_t count)
{
    bool legal = ptrs && sizes && count;
    for (size_t i = 0; i < count && legal; i++)
        legal = rt_is_managed(ptrs[i], sizes[i]);
    return legal;
}

static cudaError_t prefetch(void **ptrs, const size_t *sizes, size_t count,
                            const struct cudaMemLocation *places, const size_t *first,
                            size_t listed, cudaStream_t stream)
{
    size_t place = 0;
    if (!are_managed(ptrs, sizes, count) || !places || !are_firsts(first, listed, count))
        return cudaErrorInvalidValue;
    cudaError_t error = check_batch_stream(stream);
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        place += place + 1 < listed && first[place + 1] == i;
        error = rt_prefetch(ptrs[i], sizes[i], places[place], stream);
    }
    return error == cudaErrorInvalidDevice ? cudaErrorInvalidValue : error;
}

cudaError_t cudaMemPrefetchBatchAsync(void **ptrs, size_t *sizes, size_t count,
                                      struct cudaMemLocation *places, size_t *first, size_t listed,
                                      unsigned long long flags, cudaStream_t stream)
{
    return rt_return(flags ? cudaErrorInvalidValue
                           : prefetch(ptrs, sizes, count, places, first, listed, stream));
}

/* Only checks its arguments, because CUDA allows an implementation to keep the contents of
 * discarded memory. */
cudaError_t cudaMemDiscardBatchAsync(void **ptrs, size_t *sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream)
{
    return rt_return(flags || !are_managed(ptrs, sizes, count) ? cudaErrorInvalidValue
                                                               : check_batch_stream(stream));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **ptrs, size_t *sizes, size_t count,
                                                struct cudaMemLocation *places, size_t *first,
                                                size_t listed, unsigned long long flags,
                                                cudaStream_t stream)
{
    return rt_return(flags ? cudaErrorInvalidValue
                           : prefetch(ptrs, sizes, count, places, first, listed, stream));
}
