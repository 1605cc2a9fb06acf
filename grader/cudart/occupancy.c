/* Occupancy: how many blocks one multiprocessor of the virtual GPU holds at a time. The rules are
 * those of compute capability 9.0: four quarters of 16,384 registers, which a warp takes from one
 * quarter in units of 256; shared memory in units of 128 bytes, with 1 KiB more for each block. */
#include "cudart/rt.h"

enum { QUARTERS = 4, REGISTER_UNIT = 256, SHARED_UNIT = 128, MAX_REGISTERS = 255 };

static unsigned round_up(unsigned value, unsigned unit)
{
    return (value + unit - 1) / unit * unit;
}

/* The emulator's estimate can exceed what ptxas would take: ptxas makes a block of the kernel's
 * largest size fit, so no more than that is counted. */
unsigned rt_registers(const struct emu_kernel_info *info)
{
    unsigned threads = info->max_threads ? info->max_threads : EMU_MAX_THREADS;
    unsigned fitting = RT_REGISTERS / round_up(threads, EMU_WARP_SIZE) / 8 * 8;
    unsigned registers = info->registers ? info->registers : 1;
    if (registers > fitting)
        registers = fitting;
    return registers > MAX_REGISTERS ? MAX_REGISTERS : registers;
}

unsigned rt_blocks_per_sm(const struct emu_kernel_info *info, unsigned threads, size_t dynamic)
{
    if (threads == 0 || threads > EMU_MAX_THREADS)
        return 0;
    unsigned warps = round_up(threads, EMU_WARP_SIZE) / EMU_WARP_SIZE;
    unsigned of_warp = round_up(rt_registers(info) * EMU_WARP_SIZE, REGISTER_UNIT);
    unsigned by_registers = RT_REGISTERS / QUARTERS / of_warp * QUARTERS / warps;
    unsigned shared = round_up(info->shared_bytes + dynamic + RT_SHARED_RESERVED, SHARED_UNIT);
    unsigned blocks = RT_SHARED_PER_SM / shared;
    if (blocks > by_registers)
        blocks = by_registers;
    if (blocks > RT_WARPS_PER_SM / warps)
        blocks = RT_WARPS_PER_SM / warps;
    return blocks > RT_BLOCKS_PER_SM ? RT_BLOCKS_PER_SM : blocks;
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
        error = rt_function(device, func, &function);
    if (error == cudaSuccess)
        *blocks = dynamic > rt_dynamic_limit(function)
                      ? 0
                      : (int)rt_blocks_per_sm(&function->info, threads, dynamic);
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

/* The dynamic shared memory that each of BLOCKS blocks on one multiprocessor may have. */
static cudaError_t available(size_t *dynamic, const void *func, int blocks, int threads)
{
    struct emu_device *device;
    struct rt_function *function;
    if (!dynamic || blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_function(device, func, &function);
    if (error != cudaSuccess)
        return error;
    if (rt_blocks_per_sm(&function->info, threads, 0) < (unsigned)blocks)
        return cudaErrorInvalidValue;
    unsigned of_block = RT_SHARED_PER_SM / (unsigned)blocks / SHARED_UNIT * SHARED_UNIT;
    unsigned taken = function->info.shared_bytes + RT_SHARED_RESERVED;
    *dynamic = of_block > taken ? of_block - taken : 0;
    if (*dynamic > rt_dynamic_limit(function))
        *dynamic = rt_dynamic_limit(function);
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, const void *func, int blocks,
                                                      int threads)
{
    return rt_return(available(dynamic, func, blocks, threads));
}
