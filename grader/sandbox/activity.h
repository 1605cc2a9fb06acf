/* Finds out whether the processes of a run have work to do. */
#ifndef SANDBOX_ACTIVITY_H
#define SANDBOX_ACTIVITY_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns whether a thread of ROOT, or of a process that it has started, uses or waits for a CPU.
 * Also returns true if the kernel gives no such information. */
bool activity_of(pid_t root);

#endif
