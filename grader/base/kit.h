/* Finds this copy of Lanewise, and the programs that come with it.
 *
 * A kit works in any folder: a tree that was built there, or a package of `make dist` that was
 * unpacked there. Its programs are in FOLDER/build/, so they find FOLDER from their own path. The
 * paths in config.h are those of the machine that built the kit. Paths inside the kit's tree move
 * with the kit. */
#ifndef BASE_KIT_H
#define BASE_KIT_H

#include "base/files.h"

#include <stdbool.h>

/* Returns the kit's folder, which has labs/, shared/ and build/, as an absolute path without a
 * final slash. */
const char *kit_folder(void);

/* Formats a path inside the kit's folder. Returns false if it does not fit. */
bool kit_path(char path[PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return the path of nvcc, and the folder of its toolkit. `make setup` found them, or the package
 * contains them. If they no longer exist, the functions look for nvcc in $CUDA_HOME, in the PATH
 * and in /usr/local/cuda. */
const char *kit_nvcc(void);
const char *kit_cuda_home(void);
/* Returns whether `make setup` has checked the compiler that kit_nvcc() returns. */
bool kit_nvcc_is_checked(void);

/* Returns the folder of the package's own host compiler and sandbox program, or NULL if this kit
 * uses the system's. */
const char *kit_tools(void);
/* Returns the folder of the libraries that the programs in kit_tools() and the kit's runtime
 * library need, or NULL if kit_tools() is NULL. */
const char *kit_libraries(void);

/* Sets PATH to the path of NAME, a file or folder that programs keep between runs. PATH is in
 * FOLDER of the kit, such as "build", or in lanewise/ of the user's cache ($XDG_CACHE_HOME or
 * ~/.cache) if the user may not write into FOLDER. Returns false if the path does not fit. */
bool kit_kept_path(char path[PATH_SIZE], const char *folder, const char *name);

/* Replaces PATH, the path of a program, by the folder of its kit. Used by kit_folder(). Returns
 * false if PATH is not in a kit's build/. */
bool kit_of_program(char path[PATH_SIZE]);

#endif
