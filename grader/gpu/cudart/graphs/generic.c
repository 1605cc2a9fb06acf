/* Implements the API functions for nodes of any kind, which take the kind as a parameter. They call
 * the functions for each kind in nodes.c. */
#include "gpu/cudart/graphs/graph.h"

#include <string.h>

static cudaError_t kernel_work(struct rt_work *work, const struct cudaKernelNodeParamsV2 *params)
{
    const struct cudaKernelNodeParams kernel = {.func = params->func,
                                                .gridDim = params->gridDim,
                                                .blockDim = params->blockDim,
                                                .sharedMemBytes = params->sharedMemBytes,
                                                .kernelParams = params->kernelParams,
                                                .extra = params->extra};
    return rt_work_of_kernel(work, &kernel);
}

static cudaError_t fill_work(struct rt_work *work, const struct cudaMemsetParamsV2 *params)
{
    const struct cudaMemsetParams fill = {.dst = params->dst,
                                          .pitch = params->pitch,
                                          .value = params->value,
                                          .elementSize = params->elementSize,
                                          .width = params->width,
                                          .height = params->height};
    return rt_work_of_fill(work, &fill);
}

static cudaError_t host_work(struct rt_work *work, const struct cudaHostNodeParamsV2 *params)
{
    const struct cudaHostNodeParams host = {.fn = params->fn, .userData = params->userData};
    return rt_work_of_host(work, &host);
}

static cudaError_t child_work(struct rt_work *work, cudaGraph_t graph,
                              const struct cudaChildGraphNodeParams *params)
{
    if (params->ownership == cudaGraphChildGraphOwnershipMove)
        return rt_unsupported("a child graph that is moved into its parent graph");
    return rt_work_of_child(work, graph, params->graph);
}

/* Converts PARAMS, for a node of GRAPH, to a work item. Fails for an allocation node and for a new
 * conditional node. */
static cudaError_t make_work(struct rt_work *work, cudaGraph_t graph,
                             const struct cudaGraphNodeParams *params)
{
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        return kernel_work(work, &params->kernel);
    case cudaGraphNodeTypeMemcpy:
        return params->memcpy.flags ? cudaErrorInvalidValue
                                    : rt_work_of_copy(work, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return fill_work(work, &params->memset);
    case cudaGraphNodeTypeHost:
        return host_work(work, &params->host);
    case cudaGraphNodeTypeGraph:
        return child_work(work, graph, &params->graph);
    case cudaGraphNodeTypeEmpty:
        *work = (struct rt_work){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord: /* both kinds have the same parameters */
        return rt_work_of_event(work, params->type, params->eventRecord.event);
    case cudaGraphNodeTypeMemFree:
        return rt_work_of_free(work, graph, params->free.dptr);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        return rt_unsupported("a graph node for an external semaphore");
    case cudaGraphNodeTypeConditional: /* a conditional node cannot be changed */
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}

static bool is_clear(const struct cudaGraphNodeParams *params)
{
    return params && !params->reserved0[0] && !params->reserved0[1] && !params->reserved0[2] &&
           !params->reserved2;
}

/* Returns whether the edges' DATA is legal. On a GPU, an edge with data may let its second node
 * start before its first node has ended. In the emulator, the second node always waits for the end
 * of the first. */
static bool are_edges(const cudaGraphEdgeData *data, size_t count)
{
    static const unsigned char zeros[sizeof data->reserved];
    for (size_t i = 0; data && i < count; i++)
        if (data[i].from_port > cudaGraphKernelNodePortLaunchCompletion || data[i].to_port ||
            data[i].type > cudaGraphDependencyTypeProgrammatic ||
            memcmp(data[i].reserved, zeros, sizeof zeros) != 0)
            return false;
    return true;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *depends, const cudaGraphEdgeData *data,
                             size_t count, struct cudaGraphNodeParams *params)
{
    RT_CALLED();
    struct rt_work work;
    if (!is_clear(params) || !are_edges(data, count))
        return rt_remember(cudaErrorInvalidValue);
    if (params->type == cudaGraphNodeTypeMemAlloc)
        return rt_remember(rt_node_add_memory(node, graph, depends, count, &params->alloc.poolProps,
                                              params->alloc.bytesize, &params->alloc.dptr));
    if (params->type == cudaGraphNodeTypeConditional)
        return rt_remember(
            rt_node_add_conditional(node, graph, depends, count, &params->conditional));
    cudaError_t error = make_work(&work, graph, params);
    return rt_node_add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    RT_CALLED();
    struct rt_work work = {0};
    const struct CUgraphNode_st *live = rt_live_node(node);
    if (!live || !is_clear(params) || params->type != live->work.type)
        return rt_remember(cudaErrorInvalidValue);
    cudaError_t error =
        rt_is_memory(&live->work) ? cudaErrorNotSupported : make_work(&work, live->graph, params);
    return rt_node_set(node, &work, error);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *params)
{
    RT_CALLED();
    struct rt_work work = {0};
    const struct CUgraphNode_st *live = rt_live_node(node);
    if (!live || !is_clear(params) || params->type != live->work.type)
        return rt_remember(cudaErrorInvalidValue);
    cudaError_t error =
        rt_is_memory(&live->work) ? cudaErrorNotSupported : make_work(&work, live->graph, params);
    return rt_node_exec_set(exec, node, &work, error);
}
