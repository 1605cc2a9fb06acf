/* Finds out whether the processes of a sandboxed program are busy. */
#ifndef SANDBOX_ACTIVITY_H
#define SANDBOX_ACTIVITY_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns whether a thread of ROOT, or of a process started by ROOT, uses or waits for a CPU or a
 * disk. Returns true if the kernel gives no such information. */
bool activity_of(pid_t root);

#endif
