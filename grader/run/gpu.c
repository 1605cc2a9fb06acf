/* Asks the CUDA driver library, opened at run time: the grader must start on machines without it. */
#include "run/gpu.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "config.h"
#include "run/files.h"

/* From the driver's interface, which never changes. */
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

static char arch[16];

const char *run_gpu_arch(void)
{
    return arch;
}

static bool ask_driver(void *driver, char *name, size_t size)
{
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    int (*count_devices)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
    int (*get_name)(char *, int, int) = (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetName");
    int (*get_attribute)(int *, int, int) =
        (int (*)(int *, int, int))dlsym(driver, "cuDeviceGetAttribute");
    int count = 0, major = 0, minor = 0, error;
    if (!init || !count_devices || !get_name || !get_attribute)
        snprintf(name, size, "libcuda.so.1 is not the CUDA driver");
    else if ((error = init(0)) != 0)
        snprintf(name, size, "the CUDA driver does not start (error %d)", error);
    else if (count_devices(&count) != 0 || count == 0 || get_name(name, (int)size, 0) != 0 ||
             get_attribute(&major, CAPABILITY_MAJOR, 0) != 0 ||
             get_attribute(&minor, CAPABILITY_MINOR, 0) != 0)
        snprintf(name, size, "the CUDA driver sees no GPU");
    else
        snprintf(arch, sizeof arch, "sm_%d%d", major, minor);
    return arch[0] != 0;
}

bool run_gpu_find(char *name, size_t size)
{
    /* Never closed: the driver keeps threads and may not be unloaded. */
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver)
        return ask_driver(driver, name, size);
    snprintf(name, size, "no CUDA driver is installed");
    return false;
}

/* --- turns ----------------------------------------------------------------------------------------- */

/* Opens a file that keeps the order of this machine's turns: the folder may be one that a whole cluster
 * sees, and a lock that all of it waits for. */
static int open_turns(const char *name)
{
    char host[65] = "", path[RUN_PATH_SIZE];
    gethostname(host, sizeof host - 1);
    if (!run_path(path, "%s/%s/%s-%s", LANEWISE_ROOT, LANEWISE_BUILD, name, host))
        return -1;
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

/* Two locks: who waits to be alone holds the queue meanwhile, or those who share would never let it in. */
int run_gpu_begin_turn(bool alone)
{
    int queue = open_turns("gpu-queue");
    int turn = open_turns("gpu-turns");
    if (queue >= 0 && turn >= 0) {
        flock(queue, LOCK_EX);
        flock(turn, alone ? LOCK_EX : LOCK_SH);
    }
    if (queue >= 0)
        close(queue);
    return turn;
}

void run_gpu_end_turn(int turn)
{
    if (turn >= 0)
        close(turn);
}
