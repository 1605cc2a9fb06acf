/* Implements queries of a pointer's attributes, and copies between devices. */
#include "gpu/cudart/work.h"

/* --- attributes of a pointer ------------------------------------------------------------------ */

static enum cudaMemoryType type_of(const struct rt_range *range)
{
    return range->kind & (RT_MANAGED | RT_VARIABLE)  ? cudaMemoryTypeManaged
           : range->kind & (RT_HOST | RT_REGISTERED) ? cudaMemoryTypeHost
                                                     : cudaMemoryTypeDevice;
}

static cudaError_t get_attributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    struct emu_device *device;
    struct rt_range range;
    if (!attributes)
        return cudaErrorInvalidValue;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                                 .device = cudaInvalidDeviceId};
    bool known = rt_range_find(ptr, &range);
    if (known)
        attributes->type = type_of(&range);
    else if (emu_find(device, (emu_addr)ptr, NULL, NULL) == EMU_OK)
        attributes->type = cudaMemoryTypeDevice; /* a variable of a module */
    if (attributes->type != cudaMemoryTypeUnregistered) {
        attributes->device = 0;
        attributes->devicePointer = (void *)ptr;
    }
    if (attributes->type != cudaMemoryTypeDevice)
        attributes->hostPointer = (void *)ptr;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    return rt_return(get_attributes(attributes, ptr));
}

/* --- copies between devices: both must be device 0 -------------------------------------------- */

static cudaError_t check_peers(int to, int from)
{
    return to == 0 && from == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t count)
{
    struct rt_work work = rt_work_of_bytes(to, from, count, cudaMemcpyDefault);
    cudaError_t error = check_peers(to_device, from_device);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t count, cudaStream_t stream)
{
    struct rt_work work = rt_work_of_bytes(to, from, count, cudaMemcpyDefault);
    cudaError_t error = check_peers(to_device, from_device);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}

static cudaError_t peers_3d(const struct cudaMemcpy3DPeerParms *parms, struct rt_work *work)
{
    if (!parms)
        return cudaErrorInvalidValue;
    *work = (struct rt_work){.type = cudaGraphNodeTypeMemcpy};
    work->copy = (struct cudaMemcpy3DParms){.srcArray = parms->srcArray,
                                            .srcPos = parms->srcPos,
                                            .srcPtr = parms->srcPtr,
                                            .dstArray = parms->dstArray,
                                            .dstPos = parms->dstPos,
                                            .dstPtr = parms->dstPtr,
                                            .extent = parms->extent,
                                            .kind = cudaMemcpyDefault};
    return check_peers(parms->dstDevice, parms->srcDevice);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parms)
{
    struct rt_work work;
    cudaError_t error = peers_3d(parms, &work);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parms, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = peers_3d(parms, &work);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}
