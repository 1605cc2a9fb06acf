/* Executes the functions of CUDA's runtime that kernels call: memory, streams, events and errors.
 * (builtin.c has launches.)
 *
 * As in CUDA, cudaMalloc() in a kernel allocates from the heap of malloc(). All grids that a kernel
 * launches run after the kernel, in launch order. So streams and events have no effect on the
 * order; a kernel can only create and destroy them. */
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/builtin.h"
#include "gpu/execute/child.h"
#include "gpu/execute/operations.h"

/* cudaStreamNonBlocking: streams that kernels create must have this flag */
#define NON_BLOCKING 1u
/* cudaEventDisableTiming: events that kernels create must have this flag */
#define DISABLE_TIMING 2u

/* Performs the call for one lane. Returns the error code. */
typedef uint32_t call_fn(struct warp *warp, const struct inst *inst, unsigned lane);

static void call_lanes(struct warp *warp, const struct inst *inst, uint32_t mask, call_fn *call)
{
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        builtin_set_error(warp, inst, lane, call(warp, inst, lane));
    }
}

/* Stores the low SIZE bytes of VALUE at the address in the call's first argument. If the address is
 * bad, reports a fault of the kernel and returns false. */
static bool store_result(struct warp *warp, const struct inst *inst, unsigned lane, uint64_t value,
                         unsigned size)
{
    const struct inst how = {.mem = {.space = PTX_GENERIC}};
    struct obs_access access = {.pc = warp->pc, .kind = OBS_STORE};
    uint8_t *host[WARP];
    uint64_t to = builtin_argument(warp, inst, 0, lane);
    access.bytes = access.element = (uint8_t)size;
    for (unsigned l = 0; l < WARP; l++)
        access.addr[l] = to;
    access_take_space(warp, &how, 1u << lane, &access);
    if (!access_find(warp, &access, 1u << lane, host))
        return false;
    memcpy(host[lane], &value, size);
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

static uint32_t allocate(struct warp *warp, const struct inst *inst, unsigned lane)
{
    uint64_t size = builtin_argument(warp, inst, 1, lane);
    uint64_t addr = size ? builtin_allocate(warp, size) : 0;
    store_result(warp, inst, lane, addr, 8);
    return addr || !size ? RT_SUCCESS : RT_NO_MEMORY;
}

static uint32_t release(struct warp *warp, const struct inst *inst, unsigned lane)
{
    uint64_t addr = builtin_argument(warp, inst, 0, lane);
    return builtin_free(warp, lane, addr) ? RT_SUCCESS : RT_INVALID_VALUE;
}

/* --- streams and events ----------------------------------------------------------------------- */

static uint32_t create(struct warp *warp, const struct inst *inst, unsigned lane,
                       enum child_handle kind, uint32_t flags)
{
    if (builtin_argument(warp, inst, 1, lane) != flags)
        return RT_INVALID_VALUE;
    uint64_t handle = child_create(warp->cta->launch->children, kind);
    store_result(warp, inst, lane, handle, 8);
    return handle ? RT_SUCCESS : RT_NO_MEMORY;
}

static uint32_t create_stream(struct warp *warp, const struct inst *inst, unsigned lane)
{
    return create(warp, inst, lane, CHILD_STREAM, NON_BLOCKING);
}

static uint32_t create_event(struct warp *warp, const struct inst *inst, unsigned lane)
{
    return create(warp, inst, lane, CHILD_EVENT, DISABLE_TIMING);
}

static bool has(const struct warp *warp, const struct inst *inst, unsigned lane, unsigned argument,
                enum child_handle kind)
{
    uint64_t handle = builtin_argument(warp, inst, argument, lane);
    return (kind == CHILD_STREAM && handle < CHILD_FIRST_HANDLE) ||
           child_has(warp->cta->launch->children, handle, kind);
}

static uint32_t destroy(const struct warp *warp, const struct inst *inst, unsigned lane,
                        enum child_handle kind)
{
    uint64_t handle = builtin_argument(warp, inst, 0, lane);
    bool known = child_destroy(warp->cta->launch->children, handle, kind);
    return known ? RT_SUCCESS : RT_INVALID_HANDLE;
}

static uint32_t destroy_stream(struct warp *warp, const struct inst *inst, unsigned lane)
{
    return destroy(warp, inst, lane, CHILD_STREAM);
}

static uint32_t destroy_event(struct warp *warp, const struct inst *inst, unsigned lane)
{
    return destroy(warp, inst, lane, CHILD_EVENT);
}

/* Performs cudaEventRecord(event, stream). */
static uint32_t record(struct warp *warp, const struct inst *inst, unsigned lane)
{
    bool good = has(warp, inst, lane, 0, CHILD_EVENT) && has(warp, inst, lane, 1, CHILD_STREAM);
    return good ? RT_SUCCESS : RT_INVALID_HANDLE;
}

/* Performs cudaStreamWaitEvent(stream, event, flags). */
static uint32_t wait(struct warp *warp, const struct inst *inst, unsigned lane)
{
    bool good = has(warp, inst, lane, 0, CHILD_STREAM) && has(warp, inst, lane, 1, CHILD_EVENT);
    return good ? RT_SUCCESS : RT_INVALID_HANDLE;
}

/* --- the device and errors -------------------------------------------------------------------- */

static uint32_t get_device(struct warp *warp, const struct inst *inst, unsigned lane)
{
    return store_result(warp, inst, lane, 0, 4) ? RT_SUCCESS : RT_INVALID_VALUE;
}

static uint32_t count_devices(struct warp *warp, const struct inst *inst, unsigned lane)
{
    return store_result(warp, inst, lane, 1, 4) ? RT_SUCCESS : RT_INVALID_VALUE;
}

static void last_error_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        builtin_set_result(warp, inst, lane, warp->runtime_error[lane]);
        warp->runtime_error[lane] = RT_SUCCESS;
    }
}

static void peek_error_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        builtin_set_result(warp, inst, lane, warp->runtime_error[lane]);
    }
}

/* --- the table -------------------------------------------------------------------------------- */

/* Defines NAME_run(), which performs the call for the lanes of a warp. */
#define CALL(name)                                                                                 \
    static void name##_run(struct warp *warp, const struct inst *inst, uint32_t mask)              \
    {                                                                                              \
        call_lanes(warp, inst, mask, name);                                                        \
    }
CALL(allocate)
CALL(release)
CALL(create_stream)
CALL(create_event)
CALL(destroy_stream)
CALL(destroy_event)
CALL(record)
CALL(wait)
CALL(get_device)
CALL(count_devices)

static const struct {
    const char *name; /* without the prefix "__cudaCDP2" */
    lane_fn *run;
} calls[] = {
    {"Malloc", allocate_run},
    {"Free", release_run},
    {"StreamCreateWithFlags", create_stream_run},
    {"StreamDestroy", destroy_stream_run},
    {"StreamWaitEvent", wait_run},
    {"StreamWaitEvent_ptsz", wait_run},
    {"EventCreateWithFlags", create_event_run},
    {"EventDestroy", destroy_event_run},
    {"EventRecord", record_run},
    {"EventRecord_ptsz", record_run},
    {"EventRecordWithFlags", record_run},
    {"EventRecordWithFlags_ptsz", record_run},
    {"GetDevice", get_device_run},
    {"GetDeviceCount", count_devices_run},
    {"GetLastError", last_error_run},
    {"PeekAtLastError", peek_error_run},
};

lane_fn *runtime_call_find(struct ptx_name name)
{
    static const char prefix[] = "__cudaCDP2";
    size_t skip = sizeof prefix - 1;
    if (name.length <= skip || strncmp(name.text, prefix, skip) != 0)
        return NULL;
    name.text += skip;
    name.length -= (uint32_t)skip;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (ptx_name_is(name, calls[i].name))
            return calls[i].run;
    return NULL;
}
