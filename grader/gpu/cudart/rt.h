/* What the files of the runtime library share. Not for programs: they see cuda_runtime_api.h.
 *
 *   program -> cuda*()            memory.c copy.c symbols.c launch.c function.c stream.c event.c ...
 *           -> rt_*() below       context.c (the one device, errors that stay), errors.c, module.c
 *           -> emu_*()            gpu/device.h
 *
 * The pattern of an API function: ask rt_device() or rt_wait() for the device, do the work, and give
 * the result to rt_return(), which counts the call and remembers errors for cudaGetLastError. Nothing here ends the
 * process, and every function may be called from any thread.
 *
 * Error codes are those that CUDA 13.0's runtime gives on a GPU of compute capability 9.0; where its
 * manual says something else, the measured code wins (grader/tests/test_cudart_errors.c lists them). */
#ifndef GPU_CUDART_RT_H
#define GPU_CUDART_RT_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "gpu/device.h"
#include "gpu/occupancy.h"
#include "gpu/virtual_gpu.h"

struct json_t;

/* --- options.c: LANEWISE_* in the environment, read once when the library is loaded -------------- */

const struct emu_options *rt_options(void);

/* --- context.c: the device, opened at the first call that needs it ------------------------------- */

/* The device for work that does not wait for kernels. Fails with the error of an earlier kernel that
 * a waiting call has already reported: such errors stay until the process ends. */
cudaError_t rt_device(struct emu_device **device);

/* The device for a call that waits for all work before it: where a kernel's error comes to light. */
cudaError_t rt_wait(struct emu_device **device);
/* The same for one that waits for what work in STREAM would wait for; and for one that does not wait. */
cudaError_t rt_wait_stream(cudaStream_t stream, struct emu_device **device);
cudaError_t rt_hear(struct emu_device **device);

/* The device as far as its record is concerned, whatever kernels did to it; NULL: there is none. */
struct emu_device *rt_recorder(void);

/* Notes that a kernel ended badly; the next rt_wait() will say so. */
void rt_fault(cudaError_t error);
/* Whether a kernel has ended badly: what is queued after it never runs. */
bool rt_faulted(void);
/* How: cudaSuccess if none has. */
cudaError_t rt_pending(void);

/* --- errors.c ----------------------------------------------------------------------------------- */

/* What every API function ends with: counts the call, and remembers ERROR, if it is one, as this
 * thread's last error. Its value is ERROR. */
#define rt_return(error)                                                                           \
    ({                                                                                             \
        RT_CALLED();                                                                               \
        rt_remember(error);                                                                        \
    })
cudaError_t rt_remember(cudaError_t error);
cudaError_t rt_error(enum emu_status status);

/* Of a launch whose grid or block is out of range: since CUDA 13 that is an invalid value like any other. */
extern const cudaError_t rt_bad_shape;

/* --- calls.c: which API functions the program has called, and how often --------------------------- */

struct rt_call {
    const char *name;     /* __func__ */
    unsigned long count;  /* changed atomically, like the next */
    struct rt_call *next; /* in the list of those that have been called */
    bool listed;
};
void rt_count_call(struct rt_call *call);

/* Counts a call of the function that this stands in; for those that do not end with rt_return(). */
#define RT_CALLED()                                                                                \
    do {                                                                                           \
        static struct rt_call rt_call_here = {.name = __func__};                                   \
        rt_count_call(&rt_call_here);                                                              \
    } while (0)

/* --- finding.c: what the library itself has to tell the student ---------------------------------- */

/* Adds a finding, at the line where the program called the library, to the record; without a record, to
 * stderr, once. ID is one of findings.def. KERNEL is a mangled name or NULL. The text is one line. */
void rt_finding(const char *id, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about other places of the program's source; file NULL: unknown, or none. */
struct rt_places {
    struct emu_place at, allocated, freed;
};
void rt_finding_at(const char *id, const char *kernel, const struct rt_places *places,
                   unsigned count, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Appends VALUE, which is freed, to the record as one line. False: there is none, or it failed. */
bool rt_record(struct json_t *value);

/* The finding for something that Lanewise cannot do (yet). Returns cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *what);

/* --- place.c: the program's own source, by its debug information ---------------------------------- */

/* The line that called into this library, directly or through what the toolkit's headers define; file NULL
 * if there is no debug information. Files stay valid. */
struct emu_place rt_caller(void);
/* The line of the call that returns there. */
struct emu_place rt_place_of(const void *return_address);

/* --- misuse.c: memcheck's findings about calls of the program -------------------------------------- */

/* PTR cannot be freed: it was freed before, or was never allocated. */
void rt_tell_bad_free(const void *ptr);
/* SIZE bytes at PTR cannot be read or written by a copy or a fill, WHAT it does. */
void rt_tell_bad_range(struct emu_device *device, const char *what, const void *ptr, size_t size);
/* What was allocated on the device and not freed. */
void rt_tell_leaks(void);

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
    dim3 cluster;             /* that its launches have unless they say another; x is 0: none */
    bool wide_clusters;       /* they may have more than RT_PORTABLE_CLUSTER blocks */
    bool needs_cluster;       /* its launches must say one */
    struct rt_function *next; /* in its module */
};

/* Finds the kernel that FUNC stands for (a stub's address or a cudaKernel_t) and loads its module.
 * cudaErrorInvalidDeviceFunction for NULL, cudaErrorInvalidResourceHandle for what is not registered,
 * else what went wrong with the module: it stays so. */
cudaError_t rt_function(struct emu_device *device, const void *func, struct rt_function **function);

/* A module of code that is not in the executable: SIZE bytes of PTX and a NUL, which it takes over, even if this
 * fails. Like any other, it is loaded at the first use. */
cudaError_t rt_module_add(char *text, size_t size, struct rt_module **module);
/* Takes one that was added away, and unloads it. False: there is none. */
bool rt_module_remove(struct emu_device *device, struct rt_module *module);
/* The PTX of one that was added, or NULL: it is no live one. */
const char *rt_module_text(const struct rt_module *module);
/* Its kernel, and its variable, of that name. */
cudaError_t rt_module_kernel(struct emu_device *device, struct rt_module *module, const char *name,
                             struct rt_function **function);
cudaError_t rt_module_variable(struct emu_device *device, struct rt_module *module,
                               const char *name, emu_addr *addr, size_t *size);

/* Unloads everything from the device; it is loaded anew when it is used again. */
void rt_modules_reset(struct emu_device *device);

/* The address and size on the device of the variable that the program calls SYMBOL. */
cudaError_t rt_symbol(struct emu_device *device, const void *symbol, emu_addr *addr, size_t *size);

/* --- ranges.c: what the program has in memory, by address ----------------------------------------- */

enum rt_owner {
    RT_DEVICE = 1,      /* cudaMalloc and its like */
    RT_POOL = 2,        /* cudaMallocAsync */
    RT_MANAGED = 4,     /* cudaMallocManaged */
    RT_VARIABLE = 8,    /* a __managed__ variable */
    RT_HOST = 16,       /* page-locked by the runtime */
    RT_REGISTERED = 32, /* the program's own, page-locked afterwards */
    RT_GRAPH = 64       /* taken by a graph that was launched */
};
#define RT_ON_BOTH (RT_MANAGED | RT_VARIABLE | RT_HOST | RT_REGISTERED) /* host and device see it */

struct rt_range {
    const void *ptr;
    size_t size;
    enum rt_owner owner;
    unsigned flags;               /* what it was allocated with */
    unsigned long long id;        /* set by rt_range_add: no two ranges have the same */
    cudaMemPool_t pool;           /* of RT_POOL */
    struct emu_place made, freed; /* where the program does it, if it is known */
};

/* False if memory is out or the range overlaps another one. */
bool rt_range_add(struct rt_range range);
/* The range that holds PTR. */
bool rt_range_find(const void *ptr, struct rt_range *range);
/* Takes the range that begins at PTR out, if its owner is among OWNERS. */
bool rt_range_take(const void *ptr, unsigned owners, struct rt_range *range);
bool rt_range_take_any(unsigned owners, struct rt_range *range);
/* Remembers a range that was taken out as one that was freed. */
void rt_range_bury(struct rt_range range);
/* The one that PTR was in, unless something else is there now. */
bool rt_range_buried(const void *ptr, struct rt_range *range);
/* Calls VISIT with each range of OWNERS, by address. It must not change them. */
void rt_range_each(unsigned owners, void (*visit)(void *context, const struct rt_range *range),
                   void *context);

/* --- memory.c ------------------------------------------------------------------------------------- */

/* SIZE bytes on the device (or NULL for none), noted as OWNER's. */
cudaError_t rt_allocate(void **ptr, size_t size, enum rt_owner owner, unsigned flags);
/* Frees what the program allocated on the device. */
cudaError_t rt_free(struct emu_device *device, void *ptr);
/* Frees all that the program allocated on the device. */
void rt_memory_reset(struct emu_device *device);

/* --- pool.c: memory of a pool was freed ------------------------------------------------------------- */

void rt_pool_freed(const struct rt_range *range);

/* --- event.c ---------------------------------------------------------------------------------------- */

/* Whether EVENT is a live one that was made for other processes as well. */
bool rt_event_is_shared(cudaEvent_t event);
/* Records the event: all work before it in its stream is done. */
cudaError_t rt_event_record(cudaEvent_t event);

/* --- managed.c: memory that both sides see under one address -------------------------------------- */

/* Makes [ADDR, ADDR + SIZE) of the device, whose allocation the caller owns, readable and writable by
 * the host at the same address, and notes it. False: the host has something else there. */
bool rt_managed_add(struct emu_device *device, emu_addr addr, size_t size, enum rt_owner owner,
                    unsigned flags);
/* Takes the pages of a range away that is neither in the list nor on the device any more. */
void rt_managed_unmap(const struct rt_range *range);

/* --- advice.c: what was said about managed memory ------------------------------------------------- */

/* Whether COUNT bytes at PTR are managed memory. */
bool rt_is_managed(const void *ptr, size_t count);
cudaError_t rt_prefetch(const void *ptr, size_t count, struct cudaMemLocation location,
                        cudaStream_t stream);
/* The memory of this range is gone. */
void rt_advice_forget(const struct rt_range *range);

/* --- copy.c --------------------------------------------------------------------------------------- */

/* Whether the program has mapped all of these bytes. */
bool rt_is_mapped(const void *ptr, size_t size);

/* --- gpu.c ---------------------------------------------------------------------------------------- */

/* What attributes.def says of the virtual GPU; 0 if it says nothing. */
int rt_attribute(enum cudaDeviceAttr attribute);

/* --- launch.c, cluster.c, occupancy.c --------------------------------------------------------------- */

struct rt_launch; /* work.h */

/* How many blocks a cluster has if a launch asks for CLUSTER (x is 0: for nothing); x is 0 if nobody says. */
dim3 rt_cluster_of(const struct rt_function *function, dim3 cluster);
/* Whether LAUNCH, of which only grid, cluster and from are looked at, may have its clusters; if not, says why. */
cudaError_t rt_check_cluster(const struct rt_function *function, const struct rt_launch *launch);
/* What the attributes of a launch ask for; x is 0: nothing. */
dim3 rt_cluster_asked(const cudaLaunchConfig_t *config);

/* The program's line that launches, or else calls. */
struct emu_place rt_launch_place(const struct rt_launch *launch);
/* The dynamic shared memory that a block of FUNCTION may have. */
size_t rt_dynamic_limit(const struct rt_function *function);
/* What a block of a kernel with DYNAMIC bytes of shared memory asks of a multiprocessor. */
struct emu_demand rt_demand(const struct emu_kernel_info *info, unsigned threads, size_t dynamic);
/* An equal share of shared memory for each of BLOCKS blocks, less their static part: false if so many never fit. */
bool rt_dynamic_left(const struct emu_kernel_info *info, unsigned blocks, unsigned threads,
                     size_t *dynamic);

/* --- stream.c ------------------------------------------------------------------------------------- */

/* cudaSuccess, or cudaErrorInvalidResourceHandle for what is not a live stream. */
cudaError_t rt_stream(cudaStream_t stream);
/* rt_device() for work on STREAM: fails as it does, then as rt_stream(). */
cudaError_t rt_stream_device(cudaStream_t stream, struct emu_device **device);

/* Where a live stream keeps its view of a capture (graphs.h); NULL for the default stream, which has none. */
struct rt_capture **rt_stream_capture(cudaStream_t stream);

/* The priority, of those that there are, that is nearest to the one WANTED. */
int rt_stream_priority(int wanted);

/* --- per_thread.c --------------------------------------------------------------------------------- */

/* Whether the API function that this thread is in was built to mean its own stream by the default one. */
bool rt_default_is_own(void);

#endif
