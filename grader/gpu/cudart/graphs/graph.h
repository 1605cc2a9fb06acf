/* Implements graphs. A program describes work once, as nodes, and can launch the whole graph many
 * times. A node can depend on other nodes, for which it waits. A launchable graph is a
 * cudaGraphExec_t.
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
    struct rt_work work;             /* a copy by rt_work_copy() */
    struct rt_hints *hints;          /* attributes of a kernel node, or NULL */
    struct CUgraphNode_st **depends; /* the nodes that this node waits for */
    size_t depend_count;
    struct CUgraphNode_st *original; /* the node of which this is a copy, or NULL */
    struct CUgraphNode_st *next;     /* the graph's next node, in the order of adding */
};

struct CUgraph_st {
    struct CUgraphNode_st *first;
    size_t node_count;
    /* for a body of a conditional node, the graph of that node, otherwise NULL */
    const struct CUgraph_st *parent;
    struct rt_ref *refs;     /* the graph's references to user objects */
    struct CUgraph_st *next; /* the next in the list of live graphs */
};

/* --- graph.c ---------------------------------------------------------------------------------- */

/* Check a handle from the program. Return GRAPH if it is live, or NODE if it is a node of a live
 * graph, otherwise NULL. */
struct CUgraph_st *rt_live_graph(cudaGraph_t graph);
struct CUgraphNode_st *rt_live_node(cudaGraphNode_t node);
struct CUgraph_st *rt_graph_new(void);
void rt_graph_free(struct CUgraph_st *graph);
/* Copies a graph. rt_graph_clone() refuses graphs that a program cannot copy either, while
 * rt_graph_copy() also copies conditional nodes, for a launchable graph. */
cudaError_t rt_graph_clone(const struct CUgraph_st *graph, struct CUgraph_st **clone);
cudaError_t rt_graph_copy(const struct CUgraph_st *graph, struct CUgraph_st **copy);
/* Returns the node of COPY that is a copy of NODE, or NULL. */
struct CUgraphNode_st *rt_graph_find_copy(const struct CUgraph_st *copy,
                                          const struct CUgraphNode_st *node);
/* Adds a node to GRAPH that does a copy of WORK after the COUNT nodes DEPENDS. */
cudaError_t rt_graph_add(struct CUgraph_st *graph, cudaGraphNode_t const *depends, size_t count,
                         const struct rt_work *work, cudaGraphNode_t *node);
/* Sets *SORTED to the nodes, each after the nodes that it waits for. The caller frees *SORTED. */
cudaError_t rt_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***sorted);

static inline bool rt_is_memory(const struct rt_work *work)
{
    return work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree;
}

/* Returns whether OTHER waits for NODE, directly or through other nodes. */
bool rt_graph_comes_before(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other);
/* Returns whether a node of GRAPH allocates memory, frees memory or is conditional. CUDA does not
 * clone such a graph, and does not take it as a child. */
bool rt_graph_is_unique(const struct CUgraph_st *graph);

/* Replaces WORK by a copy of BY, which must have the same type. */
cudaError_t rt_work_replace(struct rt_work *work, const struct rt_work *by);

/* --- nodes.c ---------------------------------------------------------------------------------- */

/* Turn the parameters of a node into work. Fail if the parameters are invalid. */
cudaError_t rt_work_of_kernel(struct rt_work *work, const struct cudaKernelNodeParams *params);
cudaError_t rt_work_of_copy(struct rt_work *work, const struct cudaMemcpy3DParms *params);
cudaError_t rt_work_of_fill(struct rt_work *work, const struct cudaMemsetParams *params);
cudaError_t rt_work_of_host(struct rt_work *work, const struct cudaHostNodeParams *params);
cudaError_t rt_work_of_event(struct rt_work *work, enum cudaGraphNodeType type, cudaEvent_t event);
/* Do the same for two kinds of node that must know their GRAPH: a child graph, and freeing MEMORY
 * that a node allocates. */
cudaError_t rt_work_of_child(struct rt_work *work, cudaGraph_t graph, cudaGraph_t child);
cudaError_t rt_work_of_free(struct rt_work *work, cudaGraph_t graph, void *memory);

/* Perform the last step of API functions that make WORK from parameters: add a node, change NODE's
 * work, or change it in EXEC. ERROR is the result of making WORK. An API function ends with one of
 * these functions instead of rt_return(). */
cudaError_t rt_node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                        size_t count, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_set(cudaGraphNode_t node, const struct rt_work *work, cudaError_t error);
cudaError_t rt_node_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work,
                             cudaError_t error);
/* Adds a node that allocates SIZE bytes and sets *MEMORY to their address. */
cudaError_t rt_node_add_memory(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *depends, size_t count,
                               const struct cudaMemPoolProps *pool, size_t size, void **memory);

/* --- exec.c ----------------------------------------------------------------------------------- */

/* Replaces the work of EXEC's copy of NODE by WORK. */
cudaError_t rt_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_work *work);

/* --- lanes.c: which steps of a launch wait for each other ------------------------------------- */

struct rt_lanes;
/* Makes *LANES for the COUNT nodes SORTED. Free *LANES in any case. */
cudaError_t rt_lanes_new(struct CUgraphNode_st *const *sorted, size_t count,
                         struct rt_lanes **lanes);
void rt_lanes_free(struct rt_lanes *lanes); /* NULL is allowed */
/* A launch in STREAM: rt_lanes_begin(); for each step rt_lanes_enter(), which sets *STREAM to the
 * stream for its work, and rt_lanes_leave(); rt_lanes_end(). */
cudaError_t rt_lanes_begin(struct rt_lanes *lanes, cudaStream_t stream);
cudaError_t rt_lanes_enter(const struct rt_lanes *lanes, size_t step, cudaStream_t *stream);
cudaError_t rt_lanes_leave(const struct rt_lanes *lanes, size_t step);
cudaError_t rt_lanes_end(const struct rt_lanes *lanes);

/* --- conditional.c ---------------------------------------------------------------------------- */

/* Adds a conditional node with empty bodies, and sets PARAMS->phGraph_out to them. */
cudaError_t rt_node_add_conditional(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *depends, size_t count,
                                    struct cudaConditionalNodeParams *params);
/* Finish a copy *TO of *FROM, which gets bodies of its own; free them. */
cudaError_t rt_conditional_copy(struct rt_conditional *to, const struct rt_conditional *from);
void rt_conditional_free(const struct rt_conditional *conditional);
/* Notes that GRAPH is freed. Its conditions stay for launchable graphs. */
void rt_conditions_leave(const struct CUgraph_st *graph);
/* Returns whether nodes use all conditions that were made for GRAPH. */
bool rt_conditions_are_used(const struct CUgraph_st *graph);
/* Returns whether the bodies in GRAPH have only nodes that CUDA allows there, and nodes use all
 * conditions. */
bool rt_graph_conditionals_are_legal(const struct CUgraph_st *graph);
/* For the conditions of WORK and of its bodies; other kinds of work have none.
 * rt_conditional_claim() notes that a launchable graph uses them. It returns false if another one
 * does. rt_conditional_leave() notes that it no longer uses them. rt_conditional_start() sets them
 * at the beginning of a launch. */
bool rt_conditional_claim(const struct rt_work *work);
void rt_conditional_leave(const struct rt_work *work);
bool rt_conditional_start(const struct rt_work *work, struct emu_device *device);
/* Sets *BODY to the body that the condition's value chooses, or to NULL. */
cudaError_t rt_conditional_choose(const struct rt_conditional *conditional,
                                  struct emu_device *device, const struct CUgraph_st **body);

/* --- attributes.c ----------------------------------------------------------------------------- */

struct rt_hints;
struct rt_hints *rt_hints_copy(const struct rt_hints *hints); /* free it with free() */

/* --- user_object.c: references of graphs to user objects -------------------------------------- */

struct rt_ref;
/* Makes *TO a list with one reference to each object in FROM. */
cudaError_t rt_refs_copy(struct rt_ref **to, const struct rt_ref *from);
void rt_refs_free(struct rt_ref **refs);

/* --- memory.c --------------------------------------------------------------------------------- */

/* Reserves memory that an allocation node will give to the program. The memory's holders are
 * counted; the caller is the first holder. The memory is freed when the last holder has released
 * it. */
cudaError_t rt_graph_memory_new(size_t size, void **ptr);
bool rt_graph_memory_hold(const void *ptr);
void rt_graph_memory_release(const void *ptr);
/* Returns false if PTR is not the address of memory from rt_graph_memory_new(). */
bool rt_graph_memory_size(const void *ptr, size_t *size);
/* Passes the right to allocate the memory at PTR from FROM to TO; NULL stands for no graph. Only
 * one launchable graph may have this right. */
bool rt_graph_memory_claim(const void *ptr, const struct CUgraphExec_st *from,
                           const struct CUgraphExec_st *to);
/* Check the memory nodes of a launch before it runs: call rt_graph_memory_plan() first, then
 * rt_graph_memory_step() for each allocation and free, in order. Returns false if WORK would
 * allocate live memory, unless AUTO_FREES is set, or free memory that is not live. */
void rt_graph_memory_plan(void);
bool rt_graph_memory_step(const struct rt_work *work, bool auto_frees);

#endif
