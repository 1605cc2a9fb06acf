/* Is there a GPU that CUDA programs can use here? */
#ifndef GRADE_INSTALLED_GPU_H
#define GRADE_INSTALLED_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* Asks the driver. True: NAME is the first GPU's name, such as "NVIDIA H100 80GB HBM3".
 * False: NAME says in a few words why there is none. */
bool installed_gpu_find(char *name, size_t size);

/* The machine language of the GPU found, as nvcc calls it: "sm_90". "" if none was found.
 * Why not nvcc's -arch=native: it starts the driver again, inside the compiler's limits. */
const char *installed_gpu_arch(void);

/* Waits for a turn on the GPU: ALONE, for a program that is timed, or beside others that are not. Gradings
 * of this kit take turns; what else runs there is not known. Returns what ends the turn; if the files in
 * build/ that keep the order cannot be opened, nobody waits. */
int installed_gpu_lock(bool alone);
void installed_gpu_unlock(int turn);

#endif
