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

/* A stream's view of its capture. It has the stream's last nodes, for which the stream's next node
 * will wait. */
struct rt_capture;

/* Returns whether STREAM is captured, that is whether its work becomes nodes of a graph. STREAM
 * must exist. */
bool rt_is_capturing(cudaStream_t stream);
/* Adds a node that performs WORK to the graph of STREAM's capture, after STREAM's last nodes. */
cudaError_t rt_capture(cudaStream_t stream, const struct rt_work *work);
/* Adds a node that allocates SIZE bytes, and sets *PTR to their address. */
cudaError_t rt_capture_alloc(cudaStream_t stream, size_t size, void **ptr);
/* Makes the capture of STREAM invalid because of a call that cannot be captured. Returns the error
 * for that call. */
cudaError_t rt_capture_invalidate(cudaStream_t stream);
/* Ends STREAM's part of a capture, because the stream is destroyed. */
void rt_capture_forget(struct rt_capture *view);

/* The last nodes of a stream at the moment when it recorded an event. Initialise a mark with
 * {0}. */
struct rt_mark {
    unsigned long long session; /* number of the capture, or 0 if the stream was not captured */
    cudaGraphNode_t *nodes;
    size_t count;
};
cudaError_t rt_capture_mark(cudaStream_t stream, struct rt_mark *mark);
/* Makes STREAM wait for MARK: the next node of STREAM will depend on the mark's nodes. If STREAM is
 * not captured, it joins the mark's capture. */
cudaError_t rt_capture_join(cudaStream_t stream, const struct rt_mark *mark);
/* returns whether MARK's capture has not ended yet */
bool rt_mark_is_live(const struct rt_mark *mark);
void rt_mark_free(struct rt_mark *mark);

/* --- graphs/memory.c: memory that nodes allocate ---------------------------------------------- */

/* Performs an allocation node: adds the memory at PTR to the program's ranges, as RT_GRAPH. */
cudaError_t rt_graph_memory_allocate(const void *ptr);
/* Records that the memory at PTR has been freed. The caller has already removed its range. */
void rt_graph_memory_freed(const void *ptr);

/* --- graphs/graph.c: copies of work ----------------------------------------------------------- */

/* Copies FROM, with everything to which it points, such as the arguments of a launch or a child
 * graph. Free the copy with rt_work_free(). */
cudaError_t rt_work_copy(struct rt_work *to, const struct rt_work *from);
void rt_work_free(struct rt_work *work);

#endif
