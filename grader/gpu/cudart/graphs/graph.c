/* Implements the nodes and edges of graphs. */
#include "gpu/cudart/graphs/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUgraph_st *graphs;

/* --- live graphs ------------------------------------------------------------------------------ */

struct CUgraph_st *rt_live_graph(cudaGraph_t graph)
{
    pthread_mutex_lock(&lock);
    struct CUgraph_st *at = graphs;
    while (at && at != graph)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at;
}

struct CUgraphNode_st *rt_live_node(cudaGraphNode_t node)
{
    struct CUgraphNode_st *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct CUgraph_st *graph = graphs; graph && !found; graph = graph->next)
        for (struct CUgraphNode_st *at = graph->first; at && !found; at = at->next)
            found = at == node ? at : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

struct CUgraph_st *rt_graph_new(void)
{
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    if (!graph)
        return NULL;
    pthread_mutex_lock(&lock);
    graph->next = graphs;
    graphs = graph;
    pthread_mutex_unlock(&lock);
    return graph;
}

static void free_node(struct CUgraphNode_st *node)
{
    rt_work_free(&node->work);
    free(node->hints);
    free(node->depends);
    free(node);
}

void rt_graph_free(struct CUgraph_st *graph)
{
    rt_conditions_leave(graph);
    pthread_mutex_lock(&lock);
    struct CUgraph_st **at = &graphs;
    while (*at != graph)
        at = &(*at)->next;
    *at = graph->next;
    pthread_mutex_unlock(&lock);
    while (graph->first) {
        struct CUgraphNode_st *node = graph->first;
        graph->first = node->next;
        free_node(node);
    }
    rt_refs_free(&graph->refs);
    free(graph);
}

/* --- the work item of a node ------------------------------------------------------------------ */

/* Copies the arguments of a launch into one allocation: first the pointers, then the values. */
static cudaError_t copy_args(struct rt_launch *launch, void **args)
{
    struct emu_device *device;
    struct rt_function *function;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_find_function(device, launch->func, &function);
    if (error != cudaSuccess)
        return error;
    const struct emu_kernel_info *info = &function->info;
    size_t pointers = (info->param_count + 1) * sizeof(void *);
    char *memory = calloc(1, pointers + info->param_bytes + 1);
    if (!memory)
        return cudaErrorMemoryAllocation;
    launch->args = (void **)memory;
    for (uint32_t i = 0; i < info->param_count; i++) {
        launch->args[i] = memory + pointers + info->params[i].offset;
        memcpy(launch->args[i], args[i], info->params[i].size);
    }
    return cudaSuccess;
}

cudaError_t rt_work_copy(struct rt_work *to, const struct rt_work *from)
{
    struct CUgraph_st *child;
    *to = *from;
    if (from->type == cudaGraphNodeTypeKernel)
        return copy_args(&to->kernel, from->kernel.args);
    if (rt_is_memory(from))
        return rt_graph_memory_hold(from->memory) ? cudaSuccess : cudaErrorInvalidValue;
    if (from->type == cudaGraphNodeTypeConditional)
        return rt_conditional_copy(&to->conditional, &from->conditional);
    if (from->type != cudaGraphNodeTypeGraph)
        return cudaSuccess;
    cudaError_t error = rt_graph_clone(from->child, &child);
    to->child = error == cudaSuccess ? child : NULL;
    return error;
}

void rt_work_free(struct rt_work *work)
{
    if (work->type == cudaGraphNodeTypeKernel)
        free(work->kernel.args);
    else if (work->type == cudaGraphNodeTypeGraph && work->child)
        rt_graph_free(work->child);
    else if (work->type == cudaGraphNodeTypeConditional)
        rt_conditional_free(&work->conditional);
    else if (rt_is_memory(work))
        rt_graph_memory_release(work->memory);
    work->type = cudaGraphNodeTypeEmpty;
}

cudaError_t rt_work_replace(struct rt_work *work, const struct rt_work *by)
{
    struct rt_work copy;
    if (work->type != by->type)
        return cudaErrorInvalidValue;
    cudaError_t error = rt_work_copy(&copy, by);
    if (error != cudaSuccess)
        return error;
    if (work->type == cudaGraphNodeTypeKernel) { /* the node keeps its own attributes */
        copy.kernel.cooperative = work->kernel.cooperative;
        copy.kernel.cluster = work->kernel.cluster;
    }
    rt_work_free(work);
    *work = copy;
    return cudaSuccess;
}

/* --- nodes and edges -------------------------------------------------------------------------- */

static bool depends_on(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
    for (size_t i = 0; i < node->depend_count; i++)
        if (node->depends[i] == other)
            return true;
    return false;
}

static cudaError_t add_edge(struct CUgraphNode_st *from, struct CUgraphNode_st *to)
{
    if (from == to || depends_on(to, from))
        return cudaErrorInvalidValue;
    struct CUgraphNode_st **more =
        realloc(to->depends, (to->depend_count + 1) * sizeof *to->depends);
    if (!more)
        return cudaErrorMemoryAllocation;
    to->depends = more;
    to->depends[to->depend_count++] = from;
    return cudaSuccess;
}

static bool remove_edge(const struct CUgraphNode_st *from, struct CUgraphNode_st *to)
{
    for (size_t i = 0; i < to->depend_count; i++) {
        if (to->depends[i] != from)
            continue;
        to->depends[i] = to->depends[--to->depend_count];
        return true;
    }
    return false;
}

cudaError_t rt_graph_add(struct CUgraph_st *graph, cudaGraphNode_t const *depends, size_t count,
                         const struct rt_work *work, cudaGraphNode_t *result)
{
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node)
        return cudaErrorMemoryAllocation;
    cudaError_t error = rt_work_copy(&node->work, work);
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = add_edge(depends[i], node);
    if (error != cudaSuccess) {
        free_node(node);
        return error;
    }
    struct CUgraphNode_st **end = &graph->first;
    while (*end)
        end = &(*end)->next;
    node->graph = graph;
    pthread_mutex_lock(&lock);
    *end = node;
    graph->node_count++;
    pthread_mutex_unlock(&lock);
    *result = node;
    return cudaSuccess;
}

cudaError_t rt_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***sorted)
{
    struct CUgraphNode_st **list = calloc(graph->node_count + 1, sizeof(struct CUgraphNode_st *));
    size_t done = 0, before = 1;
    if (!list)
        return cudaErrorMemoryAllocation;
    for (size_t round = 0; done < graph->node_count && before != done; round++) {
        before = round ? done : graph->node_count + 1;
        for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
            size_t met = 0;
            bool listed = false;
            for (size_t i = 0; i < done; i++) {
                listed |= list[i] == node;
                met += depends_on(node, list[i]);
            }
            if (!listed && met == node->depend_count)
                list[done++] = node;
        }
    }
    if (done == graph->node_count) {
        *sorted = list;
        return cudaSuccess;
    }
    free(list); /* no node is left whose dependencies are all sorted, so they form a cycle */
    return cudaErrorInvalidValue;
}

struct CUgraphNode_st *rt_graph_find_copy(const struct CUgraph_st *copy,
                                          const struct CUgraphNode_st *node)
{
    struct CUgraphNode_st *at = copy->first;
    while (at && at->original != node)
        at = at->next;
    return at;
}

bool rt_graph_comes_before(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
    for (size_t i = 0; i < other->depend_count; i++)
        if (other->depends[i] == node || rt_graph_comes_before(node, other->depends[i]))
            return true;
    return false;
}

bool rt_graph_is_unique(const struct CUgraph_st *graph)
{
    const struct CUgraphNode_st *node = graph->first;
    while (node && !rt_is_memory(&node->work) && node->work.type != cudaGraphNodeTypeConditional)
        node = node->next;
    return node != NULL;
}

cudaError_t rt_graph_clone(const struct CUgraph_st *graph, struct CUgraph_st **result)
{
    if (rt_graph_is_unique(graph))
        return cudaErrorNotSupported; /* CUDA also returns this error */
    return rt_graph_copy(graph, result);
}

cudaError_t rt_graph_copy(const struct CUgraph_st *graph, struct CUgraph_st **result)
{
    struct CUgraph_st *clone = rt_graph_new();
    cudaGraphNode_t copy;
    cudaError_t error = clone ? rt_refs_copy(&clone->refs, graph->refs) : cudaErrorMemoryAllocation;
    for (struct CUgraphNode_st *node = graph->first; node && error == cudaSuccess;
         node = node->next) {
        error = rt_graph_add(clone, NULL, 0, &node->work, &copy);
        if (error == cudaSuccess)
            copy->hints = rt_hints_copy(node->hints), copy->original = node;
    }
    for (struct CUgraphNode_st *node = graph->first; node && error == cudaSuccess;
         node = node->next)
        for (size_t i = 0; i < node->depend_count && error == cudaSuccess; i++)
            error = add_edge(rt_graph_find_copy(clone, node->depends[i]),
                             rt_graph_find_copy(clone, node));
    if (error == cudaSuccess)
        *result = clone;
    else if (clone)
        rt_graph_free(clone);
    return error;
}

/* --- the program's calls ---------------------------------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return rt_return(error);
    if (!graph || flags)
        return rt_return(cudaErrorInvalidValue);
    struct CUgraph_st *made = rt_graph_new();
    if (made)
        *graph = made;
    return rt_return(made ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    struct CUgraph_st *live = rt_live_graph(graph);
    if (!live || live->parent)
        return rt_return(cudaErrorInvalidValue);
    rt_graph_free(live);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    struct CUgraph_st *live = rt_live_graph(graph);
    return rt_return(clone && live ? rt_graph_clone(live, clone) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node,
                                     cudaGraph_t clone)
{
    struct CUgraph_st *live = rt_live_graph(clone);
    struct CUgraphNode_st *copy = found && live ? rt_graph_find_copy(live, node) : NULL;
    if (copy)
        *found = copy;
    return rt_return(copy ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    const struct CUgraphNode_st *live = rt_live_node(node);
    if (!live || !type)
        return rt_return(cudaErrorInvalidValue);
    *type = live->work.type;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    struct CUgraphNode_st *live = rt_live_node(node);
    if (!live || rt_is_memory(&live->work))
        return rt_return(live ? cudaErrorNotSupported : cudaErrorInvalidValue);
    struct CUgraphNode_st **at = &live->graph->first;
    pthread_mutex_lock(&lock);
    while (*at != live)
        at = &(*at)->next;
    *at = live->next;
    live->graph->node_count--;
    pthread_mutex_unlock(&lock);
    for (struct CUgraphNode_st *other = live->graph->first; other; other = other->next)
        remove_edge(live, other);
    free_node(live);
    return cudaSuccess;
}

/* Adds or removes the edges from FROM[i] to TO[i]. */
static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to, size_t count, bool add)
{
    if (!rt_live_graph(graph) || (count && (!from || !to)))
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        struct CUgraphNode_st *first = rt_live_node(from[i]), *second = rt_live_node(to[i]);
        if (!first || !second || first->graph != graph || second->graph != graph)
            error = cudaErrorInvalidValue;
        else if (add)
            error = add_edge(first, second);
        else
            error = remove_edge(first, second) ? cudaSuccess : cudaErrorInvalidValue;
    }
    return error;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t count)
{
    return rt_return(change_edges(graph, from, to, count, true));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                        size_t count)
{
    return rt_return(change_edges(graph, from, to, count, false));
}

/* --- lists of nodes --------------------------------------------------------------------------- */

/* A list of nodes that an API function returns. As in CUDA, *COUNT is the length of the program's
 * list before the call, and the number of entries after the call. If the list is NULL, the call
 * only sets *COUNT. */

struct list {
    cudaGraphNode_t *nodes;
    size_t room, count;
};

static void put(struct list *list, cudaGraphNode_t node)
{
    if (list->nodes && list->count < list->room)
        list->nodes[list->count] = node;
    list->count++;
}

static cudaError_t finish(struct list *list, size_t *count)
{
    for (size_t i = list->count; list->nodes && i < list->room; i++)
        list->nodes[i] = NULL;
    *count = list->nodes && list->count > list->room ? list->room : list->count;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    const struct CUgraph_st *live = rt_live_graph(graph);
    if (!live || !count)
        return rt_return(cudaErrorInvalidValue);
    struct list list = {nodes, *count, 0};
    for (struct CUgraphNode_st *node = live->first; node; node = node->next)
        put(&list, node);
    return finish(&list, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    const struct CUgraph_st *live = rt_live_graph(graph);
    if (!live || !count)
        return rt_return(cudaErrorInvalidValue);
    struct list list = {nodes, *count, 0};
    for (struct CUgraphNode_st *node = live->first; node; node = node->next)
        if (!node->depend_count)
            put(&list, node);
    return finish(&list, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *count)
{
    const struct CUgraph_st *live = rt_live_graph(graph);
    if (!live || !count || !from != !to)
        return rt_return(cudaErrorInvalidValue);
    struct list starts = {from, *count, 0}, ends = {to, *count, 0};
    for (struct CUgraphNode_st *node = live->first; node; node = node->next)
        for (size_t i = 0; i < node->depend_count; i++) {
            put(&starts, node->depends[i]);
            put(&ends, node);
        }
    if (data)
        memset(data, 0, (starts.count < *count ? starts.count : *count) * sizeof *data);
    finish(&starts, count);
    return finish(&ends, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *data, size_t *count)
{
    const struct CUgraphNode_st *live = rt_live_node(node);
    if (!live || !count)
        return rt_return(cudaErrorInvalidValue);
    struct list list = {nodes, *count, 0};
    for (size_t i = 0; i < live->depend_count; i++)
        put(&list, live->depends[i]);
    return finish(&list, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *count)
{
    const struct CUgraphNode_st *live = rt_live_node(node);
    if (!live || !count)
        return rt_return(cudaErrorInvalidValue);
    struct list list = {nodes, *count, 0};
    for (struct CUgraphNode_st *other = live->graph->first; other; other = other->next)
        if (depends_on(other, live))
            put(&list, other);
    return finish(&list, count);
}
