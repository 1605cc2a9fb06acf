/* The parts of a sandbox, for sandbox.c only. All functions run in the child, after fork. */
#ifndef SANDBOX_PARTS_H
#define SANDBOX_PARTS_H

#include "sandbox/sandbox.h"

#define SANDBOX_STATUS_FD 5 /* bubblewrap writes its status there: see process_run() */
#define SANDBOX_FILTER_FD 6

/* --- visible_files.c: the files that exist in a sandbox -------------------------------------------- */

/* Folders and files of the system that compilers and programs need; NULL-terminated. Some may be missing. */
extern const char *const sandbox_system[];
/* Whether SANDBOX needs PATH, one of sandbox_system: each costs time. */
bool sandbox_wants(const struct sandbox *sandbox, const char *path);
/* Harmless devices; NULL-terminated. */
extern const char *const sandbox_devices[];

/* Calls VISIT for each device file of a GPU. */
void sandbox_each_gpu_device(void (*visit)(const char *path, void *context), void *context);
/* Calls VISIT for each folder that compilers must not see: headers that solve the labs. The paths have no
 * links in them. */
void sandbox_each_hidden(void (*visit)(const char *path, void *context), void *context);
/* Whether PATH lies in FOLDER, or is FOLDER. */
bool sandbox_lies_in(const char *path, const char *folder);

/* Restricts this process to the sandbox's files for good. False: this kernel has no Landlock. */
bool sandbox_landlock(const struct sandbox *sandbox);

/* --- system_calls.c: the seccomp filter ------------------------------------------------------------ */

/* Filters this process for good. False: errno. */
bool sandbox_filter_install(const struct sandbox *sandbox);
/* Writes the filter as a program, which bubblewrap reads from SANDBOX_FILTER_FD. */
bool sandbox_filter_write(const struct sandbox *sandbox);

/* --- bubblewrap.c --------------------------------------------------------------------------------- */

/* The path of bubblewrap; NULL: not installed. */
const char *sandbox_bubblewrap(void);
/* Changes START to bubblewrap, with START as its program. False: errno. */
bool sandbox_wrap(const struct sandbox *sandbox, struct sandbox_start *start);

#endif
