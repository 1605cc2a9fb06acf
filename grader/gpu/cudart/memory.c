/* Allocates device memory, page-locked host memory and managed memory. The library has its own list
 * of the memory that the program may free (ranges.c). The device's list is not enough, because it
 * also contains the variables of modules. Arrays are in array.c, pools in pool.c. */
#include "gpu/cudart/graphs.h"
#include "gpu/cudart/order.h"

#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* Allocates SIZE bytes of page-locked memory. The memory has whole pages to itself, because the
 * order check (order.h) protects whole pages. The pages before and after it are inaccessible. So
 * free() fails, as with memory from a GPU's driver, and an index past the end is detected. Returns
 * NULL when out of memory. */
static void *map_locked(size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t whole = whole_pages(size);
    char *map = mmap(NULL, whole + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map + PAGE, whole, PROT_READ | PROT_WRITE) == 0)
        return map + PAGE;
    munmap(map, whole + 2 * PAGE);
    return NULL;
}

static void unmap_locked(const void *memory, size_t size)
{
    munmap((char *)memory - PAGE, whole_pages(size) + 2 * PAGE);
}

/* Frees the memory of RANGE, which the caller has already removed from the list. */
static enum emu_status free_memory(struct emu_device *device, const struct rt_range *range)
{
    if (range->kind & (RT_HOST | RT_REGISTERED))
        rt_order_unshare(range);
    else
        rt_order_forget(range);
    if (range->kind == RT_GRAPH) {
        rt_graph_memory_freed(range->ptr);
        return EMU_OK;
    }
    enum emu_status status = emu_free(device, (emu_addr)range->ptr);
    if (range->kind == RT_MANAGED)
        rt_managed_unmap(range);
    if (range->kind == RT_POOL)
        rt_pool_freed(range);
    if (range->kind == RT_HOST)
        unmap_locked(range->ptr, range->size);
    return status;
}

void rt_memory_reset(struct emu_device *device)
{
    struct rt_range range;
    while (rt_range_take_any(~(unsigned)RT_VARIABLE, &range)) {
        free_memory(device, &range);
        range.freed = rt_caller();
        range.is_reset = true;
        rt_range_add_freed(range);
    }
}

/* --- device memory ---------------------------------------------------------------------------- */

/* Adds RANGE, which is new device memory, to the list of the program's memory. If that fails, frees
 * the memory. */
static cudaError_t hand_over(struct emu_device *device, void **ptr, struct rt_range range)
{
    emu_addr addr = (emu_addr)range.ptr;
    bool is_managed = range.kind == RT_MANAGED;
    if (is_managed && !rt_managed_add(device, addr, range.size, range.kind, range.flags)) {
        emu_free(device, addr);
        return rt_unsupported("cudaMallocManaged() at an address that the host already uses");
    }
    if (!is_managed && !rt_range_add(range)) {
        emu_free(device, addr);
        return cudaErrorMemoryAllocation;
    }
    if (rt_range_find((void *)addr, &range))
        emu_set_place(device, addr, range.made, false);
    *ptr = (void *)addr;
    return cudaSuccess;
}

void rt_note_fill(struct emu_device *device, const void *to, size_t size)
{
    if (rt_range_fill(to, size))
        emu_set_place(device, (emu_addr)to, rt_caller(), true);
}

/* Allocates SIZE bytes of device memory for the program. SIZE is not 0. */
static cudaError_t allocate(struct emu_device *device, void **ptr, size_t size, enum rt_kind kind,
                            unsigned flags)
{
    emu_addr addr;
    cudaError_t error = rt_error(emu_alloc(device, size, &addr));
    if (error != cudaSuccess)
        return error;
    struct rt_range range = {.ptr = (void *)addr, .size = size, .kind = kind, .flags = flags};
    return hand_over(device, ptr, range);
}

cudaError_t rt_allocate(void **ptr, size_t size, enum rt_kind kind, unsigned flags)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!ptr)
        return cudaErrorInvalidValue;
    if (size == 0) {
        *ptr = NULL;
        return cudaSuccess;
    }
    return allocate(device, ptr, size, kind, flags);
}

cudaError_t rt_free(struct emu_device *device, void *ptr)
{
    struct rt_range range;
    if (!rt_range_take(ptr, RT_DEVICE | RT_POOL | RT_MANAGED | RT_GRAPH, &range)) {
        rt_report_bad_free(ptr);
        return cudaErrorInvalidValue;
    }
    enum emu_status status = free_memory(device, &range);
    range.freed = rt_caller();
    emu_set_place(device, (emu_addr)ptr, range.freed, false);
    rt_range_add_freed(range);
    return rt_error(status);
}

cudaError_t cudaMalloc(void **ptr, size_t size)
{
    return rt_return(rt_allocate(ptr, size, RT_DEVICE, 0));
}

cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(rt_allocate(ptr, size, RT_MANAGED, flags));
}

static cudaError_t allocate_rows(void **ptr, size_t *pitch, size_t width, size_t height,
                                 size_t depth)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    emu_addr addr;
    uint64_t row_pitch, rows;
    if (error != cudaSuccess)
        return error;
    if (width == 0 || height == 0 || depth == 0) {
        *ptr = NULL;
        *pitch = 0;
        return cudaSuccess;
    }
    if (__builtin_mul_overflow(height, depth, &rows))
        return cudaErrorMemoryAllocation;
    error = rt_error(emu_alloc_rows(device, width, rows, &addr, &row_pitch));
    if (error != cudaSuccess)
        return error;
    *pitch = row_pitch;
    struct rt_range range = {.ptr = (void *)addr,
                             .size = row_pitch * rows,
                             .kind = RT_DEVICE,
                             .pitch = row_pitch,
                             .width = width};
    return hand_over(device, ptr, range);
}

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    if (!ptr || !pitch)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(allocate_rows(ptr, pitch, width, height, 1));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    void *ptr;
    size_t pitch;
    if (!pitched || extent.width > RT_MAX_PITCH)
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = allocate_rows(&ptr, &pitch, extent.width, extent.height, extent.depth);
    if (error == cudaSuccess)
        *pitched = (struct cudaPitchedPtr){ptr, ptr ? pitch : 0, extent.width, extent.height};
    return rt_return(error);
}

/* Checks that no work in flight uses the memory at PTR, before the host frees it. This is needed
 * because only cudaFree() waits for all work, and even cudaFree() does not wait for memory from
 * cudaMallocAsync(). The functions that free page-locked memory do not promise to wait. */
static void check_free(void *ptr)
{
    struct rt_range range;
    if (ptr && rt_range_find(ptr, &range) && range.ptr == ptr &&
        range.kind & (RT_POOL | RT_HOST | RT_REGISTERED))
        rt_order_host_frees(&range);
}

static cudaError_t release(void *ptr)
{
    struct emu_device *device;
    check_free(ptr);
    cudaError_t error = rt_wait(&device);
    return error == cudaSuccess && ptr ? rt_free(device, ptr) : error;
}

cudaError_t cudaFree(void *ptr)
{
    return rt_return(release(ptr));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return rt_return(error);
    uint64_t available, total;
    emu_memory(device, &available, &total);
    if (free_bytes)
        *free_bytes = available;
    if (total_bytes)
        *total_bytes = total;
    return cudaSuccess;
}

/* --- page-locked host memory; kernels access it at its host address --------------------------- */

/* Lends SIZE bytes of host memory to the device, and adds them to the list of ranges. */
static cudaError_t lend(struct emu_device *device, void *memory, size_t size, enum rt_kind kind,
                        unsigned flags)
{
    struct rt_range range = {.ptr = memory, .size = size, .kind = kind, .flags = flags};
    if (!rt_range_add(range))
        return cudaErrorHostMemoryAlreadyRegistered;
    enum emu_status status = emu_lend(device, (emu_addr)memory, memory, size);
    if (status == EMU_OK)
        rt_order_share(&range);
    else
        rt_range_take(memory, kind, &range);
    return rt_error(status);
}

static cudaError_t allocate_host(void **ptr, size_t size, unsigned flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!ptr || (flags & ~known))
        return cudaErrorInvalidValue;
    *ptr = NULL;
    if (size == 0)
        return cudaSuccess;
    void *memory = map_locked(size);
    if (!memory)
        return cudaErrorMemoryAllocation;
    error = lend(device, memory, size, RT_HOST, flags);
    if (error == cudaSuccess)
        *ptr = memory;
    else
        unmap_locked(memory, size);
    return error;
}

cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned flags)
{
    return rt_return(allocate_host(ptr, size, flags));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return rt_return(allocate_host(ptr, size, cudaHostAllocDefault));
}

cudaError_t cudaFreeHost(void *ptr)
{
    struct emu_device *device;
    struct rt_range range;
    check_free(ptr);
    cudaError_t error = rt_wait(&device);
    if (error != cudaSuccess || !ptr)
        return rt_return(error);
    if (!rt_range_take(ptr, RT_HOST, &range)) {
        rt_report_bad_free(ptr);
        return rt_return(cudaErrorInvalidValue);
    }
    range.freed = rt_caller();
    rt_range_add_freed(range);
    return rt_return(rt_error(free_memory(device, &range)));
}

static cudaError_t register_host(void *ptr, size_t size, unsigned flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    struct emu_device *device;
    struct rt_range range;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!ptr || !size || (flags & ~known) || !rt_is_mapped(ptr, size) ||
        (rt_range_find(ptr, &range) && range.kind != RT_REGISTERED))
        return cudaErrorInvalidValue;
    if (flags & cudaHostRegisterIoMemory)
        return cudaErrorNotSupported;
    return lend(device, ptr, size, RT_REGISTERED, flags);
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
    return rt_return(register_host(ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr)
{
    struct emu_device *device;
    struct rt_range range;
    check_free(ptr);
    cudaError_t error = rt_wait(&device);
    if (error != cudaSuccess)
        return rt_return(error);
    if (!ptr || (rt_range_find(ptr, &range) && range.kind != RT_REGISTERED))
        return rt_return(cudaErrorInvalidValue);
    if (!rt_range_take(ptr, RT_REGISTERED, &range))
        return rt_return(cudaErrorHostMemoryNotRegistered);
    return rt_return(rt_error(free_memory(device, &range)));
}

static cudaError_t find_host(const void *ptr, struct rt_range *range)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    bool found = rt_range_find(ptr, range) && range->kind & (RT_HOST | RT_REGISTERED);
    return found ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaHostGetDevicePointer(void **device_ptr, void *host, unsigned flags)
{
    struct rt_range range;
    if (!device_ptr || flags)
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = find_host(host, &range);
    if (error == cudaSuccess)
        *device_ptr = host;
    return rt_return(error);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    struct rt_range range;
    if (!flags)
        return rt_return(cudaErrorInvalidValue);
    cudaError_t error = find_host(host, &range);
    /* as on a GPU with unified addressing, host memory is always mapped */
    if (error == cudaSuccess)
        *flags = range.flags | cudaHostAllocMapped;
    return rt_return(error);
}
