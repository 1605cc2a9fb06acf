/* Implements capture: the work of a stream becomes nodes of a graph. Another stream joins the
 * capture when it waits for an event of a captured stream. Before the capture ends, the stream that
 * began it must wait for all work of the other streams.
 *
 *   struct session      one capture: its graph, its streams, whether it is still valid
 *   struct rt_capture   the part of one stream ("view"): the nodes that its next node will depend on */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cudart/graphs/graph.h"

struct session {
    struct CUgraph_st *graph;
    bool owns_graph; /* the graph was created for this capture */
    bool invalid;
    unsigned long long id;
    /* list of the views of all captured streams; the first view belongs to the stream that began
     * the capture */
    struct rt_capture *views;
    struct session *next;
};

struct rt_capture {
    struct session *session;
    struct rt_capture **slot; /* address of the stream's pointer to this view */
    cudaGraphNode_t *depends;
    size_t depend_count;
    struct rt_capture *next;
};

/* One lock is enough for all captures, because they are rare and short. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions; /* captures that have not ended */
static unsigned long long last_id;
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static struct rt_capture *view_of(cudaStream_t stream)
{
    struct rt_capture **slot = rt_stream_capture(stream);
    return slot ? *slot : NULL;
}

bool rt_is_capturing(cudaStream_t stream)
{
    return view_of(stream) != NULL;
}

/* --- adding nodes ----------------------------------------------------------------------------- */

static bool is_among(cudaGraphNode_t node, cudaGraphNode_t const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

static cudaError_t add_depends(struct rt_capture *view, cudaGraphNode_t const *nodes, size_t count)
{
    cudaGraphNode_t *more =
        realloc(view->depends, (view->depend_count + count + 1) * sizeof(cudaGraphNode_t));
    if (!more)
        return cudaErrorMemoryAllocation;
    view->depends = more;
    for (size_t i = 0; i < count; i++)
        if (!is_among(nodes[i], view->depends, view->depend_count))
            view->depends[view->depend_count++] = nodes[i];
    return cudaSuccess;
}

cudaError_t rt_capture(cudaStream_t stream, const struct rt_work *work)
{
    cudaGraphNode_t node;
    struct rt_capture *view = view_of(stream);
    if (view->session->invalid)
        return cudaErrorStreamCaptureInvalidated;
    cudaError_t error =
        rt_graph_add(view->session->graph, view->depends, view->depend_count, work, &node);
    if (error != cudaSuccess)
        return error;
    view->depend_count = 0;
    return add_depends(view, &node, 1);
}

cudaError_t rt_capture_alloc(cudaStream_t stream, size_t size, void **ptr)
{
    struct rt_work work = {.type = cudaGraphNodeTypeMemAlloc};
    cudaError_t error = rt_graph_memory_new(size, &work.memory);
    if (error != cudaSuccess)
        return error;
    *ptr = work.memory;
    error = rt_capture(stream, &work);
    rt_graph_memory_release(work.memory); /* from now on, only the node uses this memory */
    return error;
}

cudaError_t rt_capture_invalidate(cudaStream_t stream)
{
    struct rt_capture *view = view_of(stream);
    if (view->session->invalid)
        return cudaErrorStreamCaptureInvalidated;
    view->session->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
}

/* --- beginning -------------------------------------------------------------------------------- */

static cudaError_t open_view(struct session *session, struct rt_capture **slot,
                             cudaGraphNode_t const *depends, size_t count)
{
    struct rt_capture *view = calloc(1, sizeof *view);
    if (!view || add_depends(view, depends, count) != cudaSuccess) {
        free(view);
        return cudaErrorMemoryAllocation;
    }
    view->session = session;
    view->slot = slot;
    struct rt_capture **end = &session->views;
    while (*end)
        end = &(*end)->next;
    *end = *slot = view;
    return cudaSuccess;
}

static cudaError_t begin(cudaStream_t stream, struct CUgraph_st *graph,
                         cudaGraphNode_t const *depends, size_t count,
                         enum cudaStreamCaptureMode mode)
{
    struct emu_device *device;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error != cudaSuccess)
        return error;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed || (count && !depends))
        return cudaErrorInvalidValue;
    struct rt_capture **slot = rt_stream_capture(stream);
    if (!slot)
        return cudaErrorStreamCaptureUnsupported;
    if (*slot)
        return cudaErrorIllegalState;
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return cudaErrorMemoryAllocation;
    session->owns_graph = !graph;
    session->graph = graph ? graph : rt_graph_new();
    pthread_mutex_lock(&lock);
    session->id = ++last_id;
    error = session->graph ? open_view(session, slot, depends, count) : cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        session->next = sessions;
        sessions = session;
    }
    pthread_mutex_unlock(&lock);
    if (error != cudaSuccess)
        free(session);
    return error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return rt_return(begin(stream, NULL, NULL, 0, mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *depends,
                                          const cudaGraphEdgeData *data, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    if (!rt_live_graph(graph))
        return rt_return(cudaErrorInvalidValue);
    return rt_return(begin(stream, graph, depends, count, mode));
}

/* --- ending ----------------------------------------------------------------------------------- */

static void close_session(struct session *session)
{
    while (session->views) {
        struct rt_capture *view = session->views;
        session->views = view->next;
        *view->slot = NULL;
        free(view->depends);
        free(view);
    }
    struct session **at = &sessions;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    free(session);
}

/* Returns whether all work of VIEW's stream comes before the next node of FIRST's stream. */
static bool waits_for(const struct rt_capture *first, const struct rt_capture *view)
{
    for (size_t i = 0; i < view->depend_count; i++) {
        bool joined = is_among(view->depends[i], first->depends, first->depend_count);
        for (size_t k = 0; k < first->depend_count && !joined; k++)
            joined = rt_graph_comes_before(view->depends[i], first->depends[k]);
        if (!joined)
            return false;
    }
    return true;
}

static bool is_joined(const struct session *session)
{
    const struct rt_capture *view = session->views->next;
    while (view && waits_for(session->views, view))
        view = view->next;
    return !view;
}

static cudaError_t end(cudaStream_t stream, cudaGraph_t *graph)
{
    struct rt_capture *view = view_of(stream);
    if (!graph)
        return cudaErrorInvalidValue;
    if (!view)
        return cudaErrorIllegalState;
    struct session *session = view->session;
    if (view != session->views) {
        session->invalid = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    cudaError_t error = session->invalid     ? cudaErrorStreamCaptureInvalidated
                        : is_joined(session) ? cudaSuccess
                                             : cudaErrorStreamCaptureUnjoined;
    *graph = error == cudaSuccess ? session->graph : NULL;
    if (error != cudaSuccess && session->owns_graph)
        rt_graph_free(session->graph);
    close_session(session);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = end(stream, graph);
    pthread_mutex_unlock(&lock);
    return rt_return(error);
}

void rt_capture_forget(struct rt_capture *view)
{
    pthread_mutex_lock(&lock);
    struct session *session = view->session;
    session->invalid |= session->views == view || !waits_for(session->views, view);
    if (session->views == view) {
        if (session->owns_graph)
            rt_graph_free(session->graph);
        close_session(session);
    } else {
        struct rt_capture **at = &session->views;
        while (*at != view)
            at = &(*at)->next;
        *at = view->next;
        free(view->depends);
        free(view);
    }
    pthread_mutex_unlock(&lock);
}

/* --- events between captured streams ---------------------------------------------------------- */

cudaError_t rt_capture_mark(cudaStream_t stream, struct rt_mark *mark)
{
    const struct rt_capture *view = view_of(stream);
    if (view->session->invalid)
        return cudaErrorStreamCaptureInvalidated;
    rt_mark_free(mark);
    mark->nodes = malloc((view->depend_count + 1) * sizeof(cudaGraphNode_t));
    if (!mark->nodes)
        return cudaErrorMemoryAllocation;
    memcpy(mark->nodes, view->depends, view->depend_count * sizeof(cudaGraphNode_t));
    mark->count = view->depend_count;
    mark->session = view->session->id;
    return cudaSuccess;
}

void rt_mark_free(struct rt_mark *mark)
{
    free(mark->nodes);
    *mark = (struct rt_mark){0};
}

/* Returns the capture to which MARK belongs. Returns NULL if the event was not captured, or if the
 * capture has ended. */
static struct session *session_of(const struct rt_mark *mark)
{
    pthread_mutex_lock(&lock);
    struct session *session = mark->session ? sessions : NULL;
    while (session && session->id != mark->session)
        session = session->next;
    pthread_mutex_unlock(&lock);
    return session;
}

bool rt_mark_is_live(const struct rt_mark *mark)
{
    return session_of(mark) != NULL;
}

cudaError_t rt_capture_join(cudaStream_t stream, const struct rt_mark *mark)
{
    struct rt_capture **slot = rt_stream_capture(stream), *view = slot ? *slot : NULL;
    struct session *session = session_of(mark);
    if (view && view->session->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (!session) { /* a captured stream cannot wait for an event outside of the capture */
        if (view)
            view->session->invalid = true;
        return view ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    }
    if (session->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (!slot)
        return cudaErrorStreamCaptureImplicit;
    if (view && view->session != session)
        return cudaErrorStreamCaptureMerge;
    if (view)
        return add_depends(view, mark->nodes, mark->count);
    pthread_mutex_lock(&lock);
    cudaError_t error = open_view(session, slot, mark->nodes, mark->count);
    pthread_mutex_unlock(&lock);
    return error;
}

/* --- queries ---------------------------------------------------------------------------------- */

static enum cudaStreamCaptureStatus status_of(const struct rt_capture *view)
{
    return !view                    ? cudaStreamCaptureStatusNone
           : view->session->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    cudaError_t error = rt_check_stream(stream);
    if (error == cudaSuccess && !status)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *status = status_of(view_of(stream));
    return rt_return(error);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **depends,
                                     const cudaGraphEdgeData **data, size_t *count)
{
    cudaError_t error = rt_check_stream(stream);
    if (error == cudaSuccess && !status)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_return(error);
    const struct rt_capture *view = view_of(stream);
    *status = status_of(view);
    if (*status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (id)
        *id = view->session->id;
    if (graph)
        *graph = view->session->graph;
    if (depends)
        *depends = view->depends;
    if (data)
        *data = NULL;
    if (count)
        *count = view->depend_count;
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *depends,
                                                const cudaGraphEdgeData *data, size_t count,
                                                unsigned flags)
{
    cudaError_t error = rt_check_stream(stream);
    struct rt_capture *view = error == cudaSuccess ? view_of(stream) : NULL;
    if (error == cudaSuccess && !view)
        error = cudaErrorIllegalState;
    if (error == cudaSuccess && ((count && !depends) || flags > cudaStreamSetCaptureDependencies))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_return(error);
    if (flags == cudaStreamSetCaptureDependencies)
        view->depend_count = 0;
    return rt_return(add_depends(view, depends, count));
}

/* Exchanges the thread's capture mode with *MODE. On a GPU, the mode decides which unsafe calls are
 * forbidden during a capture. The emulator allows all calls, so it only stores the mode. */
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return rt_return(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}
