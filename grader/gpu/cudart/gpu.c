/* Implements the API functions about the virtual GPU: choosing it (there is only device 0), its
 * properties, and waiting for it. */
#include "gpu/cudart/array.h"

#include <cuda_profiler_api.h>
#include <stdio.h>
#include <string.h>

static cudaError_t check_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Stores VALUE at TO. Fails if TO is NULL. */
static cudaError_t answer(int *to, int value)
{
    if (!to)
        return rt_return(cudaErrorInvalidValue);
    *to = value;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    RT_CALLED();
    return answer(count, 1);
}

cudaError_t cudaGetDevice(int *device)
{
    RT_CALLED();
    return answer(device, 0);
}

cudaError_t cudaSetDevice(int device)
{
    return rt_return(check_device(device));
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    return rt_return(check_device(device));
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    return wanted ? answer(device, 0) : rt_return(cudaErrorInvalidValue);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    RT_CALLED();
    return answer(version, CUDART_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    RT_CALLED();
    return answer(version, CUDART_VERSION);
}

/* Only checks its arguments. The flags choose whether the host spins, yields or blocks while it
 * waits. This makes no difference in the emulator. */
cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    return rt_return(flags & ~(unsigned)cudaDeviceMask ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    if (!flags)
        return rt_return(cudaErrorInvalidValue);
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    return rt_return((unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue
                                                                 : cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    if (!config)
        return rt_return(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

/* --- attributes and properties ---------------------------------------------------------------- */

/* Sets *VALUE to the value of ATTRIBUTE. Returns false if there is no such attribute. */
static bool get_attribute(int attribute, int *value)
{
    switch (attribute) {
#define A(name, number)                                                                            \
    case cudaDevAttr##name:                                                                        \
        *value = (number);                                                                         \
        return true;
#include "gpu/cudart/attributes.def"
#undef A
    default:
        *value = 0; /* attributes that are not in the list are reserved in CUDA's header */
        return attribute > 0 && attribute < cudaDevAttrMax;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    int found;
    if (!value || !get_attribute(attribute, &found))
        return rt_return(cudaErrorInvalidValue);
    if (check_device(device) != cudaSuccess)
        return rt_return(cudaErrorInvalidDevice);
    *value = found;
    return cudaSuccess;
}

int rt_attribute(enum cudaDeviceAttr attribute)
{
    int value;
    get_attribute(attribute, &value);
    return value;
}

#define FIELD(field, attribute)      prop->field = rt_attribute(cudaDevAttr##attribute)
#define PAIR(field, attribute, x, y) (FIELD(field[0], attribute##x), FIELD(field[1], attribute##y))
#define TRIPLE(field, attribute, x, y, z)                                                          \
    (PAIR(field, attribute, x, y), FIELD(field[2], attribute##z))

static void fill_textures(struct cudaDeviceProp *prop)
{
    FIELD(textureAlignment, TextureAlignment);
    FIELD(texturePitchAlignment, TexturePitchAlignment);
    FIELD(surfaceAlignment, SurfaceAlignment);
    FIELD(maxTexture1D, MaxTexture1DWidth);
    FIELD(maxTexture1DMipmap, MaxTexture1DMipmappedWidth);
    PAIR(maxTexture2D, MaxTexture2D, Width, Height);
    PAIR(maxTexture2DMipmap, MaxTexture2DMipmapped, Width, Height);
    TRIPLE(maxTexture2DLinear, MaxTexture2DLinear, Width, Height, Pitch);
    PAIR(maxTexture2DGather, MaxTexture2DGather, Width, Height);
    TRIPLE(maxTexture3D, MaxTexture3D, Width, Height, Depth);
    TRIPLE(maxTexture3DAlt, MaxTexture3D, WidthAlt, HeightAlt, DepthAlt);
    FIELD(maxTextureCubemap, MaxTextureCubemapWidth);
    PAIR(maxTexture1DLayered, MaxTexture1DLayered, Width, Layers);
    TRIPLE(maxTexture2DLayered, MaxTexture2DLayered, Width, Height, Layers);
    PAIR(maxTextureCubemapLayered, MaxTextureCubemapLayered, Width, Layers);
    FIELD(maxSurface1D, MaxSurface1DWidth);
    PAIR(maxSurface2D, MaxSurface2D, Width, Height);
    TRIPLE(maxSurface3D, MaxSurface3D, Width, Height, Depth);
    PAIR(maxSurface1DLayered, MaxSurface1DLayered, Width, Layers);
    TRIPLE(maxSurface2DLayered, MaxSurface2DLayered, Width, Height, Layers);
    FIELD(maxSurfaceCubemap, MaxSurfaceCubemapWidth);
    PAIR(maxSurfaceCubemapLayered, MaxSurfaceCubemapLayered, Width, Layers);
}

static void fill_limits(struct cudaDeviceProp *prop)
{
    FIELD(sharedMemPerBlock, MaxSharedMemoryPerBlock);
    FIELD(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    FIELD(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    FIELD(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
    FIELD(regsPerBlock, MaxRegistersPerBlock);
    FIELD(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
    FIELD(warpSize, WarpSize);
    FIELD(memPitch, MaxPitch);
    FIELD(maxThreadsPerBlock, MaxThreadsPerBlock);
    FIELD(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    FIELD(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    TRIPLE(maxThreadsDim, MaxBlockDim, X, Y, Z);
    TRIPLE(maxGridSize, MaxGridDim, X, Y, Z);
    FIELD(totalConstMem, TotalConstantMemory);
    FIELD(major, ComputeCapabilityMajor);
    FIELD(minor, ComputeCapabilityMinor);
    FIELD(multiProcessorCount, MultiProcessorCount);
    FIELD(memoryBusWidth, GlobalMemoryBusWidth);
    FIELD(l2CacheSize, L2CacheSize);
    FIELD(persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
    FIELD(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
    FIELD(asyncEngineCount, AsyncEngineCount);
}

/* Sets the fields for features. Only features with a value other than 0 in attributes.def are
 * listed here, because the caller has set all fields to 0. */
static void fill_abilities(struct cudaDeviceProp *prop)
{
    FIELD(concurrentKernels, ConcurrentKernels);
    FIELD(unifiedAddressing, UnifiedAddressing);
    FIELD(canMapHostMemory, CanMapHostMemory);
    FIELD(streamPrioritiesSupported, StreamPrioritiesSupported);
    FIELD(globalL1CacheSupported, GlobalL1CacheSupported);
    FIELD(localL1CacheSupported, LocalL1CacheSupported);
    FIELD(managedMemory, ManagedMemory);
    FIELD(concurrentManagedAccess, ConcurrentManagedAccess);
    FIELD(computePreemptionSupported, ComputePreemptionSupported);
    FIELD(cooperativeLaunch, CooperativeLaunch);
    FIELD(clusterLaunch, ClusterLaunch);
    FIELD(hostRegisterSupported, HostRegisterSupported);
    FIELD(memoryPoolsSupported, MemoryPoolsSupported);
    FIELD(deviceNumaId, NumaId);
    FIELD(hostNumaId, HostNumaId);
}

static cudaError_t get_properties(struct cudaDeviceProp *prop, int number)
{
    struct emu_device *device;
    uint64_t free_bytes, total_bytes;
    if (!prop)
        return cudaErrorInvalidValue;
    if (check_device(number) != cudaSuccess)
        return cudaErrorInvalidDevice;
    *prop = (struct cudaDeviceProp){0};
    snprintf(prop->name, sizeof prop->name, "%s", RT_NAME);
    memcpy(prop->uuid.bytes, "lanewise-gpu-000", sizeof prop->uuid.bytes);
    fill_limits(prop);
    fill_textures(prop);
    fill_abilities(prop);
    /* this fails after a kernel's fault; then only the memory size is missing */
    if (rt_device(&device) == cudaSuccess) {
        emu_memory(device, &free_bytes, &total_bytes);
        prop->totalGlobalMem = total_bytes;
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    return rt_return(get_properties(prop, device));
}

/* --- waiting and resetting -------------------------------------------------------------------- */

cudaError_t cudaDeviceSynchronize(void)
{
    struct emu_device *device;
    return rt_return(rt_wait(&device));
}

/* Frees everything on the device. As on a GPU, a kernel's fault remains until the process ends. */
cudaError_t cudaDeviceReset(void)
{
    RT_CALLED();
    struct emu_device *device;
    if (rt_wait(&device) == cudaSuccess) {
        rt_report_leaks(false);
        rt_memory_reset(device);
        rt_textures_reset(device);
        rt_mipmaps_reset(device);
        rt_arrays_reset(device);
        rt_modules_reset(device);
    }
    return cudaSuccess;
}

/* --- profilers: nothing to start or stop, because the record contains every launch ------------ */

cudaError_t cudaProfilerStart(void)
{
    RT_CALLED();
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    RT_CALLED();
    return cudaSuccess;
}
