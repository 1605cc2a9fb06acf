/* Builds bubblewrap's command line.
 *
 * The program sees a file system that bubblewrap creates for this run. Everything in it is
 * read-only, except the files in `keep` and, for some programs, a scratch folder of limited size.
 * There is no home folder, no /proc, and no shared /tmp. Of the kit's files, only those that the
 * caller lists exist. Paths inside are the same as outside. */
#include "sandbox/parts.h"

#include "base/kit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_WORDS 400

struct words {
    const char *list[MAX_WORDS];
    size_t count;
};

/* Appends all arguments up to a NULL. If there are too many words, the command line is incomplete
 * and bubblewrap fails. */
static void add(struct words *words, ...)
{
    va_list arguments;
    const char *word;
    va_start(arguments, words);
    while ((word = va_arg(arguments, const char *)) && words->count + 1 < MAX_WORDS)
        words->list[words->count++] = word;
    va_end(arguments);
}

/* Returns VALUE as text. The text is never freed, because this process soon executes another
 * program. */
static const char *number(uint64_t value)
{
    char *text;
    return asprintf(&text, "%llu", (unsigned long long)value) < 0 ? "" : text;
}

/* number of bubblewrap programs that sandbox_other_bubblewrap() has rejected so far */
static size_t passed_over;
static char chosen[PATH_SIZE]; /* set by sandbox_set_bubblewrap() */

void sandbox_set_bubblewrap(const char *path)
{
    snprintf(chosen, sizeof chosen, "%s", path);
}

const char *sandbox_bubblewrap(void)
{
    static char own[PATH_SIZE];
    static const char *const places[] = {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap",
                                         own};
    if (chosen[0])
        return chosen;
    if (!kit_path(own, "build/tools/bin/bwrap"))
        own[0] = '\0';
    for (size_t i = passed_over; i < sizeof places / sizeof *places; ++i)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

bool sandbox_other_bubblewrap(void)
{
    size_t before = passed_over;
    const char *now = sandbox_bubblewrap(), *next = now;
    while (next && strcmp(next, now) == 0) {
        ++passed_over;
        next = sandbox_bubblewrap();
    }
    if (!next)
        passed_over = before;
    return next;
}

/* Adds the system's folders. If such a folder is a link, such as /bin to /usr/bin, creates the same
 * link in the sandbox. */
static void add_system(struct words *words, const struct sandbox *sandbox)
{
    for (const char *const *path = sandbox_system(); *path; ++path) {
        struct stat status;
        char *target = calloc(1, 4096);
        /* a folder in /usr, such as CUDA's, is visible already */
        bool comes_along = strncmp(*path, "/usr/", 5) == 0;
        if (comes_along || !sandbox_wants(sandbox, *path) || lstat(*path, &status) != 0 || !target)
            continue;
        if (S_ISLNK(status.st_mode) && readlink(*path, target, 4095) > 0)
            add(words, "--symlink", target, *path, NULL);
        else
            add(words, "--ro-bind", *path, *path, NULL);
    }
    if (!sandbox_lies_in(kit_folder(), "/usr"))
        return;
    add(words, "--size", "65536", "--tmpfs", kit_folder(), NULL); /* hides the kit */
    if (sandbox_lies_in(kit_cuda_home(), kit_folder()))
        add(words, "--ro-bind", kit_cuda_home(), kit_cuda_home(), NULL);
    const char *brought = sandbox->forks ? kit_tools() : kit_libraries();
    if (brought)
        add(words, "--ro-bind", brought, brought, NULL);
}

/* Returns whether PATH is in a system folder, and so visible already. Binding it a second time
 * would fail if PATH contains a link. */
static bool has_system(const struct sandbox *sandbox, const char *path)
{
    if (sandbox->bare || sandbox_lies_in(path, kit_folder()))
        return false;
    for (const char *const *folder = sandbox_system(); *folder; ++folder)
        if (sandbox_lies_in(path, *folder))
            return true;
    return false;
}

/* Hides the folder PATH: mounts an empty folder over it. */
static void hide(const char *path, void *words)
{
    char *copy = strdup(path);
    if (copy)
        add(words, "--size", "65536", "--tmpfs", copy, "--remount-ro", copy, NULL);
}

static void add_device(const char *path, void *words)
{
    char *copy = strdup(path);
    if (copy)
        add(words, "--dev-bind", copy, copy, NULL);
}

static void add_gpu(struct words *words)
{
    sandbox_each_gpu_device(add_device, words);
    add(words, "--proc", "/proc", "--ro-bind", "/sys", "/sys", "--size", "1073741824", "--tmpfs",
        "/dev/shm", NULL);
}

static void add_files(struct words *words, const struct sandbox *sandbox)
{
    if (!sandbox->bare)
        add_system(words, sandbox);
    if (sandbox->forks)
        sandbox_each_hidden(hide, words);
    for (const char *const *path = sandbox_devices; *path; ++path)
        add(words, "--dev-bind", *path, *path, NULL);
    if (sandbox->gpu)
        add_gpu(words);
#ifdef LANEWISE_PRELOAD
    add(words, "--proc", "/proc", NULL); /* sanitizers need it to find the stack */
#endif
    if (sandbox->scratch_bytes)
        add(words, "--size", number(sandbox->scratch_bytes), "--tmpfs", sandbox->folder, NULL);
    else
        add(words, "--dir", sandbox->folder, NULL);
    for (const char *const *path = sandbox->read; *path; ++path)
        if (!has_system(sandbox, *path))
            add(words, "--ro-bind", *path, *path, NULL);
    for (const char *const *path = sandbox->keep; *path; ++path)
        add(words, "--bind", *path, *path, NULL);
    if (!sandbox->bare && sandbox_lies_in(kit_folder(), "/usr"))
        add(words, "--remount-ro", kit_folder(), NULL);
    add(words, "--remount-ro", "/", "--chdir", sandbox->folder, NULL);
}

/* Sets the program's environment by options. bubblewrap's own environment is empty, so that a
 * preloaded library affects only the program. */
static void add_environment(struct words *words, const char *const *environment)
{
    for (; *environment; ++environment) {
        const char *equals = strchr(*environment, '=');
        char *name = equals ? strndup(*environment, (size_t)(equals - *environment)) : NULL;
        if (name)
            add(words, "--setenv", name, equals + 1, NULL);
    }
}

bool sandbox_wrap(const struct sandbox *sandbox, struct sandbox_start *start)
{
    static struct words words;
    static const char *const empty[] = {NULL};
    const char *bubblewrap = sandbox_bubblewrap();
    if (!bubblewrap) {
        errno = ENOENT;
        return false;
    }
    if (!sandbox_filter_write(sandbox))
        return false;
    add(&words, bubblewrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc",
        "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL", "--uid",
        "1000", "--gid", "1000", "--hostname", "lanewise", "--json-status-fd",
        number(SANDBOX_STATUS_FD), "--seccomp", number(SANDBOX_FILTER_FD), NULL);
    add_files(&words, sandbox);
    add_environment(&words, start->environment);
    add(&words, "--", NULL);
    for (const char *const *word = start->argv; *word; ++word)
        add(&words, *word, NULL);
    words.list[words.count] = NULL;
    *start = (struct sandbox_start){words.list, empty};
    return true;
}
