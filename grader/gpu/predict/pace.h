/* Predicts the values of clock(), clock64() and %globaltimer in a kernel, if the program requests
 * predicted time.
 *
 * The prediction of a launch's time is made after its end, but a clock is read while the kernel
 * runs. If a kernel reads clocks, this model therefore follows each of its warps during execution.
 * sm_execute.c executes each instruction as soon as its operands are ready, with the caches'
 * latencies, and warps wait for each other at barriers. But each warp runs as if no other warp used
 * any unit. So a clock shows latencies, but not the time that warps wait for a busy unit. All
 * blocks are assumed to begin when the launch starts. */
#ifndef GPU_PREDICT_PACE_H
#define GPU_PREDICT_PACE_H

#include "gpu/chips.h"
#include "gpu/predict/footprint.h"
#include "gpu/predict/walk.h"

struct pace;

/* Prepares the model for the warps that one worker thread of LAUNCH executes. Returns NULL when out
 * of memory. */
struct pace *pace_new(const struct launch_view *launch, const struct emu_chip *chip,
                      const struct l2 *l2);
void pace_free(struct pace *pace); /* accepts NULL */

/* Handle the events of an observer (observe/view.h). */
void pace_step(struct pace *pace, const struct obs_step *step);
void pace_access(struct pace *pace, const struct obs_access *access);
void pace_ended(struct pace *pace, uint64_t cta);

/* Returns the number of cycles from the start of the launch to the warp's latest instruction. */
double pace_now(struct pace *pace, uint64_t cta, uint32_t warp);

#endif
