/* Work for a stream: a copy, a fill, a launch, a call of a host function. It is done at once, unless
 * the stream is being captured: then it becomes a node of a graph, and is done when that is launched; or unless
 * something before it waits for main(): see queue.c. */
#ifndef GPU_CUDART_WORK_H
#define GPU_CUDART_WORK_H

#include "gpu/cudart/rt.h"

struct rt_launch {
    const void *func; /* a stub's address or a cudaKernel_t */
    dim3 grid, block;
    size_t shared;
    bool cooperative; /* its blocks may wait for each other */
    void **args;
    const void *from; /* in the function that launches, if it says <<<...>>> */
    dim3 cluster;     /* blocks of a cluster; x is 0: what the kernel says */
};

/* What a fill sets: elements of 1, 2 or 4 bytes, rows that start a pitch apart. */
struct rt_work {
    enum cudaGraphNodeType type; /* ...Kernel, ...Memcpy, ...Memset, ...Host, ...Empty and so on */
    union {
        struct rt_launch kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaEvent_t event; /* ...EventRecord, ...WaitEvent */
        cudaGraph_t child; /* ...Graph */
        void *memory;      /* ...MemFree; what ...MemAlloc has allocated */
    };
};

/* --- work.c ---------------------------------------------------------------------------------------- */

/* Does it now; but for a graph in a graph. What comes after a kernel's fault is left undone by the callers below.
 * cudaErrorNotReady: the device has parked the launch, as emu_parked() tells. */
cudaError_t rt_run(struct emu_device *device, const struct rt_work *work);
/* Whether it could be done: as rt_run(), which then does nothing. */
cudaError_t rt_check_work(struct emu_device *device, const struct rt_work *work);
/* For STREAM: now, or into the graph that captures it. */
cudaError_t rt_submit(cudaStream_t stream, const struct rt_work *work);
/* Waits for all work before, then does it: the forms without a stream. */
cudaError_t rt_do(const struct rt_work *work);

/* --- one kind each ---------------------------------------------------------------------------------- */

cudaError_t rt_run_copy(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
cudaError_t rt_check_copy(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
cudaError_t rt_run_fill(struct emu_device *device, const struct cudaMemsetParams *fill);
cudaError_t rt_check_fill(struct emu_device *device, const struct cudaMemsetParams *fill);
cudaError_t rt_run_launch(struct emu_device *device, const struct rt_launch *launch);
/* The launch has ended with STATUS: a fault is told, and kept for who waits. */
cudaError_t rt_end_launch(struct emu_device *device, const struct rt_launch *launch,
                          enum emu_status status);
/* Of a copy that could be done: whether a side of it is the program's memory, and not page-locked; and the bytes
 * of a row. */
bool rt_copies_from_pageable(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
bool rt_copies_to_pageable(struct emu_device *device, const struct cudaMemcpy3DParms *copy);
size_t rt_copy_width(const struct cudaMemcpy3DParms *copy);
/* Whether the launch could run, before anything is done. */
cudaError_t rt_check_launch(struct emu_device *device, const struct rt_launch *launch,
                            struct rt_function **function);

/* Copies of HEIGHT rows of WIDTH bytes, and of SIZE bytes. */
struct rt_work rt_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t height, enum cudaMemcpyKind kind);
struct rt_work rt_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);

/* Copies to and from COUNT bytes of the variable SYMBOL, from OFFSET on. */
cudaError_t rt_symbol_to(struct rt_work *work, const void *symbol, const void *from, size_t count,
                         size_t offset, enum cudaMemcpyKind kind);
cudaError_t rt_symbol_from(struct rt_work *work, void *to, const void *symbol, size_t count,
                           size_t offset, enum cudaMemcpyKind kind);

/* --- queue.c: what streams have yet to do, as a parked launch holds them up ----------------------------- */

/* What a stream must come behind. */
struct rt_order {
    uint64_t stream; /* a name */
    bool is_legacy;  /* the default stream that waits for all blocking ones, and they for it */
    bool is_blocking;
};
struct rt_order rt_stream_order(cudaStream_t stream); /* stream.c */

/* Does WORK for STREAM, now or, behind what it must wait for, later. */
cudaError_t rt_queue(struct emu_device *device, cudaStream_t stream, const struct rt_work *work);
/* Something has been done that parked launches may wait for. */
void rt_settle(void);
/* The record of an event, if it must wait: its name, by which it can be waited for. 0: it need not. */
uint64_t rt_queue_record(cudaStream_t stream, cudaEvent_t event);
/* What STREAM does from now on comes behind the item of that name. */
cudaError_t rt_queue_wait(cudaStream_t stream, uint64_t name);

/* Wait for all, for what work in STREAM would wait for, for one item. None that is left: they return at once. */
void rt_finish_all(void);
void rt_finish_stream(cudaStream_t stream);
void rt_finish_item(uint64_t name);
/* Whether there is still something, once all has gone on as far as it can. */
bool rt_is_stream_busy(cudaStream_t stream);
bool rt_is_item_left(uint64_t name);

/* Whether the program has no other thread. Who cannot tell says no. */
bool rt_is_alone(void);

#endif
