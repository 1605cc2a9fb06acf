/* Opens the device at the first call that needs it, and keeps the error of a kernel's fault.
 *
 * A fault has two states. On a GPU, the host continues while kernels run, and learns of a fault
 * only later:
 *
 *   launch -> the fault is PENDING: launches and asynchronous copies "succeed", but do nothing
 *          -> the first call that waits reports the fault, which is STICKY from then on: every call
 *             that needs the device returns it until the process ends */
#include "gpu/cudart/order.h"
#include "gpu/cudart/timing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct emu_device *_Atomic the_device;
/* the process that opened the device; in a forked child, the device's threads do not exist */
static pid_t owner;
static _Atomic(cudaError_t) pending, sticky;

/* Opens the device if it is not open yet. Returns NULL if it cannot be opened. */
static struct emu_device *open_device(void)
{
    struct emu_device *device;
    pthread_mutex_lock(&opening);
    device = the_device;
    if (!device && emu_open(rt_options(), &device) == EMU_OK) {
        owner = getpid();
        the_device = device;
    }
    pthread_mutex_unlock(&opening);
    return device;
}

struct emu_device *rt_device_or_null(void)
{
    struct emu_device *device = the_device ? the_device : open_device();
    return device && owner == getpid() ? device : NULL;
}

cudaError_t rt_device(struct emu_device **device)
{
    cudaError_t error = sticky;
    if (error != cudaSuccess)
        return error;
    *device = the_device ? the_device : open_device();
    if (*device && owner == getpid())
        return cudaSuccess;
    if (!*device)
        rt_finding("no-device", NULL, "the emulated device could not be opened: %s",
                   emu_message(NULL));
    return cudaErrorInitializationError;
}

/* Prints the output of kernels. As on a GPU, the output does not appear until the host waits for
 * the kernels. */
static void print_output(enum emu_stream stream, FILE *file)
{
    char *text;
    size_t length;
    emu_output(the_device, stream, &text, &length);
    if (text)
        fwrite(text, 1, length, file);
    free(text);
}

cudaError_t rt_wait(struct emu_device **device)
{
    rt_finish_all();
    rt_order_waits_all();
    rt_time_waits_all();
    return rt_surface_fault(device);
}

cudaError_t rt_wait_stream(cudaStream_t stream, struct emu_device **device)
{
    rt_finish_stream(stream);
    return rt_surface_fault(device);
}

cudaError_t rt_surface_fault(struct emu_device **device)
{
    if (the_device && owner == getpid()) {
        print_output(EMU_STDOUT, stdout);
        print_output(EMU_STDERR, stderr);
    }
    if (pending != cudaSuccess)
        sticky = pending;
    return rt_device(device);
}

void rt_fault(cudaError_t error)
{
    cudaError_t none = cudaSuccess;
    atomic_compare_exchange_strong(&pending, &none, error); /* only the first fault is stored */
}

cudaError_t rt_fault_error(void)
{
    return pending;
}

bool rt_faulted(void)
{
    return pending != cudaSuccess;
}
