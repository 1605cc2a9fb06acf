/* If the device predicts when work runs, these functions tell it in which stream work has run, and
 * which work must come before it (emu_step() in gpu/device.h). The device then maintains the
 * timeline.
 *
 *   rt_queue()              rt_time_work(), after the work has run
 *   cudaEventRecord()       rt_time_event()
 *   cudaStreamSynchronize() rt_time_waits_stream()
 *
 * If the device does not predict this, the functions do nothing. */
#ifndef GPU_CUDART_TIMING_H
#define GPU_CUDART_TIMING_H

#include "gpu/cudart/work.h"

/* Records that WORK has run in the stream of ORDER. BLOCKS says that the API function has no stream
 * and waits, like cudaMemcpy(). */
void rt_time_work(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                  bool blocks);
/* Records a step about EVENT: the stream of ORDER records it or waits for it, the host waits for
 * it, or the event is destroyed. */
void rt_time_event(enum emu_step_type type, struct rt_order order, cudaEvent_t event);

/* Record that the host has waited for a stream, or for all work. */
void rt_time_waits_stream(cudaStream_t stream);
void rt_time_waits_all(void);

/* Sets *MILLISECONDS to the predicted time between two recorded events. Returns false if there is
 * no predicted time. */
bool rt_time_between(cudaEvent_t start, cudaEvent_t end, float *milliseconds);

/* Writes the timeline to the record when the program ends. */
void rt_time_finish(void);

#endif
