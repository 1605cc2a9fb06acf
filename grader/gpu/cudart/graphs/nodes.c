/* Implements the API functions for each kind of node. Each function converts its parameters to a
 * work item (struct rt_work). Then it adds a node with this work, or replaces the work of a node or
 * of a launchable graph. A node owns its work item. */
#include "gpu/cudart/graphs/graph.h"

#include <string.h>

/* --- converting parameters to work items ------------------------------------------------------ */

cudaError_t rt_work_of_kernel(struct rt_work *work, const struct cudaKernelNodeParams *params)
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
    *work = (struct rt_work){.type = cudaGraphNodeTypeKernel,
                             .kernel = {.func = params->func,
                                        .grid = params->gridDim,
                                        .block = params->blockDim,
                                        .shared = params->sharedMemBytes,
                                        .args = params->kernelParams}};
    return rt_check_launch(device, &work->kernel, &function);
}

cudaError_t rt_work_of_copy(struct rt_work *work, const struct cudaMemcpy3DParms *params)
{
    if (!params || !params->extent.width || !params->extent.height || !params->extent.depth)
        return cudaErrorInvalidValue;
    *work = (struct rt_work){.type = cudaGraphNodeTypeMemcpy, .copy = *params};
    return (unsigned)params->kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection
                                                      : cudaSuccess;
}

cudaError_t rt_work_of_fill(struct rt_work *work, const struct cudaMemsetParams *params)
{
    if (!params || !params->dst || !params->width || !params->height ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return cudaErrorInvalidValue;
    *work = (struct rt_work){.type = cudaGraphNodeTypeMemset, .fill = *params};
    return cudaSuccess;
}

cudaError_t rt_work_of_host(struct rt_work *work, const struct cudaHostNodeParams *params)
{
    if (!params || !params->fn)
        return cudaErrorInvalidValue;
    *work = (struct rt_work){.type = cudaGraphNodeTypeHost, .host = *params};
    return cudaSuccess;
}

cudaError_t rt_work_of_event(struct rt_work *work, enum cudaGraphNodeType type, cudaEvent_t event)
{
    *work = (struct rt_work){.type = type, .event = event};
    return event ? cudaSuccess : cudaErrorInvalidValue;
}

/* --- adding ----------------------------------------------------------------------------------- */

cudaError_t rt_node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                        size_t count, const struct rt_work *work, cudaError_t error)
{
    struct CUgraph_st *live = rt_live_graph(graph);
    if (!node || !live || (count && !depends))
        return rt_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        const struct CUgraphNode_st *before = rt_live_node(depends[i]);
        if (!before || before->graph != live)
            return rt_return(cudaErrorInvalidValue);
    }
    return rt_return(error == cudaSuccess ? rt_graph_add(live, depends, count, work, node) : error);
}

/* --- kinds of nodes whose parameters are a structure ------------------------------------------ */

/* Returns the work of NODE. Returns NULL if NODE does not exist, if its type is not TYPE, or if
 * RESULT is NULL. */
static const struct rt_work *work_of(cudaGraphNode_t node, enum cudaGraphNodeType type,
                                     const void *result)
{
    const struct CUgraphNode_st *live = result ? rt_live_node(node) : NULL;
    return live && live->work.type == type ? &live->work : NULL;
}

cudaError_t rt_node_set(cudaGraphNode_t node, const struct rt_work *work, cudaError_t error)
{
    struct CUgraphNode_st *live = rt_live_node(node);
    if (error == cudaSuccess)
        error = live ? rt_work_replace(&live->work, work) : cudaErrorInvalidValue;
    return rt_return(error);
}

cudaError_t rt_node_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work,
                             cudaError_t error)
{
    return rt_return(error == cudaSuccess ? rt_exec_set(exec, node, work) : error);
}

#define KIND(Kind, params_type, make_work)                                                         \
    cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,                 \
                                         const cudaGraphNode_t *depends, size_t count,             \
                                         const struct params_type *params)                         \
    {                                                                                              \
        RT_CALLED();                                                                               \
        struct rt_work work;                                                                       \
        cudaError_t error = make_work(&work, params);                                              \
        return rt_node_add(node, graph, depends, count, &work, error);                             \
    }                                                                                              \
    cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t node,                               \
                                               const struct params_type *params)                   \
    {                                                                                              \
        RT_CALLED();                                                                               \
        struct rt_work work;                                                                       \
        cudaError_t error = make_work(&work, params);                                              \
        return rt_node_set(node, &work, error);                                                    \
    }                                                                                              \
    cudaError_t cudaGraphExec##Kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,     \
                                                   const struct params_type *params)               \
    {                                                                                              \
        RT_CALLED();                                                                               \
        struct rt_work work;                                                                       \
        cudaError_t error = make_work(&work, params);                                              \
        return rt_node_exec_set(exec, node, &work, error);                                         \
    }

KIND(Kernel, cudaKernelNodeParams, rt_work_of_kernel)
KIND(Memcpy, cudaMemcpy3DParms, rt_work_of_copy)
KIND(Memset, cudaMemsetParams, rt_work_of_fill)
KIND(Host, cudaHostNodeParams, rt_work_of_host)

/* Defines the API function NAME, which returns the member PART of a node's work. */
#define GETTER(name, type, result_type, part)                                                      \
    cudaError_t name(cudaGraphNode_t node, result_type *result)                                    \
    {                                                                                              \
        const struct rt_work *work = work_of(node, type, result);                                  \
        if (work)                                                                                  \
            *result = work->part;                                                                  \
        return rt_return(work ? cudaSuccess : cudaErrorInvalidValue);                              \
    }

GETTER(cudaGraphMemcpyNodeGetParams, cudaGraphNodeTypeMemcpy, struct cudaMemcpy3DParms, copy)
GETTER(cudaGraphMemsetNodeGetParams, cudaGraphNodeTypeMemset, struct cudaMemsetParams, fill)
GETTER(cudaGraphHostNodeGetParams, cudaGraphNodeTypeHost, struct cudaHostNodeParams, host)
GETTER(cudaGraphChildGraphNodeGetGraph, cudaGraphNodeTypeGraph, cudaGraph_t, child)

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

/* --- other kinds ------------------------------------------------------------------------------ */

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *depends, size_t count, void *to,
                                     const void *from, size_t size, enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work = rt_work_of_bytes(to, from, size, kind);
    return rt_node_add(node, graph, depends, count, &work, cudaSuccess);
}

/* Returns whether MEMORY is allocated again by a node after NODE. */
static bool is_allocated_after(const struct CUgraphNode_st *node, const void *memory)
{
    for (const struct CUgraphNode_st *at = node->graph->first; at; at = at->next)
        if (at->work.type == cudaGraphNodeTypeMemAlloc && at->work.memory == memory &&
            rt_graph_comes_before(node, at))
            return true;
    return false;
}

/* Finds memory that the new allocation node NODE can reuse, as on a GPU. This memory has at least
 * SIZE bytes, is freed by a node before NODE, and is not allocated again by a later node. Returns
 * NULL if there is none. */
static void *reusable_memory(const struct CUgraphNode_st *node, size_t size)
{
    for (const struct CUgraphNode_st *at = node->graph->first; at; at = at->next) {
        size_t room;
        if (at->work.type == cudaGraphNodeTypeMemFree && rt_graph_comes_before(at, node) &&
            !is_allocated_after(at, at->work.memory) &&
            rt_graph_memory_size(at->work.memory, &room) && size <= room &&
            rt_graph_memory_hold(at->work.memory))
            return at->work.memory;
    }
    return NULL;
}

cudaError_t rt_node_add_memory(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *depends, size_t count,
                               const struct cudaMemPoolProps *pool, size_t size, void **memory)
{
    struct rt_work work = {.type = cudaGraphNodeTypeMemAlloc};
    struct CUgraphNode_st here = {.graph = rt_live_graph(graph),
                                  .depend_count = count}; /* represents the new node */
    if (!size || !here.graph || (count && !depends) ||
        pool->allocType != cudaMemAllocationTypePinned ||
        pool->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!rt_live_node(depends[i]))
            return cudaErrorInvalidValue;
    here.depends = (struct CUgraphNode_st **)depends;
    work.memory = reusable_memory(&here, size);
    cudaError_t error = work.memory ? cudaSuccess : rt_graph_memory_new(size, &work.memory);
    if (error != cudaSuccess)
        return error;
    error = rt_node_add(node, graph, depends, count, &work, cudaSuccess);
    if (error == cudaSuccess)
        *memory = work.memory;
    rt_graph_memory_release(work.memory); /* from now on, only the node uses this memory */
    return error;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *depends, size_t count,
                                     struct cudaMemAllocNodeParams *params)
{
    return rt_return(params ? rt_node_add_memory(node, graph, depends, count, &params->poolProps,
                                                 params->bytesize, &params->dptr)
                            : cudaErrorInvalidValue);
}

cudaError_t rt_work_of_free(struct rt_work *work, cudaGraph_t graph, void *memory)
{
    const struct CUgraph_st *live = rt_live_graph(graph);
    size_t frees = 0, allocations = 0;
    *work = (struct rt_work){.type = cudaGraphNodeTypeMemFree, .memory = memory};
    for (const struct CUgraphNode_st *at = live ? live->first : NULL; at; at = at->next) {
        frees += at->work.type == cudaGraphNodeTypeMemFree && at->work.memory == memory;
        allocations += at->work.type == cudaGraphNodeTypeMemAlloc && at->work.memory == memory;
    }
    /* this graph can free the memory as often as it allocates it, or once if another graph
     * allocates it */
    return frees < (allocations ? allocations : 1) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *depends, size_t count, void *memory)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_of_free(&work, graph, memory);
    return rt_node_add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *depends, size_t count,
                                           const void *symbol, const void *from, size_t size,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_to_symbol(&work, symbol, from, size, offset, kind);
    return rt_node_add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *depends, size_t count, void *to,
                                             const void *symbol, size_t size, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_from_symbol(&work, to, symbol, size, offset, kind);
    return rt_node_add(node, graph, depends, count, &work, error);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *depends, size_t count)
{
    RT_CALLED();
    struct rt_work work = {.type = cudaGraphNodeTypeEmpty};
    return rt_node_add(node, graph, depends, count, &work, cudaSuccess);
}

cudaError_t rt_work_of_child(struct rt_work *work, cudaGraph_t graph, cudaGraph_t child)
{
    const struct CUgraph_st *live = rt_live_graph(child);
    *work = (struct rt_work){.type = cudaGraphNodeTypeGraph, .child = child};
    if (!live || child == graph)
        return cudaErrorInvalidValue;
    return rt_graph_is_unique(live) ? cudaErrorNotSupported : cudaSuccess; /* as CUDA does */
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *depends, size_t count,
                                       cudaGraph_t child)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_of_child(&work, graph, child);
    return rt_node_add(node, graph, depends, count, &work, error);
}

/* --- events: the same functions for recording and for waiting --------------------------------- */

#define EVENT(Kind, node_type)                                                                     \
    cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,                 \
                                         const cudaGraphNode_t *depends, size_t count,             \
                                         cudaEvent_t event)                                        \
    {                                                                                              \
        RT_CALLED();                                                                               \
        struct rt_work work;                                                                       \
        cudaError_t error = rt_work_of_event(&work, node_type, event);                             \
        return rt_node_add(node, graph, depends, count, &work, error);                             \
    }                                                                                              \
    cudaError_t cudaGraph##Kind##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)             \
    {                                                                                              \
        RT_CALLED();                                                                               \
        struct rt_work work;                                                                       \
        cudaError_t error = rt_work_of_event(&work, node_type, event);                             \
        return rt_node_set(node, &work, error);                                                    \
    }                                                                                              \
    cudaError_t cudaGraphExec##Kind##NodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,      \
                                                  cudaEvent_t event)                               \
    {                                                                                              \
        RT_CALLED();                                                                               \
        struct rt_work work;                                                                       \
        cudaError_t error = rt_work_of_event(&work, node_type, event);                             \
        return rt_node_exec_set(exec, node, &work, error);                                         \
    }                                                                                              \
    GETTER(cudaGraph##Kind##NodeGetEvent, node_type, cudaEvent_t, event)

EVENT(EventRecord, cudaGraphNodeTypeEventRecord)
EVENT(EventWait, cudaGraphNodeTypeWaitEvent)

/* --- reading and changing nodes --------------------------------------------------------------- */

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t size, enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work = rt_work_of_bytes(to, from, size, kind);
    return rt_node_set(node, &work, cudaSuccess);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t size,
                                               enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work = rt_work_of_bytes(to, from, size, kind);
    return rt_node_exec_set(exec, node, &work, cudaSuccess);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *from, size_t size, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_to_symbol(&work, symbol, from, size, offset, kind);
    return rt_node_set(node, &work, error);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                   const void *symbol, size_t size, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_from_symbol(&work, to, symbol, size, offset, kind);
    return rt_node_set(node, &work, error);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void *symbol, const void *from,
                                                     size_t size, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_to_symbol(&work, symbol, from, size, offset, kind);
    return rt_node_exec_set(exec, node, &work, error);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void *to, const void *symbol, size_t size,
                                                       size_t offset, enum cudaMemcpyKind kind)
{
    RT_CALLED();
    struct rt_work work;
    cudaError_t error = rt_work_from_symbol(&work, to, symbol, size, offset, kind);
    return rt_node_exec_set(exec, node, &work, error);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *params)
{
    size_t size;
    const struct rt_work *work = work_of(node, cudaGraphNodeTypeMemAlloc, params);
    if (!work || !rt_graph_memory_size(work->memory, &size))
        return rt_return(cudaErrorInvalidValue);
    *params = (struct cudaMemAllocNodeParams){.bytesize = size, .dptr = work->memory};
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

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    RT_CALLED();
    struct rt_work work = {.type = cudaGraphNodeTypeGraph, .child = child};
    return rt_node_exec_set(exec, node, &work,
                            rt_live_graph(child) ? cudaSuccess : cudaErrorInvalidValue);
}
