/* What the files of the runtime library share. Not for programs: they see cuda_runtime_api.h.
 *
 *   program -> cuda*()            memory.c copy.c symbols.c launch.c function.c stream.c event.c ...
 *           -> rt_*() below       context.c (the one device, errors that stay), errors.c, module.c
 *           -> emu_*()            emulator/device.h
 *
 * The pattern of an API function: ask rt_device() or rt_wait() for the device, do the work, and give
 * the result to rt_return(), which remembers errors for cudaGetLastError. Nothing here ends the
 * process, and every function may be called from any thread.
 *
 * Error codes are those that CUDA 13.0's runtime gives on a GPU of compute capability 9.0; where its
 * manual says something else, the measured code wins (grader/tests/test_cudart_errors.c lists them). */
#ifndef RT_H
#define RT_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "cudart/virtual_gpu.h"
#include "emulator/device.h"

/* --- options.c: LANEWISE_* in the environment, read once when the library is loaded -------------- */

const struct emu_options *rt_options(void);

/* --- context.c: the device, opened at the first call that needs it ------------------------------- */

/* The device for work that does not wait for kernels. Fails with the error of an earlier kernel that
 * a waiting call has already reported: such errors stay until the process ends. */
cudaError_t rt_device(struct emu_device **device);

/* The device for a call that waits for all work before it: where a kernel's error comes to light. */
cudaError_t rt_wait(struct emu_device **device);

/* Notes that a kernel ended badly; the next rt_wait() will say so. */
void rt_fault(cudaError_t error);
/* Whether a kernel has ended badly: what is queued after it never runs. */
bool rt_faulted(void);

/* --- errors.c ----------------------------------------------------------------------------------- */

/* Remembers ERROR, if it is one, as this thread's last error; returns it. */
cudaError_t rt_return(cudaError_t error);
cudaError_t rt_error(enum emu_status status);

/* --- finding.c: what the library itself has to tell the student ---------------------------------- */

/* Adds a finding of severity "error" to the record; without a record, to stderr, once.
 * KERNEL is a mangled name or NULL. The text is one line. */
void rt_finding(const char *id, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The finding for something that Lanewise cannot do (yet). Returns cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *what);

/* --- module.c: what the program registered before main ------------------------------------------- */

struct rt_module;

/* A kernel as the program knows it. Programs get its address as a cudaKernel_t. */
struct rt_function {
    const void *host; /* the address of the stub that stands for it in the program */
    char *name;       /* mangled, as PTX has it */
    struct rt_module *module;
    bool loaded;
    uint32_t kernel; /* valid once loaded, like info */
    struct emu_kernel_info info;
    int max_dynamic_shared; /* set by cudaFuncSetAttribute; -1: the default */
    int carveout;
    struct rt_function *next; /* in its module */
};

/* Finds the kernel that FUNC stands for (a stub's address or a cudaKernel_t) and loads its module.
 * cudaErrorInvalidDeviceFunction for NULL, cudaErrorInvalidResourceHandle for what is not registered,
 * else what went wrong with the module: it stays so. */
cudaError_t rt_function(struct emu_device *device, const void *func, struct rt_function **function);

/* Unloads everything from the device; it is loaded anew when it is used again. */
void rt_modules_reset(struct emu_device *device);

/* The address and size on the device of the variable that the program calls SYMBOL. */
cudaError_t rt_symbol(struct emu_device *device, const void *symbol, emu_addr *addr, size_t *size);

/* --- memory.c ------------------------------------------------------------------------------------- */

/* Frees all that the program allocated on the device. */
void rt_memory_reset(struct emu_device *device);

/* --- managed.c: memory that both sides see under one address -------------------------------------- */

/* Makes [ADDR, ADDR + SIZE) of the device, whose allocation the caller owns, readable and writable by
 * the host at the same address. False: the host has something else there. */
bool rt_managed_add(struct emu_device *device, emu_addr addr, size_t size);
/* Forgets the range that starts at ADDR; false if there is none. */
bool rt_managed_remove(emu_addr addr);
/* The managed range that holds ADDR; SIZE is what is left of it from there on. */
bool rt_managed_find(const void *addr, size_t *left);
/* Before a launch: what the host wrote becomes visible to the device. After it: the other way. */
void rt_managed_to_device(struct emu_device *device);
void rt_managed_to_host(struct emu_device *device);

/* --- copy.c --------------------------------------------------------------------------------------- */

/* Copies between any two sides as KIND says; TO and FROM are addresses as the program has them. */
cudaError_t rt_copy(struct emu_device *device, void *to, const void *from, size_t size,
                    enum cudaMemcpyKind kind);

/* --- launch.c, occupancy.c ------------------------------------------------------------------------ */

/* The dynamic shared memory that a block of FUNCTION may have. */
size_t rt_dynamic_limit(const struct rt_function *function);
/* Blocks of FUNCTION that one multiprocessor holds at a time. */
unsigned rt_blocks_per_sm(const struct emu_kernel_info *info, unsigned threads, size_t dynamic);
/* Registers a thread of it takes, as a multiprocessor hands them out. */
unsigned rt_registers(const struct emu_kernel_info *info);

/* --- stream.c ------------------------------------------------------------------------------------- */

/* cudaSuccess, or cudaErrorInvalidResourceHandle for what is not a live stream. */
cudaError_t rt_stream(cudaStream_t stream);

/* The same function under the name that programs built with --default-stream per-thread ask for:
 * work is done when it is queued, so the two default streams differ in nothing. */
#define RT_PER_THREAD(name, suffix)                                                                \
    extern __typeof__(name) name##suffix __attribute__((alias(#name)));

#endif
