/* Lists the files that are visible in a sandbox. If there are no namespaces, uses Landlock to
 * restrict a process to these files.
 *
 * A Landlock rule can only allow access to a folder as a whole, and cannot exclude parts. So if a
 * system folder contains the kit, or a folder that is hidden from compilers, its other entries are
 * allowed one by one. */
#include "sandbox/parts.h"

#include "base/kit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALTERNATIVES "/etc/alternatives" /* some links in /usr/bin, such as c++, lead there */

const char *const *sandbox_system(void)
{
    static const char *paths[] = {"/bin",    "/sbin", "/lib",       "/lib32",           "/lib64",
                                  "/libx32", "/usr",  ALTERNATIVES, "/etc/ld.so.cache", NULL,
                                  NULL,      NULL,    NULL};
    paths[9] = kit_cuda_home();
    paths[10] = kit_tools(); /* if this is NULL, it ends the list */
    paths[11] = kit_libraries();
    return paths;
}

bool sandbox_wants(const struct sandbox *sandbox, const char *path)
{
    bool for_compilers = strcmp(path, ALTERNATIVES) == 0; /* a GPU's driver needs this path, too */
    if (kit_tools() && strcmp(path, kit_tools()) == 0)
        return sandbox->forks;
    if (kit_libraries() && strcmp(path, kit_libraries()) == 0)
        return !sandbox->forks && !sandbox->bare;
    return !sandbox->bare && (!for_compilers || sandbox->forks || sandbox->gpu);
}

const char *const sandbox_devices[] = {"/dev/null", "/dev/urandom", NULL};

void sandbox_each_gpu_device(void (*visit)(const char *path, void *context), void *context)
{
    glob_t found;
    if (glob("/dev/nvidia*", 0, NULL, &found) == 0) {
        glob("/dev/dxg", GLOB_APPEND, NULL, &found); /* the GPU under Windows (WSL) */
        for (size_t i = 0; i < found.gl_pathc; ++i)
            visit(found.gl_pathv[i], context);
        globfree(&found);
    }
}

static void visit_without_links(const char *named, void (*visit)(const char *, void *),
                                void *context)
{
    char path[PATH_MAX];
    if (realpath(named, path))
        visit(path, context);
}

void sandbox_each_hidden(void (*visit)(const char *path, void *context), void *context)
{
    /* not patterns, because the path of CUDA's folder may contain '[' or '*' */
    static const char *const own[] = {"thrust", "cub", "cccl/thrust", "cccl/cub"};
    static const char *const patterns[] = {
        "/usr/local/cuda*/targets/*/include/{,cccl/}{thrust,cub}",
        "/usr/include/{thrust,cub}",
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
        char path[PATH_SIZE];
        if (base_path(path, "%s/include/%s", kit_cuda_home(), own[i]))
            visit_without_links(path, visit, context);
    }
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        glob_t found;
        if (glob(patterns[i], GLOB_BRACE, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc; ++k)
            visit_without_links(found.gl_pathv[k], visit, context);
        globfree(&found);
    }
}

bool sandbox_lies_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

/* --- Landlock --------------------------------------------------------------------------------- */

/* Access rights of newer kernels, which the headers of Debian 12 do not define yet. */
#define ACCESS_TRUNCATE  (1ull << 14) /* since version 3 of Landlock */
#define ACCESS_IOCTL_DEV (1ull << 15) /* since version 5 of Landlock */
struct ruleset {
    /* `ports` needs version 4 of Landlock, `scopes` needs version 6 */
    uint64_t files, ports, scopes;
};

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RUNNING (READING | LANDLOCK_ACCESS_FS_EXECUTE)
#define WRITING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE)
#define MAKING                                                                                     \
    (RUNNING | WRITING | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |            \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR)
#define OF_FILES                                                                                   \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |   \
     ACCESS_TRUNCATE | ACCESS_IOCTL_DEV)

enum { MOST_HIDDEN = 16 };

struct rules {
    int fd;
    uint64_t known; /* the access rights that this kernel knows */
    char *hidden[MOST_HIDDEN];
    size_t hidden_count;
};

static bool open_rules(struct rules *rules)
{
    long version = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return false;
    unsigned bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    struct ruleset ruleset = {.files = (1ull << bits) - 1, .ports = 3, .scopes = 3};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    rules->known = ruleset.files;
    rules->fd = (int)syscall(__NR_landlock_create_ruleset, &ruleset, size, 0);
    return rules->fd >= 0;
}

/* Allows ACCESS to PATH and everything below it. If PATH does not exist, does nothing. */
static void allow(const struct rules *rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access & rules->known};
    struct stat status;
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0)
        return;
    if (fstat(rule.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode))
        rule.allowed_access &= OF_FILES;
    syscall(__NR_landlock_add_rule, rules->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void note_hidden(const char *path, void *context)
{
    struct rules *rules = context;
    if (rules->hidden_count < MOST_HIDDEN)
        rules->hidden[rules->hidden_count++] =
            strdup(path); /* never freed, because this process soon executes another program */
}

/* Returns whether PATH, which contains no links, is hidden. Sets *PARTLY to whether something
 * inside PATH is hidden. */
static bool is_hidden(const struct rules *rules, const char *path, bool *partly)
{
    bool hidden = false;
    *partly = false;
    for (size_t i = 0; i < rules->hidden_count; ++i) {
        *partly |= sandbox_lies_in(rules->hidden[i], path);
        hidden |= strcmp(path, rules->hidden[i]) == 0;
    }
    return hidden;
}

/* Allows a system folder, but not its hidden parts. Resolves links first, because a link could lead
 * to a hidden part. */
static void allow_system(const struct rules *rules, const char *named)
{
    struct dirent *entry;
    char path[PATH_MAX], child[2 * PATH_MAX];
    bool partly;
    if (!realpath(named, path) || is_hidden(rules, path, &partly))
        return;
    DIR *folder = partly ? opendir(path) : NULL;
    if (!folder) {
        allow(rules, path, RUNNING);
        return;
    }
    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            snprintf(child, sizeof child, "%s/%s", path, entry->d_name) < PATH_MAX)
            allow_system(rules, child);
    closedir(folder);
}

static void allow_device(const char *path, void *rules)
{
    allow(rules, path, WRITING | ACCESS_IOCTL_DEV | LANDLOCK_ACCESS_FS_READ_DIR);
}

static void allow_gpu(struct rules *rules)
{
    sandbox_each_gpu_device(allow_device, rules);
    allow(rules, "/sys", READING);
    allow(rules, "/proc/driver", READING);
    allow(rules, "/proc/devices", READING);
    allow(rules, "/proc/self", WRITING | READING);
    allow(rules, "/dev/shm", MAKING);
}

bool sandbox_landlock(const struct sandbox *sandbox)
{
    struct rules rules = {.hidden_count = 0};
    char root[PATH_MAX];
    if (!open_rules(&rules))
        return false;
    if (realpath(kit_folder(), root))
        note_hidden(root, &rules);
    if (sandbox->forks)
        sandbox_each_hidden(note_hidden, &rules);
    for (const char *const *path = sandbox_system(); *path; ++path)
        if (sandbox_wants(sandbox, *path))
            allow_system(&rules, *path);
    for (const char *const *path = sandbox_devices; *path; ++path)
        allow(&rules, *path, WRITING);
    for (const char *const *path = sandbox->read; *path; ++path)
        allow(&rules, *path, RUNNING);
    for (const char *const *path = sandbox->keep; *path; ++path)
        allow(&rules, *path, WRITING);
    if (sandbox->scratch_bytes)
        allow(&rules, sandbox->folder, MAKING);
    if (sandbox->gpu)
        allow_gpu(&rules);
#ifdef LANEWISE_PRELOAD
    allow(&rules, "/proc/self", READING); /* sanitizers need it to find the stack */
#endif
    bool done = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                syscall(__NR_landlock_restrict_self, rules.fd, 0) == 0;
    close(rules.fd);
    return done;
}
