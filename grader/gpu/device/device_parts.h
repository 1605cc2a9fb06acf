/* The device's data, shared by device.c and device_launch.c, which runs kernels. */
#ifndef GPU_DEVICE_DEVICE_PARTS_H
#define GPU_DEVICE_DEVICE_PARTS_H

#include <pthread.h>

#include "gpu/device.h"
#include "gpu/execute/launch.h"
#include "gpu/memory/heap.h"
#include "gpu/memory/memory.h"

#define MAX_STACK (512u << 10) /* bytes per thread */

struct module {
    struct ptx_module *ptx;
    uint64_t *variables; /* address of each module variable, in order; 0: none */
    struct module *next;
    uint32_t id;
};

struct kernel_handle {
    struct module *module;
    struct kernel *kernel;
    /* Warp instructions per CTA: the highest average of a launch so far; 0: unknown. */
    uint64_t cta_instructions;
};

struct running;

struct emu_device {
    struct emu_options options;
    unsigned workers; /* of a launch, at most */
    pthread_mutex_t lock;
    struct memory memory;
    struct heap heap;
    struct output output;
    struct module *modules;
    struct kernel_handle *kernels; /* handle - 1 is the index */
    uint32_t kernel_count, kernel_room, next_module;
    uint64_t clock, launches, copies;
    struct emu_texture *textures; /* handle - 1 is the index; width 0: free */
    uint32_t texture_count;
    uint64_t limits[EMU_LIMITS];
    emu_addr workspace; /* for the barrier of cooperative launches; 0 until made */
    struct running *parked;
    uint32_t parked_count;
    uint64_t names; /* the number of launches parked so far */
};

/* Returns the failure STATUS and keeps the reason for emu_message(). */
__attribute__((format(printf, 2, 3))) enum emu_status device_failed(enum emu_status status,
                                                                    const char *format, ...);
enum emu_status device_unlock(struct emu_device *device, enum emu_status status);

/* The caller holds the lock. device_kernel() returns the kernel of a handle, or NULL and a
 * message. device_add_kernel() returns the handle of a kernel, which it decodes if it is new. */
const struct kernel *device_kernel(const struct emu_device *device, uint32_t handle);
/* The number of workers for CTA_COUNT CTAs of a kernel: each gets enough work. */
unsigned device_share(const struct emu_device *device, uint32_t handle, uint64_t cta_count);
/* Ends all parked launches (of MODULE, if it is not NULL): nothing will change for them any
 * more. */
void device_finish_parked(struct emu_device *device, const struct module *module);
enum emu_status device_add_kernel(struct emu_device *device, struct module *module,
                                  const struct ptx_function *function, uint32_t *handle);

#endif
