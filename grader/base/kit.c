/* Finds the parts of the kit. Each result is computed once per process. */
#include "base/kit.h"

#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD_FOLDER "/build/"

bool kit_of_program(char path[PATH_SIZE])
{
    char marker[PATH_SIZE], *end = NULL;
    /* take the last match, because a kit may be inside another kit's build/ */
    for (char *at = path, *next; (next = strstr(at, BUILD_FOLDER)); at = next + 1) {
        *next = '\0';
        if (base_path(marker, "%s/shared/lab.h", path) && access(marker, R_OK) == 0)
            end = next;
        *next = '/';
    }
    if (end)
        *end = '\0';
    return end != NULL;
}

const char *kit_folder(void)
{
    static char folder[PATH_SIZE];
    if (folder[0])
        return folder;
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    if (!kit_of_program(folder))
        snprintf(folder, sizeof folder, "%s", LANEWISE_ROOT);
    return folder;
}

bool kit_path(char path[PATH_SIZE], const char *format, ...)
{
    char rest[PATH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(rest, sizeof rest, format, arguments);
    va_end(arguments);
    return length >= 0 && length < PATH_SIZE && base_path(path, "%s/%s", kit_folder(), rest);
}

/* --- the compiler ----------------------------------------------------------------------------- */

/* CONFIGURED is a path on the machine that built the kit. If it was inside of the kit there, sets
 * PATH to the corresponding path in this kit. Otherwise copies CONFIGURED to PATH. */
static void move_with_kit(const char *configured, char path[PATH_SIZE])
{
    size_t length = strlen(LANEWISE_ROOT);
    bool inside = strncmp(configured, LANEWISE_ROOT, length) == 0 && configured[length] == '/';
    if (!inside || !kit_path(path, "%s", configured + length + 1))
        snprintf(path, PATH_SIZE, "%s", configured);
}

/* Sets PATH to FOLDER/NAME. Returns whether this is a program that can be run. FOLDER has LENGTH
 * bytes. */
static bool has_nvcc(const char *folder, size_t length, const char *name, char path[PATH_SIZE])
{
    return length > 0 && base_path(path, "%.*s/%s", (int)length, folder, name) &&
           access(path, X_OK) == 0;
}

static bool find_nvcc(char path[PATH_SIZE])
{
    static const char usual[] = "/usr/local/cuda";
    const char *home = getenv("CUDA_HOME") ?: "", *places = getenv("PATH") ?: "";
    if (has_nvcc(home, strlen(home), "bin/nvcc", path))
        return true;
    for (size_t length; *places; places += length + (places[length] == ':')) {
        length = strcspn(places, ":");
        if (has_nvcc(places, length, "nvcc", path))
            return true;
    }
    return has_nvcc(usual, strlen(usual), "bin/nvcc", path);
}

const char *kit_nvcc(void)
{
    static char nvcc[PATH_SIZE];
    char found[PATH_SIZE];
    if (nvcc[0])
        return nvcc;
    move_with_kit(LANEWISE_NVCC, nvcc);
    if (access(nvcc, X_OK) != 0 && find_nvcc(found))
        memcpy(nvcc, found, sizeof nvcc);
    return nvcc;
}

bool kit_nvcc_is_checked(void)
{
    char configured[PATH_SIZE];
    move_with_kit(LANEWISE_NVCC, configured);
    return strcmp(configured, kit_nvcc()) == 0;
}

const char *kit_cuda_home(void)
{
    static char home[PATH_SIZE];
    char program[PATH_SIZE];
    if (home[0])
        return home;
    move_with_kit(LANEWISE_CUDA_HOME, home);
    if (access(home, R_OK) == 0 || !realpath(kit_nvcc(), program))
        return home;
    for (int part = 0; part < 2 && strrchr(program, '/'); ++part) /* removes "/bin/nvcc" */
        *strrchr(program, '/') = '\0';
    /* If nvcc is a script in somebody's bin/, this folder may be that person's home, which the
     * sandbox would make visible. So make sure that it is a CUDA toolkit. */
    char header[PATH_SIZE];
    if (base_path(header, "%s/include/cuda_runtime.h", program) && access(header, R_OK) == 0)
        memcpy(home, program, sizeof home);
    return home;
}

const char *kit_tools(void)
{
    static char tools[PATH_SIZE];
    if (!tools[0] && !kit_path(tools, "build/tools"))
        return NULL;
    return access(tools, R_OK) == 0 ? tools : NULL;
}

const char *kit_libraries(void)
{
    static char libraries[PATH_SIZE];
    if (!kit_tools() || !base_path(libraries, "%s/lib", kit_tools()))
        return NULL;
    return libraries;
}

/* --- files that programs keep between runs ---------------------------------------------------- */

/* Creates the folder lanewise/ in the user's cache, and sets PATH to it. */
static bool make_own(char path[PATH_SIZE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char parent[PATH_SIZE];
    bool named = cache && cache[0] == '/';
    if (!named && !(home && home[0] == '/'))
        return false;
    if (!base_path(parent, "%s%s", named ? cache : home, named ? "" : "/.cache") ||
        !base_path(path, "%s/lanewise", parent))
        return false;
    mkdir(parent, 0700);
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool kit_kept_path(char path[PATH_SIZE], const char *folder, const char *name)
{
    char in[PATH_SIZE], own[PATH_SIZE];
    if (!kit_path(in, "%s", folder))
        return false;
    bool shared = access(in, W_OK) != 0 && make_own(own);
    return base_path(path, "%s/%s", shared ? own : in, name);
}
