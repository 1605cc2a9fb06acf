/* Finds this copy of Lanewise, and the programs that come with it.
 *
 * A kit works in any folder, whether it was built there or unpacked there from a package of `make
 * dist`. Its programs are in FOLDER/build/, so they find FOLDER from their own path. The paths in
 * config.h are those of the machine that built the kit. Those that point into the kit are adapted
 * to FOLDER. */
#ifndef BASE_KIT_H
#define BASE_KIT_H

#include "base/files.h"

#include <stdbool.h>

/* Returns the kit's folder, which has labs/, shared/ and build/, as an absolute path without a
 * final slash. */
const char *kit_folder(void);

/* Formats a path inside the kit's folder. Returns false if it does not fit. */
bool kit_path(char path[PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return the path of nvcc, and the folder of its toolkit. Either `make setup` has found them, or
 * they are in the package. If they no longer exist, the functions search for nvcc in $CUDA_HOME, in
 * the PATH and in /usr/local/cuda. */
const char *kit_nvcc(void);
const char *kit_cuda_home(void);
/* Returns whether `make setup` has tested the compiler that kit_nvcc() returns. */
bool kit_nvcc_is_checked(void);

/* If the kit's package has its own host compiler and sandbox program, returns their folder. Returns
 * NULL if this kit uses those of the system. */
const char *kit_tools(void);
/* Returns the folder with the libraries of the programs in kit_tools() and of the kit's runtime
 * library. Returns NULL if kit_tools() is NULL. */
const char *kit_libraries(void);

/* Sets PATH to the path of NAME, a file or folder that is kept from one run of a program to the
 * next. It is in the kit's FOLDER, such as "build". If the user may not write there, it is in
 * lanewise/ of the user's cache ($XDG_CACHE_HOME or ~/.cache). Returns false if the path does not
 * fit. */
bool kit_kept_path(char path[PATH_SIZE], const char *folder, const char *name);

/* PATH is the path of a program of a kit. Replaces it by the folder of this kit. Used by
 * kit_folder(). Returns false if PATH is not in a kit's build/. */
bool kit_of_program(char path[PATH_SIZE]);

#endif
