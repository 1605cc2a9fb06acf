/* Predicts the timeline of a program's work (see emu_step() in gpu/device.h). The caller serialises
 * the calls that use a struct schedule. */
#ifndef GPU_DEVICE_SCHEDULE_H
#define GPU_DEVICE_SCHEDULE_H

#include "gpu/device.h"
#include "gpu/ptx/module.h"

struct schedule;

/* Opens a schedule, which writes the timeline to DEVICE's record. CHIP must outlive the schedule.
 * Returns NULL when out of memory. */
struct schedule *schedule_open(struct emu_device *device, const struct emu_chip *chip);
void schedule_close(struct schedule *schedule); /* accepts NULL */

/* Records that a launch of the kernel NAME has ended on this thread. schedule_predicted() adds the
 * predicted time of the launch and of each grid that its kernel launched. SHARE is the share of the
 * multiprocessors that the launch uses. */
void schedule_launched(struct schedule *schedule, struct ptx_name name);
void schedule_predicted(double us, double share);

void schedule_step(struct schedule *schedule, const struct emu_step *step);
/* Simulates the timeline until event NUMBER is recorded. Returns the event's time in
 * microseconds. */
double schedule_event_time(struct schedule *schedule, uint64_t number);

#endif
