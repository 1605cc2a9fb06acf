/* What a sandbox is made of: for sandbox.c alone. All of it runs in the child, after fork. */
#ifndef SANDBOX_PARTS_H
#define SANDBOX_PARTS_H

#include "sandbox/sandbox.h"

#define SANDBOX_STATUS_FD 5 /* bubblewrap's answer, see process_run() */
#define SANDBOX_FILTER_FD 6

/* --- sandbox_files.c: what of the file system there is ---------------------------------------------- */

/* Folders and files of the system that compilers and programs need; NULL-terminated. Absent ones are
 * skipped. */
extern const char *const sandbox_system[];
/* Whether PATH, one of these, is for the SANDBOX: each costs time. */
bool sandbox_wants(const struct sandbox *sandbox, const char *path);
/* Devices that do no harm. */
extern const char *const sandbox_devices[];

/* Calls VISIT for each device file of a GPU. */
void sandbox_each_gpu_device(void (*visit)(const char *path, void *context), void *context);
/* Calls VISIT for each folder that compilers shall not see: headers that do what labs ask for. The paths have
 * no links in them. */
void sandbox_each_hidden(void (*visit)(const char *path, void *context), void *context);
/* True if PATH lies in FOLDER, or is it. */
bool sandbox_lies_in(const char *path, const char *folder);

/* Restricts this process, for good, to the sandbox's files. False: there is no Landlock here. */
bool sandbox_landlock(const struct sandbox *sandbox);

/* --- sandbox_calls.c: which system calls there are -------------------------------------------------- */

/* For this process, for good. False: errno. */
bool sandbox_filter_install(const struct sandbox *sandbox);
/* As a program for bubblewrap, to be read from SANDBOX_FILTER_FD. */
bool sandbox_filter_write(const struct sandbox *sandbox);

/* --- sandbox_bubblewrap.c ------------------------------------------------------------------------- */

/* Where bubblewrap is; NULL: nowhere. */
const char *sandbox_bubblewrap(void);
/* Makes START bubblewrap, which will start what it was. False: errno. */
bool sandbox_wrap(const struct sandbox *sandbox, struct sandbox_start *start);

#endif
