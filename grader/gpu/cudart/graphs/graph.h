/* Graphs: work that a program describes once and launches as often as it likes.
 *
 *   graph.c      nodes and edges of a graph        exec.c         launchable graphs
 *   capture.c    a stream's work as nodes          memory.c       memory that nodes allocate
 *   nodes.c      nodes of each kind                attributes.c   attributes of kernel nodes
 *   generic.c    nodes whose kind is a parameter   user_object.c  objects that graphs keep alive
 *   dot.c        a graph as a drawing
 *
 * As in the real runtime, two threads must not change one graph at the same time. */
#ifndef GPU_CUDART_GRAPHS_GRAPH_H
#define GPU_CUDART_GRAPHS_GRAPH_H

#include "gpu/cudart/graphs.h"

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    struct rt_work work;             /* from rt_work_copy() */
    struct rt_hints *hints;          /* of a kernel node, or NULL */
    struct CUgraphNode_st **depends; /* the nodes that it waits for */
    size_t depend_count;
    struct CUgraphNode_st *original; /* the node that it is a clone of, or NULL */
    struct CUgraphNode_st *next;     /* in its graph, in the order of adding */
};

struct CUgraph_st {
    struct CUgraphNode_st *first;
    size_t node_count;
    struct rt_ref *refs;     /* its references to user objects */
    struct CUgraph_st *next; /* in the list of live graphs */
};

/* --- graph.c ---------------------------------------------------------------------------------- */

/* GRAPH if it is live, NODE if it is a node of a live graph; else NULL. */
struct CUgraph_st *rt_live_graph(cudaGraph_t graph);
struct CUgraphNode_st *rt_live_node(cudaGraphNode_t node);
struct CUgraph_st *rt_graph_new(void);
void rt_graph_free(struct CUgraph_st *graph);
cudaError_t rt_graph_clone(const struct CUgraph_st *graph, struct CUgraph_st **clone);
/* Adds a node that does a copy of WORK and waits for the nodes DEPENDS. */
cudaError_t rt_graph_add(struct CUgraph_st *graph, cudaGraphNode_t const *depends, size_t count,
                         const struct rt_work *work, cudaGraphNode_t *node);
/* *SORTED: the nodes, each after those that it waits for; to be freed. */
cudaError_t rt_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***sorted);

static inline bool rt_is_memory(const struct rt_work *work)
{
    return work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree;
}

/* Whether OTHER waits for NODE, directly or through other nodes. */
bool rt_graph_comes_before(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other);
/* Whether a node allocates or frees memory: such a graph cannot be cloned. */
bool rt_graph_has_memory(const struct CUgraph_st *graph);

/* Replaces WORK by a copy of BY, which must be of the same kind. */
cudaError_t rt_work_replace(struct rt_work *work, const struct rt_work *by);

/* --- nodes.c ---------------------------------------------------------------------------------- */

/* Turn parameters into work. An error if the parameters make no sense. */
cudaError_t rt_work_of_kernel(struct rt_work *work, const struct cudaKernelNodeParams *params);
cudaError_t rt_work_of_copy(struct rt_work *work, const struct cudaMemcpy3DParms *params);
cudaError_t rt_work_of_fill(struct rt_work *work, const struct cudaMemsetParams *params);
cudaError_t rt_work_of_host(struct rt_work *work, const struct cudaHostNodeParams *params);
cudaError_t rt_work_of_event(struct rt_work *work, enum cudaGraphNodeType type, cudaEvent_t event);
/* For a node of GRAPH: a child graph, or a free of memory that a node allocates. */
cudaError_t rt_work_of_child(struct rt_work *work, cudaGraph_t graph, cudaGraph_t child);
cudaError_t rt_work_of_free(struct rt_work *work, cudaGraph_t graph, void *memory);

/* Add a node that does WORK, change a node's work, or change it in a launchable graph. ERROR is the
 * error of making WORK. API functions end with these instead of rt_return(). */
cudaError_t rt_node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                        size_t count, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_set(cudaGraphNode_t node, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work,
                             cudaError_t error);
/* Adds a node that allocates SIZE bytes, which will be at *MEMORY. */
cudaError_t rt_node_add_memory(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *depends, size_t count,
                               const struct cudaMemPoolProps *pool, size_t size, void **memory);

/* --- exec.c ----------------------------------------------------------------------------------- */

/* Replaces the work of NODE in EXEC. */
cudaError_t rt_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work);

/* --- attributes.c ----------------------------------------------------------------------------- */

struct rt_hints;
struct rt_hints *rt_hints_copy(const struct rt_hints *hints); /* free it with free() */

/* --- user_object.c: references of graphs to user objects -------------------------------------- */

struct rt_ref;
/* A list with one reference to each object of FROM. */
cudaError_t rt_refs_copy(struct rt_ref **to, const struct rt_ref *from);
void rt_refs_free(struct rt_ref **refs);

/* --- memory.c --------------------------------------------------------------------------------- */

/* Memory that an allocation node will give to the program. It has one holder, the caller. The last
 * holder to release it frees it. */
cudaError_t rt_graph_memory_new(size_t size, void **ptr);
bool rt_graph_memory_hold(const void *ptr);
void rt_graph_memory_release(const void *ptr);
/* False: no such memory at PTR. */
bool rt_graph_memory_size(const void *ptr, size_t *size);
/* Only one launchable graph may allocate it: passes this right from FROM to TO; NULL: no graph. */
bool rt_graph_memory_claim(const void *ptr, const struct CUgraphExec_st *from,
                           const struct CUgraphExec_st *to);
/* Check a launch before it runs: plan first, then step for each allocation and free, in order.
 * False: the step would allocate live memory, unless AUTO_FREES, or free memory that is not
 * live. */
void rt_graph_memory_plan(void);
bool rt_graph_memory_step(const struct rt_work *work, bool auto_frees);

#endif
