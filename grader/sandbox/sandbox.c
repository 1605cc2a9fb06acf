/* Chooses the level and the user of a sandbox, and lets a process enter it.
 *
 * If the grader is root, it runs every program as a separate user, as whom no other process runs at
 * that time. So a limit on the user's processes affects only this program. Even without namespaces,
 * the program then cannot open files of the grader or of another submission. */
#include "sandbox/sandbox.h"

#include "base/files.h"
#include "sandbox/parts.h"
#include "sandbox/process.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* User ids that systemd also uses for temporary users. No person has such an id. */
#define FIRST_USER 61184
#define USERS      4336

static const struct level {
    const char *name, *protects;
    bool for_root;    /* only root can use it */
    const char *lack; /* what this level does not protect, compared with the best level */
} levels[] = {
    [SANDBOX_NONE] = {"none", "the limits of a process", false,
                      "no namespaces, no Landlock, no seccomp"},
    [SANDBOX_CONFINED] = {"confined", "Landlock or another user, seccomp, limits", false,
                          "no namespaces: programs see the machine's processes and users"},
    [SANDBOX_NAMESPACES] = {"namespaces", "bubblewrap's namespaces, seccomp, limits", false,
                            "no separate user: root's threads cannot be limited"},
    [SANDBOX_NAMESPACES_USER] = {"namespaces-user",
                                 "bubblewrap's namespaces, a separate user, seccomp, limits", true,
                                 ""},
};
#define LEVELS (sizeof levels / sizeof *levels)

const char *sandbox_level_name(enum sandbox_level level)
{
    return levels[level].name;
}

const char *sandbox_level_protects(enum sandbox_level level)
{
    return levels[level].protects;
}

bool sandbox_level_find(const char *name, enum sandbox_level *level)
{
    for (size_t i = 0; i < LEVELS; ++i)
        if (strcmp(levels[i].name, name) == 0) {
            *level = (enum sandbox_level)i;
            return true;
        }
    return false;
}

/* --- finding the best level ------------------------------------------------------------------- */

/* Tries LEVEL by running an empty script with sh, which nvcc also needs. On failure returns false,
 * and WHY gets one line that describes the failure. If no folder can be created for the trial,
 * returns true; the next run then fails and reports this. */
static bool try_level(enum sandbox_level level, char *why, size_t size)
{
    static const char *const words[] = {"/bin/sh", "-c", "exit 0", NULL};
    static const char *const none[] = {NULL};
    char folder[PATH_SIZE];
    struct process_outcome outcome;
    if (!base_private_folder(folder))
        return true;
    struct sandbox sandbox = {.level = level,
                              .folder = folder,
                              .read = none,
                              .keep = none,
                              /* needs the option --size of newer bubblewraps */
                              .scratch_bytes = 1 << 16,
                              .processes = 64};
    struct process_command command = {.argv = words,
                                      .folder = folder,
                                      .wall_seconds = 5,
                                      .output_keep = 300,
                                      .output_limit = 4096,
                                      .sandbox = &sandbox};
    process_run(&command, &outcome);
    bool good =
        outcome.end == PROCESS_INTERRUPTED || (outcome.end == PROCESS_EXITED && outcome.code == 0);
    if (!good)
        snprintf(why, size, "%s",
                 outcome.end == PROCESS_NOT_STARTED ? process_start_error(&outcome)
                                                    : "a trial run of /bin/sh failed");
    process_outcome_free(&outcome);
    base_remove_tree(folder);
    return good;
}

/* Tries LEVEL with each available bubblewrap program until one works. */
static bool works(enum sandbox_level level, char *why, size_t size)
{
    bool good = try_level(level, why, size);
    while (!good && level >= SANDBOX_NAMESPACES && sandbox_other_bubblewrap())
        good = try_level(level, why, size);
    return good;
}

static enum sandbox_level highest(void)
{
    const char *name = getenv("LANEWISE_SANDBOX");
    enum sandbox_level level = SANDBOX_NAMESPACES_USER;
    if (name && *name)
        sandbox_level_find(name, &level);
    return level;
}

/* Returns whether this process is in a container of Docker or Podman. By default, they do not allow
 * namespaces. */
static bool in_container(void)
{
    return getenv("container") || access("/.dockerenv", F_OK) == 0 ||
           access("/run/.containerenv", F_OK) == 0;
}

/* Sets WHY to the reason why FOUND is the best level that works. TROUBLE describes the failure of
 * the next higher level. */
static void explain(enum sandbox_level found, const char *trouble, char *why, size_t size)
{
    bool best = found == SANDBOX_NAMESPACES_USER || (found == SANDBOX_NAMESPACES && geteuid() != 0);
    if (best)
        why[0] = 0;
    else if (highest() == found)
        snprintf(why, size, "%s; LANEWISE_SANDBOX=%s allows no stronger level", levels[found].lack,
                 levels[found].name);
    else if (found < SANDBOX_NAMESPACES && !sandbox_bubblewrap())
        snprintf(why, size, "%s; install bubblewrap (run: make setup)", levels[found].lack);
    else if (found < SANDBOX_NAMESPACES && in_container())
        snprintf(why, size,
                 "%s; for a stronger sandbox in this container, start it with "
                 "--security-opt seccomp=unconfined --security-opt apparmor=unconfined",
                 levels[found].lack);
    else /* only the first sentence of bubblewrap's message: the rest refers to its manual */
        snprintf(why, size, "%s (%.*s)", levels[found].lack,
                 (int)(strstr(trouble, ". ") ? strstr(trouble, ". ") - trouble : 200), trouble);
}

enum sandbox_level sandbox_best_level(char *why, size_t size)
{
    static int found = -1;
    static char reason[400];
    char trouble[200] = "", last[200];
    if (found < 0) {
        for (found = (int)highest(); found > SANDBOX_NONE; --found) {
            if (levels[found].for_root && geteuid() != 0)
                continue;
            if (works((enum sandbox_level)found, last, sizeof last))
                break;
            memcpy(trouble, last, sizeof trouble);
        }
        explain((enum sandbox_level)found, trouble, reason, sizeof reason);
    }
    snprintf(why, size, "%s", reason);
    return (enum sandbox_level)found;
}

/* --- in the child: users ---------------------------------------------------------------------- */

/* Returns whether all folders on PATH can be entered by every user. */
static bool others_reach(const char *path)
{
    char part[PATH_SIZE];
    struct stat status;
    for (const char *at = path; (at = strchr(at + 1, '/'));) {
        if (at - path >= PATH_SIZE)
            return false;
        memcpy(part, path, (size_t)(at - path));
        part[at - path] = 0;
        if (stat(part, &status) != 0 || !(status.st_mode & S_IXOTH))
            return false;
    }
    return true;
}

/* Returns whether another user can reach all paths of the sandbox. Ignores paths in the sandbox's
 * folder, because the other user will own them. */
static bool all_reach(const struct sandbox *sandbox)
{
    for (const char *const *path = sandbox->read; *path; ++path)
        if (!sandbox_lies_in(*path, sandbox->folder) && !others_reach(*path))
            return false;
    return others_reach(sandbox->folder);
}

/* Makes USER the owner of the files in the sandbox's folder, and also of the folder if the program
 * may create files in it. */
static bool give(const struct sandbox *sandbox, uid_t user)
{
    for (const char *const *path = sandbox->read; *path; ++path)
        if (sandbox_lies_in(*path, sandbox->folder) && chown(*path, user, user) != 0)
            return false;
    for (const char *const *path = sandbox->keep; *path; ++path)
        if (chown(*path, user, user) != 0)
            return false;
    return !sandbox->scratch_bytes || chown(sandbox->folder, user, user) == 0;
}

/* Makes USER the user of this process, permanently. */
static bool become(uid_t user)
{
    pid_t parent = getppid();
    if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 ||
        setresuid(user, user, user) != 0)
        return false;
    /* set this again, because the change of user has cleared it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent;
}

/* Removes root's capabilities. After that, this process cannot access other users' files. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    /* without no_new_privs, an exec() would give the capabilities back to root */
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0;
}

/* Gives up the rights of root. Sets *OWN to whether this process runs as a separate user now. It
 * keeps its user if only root can enter the folder of the kit or of the compiler, or if it is in a
 * container without other users. */
static bool leave_root(const struct sandbox *sandbox, bool *own)
{
    uid_t user = FIRST_USER + (uid_t)(getpid() % USERS);
    *own = false;
    if (geteuid() != 0 || sandbox->level == SANDBOX_NAMESPACES)
        return true;
    bool reached = all_reach(sandbox);
    *own = reached && give(sandbox, user) && become(user);
    if (sandbox->level == SANDBOX_CONFINED)
        return *own || drop_capabilities();
    return *own || !reached;
}

/* --- in the child: the limit on processes ----------------------------------------------------- */

/* Returns the number of threads of all processes of this user, which RLIMIT_NPROC limits. */
static uint64_t count_threads(void)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    struct stat status;
    uint64_t count = 0;
    char path[280];
    while (folder && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "/proc/%s/task", entry->d_name);
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && stat(path, &status) == 0 &&
            status.st_uid == geteuid())
            /* the folder has ".", ".." and an entry for each thread */
            count += status.st_nlink - 2;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* Limits the number of processes. The limit applies to all threads of the user. OWN says that the
 * user has no other processes. */
static void limit_processes(const struct sandbox *sandbox, bool own)
{
    struct rlimit limits;
    limits.rlim_cur = limits.rlim_max = sandbox->processes + (own ? 0 : count_threads());
    setrlimit(RLIMIT_NPROC, &limits);
}

/* --- in the child: entering the sandbox ------------------------------------------------------- */

bool sandbox_enter(const struct sandbox *sandbox, struct sandbox_start *start)
{
    bool own = false;
    if (sandbox->level < SANDBOX_NAMESPACES)
        close(SANDBOX_STATUS_FD); /* this descriptor is only for bubblewrap */
    if (sandbox->level == SANDBOX_NONE)
        return true;
    if (!leave_root(sandbox, &own))
        return false;
    limit_processes(sandbox, own);
    if (sandbox->level >= SANDBOX_NAMESPACES)
        return sandbox_wrap(sandbox, start);
    if (!sandbox_landlock(sandbox) && !own) {
        errno = EOPNOTSUPP; /* the seccomp filter alone does not protect files */
        return false;
    }
    return sandbox_filter_install(sandbox);
}

/* --- in the parent ---------------------------------------------------------------------------- */

bool sandbox_began(const struct sandbox *sandbox, const char *status)
{
    return sandbox->level < SANDBOX_NAMESPACES || strstr(status, "exit-code");
}

int sandbox_signal(const struct sandbox *sandbox, int code)
{
    return sandbox->level >= SANDBOX_NAMESPACES && code > 128 ? code - 128 : 0;
}

void sandbox_end(const struct sandbox *sandbox)
{
    if (geteuid() != 0)
        return;
    for (const char *const *path = sandbox->keep; *path; ++path)
        if (lchown(*path, 0, 0) != 0)
            continue; /* the file no longer exists, which the code that reads it will report */
    if (lchown(sandbox->folder, 0, 0) != 0)
        return;
}
