/* Implements launchable graphs. A launchable graph has a copy of a graph's work: a list of steps,
 * in an order that respects the graph's edges. A launch runs the steps from first to last, each in
 * a stream that lanes.c chooses. */
#include <pthread.h>
#include <stdlib.h>

#include "gpu/cudart/graphs/graph.h"

struct step {
    /* used only as a handle, because the node may have been destroyed */
    const struct CUgraphNode_st *node;
    struct rt_work work;
    bool enabled;
};

struct CUgraphExec_st {
    struct step *steps;
    size_t count;
    struct rt_lanes *lanes;
    bool has_claimed; /* this launchable graph is the one that uses the conditions of its steps */
    unsigned long long flags;
    struct rt_ref *refs;
    struct CUgraphExec_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUgraphExec_st *execs;

static struct CUgraphExec_st *find(cudaGraphExec_t exec)
{
    pthread_mutex_lock(&lock);
    struct CUgraphExec_st *at = execs;
    while (at && at != exec)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at;
}

/* Searches the bodies of WORK for the copy of NODE. Returns its work, or NULL if there is none. */
static struct rt_work *find_in_bodies(const struct rt_work *work, const struct CUgraphNode_st *node)
{
    struct rt_work *found = NULL;
    if (work->type != cudaGraphNodeTypeConditional)
        return NULL;
    for (unsigned i = 0; i < work->conditional.count && !found; i++) {
        const struct CUgraph_st *body = work->conditional.bodies[i];
        struct CUgraphNode_st *copy = rt_graph_find_copy(body, node);
        found = copy ? &copy->work : NULL;
        for (copy = body->first; copy && !found; copy = copy->next)
            found = find_in_bodies(&copy->work, node);
    }
    return found;
}

static struct step *find_step(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node)
{
    for (size_t i = 0; exec && i < exec->count; i++)
        if (exec->steps[i].node == node)
            return &exec->steps[i];
    return NULL;
}

/* --- making and freeing ----------------------------------------------------------------------- */

static void free_steps(struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->count; i++) {
        if (exec->steps[i].work.type == cudaGraphNodeTypeMemAlloc)
            rt_graph_memory_claim(exec->steps[i].work.memory, exec, NULL);
        if (exec->has_claimed)
            rt_conditional_leave(&exec->steps[i].work);
        rt_work_free(&exec->steps[i].work);
    }
    rt_refs_free(&exec->refs);
    rt_lanes_free(exec->lanes);
    free(exec->steps);
    exec->lanes = NULL;
    exec->steps = NULL;
    exec->count = 0;
}

/* Reserves for EXEC the memory that its steps allocate, and the conditions of its steps, because
 * only one launchable graph may use them. Reserves either all conditions of a graph or none. */
static cudaError_t claim(struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->count; i++) {
        const struct rt_work *work = &exec->steps[i].work;
        if ((work->type == cudaGraphNodeTypeMemAlloc &&
             !rt_graph_memory_claim(work->memory, NULL, exec)) ||
            !rt_conditional_claim(work))
            return cudaErrorNotSupported;
    }
    exec->has_claimed = true;
    return cudaSuccess;
}

static cudaError_t make_steps(struct CUgraphExec_st *exec, const struct CUgraph_st *graph)
{
    struct CUgraphNode_st **sorted;
    cudaError_t error = rt_graph_sort(graph, &sorted);
    if (error != cudaSuccess)
        return error;
    exec->steps = calloc(graph->node_count + 1, sizeof *exec->steps);
    error = exec->steps ? rt_refs_copy(&exec->refs, graph->refs) : cudaErrorMemoryAllocation;
    for (size_t i = 0; i < graph->node_count && error == cudaSuccess; i++) {
        struct step *step = &exec->steps[exec->count];
        *step = (struct step){.node = sorted[i], .enabled = true};
        error = rt_work_copy(&step->work, &sorted[i]->work);
        exec->count += error == cudaSuccess;
    }
    if (error == cudaSuccess)
        error = rt_lanes_new(sorted, graph->node_count, &exec->lanes);
    free(sorted);
    return error;
}

static cudaError_t instantiate(cudaGraphExec_t *result, cudaGraph_t graph, unsigned long long flags)
{
    const unsigned long long known =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    struct CUgraph_st *live = rt_live_graph(graph);
    if (!result || !live || flags & ~known)
        return cudaErrorInvalidValue;
    if (live->parent)
        return cudaErrorNotSupported;
    if (!rt_graph_conditionals_are_legal(live))
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return rt_unsupported("a graph that kernels can launch");
    struct CUgraphExec_st *exec = calloc(1, sizeof *exec);
    cudaError_t error = exec ? make_steps(exec, live) : cudaErrorMemoryAllocation;
    if (error == cudaSuccess)
        error = claim(exec);
    if (error != cudaSuccess) {
        if (exec)
            free_steps(exec);
        free(exec);
        return error;
    }
    exec->flags = flags;
    pthread_mutex_lock(&lock);
    exec->next = execs;
    execs = exec;
    pthread_mutex_unlock(&lock);
    *result = exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return rt_return(instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return rt_return(instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params)
{
    if (!params)
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = instantiate(exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess
                         : rt_conditions_are_used(graph)
                             ? cudaGraphInstantiateError
                             : cudaGraphInstantiateConditionalHandleUnused;
    return rt_return(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    pthread_mutex_lock(&lock);
    struct CUgraphExec_st **at = &execs;
    while (*at && *at != exec)
        at = &(*at)->next;
    struct CUgraphExec_st *found = exec ? *at : NULL;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    if (!found)
        return rt_return(cudaErrorInvalidValue);
    free_steps(found);
    free(found);
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    const struct CUgraphExec_st *live = find(exec);
    if (!live || !flags)
        return rt_return(cudaErrorInvalidValue);
    *flags = live->flags;
    return cudaSuccess;
}

/* --- launching -------------------------------------------------------------------------------- */

static cudaError_t queue_work(struct emu_device *device, cudaStream_t stream,
                              const struct rt_work *work);

static cudaError_t queue_child(struct emu_device *device, cudaStream_t stream,
                               const struct CUgraph_st *graph)
{
    struct CUgraphNode_st **sorted;
    cudaError_t error = rt_graph_sort(graph, &sorted);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < graph->node_count && error == cudaSuccess && !rt_faulted(); i++)
        error = queue_work(device, stream, &sorted[i]->work);
    free(sorted);
    return error;
}

/* Runs the body that the condition selects, if any. For a loop node, repeats this until the
 * condition selects none. */
static cudaError_t queue_conditional(struct emu_device *device, cudaStream_t stream,
                                     const struct rt_conditional *conditional)
{
    const struct CUgraph_st *body;
    cudaError_t error;
    do {
        rt_finish_stream(stream); /* earlier kernels may set the condition */
        error = rt_conditional_choose(conditional, device, &body);
        if (error == cudaSuccess && body)
            error = queue_child(device, stream, body);
    } while (error == cudaSuccess && body && conditional->type == cudaGraphCondTypeWhile &&
             !rt_faulted());
    return error;
}

static cudaError_t queue_work(struct emu_device *device, cudaStream_t stream,
                              const struct rt_work *work)
{
    if (work->type == cudaGraphNodeTypeGraph)
        return queue_child(device, stream, work->child);
    if (work->type == cudaGraphNodeTypeConditional)
        return queue_conditional(device, stream, &work->conditional);
    return rt_queue(device, stream, work);
}

/* Prepares a launch of EXEC. Returns false if the launch would allocate memory that is already
 * allocated, or free memory that is not. */
static bool prepare_launch(struct emu_device *device, const struct CUgraphExec_st *exec)
{
    bool legal = true;
    rt_graph_memory_plan();
    for (size_t i = 0; i < exec->count && legal; i++)
        if (rt_is_memory(&exec->steps[i].work))
            legal = rt_graph_memory_step(&exec->steps[i].work,
                                         exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    for (size_t i = 0; i < exec->count && legal; i++)
        legal = rt_conditional_start(&exec->steps[i].work, device);
    return legal;
}

static cudaError_t run_step(struct emu_device *device, const struct CUgraphExec_st *exec,
                            size_t index)
{
    cudaStream_t stream;
    const struct step *step = &exec->steps[index];
    cudaError_t error = rt_lanes_enter(exec->lanes, index, &stream);
    if (error == cudaSuccess && step->enabled)
        error = queue_work(device, stream, &step->work);
    return error == cudaSuccess ? rt_lanes_leave(exec->lanes, index) : error;
}

static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct emu_device *device;
    const struct CUgraphExec_st *live = find(exec);
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!live)
        return cudaErrorInvalidValue;
    error = rt_check_stream(stream);
    if (error == cudaSuccess && rt_is_capturing(stream))
        return rt_unsupported("the launch of a graph in a captured stream");
    if (error == cudaSuccess && !prepare_launch(device, live))
        return cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_lanes_begin(live->lanes, stream);
    for (size_t i = 0; i < live->count && error == cudaSuccess && !rt_faulted(); i++)
        error = run_step(device, live, i);
    return error == cudaSuccess && !rt_faulted() ? rt_lanes_end(live->lanes) : error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return rt_return(launch(exec, stream));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!find(exec))
        return rt_return(cudaErrorInvalidValue);
    return rt_return(rt_check_stream(stream));
}

/* --- changing a launchable graph -------------------------------------------------------------- */

cudaError_t rt_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work)
{
    struct CUgraphExec_st *live = find(exec);
    struct step *step = find_step(live, node);
    struct rt_work *old = step ? &step->work : NULL;
    for (size_t i = 0; live && i < live->count && !old; i++)
        old = find_in_bodies(&live->steps[i].work, node);
    return old ? rt_work_replace(old, work) : cudaErrorInvalidValue;
}

/* Returns the step of NODE. Returns NULL if the step does not exist, or cannot be disabled. */
static struct step *find_optional(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    struct step *step = find_step(find(exec), node);
    bool can_disable = step && (step->work.type == cudaGraphNodeTypeKernel ||
                                step->work.type == cudaGraphNodeTypeMemcpy ||
                                step->work.type == cudaGraphNodeTypeMemset);
    return can_disable ? step : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    struct step *step = find_optional(exec, node);
    if (step)
        step->enabled = enabled != 0;
    return rt_return(step ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    const struct step *step = find_optional(exec, node);
    if (!step || !enabled)
        return rt_return(cudaErrorInvalidValue);
    *enabled = step->enabled;
    return cudaSuccess;
}

/* Checks whether EXEC and FRESH have the same kinds of work in the same order. Sets *BAD to the
 * first node that differs, or to NULL if there is none. */
static enum cudaGraphExecUpdateResult compare(const struct CUgraphExec_st *exec,
                                              const struct CUgraphExec_st *fresh,
                                              const struct CUgraphNode_st **bad)
{
    *bad = NULL;
    if (exec->count != fresh->count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < exec->count; i++) {
        *bad = fresh->steps[i].node;
        if (exec->steps[i].work.type != fresh->steps[i].work.type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (fresh->steps[i].node->depend_count != 0 && i == 0)
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    *bad = NULL;
    return cudaGraphExecUpdateSuccess;
}

/* Replaces the work of EXEC's steps by the work of GRAPH. EXEC's steps keep the handles of their
 * nodes. */
static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph,
                          cudaGraphExecUpdateResultInfo *info)
{
    struct CUgraphExec_st *live = find(exec), fresh = {0};
    const struct CUgraph_st *source = rt_live_graph(graph);
    const struct CUgraphNode_st *bad;
    if (!live || !source || !info)
        return cudaErrorInvalidValue;
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    cudaError_t error = make_steps(&fresh, source);
    if (error == cudaSuccess) {
        info->result = compare(live, &fresh, &bad);
        info->errorNode = (cudaGraphNode_t)bad;
        if (info->result != cudaGraphExecUpdateSuccess)
            error = cudaErrorGraphExecUpdateFailure;
    }
    for (size_t i = 0; i < live->count && error == cudaSuccess; i++) {
        struct rt_work old = live->steps[i].work;
        rt_conditional_leave(&old);
        live->steps[i].work = fresh.steps[i].work;
        rt_conditional_claim(&live->steps[i].work);
        fresh.steps[i].work = old;
    }
    if (error == cudaSuccess) {
        struct rt_ref *old = live->refs;
        struct rt_lanes *lanes = live->lanes;
        live->refs = fresh.refs;
        live->lanes = fresh.lanes;
        fresh.refs = old;
        fresh.lanes = lanes;
    }
    free_steps(&fresh);
    return error;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    return rt_return(update(exec, graph, info));
}
