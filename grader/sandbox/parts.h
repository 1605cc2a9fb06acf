/* Declares functions that are used only by sandbox.c. All of them run in the child process, after
 * fork(). */
#ifndef SANDBOX_PARTS_H
#define SANDBOX_PARTS_H

#include "sandbox/sandbox.h"

#define SANDBOX_STATUS_FD 5 /* descriptor to which bubblewrap writes its status (see process.c) */
#define SANDBOX_FILTER_FD 6

/* --- visible_files.c: the files in a sandbox -------------------------------------------------- */

/* Returns a NULL-terminated list of the system's files and folders that compilers and programs
 * need. Not all of them exist on every system. */
const char *const *sandbox_system(void);
/* Returns whether SANDBOX needs PATH, an entry of sandbox_system(). Other entries are left out to
 * save time. */
bool sandbox_wants(const struct sandbox *sandbox, const char *path);
/* NULL-terminated list of the paths of harmless devices. */
extern const char *const sandbox_devices[];

/* Calls VISIT for each device file of a GPU. */
void sandbox_each_gpu_device(void (*visit)(const char *path, void *context), void *context);
/* Calls VISIT for each folder that must be hidden from compilers, because its headers solve the
 * labs. The paths contain no symbolic links. */
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
/* Writes the filter in binary form to SANDBOX_FILTER_FD, from which bubblewrap reads it. */
bool sandbox_filter_write(const struct sandbox *sandbox);

/* --- bubblewrap.c ----------------------------------------------------------------------------- */

/* Makes sandbox_bubblewrap() return the next bubblewrap program. This is tried because the system's
 * bubblewrap may be too old, and the system may not allow the bubblewrap in the kit's package to
 * run. Returns false if there are no more programs. */
bool sandbox_other_bubblewrap(void);
/* Changes START so that it starts bubblewrap, which then starts the program that was in START. On
 * failure returns false with the reason in errno. */
bool sandbox_wrap(const struct sandbox *sandbox, struct sandbox_start *start);

#endif
