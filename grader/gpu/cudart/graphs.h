/* The door of graphs/: all that the rest of the library needs of graphs and stream capture. The
 * folder graphs/ implements these functions and includes our headers; nothing outside it includes
 * graphs/graph.h.
 *
 *   cudaMemcpyAsync(..., s)    rt_submit() finds that s is captured; rt_capture() adds a node
 *   cudaEventRecord(e, s)      rt_capture_mark(): e stands for the nodes that s has reached
 *   cudaStreamWaitEvent(t, e)  rt_capture_join(): t's next nodes wait for these nodes */
#ifndef GPU_CUDART_GRAPHS_H
#define GPU_CUDART_GRAPHS_H

#include "gpu/cudart/work.h"

/* --- graphs/capture.c: the work of a stream becomes nodes of a graph -------------------------- */

struct rt_capture; /* one stream's view of a capture */

/* Whether the work of STREAM, a live one, becomes nodes of a graph. */
bool rt_is_capturing(cudaStream_t stream);
/* Adds a node that does WORK to that graph, behind the nodes that STREAM has reached. */
cudaError_t rt_capture(cudaStream_t stream, const struct rt_work *work);
/* Adds a node that allocates SIZE bytes, which will be at *PTR. */
cudaError_t rt_capture_alloc(cudaStream_t stream, size_t size, void **ptr);
/* A call on STREAM cannot be captured: the capture becomes invalid. Returns the call's error. */
cudaError_t rt_capture_invalidate(cudaStream_t stream);
/* The stream of this view is destroyed. */
void rt_capture_forget(struct rt_capture *view);

/* The nodes that a captured stream had reached when it recorded an event. Start with {0}. */
struct rt_mark {
    unsigned long long session; /* the capture's number; 0: the event was not captured */
    cudaGraphNode_t *nodes;
    size_t count;
};
cudaError_t rt_capture_mark(cudaStream_t stream, struct rt_mark *mark);
/* STREAM waits for MARK: it joins the mark's capture if it is in none. Its next nodes depend on the
 * mark's nodes. */
cudaError_t rt_capture_join(cudaStream_t stream, const struct rt_mark *mark);
bool rt_mark_is_live(const struct rt_mark *mark); /* its capture has not ended */
void rt_mark_free(struct rt_mark *mark);

/* --- graphs/memory.c: memory that nodes allocate ---------------------------------------------- */

/* Makes the memory at PTR the program's, as a range of RT_GRAPH: this is what an allocation node
 * does. */
cudaError_t rt_graph_memory_allocate(const void *ptr);
/* The program has freed the memory at PTR. Its range is already removed. */
void rt_graph_memory_freed(const void *ptr);

/* --- graphs/graph.c: work that outlives the call that asked for it ---------------------------- */

/* A copy that owns what it points to: a launch's arguments, a child graph. Free it with
 * rt_work_free(). */
cudaError_t rt_work_copy(struct rt_work *to, const struct rt_work *from);
void rt_work_free(struct rt_work *work);

#endif
