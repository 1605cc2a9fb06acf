/* Implements queries about occupancy, which gpu/occupancy.h computes. Queries about clusters are in
 * cluster.c. */
#include "gpu/cudart/rt.h"

struct emu_demand rt_demand(const struct emu_kernel_info *info, unsigned threads, size_t dynamic)
{
    return (struct emu_demand){threads, info->registers, (uint64_t)info->shared_bytes + dynamic};
}

static int blocks_per_sm(const struct rt_function *function, unsigned threads, size_t dynamic)
{
    struct emu_demand demand = rt_demand(&function->info, threads, dynamic);
    if (threads > EMU_MAX_THREADS || dynamic > rt_dynamic_limit(function))
        return 0;
    return (int)(function->carveout < 0 ? emu_occupancy(&demand)
                                        : emu_occupancy_carved(&demand, function->carveout))
        .ctas;
}

static cudaError_t occupancy(int *blocks, const void *func, int threads, size_t dynamic,
                             unsigned flags)
{
    struct emu_device *device;
    struct rt_function *function;
    if (!blocks || threads <= 0 || flags > cudaOccupancyDisableCachingOverride)
        return cudaErrorInvalidValue;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_find_function(device, func, &function);
    if (error == cudaSuccess)
        *blocks = blocks_per_sm(function, threads, dynamic);
    return error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                          int threads, size_t dynamic)
{
    return rt_return(occupancy(blocks, func, threads, dynamic, cudaOccupancyDefault));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
                                                                   int threads, size_t dynamic,
                                                                   unsigned flags)
{
    return rt_return(occupancy(blocks, func, threads, dynamic, flags));
}

bool rt_dynamic_left(const struct emu_kernel_info *info, unsigned blocks, unsigned threads,
                     size_t *dynamic)
{
    struct emu_demand demand = rt_demand(info, threads, 0);
    if (threads > EMU_MAX_THREADS || emu_occupancy(&demand).ctas < blocks)
        return false;
    size_t share = EMU_SM_SHARED / blocks / EMU_SHARED_UNIT * EMU_SHARED_UNIT;
    /* as on a GPU, this ignores the shared memory that the system reserves */
    *dynamic = share - info->shared_bytes;
    return true;
}

static cudaError_t available(size_t *dynamic, const void *func, int blocks, int threads)
{
    struct emu_device *device;
    struct rt_function *function;
    if (!dynamic || blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_find_function(device, func, &function);
    if (error != cudaSuccess)
        return error;
    if (!rt_dynamic_left(&function->info, blocks, threads, dynamic))
        return cudaErrorInvalidValue;
    if (*dynamic > rt_dynamic_limit(function))
        *dynamic = rt_dynamic_limit(function);
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, const void *func, int blocks,
                                                      int threads)
{
    return rt_return(available(dynamic, func, blocks, threads));
}
