/* Declares functions that only sandbox.c uses. All of them run in the child, after fork. */
#ifndef SANDBOX_PARTS_H
#define SANDBOX_PARTS_H

#include "sandbox/sandbox.h"

#define SANDBOX_STATUS_FD 5 /* the descriptor for bubblewrap's status (see process.c) */
#define SANDBOX_FILTER_FD 6

/* --- visible_files.c: the files that exist in a sandbox --------------------------------------- */

/* Returns a NULL-terminated list of the system's files and folders that compilers and programs
 * need. Some of them may not exist. */
const char *const *sandbox_system(void);
/* Returns whether SANDBOX needs PATH, an entry of sandbox_system(). Entries that are not needed are
 * left out to save time. */
bool sandbox_wants(const struct sandbox *sandbox, const char *path);
/* The paths of harmless devices, NULL-terminated. */
extern const char *const sandbox_devices[];

/* Calls VISIT for each device file of a GPU. */
void sandbox_each_gpu_device(void (*visit)(const char *path, void *context), void *context);
/* Calls VISIT for each folder that compilers must not see, because its headers solve the labs. The
 * paths contain no symbolic links. */
void sandbox_each_hidden(void (*visit)(const char *path, void *context), void *context);
/* Returns whether PATH is in FOLDER, or is FOLDER. */
bool sandbox_lies_in(const char *path, const char *folder);

/* Restricts this process to the sandbox's files, permanently. Returns false if this kernel has no
 * Landlock. */
bool sandbox_landlock(const struct sandbox *sandbox);

/* --- system_calls.c: the seccomp filter ------------------------------------------------------- */

/* Installs the filter in this process, permanently. On failure returns false with the reason in
 * errno. */
bool sandbox_filter_install(const struct sandbox *sandbox);
/* Writes the filter as a program, which bubblewrap reads from SANDBOX_FILTER_FD. */
bool sandbox_filter_write(const struct sandbox *sandbox);

/* --- bubblewrap.c ----------------------------------------------------------------------------- */

/* Makes sandbox_bubblewrap() return another program. The system's bubblewrap may be too old, and
 * the system may forbid the bubblewrap in the kit's package to run. Returns false if there is no
 * other program. */
bool sandbox_other_bubblewrap(void);
/* Changes START so that it starts bubblewrap, which then starts the original program. On failure
 * returns false with the reason in errno. */
bool sandbox_wrap(const struct sandbox *sandbox, struct sandbox_start *start);

#endif
