/* The order check (ordercheck): finds work in streams, and accesses of the host, that touch the
 * same memory although nothing orders them. gpu/order/ decides what is ordered; gpu/cudart/order/
 * tells it about the program's calls. The functions below do nothing while no conflict is possible,
 * that is while there is only one stream and the host shares no memory with the device.
 *
 *   rt_queue()               work in a stream: rt_order_begin(), run it, rt_order_end()
 *   cudaStreamSynchronize()  rt_order_waits_stream(): the host has waited
 *   cudaStreamWaitEvent()    rt_order_stream_waits()
 *   a load by the host       memory in use is protected (order/guard.c), so the access
 *                           faults */
#ifndef GPU_CUDART_ORDER_H
#define GPU_CUDART_ORDER_H

#include "gpu/cudart/work.h"
#include "gpu/order/order.h"

/* --- work ------------------------------------------------------------------------------------- */

/* Work that runs between rt_order_begin() and rt_order_end(). */
struct rt_ordered {
    bool is_noted; /* the work takes part in the check */
    bool opened;   /* protected memory is accessible */
    struct order_stream stream;
    struct order_work work;
    struct order_clock host; /* clock of a host function */
    bool joins;              /* the host waits for this work */
};

/* Begins work. BLOCKS says that the call has no stream and waits, as cudaMemcpy() does. */
void rt_order_begin(struct rt_ordered *ordered, cudaStream_t stream, const struct rt_work *work,
                    bool blocks);
/* Ends work. HAS_RUN is false if the work failed, was queued or parked, or may be the signal for
 * which a parked kernel waits. In these cases, its accesses are not compared. */
void rt_order_end(struct rt_ordered *ordered, const struct rt_work *work, bool has_run);

/* Mark the time in which the library and the device access the program's memory for queued work. */
void rt_order_open(void);
void rt_order_close(void);

/* Reports the remaining conflicts when the program ends. */
void rt_order_finish(void);

/* Returns the accesses that a launch with these parameters must note (see emu_launch.touches). */
enum emu_touches rt_order_touches(const void *params, size_t size);

/* --- what orders work ------------------------------------------------------------------------- */

/* Record that the program has created a stream, or destroys it. */
void rt_order_new_stream(const struct rt_order *stream);
void rt_order_end_stream(const struct rt_order *stream);

void rt_order_record(cudaStream_t stream, struct order_clock *event);
void rt_order_stream_waits(cudaStream_t stream, const struct order_clock *event);
/* Record that the host has waited for work. */
void rt_order_waits_event(const struct order_clock *event);
void rt_order_waits_stream(cudaStream_t stream);
void rt_order_waits_all(void);

/* --- memory ----------------------------------------------------------------------------------- */

/* Record that the host and the device now share RANGE, or no longer do. */
void rt_order_share(const struct rt_range *range);
void rt_order_unshare(const struct rt_range *range);
/* Records that the program has a __managed__ variable. It is shared from the host's first use on,
 * which may be after kernels have used it. */
void rt_order_new_variable(void);
/* Record that work in STREAM has allocated RANGE, or frees it. */
void rt_order_allocates(cudaStream_t stream, const struct rt_range *range);
void rt_order_frees(cudaStream_t stream, const struct rt_range *range);
/* Records that the host frees RANGE by a call that does not promise to wait for work that uses the
 * memory. */
void rt_order_host_frees(const struct rt_range *range);
/* Records that RANGE is being freed, so its addresses are invalid from now on. */
void rt_order_forget(const struct rt_range *range);

#endif
