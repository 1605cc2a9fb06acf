/* Protects the machine from untrusted code: from submissions, and from the compiler while it
 * compiles them.
 *
 *     process_run --> fork --> sandbox_enter -+--> bubblewrap --> program   own namespaces
 *                                             +--> Landlock   --> program   without namespaces
 *                                             +--> program                  only with --unsafe
 *
 * At every level, a sandbox has a list of the files that the program can see: the system's programs
 * and libraries, and the few files that the caller lists. The levels differ in how they enforce
 * this list, and in the other parts of the machine that the program can reach (see the table in
 * sandbox.c). */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The levels, from the weakest to the strongest. The code relies on this order. */
enum sandbox_level {
    SANDBOX_NONE,     /* a process with limits, and no other protection */
    SANDBOX_CONFINED, /* Landlock or a separate user, and a seccomp filter */
    /* bubblewrap, which gives the program its own file system, processes and network; and a seccomp
     * filter */
    SANDBOX_NAMESPACES,
    /* the same as SANDBOX_NAMESPACES, but as a separate user; only for root */
    SANDBOX_NAMESPACES_USER
};

struct sandbox {
    enum sandbox_level level;
    const char *folder; /* the program's working directory */
    /* NULL-terminated list of files and folders that the program may read and execute */
    const char *const *read;
    /* NULL-terminated list of existing files in FOLDER; the program may change these files and no
     * others, and they remain after the run */
    const char *const *keep;
    /* if not 0, the program may create files in FOLDER; with namespaces, this is the limit of their
     * total size */
    uint64_t scratch_bytes;
    unsigned processes; /* maximum number of processes and threads */
    /* the program may start processes, as compilers do; Thrust and CUB are then hidden from it */
    bool forks;
    bool gpu;    /* the program sees the GPU */
    bool shares; /* the program may create shared memory, which only the device's server needs */
    /* the program is statically linked and sees no system files, because it needs none */
    bool bare;
};

/* Returns the name of LEVEL, such as "confined". */
const char *sandbox_level_name(enum sandbox_level level);
/* Finds the level with this name. Returns false if there is none. */
bool sandbox_level_find(const char *name, enum sandbox_level *level);
/* Returns a few words for users about how LEVEL protects the machine. */
const char *sandbox_level_protects(enum sandbox_level level);

/* Returns the best level that works on this machine. The first call tries the levels, which takes
 * about 20 ms. $LANEWISE_SANDBOX can name the highest level to try. WHY (SIZE bytes) gets the
 * reason why no better level works, and what the user can do about it, or "" if there is no better
 * level. */
enum sandbox_level sandbox_best_level(char *why, size_t size);

/* Returns the path of the bubblewrap program, or NULL if there is none. After sandbox_best_level(),
 * it is the program that worked. */
const char *sandbox_bubblewrap(void);
/* Makes this process use the bubblewrap program that another process has found. If PATH is "", this
 * process searches again. */
void sandbox_set_bubblewrap(const char *path);

/* The arguments of execve(). */
struct sandbox_start {
    const char *const *argv, *const *environment; /* argv[0] is the path of the program */
};

/* Puts this process into SANDBOX. With namespaces, changes START so that it starts bubblewrap,
 * which does a part of the work. process_run() calls this function in the child after fork(), when
 * only the descriptors in parts.h are open. On failure returns false with the reason in errno.
 * Memory must not be limited yet. Even after success, bubblewrap can fail later (see
 * sandbox_began()). */
bool sandbox_enter(const struct sandbox *sandbox, struct sandbox_start *start);

/* Returns whether bubblewrap has started the program. STATUS is the NUL-terminated text that
 * bubblewrap wrote to the status pipe. */
bool sandbox_began(const struct sandbox *sandbox, const char *status);

/* Returns the signal that ended the program, or 0 if none did. CODE is the exit code of the
 * sandbox. bubblewrap exits with 128 plus the number of the signal. */
int sandbox_signal(const struct sandbox *sandbox, int code);

/* After the program has ended, makes the grader's user the owner of the folder and the kept files
 * again. */
void sandbox_end(const struct sandbox *sandbox);

#endif
