/* Implements the attributes of kernels, which a program can query and set. */
#include "gpu/cudart/rt.h"

static cudaError_t find(const void *func, struct rt_function **function)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    return error == cudaSuccess ? rt_find_function(device, func, function) : error;
}

static cudaError_t get_attributes(struct cudaFuncAttributes *attributes, const void *func)
{
    struct rt_function *function;
    if (!attributes)
        return cudaErrorInvalidValue;
    cudaError_t error = find(func, &function);
    if (error != cudaSuccess)
        return error;
    const struct emu_kernel_info *info = &function->info;
    uint32_t fitting = emu_occupancy_threads(info->registers);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = info->shared_bytes,
        .constSizeBytes = info->const_bytes,
        .localSizeBytes = info->local_bytes,
        .maxThreadsPerBlock = info->max_threads < fitting ? info->max_threads : fitting,
        .numRegs = info->registers,
        .ptxVersion = info->sm_version,
        .binaryVersion = EMU_CAPABILITY,
        .maxDynamicSharedSizeBytes = rt_dynamic_limit(function),
        .preferredShmemCarveout = function->carveout,
        .clusterDimMustBeSet = function->needs_cluster || info->needs_cluster || info->cluster[0],
        .nonPortableClusterSizeAllowed = function->wide_clusters,
    };
    dim3 cluster = rt_cluster_size(function, (dim3){0, 0, 0});
    if (info->cluster[0] || function->cluster.x) {
        attributes->requiredClusterWidth = (int)cluster.x;
        attributes->requiredClusterHeight = (int)cluster.y;
        attributes->requiredClusterDepth = (int)cluster.z;
    }
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *func)
{
    return rt_return(get_attributes(attributes, func));
}

static cudaError_t set_dynamic(struct rt_function *function, int bytes)
{
    int64_t limit = (int64_t)EMU_MAX_SHARED - function->info.shared_bytes;
    if (bytes < 0 || bytes > limit)
        return cudaErrorInvalidValue;
    function->max_dynamic_shared = bytes;
    return cudaSuccess;
}

/* Sets one side of the default cluster size of launches of FUNCTION. Fails for a kernel with
 * __cluster_dims__, whose cluster size is fixed. */
static cudaError_t set_cluster(struct rt_function *function, unsigned side, int blocks)
{
    dim3 size = function->cluster.x ? function->cluster : (dim3){1, 1, 1};
    if (function->info.cluster[0])
        return cudaErrorNotPermitted;
    if (blocks < 1 || blocks > (int)EMU_MAX_CLUSTER)
        return cudaErrorInvalidValue;
    *(side == 0 ? &size.x : side == 1 ? &size.y : &size.z) = (unsigned)blocks;
    function->cluster = size;
    return cudaSuccess;
}

static cudaError_t set_attribute(const void *func, enum cudaFuncAttribute attribute, int value)
{
    struct rt_function *function;
    cudaError_t error = find(func, &function);
    if (error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic(function, value);
    /* this is only a hint to a GPU: a percentage, or -1 for the default */
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        function->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
        function->needs_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        return set_cluster(function, attribute - cudaFuncAttributeRequiredClusterWidth, value);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        function->wide_clusters = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: /* only a hint */
        return value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing ? cudaErrorInvalidValue
                                                                             : cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attribute, int value)
{
    return rt_return(set_attribute(func, attribute, value));
}

/* Only checks its arguments. The configuration is a hint about how to divide memory between L1
 * cache and shared memory, and the emulator has no L1 cache. */
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    struct rt_function *function;
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(find(func, &function));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device)
{
    return rt_return(device == 0 ? set_attribute(kernel, attribute, value)
                                 : cudaErrorInvalidDevice);
}

static cudaError_t get_param(const void *func, size_t index, size_t *offset, size_t *size)
{
    struct rt_function *function;
    cudaError_t error = find(func, &function);
    if (error != cudaSuccess)
        return error;
    if (!offset || index >= function->info.param_count)
        return cudaErrorInvalidValue;
    *offset = function->info.params[index].offset;
    if (size)
        *size = function->info.params[index].size;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size)
{
    return rt_return(get_param(func, index, offset, size));
}

/* Sets *RESULT to a handle for functions of the CUDA driver. Lanewise has no driver. But functions
 * of the runtime accept this handle as a kernel. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *result, const void *symbol)
{
    struct rt_function *function;
    if (!result)
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = find(symbol, &function);
    if (error == cudaSuccess)
        *result = (cudaFunction_t)function;
    return rt_return(error);
}
