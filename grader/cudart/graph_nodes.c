/* Nodes of each kind. A node keeps its work as parameters that it owns; every call that takes parameters
 * turns them into work first, whether it adds a node, changes one, or changes one that is ready. */
#include "cudart/graph.h"

#include <string.h>

/* --- parameters as work ----------------------------------------------------------------------------------- */

cudaError_t rt_kernel_work(struct rt_work *work, const struct cudaKernelNodeParams *params)
{
    struct emu_device *device;
    struct rt_function *function;
    if (!params)
        return cudaErrorInvalidValue;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (params->extra)
        return rt_unsupported("a kernel node whose arguments are in `extra`");
    *work = (struct rt_work){.type = cudaGraphNodeTypeKernel};
    work->kernel =
        (struct rt_launch){params->func,           params->gridDim, params->blockDim,
                           params->sharedMemBytes, false,           params->kernelParams};
    return rt_check_launch(device, &work->kernel, &function);
}

cudaError_t rt_copy_work(struct rt_work *work, const struct cudaMemcpy3DParms *params)
{
    if (!params)
        return cudaErrorInvalidValue;
    *work = (struct rt_work){.type = cudaGraphNodeTypeMemcpy, .copy = *params};
    return (unsigned)params->kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection
                                                      : cudaSuccess;
}

cudaError_t rt_fill_work(struct rt_work *work, const struct cudaMemsetParams *params)
{
    if (!params || !params->dst || !params->width || !params->height ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return cudaErrorInvalidValue;
    *work = (struct rt_work){.type = cudaGraphNodeTypeMemset, .fill = *params};
    return cudaSuccess;
}

cudaError_t rt_host_work(struct rt_work *work, const struct cudaHostNodeParams *params)
{
    if (!params || !params->fn)
        return cudaErrorInvalidValue;
    *work = (struct rt_work){.type = cudaGraphNodeTypeHost, .host = *params};
    return cudaSuccess;
}

/* --- adding ------------------------------------------------------------------------------------------------ */

/* ERROR is what making WORK has come to. */
static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                       size_t count, const struct rt_work *work, cudaError_t error)
{
    struct CUgraph_st *live = rt_graph(graph);
    if (!node || !live || (count && !depends))
        return rt_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        const struct CUgraphNode_st *before = rt_graph_node(depends[i]);
        if (!before || before->graph != live)
            return rt_return(cudaErrorInvalidValue);
    }
    return rt_return(error == cudaSuccess ? rt_graph_add(live, depends, count, work, node) : error);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *depends, size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_kernel_work(&work, params);
    return add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *depends, size_t count,
                                   const struct cudaMemcpy3DParms *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_copy_work(&work, params);
    return add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *depends, size_t count, void *to,
                                     const void *from, size_t size, enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work = rt_bytes(to, from, size, kind);
    return add(node, graph, depends, count, &work, cudaSuccess);
}

/* The memory is there from now on, as its address must be; it stays, as the graph may run again. */
static cudaError_t add_memory(cudaGraphNode_t *node, cudaGraph_t graph,
                              const cudaGraphNode_t *depends, size_t count,
                              struct cudaMemAllocNodeParams *params)
{
    struct emu_device *device;
    struct rt_work work = {.type = cudaGraphNodeTypeMemAlloc};
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!params || !params->bytesize ||
        params->poolProps.allocType != cudaMemAllocationTypePinned ||
        params->poolProps.location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    error = rt_allocate(&work.memory, params->bytesize, RT_POOL, 0);
    if (error != cudaSuccess)
        return error;
    error = add(node, graph, depends, count, &work, cudaSuccess);
    if (error == cudaSuccess)
        params->dptr = work.memory;
    else
        rt_free(device, work.memory);
    return error;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *depends, size_t count,
                                     struct cudaMemAllocNodeParams *params)
{
    RT_CALLED();
    return rt_return(add_memory(node, graph, depends, count, params));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *depends, size_t count, void *memory)
{
    RT_CALLED();
    struct rt_range range;
    struct rt_work work = {.type = cudaGraphNodeTypeMemFree, .memory = memory};
    bool known = rt_range_find(memory, &range) && range.ptr == memory && range.owner == RT_POOL;
    return add(node, graph, depends, count, &work, known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *depends, size_t count,
                                           const void *symbol, const void *from, size_t size,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_symbol_to(&work, symbol, from, size, offset, kind);
    return add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *depends, size_t count, void *to,
                                             const void *symbol, size_t size, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_symbol_from(&work, to, symbol, size, offset, kind);
    return add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *depends, size_t count,
                                   const struct cudaMemsetParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_fill_work(&work, params);
    return add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *depends, size_t count,
                                 const struct cudaHostNodeParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_host_work(&work, params);
    return add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *depends, size_t count)
{
    RT_CALLED();
    struct rt_work work = {.type = cudaGraphNodeTypeEmpty};
    return add(node, graph, depends, count, &work, cudaSuccess);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *depends, size_t count,
                                       cudaGraph_t child)
{
    RT_CALLED();
    struct rt_work work = {.type = cudaGraphNodeTypeGraph, .child = child};
    bool legal = rt_graph(child) && child != graph;
    return add(node, graph, depends, count, &work, legal ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *depends, size_t count,
                                        cudaEvent_t event)
{
    RT_CALLED();
    struct rt_work work = {.type = cudaGraphNodeTypeEventRecord, .event = event};
    return add(node, graph, depends, count, &work, cudaSuccess);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *depends, size_t count,
                                      cudaEvent_t event)
{
    RT_CALLED();
    struct rt_work work = {.type = cudaGraphNodeTypeWaitEvent, .event = event};
    return add(node, graph, depends, count, &work, cudaSuccess);
}

/* --- reading and changing ------------------------------------------------------------------------------------ */

/* What NODE does, if it is of TYPE and RESULT is somewhere. */
static const struct rt_work *work_of(cudaGraphNode_t node, enum cudaGraphNodeType type,
                                     const void *result)
{
    const struct CUgraphNode_st *live = result ? rt_graph_node(node) : NULL;
    return live && live->work.type == type ? &live->work : NULL;
}

static cudaError_t set(cudaGraphNode_t node, const struct rt_work *work, cudaError_t error)
{
    struct rt_work copy;
    struct CUgraphNode_st *live = rt_graph_node(node);
    if (error == cudaSuccess && (!live || live->work.type != work->type))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_work_copy(&copy, work);
    if (error != cudaSuccess)
        return rt_return(error);
    rt_work_free(&live->work);
    live->work = copy;
    return cudaSuccess;
}

static cudaError_t exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work,
                            cudaError_t error)
{
    return rt_return(error == cudaSuccess ? rt_exec_set(exec, node, work) : error);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeKernel, params);
    if (!work)
        return rt_return(cudaErrorInvalidValue);
    *params = (struct cudaKernelNodeParams){
        .func = (void *)work->kernel.func,
        .gridDim = work->kernel.grid,
        .blockDim = work->kernel.block,
        .sharedMemBytes = (unsigned)work->kernel.shared,
        .kernelParams = work->kernel.args,
    };
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_kernel_work(&work, params);
    return set(node, &work, error);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_kernel_work(&work, params);
    return exec_set(exec, node, &work, error);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeMemcpy, params);
    if (work)
        *params = work->copy;
    return rt_return(work ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_copy_work(&work, params);
    return set(node, &work, error);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t size, enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work = rt_bytes(to, from, size, kind);
    return set(node, &work, cudaSuccess);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_copy_work(&work, params);
    return exec_set(exec, node, &work, error);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t size,
                                               enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work = rt_bytes(to, from, size, kind);
    return exec_set(exec, node, &work, cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params)
{
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeMemset, params);
    if (work)
        *params = work->fill;
    return rt_return(work ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_fill_work(&work, params);
    return set(node, &work, error);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_fill_work(&work, params);
    return exec_set(exec, node, &work, error);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeHost, params);
    if (work)
        *params = work->host;
    return rt_return(work ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *params)
{
    struct rt_range range;
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeMemAlloc, params);
    if (!work || !rt_range_find(work->memory, &range))
        return rt_return(cudaErrorInvalidValue);
    *params = (struct cudaMemAllocNodeParams){.bytesize = range.size, .dptr = work->memory};
    params->poolProps.allocType = cudaMemAllocationTypePinned;
    params->poolProps.location.type = cudaMemLocationTypeDevice;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *memory)
{
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeMemFree, memory);
    if (work)
        memcpy(memory, &work->memory, sizeof work->memory);
    return rt_return(work ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_host_work(&work, params);
    return set(node, &work, error);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_host_work(&work, params);
    return exec_set(exec, node, &work, error);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeGraph, graph);
    if (work)
        *graph = work->child;
    return rt_return(work ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    RT_CALLED();
    struct rt_work work = {.type = cudaGraphNodeTypeGraph, .child = child};
    return exec_set(exec, node, &work, rt_graph(child) ? cudaSuccess : cudaErrorInvalidValue);
}
