/* Implements the limits of a kernel's stack, heap and printf buffer, the queries about peer GPUs,
 * of which there are none, and the address of the GPU on the PCI bus. */
#include "gpu/cudart/rt.h"
#include "gpu/virtual_gpu.h"

#include <stdio.h>
#include <string.h>

#define BUS_ID "0000:00:00.0"

/* --- limits ----------------------------------------------------------------------------------- */

/* Sets *FOUND to the emulator's number for LIMIT. Returns false if the emulator has no such
 * limit. */
static bool find_limit(enum cudaLimit limit, enum emu_limit *found)
{
    *found = limit == cudaLimitStackSize        ? EMU_STACK
             : limit == cudaLimitMallocHeapSize ? EMU_HEAP
             : limit == cudaLimitPrintfFifoSize ? EMU_PRINT
                                                : EMU_LIMITS;
    return *found != EMU_LIMITS;
}

/* Limits that are only hints. Initially, they have the default values of a GPU. */
static size_t pending_launches = 2048, fetch_granularity = 64, persisting_bytes = 9830400;

static size_t *find_hint(enum cudaLimit limit)
{
    switch (limit) {
    case cudaLimitDevRuntimePendingLaunchCount:
        return &pending_launches;
    case cudaLimitMaxL2FetchGranularity:
        return &fetch_granularity;
    case cudaLimitPersistingL2CacheSize:
        return &persisting_bytes;
    default:
        return NULL;
    }
}

/* Returns the value that a GPU uses when a program sets VALUE: the size of a stack is rounded up to
 * a multiple of 16 bytes, and a heap and a printf buffer have a minimum size. */
static uint64_t fitting(enum emu_limit limit, uint64_t value)
{
    const uint64_t least_heap = 4 << 20, least_print = 512 << 10;
    if (limit == EMU_HEAP)
        return value > least_heap ? value : least_heap;
    if (limit == EMU_PRINT)
        return value > least_print ? value : least_print;
    return value > UINT32_MAX ? value : (value + 15) / 16 * 16;
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value)
{
    struct emu_device *device;
    enum emu_limit found;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (limit > cudaLimitPersistingL2CacheSize)
        return cudaErrorInvalidValue;
    if (find_limit(limit, &found))
        return rt_error(emu_set_limit(device, found, fitting(found, value)));
    if (!find_hint(limit))
        return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitPersistingL2CacheSize) { /* rounded up to tenths of the maximum */
        if (value > RT_PERSISTING_L2)
            return cudaErrorInvalidValue;
        size_t tenth = RT_PERSISTING_L2 / 10;
        value = (value + tenth - 1) / tenth * tenth;
    }
    *find_hint(limit) = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    return rt_return(set_limit(limit, value));
}

static cudaError_t get_limit(size_t *value, enum cudaLimit limit)
{
    struct emu_device *device;
    enum emu_limit found;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!value)
        return cudaErrorInvalidValue;
    if (find_limit(limit, &found))
        *value = emu_get_limit(device, found);
    else if (find_hint(limit))
        *value = *find_hint(limit);
    else
        return cudaErrorUnsupportedLimit;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    return rt_return(get_limit(value, limit));
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RT_CALLED();
    return cudaSuccess;
}

/* --- peers ------------------------------------------------------------------------------------ */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return rt_return(cudaErrorInvalidValue);
    if (device != 0 || peer != 0)
        return rt_return(cudaErrorInvalidDevice);
    *can = 0; /* there is only one GPU, which is not its own peer */
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return rt_return(flags       ? cudaErrorInvalidValue
                     : peer == 0 ? cudaErrorPeerAccessUnsupported /* a GPU is not its own peer */
                                 : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return rt_return(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from,
                                      int to)
{
    return rt_return(value && from == 0 && to == 0 ? cudaErrorInvalidDevice
                                                   : cudaErrorInvalidValue);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    if (!devices && count)
        return rt_return(cudaErrorInvalidValue);
    for (int i = 0; i < count; i++)
        if (devices[i] != 0)
            return rt_return(cudaErrorInvalidDevice);
    return cudaSuccess;
}

/* --- the PCI bus ------------------------------------------------------------------------------ */

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    if (!id || size < (int)sizeof BUS_ID)
        return rt_return(cudaErrorInvalidValue);
    if (device != 0)
        return rt_return(cudaErrorInvalidDevice);
    memcpy(id, BUS_ID, sizeof BUS_ID);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    unsigned domain = 0, bus, slot, function = 0;
    if (!device || !id)
        return rt_return(cudaErrorInvalidValue);
    bool read = sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) == 4 ||
                (domain = 0, sscanf(id, "%x:%x.%x", &bus, &slot, &function) == 3);
    if (!read || domain || bus || slot || function)
        return rt_return(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

/* --- the width of shared memory's banks: 4 bytes on every GPU that CUDA 13 supports ----------- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (!config)
        return rt_return(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return rt_return((unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                                       : cudaSuccess);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    struct emu_device *device;
    struct rt_function *function;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_find_function(device, func, &function);
    if (error == cudaSuccess && (unsigned)config > cudaSharedMemBankSizeEightByte)
        error = cudaErrorInvalidValue;
    return rt_return(error);
}
