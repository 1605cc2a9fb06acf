/* Checks and prepares a launch, runs it and then records it. A parked launch keeps its CTAs,
 * counters and findings until it continues. */
#include <stdlib.h>
#include <string.h>

#include "gpu/chips.h"
#include "gpu/device/device_parts.h"
#include "gpu/device/schedule.h"
#include "gpu/execute/child.h"
#include "gpu/execute/heartbeat.h"
#include "gpu/lanes.h"
#include "gpu/occupancy.h"
#include "gpu/predict/predict.h"
#include "gpu/record/record.h"
#include "gpu/record/steps.h"
#include "gpu/tools.h"

#define WORKSPACE_BYTES 64u /* memory for a barrier of the whole grid */
/* largest number of parked launches; a GPU runs fewer launches at the same time */
#define MOST_PARKED 256u

/* An additional worker saves time if it executes at least this number of warp instructions. They
 * take about 0.1 ms, which is also the time to start a CPU thread and wait for its end. */
#define WORTH_A_WORKER 20000u

/* Writes to SIZE the number of CTAs in each of the launch's clusters, along x, y and z. */
static void cluster_of(const struct emu_launch *request, const struct ptx_function *f,
                       uint32_t size[3])
{
    static const uint32_t alone[3] = {1, 1, 1};
    const uint32_t *given = request->cluster[0] ? request->cluster : f->cluster;
    memmove(size, given[0] ? given : alone, sizeof alone);
}

static enum emu_status check_cluster(const struct emu_launch *request, const struct ptx_function *f)
{
    const uint32_t *grid = request->grid;
    uint32_t size[3], most = f->max_cluster ? f->max_cluster : EMU_MAX_CLUSTER;
    cluster_of(request, f, size);
    if (f->needs_cluster && !f->cluster[0] && !request->cluster[0])
        return device_failed(EMU_INVALID_CONFIG,
                             "the kernel needs a launch that sets the size of its clusters");
    if (f->cluster[0] && memcmp(size, f->cluster, sizeof size) != 0)
        return device_failed(
            EMU_INVALID_CONFIG,
            "the launch asks for clusters of %u x %u x %u blocks; the kernel was built for %u x %u x %u",
            size[0], size[1], size[2], f->cluster[0], f->cluster[1], f->cluster[2]);
    uint64_t ctas = 1;
    for (unsigned i = 0; i < 3; i++)
        ctas *= size[i] <= EMU_MAX_CLUSTER ? size[i] : EMU_MAX_CLUSTER + 1;
    if (!ctas || ctas > most || ctas > EMU_MAX_CLUSTER)
        return device_failed(
            EMU_INVALID_CONFIG,
            "clusters of %u x %u x %u blocks: each size must be at least 1, and their product at most %u",
            size[0], size[1], size[2], most);
    if (grid[0] % size[0] || grid[1] % size[1] || grid[2] % size[2])
        return device_failed(
            EMU_INVALID_CONFIG,
            "a grid of %u x %u x %u blocks cannot be divided into clusters of %u x %u x %u",
            grid[0], grid[1], grid[2], size[0], size[1], size[2]);
    return EMU_OK;
}

static enum emu_status check_launch(const struct emu_launch *request, const struct kernel *kernel)
{
    const struct ptx_function *f = kernel->function;
    const uint32_t *grid = request->grid, *block = request->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (!grid[0] || !grid[1] || !grid[2] || grid[0] > INT32_MAX || grid[1] > 65535 ||
        grid[2] > 65535)
        return device_failed(
            EMU_INVALID_CONFIG,
            "a grid of %u x %u x %u blocks: each size must be at least 1, and the grid at most 2147483647 x 65535 x 65535",
            grid[0], grid[1], grid[2]);
    if (!threads || block[0] > 1024 || block[1] > 1024 || block[2] > 64 ||
        threads > EMU_MAX_THREADS)
        return device_failed(
            EMU_INVALID_CONFIG,
            "a block of %u x %u x %u threads: each size must be at least 1, z at most 64, and the product at most 1024",
            block[0], block[1], block[2]);
    if (threads > f->max_threads)
        return device_failed(
            EMU_INVALID_CONFIG,
            "a block of %llu threads is too large; the kernel was built for at most %u",
            (unsigned long long)threads, f->max_threads);
    if ((uint64_t)kernel->shared_bytes + request->dynamic_shared_bytes > EMU_MAX_SHARED)
        return device_failed(
            EMU_OUT_OF_RESOURCES,
            "%u static plus %u dynamic bytes of shared memory is too much; a block can have at most %u",
            kernel->shared_bytes, request->dynamic_shared_bytes, EMU_MAX_SHARED);
    if (kernel->local_bytes > MAX_STACK)
        return device_failed(
            EMU_OUT_OF_RESOURCES,
            "the kernel needs %u bytes of local memory per thread; a thread can have at most %u",
            kernel->local_bytes, MAX_STACK);
    if (request->param_bytes < f->param_bytes)
        return device_failed(EMU_INVALID_VALUE,
                             "the launch passes %u bytes of parameters, but the kernel takes %u",
                             request->param_bytes, f->param_bytes);
    return check_cluster(request, f);
}

static void fill_launch(struct emu_device *device, struct launch *launch, unsigned workers)
{
    const struct emu_launch *request = &launch->request;
    uint32_t static_bytes = kernel_dynamic_shared(launch->kernel);
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
    launch->is_in_clusters = request->cluster[0] || launch->kernel->function->cluster[0];
    cluster_of(request, launch->kernel->function, launch->request.cluster);
    launch->cluster_size = request->cluster[0] * request->cluster[1] * request->cluster[2];
    struct emu_demand demand = {launch->threads, launch->kernel->registers,
                                (uint64_t)launch->kernel->shared_bytes + dynamic};
    launch->occupancy = emu_occupancy(&demand);
    uint32_t ctas = EMU_MULTIPROCESSORS * (launch->occupancy.ctas ? launch->occupancy.ctas : 1);
    /* The number of registers is an estimate. So if no CTA seems to fit on an SM, assume that one
     * CTA fits. */
    launch->resident = (ctas + workers - 1) / workers;
    if (launch->resident > launch->cta_count)
        launch->resident = (uint32_t)launch->cta_count;
    launch->resident =
        (launch->resident + launch->cluster_size - 1) / launch->cluster_size * launch->cluster_size;
    launch->memory = &device->memory;
    launch->predictor = device->predictor;
    launch->heap = &device->heap;
    launch->conditions = &device->conditions;
    launch->output = &device->output;
    device->output.assertion[0] = 0;
    device->output.limit = device->limits[EMU_PRINT];
    launch->limit = device->options.max_warp_instructions;
    launch->clock = device->clock;
    launch->timer = device->timer;
    launch->grid_id = ++device->launches;
}

/* Allocates the heap for malloc() in kernels, before the first launch of a kernel that needs it. */
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

/* Allocates or clears the memory in which cooperative groups keep a grid's barrier. On a GPU, the
 * driver provides this memory and zeroes it. */
static bool prepare_workspace(struct emu_device *device, const struct emu_launch *request)
{
    if (!request->cooperative)
        return true;
    if (!device->workspace) {
        struct mem_block *block = mem_alloc(&device->memory, WORKSPACE_BYTES);
        if (block)
            mem_assume_written(block);
        device->workspace = block ? block->addr : 0;
    }
    uint8_t *bytes = mem_range(&device->memory, device->workspace, WORKSPACE_BYTES);
    if (bytes)
        memset(bytes, 0, WORKSPACE_BYTES);
    return bytes != NULL;
}

unsigned device_share(const struct emu_device *device, uint32_t handle, uint64_t cta_count)
{
    uint64_t each = device->kernels[handle - 1].cta_instructions;
    /* smallest number of CTAs for which an additional worker saves time */
    uint64_t worth_one = each ? WORTH_A_WORKER / each + 1 : 1;
    uint64_t share = (cta_count - 1) / worth_one + 1;
    return share < device->workers ? (unsigned)share : device->workers;
}

/* Records the cost of a kernel's CTAs, in instructions, as a prediction for the kernel's next
 * launch. Keeps the highest cost, because too many workers waste less time than too few. */
static void note_share(struct emu_device *device, const struct launch *launch)
{
    struct kernel_handle *handle = &device->kernels[launch->request.kernel - 1];
    uint64_t each = launch->instructions / launch->cta_count + 1;
    if (each > handle->cta_instructions)
        handle->cta_instructions = each;
}

/* A launch from its beginning to its end, including the time while it is parked. */
struct running {
    struct launch launch;
    const struct observer *observers[OBS_MAX];
    struct findings findings;
    struct obs_recording recording;
    struct obs_touched touched;
    struct children children;
    struct module *module;
    /* These fields are only for a parked launch: its number, the value of memory.layout when it was
     * parked, and a copy of its parameters. */
    uint64_t number, layout;
    char *params;
    struct running *next;
};

/* The ranges that this thread's latest launch has touched (see emu_touched()). */
static _Thread_local struct obs_touched last_touched;

static void forget_touched(void)
{
    free(last_touched.list);
    last_touched = (struct obs_touched){0};
}

/* Adds the ranges that a grid has touched to last_touched. */
static void add_touched(const struct obs_touched *touched)
{
    size_t count = last_touched.count + touched->count;
    struct emu_touch *list =
        touched->count ? realloc(last_touched.list, count * sizeof *list) : NULL;
    if (!list)
        return;
    memcpy(list + last_touched.count, touched->list, touched->count * sizeof *list);
    last_touched = (struct obs_touched){list, count, count};
}

/* Returns the prediction for the launch that has just ended, or NULL if there is none. */
static const struct prediction *prediction_of(const struct emu_device *device)
{
    const struct prediction *p = device->predictor ? predictor_result(device->predictor) : NULL;
    return p && p->is_known ? p : NULL;
}

/* Advances the clocks that kernels read by the time of a launch that has ended. LONGEST is the
 * number of instructions of its longest warp. */
static void advance_clocks(struct emu_device *device, const struct prediction *p, uint64_t longest)
{
    bool predicts = device->options.predicts_clock && p;
    device->clock += predicts ? (uint64_t)(p->us * device->options.chip->clock_mhz) : 4 * longest;
    device->clock += 1000;
    device->timer += predicts ? p->us * 1000 : 0;
}

void emu_touched(struct emu_device *device, struct emu_touch **list, size_t *count)
{
    (void)device;
    *list = last_touched.list;
    *count = last_touched.count;
    last_touched = (struct obs_touched){0};
}

/* Copies the device's current state to the launch, because other calls may have changed this state
 * since the launch last ran. */
static void refresh(struct emu_device *device, struct launch *launch)
{
    const struct kernel *kernel = launch->kernel;
    launch->textures = device->textures;
    launch->texture_count = device->texture_count;
    if (kernel->params_at)
        memcpy(mem_range(&device->memory, kernel->params_at, kernel->function->param_bytes),
               launch->request.params, kernel->function->param_bytes);
}

/* Begins the launch of KERNEL that REQUEST describes. DEPTH is 0 if the host launched the grid. If
 * a kernel launched it, DEPTH is 1 more than the depth of that kernel's grid. COUNTED says that the
 * caller needs the counters. Returns NULL when out of memory. */
static struct running *begin(struct emu_device *device, const struct emu_launch *request,
                             const struct kernel *kernel, unsigned depth, bool counted)
{
    struct running *running = calloc(1, sizeof *running);
    if (!running)
        return NULL;
    struct launch *launch = &running->launch;
    running->module = device->kernels[request->kernel - 1].module;
    *launch = (struct launch){.request = *request, .kernel = kernel};
    launch->observers = running->observers;
    launch->options = &device->options;
    launch->is_counted = counted || emu_has_record(device);
    struct emu_options options = device->options;
    options.tools &= ~(unsigned)EMU_ORDERCHECK;
    options.tools |= request->touches ? EMU_ORDERCHECK : 0;
    launch->observer_count = observers_choose(&options, launch->is_counted, running->observers);
    launch->workspace = request->cooperative ? device->workspace : 0;
    launch->children = &running->children;
    launch->depth = depth;
    launch->may_park = request->may_park && device->parked_count < MOST_PARKED;
    launch->cta_count = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2];
    bool is_watched = false;
    for (unsigned i = 0; i < launch->observer_count; i++) {
        launch->wanted |= running->observers[i]->events;
        is_watched |= running->observers[i]->is_serial;
    }
    if (is_watched && device->options.watch_budget)
        launch->watch_limit = device->options.watch_budget - device->watch_cost;
    unsigned workers = device_share(device, request->kernel, launch->cta_count);
    fill_launch(device, launch, launch->watch_limit ? 1 : workers);
    launch_describe(launch, &running->findings, &running->recording);
    launch->view.touched = &running->touched;
    refresh(device, launch);
    children_init(&running->children);
    findings_init(&running->findings);
    launch_begin(launch, workers);
    return running;
}

static enum emu_status run_family(struct emu_device *device, const struct emu_launch *request,
                                  struct emu_counters *counters, unsigned depth);

static enum emu_status run_child(struct emu_device *device, struct module *module,
                                 struct child *child, unsigned depth, uint8_t touches)
{
    enum emu_status status =
        device_add_kernel(device, module, child->function, &child->request.kernel);
    child->request.touches = touches;
    if (status == EMU_OK)
        status = run_family(device, &child->request, NULL, depth);
    child_free(child);
    return status;
}

/* Adds the cost of a launch's watch (see struct launch) to the device's total. When the budget is
 * used up, ends the watch of all launches, including parked launches: their observers would
 * otherwise miss the accesses of later launches. */
static void pay_watch(struct emu_device *device, const struct launch *launch)
{
    device->watch_cost += launch->watch_limit ? launch->watch_cost : 0;
    if (!launch->watch_is_over &&
        (!launch->watch_limit || device->watch_cost < device->options.watch_budget))
        return;
    device->options.tools &= ~(unsigned)(EMU_RACECHECK | EMU_INITCHECK);
    for (struct running *parked = device->parked; parked; parked = parked->next)
        if (parked->launch.watch_limit && !parked->launch.watch_is_over)
            launch_end_watch(parked->launch.pool);
}

/* Returns, for the record, whether racecheck and initcheck saw "all" of the launch, "part" of it or
 * "none". Returns NULL if their cost is not limited. */
static const char *describe_watch(const struct emu_device *device, const struct launch *launch)
{
    if (!device->options.watch_budget)
        return NULL;
    return launch->watch_is_over ? "part" : launch->watch_limit ? "all" : "none";
}

/* Ends and records the launch, then runs the grids that its kernel has launched. */
static enum emu_status end(struct emu_device *device, struct running *running,
                           struct emu_counters *counters)
{
    struct launch *launch = &running->launch;
    struct emu_counters totals;
    struct child *child;
    enum emu_status status = launch_end(launch);
    launch_totals(launch, &totals);
    note_share(device, launch);
    if (counters)
        *counters = totals;
    if (status != EMU_OK)
        device_failed(status, "%s",
                      running->findings.count ? running->findings.list[0].message
                                              : "the launch failed, but no tool has reported why");
    struct record_result result = {status, &totals, launch->per_instruction,
                                   describe_watch(device, launch)};
    pay_watch(device, launch);
    if (record_is_open(&device->options))
        record_launch(device->options.record_fd, &device->repeats, &launch->view, &result);
    if (running->recording.steps)
        record_steps(device->options.steps->fd, &launch->view);
    const struct prediction *predicted = status == EMU_OK ? prediction_of(device) : NULL;
    if (device->schedule && status == EMU_OK && !launch->depth)
        schedule_launched(device->schedule, launch->kernel->function->name);
    if (predicted)
        schedule_predicted(predicted->us, predicted->share_of_chip);
    advance_clocks(device, predicted, totals.value[EMU_longest_warp_instructions]);
    free(launch->per_instruction);
    free(running->recording.list);
    stepper_free(running->recording.steps);
    findings_free(&running->findings);
    if (!running->number) /* the launch was never parked */
        add_touched(&running->touched);
    free(running->touched.list);
    while (status == EMU_OK && (child = children_take(&running->children)))
        status =
            run_child(device, running->module, child, launch->depth + 1, launch->request.touches);
    children_free(&running->children, &device->heap);
    free(running->params);
    free(running);
    return status;
}

static enum emu_status park(struct emu_device *device, struct running *running);

/* Runs a grid, then the grids that its kernel has launched. */
static enum emu_status run_family(struct emu_device *device, const struct emu_launch *request,
                                  struct emu_counters *counters, unsigned depth)
{
    const struct kernel *kernel = device_kernel(device, request->kernel);
    enum emu_status status = kernel ? check_launch(request, kernel) : EMU_NOT_FOUND;
    if (status == EMU_OK && !prepare_heap(device, kernel))
        status = device_failed(EMU_OUT_OF_MEMORY,
                               "the device has no memory for the heap of malloc() in kernels");
    if (status == EMU_OK && !prepare_workspace(device, request))
        status = device_failed(EMU_OUT_OF_MEMORY,
                               "the device has no memory for the barrier of a cooperative launch");
    struct running *running =
        status == EMU_OK ? begin(device, request, kernel, depth, counters != NULL) : NULL;
    if (!running)
        return status == EMU_OK ? device_failed(EMU_OUT_OF_MEMORY, "out of memory") : status;
    return launch_go(&running->launch) ? end(device, running, counters) : park(device, running);
}

bool emu_interrupt(void)
{
    return heartbeat_interrupt();
}

enum emu_status emu_launch(struct emu_device *device, const struct emu_launch *request,
                           struct emu_counters *counters)
{
    pthread_mutex_lock(&device->lock);
    forget_touched();
    return device_unlock(device, run_family(device, request, counters, 0));
}

/* --- parked launches -------------------------------------------------------------------------- */

static _Thread_local struct emu_parked last_parked;

struct emu_parked emu_parked(struct emu_device *device)
{
    (void)device;
    return last_parked;
}

static enum emu_status tell_parked(const struct running *running, bool has_changed)
{
    last_parked = (struct emu_parked){.launch = running->number,
                                      .sees_lent = launch_sees_lent(&running->launch),
                                      .has_changed = has_changed,
                                      .is_still = atomic_load(&running->launch.is_still)};
    return device_failed(EMU_PARKED, "the launch waits for memory to change");
}

/* Parks a launch. The launch gets its own copy of the parameters and keeps its workspace; later
 * launches get a new workspace. */
static enum emu_status park(struct emu_device *device, struct running *running)
{
    struct emu_launch *request = &running->launch.request;
    running->params = malloc(request->param_bytes + 1u);
    if (!running->params) {
        launch_stop(&running->launch, EMU_INTERNAL);
        launch_go(&running->launch);
        return end(device, running, NULL);
    }
    if (request->param_bytes)
        memcpy(running->params, request->params, request->param_bytes);
    request->params = running->params;
    if (request->cooperative)
        device->workspace = 0;
    running->layout = device->memory.layout;
    running->number = ++device->last_number;
    running->next = device->parked;
    device->parked = running;
    device->parked_count++;
    return tell_parked(running, true);
}

/* Removes a parked launch that has ended. */
static enum emu_status end_parked(struct emu_device *device, struct running *running)
{
    struct running **at = &device->parked;
    while (*at != running)
        at = &(*at)->next;
    *at = running->next;
    device->parked_count--;
    if (running->launch.request.cooperative)
        mem_free(&device->memory, running->launch.workspace);
    return end(device, running, NULL);
}

static enum emu_status go_on(struct emu_device *device, struct running *running,
                             enum emu_patience patience)
{
    struct launch *launch = &running->launch;
    uint64_t executed = atomic_load(&launch->executed), changes = launch_changes(launch);
    if (running->layout != device->memory.layout)
        launch_forget_memory(launch);
    running->layout = device->memory.layout;
    refresh(device, launch);
    launch->may_park = patience != EMU_FINISH;
    launch->request.alone = patience == EMU_FINISH;
    if (launch_go(launch))
        return end_parked(device, running);
    bool has_changed = launch_changes(launch) != changes;
    if (patience == EMU_POLL && !has_changed)
        atomic_store(&launch->executed, executed);
    return tell_parked(running, has_changed);
}

static enum emu_status abandon(struct emu_device *device, struct running *running)
{
    children_free(&running->children, &device->heap);
    children_init(&running->children);
    launch_stop(&running->launch, EMU_OK);
    launch_go(&running->launch);
    return end_parked(device, running);
}

static struct running *find_parked(const struct emu_device *device, uint64_t number)
{
    struct running *running = device->parked;
    while (running && running->number != number)
        running = running->next;
    if (!running)
        device_failed(EMU_NOT_FOUND, "there is no waiting launch with number %llu",
                      (unsigned long long)number);
    return running;
}

enum emu_status emu_go_on(struct emu_device *device, uint64_t launch, enum emu_patience patience)
{
    pthread_mutex_lock(&device->lock);
    struct running *running = find_parked(device, launch);
    return device_unlock(device, running ? go_on(device, running, patience) : EMU_NOT_FOUND);
}

enum emu_status emu_abandon(struct emu_device *device, uint64_t launch)
{
    pthread_mutex_lock(&device->lock);
    struct running *running = find_parked(device, launch);
    return device_unlock(device, running ? abandon(device, running) : EMU_NOT_FOUND);
}

/* Continues each parked launch until it ends or is parked again. If it is parked again because no
 * thread can continue unless memory changes, runs it to its end, which reports a deadlock. If it is
 * parked again for another reason, abandons it, because it may never end. */
void device_finish_parked(struct emu_device *device, const struct module *module)
{
    for (struct running *running = device->parked, *next; running; running = next) {
        next = running->next;
        if (module && running->module != module)
            continue;
        if (go_on(device, running, EMU_WAIT) != EMU_PARKED)
            continue;
        if (last_parked.is_still)
            go_on(device, running, EMU_FINISH);
        else
            abandon(device, running);
    }
}
