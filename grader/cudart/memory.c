/* Allocation: device memory, page-locked host memory, managed memory. The library keeps its own list
 * of what the program may free: variables of modules live in the same device memory but are not
 * the program's. Copies are in copy.c, sharing of managed memory in managed.c. */
#include "cudart/rt.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

/* --- what the program may free --------------------------------------------------------------------- */

enum owner { DEVICE_MEMORY, MANAGED_MEMORY, HOST_MEMORY };

struct allocation {
    const void *ptr; /* an address of the device or of the host */
    enum owner owner;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *allocations; /* a tree of struct allocation, by ptr */

static int compare(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const struct allocation *)a)->ptr;
    uintptr_t right = (uintptr_t)((const struct allocation *)b)->ptr;
    return left < right ? -1 : left > right;
}

static bool remember(const void *ptr, enum owner owner)
{
    struct allocation *allocation = malloc(sizeof *allocation);
    if (!allocation)
        return false;
    *allocation = (struct allocation){ptr, owner};
    pthread_mutex_lock(&lock);
    bool done = tsearch(allocation, &allocations, compare) != NULL;
    pthread_mutex_unlock(&lock);
    if (!done)
        free(allocation);
    return done;
}

/* Takes PTR from the list if it is there and its owner is one of the two. */
static bool forget(const void *ptr, enum owner one, enum owner other, enum owner *owner)
{
    struct allocation key = {.ptr = ptr};
    struct allocation *found = NULL;
    pthread_mutex_lock(&lock);
    struct allocation **node = tfind(&key, &allocations, compare);
    if (node && ((*node)->owner == one || (*node)->owner == other)) {
        found = *node;
        tdelete(&key, &allocations, compare);
    }
    pthread_mutex_unlock(&lock);
    if (found)
        *owner = found->owner;
    free(found);
    return found != NULL;
}

static void reset_one(struct emu_device *device, const struct allocation *allocation)
{
    if (allocation->owner == MANAGED_MEMORY)
        rt_managed_remove((emu_addr)allocation->ptr);
    if (allocation->owner == HOST_MEMORY)
        free((void *)allocation->ptr);
    else
        emu_free(device, (emu_addr)allocation->ptr);
}

void rt_memory_reset(struct emu_device *device)
{
    pthread_mutex_lock(&lock);
    while (allocations) {
        struct allocation *first = *(struct allocation **)allocations;
        tdelete(first, &allocations, compare);
        reset_one(device, first);
        free(first);
    }
    pthread_mutex_unlock(&lock);
}

/* --- device memory ---------------------------------------------------------------------------------- */

/* SIZE > 0 bytes of the device for the program. */
static cudaError_t allocate(struct emu_device *device, void **ptr, size_t size, enum owner owner)
{
    emu_addr addr;
    cudaError_t error = rt_error(emu_alloc(device, size, &addr));
    if (error != cudaSuccess)
        return error;
    if (owner == MANAGED_MEMORY && !rt_managed_add(device, addr, size)) {
        emu_free(device, addr);
        return rt_unsupported("cudaMallocManaged in this program (its addresses are taken)");
    }
    if (!remember((void *)addr, owner)) {
        rt_managed_remove(addr);
        emu_free(device, addr);
        return cudaErrorMemoryAllocation;
    }
    *ptr = (void *)addr;
    return cudaSuccess;
}

static cudaError_t allocate_checked(void **ptr, size_t size, enum owner owner)
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
    return allocate(device, ptr, size, owner);
}

cudaError_t cudaMalloc(void **ptr, size_t size)
{
    return rt_return(allocate_checked(ptr, size, DEVICE_MEMORY));
}

cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(allocate_checked(ptr, size, MANAGED_MEMORY));
}

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    size_t row = (width + RT_PITCH - 1) / RT_PITCH * RT_PITCH, size;
    if (!ptr || !pitch)
        return rt_return(cudaErrorInvalidValue);
    if (row < width || __builtin_mul_overflow(row, height, &size))
        return rt_return(cudaErrorMemoryAllocation);
    cudaError_t error = allocate_checked(ptr, size, DEVICE_MEMORY);
    if (error == cudaSuccess)
        *pitch = row;
    return rt_return(error);
}

static cudaError_t release(void *ptr)
{
    struct emu_device *device;
    enum owner owner;
    cudaError_t error = rt_wait(&device);
    if (error != cudaSuccess || !ptr)
        return error;
    if (!forget(ptr, DEVICE_MEMORY, MANAGED_MEMORY, &owner))
        return cudaErrorInvalidValue;
    if (owner == MANAGED_MEMORY)
        rt_managed_remove((emu_addr)ptr);
    return rt_error(emu_free(device, (emu_addr)ptr));
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

/* --- page-locked host memory: to the emulator it is ordinary memory ----------------------------------- */

static cudaError_t allocate_host(void **ptr, size_t size, unsigned flags)
{
    enum {
        PAGE = 4096,
        KNOWN = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined
    };
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!ptr || (flags & ~KNOWN))
        return cudaErrorInvalidValue;
    *ptr = NULL;
    if (size == 0)
        return cudaSuccess;
    void *memory;
    if (posix_memalign(&memory, PAGE, size) != 0)
        return cudaErrorMemoryAllocation;
    if (!remember(memory, HOST_MEMORY)) {
        free(memory);
        return cudaErrorMemoryAllocation;
    }
    *ptr = memory;
    return cudaSuccess;
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
    enum owner owner;
    cudaError_t error = rt_wait(&device);
    if (error != cudaSuccess || !ptr)
        return rt_return(error);
    if (!forget(ptr, HOST_MEMORY, HOST_MEMORY, &owner))
        return rt_return(cudaErrorInvalidValue);
    free(ptr);
    return cudaSuccess;
}
