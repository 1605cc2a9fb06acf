/* Where this copy of Lanewise is, and what it brings along.
 *
 * A kit works in any folder: a tree that was built there, or a package of `make dist` that was
 * unpacked there. Its programs are in FOLDER/build/, so they find FOLDER from their own path. The
 * paths that config.h names are those of the machine that built the kit; those inside its tree move
 * with it. */
#ifndef BASE_KIT_H
#define BASE_KIT_H

#include "base/files.h"

#include <stdbool.h>

/* Returns the kit's folder, which has labs/, shared/ and build/; an absolute path without a final
 * slash. */
const char *kit_folder(void);

/* Formats a path inside the kit's folder. False if it does not fit. */
bool kit_path(char path[PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* nvcc, and the folder of its toolkit: those that set-up found, or those in the package. If they
 * are gone, nvcc in $CUDA_HOME, in the PATH or in /usr/local/cuda. */
const char *kit_nvcc(void);
const char *kit_cuda_home(void);
/* Returns whether kit_nvcc() is the one that set-up checked. */
bool kit_nvcc_is_checked(void);

/* Returns the folder of the package's own host compiler and sandbox program, or NULL if this kit
 * uses the system's. */
const char *kit_tools(void);
/* Their folder of libraries, which the kit's runtime library needs, too; NULL as above. */
const char *kit_libraries(void);

/* Makes the path of NAME, a file or folder that programs keep between runs. It is in FOLDER of the
 * kit, such as "build", or in lanewise/ of the user's cache ($XDG_CACHE_HOME or ~/.cache) if the
 * user may not write into FOLDER. False if the path does not fit. */
bool kit_kept_path(char path[PATH_SIZE], const char *folder, const char *name);

/* For kit_folder(): the folder of the kit whose program is at PATH, in place. Returns false if PATH
 * is not in a kit's build/. */
bool kit_of_program(char path[PATH_SIZE]);

#endif
