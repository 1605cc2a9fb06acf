/* The interface of the folder graphs/, which implements graphs and stream capture, for the rest of
 * the library. Files outside of graphs/ include this header, never graphs/graph.h.
 *
 *   cudaMemcpyAsync(..., s)    rt_submit() finds that s is captured; rt_capture() adds a node
 *   cudaEventRecord(e, s)      rt_capture_mark(): e remembers the last nodes of s
 *   cudaStreamWaitEvent(t, e)  rt_capture_join(): t's next node waits for these nodes */
#ifndef GPU_CUDART_GRAPHS_H
#define GPU_CUDART_GRAPHS_H

#include "gpu/cudart/work.h"

/* --- graphs/capture.c: turns the work of a stream into nodes of a graph ----------------------- */

/* The part of a capture that belongs to one stream. It has the stream's last nodes; the next node
 * of the stream will depend on them. */
struct rt_capture;

/* Returns whether STREAM is being captured: its work then becomes nodes of a graph and is not
 * executed. STREAM must exist. */
bool rt_is_capturing(cudaStream_t stream);
/* Adds a node for WORK to the graph that STREAM is being captured into. The node depends on
 * STREAM's last nodes. */
cudaError_t rt_capture(cudaStream_t stream, const struct rt_work *work);
/* Adds a node that allocates SIZE bytes, and sets *PTR to their address. */
cudaError_t rt_capture_alloc(cudaStream_t stream, size_t size, void **ptr);
/* Invalidates the capture of STREAM, because of a call that cannot be captured. Returns the error
 * for that call. */
cudaError_t rt_capture_invalidate(cudaStream_t stream);
/* Ends STREAM's part of a capture, because the stream is destroyed. */
void rt_capture_forget(struct rt_capture *view);

/* The last nodes of a stream when it recorded an event. A mark must be initialised with {0}. */
struct rt_mark {
    unsigned long long session; /* number of the capture, or 0 if the stream was not captured */
    cudaGraphNode_t *nodes;
    size_t count;
};
cudaError_t rt_capture_mark(cudaStream_t stream, struct rt_mark *mark);
/* Makes STREAM wait for MARK: the next node of STREAM will depend on the nodes in MARK. If STREAM
 * is not being captured, it joins the capture that MARK belongs to. */
cudaError_t rt_capture_join(cudaStream_t stream, const struct rt_mark *mark);
/* Returns whether the capture that MARK belongs to has not ended yet. */
bool rt_mark_is_live(const struct rt_mark *mark);
void rt_mark_free(struct rt_mark *mark);

/* --- graphs/memory.c: memory that graph nodes allocate ---------------------------------------- */

/* Executes an allocation node: adds the memory at PTR to the program's ranges, as RT_GRAPH. */
cudaError_t rt_graph_memory_allocate(const void *ptr);
/* Records that the memory at PTR has been freed. The caller has already removed its range. */
void rt_graph_memory_freed(const void *ptr);

/* --- graphs/graph.c: copies of work items ----------------------------------------------------- */

/* Makes a deep copy of FROM: the copy has its own arguments of a launch, and its own child graph.
 * The caller frees it with rt_work_free(). */
cudaError_t rt_work_copy(struct rt_work *to, const struct rt_work *from);
void rt_work_free(struct rt_work *work);

#endif
