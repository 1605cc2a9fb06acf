/* Protects the machine from untrusted code: from submissions, and from the compiler while it
 * compiles them.
 *
 *     process_run --> fork --> sandbox_enter -+--> bubblewrap --> program   own namespaces
 *                                             +--> Landlock   --> program   without namespaces
 *                                             +--> program                  only with --unsafe
 *
 * At every level, a sandbox has a list of the files that the program can see: the system's programs
 * and libraries, and the few files that the caller names. The levels differ in how they enforce
 * this list, and in which other parts of the machine the program can see (see the table in
 * sandbox.c). */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The levels, from the weakest to the strongest; the code compares their order. */
enum sandbox_level {
    SANDBOX_NONE,     /* a process with limits, and no other protection */
    SANDBOX_CONFINED, /* Landlock or another user, and a seccomp filter */
    /* bubblewrap, which gives the program its own files, processes and network; a seccomp filter */
    SANDBOX_NAMESPACES,
    /* the same as SANDBOX_NAMESPACES, but as another user, which only root can do */
    SANDBOX_NAMESPACES_USER
};

struct sandbox {
    enum sandbox_level level;
    const char *folder; /* the program's working directory */
    /* files and folders that the program may read and execute; NULL-terminated */
    const char *const *read;
    /* existing files in FOLDER, NULL-terminated; the program may change only these files, and they
     * remain after the run */
    const char *const *keep;
    /* if not 0, the program may create files in FOLDER; with namespaces, this limits their total
     * size */
    uint64_t scratch_bytes;
    unsigned processes; /* maximum number of processes, including threads */
    /* the program may start processes, as compilers do; Thrust and CUB are then hidden from it */
    bool forks;
    bool gpu;    /* the program sees the GPU */
    bool shares; /* the program may create shared memory; only the device's server needs it */
    bool bare;   /* the program sees no system files; it is statically linked, so it needs none */
};

/* Returns the name of LEVEL, such as "confined". */
const char *sandbox_level_name(enum sandbox_level level);
/* Finds the level of this name. Returns false if there is none. */
bool sandbox_level_find(const char *name, enum sandbox_level *level);
/* Returns a few words that tell users how LEVEL protects the machine. */
const char *sandbox_level_protects(enum sandbox_level level);

/* Returns the best level that works on this machine. The first call tries the levels, which takes
 * about 20 ms. $LANEWISE_SANDBOX may name the highest level to try. WHY (SIZE bytes) says why no
 * better level works, and what the user can do about it, or is "" if this is the best of all
 * levels. */
enum sandbox_level sandbox_best_level(char *why, size_t size);

/* Returns the path of the bubblewrap program, or NULL if there is none. After sandbox_best_level(),
 * it is the program that worked. */
const char *sandbox_bubblewrap(void);
/* Makes this process use the bubblewrap program that another process has found. If PATH is "",
 * searches again. */
void sandbox_set_bubblewrap(const char *path);

/* The arguments of execve(). */
struct sandbox_start {
    const char *const *argv, *const *environment; /* argv[0] is the path */
};

/* Puts this process into SANDBOX, except for what only bubblewrap can do: with namespaces, changes
 * START so that it starts bubblewrap, which does the rest. process_run() calls this function in the
 * child after fork; the only open descriptors are then those that parts.h lists. On failure returns
 * false with the reason in errno. Memory must not be limited yet. Even if this succeeds, bubblewrap
 * can still fail (see sandbox_began()). */
bool sandbox_enter(const struct sandbox *sandbox, struct sandbox_start *start);

/* Returns whether STATUS, the NUL-terminated text that bubblewrap wrote, says that it started the
 * program. */
bool sandbox_began(const struct sandbox *sandbox, const char *status);

/* Returns the number of the signal that ended the program, or 0 if no signal did. CODE is the exit
 * code of the sandbox: bubblewrap exits with 128 plus the signal's number. */
int sandbox_signal(const struct sandbox *sandbox, int code);

/* After the program's end, gives the folder and the kept files back to the grader's user. */
void sandbox_end(const struct sandbox *sandbox);

#endif
