/* Implements access to device variables: __device__, __constant__ and __managed__. nvcc makes a
 * host variable for each of them. A program passes the address of this host variable, and
 * rt_find_symbol() finds the device variable. */
#include "gpu/cudart/work.h"

static cudaError_t find(const void *symbol, struct emu_device **device, emu_addr *addr,
                        size_t *size)
{
    cudaError_t error = rt_device(device);
    return error == cudaSuccess ? rt_find_symbol(*device, symbol, addr, size) : error;
}

cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol)
{
    struct emu_device *device;
    emu_addr addr;
    size_t size;
    if (!ptr)
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = find(symbol, &device, &addr, &size);
    if (error == cudaSuccess)
        *ptr = (void *)addr;
    return rt_return(error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    struct emu_device *device;
    emu_addr addr;
    size_t found;
    if (!size)
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = find(symbol, &device, &addr, &found);
    if (error == cudaSuccess)
        *size = found;
    return rt_return(error);
}

/* Sets *PART to the device address of SYMBOL + OFFSET. Fails if the variable has fewer than COUNT
 * bytes from there on. */
static cudaError_t find_part(const void *symbol, size_t count, size_t offset,
                             struct emu_device **device, char **part)
{
    emu_addr addr;
    size_t size;
    cudaError_t error = find(symbol, device, &addr, &size);
    if (error != cudaSuccess)
        return error;
    if (offset > size || count > size - offset)
        return cudaErrorInvalidValue;
    *part = (char *)addr + offset;
    return cudaSuccess;
}

cudaError_t rt_work_to_symbol(struct rt_work *work, const void *symbol, const void *from,
                              size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    struct emu_device *device;
    char *part;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = find_part(symbol, count, offset, &device, &part);
    if (error == cudaSuccess)
        *work = rt_work_of_bytes(part, from, count, kind);
    return error;
}

cudaError_t rt_work_from_symbol(struct rt_work *work, void *to, const void *symbol, size_t count,
                                size_t offset, enum cudaMemcpyKind kind)
{
    struct emu_device *device;
    char *part;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = find_part(symbol, count, offset, &device, &part);
    if (error == cudaSuccess)
        *work = rt_work_of_bytes(to, part, count, kind);
    return error;
}

/* Waits for earlier work, like all API functions without a stream. Reports the fault of an earlier
 * kernel. */
static cudaError_t wait(void)
{
    struct emu_device *device;
    return rt_wait_stream(cudaStreamDefault, &device);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    struct rt_work work;
    cudaError_t error = wait();
    if (error == cudaSuccess)
        error = rt_work_to_symbol(&work, symbol, from, count, offset, kind);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    struct rt_work work;
    cudaError_t error = wait();
    if (error == cudaSuccess)
        error = rt_work_from_symbol(&work, to, symbol, count, offset, kind);
    return rt_return(error == cudaSuccess ? rt_wait_and_run(&work) : error);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = rt_check_stream(stream);
    if (error == cudaSuccess)
        error = rt_work_to_symbol(&work, symbol, from, count, offset, kind);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_work work;
    cudaError_t error = rt_check_stream(stream);
    if (error == cudaSuccess)
        error = rt_work_from_symbol(&work, to, symbol, count, offset, kind);
    return rt_return(error == cudaSuccess ? rt_submit(stream, &work) : error);
}
