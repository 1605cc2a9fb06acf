/* Launches: what is checked and made ready before a kernel runs, and what is written down after. */
#include <stdlib.h>
#include <string.h>

#include "emulator/device_parts.h"
#include "emulator/occupancy.h"
#include "emulator/report/record.h"
#include "emulator/tools.h"

#define WORKSPACE_BYTES 64u /* for a barrier of the whole grid */

static enum emu_status check_launch(const struct emu_launch *request, const struct kernel *kernel)
{
    const struct ptx_function *f = kernel->function;
    const uint32_t *grid = request->grid, *block = request->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (!grid[0] || !grid[1] || !grid[2] || grid[0] > INT32_MAX || grid[1] > 65535 ||
        grid[2] > 65535)
        return device_failed(EMU_INVALID_CONFIG,
                             "a grid of %u x %u x %u blocks: each must be at least 1, and at most "
                             "2147483647 x 65535 x 65535",
                             grid[0], grid[1], grid[2]);
    if (!threads || block[0] > 1024 || block[1] > 1024 || block[2] > 64 ||
        threads > EMU_MAX_THREADS)
        return device_failed(
            EMU_INVALID_CONFIG,
            "a block of %u x %u x %u threads: each must be at least 1, and all together "
            "at most 1024",
            block[0], block[1], block[2]);
    if (threads > f->max_threads)
        return device_failed(EMU_INVALID_CONFIG,
                             "%llu threads a block; the kernel was built for %u",
                             (unsigned long long)threads, f->max_threads);
    if ((uint64_t)kernel->shared_bytes + request->dynamic_shared_bytes > EMU_MAX_SHARED)
        return device_failed(EMU_OUT_OF_RESOURCES,
                             "%u static and %u dynamic bytes of shared memory; a block may have %u",
                             kernel->shared_bytes, request->dynamic_shared_bytes, EMU_MAX_SHARED);
    if (kernel->local_bytes > MAX_STACK)
        return device_failed(EMU_OUT_OF_RESOURCES, "%u bytes of local memory; a thread may have %u",
                             kernel->local_bytes, MAX_STACK);
    if (request->param_bytes < f->param_bytes)
        return device_failed(EMU_INVALID_VALUE, "%u bytes of parameters where the kernel takes %u",
                             request->param_bytes, f->param_bytes);
    return EMU_OK;
}

static void fill_launch(struct emu_device *device, struct launch *launch, unsigned workers)
{
    const struct emu_launch *request = &launch->request;
    uint32_t static_bytes = (launch->kernel->shared_bytes + 15u) & ~15u;
    uint32_t dynamic = request->dynamic_shared_bytes;
    launch->threads = request->block[0] * request->block[1] * request->block[2];
    launch->warps = (launch->threads + WARP - 1) / WARP;
    launch->shared_bytes = dynamic ? static_bytes + dynamic : launch->kernel->shared_bytes;
    if (launch->kernel->special[PTX_SPECIAL_reserved_smem_1] != NO_SLOT) {
        launch->reserved_shared = RESERVED_SHARED + (16 - launch->shared_bytes % 16) % 16;
        launch->shared_bytes += launch->reserved_shared;
    }
    launch->local_bytes = launch->kernel->local_bytes;
    launch->own_bytes = (launch->kernel->function->local_bytes + 15u) & ~15u;
    if (launch->kernel->uses_stack && device->limits[EMU_STACK] > KERNEL_STACK)
        launch->local_bytes += (uint32_t)device->limits[EMU_STACK] - KERNEL_STACK;
    struct emu_demand demand = {launch->threads, launch->kernel->registers,
                                (uint64_t)launch->kernel->shared_bytes + dynamic};
    launch->occupancy = emu_occupancy(&demand);
    uint32_t ctas = EMU_MULTIPROCESSORS * (launch->occupancy.ctas ? launch->occupancy.ctas : 1);
    launch->resident =
        (ctas + workers - 1) / workers; /* registers are an estimate: 1 always fits */
    if (launch->resident > launch->cta_count)
        launch->resident = (uint32_t)launch->cta_count;
    launch->memory = &device->memory;
    launch->heap = &device->heap;
    launch->output = &device->output;
    launch->textures = device->textures;
    launch->texture_count = device->texture_count;
    device->output.assertion[0] = 0;
    device->output.limit = device->limits[EMU_PRINT];
    launch->limit = device->options.max_warp_instructions;
    launch->clock = device->clock;
    launch->grid_id = ++device->launches;
}

/* The heap is made when the first kernel that needs it is launched. */
static bool prepare_heap(struct emu_device *device, const struct kernel *kernel)
{
    if (!kernel->uses_heap || device->heap.first)
        return true;
    uint64_t bytes = device->limits[EMU_HEAP];
    struct mem_block *block = mem_alloc(&device->memory, bytes);
    if (block)
        block->is_heap = true;
    return block && heap_open(&device->heap, block->addr, bytes);
}

/* Cooperative groups keep the barrier of a grid in memory that the driver provides, zeroed. */
static bool prepare_workspace(struct emu_device *device, const struct emu_launch *request)
{
    if (!request->cooperative)
        return true;
    if (!device->workspace) {
        struct mem_block *block = mem_alloc(&device->memory, WORKSPACE_BYTES);
        if (block)
            mem_trust(block);
        device->workspace = block ? block->addr : 0;
    }
    uint8_t *bytes = mem_range(&device->memory, device->workspace, WORKSPACE_BYTES);
    if (bytes)
        memset(bytes, 0, WORKSPACE_BYTES);
    return bytes != NULL;
}

/* Where a grid stands among those that kernels launch. */
struct family {
    struct children *children;
    unsigned depth;
};

/* Those that watch each launch of this device. Returns how many. */
static unsigned choose_observers(const struct emu_device *device,
                                 const struct observer *observers[OBS_MAX])
{
    unsigned count = 0, tools = device->options.tools;
    if (!(tools & EMU_ONLY))
        tools |= EMU_COUNTERS | EMU_MEMCHECK | EMU_SYNCCHECK;
    if ((tools & EMU_COUNTERS) == EMU_COUNTERS)
        observers[count++] =
            device->options.rules == EMU_SECTOR ? &obs_counters : &obs_counters_by_old_rules;
    if (tools & EMU_MEMCHECK)
        observers[count++] = &obs_memcheck;
    if (tools & EMU_SYNCCHECK)
        observers[count++] = &obs_synccheck;
    if (device->options.tools & EMU_RACECHECK)
        observers[count++] = &obs_racecheck;
    if (device->options.tools & EMU_INITCHECK)
        observers[count++] = &obs_initcheck;
    if (device->options.tools & EMU_ORIGINS)
        observers[count++] = &obs_origins;
    if (device->options.trace)
        observers[count++] = &obs_recorder;
    return count;
}

/* Runs a grid, and writes down what it did. KERNEL is that of the request, and its children are no more than
 * noted. */
static enum emu_status run_grid(struct emu_device *device, const struct emu_launch *request,
                                const struct kernel *kernel, struct emu_counters *counters,
                                struct family family)
{
    const struct observer *observers[OBS_MAX];
    struct findings findings;
    struct emu_counters totals;
    struct obs_recording recording = {0};
    struct launch launch = {.request = *request, .kernel = kernel, .observers = observers};
    launch.options = &device->options;
    launch.observer_count = choose_observers(device, observers);
    launch.workspace = request->cooperative ? device->workspace : 0;
    launch.children = family.children;
    launch.depth = family.depth;
    launch.cta_count = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2];
    for (unsigned i = 0; i < launch.observer_count; i++)
        launch.wanted |= observers[i]->events;
    launch.seen = (struct obs_launch){kernel, &launch, &findings, &recording};
    unsigned workers =
        launch.cta_count < device->workers ? (unsigned)launch.cta_count : device->workers;
    fill_launch(device, &launch, workers);
    if (kernel->params_at)
        memcpy(mem_range(&device->memory, kernel->params_at, kernel->function->param_bytes),
               request->params, kernel->function->param_bytes);
    findings_init(&findings);
    enum emu_status status = launch_run(&launch, workers);
    launch_totals(&launch, &totals);
    device->clock += 4 * totals.value[EMU_longest_warp_instructions] + 1000;
    if (counters)
        *counters = totals;
    if (status != EMU_OK)
        device_failed(status, "%s",
                      findings.count ? findings.list[0].message : "nobody watched why");
    if (record_goes_on(&device->options))
        record_launch(device->options.record_fd, &launch, status, &totals);
    free(launch.per_instruction);
    free(recording.list);
    findings_free(&findings);
    return status;
}

static enum emu_status run_family(struct emu_device *device, const struct emu_launch *request,
                                  struct emu_counters *counters, unsigned depth);

static enum emu_status run_child(struct emu_device *device, struct module *module,
                                 struct child *child, unsigned depth)
{
    enum emu_status status =
        device_add_kernel(device, module, child->function, &child->request.kernel);
    if (status == EMU_OK)
        status = run_family(device, &child->request, NULL, depth);
    child_free(child);
    return status;
}

/* A grid, and then all that it has launched. */
static enum emu_status run_family(struct emu_device *device, const struct emu_launch *request,
                                  struct emu_counters *counters, unsigned depth)
{
    const struct kernel *kernel = device_kernel(device, request->kernel);
    enum emu_status status = kernel ? check_launch(request, kernel) : EMU_NOT_FOUND;
    if (status == EMU_OK && !prepare_heap(device, kernel))
        status = device_failed(EMU_OUT_OF_MEMORY, "no memory for the kernels' malloc()");
    if (status == EMU_OK && !prepare_workspace(device, request))
        status =
            device_failed(EMU_OUT_OF_MEMORY, "no memory for the barrier of a cooperative launch");
    if (status != EMU_OK)
        return status;
    struct children children;
    struct child *child;
    struct module *module = device->kernels[request->kernel - 1].module;
    children_init(&children);
    status = run_grid(device, request, kernel, counters, (struct family){&children, depth});
    while (status == EMU_OK && (child = children_take(&children)))
        status = run_child(device, module, child, depth + 1);
    children_free(&children, &device->heap);
    return status;
}

enum emu_status emu_launch(struct emu_device *device, const struct emu_launch *request,
                           struct emu_counters *counters)
{
    pthread_mutex_lock(&device->lock);
    return device_unlock(device, run_family(device, request, counters, 0));
}
