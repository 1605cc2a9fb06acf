/* The GPU installed in this machine, if CUDA programs can use one. */
#ifndef GRADE_INSTALLED_GPU_H
#define GRADE_INSTALLED_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* Asks the CUDA driver. True: NAME is the first GPU's name, such as "NVIDIA H100 80GB HBM3". False:
 * NAME says in a few words why there is none. */
bool installed_gpu_find(char *name, size_t size);

/* The architecture of the GPU found, as nvcc calls it: "sm_90"; "" if none was found. nvcc's own
 * -arch=native would start the driver again, within the compiler's limits. */
const char *installed_gpu_arch(void);

/* Waits for a turn on the GPU: ALONE for a program that is timed, otherwise together with others
 * that are not. Only this kit's gradings take turns; other programs may run at any time. Returns a
 * turn for installed_gpu_unlock(). Does not wait if the lock files in build/ cannot be opened. */
int installed_gpu_lock(bool alone);
void installed_gpu_unlock(int turn);

#endif
