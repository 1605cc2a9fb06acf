/* The device's data, which the files of this folder share: device.c opens and closes the device,
 * device_memory.c and rows.c copy memory, device_modules.c loads modules, and device_launch.c runs
 * kernels. */
#ifndef GPU_DEVICE_DEVICE_PARTS_H
#define GPU_DEVICE_DEVICE_PARTS_H

#include <pthread.h>

#include "gpu/device.h"
#include "gpu/execute/launch.h"
#include "gpu/memory/heap.h"
#include "gpu/memory/memory.h"
#include "gpu/record/repeats.h"

#define MAX_STACK (512u << 10) /* bytes per thread */

struct module {
    struct ptx_module *ptx;
    /* address of each module variable, at index number - 1, or 0 if it has no address */
    uint64_t *variables;
    struct module *next;
    uint32_t id;
};

struct kernel_handle {
    struct module *module;
    struct kernel *kernel;
    /* highest average of warp instructions per CTA in any launch so far, or 0 if unknown */
    uint64_t cta_instructions;
};

struct running;
struct schedule;

struct emu_device {
    struct emu_options options;
    unsigned workers; /* highest number of workers of a launch */
    pthread_mutex_t lock;
    struct memory memory;
    struct heap heap;
    struct conditions conditions;
    struct output output;
    struct module *modules;
    struct kernel_handle *kernels; /* kernel handle h is at index h - 1 */
    uint32_t kernel_count, kernel_room, next_module;
    uint64_t clock, launches, copies;
    /* nanoseconds for %globaltimer: the sum of the predicted times of all launches so far */
    double timer;
    uint64_t watch_cost; /* cost of the watch (see struct launch) of all launches so far */
    /* texture handle h is at index h - 1; an entry with width 0 is free */
    struct emu_texture *textures;
    uint32_t texture_count;
    uint64_t limits[EMU_LIMITS];
    /* memory for the barrier of cooperative launches, or 0 before it is allocated */
    emu_addr workspace;
    struct running *parked;
    uint32_t parked_count;
    struct repeats repeats;
    struct predictor *predictor; /* NULL if the options name no chip */
    struct schedule *schedule;   /* NULL if the options name no chip */
    uint64_t last_number;        /* number of the latest parked launch; the first has number 1 */
};

/* Returns STATUS, an error, and keeps the formatted reason for emu_message(). */
__attribute__((format(printf, 2, 3))) enum emu_status device_failed(enum emu_status status,
                                                                    const char *format, ...);
/* Unlocks the device and returns STATUS. */
enum emu_status device_unlock(struct emu_device *device, enum emu_status status);

/* Call the functions below only with the device's lock held. */

/* Returns the kernel with this handle. If there is none, sets the message and returns NULL. */
const struct kernel *device_kernel(const struct emu_device *device, uint32_t handle);
/* Returns the number of workers for a launch of CTA_COUNT CTAs. The number is so low that each
 * worker has enough work. */
unsigned device_share(const struct emu_device *device, uint32_t handle, uint64_t cta_count);
/* Frees MODULE, its variables and its kernels. MODULE must no longer be in the device's list. */
void device_close_module(struct emu_device *device, struct module *module);
/* Ends all parked launches. Called when the host can no longer change memory for them. If MODULE is
 * not NULL, ends only launches of its kernels. */
void device_finish_parked(struct emu_device *device, const struct module *module);
/* Finds the kernel's handle. Decodes the kernel first if it is new. */
enum emu_status device_add_kernel(struct emu_device *device, struct module *module,
                                  const struct ptx_function *function, uint32_t *handle);

#endif
