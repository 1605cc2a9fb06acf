/* Implements the attributes of kernel nodes. The cooperative attribute and the cluster size change
 * the launch, so they are part of the node's work. All other attributes are hints, which are only
 * stored. */
#include <stdlib.h>
#include <string.h>

#include "gpu/cudart/graphs/graph.h"

enum { ATTRIBUTES = cudaLaunchAttributeNvlinkUtilCentricScheduling + 1 };

struct rt_hints {
    cudaLaunchAttributeValue values[ATTRIBUTES];
};

/* Returns whether a program can query the attribute. */
static bool is_attribute(cudaLaunchAttributeID id)
{
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        return true;
    default:
        return false;
    }
}

static cudaLaunchAttributeValue default_of(cudaLaunchAttributeID id)
{
    cudaLaunchAttributeValue value = {0};
    if (id == cudaLaunchAttributeMemSyncDomainMap)
        value.memSyncDomainMap.remote = 1;
    return value;
}

/* Returns NODE if it exists and is a kernel node, otherwise NULL. */
static struct CUgraphNode_st *kernel_node(cudaGraphNode_t node)
{
    struct CUgraphNode_st *live = rt_live_node(node);
    return live && live->work.type == cudaGraphNodeTypeKernel ? live : NULL;
}

struct rt_hints *rt_hints_copy(const struct rt_hints *hints)
{
    struct rt_hints *copy = hints ? malloc(sizeof *copy) : NULL;
    if (copy)
        *copy = *hints;
    return copy;
}

static cudaError_t set_hint(struct CUgraphNode_st *node, cudaLaunchAttributeID id,
                            const cudaLaunchAttributeValue *value)
{
    if (!node->hints) {
        if (!(node->hints = malloc(sizeof *node->hints)))
            return cudaErrorMemoryAllocation;
        for (int i = 0; i < ATTRIBUTES; i++)
            node->hints->values[i] = default_of(i);
    }
    node->hints->values[id] = *value;
    if (id == cudaLaunchAttributePriority)
        node->hints->values[id].priority = rt_stream_priority(value->priority);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value)
{
    const struct CUgraphNode_st *live = kernel_node(node);
    if (!live || !value || !is_attribute(id))
        return rt_return(cudaErrorInvalidValue);
    const struct rt_launch *launch = &live->work.kernel;
    *value = live->hints ? live->hints->values[id] : default_of(id);
    if (id == cudaLaunchAttributeCooperative)
        value->cooperative = launch->cooperative;
    if (id == cudaLaunchAttributeClusterDimension)
        memcpy(&value->clusterDim, &launch->cluster, sizeof value->clusterDim);
    return rt_return(cudaSuccess);
}

static cudaError_t set_attribute(struct CUgraphNode_st *node, cudaLaunchAttributeID id,
                                 const cudaLaunchAttributeValue *value)
{
    struct emu_device *device;
    struct rt_function *function;
    struct rt_launch launch = node->work.kernel;
    if (id == cudaLaunchAttributeCooperative) {
        launch.cooperative = value->cooperative != 0;
    } else if (id == cudaLaunchAttributeClusterDimension) {
        memcpy(&launch.cluster, &value->clusterDim, sizeof launch.cluster);
    } else if (id == cudaLaunchAttributeDeviceUpdatableKernelNode &&
               value->deviceUpdatableKernelNode.deviceUpdatable) {
        return rt_unsupported("a kernel node that kernels can update");
    } else {
        return set_hint(node, id, value);
    }
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_check_launch(device, &launch, &function);
    if (error == cudaSuccess)
        node->work.kernel = launch;
    return error;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value)
{
    struct CUgraphNode_st *live = kernel_node(node);
    if (!live || !value ||
        (!is_attribute(id) && id != cudaLaunchAttributeNvlinkUtilCentricScheduling))
        return rt_return(cudaErrorInvalidValue);
    return rt_return(set_attribute(live, id, value));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    struct CUgraphNode_st *target = kernel_node(to);
    const struct CUgraphNode_st *source = kernel_node(from);
    if (!target || !source)
        return rt_return(cudaErrorInvalidValue);
    struct rt_hints *hints = rt_hints_copy(source->hints);
    free(target->hints);
    target->hints = hints;
    target->work.kernel.cooperative = source->work.kernel.cooperative;
    target->work.kernel.cluster = source->work.kernel.cluster;
    return rt_return(cudaSuccess);
}
