/* Reports the program's calls as steps of the device's timeline (emu_step() in gpu/device.h). */
#include "gpu/cudart/timing.h"

/* Returns the device if it predicts when work runs. Otherwise returns NULL. */
static struct emu_device *timed_device(void)
{
    struct emu_device *device = rt_device_or_null();
    return device && emu_is_timed(device) ? device : NULL;
}

static void take(struct emu_device *device, struct rt_order order, struct emu_step step)
{
    step.stream = order.stream;
    step.flags |=
        (order.is_legacy ? EMU_STEP_LEGACY : 0) | (order.is_blocking ? EMU_STEP_BLOCKING : 0);
    emu_step(device, &step);
}

static uint64_t number_of(cudaEvent_t event)
{
    return (uint64_t)(uintptr_t)event;
}

static uint32_t flags_of(enum emu_step_type type, cudaEvent_t event)
{
    return type == EMU_STEP_RECORD && rt_event_is_of_graph(event) ? EMU_STEP_FREE : 0;
}

/* --- work ------------------------------------------------------------------------------------- */

static struct emu_step step_of_copy(struct emu_device *device, const struct cudaMemcpy3DParms *copy)
{
    struct rt_route route = rt_copy_route(device, copy);
    bool is_on_host = route.from_host && route.to_host;
    return (struct emu_step){.work = is_on_host || !route.bytes ? EMU_ON_THE_HOST
                                     : route.from_host          ? EMU_COPY_TO_DEVICE
                                     : route.to_host            ? EMU_COPY_FROM_DEVICE
                                                                : EMU_COPY_ON_DEVICE,
                             .flags = route.is_pageable ? EMU_STEP_PAGEABLE : 0,
                             .bytes = route.bytes,
                             .host = (emu_addr)(uintptr_t)route.host};
}

static struct emu_step step_of_fill(const struct cudaMemsetParams *fill)
{
    return (struct emu_step){.work = EMU_FILL_DEVICE,
                             .bytes = (uint64_t)fill->width * fill->elementSize * fill->height};
}

void rt_time_work(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                  bool blocks)
{
    struct emu_step step = {.type = EMU_STEP_WORK};
    if (!emu_is_timed(device))
        return;
    switch (work->type) {
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeWaitEvent:
        step.type = work->type == cudaGraphNodeTypeEventRecord ? EMU_STEP_RECORD : EMU_STEP_WAIT;
        step.event = number_of(work->event);
        step.flags = flags_of(step.type, work->event);
        if (!rt_event_clock(work->event))
            return;
        break;
    case cudaGraphNodeTypeKernel:
        step.work = EMU_IN_A_KERNEL;
        break;
    case cudaGraphNodeTypeMemcpy:
        step = step_of_copy(device, &work->copy);
        break;
    case cudaGraphNodeTypeMemset:
        step = step_of_fill(&work->fill);
        break;
    case cudaGraphNodeTypeHost:
        step.work = EMU_ON_THE_HOST;
        break;
    default:
        return;
    }
    bool crosses = step.work == EMU_COPY_TO_DEVICE || step.work == EMU_COPY_FROM_DEVICE ||
                   work->type != cudaGraphNodeTypeMemcpy;
    if (step.flags & EMU_STEP_PAGEABLE || (blocks && crosses))
        step.flags |= EMU_STEP_JOINS;
    take(device, order, step);
}

/* --- events and waits ------------------------------------------------------------------------- */

void rt_time_event(enum emu_step_type type, struct rt_order order, cudaEvent_t event)
{
    struct emu_device *device = timed_device();
    if (device)
        take(device, order,
             (struct emu_step){
                 .type = type, .event = number_of(event), .flags = flags_of(type, event)});
}

void rt_time_waits_stream(cudaStream_t stream)
{
    struct emu_device *device = timed_device();
    if (device)
        take(device, rt_stream_order(stream), (struct emu_step){.type = EMU_STEP_HOST_STREAM});
}

void rt_time_waits_all(void)
{
    struct emu_device *device = timed_device();
    if (device)
        emu_step(device, &(struct emu_step){.type = EMU_STEP_HOST_ALL});
}

bool rt_time_between(cudaEvent_t start, cudaEvent_t end, float *milliseconds)
{
    struct emu_device *device = rt_options()->predicts_clock ? timed_device() : NULL;
    double from, to;
    if (!device || !emu_event_time(device, number_of(start), &from) ||
        !emu_event_time(device, number_of(end), &to))
        return false;
    *milliseconds = (float)((to - from) / 1e3);
    return true;
}

void rt_time_finish(void)
{
    struct emu_device *device = timed_device();
    if (device)
        emu_step(device, &(struct emu_step){.type = EMU_STEP_END});
}
