/* Declarations that the files of the runtime library share. Programs see cuda_runtime_api.h
 * instead.
 *
 *   program -> cuda*()         memory.c copy.c symbols.c launch.c function.c stream.c event.c ...
 *           -> rt_*() below    context.c (the device, and faults of kernels), errors.c, module.c
 *           -> emu_*()         gpu/device.h
 *
 * An API function gets the device from rt_device() or rt_wait(), does its work, and ends with
 * rt_return(), which counts the call and remembers an error for cudaGetLastError(). No function
 * ends the process, and any thread may call any function.
 *
 * Error codes are those of CUDA 13.0's runtime on a GPU of compute capability 9.0. Where NVIDIA's
 * manual disagrees, the measured code counts (grader/tests/gpu/cudart/api_*.expected).
 *
 * To add cudaFoo():
 *   1. Write it in the file of its subject, ending with rt_return(). Every cuda* name is exported.
 *   2. Delete its line in unsupported.def, if it has one.
 *   3. If nvcc's headers rename it to cudaFoo_ptsz or cudaFoo_ptds, add a line to per_thread.c.
 *   4. If it differs in CUDA 12, write cuda12_Foo() in cuda12/abi.c, with a line in cuda12/names.
 *   5. Call it in a test program, such as grader/tests/gpu/cudart/api_more.cu.
 * The linker reports a forgotten step 2, the test cudart/all_names_are_there a forgotten step 3. */
#ifndef GPU_CUDART_RT_H
#define GPU_CUDART_RT_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "gpu/device.h"
#include "gpu/occupancy.h"
#include "gpu/virtual_gpu.h"

struct json_t;

/* --- options.c: LANEWISE_... in the environment, read once when the library is loaded --------- */

const struct emu_options *rt_options(void);

/* --- context.c: the device, opened at the first call that needs it ---------------------------- */

/* The device for a call that does not wait. Fails if an earlier call has reported a kernel's fault:
 * every later call fails until the process ends. */
cudaError_t rt_device(struct emu_device **device);

/* The device for a call that waits for all earlier work. Reports the fault of an earlier kernel. */
cudaError_t rt_wait(struct emu_device **device);
/* The same for a call that waits only for what work in STREAM would have to wait for. */
cudaError_t rt_wait_stream(cudaStream_t stream, struct emu_device **device);
/* The same for a call that need not wait (any more), such as cudaStreamQuery(). */
cudaError_t rt_surface_fault(struct emu_device **device);

/* The device, even after a fault. NULL: it cannot be opened, or this is a forked child. */
struct emu_device *rt_device_or_null(void);

/* Notes a kernel's fault; the next rt_wait() reports it. */
void rt_fault(cudaError_t error);
/* Whether a kernel has faulted: work that is queued after it never runs. */
bool rt_faulted(void);
/* The error of the fault, or cudaSuccess. */
cudaError_t rt_fault_error(void);

/* --- errors.c --------------------------------------------------------------------------------- */

/* Every API function ends with it. Counts the call, remembers ERROR as the thread's last error
 * unless it is cudaSuccess, and returns ERROR. */
#define rt_return(error)                                                                           \
    ({                                                                                             \
        RT_CALLED();                                                                               \
        rt_remember(error);                                                                        \
    })
cudaError_t rt_remember(cudaError_t error);
cudaError_t rt_error(enum emu_status status);

/* The error of a grid or block out of range, which differs between CUDA 12 and 13. */
extern const cudaError_t rt_shape_error;

/* --- calls.c: which API functions the program has called, and how often ----------------------- */

struct rt_call {
    const char *name; /* __func__ */
    unsigned long count;
    struct rt_call *next; /* in the list of counters in use */
    bool listed;
};
void rt_count_call(struct rt_call *call);

/* Counts a call of the enclosing function, if it does not end with rt_return(). */
#define RT_CALLED()                                                                                \
    do {                                                                                           \
        static struct rt_call rt_call_here = {.name = __func__};                                   \
        rt_count_call(&rt_call_here);                                                              \
    } while (0)

/* --- finding.c: findings of the library itself ------------------------------------------------ */

/* Adds a finding to the record, at the line where the program called the library. Without a record,
 * prints it to stderr, once. ID is one of findings.def, KERNEL a mangled name or NULL. The text is
 * one line. */
void rt_finding(const char *id, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at another line, with related lines. A file of NULL: unknown, or no such line. COUNT is
 * how many times it happened. */
struct rt_places {
    struct emu_place at, allocated, freed;
};
void rt_finding_at(const char *id, const char *kernel, const struct rt_places *places,
                   unsigned count, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Appends VALUE to the record as one line, and frees it. False: no record, or writing failed. */
bool rt_record(struct json_t *value);

/* Reports WHAT as not supported by Lanewise. Returns cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *what);

/* --- place.c: lines of the program's source, by its debug information ------------------------- */

/* The line that called this library, directly or through functions in the toolkit's headers. The
 * file is NULL if there is no debug information. Names of files are never freed. */
struct emu_place rt_caller(void);
/* The line of the call that returns to RETURN_ADDRESS. */
struct emu_place rt_place_of(const void *return_address);

/* --- misuse.c: memcheck's findings about the program's calls ---------------------------------- */

/* PTR cannot be freed: it was freed before, or it was never allocated. */
void rt_report_bad_free(const void *ptr);
/* A copy or fill cannot access SIZE bytes at PTR. WHAT begins the message: "reads from". */
void rt_report_bad_range(struct emu_device *device, const char *what, const void *ptr, size_t size);
/* Device memory that was never freed. */
void rt_report_leaks(void);

/* --- module.c: kernels and variables that the program registered before main() ---------------- */

struct rt_module;

/* A kernel. Programs get its address as a cudaKernel_t. */
struct rt_function {
    const void *host; /* the address of its stub in the program; NULL in a library */
    char *name;       /* mangled, as in the PTX */
    struct rt_module *module;
    bool loaded;
    uint32_t kernel; /* valid once loaded, like info */
    struct emu_kernel_info info;
    int max_dynamic_shared; /* set by cudaFuncSetAttribute; -1: the default */
    int carveout;
    dim3 cluster;             /* the default cluster size of its launches; x is 0: none */
    bool wide_clusters;       /* clusters may have more than RT_PORTABLE_CLUSTER blocks */
    bool needs_cluster;       /* launches must set a cluster size */
    struct rt_function *next; /* in its module */
};

/* Finds the kernel that FUNC names (a stub's address or a cudaKernel_t) and loads its module.
 * cudaErrorInvalidDeviceFunction: FUNC is NULL. cudaErrorInvalidResourceHandle: not registered.
 * Other errors: the module cannot be loaded, now or later. */
cudaError_t rt_find_function(struct emu_device *device, const void *func,
                             struct rt_function **function);

/* Adds a library: a module whose code is not in the executable, but SIZE bytes of PTX and a NUL.
 * Takes over TEXT, even if it fails. Like every module it is loaded at its first use. */
cudaError_t rt_module_add(char *text, size_t size, struct rt_module **module);
/* Unloads and removes a library. False: MODULE is not a live library. */
bool rt_module_remove(struct emu_device *device, struct rt_module *module);
/* The PTX of a library; NULL: MODULE is not a live library. */
const char *rt_module_text(const struct rt_module *module);
/* The kernel and the variable called NAME of a library. */
cudaError_t rt_module_kernel(struct emu_device *device, struct rt_module *module, const char *name,
                             struct rt_function **function);
cudaError_t rt_module_variable(struct emu_device *device, struct rt_module *module,
                               const char *name, emu_addr *addr, size_t *size);

/* Unloads all modules from the device; they are loaded again when they are used. */
void rt_modules_reset(struct emu_device *device);

/* The device address and size of the variable that the program names SYMBOL. */
cudaError_t rt_find_symbol(struct emu_device *device, const void *symbol, emu_addr *addr,
                           size_t *size);

/* --- ranges.c: the program's memory, by address ----------------------------------------------- */

enum rt_kind {
    RT_DEVICE = 1,      /* from cudaMalloc() and the like */
    RT_POOL = 2,        /* from cudaMallocAsync() */
    RT_MANAGED = 4,     /* from cudaMallocManaged() */
    RT_VARIABLE = 8,    /* a __managed__ variable */
    RT_HOST = 16,       /* from cudaMallocHost() and the like */
    RT_REGISTERED = 32, /* allocated by the program itself, then cudaHostRegister() */
    RT_GRAPH = 64       /* allocated by the launch of a graph */
};
#define RT_ON_BOTH (RT_MANAGED | RT_VARIABLE | RT_HOST | RT_REGISTERED) /* host and device see it */

struct rt_range {
    const void *ptr;
    size_t size;
    enum rt_kind kind;
    unsigned flags;               /* of the allocating call */
    unsigned long long id;        /* unique, set by rt_range_add() */
    cudaMemPool_t pool;           /* of RT_POOL */
    struct emu_place made, freed; /* the program's lines that did it, if known */
};

/* False: out of memory, or the range overlaps another one. */
bool rt_range_add(struct rt_range range);
/* Finds the range that contains PTR. */
bool rt_range_find(const void *ptr, struct rt_range *range);
/* Removes the range that begins at PTR, if its kind is one of KINDS. */
bool rt_range_take(const void *ptr, unsigned kinds, struct rt_range *range);
/* Removes any range of KINDS. False: none is left. */
bool rt_range_take_any(unsigned kinds, struct rt_range *range);
/* Remembers a removed range as freed. */
void rt_range_add_freed(struct rt_range range);
/* Finds the freed range that contained PTR, unless a new range contains it now. */
bool rt_range_find_freed(const void *ptr, struct rt_range *range);
/* Calls VISIT with each range of KINDS, sorted by address. VISIT must not add or remove ranges. */
void rt_range_each(unsigned kinds, void (*visit)(void *context, const struct rt_range *range),
                   void *context);

/* --- memory.c --------------------------------------------------------------------------------- */

/* Allocates SIZE bytes of device memory as a range of KIND; *PTR is NULL if SIZE is 0. */
cudaError_t rt_allocate(void **ptr, size_t size, enum rt_kind kind, unsigned flags);
/* Frees device memory of the program. */
cudaError_t rt_free(struct emu_device *device, void *ptr);
/* Frees all memory of the program, except __managed__ variables. */
void rt_memory_reset(struct emu_device *device);

/* --- pool.c ----------------------------------------------------------------------------------- */

/* Counts RANGE, of RT_POOL, as freed. */
void rt_pool_freed(const struct rt_range *range);

/* --- event.c ---------------------------------------------------------------------------------- */

/* Whether EVENT is a live one that other processes may use too. */
bool rt_event_is_shared(cudaEvent_t event);
/* Records EVENT now: all work before it in its stream is done. */
cudaError_t rt_event_record(cudaEvent_t event);

/* --- managed.c: memory that host and device access under one address -------------------------- */

/* Maps host memory at the addresses of the SIZE bytes that the caller has allocated at ADDR, and
 * adds them as a range of KIND. False: the host already uses these addresses. */
bool rt_managed_add(struct emu_device *device, emu_addr addr, size_t size, enum rt_kind kind,
                    unsigned flags);
/* Unmaps the pages of a removed range that the device has freed. */
void rt_managed_unmap(const struct rt_range *range);

/* --- advice.c: advice and prefetches for managed memory --------------------------------------- */

/* Whether COUNT bytes at PTR are managed memory. */
bool rt_is_managed(const void *ptr, size_t count);
cudaError_t rt_prefetch(const void *ptr, size_t count, struct cudaMemLocation location,
                        cudaStream_t stream);
/* RANGE was freed: forgets the advice for it. */
void rt_advice_forget(const struct rt_range *range);

/* --- copy.c ----------------------------------------------------------------------------------- */

/* Whether all of these bytes are mapped in the process. */
bool rt_is_mapped(const void *ptr, size_t size);

/* --- gpu.c ------------------------------------------------------------------------------------ */

/* The value in attributes.def; 0 if the attribute is not there. */
int rt_attribute(enum cudaDeviceAttr attribute);

/* --- launch.c, cluster.c, occupancy.c --------------------------------------------------------- */

struct rt_launch; /* work.h */

/* The cluster size of a launch that asks for ASKED (x is 0: for none). Its x is 0: no clusters. */
dim3 rt_cluster_size(const struct rt_function *function, dim3 asked);
/* Whether LAUNCH may have its clusters; reports why not. Uses only its grid, cluster and from. */
cudaError_t rt_check_cluster(const struct rt_function *function, const struct rt_launch *launch);
/* The cluster size among the attributes of a launch. Its x is 0: none. */
dim3 rt_cluster_asked(const cudaLaunchConfig_t *config);

/* The program's line of the launch. */
struct emu_place rt_launch_place(const struct rt_launch *launch);
/* The most dynamic shared memory that a block of FUNCTION may have, in bytes. */
size_t rt_dynamic_limit(const struct rt_function *function);
/* The resources that a block with DYNAMIC bytes of dynamic shared memory needs. */
struct emu_demand rt_demand(const struct emu_kernel_info *info, unsigned threads, size_t dynamic);
/* *DYNAMIC: dynamic shared memory for each of BLOCKS blocks on one multiprocessor. False: so many
 * blocks do not fit. */
bool rt_dynamic_left(const struct emu_kernel_info *info, unsigned blocks, unsigned threads,
                     size_t *dynamic);

/* --- stream.c --------------------------------------------------------------------------------- */

/* cudaErrorInvalidResourceHandle if STREAM is not a live one. */
cudaError_t rt_check_stream(cudaStream_t stream);
/* rt_device(), then rt_check_stream(). */
cudaError_t rt_stream_device(cudaStream_t stream, struct emu_device **device);

/* Where a live stream stores its view of a capture (graphs.h). NULL: the legacy default stream,
 * which cannot be captured. */
struct rt_capture **rt_stream_capture(cudaStream_t stream);

/* The supported priority nearest to WANTED. */
int rt_stream_priority(int wanted);

/* --- per_thread.c ----------------------------------------------------------------------------- */

/* Whether this thread is in an API function for which stream 0 is the calling thread's stream. */
bool rt_default_is_per_thread(void);

#endif
