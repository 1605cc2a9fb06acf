/* Finds the GPU of this machine, if CUDA programs can use it. */
#ifndef GRADE_INSTALLED_GPU_H
#define GRADE_INSTALLED_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* Asks the CUDA driver for a GPU. Returns whether there is one. NAME gets the first GPU's name,
 * such as "NVIDIA H100 80GB HBM3", or else a few words that say why no GPU was found. */
bool installed_gpu_find(char *name, size_t size);

/* Returns the architecture of the GPU that installed_gpu_find() found, in nvcc's form, such as
 * "sm_90". Returns "" if it found none. The kit does not use nvcc's -arch=native, because nvcc
 * would start the driver again, under the limits of the compiler's process. */
const char *installed_gpu_arch(void);

/* Locks the GPU for this process. If ALONE is true, the lock is exclusive, for a program that is
 * timed; otherwise processes share the GPU. Waits until the lock is free. Returns the lock, for
 * installed_gpu_unlock(), or -1 at once if the lock files in build/ cannot be opened. Only gradings
 * by this kit use the lock; other programs can use the GPU at any time. */
int installed_gpu_lock(bool alone);
void installed_gpu_unlock(int lock);

#endif
