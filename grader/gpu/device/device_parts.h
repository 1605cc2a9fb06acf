/* The device itself, for the files behind device.h: device.c, and device_launch.c, which runs kernels. */
#ifndef GPU_DEVICE_DEVICE_PARTS_H
#define GPU_DEVICE_DEVICE_PARTS_H

#include <pthread.h>

#include "gpu/device.h"
#include "gpu/execute/launch.h"
#include "gpu/memory/heap.h"
#include "gpu/memory/memory.h"

#define MAX_STACK (512u << 10) /* bytes of a thread */

struct module {
    struct ptx_module *ptx;
    uint64_t *variables; /* address of each module variable, in their order; 0: none */
    struct module *next;
    uint32_t id;
};

struct kernel_handle {
    struct module *module;
    struct kernel *kernel;
    /* The most warp instructions that a CTA took, on the average of a launch; 0: not yet known. */
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
    struct emu_texture *textures; /* handle - 1 is the index; no width: free */
    uint32_t texture_count;
    uint64_t limits[EMU_LIMITS];
    emu_addr workspace; /* for the barrier of cooperative launches; 0 until there is one */
    struct running *parked;
    uint32_t parked_count;
    uint64_t names; /* that parked launches have been given */
};

/* STATUS, which is no success, and why: what emu_message() says. */
__attribute__((format(printf, 2, 3))) enum emu_status device_failed(enum emu_status status,
                                                                    const char *format, ...);
enum emu_status device_unlock(struct emu_device *device, enum emu_status status);

/* With the lock held: the kernel of a handle, or NULL and a message; and the handle of a kernel, which is
 * decoded if it is new. */
const struct kernel *device_kernel(const struct emu_device *device, uint32_t handle);
/* How many workers shall share so many CTAs of a kernel: no more than have enough to do. */
unsigned device_share(const struct emu_device *device, uint32_t handle, uint64_t cta_count);
/* Ends all parked launches (of MODULE, if it is not NULL): they have nothing to wait for any more. */
void device_finish_parked(struct emu_device *device, const struct module *module);
enum emu_status device_add_kernel(struct emu_device *device, struct module *module,
                                  const struct ptx_function *function, uint32_t *handle);

#endif
