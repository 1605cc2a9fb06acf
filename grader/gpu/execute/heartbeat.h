/* Reports the progress of long launches: a line says which thread runs and which instruction it
 * executes. Ctrl-C stops a launch and reports this as a finding. */
#ifndef GPU_EXECUTE_HEARTBEAT_H
#define GPU_EXECUTE_HEARTBEAT_H

#include "gpu/execute/launch.h"

struct warp;

/* Begin and end the progress reports. Call heartbeat_begin() when a launch begins to run, and
 * heartbeat_end() when it has ended or is parked. */
void heartbeat_begin(struct launch *launch);
void heartbeat_end(void);

/* Prints a progress line if it is due, and checks for Ctrl-C. Call this after each slice of a
 * warp. */
void heartbeat_slice(struct warp *warp);

/* Stops all running launches. Returns false if no launch is running. Signal handlers may call this
 * function. */
bool heartbeat_interrupt(void);

#endif
