/* Implements graphs. A program describes work once, as nodes, and can launch the whole graph many
 * times. An edge makes a node wait for another node. A launchable graph is a cudaGraphExec_t.
 *
 *   graph.c      nodes and edges of a graph        exec.c         launchable graphs
 *   capture.c    turns a stream's work into nodes  memory.c       memory that nodes allocate
 *   nodes.c      nodes of each kind                attributes.c   attributes of kernel nodes
 *   generic.c    calls for all kinds of node       user_object.c  objects that graphs keep alive
 *   dot.c        drawing a graph                   lanes.c        which steps wait for each other
 *   conditional.c   nodes whose work depends on a value that kernels set
 *
 * As in the real runtime, two threads must not change one graph at the same time. */
#ifndef GPU_CUDART_GRAPHS_GRAPH_H
#define GPU_CUDART_GRAPHS_GRAPH_H

#include "gpu/cudart/graphs.h"

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    struct rt_work work;             /* copied by rt_work_copy() */
    struct rt_hints *hints;          /* attributes of a kernel node, or NULL */
    struct CUgraphNode_st **depends; /* the nodes that this node waits for */
    size_t depend_count;
    /* if this node is a copy: the node that was copied; otherwise NULL */
    struct CUgraphNode_st *original;
    struct CUgraphNode_st *next; /* the node that was added to the graph after this one */
};

struct CUgraph_st {
    struct CUgraphNode_st *first;
    size_t node_count;
    /* for a body of a conditional node: the graph that contains the node; otherwise NULL */
    const struct CUgraph_st *parent;
    struct rt_ref *refs;     /* references to user objects */
    struct CUgraph_st *next; /* next in the list of existing graphs */
};

/* --- graph.c ---------------------------------------------------------------------------------- */

/* Check a handle from the program. rt_live_graph() returns GRAPH if it exists, rt_live_node()
 * returns NODE if it is a node of an existing graph. Otherwise they return NULL. */
struct CUgraph_st *rt_live_graph(cudaGraph_t graph);
struct CUgraphNode_st *rt_live_node(cudaGraphNode_t node);
struct CUgraph_st *rt_graph_new(void);
void rt_graph_free(struct CUgraph_st *graph);
/* Copy a graph. rt_graph_clone() fails for a graph that CUDA does not allow to be copied.
 * rt_graph_copy() is for a launchable graph, which may have conditional nodes. */
cudaError_t rt_graph_clone(const struct CUgraph_st *graph, struct CUgraph_st **clone);
cudaError_t rt_graph_copy(const struct CUgraph_st *graph, struct CUgraph_st **copy);
/* Returns the node of COPY that is a copy of NODE, or NULL if there is none. */
struct CUgraphNode_st *rt_graph_find_copy(const struct CUgraph_st *copy,
                                          const struct CUgraphNode_st *node);
/* Adds a node to GRAPH that depends on the COUNT nodes DEPENDS. Its work is a copy of WORK. */
cudaError_t rt_graph_add(struct CUgraph_st *graph, cudaGraphNode_t const *depends, size_t count,
                         const struct rt_work *work, cudaGraphNode_t *node);
/* Sets *SORTED to the nodes of GRAPH in topological order: each node comes after all nodes that it
 * waits for. The caller frees *SORTED. */
cudaError_t rt_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***sorted);

static inline bool rt_is_memory(const struct rt_work *work)
{
    return work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree;
}

/* Returns whether OTHER waits for NODE, directly or through other nodes. */
bool rt_graph_comes_before(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other);
/* Returns whether a node of GRAPH allocates memory, frees memory or is conditional. In CUDA, such a
 * graph cannot be cloned, and cannot be a child graph. */
bool rt_graph_is_unique(const struct CUgraph_st *graph);

/* Replaces WORK with a copy of BY, which must have the same type. */
cudaError_t rt_work_replace(struct rt_work *work, const struct rt_work *by);

/* --- nodes.c ---------------------------------------------------------------------------------- */

/* Convert the parameters of a node to a work item. Fail if the parameters are invalid. */
cudaError_t rt_work_of_kernel(struct rt_work *work, const struct cudaKernelNodeParams *params);
cudaError_t rt_work_of_copy(struct rt_work *work, const struct cudaMemcpy3DParms *params);
cudaError_t rt_work_of_fill(struct rt_work *work, const struct cudaMemsetParams *params);
cudaError_t rt_work_of_host(struct rt_work *work, const struct cudaHostNodeParams *params);
cudaError_t rt_work_of_event(struct rt_work *work, enum cudaGraphNodeType type, cudaEvent_t event);
/* Do the same for the two kinds of nodes whose conversion needs the GRAPH: a child graph, and a
 * node that frees MEMORY. */
cudaError_t rt_work_of_child(struct rt_work *work, cudaGraph_t graph, cudaGraph_t child);
cudaError_t rt_work_of_free(struct rt_work *work, cudaGraph_t graph, void *memory);

/* An API function for nodes calls one of these functions last, in place of rt_return(). It passes
 * WORK, which it has made from its parameters, and ERROR, which is cudaSuccess unless this failed.
 * If there was no error, the functions add a node with WORK, make WORK the work of NODE, or make
 * WORK the work of NODE in EXEC. */
cudaError_t rt_node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                        size_t count, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_set(cudaGraphNode_t node, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work,
                             cudaError_t error);
/* Adds a node that allocates SIZE bytes, and sets *MEMORY to their address. */
cudaError_t rt_node_add_memory(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *depends, size_t count,
                               const struct cudaMemPoolProps *pool, size_t size, void **memory);

/* --- exec.c ----------------------------------------------------------------------------------- */

/* Replaces the work of NODE in EXEC by WORK. */
cudaError_t rt_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work);

/* --- lanes.c: which steps of a launch wait for each other ------------------------------------- */

struct rt_lanes;
/* Sets *LANES to the lanes of the COUNT nodes in SORTED. The caller must free *LANES in any
 * case. */
cudaError_t rt_lanes_new(struct CUgraphNode_st *const *sorted, size_t count,
                         struct rt_lanes **lanes);
void rt_lanes_free(struct rt_lanes *lanes); /* accepts NULL */
/* A launch in STREAM calls rt_lanes_begin(). Then it calls rt_lanes_enter() before each step, which
 * sets *STREAM to the stream for the step's work, and rt_lanes_leave() after the step. At the end,
 * it calls rt_lanes_end(). */
cudaError_t rt_lanes_begin(struct rt_lanes *lanes, cudaStream_t stream);
cudaError_t rt_lanes_enter(const struct rt_lanes *lanes, size_t step, cudaStream_t *stream);
cudaError_t rt_lanes_leave(const struct rt_lanes *lanes, size_t step);
cudaError_t rt_lanes_end(const struct rt_lanes *lanes);

/* --- conditional.c ---------------------------------------------------------------------------- */

/* Adds a conditional node with empty bodies, and sets PARAMS->phGraph_out to the bodies. */
cudaError_t rt_node_add_conditional(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *depends, size_t count,
                                    struct cudaConditionalNodeParams *params);
/* rt_conditional_copy() gives *TO, which is a copy of *FROM, its own copies of the bodies.
 * rt_conditional_free() frees these bodies. */
cudaError_t rt_conditional_copy(struct rt_conditional *to, const struct rt_conditional *from);
void rt_conditional_free(const struct rt_conditional *conditional);
/* Records that GRAPH has been freed. Its conditions remain, because launchable graphs may use
 * them. */
void rt_conditions_leave(const struct CUgraph_st *graph);
/* Returns whether every condition created for GRAPH is used by a node. */
bool rt_conditions_are_used(const struct CUgraph_st *graph);
/* Returns whether all nodes in the bodies of GRAPH are of kinds that CUDA allows there, and every
 * condition is used by a node. */
bool rt_graph_conditionals_are_legal(const struct CUgraph_st *graph);
/* These functions apply to all conditions of WORK and of its bodies. Only conditional nodes have
 * conditions. rt_conditional_claim() records that a launchable graph uses the conditions, and
 * returns false if another launchable graph uses them. rt_conditional_leave() ends this use.
 * rt_conditional_start() sets their values at the beginning of a launch. */
bool rt_conditional_claim(const struct rt_work *work);
void rt_conditional_leave(const struct rt_work *work);
bool rt_conditional_start(const struct rt_work *work, struct emu_device *device);
/* Sets *BODY to the body that the condition's value selects, or to NULL if it selects none. */
cudaError_t rt_conditional_choose(const struct rt_conditional *conditional,
                                  struct emu_device *device, const struct CUgraph_st **body);

/* --- attributes.c ----------------------------------------------------------------------------- */

struct rt_hints;
struct rt_hints *rt_hints_copy(const struct rt_hints *hints); /* free it with free() */

/* --- user_object.c: objects of the program that graphs keep alive ----------------------------- */

struct rt_ref;
/* Sets *TO to a list with one reference to each object in the list FROM. */
cudaError_t rt_refs_copy(struct rt_ref **to, const struct rt_ref *from);
void rt_refs_free(struct rt_ref **refs);

/* --- memory.c --------------------------------------------------------------------------------- */

/* Reserves memory for an allocation node. The memory is reference-counted: the caller gets the
 * first reference, and the memory is freed when the last reference is released. */
cudaError_t rt_graph_memory_new(size_t size, void **ptr);
bool rt_graph_memory_hold(const void *ptr);
void rt_graph_memory_release(const void *ptr);
/* Sets *SIZE to the size of the memory at PTR. Returns false if rt_graph_memory_new() has not
 * returned PTR. */
bool rt_graph_memory_size(const void *ptr, size_t *size);
/* Passes the right to allocate the memory at PTR from FROM to TO. Only one launchable graph can
 * have this right; NULL means no graph. Returns false if neither FROM nor TO has the right. */
bool rt_graph_memory_claim(const void *ptr, const struct CUgraphExec_st *from,
                           const struct CUgraphExec_st *to);
/* Check the memory nodes of a launch before it runs. The caller calls rt_graph_memory_plan(), then
 * rt_graph_memory_step() for each allocation and free, in order. This returns false if WORK would
 * free memory that is not allocated, or allocate memory that is, unless AUTO_FREES is set. */
void rt_graph_memory_plan(void);
bool rt_graph_memory_step(const struct rt_work *work, bool auto_frees);

#endif
