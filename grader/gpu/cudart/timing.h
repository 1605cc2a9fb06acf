/* Predicted times of the program's work (gpu/order/timeline.h), if the options name a chip. Then
 * each piece of work that has run is submitted to a timeline, in the order of the program's calls:
 * kernels with their predicted time (emu_predicted()), copies and fills with the chip's latency and
 * bandwidth. When the program ends, the record gets the timeline.
 *
 *   rt_queue()              rt_time_work(), after the work has run
 *   cudaEventRecord()       rt_time_record()
 *   cudaStreamWaitEvent()   rt_time_stream_waits()
 *   cudaStreamSynchronize() rt_time_waits_stream()
 *
 * Without a chip, these functions do nothing. */
#ifndef GPU_CUDART_TIMING_H
#define GPU_CUDART_TIMING_H

#include "gpu/cudart/work.h"
#include "gpu/order/timeline.h"

/* WORK in the stream of ORDER has run. BLOCKS: by a call without a stream, such as cudaMemcpy(). */
void rt_time_work(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                  bool blocks);
void rt_time_record(struct rt_order order, struct timeline_mark *mark);
void rt_time_stream_waits(struct rt_order order, const struct timeline_mark *mark);
void rt_time_forget(const struct timeline_mark *mark);

/* The host has waited: for an event, a stream, all work. */
void rt_time_waits(const struct timeline_mark *mark);
void rt_time_waits_stream(cudaStream_t stream);
void rt_time_waits_all(void);

/* Sets *MILLISECONDS to the predicted time between two recorded events. False: the program asked for
 * the emulator's time. */
bool rt_time_between(const struct timeline_mark *start, const struct timeline_mark *end,
                     float *milliseconds);

/* Appends the timeline to the record, when the program ends. */
void rt_time_finish(void);

#endif
