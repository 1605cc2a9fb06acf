/* Long launches: a line says where they are, and Ctrl-C stops them with a finding. */
#ifndef GPU_EXECUTE_HEARTBEAT_H
#define GPU_EXECUTE_HEARTBEAT_H

#include "gpu/execute/launch.h"

struct warp;

/* To be called when a launch begins to run, and when it has ended or is parked. */
void heartbeat_begin(struct launch *launch);
void heartbeat_end(void);

/* To be called after each slice of a warp. */
void heartbeat_slice(struct warp *warp);

/* Stops all running launches. Returns false if no launch is running. A signal handler may call
 * it. */
bool heartbeat_interrupt(void);

#endif
