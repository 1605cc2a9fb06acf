/* Reports on long launches: a line says where the launch is, and Ctrl-C stops it with a finding. */
#ifndef GPU_EXECUTE_HEARTBEAT_H
#define GPU_EXECUTE_HEARTBEAT_H

#include "gpu/execute/launch.h"

struct warp;

/* Begin and end the reports. Call them when a launch begins to run, and when it has ended or is
 * parked. */
void heartbeat_begin(struct launch *launch);
void heartbeat_end(void);

/* Checks whether a line is due. Call it after each slice of a warp. */
void heartbeat_slice(struct warp *warp);

/* Stops all running launches. Returns false if no launch is running. A signal handler may call
 * it. */
bool heartbeat_interrupt(void);

#endif
