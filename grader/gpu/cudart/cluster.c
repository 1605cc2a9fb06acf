/* Determines the cluster size of a launch, checks it, and computes how many clusters fit on the
 * GPU. The size can be set in the kernel (__cluster_dims__), by the kernel's attributes, or by the
 * launch. */
#include "gpu/cudart/work.h"

#include <string.h>

dim3 rt_cluster_size(const struct rt_function *function, dim3 cluster)
{
    const uint32_t *own = function->info.cluster;
    return cluster.x ? cluster : own[0] ? (dim3){own[0], own[1], own[2]} : function->cluster;
}

dim3 rt_cluster_asked(const cudaLaunchConfig_t *config)
{
    dim3 cluster = {0, 0, 0};
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            cluster = (dim3){config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                             config->attrs[i].val.clusterDim.z};
    return cluster;
}

static bool is_same(dim3 a, dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Returns the number of blocks in a cluster. A dimension above EMU_MAX_CLUSTER counts as
 * EMU_MAX_CLUSTER + 1, so that the product cannot overflow. */
static uint32_t blocks_of(dim3 cluster)
{
    const uint32_t side[3] = {cluster.x, cluster.y, cluster.z};
    uint32_t blocks = 1;
    for (unsigned i = 0; i < 3; i++)
        blocks *= side[i] <= EMU_MAX_CLUSTER ? side[i] : EMU_MAX_CLUSTER + 1;
    return blocks;
}

static uint32_t most_blocks(const struct rt_function *function)
{
    uint32_t most = function->wide_clusters ? EMU_MAX_CLUSTER : RT_PORTABLE_CLUSTER;
    return function->info.max_cluster < most ? function->info.max_cluster : most;
}

#define report(...)                                                                                \
    rt_finding_at("invalid-launch", function->name,                                                \
                  &(struct rt_places){.at = rt_launch_place(launch)}, 1, __VA_ARGS__)

cudaError_t rt_check_cluster(const struct rt_function *function, const struct rt_launch *launch)
{
    dim3 grid = launch->grid, size = rt_cluster_size(function, launch->cluster),
         fixed = rt_cluster_size(function, (dim3){0, 0, 0});
    if (!size.x && (function->needs_cluster || function->info.needs_cluster))
        report("this kernel needs a cluster size: launch it with cudaLaunchKernelEx()");
    else if (!size.x)
        return cudaSuccess;
    else if (fixed.x && !is_same(size, fixed))
        report(
            "clusters of %u x %u x %u blocks are impossible: this kernel's clusters have %u x %u x %u",
            size.x, size.y, size.z, fixed.x, fixed.y, fixed.z);
    else if (!blocks_of(size))
        report("clusters of %u x %u x %u blocks are impossible: a side must have at least 1 block",
               size.x, size.y, size.z);
    else if (blocks_of(size) > most_blocks(function))
        report("clusters of %u x %u x %u blocks are too large: the limit is %u blocks%s", size.x,
               size.y, size.z, most_blocks(function),
               function->wide_clusters || function->info.max_cluster <= RT_PORTABLE_CLUSTER
                   ? ""
                   : ", or 16 after cudaFuncSetAttribute()");
    else if (grid.x % size.x || grid.y % size.y || grid.z % size.z)
        report("a grid of %u x %u x %u blocks cannot be divided into clusters of %u x %u x %u",
               grid.x, grid.y, grid.z, size.x, size.y, size.z);
    else
        return cudaSuccess;
    return cudaErrorInvalidClusterSize;
}

/* --- occupancy -------------------------------------------------------------------------------- */

/* Finds the kernel FUNC, and the resources that one of its blocks needs if it is launched with
 * CONFIG. */
static cudaError_t look_up(const void *func, const cudaLaunchConfig_t *config,
                           struct rt_function **function, struct emu_demand *demand)
{
    struct emu_device *device;
    if (!config || (config->numAttrs > 0 && !config->attrs))
        return cudaErrorInvalidValue;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_find_function(device, func, function);
    if (error != cudaSuccess)
        return error;
    uint64_t threads = (uint64_t)config->blockDim.x * config->blockDim.y * config->blockDim.z;
    if (!threads || threads > (*function)->info.max_threads ||
        config->dynamicSmemBytes > rt_dynamic_limit(*function))
        return cudaErrorInvalidValue;
    *demand = rt_demand(&(*function)->info, (unsigned)threads, config->dynamicSmemBytes);
    return cudaSuccess;
}

static cudaError_t max_clusters(int *clusters, const void *func, const cudaLaunchConfig_t *config)
{
    struct rt_function *function;
    struct emu_demand demand;
    cudaError_t error =
        clusters ? look_up(func, config, &function, &demand) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    struct rt_launch launch = {.grid = config->gridDim, .cluster = rt_cluster_asked(config)};
    dim3 size = rt_cluster_size(function, launch.cluster);
    error = size.x ? rt_check_cluster(function, &launch) : cudaSuccess;
    if (error == cudaSuccess)
        *clusters = size.x ? (int)emu_occupancy_clusters(&demand, blocks_of(size)) : 0;
    return error;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                           const cudaLaunchConfig_t *config)
{
    return rt_return(max_clusters(clusters, func, config));
}

/* Sets *SIZE to the largest possible cluster size for the kernel. Ignores the cluster size in
 * CONFIG. */
static cudaError_t max_size(int *size, const void *func, const cudaLaunchConfig_t *config)
{
    struct rt_function *function;
    struct emu_demand demand;
    cudaError_t error = size ? look_up(func, config, &function, &demand) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    uint32_t most = most_blocks(function);
    while (most && !emu_occupancy_clusters(&demand, most))
        most--;
    *size = (int)most;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
                                                 const cudaLaunchConfig_t *config)
{
    return rt_return(max_size(size, func, config));
}
