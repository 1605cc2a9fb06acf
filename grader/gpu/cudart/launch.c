/* Executes launches. nvcc turns kernel<<<grid, block, shared, stream>>>(args) into four calls:
 *
 *   __cudaPushCallConfiguration(grid, block, shared, stream)
 *   kernel's stub(args):  __cudaGetKernel(&handle, stub)      once for each kernel
 *                         __cudaPopCallConfiguration(...)
 *                         __cudaLaunchKernel(handle, grid, block, args, shared, stream)
 *
 * (Code from older toolkits calls cudaLaunchKernel(stub, ...) at the end.) A launch returns when
 * the kernel has ended, or when the kernel waits for the program (queue.c). As on a GPU, a kernel's
 * fault is reported when the program waits for the kernel. */
#include "gpu/cudart/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAM_BYTES 65536u

struct pushed {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *from; /* return address in the program; the other calls return to the stub */
};

/* --- the arguments of <<<...>>>, between push and pop ----------------------------------------- */

/* Launches can nest, because a kernel's argument can be an expression that launches another
 * kernel. */
enum { MAX_PUSHED = 64 };

static _Thread_local struct pushed pushed[MAX_PUSHED];
static _Thread_local unsigned pushed_count;
/* Return address in the program of the <<<...>>> that was popped last. NULL after its launch. */
static _Thread_local const void *launched_from;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (pushed_count == MAX_PUSHED)
        return rt_return(cudaErrorMemoryAllocation);
    pushed[pushed_count++] =
        (struct pushed){grid, block, shared, stream, __builtin_return_address(0)};
    return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (pushed_count == 0)
        return rt_return(cudaErrorMissingConfiguration);
    const struct pushed *launch = &pushed[--pushed_count];
    *grid = launch->grid;
    *block = launch->block;
    *shared = launch->shared;
    memcpy(stream, &launch->stream, sizeof launch->stream);
    launched_from = launch->from;
    return cudaSuccess;
}

/* Returns launched_from and clears it, so that a later launch without <<<...>>> does not use it. */
static const void *take_launched_from(void)
{
    const void *from = launched_from;
    launched_from = NULL;
    return from;
}

/* --- checks before a launch ------------------------------------------------------------------- */

size_t rt_dynamic_limit(const struct rt_function *function)
{
    if (function->max_dynamic_shared >= 0)
        return function->max_dynamic_shared;
    uint32_t taken = function->info.shared_bytes;
    return taken < EMU_DEFAULT_SHARED ? EMU_DEFAULT_SHARED - taken : 0;
}

static bool is_empty(dim3 size)
{
    return !size.x || !size.y || !size.z;
}

static bool is_within(dim3 size, unsigned x, unsigned y, unsigned z)
{
    return size.x <= x && size.y <= y && size.z <= z;
}

#define report(id, name, launch, ...)                                                              \
    rt_finding_at(id, name, &(struct rt_places){.at = rt_launch_place(launch)}, 1, __VA_ARGS__)

struct emu_place rt_launch_place(const struct rt_launch *launch)
{
    return launch->from ? rt_place_of(launch->from) : rt_caller();
}

#define refuse(...) report("invalid-launch", function->name, launch, __VA_ARGS__)

static const char empty_help[] =
    "an integer division rounds down, so n / each is 0 for a small n: divide (n + each - 1) by "
    "each, and launch nothing if n is 0";

/* Reports a launch that a GPU would reject. Returns the error that the GPU returns. */
static cudaError_t check_config(const struct rt_function *function, const struct rt_launch *launch)
{
    dim3 grid = launch->grid, block = launch->block;
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    uint32_t most_threads = function->info.max_threads;
    if (is_empty(grid)) {
        const struct rt_places places = {.at = rt_launch_place(launch), .help = empty_help};
        rt_finding_at("invalid-launch", function->name, &places, 1,
                      "a grid of %u x %u x %u blocks is empty", grid.x, grid.y, grid.z);
        return rt_shape_error;
    }
    if (!is_within(grid, EMU_MAX_GRID_X, EMU_MAX_GRID_Y, EMU_MAX_GRID_Z)) {
        refuse("a grid of %u x %u x %u blocks is too large: the limit is %u x %u x %u", grid.x,
               grid.y, grid.z, EMU_MAX_GRID_X, EMU_MAX_GRID_Y, EMU_MAX_GRID_Z);
        return rt_shape_error;
    }
    if (is_empty(block)) {
        refuse("a block of %u x %u x %u threads is empty", block.x, block.y, block.z);
        return rt_shape_error;
    }
    if (!is_within(block, EMU_MAX_BLOCK_X, EMU_MAX_BLOCK_Y, EMU_MAX_BLOCK_Z)) {
        refuse(
            "a block of %u x %u x %u threads is too large: the limit is %u x %u x %u, and %u threads in total",
            block.x, block.y, block.z, EMU_MAX_BLOCK_X, EMU_MAX_BLOCK_Y, EMU_MAX_BLOCK_Z,
            EMU_MAX_THREADS);
        return rt_shape_error;
    }
    if (threads > most_threads) {
        refuse(
            "a block of %u x %u x %u = %llu threads is too large: the limit for this kernel is %u",
            block.x, block.y, block.z, (unsigned long long)threads, most_threads);
        return threads > EMU_MAX_THREADS ? rt_shape_error : cudaErrorInvalidValue;
    }
    if (launch->shared > rt_dynamic_limit(function)) {
        refuse("%zu bytes of dynamic shared memory is too much: the limit is %zu%s", launch->shared,
               rt_dynamic_limit(function),
               function->max_dynamic_shared < 0 ? ", or more after cudaFuncSetAttribute()" : "");
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

/* --- running a launch ------------------------------------------------------------------------- */

/* Packs the kernel's parameters into one buffer, which the caller frees. ARGS[i] points to
 * parameter i. */
static char *pack_params(const struct emu_kernel_info *info, void **args)
{
    char *bytes = info->param_bytes <= MAX_PARAM_BYTES ? calloc(1, info->param_bytes + 1) : NULL;
    for (uint32_t i = 0; bytes && i < info->param_count; i++)
        memcpy(bytes + info->params[i].offset, args[i], info->params[i].size);
    return bytes;
}

static cudaError_t report_end(struct emu_device *device, const struct rt_function *function,
                              const struct rt_launch *launch, enum emu_status status)
{
    if (status == EMU_PARKED)
        return cudaErrorNotReady;
    if (status < EMU_ILLEGAL_ADDRESS) {
        if (status != EMU_OK)
            report("launch-failed", function->name, launch, "%s", emu_message(device));
        return rt_error(status);
    }
    if (!emu_has_record(device)) /* if there is a record, it has more precise findings */
        report("kernel-fault", function->name, launch, "%s", emu_message(device));
    rt_fault(rt_error(status));
    return cudaSuccess;
}

cudaError_t rt_end_launch(struct emu_device *device, const struct rt_launch *launch,
                          enum emu_status status)
{
    struct rt_function *function;
    cudaError_t error = rt_find_function(device, launch->func, &function);
    return error == cudaSuccess ? report_end(device, function, launch, status) : error;
}

/* Adds the source line of the launch to REQUEST, unless this is the first place in the program that
 * launches the kernel. If there are several places, the kernel's own lines do not tell which launch
 * is meant. */
static void name_place(struct emu_launch *request, struct rt_function *function,
                       const struct rt_launch *launch)
{
    if (!function->from)
        function->from = launch->from;
    if (function->from == launch->from)
        return;
    struct emu_place place = rt_launch_place(launch);
    if (place.file && strlen(place.file) < sizeof request->file) {
        strcpy(request->file, place.file);
        request->line = place.line;
    }
}

static cudaError_t run(struct emu_device *device, struct rt_function *function,
                       const struct rt_launch *launch)
{
    char *params = pack_params(&function->info, launch->args);
    if (!params)
        return cudaErrorMemoryAllocation;
    dim3 cluster = rt_cluster_size(function, launch->cluster);
    struct emu_launch request = {
        .kernel = function->kernel,
        .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .block = {launch->block.x, launch->block.y, launch->block.z},
        .dynamic_shared_bytes = launch->shared,
        .params = params,
        .param_bytes = function->info.param_bytes,
        .cluster = {cluster.x, cluster.y, cluster.z},
        .cooperative = launch->cooperative,
        .alone = rt_waits_alone(),
        .may_park = true,
        .touches = rt_order_touches(params, function->info.param_bytes),
    };
    name_place(&request, function, launch);
    enum emu_status status = emu_launch(device, &request, NULL);
    free(params);
    rt_end_if_interrupted();
    return report_end(device, function, launch, status);
}

/* Checks that all blocks of a cooperative launch fit on the GPU at the same time. This is necessary
 * because they may wait for each other. */
static cudaError_t check_resident(const struct rt_function *function,
                                  const struct rt_launch *launch)
{
    uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    unsigned threads = launch->block.x * launch->block.y * launch->block.z;
    struct emu_demand demand = rt_demand(&function->info, threads, launch->shared);
    uint64_t resident = (uint64_t)emu_occupancy(&demand).ctas * EMU_MULTIPROCESSORS;
    return blocks > resident ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

cudaError_t rt_check_launch(struct emu_device *device, const struct rt_launch *launch,
                            struct rt_function **function)
{
    cudaError_t error = rt_find_function(device, launch->func, function);
    if (error == cudaSuccess)
        error = check_config(*function, launch);
    if (error == cudaSuccess)
        error = rt_check_cluster(*function, launch);
    if (error == cudaSuccess && launch->cooperative)
        error = check_resident(*function, launch);
    if (error == cudaSuccess && (*function)->info.param_count > 0 && !launch->args)
        error = cudaErrorInvalidValue;
    return error;
}

cudaError_t rt_run_launch(struct emu_device *device, const struct rt_launch *launch)
{
    struct rt_function *function;
    cudaError_t error = rt_check_launch(device, launch, &function);
    return error == cudaSuccess ? run(device, function, launch) : error;
}

/* Submits a launch. A launch is checked even after a kernel's fault, although it will not run.
 * Other work is not checked then. */
static cudaError_t submit(cudaStream_t stream, struct rt_launch launch)
{
    struct rt_work work = {.type = cudaGraphNodeTypeKernel, .kernel = launch};
    struct emu_device *device;
    struct rt_function *function;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = rt_find_function(device, launch.func, &function);
    if (error == cudaSuccess)
        error = rt_check_stream(stream);
    if (error == cudaSuccess)
        error = rt_check_launch(device, &launch, &function);
    return error == cudaSuccess ? rt_submit(stream, &work) : error;
}

static struct rt_launch plain(const void *func, dim3 grid, dim3 block, void **args, size_t shared)
{
    return (struct rt_launch){.func = func,
                              .grid = grid,
                              .block = block,
                              .shared = shared,
                              .args = args,
                              .from = take_launched_from()};
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    return rt_return(submit(stream, plain(func, grid, block, args, shared)));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream)
{
    return rt_return(submit(stream, plain(kernel, grid, block, args, shared)));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    struct rt_launch launch = plain(func, grid, block, args, shared);
    launch.cooperative = true;
    return rt_return(submit(stream, launch));
}

/* --- launches with attributes ----------------------------------------------------------------- */

static cudaError_t launch_config(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    if (!config || (config->numAttrs > 0 && !config->attrs))
        return cudaErrorInvalidValue;
    struct rt_launch launch =
        plain(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes);
    launch.cluster = rt_cluster_asked(config);
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            launch.cooperative = config->attrs[i].val.cooperative != 0;
    return submit(config->stream, launch); /* all other attributes are only hints */
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    return rt_return(launch_config(config, func, args));
}
