/* Implements conditional nodes. Each has one or more bodies, which are graphs. A condition is a
 * value that kernels set. It decides which body runs, and how often.
 *
 * The value is stored on the device (see emu_condition_make()). A graph with conditional nodes
 * cannot be copied, so a condition belongs to at most one node and one launchable graph. */
#include <pthread.h>
#include <stdlib.h>

#include "gpu/cudart/graphs/graph.h"

/* A condition is never freed, because a launchable graph can use it after its graph has been
 * freed. */
struct rt_condition {
    uint64_t handle;
    unsigned start;          /* if has_start: value at the beginning of each launch */
    bool has_start;          /* if false, the condition keeps its value from the previous launch */
    bool has_node, has_exec; /* whether a node, and whether a launchable graph, uses it */
    /* the graph for which the condition was created, or NULL after that graph has been freed */
    const struct CUgraph_st *graph;
    struct rt_condition *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_condition *conditions;

/* --- conditions ------------------------------------------------------------------------------- */

/* Finds the condition with HANDLE and marks it as used by a node of GRAPH. The condition must have
 * been created for GRAPH or, if GRAPH is a body, for one of the graphs that contain this body.
 * Returns NULL if there is no such condition, or if another node uses it. */
static struct rt_condition *take_for_node(uint64_t handle, const struct CUgraph_st *graph)
{
    pthread_mutex_lock(&lock);
    struct rt_condition *at = conditions;
    while (at && (at->handle != handle || at->has_node))
        at = at->next;
    while (at && graph && graph != at->graph)
        graph = graph->parent;
    if (!graph)
        at = NULL;
    if (at)
        at->has_node = true;
    pthread_mutex_unlock(&lock);
    return at;
}

void rt_conditions_leave(const struct CUgraph_st *graph)
{
    pthread_mutex_lock(&lock);
    for (struct rt_condition *at = conditions; at; at = at->next)
        if (at->graph == graph)
            at->graph = NULL;
    pthread_mutex_unlock(&lock);
}

bool rt_conditions_are_used(const struct CUgraph_st *graph)
{
    pthread_mutex_lock(&lock);
    const struct rt_condition *at = conditions;
    while (at && (at->graph != graph || at->has_node))
        at = at->next;
    pthread_mutex_unlock(&lock);
    return !at;
}

static cudaError_t create(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned start,
                          unsigned flags)
{
    struct emu_device *device;
    struct rt_condition made = {
        .start = start, .has_start = flags != 0, .graph = rt_live_graph(graph)};
    if (!handle || !made.graph || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return cudaErrorInvalidValue;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_error(emu_condition_make(device, &made.handle));
    struct rt_condition *condition = error == cudaSuccess ? malloc(sizeof *condition) : NULL;
    if (!condition)
        return error == cudaSuccess ? cudaErrorMemoryAllocation : error;
    *condition = made;
    *handle = made.handle;
    pthread_mutex_lock(&lock);
    condition->next = conditions;
    conditions = condition;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned start, unsigned flags)
{
    return rt_return(create(handle, graph, start, flags));
}

/* --- nodes ------------------------------------------------------------------------------------ */

cudaError_t rt_node_add_conditional(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *depends, size_t count,
                                    struct cudaConditionalNodeParams *params)
{
    static const unsigned most[] = {[cudaGraphCondTypeIf] = 2,
                                    [cudaGraphCondTypeWhile] = 1,
                                    [cudaGraphCondTypeSwitch] = UINT32_MAX};
    if ((unsigned)params->type > cudaGraphCondTypeSwitch || !params->size ||
        params->size > most[params->type])
        return cudaErrorInvalidValue;
    struct rt_condition *condition = take_for_node(params->handle, rt_live_graph(graph));
    if (!condition)
        return cudaErrorInvalidValue;
    const struct rt_work work = {
        .type = cudaGraphNodeTypeConditional,
        .conditional = {.condition = condition, .type = params->type, .count = params->size}};
    cudaError_t error = rt_node_add(node, graph, depends, count, &work, cudaSuccess);
    if (error != cudaSuccess) {
        condition->has_node = false;
        return error;
    }
    params->phGraph_out = (*node)->work.conditional.bodies;
    for (unsigned i = 0; i < params->size; i++)
        params->phGraph_out[i]->parent = graph;
    return cudaSuccess;
}

cudaError_t rt_conditional_copy(struct rt_conditional *to, const struct rt_conditional *from)
{
    cudaError_t error = cudaSuccess;
    to->is_copy = from->bodies != NULL;
    to->bodies = calloc(to->count, sizeof(cudaGraph_t));
    for (unsigned i = 0; to->bodies && i < to->count && error == cudaSuccess; i++) {
        if (to->is_copy)
            error = rt_graph_copy(from->bodies[i], &to->bodies[i]);
        else
            to->bodies[i] = rt_graph_new();
        if (!to->bodies[i] && error == cudaSuccess)
            error = cudaErrorMemoryAllocation;
    }
    return to->bodies ? error : cudaErrorMemoryAllocation;
}

void rt_conditional_free(const struct rt_conditional *conditional)
{
    if (!conditional->is_copy)
        conditional->condition->has_node = false;
    for (unsigned i = 0; conditional->bodies && i < conditional->count; i++)
        if (conditional->bodies[i])
            rt_graph_free(conditional->bodies[i]);
    free(conditional->bodies);
}

/* Returns whether GRAPH may be a body, or a child graph inside a body. */
static bool is_body_legal(const struct CUgraph_st *graph)
{
    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        enum cudaGraphNodeType type = node->work.type;
        if (type == cudaGraphNodeTypeGraph
                ? !is_body_legal(node->work.child)
                : type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemcpy &&
                      type != cudaGraphNodeTypeMemset && type != cudaGraphNodeTypeEmpty &&
                      type != cudaGraphNodeTypeConditional)
            return false;
    }
    return rt_graph_conditionals_are_legal(graph);
}

bool rt_graph_conditionals_are_legal(const struct CUgraph_st *graph)
{
    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next)
        for (unsigned i = 0;
             node->work.type == cudaGraphNodeTypeConditional && i < node->work.conditional.count;
             i++)
            if (!is_body_legal(node->work.conditional.bodies[i]))
                return false;
    return rt_conditions_are_used(graph);
}

/* --- launchable graphs ------------------------------------------------------------------------ */

/* If WORK is that of a conditional node, calls VISITOR for its condition and for all conditions in
 * its bodies. Returns false as soon as VISITOR returns false. */
static bool visit(const struct rt_work *work, bool (*visitor)(struct rt_condition *, void *),
                  void *context)
{
    const struct rt_conditional *conditional = &work->conditional;
    if (work->type != cudaGraphNodeTypeConditional)
        return true;
    bool goes_on = visitor(conditional->condition, context);
    for (unsigned i = 0; i < conditional->count && goes_on; i++)
        for (const struct CUgraphNode_st *at = conditional->bodies[i]->first; at && goes_on;
             at = at->next)
            goes_on = visit(&at->work, visitor, context);
    return goes_on;
}

static bool claim(struct rt_condition *condition, void *unused)
{
    (void)unused;
    bool is_free = !condition->has_exec;
    condition->has_exec = true;
    return is_free;
}

static bool leave(struct rt_condition *condition, void *unused)
{
    (void)unused;
    condition->has_exec = false;
    return true;
}

static bool start(struct rt_condition *condition, void *device)
{
    return !condition->has_start ||
           emu_condition_set(device, condition->handle, condition->start) == EMU_OK;
}

bool rt_conditional_claim(const struct rt_work *work)
{
    return visit(work, claim, NULL);
}

void rt_conditional_leave(const struct rt_work *work)
{
    visit(work, leave, NULL);
}

bool rt_conditional_start(const struct rt_work *work, struct emu_device *device)
{
    return visit(work, start, device);
}

cudaError_t rt_conditional_choose(const struct rt_conditional *conditional,
                                  struct emu_device *device, const struct CUgraph_st **body)
{
    uint32_t value;
    cudaError_t error = rt_error(emu_condition_get(device, conditional->condition->handle, &value));
    if (error != cudaSuccess)
        return error;
    unsigned index = conditional->type == cudaGraphCondTypeSwitch ? value : !value;
    *body = index < conditional->count ? conditional->bodies[index] : NULL;
    return cudaSuccess;
}
