/* Long launches: a line says where they are, and Ctrl-C stops them with a finding. */
#ifndef GPU_EXECUTE_WATCH_H
#define GPU_EXECUTE_WATCH_H

#include "gpu/execute/launch.h"

struct warp;

/* Called when a launch begins to run, and when it has ended or is parked. */
void watch_begin(struct launch *launch);
void watch_end(void);

/* Called after each slice of a warp. */
void watch_slice(struct warp *warp);

/* Stops all launches that run. False: none does. A signal handler may call it. */
bool watch_interrupt(void);

#endif
