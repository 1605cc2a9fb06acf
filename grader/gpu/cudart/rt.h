/* Declarations that the files of the runtime library share. Programs see cuda_runtime_api.h
 * instead.
 *
 *   program -> cuda*()         memory.c copy.c symbols.c launch.c function.c stream.c event.c ...
 *           -> rt_*() below    context.c (the device, and faults of kernels), errors.c, module.c
 *           -> emu_*()         gpu/device.h
 *
 * A fault is a kernel's error, such as an illegal address, that makes all later calls fail. A live
 * object (stream, event, array, ...) has been created and not yet destroyed.
 *
 * An API function gets the device from rt_device() or rt_wait(), does its work, and ends with
 * rt_return(), which counts the call and remembers an error for cudaGetLastError(). No function
 * ends the process, and any thread may call any function.
 *
 * Error codes are those of CUDA 13.0's runtime on a GPU of compute capability 9.0. Where NVIDIA's
 * manual disagrees, the measured code is right (grader/tests/gpu/cudart/api_*.expected).
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

/* Gets the device for a call that does not wait. Fails if an earlier call has reported a kernel's
 * fault; every call fails from then on until the process ends. */
cudaError_t rt_device(struct emu_device **device);

/* Gets the device for a call that waits for all earlier work. Fails after a kernel's fault, which
 * this call reports. */
cudaError_t rt_wait(struct emu_device **device);
/* Does the same as rt_wait(), but waits only for the work that must end before new work in STREAM
 * can run. */
cudaError_t rt_wait_stream(cudaStream_t stream, struct emu_device **device);
/* Does the same as rt_wait(), for a call that does not wait or has already waited, such as
 * cudaStreamQuery(). */
cudaError_t rt_surface_fault(struct emu_device **device);

/* Returns the device, even after a fault. Returns NULL if the device cannot be opened, or this is a
 * forked child. */
struct emu_device *rt_device_or_null(void);

/* Notes a kernel's fault; the next rt_wait() reports it. */
void rt_fault(cudaError_t error);
/* Returns whether a kernel has faulted. Work that is submitted after the fault never runs. */
bool rt_faulted(void);
/* Returns the error of the first fault, or cudaSuccess if there was none. */
cudaError_t rt_fault_error(void);

/* --- errors.c --------------------------------------------------------------------------------- */

/* Ends the program if Ctrl-C has stopped a kernel (interrupt.c). */
void rt_end_if_interrupted(void);

/* Ends an API function. It counts the call, remembers ERROR as the thread's last error unless it is
 * cudaSuccess, and returns ERROR. */
#define rt_return(error)                                                                           \
    ({                                                                                             \
        RT_CALLED();                                                                               \
        rt_end_call(__func__, error);                                                              \
    })
cudaError_t rt_remember(cudaError_t error);
/* Does the same as rt_return(), and also reports a call that failed, with a hint, unless a finding
 * has already given the reason. */
cudaError_t rt_end_call(const char *call, cudaError_t error); /* hints.c */
/* records that a finding explains the failure of this thread's current call */
void rt_note_report(void);
bool rt_is_reported(void);
cudaError_t rt_error(enum emu_status status);

/* The error for a grid or block of an invalid size, which differs between CUDA 12 and 13. */
extern const cudaError_t rt_shape_error;

/* --- calls.c: which API functions the program has called, and how often ----------------------- */

struct rt_call {
    const char *name; /* the function's __func__ */
    unsigned long count;
    struct rt_call *next; /* the next in the list of counters in use */
    bool listed;          /* the counter is in that list */
};
void rt_count_call(struct rt_call *call);

/* Counts a call of the enclosing function. It is for functions that do not end with rt_return(). */
#define RT_CALLED()                                                                                \
    do {                                                                                           \
        static struct rt_call rt_call_here = {.name = __func__};                                   \
        rt_count_call(&rt_call_here);                                                              \
    } while (0)

/* --- finding.c: findings of the library itself ------------------------------------------------ */

/* Adds a finding to the record, at the line where the program called the library. If there is no
 * record, prints the finding to stderr, once. ID is an id in findings.def; KERNEL is a mangled name
 * or NULL. The message must be one line. */
void rt_finding(const char *id, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does the same as rt_finding(), but at the line PLACES->at and with related lines. If a place's
 * file is NULL, the line is unknown or does not exist. COUNT is the number of times that the
 * finding happened. */
struct rt_places {
    struct emu_place at, allocated, freed, earlier;
    const char *earlier_text; /* describes EARLIER, such as "this work may still run" */
    const char *help;         /* what to do, or NULL for the finding's general advice */
};
void rt_finding_at(const char *id, const char *kernel, const struct rt_places *places,
                   unsigned count, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Returns KERNEL's name as people write it, such as k(int*), from its mangled name. The caller
 * frees it. Returns NULL when out of memory. */
char *rt_readable_name(const char *kernel);

/* Appends VALUE to the record as one line, and frees VALUE. Returns false if there is no record, or
 * writing failed. */
bool rt_record(struct json_t *value);

/* Reports that Lanewise does not support WHAT. Returns cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *what);

/* --- place.c: finds lines of the program's source in its debug information -------------------- */

/* Returns the program's line that called this library, directly or through functions in the
 * toolkit's headers. The file is NULL if there is no debug information. File names are never
 * freed. */
struct emu_place rt_caller(void);
/* Returns the program's innermost line among DEPTH return addresses. */
struct emu_place rt_place_in(void *const *stack, int depth);
/* Returns the line of the call that returns to RETURN_ADDRESS. */
struct emu_place rt_place_of(const void *return_address);

/* --- misuse.c: memcheck's findings about the program's calls ---------------------------------- */

/* Reports that PTR cannot be freed because it was freed before or never allocated. */
void rt_report_bad_free(const void *ptr);
/* Rows of WIDTH bytes, PITCH bytes apart, which take SIZE bytes together. */
struct rt_rows {
    size_t size, width, height, pitch;
};
/* Reports a copy or fill that cannot access ROWS at PTR. WHAT is the start of the message, such as
 * "reads from". */
void rt_report_bad_range(struct emu_device *device, const char *what, const void *ptr,
                         const struct rt_rows *rows);
/* Returns the most bytes that the program's array at PTR can have, if PTR is what malloc() has
 * returned. If that is not known, or the array has room for WANTED bytes, can return SIZE_MAX. */
size_t rt_host_room(const void *ptr, size_t wanted);
/* Reports a copy of ROWS to or from an array of the host that has only ROOM bytes. */
void rt_report_host_array(const char *what, const struct rt_rows *rows, size_t room);
/* Reports a row of WIDTH bytes that is longer than the pitch; WHOSE is "target's" or "source's". */
void rt_report_small_pitch(const char *whose, const void *ptr, size_t pitch, size_t width);
/* Reports pitches other than those with which the memory was allocated, and the GPU's pitch as that
 * of an array on the host. FROM may be NULL. */
void rt_check_pitches(const void *to, size_t to_pitch, const void *from, size_t from_pitch,
                      size_t width);
/* Reports device memory that was never freed. Before a reset, reports arrays only, because the
 * program may still try to free other memory. IS_END says that the program ends. */
void rt_report_leaks(bool is_end);

/* --- module.c: kernels and variables that the program registered before main() ---------------- */

struct rt_module;

/* A kernel. The address of this struct is also the cudaKernel_t that programs get. */
struct rt_function {
    const void *host; /* address of its stub in the program, or NULL in a library */
    char *name;       /* the mangled name, as in the PTX */
    struct rt_module *module;
    bool loaded;
    uint32_t kernel; /* the kernel's handle; valid, like INFO, after loading */
    struct emu_kernel_info info;
    int max_dynamic_shared; /* from cudaFuncSetAttribute(), or -1 for the default */
    int carveout;
    /* the default cluster size of its launches; x is 0 if there is none */
    dim3 cluster;
    bool wide_clusters;       /* clusters may have more than RT_PORTABLE_CLUSTER blocks */
    bool needs_cluster;       /* launches must set a cluster size */
    const void *from;         /* return address of its first launch, or NULL before that */
    struct rt_function *next; /* the next in its module */
};

/* Finds the kernel that FUNC names (a stub's address or a cudaKernel_t) and loads its module.
 * Returns cudaErrorInvalidDeviceFunction if FUNC is NULL, and cudaErrorInvalidResourceHandle if
 * FUNC is not registered. Any other error means that loading failed, and would fail again. */
cudaError_t rt_find_function(struct emu_device *device, const void *func,
                             struct rt_function **function);

/* Adds a library, which is a module whose code is not part of the executable. TEXT is SIZE bytes of
 * PTX and a NUL. The module owns TEXT; if this function fails, it frees TEXT. Like every module, a
 * library is loaded at its first use. */
cudaError_t rt_module_add(char *text, size_t size, struct rt_module **module);
/* Unloads and removes a library. Returns false if MODULE is not a live library. */
bool rt_module_remove(struct emu_device *device, struct rt_module *module);
/* Returns the PTX of a library, or NULL if MODULE is not a live library. */
const char *rt_module_text(const struct rt_module *module);
/* Find the kernel or the variable NAME of a library. */
cudaError_t rt_module_kernel(struct emu_device *device, struct rt_module *module, const char *name,
                             struct rt_function **function);
cudaError_t rt_module_variable(struct emu_device *device, struct rt_module *module,
                               const char *name, emu_addr *addr, size_t *size);

/* Unloads all modules from the device. A module is loaded again when it is used. */
void rt_modules_reset(struct emu_device *device);

/* Finds the device address and size of the variable whose host symbol is at SYMBOL. */
cudaError_t rt_find_symbol(struct emu_device *device, const void *symbol, emu_addr *addr,
                           size_t *size);

/* --- ranges.c: the program's memory, by address ----------------------------------------------- */

enum rt_kind {
    RT_DEVICE = 1,      /* from cudaMalloc() and the like */
    RT_POOL = 2,        /* from cudaMallocAsync() */
    RT_MANAGED = 4,     /* from cudaMallocManaged() */
    RT_VARIABLE = 8,    /* a __managed__ variable */
    RT_HOST = 16,       /* from cudaMallocHost() and the like */
    RT_REGISTERED = 32, /* the program's own memory, after cudaHostRegister() */
    RT_GRAPH = 64       /* allocated by launching a graph */
};
#define RT_ON_BOTH (RT_MANAGED | RT_VARIABLE | RT_HOST | RT_REGISTERED) /* on host and device */

struct rt_range {
    const void *ptr;
    size_t size;
    enum rt_kind kind;
    unsigned flags;               /* flags of the allocating call */
    unsigned long long id;        /* a unique number, set by rt_range_add() */
    cudaMemPool_t pool;           /* the pool of a range of kind RT_POOL */
    size_t pitch;                 /* bytes from row to row, or 0 if it has no rows */
    size_t width;                 /* bytes of a row that the allocating call asked for */
    size_t filled;                /* see rt_range_fill() */
    struct emu_place made, freed; /* the program's lines that allocated and freed it */
    bool is_reset;                /* cudaDeviceReset() has freed it, but the program has not */
};
/* Returns advice: which function frees memory of RANGE's kind (misuse.c). */
const char *rt_freed_by(const struct rt_range *range);

/* Adds a range. Returns false when out of memory, or if the range overlaps another range. */
bool rt_range_add(struct rt_range range);
/* Finds the range that contains PTR. */
bool rt_range_find(const void *ptr, struct rt_range *range);
/* Notes that the host writes SIZE bytes at PTR. Returns whether a longer range begins there, and
 * the number of bytes differs from the last one. */
bool rt_range_fill(const void *ptr, size_t size);
/* Removes the range that begins at PTR, if its kind is one of KINDS. */
bool rt_range_take(const void *ptr, unsigned kinds, struct rt_range *range);
/* Removes some range of KINDS, and returns it in *RANGE. Returns false if there is none. */
bool rt_range_take_any(unsigned kinds, struct rt_range *range);
/* Remembers a removed range as freed. */
void rt_range_add_freed(struct rt_range range);
/* Finds the freed range that contained PTR, unless a new range contains it now. */
bool rt_range_find_freed(const void *ptr, struct rt_range *range);
/* Calls VISIT with each range of KINDS, sorted by address. VISIT must not add or remove ranges. */
void rt_range_each(unsigned kinds, void (*visit)(void *context, const struct rt_range *range),
                   void *context);
/* Does the same for each range that only cudaDeviceReset() has freed. */
void rt_range_each_reset(unsigned kinds, void (*visit)(void *context, const struct rt_range *range),
                         void *context);

/* --- memory.c --------------------------------------------------------------------------------- */

/* Allocates SIZE bytes of device memory as a range of KIND. Sets *PTR to NULL if SIZE is 0. */
cudaError_t rt_allocate(void **ptr, size_t size, enum rt_kind kind, unsigned flags);
/* Frees device memory of the program. */
cudaError_t rt_free(struct emu_device *device, void *ptr);
/* Notes the program's line if the host writes SIZE bytes at TO, and that is the beginning of a
 * longer range. A line that writes as many bytes as the one before is not noted. */
void rt_note_fill(struct emu_device *device, const void *to, size_t size);
/* Frees all memory of the program, except __managed__ variables. */
void rt_memory_reset(struct emu_device *device);

/* --- pool.c ----------------------------------------------------------------------------------- */

/* Subtracts RANGE, which is of kind RT_POOL and was freed, from its pool's counts. */
void rt_pool_freed(const struct rt_range *range);

/* --- event.c ---------------------------------------------------------------------------------- */

/* Returns whether EVENT is live and other processes may use it. */
bool rt_event_is_shared(cudaEvent_t event);
struct order_clock;
/* Returns the clock of a live EVENT (gpu/order/order.h), or NULL if it is not live. */
struct order_clock *rt_event_clock(cudaEvent_t event);
/* Records EVENT now. All earlier work in its stream must have ended. */
cudaError_t rt_event_record(cudaEvent_t event);
/* Like cudaEventRecord() and cudaStreamWaitEvent(). */
cudaError_t rt_event_record_in(cudaEvent_t event, cudaStream_t stream);
cudaError_t rt_stream_waits(cudaStream_t stream, cudaEvent_t event);
/* An event between two nodes of a graph: recording it takes no time on a GPU. */
cudaError_t rt_event_new(cudaEvent_t *event);
cudaError_t rt_event_free(cudaEvent_t event);
bool rt_event_is_of_graph(cudaEvent_t event);

/* --- managed.c: memory with the same address on the host and the device ----------------------- */

/* Maps host memory at the addresses of the SIZE bytes of device memory that the caller has
 * allocated at ADDR, and adds them as a range of KIND. Returns false if the host already uses these
 * addresses. */
bool rt_managed_add(struct emu_device *device, emu_addr addr, size_t size, enum rt_kind kind,
                    unsigned flags);
/* Unmaps the host pages of RANGE, which the caller has removed and the device has freed. */
void rt_managed_unmap(const struct rt_range *range);

/* --- advice.c: advice and prefetches for managed memory --------------------------------------- */

/* Returns whether COUNT bytes at PTR are managed memory. */
bool rt_is_managed(const void *ptr, size_t count);
cudaError_t rt_prefetch(const void *ptr, size_t count, struct cudaMemLocation location,
                        cudaStream_t stream);
/* Forgets the advice for RANGE, which was freed. */
void rt_advice_forget(const struct rt_range *range);

/* --- copy.c ----------------------------------------------------------------------------------- */

/* Returns whether SIZE bytes at PTR are mapped in this process. */
bool rt_is_mapped(const void *ptr, size_t size);

/* --- gpu.c ------------------------------------------------------------------------------------ */

/* Returns the value in attributes.def, or 0 if the attribute is not listed there. */
int rt_attribute(enum cudaDeviceAttr attribute);

/* --- launch.c, cluster.c, occupancy.c --------------------------------------------------------- */

struct rt_launch; /* defined in work.h */

/* Returns the cluster size of a launch that asks for the size ASKED. In both sizes, x is 0 for no
 * clusters. */
dim3 rt_cluster_size(const struct rt_function *function, dim3 asked);
/* Checks the clusters of LAUNCH, and reports a mistake. Uses only the members grid, cluster and
 * from. */
cudaError_t rt_check_cluster(const struct rt_function *function, const struct rt_launch *launch);
/* Returns the cluster size among the attributes of a launch. Its x is 0 if there is none. */
dim3 rt_cluster_asked(const cudaLaunchConfig_t *config);

/* Returns the program's line that launched LAUNCH. */
struct emu_place rt_launch_place(const struct rt_launch *launch);
/* Returns the most dynamic shared memory that a block of FUNCTION may have, in bytes. */
size_t rt_dynamic_limit(const struct rt_function *function);
/* Returns the resources that a block with DYNAMIC bytes of dynamic shared memory needs. */
struct emu_demand rt_demand(const struct emu_kernel_info *info, unsigned threads, size_t dynamic);
/* Sets *DYNAMIC to the dynamic shared memory that each of BLOCKS blocks on one multiprocessor can
 * have. Returns false if BLOCKS blocks do not fit. */
bool rt_dynamic_left(const struct emu_kernel_info *info, unsigned blocks, unsigned threads,
                     size_t *dynamic);

/* --- stream.c --------------------------------------------------------------------------------- */

/* Fails with cudaErrorInvalidResourceHandle if STREAM is not live. */
cudaError_t rt_check_stream(cudaStream_t stream);
/* Calls rt_device(), then rt_check_stream(). */
cudaError_t rt_stream_device(cudaStream_t stream, struct emu_device **device);

/* Returns the place where STREAM, which must be live, stores its view of a capture (graphs.h).
 * Returns NULL if STREAM is the legacy default stream, which cannot be captured. */
struct rt_capture **rt_stream_capture(cudaStream_t stream);

/* Create and destroy a non-blocking stream of the library's own. */
cudaError_t rt_stream_new(cudaStream_t *stream);
cudaError_t rt_stream_free(cudaStream_t stream);

/* Returns the supported priority nearest to WANTED. */
int rt_stream_priority(int wanted);

/* --- per_thread.c ----------------------------------------------------------------------------- */

/* Returns whether this thread is in an API function for which stream 0 is the thread's own default
 * stream. */
bool rt_default_is_per_thread(void);

#endif
