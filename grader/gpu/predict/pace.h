/* The clocks that a kernel reads, if the program asked for predicted time.
 *
 * A prediction is made when a launch has ended, but a clock is read before. So each warp of a
 * kernel with clocks is followed by the model as it goes: sm.c executes its instructions, each as
 * soon as its operands are ready, with the caches' latencies, and warps wait for each other at
 * barriers. But each warp goes as if no other warp took any unit away from it: a clock shows
 * latencies, not the competition of warps. All blocks begin with the launch. */
#ifndef GPU_PREDICT_PACE_H
#define GPU_PREDICT_PACE_H

#include "gpu/chips.h"
#include "gpu/predict/footprint.h"
#include "gpu/predict/walk.h"

struct pace;

/* For one worker of LAUNCH. Returns NULL when out of memory. */
struct pace *pace_new(const struct launch_view *launch, const struct emu_chip *chip,
                      const struct l2 *l2);
void pace_free(struct pace *pace); /* NULL is allowed */

/* As an observer's functions. */
void pace_step(struct pace *pace, const struct obs_step *step);
void pace_access(struct pace *pace, const struct obs_access *access);
void pace_ended(struct pace *pace, uint64_t cta);

/* Cycles of the warp since the launch began. */
double pace_now(struct pace *pace, uint64_t cta, uint32_t warp);

#endif
