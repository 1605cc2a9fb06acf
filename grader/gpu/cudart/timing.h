/* If the device predicts when work would run on a GPU, these functions inform it of the work that
 * has run: in which stream it ran, and which work must come before it (emu_step() in gpu/device.h).
 * The device maintains a timeline of these steps. Without such predictions, the functions do
 * nothing.
 *
 *   rt_queue()              rt_time_work(), after the work has run
 *   cudaEventRecord()       rt_time_event()
 *   cudaStreamSynchronize() rt_time_waits_stream() */
#ifndef GPU_CUDART_TIMING_H
#define GPU_CUDART_TIMING_H

#include "gpu/cudart/work.h"

/* Records that WORK has run in the stream of ORDER. BLOCKS says that the API function has no stream
 * argument and waits for the work, like cudaMemcpy(). */
void rt_time_work(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                  bool blocks);
/* Records a step for EVENT: it is recorded in the stream of ORDER, this stream or the host waits
 * for it, or it is destroyed. */
void rt_time_event(enum emu_step_type type, struct rt_order order, cudaEvent_t event);

/* Record that the host has waited for a stream, or for all work. */
void rt_time_waits_stream(cudaStream_t stream);
void rt_time_waits_all(void);

/* Sets *MILLISECONDS to the predicted time between two events. Returns false if it was not
 * predicted. */
bool rt_time_between(cudaEvent_t start, cudaEvent_t end, float *milliseconds);

/* Writes the timeline to the record. Called when the program ends. */
void rt_time_finish(void);

#endif
