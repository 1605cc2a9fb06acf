/* Runs work, adds it to a graph that is being captured, or queues it. */
#include "gpu/cudart/graphs.h"
#include "gpu/cudart/order.h"
#include "gpu/cudart/timing.h"

static cudaError_t run_host(const struct cudaHostNodeParams *host)
{
    host->fn(host->userData);
    return cudaSuccess;
}

cudaError_t rt_run(struct emu_device *device, const struct rt_work *work)
{
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return rt_run_launch(device, &work->kernel);
    case cudaGraphNodeTypeMemcpy:
        return rt_run_copy(device, work);
    case cudaGraphNodeTypeMemset:
        return rt_run_fill(device, work);
    case cudaGraphNodeTypeHost:
        return run_host(&work->host);
    case cudaGraphNodeTypeEventRecord:
        return rt_event_record(work->event);
    case cudaGraphNodeTypeMemAlloc:
        return rt_graph_memory_allocate(work->memory);
    case cudaGraphNodeTypeMemFree:
        return rt_free(device, work->memory);
    default:
        return cudaSuccess;
    }
}

cudaError_t rt_check_work(struct emu_device *device, const struct rt_work *work)
{
    if (work->type == cudaGraphNodeTypeMemcpy)
        return rt_check_copy(device, &work->copy);
    return work->type == cudaGraphNodeTypeMemset ? rt_check_fill(device, &work->fill) : cudaSuccess;
}

cudaError_t rt_submit(cudaStream_t stream, const struct rt_work *work)
{
    struct emu_device *device;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error != cudaSuccess)
        return error;
    if (rt_is_capturing(stream))
        return rt_capture(stream, work);
    return rt_faulted() ? cudaSuccess : rt_queue(device, stream, work);
}

cudaError_t rt_wait_and_run(const struct rt_work *work)
{
    struct emu_device *device;
    cudaError_t error = rt_wait_stream(cudaStreamDefault, &device);
    if (error == cudaSuccess) {
        struct rt_ordered ordered;
        rt_order_begin(&ordered, cudaStreamDefault, work, true);
        error = rt_run(device, work);
        rt_order_end(&ordered, work, error == cudaSuccess);
        if (error == cudaSuccess)
            rt_time_work(device, rt_stream_order(cudaStreamDefault), work, true);
    }
    rt_resume_parked();
    return error;
}
