/* Implements handles by which processes share memory and events. As on a GPU, a process cannot open
 * its own handles. Handles from another process are not supported, because they refer to objects in
 * the emulator of that process. */
#include <string.h>
#include <unistd.h>

#include "gpu/cudart/rt.h"

struct handle {
    uint64_t magic, process, what;
};
#define MAGIC 0x65736977656e614cu /* "Lanewise" */

_Static_assert(sizeof(struct handle) <= sizeof(cudaIpcMemHandle_t),
               "struct handle does not fit into CUDA's handle");

static void write_handle(void *to, const void *what)
{
    struct handle handle = {MAGIC, (uint64_t)getpid(), (uint64_t)what};
    memset(to, 0, sizeof(cudaIpcMemHandle_t));
    memcpy(to, &handle, sizeof handle);
}

static cudaError_t open_handle(const void *from)
{
    struct handle handle;
    memcpy(&handle, from, sizeof handle);
    if (handle.magic != MAGIC)
        return cudaErrorInvalidValue;
    return handle.process == (uint64_t)getpid()
               ? cudaErrorDeviceUninitialized
               : rt_unsupported("a handle from another process (IPC)");
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *ptr)
{
    struct rt_range range;
    if (!handle || !rt_range_find(ptr, &range) || range.kind != RT_DEVICE)
        return rt_return(cudaErrorInvalidValue);
    write_handle(handle, range.ptr);
    return rt_return(cudaSuccess);
}

cudaError_t cudaIpcOpenMemHandle(void **ptr, cudaIpcMemHandle_t handle, unsigned flags)
{
    if (!ptr || flags != cudaIpcMemLazyEnablePeerAccess)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(open_handle(&handle));
}

cudaError_t cudaIpcCloseMemHandle(void *ptr)
{
    return rt_return(cudaErrorInvalidValue); /* as on a GPU, a process cannot open its own handle */
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    if (!handle)
        return rt_return(cudaErrorInvalidValue);
    if (!rt_event_is_shared(event))
        return rt_return(cudaErrorInvalidResourceHandle);
    write_handle(handle, event);
    return rt_return(cudaSuccess);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    return rt_return(event ? open_handle(&handle) : cudaErrorInvalidValue);
}
