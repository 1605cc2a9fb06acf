#include "cudart/work.h"

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
        return rt_run_copy(device, &work->copy);
    case cudaGraphNodeTypeMemset:
        return rt_run_fill(device, &work->fill);
    case cudaGraphNodeTypeHost:
        return run_host(&work->host);
    default: /* the other kinds are only found in graphs, which see to them */
        return cudaSuccess;
    }
}

cudaError_t rt_submit(cudaStream_t stream, const struct rt_work *work)
{
    struct emu_device *device;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error != cudaSuccess)
        return error;
    if (rt_is_capturing(stream))
        return rt_capture(stream, work);
    return rt_faulted() ? cudaSuccess : rt_run(device, work);
}

cudaError_t rt_do(const struct rt_work *work)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    return error == cudaSuccess ? rt_run(device, work) : error;
}
