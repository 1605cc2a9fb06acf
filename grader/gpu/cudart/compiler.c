/* gcc, which nvcc needs, too, makes a shared library of a text: from a file that exists only in memory into another
 * one. One compiler runs at a time. Where there is none, nothing is compiled. */
#include "gpu/cudart/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;
static atomic_int compiler; /* its process while it runs, or 0 */

/* A program that ends does not leave its compiler behind. */
__attribute__((destructor)) static void stop_compiler(void)
{
    int pid = atomic_load(&compiler);
    if (pid)
        kill(-pid, SIGTERM);
}

/* From the text in FROM to a shared library in TO. */
static bool run(int from, int to)
{
    char output[32];
    const char *words[] = {"gcc",
                           "-x",
                           "c",
                           "-",
                           "-o",
                           output,
                           "-shared",
                           "-fPIC",
                           "-std=gnu11",
                           "-w",
                           "-O2", /* -O3 takes as long, and is slower */
                           "-ftree-vectorize",
                           "-fvect-cost-model=dynamic",
                           "-march=native",
                           "-mprefer-vector-width=512",
                           "-fno-tree-slp-vectorize",
                           "-fno-tree-loop-distribute-patterns",
                           "-fno-strict-aliasing",
                           "-ffp-contract=off",
                           "-fno-trapping-math",
                           "-fno-math-errno",
                           "-fvisibility=default",
                           "-lm",
                           NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t pid;
    int status = -1;
    snprintf(output, sizeof output, "/proc/%d/fd/%d", (int)getpid(), to);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    char *environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
    bool began =
        posix_spawnp(&pid, words[0], &files, &attributes, (char *const *)words, environment) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (!began)
        return false;
    atomic_store(&compiler, pid);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    atomic_store(&compiler, 0);
    return status == 0;
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);
        if (n <= 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/* Its file stays open: the name is the number's, and a name means the library that was loaded by it first. */
struct library {
    void *handle;
    int file;
};

static void unload(void *opaque)
{
    struct library *library = opaque;
    if (library->handle)
        dlclose(library->handle);
    if (library->file >= 0)
        close(library->file);
    free(library);
}

static void *load(struct library *library, const char *name)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", library->file);
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library->handle ? dlsym(library->handle, name) : NULL;
}

static void *compile(const char *text, size_t size, const char *name, void **opaque)
{
    struct library *library = malloc(sizeof *library);
    void *function = NULL;
    int from = memfd_create("lanewise-kernel.c", MFD_CLOEXEC);
    if (library)
        *library = (struct library){NULL, memfd_create("lanewise-kernel.so", MFD_CLOEXEC)};
    if (library && library->file >= 0 && from >= 0 && write_all(from, text, size)) {
        pthread_mutex_lock(&compiling);
        bool ok = run(from, library->file);
        pthread_mutex_unlock(&compiling);
        function = ok ? load(library, name) : NULL;
    }
    if (from >= 0)
        close(from);
    if (library && !function)
        unload(library);
    *opaque = function ? library : NULL;
    return function;
}

const struct emu_compiler compiler_of_machine = {compile, unload};
