/* Asks the CUDA driver about the GPU. Loads the driver's library at run time, because the grader
 * must also start on machines without a driver. */
#include "grade/installed_gpu.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kit.h"
#include "sandbox/pool.h"

/* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR of cuda.h. */
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

static char arch[16];

const char *installed_gpu_arch(void)
{
    return arch;
}

/* Asks the driver about its first GPU, in a child process. Returns {"name", "arch"} or
 * {"error"}. */
static json_t *ask_driver(size_t i, void *context)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        return json_pack("{s:s}", "error", "no CUDA driver is installed");
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    int (*count_devices)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
    int (*get_name)(char *, int, int) = (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetName");
    int (*get_attribute)(int *, int, int) =
        (int (*)(int *, int, int))dlsym(driver, "cuDeviceGetAttribute");
    int count = 0, major = 0, minor = 0, error;
    char name[256];
    if (!init || !count_devices || !get_name || !get_attribute)
        return json_pack("{s:s}", "error", "libcuda.so.1 is not the CUDA driver");
    if ((error = init(0)) != 0)
        return json_pack("{s:o}", "error",
                         json_sprintf("the CUDA driver does not start (error %d)", error));
    if (count_devices(&count) != 0 || count == 0 || get_name(name, sizeof name, 0) != 0 ||
        get_attribute(&major, CAPABILITY_MAJOR, 0) != 0 ||
        get_attribute(&minor, CAPABILITY_MINOR, 0) != 0)
        return json_pack("{s:s}", "error", "the CUDA driver sees no GPU");
    return json_pack("{s:s, s:o}", "name", name, "arch", json_sprintf("sm_%d%d", major, minor));
}

/* Memory in which take_answer() stores the driver's answer. */
struct driver_answer {
    char *name;
    size_t size;
    bool found;
};

static bool take_answer(size_t i, const json_t *json, void *context)
{
    struct driver_answer *answer = context;
    const char *name = "the CUDA driver did not answer", *found_arch = "";
    answer->found =
        json_unpack((json_t *)json, "{s:s, s:s}", "name", &name, "arch", &found_arch) == 0;
    if (!answer->found)
        json_unpack((json_t *)json, "{s:s}", "error", &name);
    snprintf(answer->name, answer->size, "%s", name);
    snprintf(arch, sizeof arch, "%s", found_arch);
    return true;
}

/* Finds the GPU. Loads the driver in a child process, which then exits. If this process loaded it,
 * the driver's threads would receive our signals, and the driver would fail in processes that we
 * fork later. */
bool installed_gpu_find(char *name, size_t size)
{
    struct driver_answer answer = {.name = name, .size = size};
    struct process_pool pool = {
        .count = 1, .jobs = 1, .context = &answer, .work = ask_driver, .done = take_answer};
    snprintf(name, size, "interrupted");
    process_pool_run(&pool);
    return answer.found;
}

/* --- locking the GPU -------------------------------------------------------------------------- */

/* Opens a lock file of this machine. The file's name contains the host's name, because machines of
 * a cluster may share the folder, but must not wait for each other. If several users share a kit
 * into which they cannot write, they share a lock file in /tmp instead. */
static int open_lock(const char *name)
{
    char host[65] = "", build[PATH_SIZE], path[PATH_SIZE];
    gethostname(host, sizeof host - 1);
    if (!kit_path(build, "%s", LANEWISE_BUILD))
        return -1;
    if (access(build, W_OK) == 0 ? !base_path(path, "%s/%s-%s", build, name, host)
                                 : !base_path(path, "/tmp/lanewise-%s-%s", name, host))
        return -1;
    /* to lock a file of another user, opening it read-only is enough */
    int lock = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    return lock >= 0 ? lock : open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Locks the GPU. A process that waits for the lock "gpu-turns" holds the lock "gpu-queue". Without
 * "gpu-queue", a process that needs the GPU for itself could wait forever, because others keep
 * sharing it. */
int installed_gpu_lock(bool alone)
{
    int queue = open_lock("gpu-queue");
    int lock = open_lock("gpu-turns");
    if (queue >= 0 && lock >= 0) {
        flock(queue, LOCK_EX);
        flock(lock, alone ? LOCK_EX : LOCK_SH);
    }
    if (queue >= 0)
        close(queue);
    return lock;
}

void installed_gpu_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
