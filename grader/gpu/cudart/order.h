/* The order check (ordercheck) finds accesses to the same memory, by work in streams or by the
 * host, that nothing orders. gpu/order/ decides what is ordered. gpu/cudart/order/ informs it of
 * the program's calls. While no conflict is possible, these functions do nothing: a conflict needs
 * two streams, or memory that the host shares with the device.
 *
 *   rt_queue()               work in a stream: rt_order_begin(), run it, rt_order_end()
 *   cudaStreamSynchronize()  rt_order_waits_stream(): the host has waited
 *   cudaStreamWaitEvent()    rt_order_stream_waits()
 *   a load by the host       faults if work in flight uses the memory, because its pages are
 *                            protected (order/guard.c) */
#ifndef GPU_CUDART_ORDER_H
#define GPU_CUDART_ORDER_H

#include "gpu/cudart/work.h"
#include "gpu/order/order.h"

/* --- work ------------------------------------------------------------------------------------- */

/* The data about one work item between rt_order_begin() and rt_order_end(). */
struct rt_ordered {
    bool is_noted; /* the order check includes this work */
    bool opened;   /* rt_order_begin() has made protected memory accessible */
    struct order_stream stream;
    struct order_work work;
    struct order_clock host; /* for a host function: the work that is ordered before it */
    bool joins;              /* the host waits for this work */
};

/* Begins WORK in STREAM. BLOCKS says that the API function has no stream argument and waits for the
 * work, like cudaMemcpy(). */
void rt_order_begin(struct rt_ordered *ordered, cudaStream_t stream, const struct rt_work *work,
                    bool blocks);
/* Ends WORK. Its accesses are compared with others only if HAS_RUN is true. It must be false if
 * the work failed, was queued or parked (work.h), or may be the signal for which a parked kernel
 * waits. */
void rt_order_end(struct rt_ordered *ordered, const struct rt_work *work, bool has_run);

/* The library must call rt_order_open() before, and rt_order_close() after, it or the device
 * accesses the program's memory for queued work. */
void rt_order_open(void);
void rt_order_close(void);

/* Reports the remaining conflicts. Called when the program ends. */
void rt_order_finish(void);

/* Returns which accesses of a launch with these PARAMS must be recorded (see
 * emu_launch.touches). */
enum emu_touches rt_order_touches(const void *params, size_t size);

/* --- events that order work ------------------------------------------------------------------- */

/* Record that the program has created a stream, or will destroy it. */
void rt_order_new_stream(const struct rt_order *stream);
void rt_order_end_stream(const struct rt_order *stream);

void rt_order_record(cudaStream_t stream, struct order_clock *event);
void rt_order_stream_waits(cudaStream_t stream, const struct order_clock *event);
/* Record that the host has waited for an event, a stream, or all work. */
void rt_order_waits_event(const struct order_clock *event);
void rt_order_waits_stream(cudaStream_t stream);
void rt_order_waits_all(void);

/* --- memory ----------------------------------------------------------------------------------- */

/* Record that the host and the device share RANGE from now on, or no longer share it. */
void rt_order_share(const struct rt_range *range);
void rt_order_unshare(const struct rt_range *range);
/* Records that the program has a __managed__ variable. The variable becomes shared memory when the
 * host first uses it. Kernels may have used it before. */
void rt_order_new_variable(void);
/* Record that work in STREAM has allocated RANGE, or will free it. */
void rt_order_allocates(cudaStream_t stream, const struct rt_range *range);
void rt_order_frees(cudaStream_t stream, const struct rt_range *range);
/* Records that the host frees RANGE by a call that does not always wait for work. */
void rt_order_host_frees(const struct rt_range *range);
/* Records that RANGE is being freed. From now on its addresses are invalid. */
void rt_order_forget(const struct rt_range *range);

#endif
