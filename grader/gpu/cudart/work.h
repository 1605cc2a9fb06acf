/* A work item for a stream is a copy, a fill, a launch or a call of a host function. It runs
 * immediately, with two exceptions. In a captured stream, it becomes a node of a graph and runs
 * when the graph is launched. After a launch that waits for main(), it waits in a queue
 * (queue.c). */
#ifndef GPU_CUDART_WORK_H
#define GPU_CUDART_WORK_H

#include "gpu/cudart/rt.h"

struct rt_launch {
    const void *func; /* address of a stub, or a cudaKernel_t */
    dim3 grid, block;
    size_t shared;
    bool cooperative; /* the blocks may wait for each other */
    void **args;
    const void *from; /* return address of the program's <<<...>>>, or NULL without <<<...>>> */
    /* size of a cluster in blocks; if x is 0, the kernel's own cluster size is used */
    dim3 cluster;
};

struct rt_condition;

/* The work of a conditional node. */
struct rt_conditional {
    struct rt_condition *condition;
    enum cudaGraphConditionalNodeType type;
    unsigned count;      /* number of bodies */
    cudaGraph_t *bodies; /* NULL until a node owns the work */
    bool is_copy;        /* the bodies belong to a launchable graph */
};

struct rt_work {
    enum cudaGraphNodeType type; /* tells which member of the union is valid */
    /* for ...Memcpy and ...Memset: the work comes from a 2-D function, and must be passed to the
     * device as rows even if there is only one row */
    bool has_rows;
    union {
        struct rt_launch kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaEvent_t event; /* for types ...EventRecord and ...WaitEvent */
        cudaGraph_t child; /* for type ...Graph */
        void *memory;      /* for types ...MemAlloc and ...MemFree */
        struct rt_conditional conditional;
    };
};

/* --- work.c ----------------------------------------------------------------------------------- */

/* Runs WORK now. WORK must not be a child graph or conditional, and no kernel may have faulted.
 * Returns cudaErrorNotReady if the device has parked the launch (see emu_parked()). */
cudaError_t rt_run(struct emu_device *device, const struct rt_work *work);
/* If the parameters of WORK are invalid, returns the error that rt_run() would return. */
cudaError_t rt_check_work(struct emu_device *device, const struct rt_work *work);
/* Runs WORK in STREAM, queues it, or captures it as a node of a graph. Does nothing after a
 * kernel's fault. */
cudaError_t rt_submit(cudaStream_t stream, const struct rt_work *work);
/* Waits for all earlier work in the default stream, then runs WORK. Used by API functions without a
 * stream argument. */
cudaError_t rt_wait_and_run(const struct rt_work *work);

/* --- fill.c, copy.c, launch.c: work of one kind ----------------------------------------------- */

cudaError_t rt_run_copy(struct emu_device *device, const struct rt_work *work);
cudaError_t rt_check_copy(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
cudaError_t rt_run_fill(struct emu_device *device, const struct rt_work *work);
cudaError_t rt_check_fill(struct emu_device *device, const struct cudaMemsetParams *fill);
cudaError_t rt_run_launch(struct emu_device *device, const struct rt_launch *launch);
/* Handles the end of a launch with STATUS. If the kernel has faulted, stores the error, and the
 * next call that waits returns it. */
cudaError_t rt_end_launch(struct emu_device *device, const struct rt_launch *launch,
                          enum emu_status status);
/* The kinds of memory between which COPY, which must be legal, copies. Page-locked memory counts as
 * host memory, managed memory as device memory. */
struct rt_route {
    bool from_host, to_host;
    bool is_pageable; /* source or target is host memory that is not page-locked */
    uint64_t bytes;
    /* address on the host; the source, if both source and target are on the host */
    const void *host;
};
struct rt_route rt_copy_route(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
/* Return whether COPY is legal, and whether its source (first function) or its target (second
 * function) is host memory that is not page-locked. */
bool rt_copies_from_pageable(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
bool rt_copies_to_pageable(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
size_t rt_copy_width(const struct cudaMemcpy3DParms *copy); /* returns bytes per row */
/* Finds the kernel of LAUNCH. Fails if the launch cannot run. */
cudaError_t rt_check_launch(struct emu_device *device, const struct rt_launch *launch,
                            struct rt_function **function);

/* Return which bytes COPY or FILL has accessed, on the device and in memory that the host shares
 * with the device. They leave out host memory that is not page-locked, because the API function
 * returns only after it has used this memory. The caller frees the result. Before the call, *WAITS
 * must say whether the name of the API function does not end with Async. Afterwards, it says
 * whether the API function waits for the work. */
struct emu_touch *rt_copy_touches(struct emu_device *device, const struct cudaMemcpy3DParms *copy,
                                  size_t *count, bool *waits);
struct emu_touch *rt_fill_touches(const struct cudaMemsetParams *fill, size_t *count, bool *waits);

/* Return a work item that copies HEIGHT rows of WIDTH bytes, or SIZE bytes. */
struct rt_work rt_work_of_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t width, size_t height, enum cudaMemcpyKind kind);
struct rt_work rt_work_of_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);

/* Make a work item that copies COUNT bytes to or from the variable SYMBOL, starting at OFFSET
 * (symbols.c). */
cudaError_t rt_work_to_symbol(struct rt_work *work, const void *symbol, const void *from,
                              size_t count, size_t offset, enum cudaMemcpyKind kind);
cudaError_t rt_work_from_symbol(struct rt_work *work, void *to, const void *symbol, size_t count,
                                size_t offset, enum cudaMemcpyKind kind);

/* --- queue.c: work that waits for a parked launch --------------------------------------------- */

/* The properties of a stream that decide whether one work item waits for another. */
struct rt_order {
    uint64_t stream; /* unique number of the stream */
    /* the legacy default stream; it waits for blocking streams, and they wait for it */
    bool is_legacy;
    bool is_blocking;
};
struct rt_order rt_stream_order(cudaStream_t stream); /* defined in stream.c */

/* Runs WORK now or, if it must wait for other work, queues it. */
cudaError_t rt_queue(struct emu_device *device, cudaStream_t stream, const struct rt_work *work);
/* Resumes parked launches, because memory that they poll may have changed. */
void rt_resume_parked(void);
/* If recording EVENT must wait, queues it and returns the id of the new item. Otherwise returns
 * 0. */
uint64_t rt_queue_record(cudaStream_t stream, cudaEvent_t event);
/* Makes later work in STREAM wait for item ID of the queue, which records EVENT. */
cudaError_t rt_queue_wait(cudaStream_t stream, uint64_t id, cudaEvent_t event);

/* Wait for all queued items, for those that new work in STREAM must wait for, or for one item. */
void rt_finish_all(void);
void rt_finish_stream(cudaStream_t stream);
void rt_finish_item(uint64_t id);
/* Resume all items. Return whether new work in STREAM would have to wait, or whether item ID is
 * still in the queue. */
bool rt_is_stream_busy(cudaStream_t stream);
bool rt_is_item_queued(uint64_t id);

/* Returns whether items are queued and the program has only one thread. Without queued items,
 * returns false without a system call: a launch that waits for the program can then be parked. */
bool rt_waits_alone(void);

#endif
