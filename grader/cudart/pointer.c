/* What a pointer is, and advice about memory that both sides see. There is only one copy of such
 * memory, so advice changes nothing but what cudaMemRangeGetAttribute says. */
#include "cudart/work.h"

#include <string.h>

/* --- attributes of a pointer ------------------------------------------------------------------------- */

static enum cudaMemoryType type_of(const struct rt_range *range)
{
    return range->owner & (RT_MANAGED | RT_VARIABLE)  ? cudaMemoryTypeManaged
           : range->owner & (RT_HOST | RT_REGISTERED) ? cudaMemoryTypeHost
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

/* --- managed memory: where it should be -------------------------------------------------------------- */

/* Whether COUNT bytes at PTR are managed memory. */
static bool is_managed(const void *ptr, size_t count)
{
    struct rt_range range;
    return ptr && count && rt_range_find(ptr, &range) && range.owner & (RT_MANAGED | RT_VARIABLE) &&
           count <= range.size - (size_t)((const char *)ptr - (const char *)range.ptr);
}

static cudaError_t check_location(struct cudaMemLocation location)
{
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t count, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    struct rt_work nothing = {.type = cudaGraphNodeTypeEmpty};
    if (flags || !is_managed(ptr, count))
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = check_location(location);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &nothing) : error);
}

cudaError_t cudaMemAdvise(const void *ptr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return rt_return(error);
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
        !is_managed(ptr, count))
        return rt_return(cudaErrorInvalidValue);
    bool has_location = advice != cudaMemAdviseSetReadMostly &&
                        advice != cudaMemAdviseUnsetReadMostly &&
                        advice != cudaMemAdviseUnsetPreferredLocation;
    bool legal = !has_location || check_location(location) == cudaSuccess;
    return rt_return(legal ? cudaSuccess : cudaErrorInvalidValue);
}

/* Another stream, the host or all may use managed memory meanwhile: nothing runs beside the host. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t length, unsigned flags)
{
    struct rt_work nothing = {.type = cudaGraphNodeTypeEmpty};
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
         flags != cudaMemAttachSingle) ||
        !is_managed(ptr, 1))
        return rt_return(cudaErrorInvalidValue);
    return rt_return(rt_submit(stream, &nothing));
}

/* --- copies between devices, of which there is one ------------------------------------------------------ */

static cudaError_t check_peers(int to, int from)
{
    return to == 0 && from == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t count)
{
    struct rt_work work = rt_bytes(to, from, count, cudaMemcpyDefault);
    cudaError_t error = check_peers(to_device, from_device);
    return rt_return(error == cudaSuccess ? rt_do(&work) : error);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t count, cudaStream_t stream)
{
    struct rt_work work = rt_bytes(to, from, count, cudaMemcpyDefault);
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
    return rt_return(error == cudaSuccess ? rt_do(&work) : error);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parms, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = peers_3d(parms, &work);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}
