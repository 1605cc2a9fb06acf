/* The walls around what strangers wrote: submissions, and the compiler while it reads them.
 *
 *     process_run --> fork --> sandbox_enter -+--> bubblewrap --> program      own namespaces
 *                                              +--> Landlock   --> program      where those are refused
 *                                              +--> program                     only with --unsafe
 *
 * Whatever the level, the sandbox says which files there are: the system's programs and libraries,
 * and the few that the caller names. Levels differ in how that is enforced, and in what else the
 * program still sees of the machine: the table in sandbox.c lists it. */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the weakest; the order counts. */
enum sandbox_level {
    SANDBOX_NONE,           /* a process with limits, and no more */
    SANDBOX_CONFINED,       /* Landlock or another user, and a seccomp filter */
    SANDBOX_NAMESPACES,     /* bubblewrap: own files, processes, network; a seccomp filter */
    SANDBOX_NAMESPACES_USER /* the same, as a user of its own: where the grader is root */
};

struct sandbox {
    enum sandbox_level level;
    const char *folder;      /* its working directory */
    const char *const *read; /* files and folders that it may read and execute; NULL-terminated */
    const char *const *keep; /* files in FOLDER, which exist: all that it may change, and that stays
                                when it has ended; NULL-terminated */
    uint64_t
        scratch_bytes;  /* > 0: it may also make files in FOLDER, in namespaces this many bytes */
    unsigned processes; /* threads count too */
    bool forks;  /* may start other processes: a compiler, which sees neither Thrust nor CUB */
    bool gpu;    /* sees the GPU */
    bool shares; /* may make memory that it shares with another: the server of a device */
    bool bare;   /* sees nothing of the system: a program that needs no library */
};

/* "confined". */
const char *sandbox_level_name(enum sandbox_level level);
/* False: there is no level of this name. */
bool sandbox_level_find(const char *name, enum sandbox_level *level);
/* What it protects, in a few words, for people. */
const char *sandbox_level_protects(enum sandbox_level level);

/* The best level that works on this machine: tried out when first asked for, which takes some 20 ms.
 * $LANEWISE_SANDBOX may name a lower one as the highest to be tried. WHY (SIZE bytes) says why there
 * is no better one, with what to do about it; "" if there is none. */
enum sandbox_level sandbox_best_level(char *why, size_t size);

/* What execve() takes. */
struct sandbox_start {
    const char *const *argv, *const *environment; /* argv[0] is the path */
};

/* For process_run, after fork, with no descriptors but the first few (sandbox_parts.h): puts this process
 * into the SANDBOX, as far as it can be before START is executed, and makes START what is then to be
 * executed instead. False: errno says why. Memory must not be limited before. With namespaces
 * bubblewrap may still fail after that; what it writes to its status descriptor tells: see
 * sandbox_began(). */
bool sandbox_enter(const struct sandbox *sandbox, struct sandbox_start *start);

/* True if the status that bubblewrap wrote, NUL-terminated, says that the program itself was started. */
bool sandbox_began(const struct sandbox *sandbox, const char *status);

/* The signal that ended the program, if CODE is how the sandbox told so; otherwise 0. */
int sandbox_signal(const struct sandbox *sandbox, int code);

/* After the end: gives the folder and the kept files back to the grader's own user. */
void sandbox_end(const struct sandbox *sandbox);

#endif
