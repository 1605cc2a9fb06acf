/* Graphs: work that a program describes once and launches as often as it likes.
 *
 *   graph.c        nodes and edges of a graph            exec.c         graphs made ready, and launched
 *   capture.c      a stream's work as nodes              memory.c       memory that nodes allocate and free
 *   nodes.c        nodes of each kind                    attributes.c   how kernel nodes are launched
 *   generic.c      nodes whose kind is a parameter       user_object.c  objects that graphs keep alive
 *   dot.c          a graph as a drawing
 *
 * As in the real runtime, two threads must not change one graph at the same time. */
#ifndef GPU_CUDART_GRAPHS_GRAPH_H
#define GPU_CUDART_GRAPHS_GRAPH_H

#include "gpu/cudart/graphs.h"

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    struct rt_work work;             /* owns the arguments of a kernel, and a child graph */
    struct rt_hints *hints;          /* for its kernel, or NULL */
    struct CUgraphNode_st **depends; /* those that come before it */
    size_t depend_count;
    struct CUgraphNode_st *original; /* in the graph that its graph was cloned from */
    struct CUgraphNode_st *next;     /* in its graph, in the order in which they were added */
};

struct CUgraph_st {
    struct CUgraphNode_st *first;
    size_t node_count;
    struct rt_held *held;    /* the program's objects that it refers to */
    struct CUgraph_st *next; /* live graphs */
};

/* --- graph.c ------------------------------------------------------------------------------------------ */

/* GRAPH if it is a live one, and NODE if it is one of some live graph; else NULL. */
struct CUgraph_st *rt_graph(cudaGraph_t graph);
struct CUgraphNode_st *rt_graph_node(cudaGraphNode_t node);
struct CUgraph_st *rt_graph_new(void);
void rt_graph_free(struct CUgraph_st *graph);
cudaError_t rt_graph_clone(const struct CUgraph_st *graph, struct CUgraph_st **clone);
/* Adds a node that does WORK, copied, behind DEPENDS. */
cudaError_t rt_graph_add(struct CUgraph_st *graph, cudaGraphNode_t const *depends, size_t count,
                         const struct rt_work *work, cudaGraphNode_t *node);
/* The nodes, each behind those that it depends on; to be freed. */
cudaError_t rt_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***sorted);

static inline bool rt_is_memory(const struct rt_work *work)
{
    return work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree;
}

/* Whether OTHER waits for NODE, itself or through others. */
bool rt_graph_comes_before(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other);
/* Whether some node takes or frees memory: the graph cannot be cloned then. */
bool rt_graph_has_memory(const struct CUgraph_st *graph);

/* Puts a copy of BY, which must be of the same kind, in the place of WORK. */
cudaError_t rt_work_replace(struct rt_work *work, const struct rt_work *by);

/* --- nodes.c: parameters as work; the error if they make no sense ---------------------------------- */

cudaError_t rt_kernel_work(struct rt_work *work, const struct cudaKernelNodeParams *params);
cudaError_t rt_copy_work(struct rt_work *work, const struct cudaMemcpy3DParms *params);
cudaError_t rt_fill_work(struct rt_work *work, const struct cudaMemsetParams *params);
cudaError_t rt_host_work(struct rt_work *work, const struct cudaHostNodeParams *params);
cudaError_t rt_event_work(struct rt_work *work, enum cudaGraphNodeType type, cudaEvent_t event);
/* For GRAPH: a copy of CHILD in it, and freeing what a node has taken. */
cudaError_t rt_child_work(struct rt_work *work, cudaGraph_t graph, cudaGraph_t child);
cudaError_t rt_free_work(struct rt_work *work, cudaGraph_t graph, void *memory);

/* Add a node that does WORK, change what one does, and in what is ready. ERROR is what making WORK has come to.
 * They end an API function: see rt_return(). */
cudaError_t rt_node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                        size_t count, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_set(cudaGraphNode_t node, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work,
                             cudaError_t error);
/* Adds one that takes SIZE bytes, which will be at *MEMORY. */
cudaError_t rt_node_add_memory(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *depends, size_t count,
                               const struct cudaMemPoolProps *pool, size_t size, void **memory);

/* --- exec.c ------------------------------------------------------------------------------------------ */

/* Puts WORK in the place of what NODE does in EXEC. */
cudaError_t rt_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work);

/* --- attributes.c -------------------------------------------------------------------------------------- */

struct rt_hints;
struct rt_hints *rt_hints_copy(const struct rt_hints *hints); /* to be freed */

/* --- user_object.c: what a graph refers to ------------------------------------------------------------------- */

struct rt_held;
/* A list that refers to the same objects, once each, and the end of one. */
cudaError_t rt_held_copy(struct rt_held **to, const struct rt_held *from);
void rt_held_free(struct rt_held **held);

/* --- memory.c ---------------------------------------------------------------------------------------- */

/* Memory for a node to take, with one holder. Who holds it, by its address, must drop it. */
cudaError_t rt_graph_memory_make(size_t size, void **ptr);
bool rt_graph_memory_hold(const void *ptr);
void rt_graph_memory_drop(const void *ptr);
/* False: there is none at PTR. */
bool rt_graph_memory_size(const void *ptr, size_t *size);
/* Of all graphs that were made ready, only one may take it: from FROM, NULL for none, to TO. */
bool rt_graph_memory_claim(const void *ptr, const struct CUgraphExec_st *from,
                           const struct CUgraphExec_st *to);
/* Whether a launch may do its steps of taking and freeing: plan, then each step in order. */
void rt_graph_memory_plan(void);
bool rt_graph_memory_step(const struct rt_work *work, bool frees_first);

#endif
