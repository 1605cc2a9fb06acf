/* Declarations that the files of the runtime library share. Programs see cuda_runtime_api.h
 * instead.
 *
 *   program -> cuda*()         memory.c copy.c symbols.c launch.c function.c stream.c event.c ...
 *           -> rt_*() below    context.c (the device, and faults of kernels), errors.c, module.c
 *           -> emu_*()         gpu/device.h
 *
 * A fault is an error of a kernel, such as an illegal address. It makes all later calls fail. A
 * live object (stream, event, array, ...) has been created and not yet destroyed.
 *
 * An API function gets the device from rt_device() or rt_wait(), does its work, and ends with
 * rt_return(), which counts the call and remembers an error for cudaGetLastError(). No function
 * ends the process, and any thread may call any function.
 *
 * Error codes are those of CUDA 13.0's runtime on a GPU of compute capability 9.0. Where NVIDIA's
 * manual says something else, this library returns the measured code
 * (grader/tests/gpu/cudart/api_*.expected).
 *
 * To add cudaFoo():
 *   1. Write it in the file of its subject. End it with rt_return(). Every cuda* name is exported.
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
 * fault. From then on, every call fails until the process ends. */
cudaError_t rt_device(struct emu_device **device);

/* Gets the device for a call that waits for all earlier work. If a kernel has faulted, fails with
 * its error. */
cudaError_t rt_wait(struct emu_device **device);
/* Does the same as rt_wait(), but waits only for work that new work in STREAM would have to wait
 * for. */
cudaError_t rt_wait_stream(cudaStream_t stream, struct emu_device **device);
/* Does the same as rt_wait(), but without waiting. For calls such as cudaStreamQuery(), and for
 * calls that have already waited. */
cudaError_t rt_surface_fault(struct emu_device **device);

/* Returns the device, even after a fault. Returns NULL if it cannot be opened, or in a forked
 * child. */
struct emu_device *rt_device_or_null(void);

/* Stores a kernel's fault, which the next rt_wait() will report. */
void rt_fault(cudaError_t error);
/* Returns whether a kernel has faulted. Work that is submitted after a fault never runs. */
bool rt_faulted(void);
/* Returns the error of the first fault, or cudaSuccess if there was none. */
cudaError_t rt_fault_error(void);

/* --- errors.c --------------------------------------------------------------------------------- */

/* Ends the program if Ctrl-C has stopped a kernel (interrupt.c). */
void rt_end_if_interrupted(void);

/* Ends an API function: counts the call, makes ERROR the thread's last error unless it is
 * cudaSuccess, and returns ERROR. */
#define rt_return(error)                                                                           \
    ({                                                                                             \
        RT_CALLED();                                                                               \
        rt_end_call(__func__, error);                                                              \
    })
cudaError_t rt_remember(cudaError_t error);
/* Does the same as rt_return(). If the call failed and no finding explains why, also reports the
 * call with a hint. */
cudaError_t rt_end_call(const char *call, cudaError_t error); /* hints.c */
/* Records that a finding explains why this thread's current call fails. */
void rt_note_report(void);
bool rt_is_reported(void);
cudaError_t rt_error(enum emu_status status);

/* The error for a grid or block of invalid size. CUDA 12 and 13 return different errors. */
extern const cudaError_t rt_shape_error;

/* --- calls.c: counts the calls of API functions ----------------------------------------------- */

struct rt_call {
    const char *name; /* the function's __func__ */
    unsigned long count;
    struct rt_call *next; /* next in the list of used counters */
    bool listed;          /* the counter is in this list */
};
void rt_count_call(struct rt_call *call);

/* Counts a call of the enclosing function. Used by functions that do not end with rt_return(). */
#define RT_CALLED()                                                                                \
    do {                                                                                           \
        static struct rt_call rt_call_here = {.name = __func__};                                   \
        rt_count_call(&rt_call_here);                                                              \
    } while (0)

/* --- finding.c: findings of the library itself ------------------------------------------------ */

/* Adds a finding to the record, at the line where the program called the library. If there is no
 * record, prints the finding to stderr, once. ID is an id in findings.def. KERNEL is a mangled name
 * or NULL. The message must be a single line. */
void rt_finding(const char *id, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does the same as rt_finding(), but for the line PLACES->at, and with other lines of the program
 * that explain the finding. A place whose file is NULL is unknown or does not exist. COUNT is the
 * number of times that the defect occurred. */
struct rt_places {
    struct emu_place at, allocated, freed, earlier;
    const char *earlier_text; /* explains `earlier`, such as "this work may still run" */
    const char *help;         /* advice for the student, or NULL for the finding's general advice */
};
void rt_finding_at(const char *id, const char *kernel, const struct rt_places *places,
                   unsigned count, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Returns a readable name for the mangled name KERNEL, such as k(int*). The caller frees it.
 * Returns NULL when out of memory. */
char *rt_readable_name(const char *kernel);

/* Appends VALUE to the record as one line, and frees VALUE. Returns false if there is no record, or
 * if writing fails. */
bool rt_record(struct json_t *value);

/* Reports that Lanewise does not support WHAT. Returns cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *what);

/* --- place.c: finds lines of the program's source in its debug information -------------------- */

/* Returns the line of the program that called this library, directly or through functions in the
 * toolkit's headers. Without debug information, the file is NULL. File names are never freed. */
struct emu_place rt_caller(void);
/* Given DEPTH return addresses, returns the innermost line that is in the program's own source. */
struct emu_place rt_place_in(void *const *stack, int depth);
/* Returns the line of the call instruction before RETURN_ADDRESS. */
struct emu_place rt_place_of(const void *return_address);

/* --- misuse.c: memcheck's findings about API calls -------------------------------------------- */

/* Reports that PTR cannot be freed, because it was freed before or never allocated. */
void rt_report_bad_free(const void *ptr);
/* Rows of WIDTH bytes, whose starts are PITCH bytes apart. SIZE is the number of bytes from the
 * start of the first row to the end of the last. */
struct rt_rows {
    size_t size, width, height, pitch;
};
/* Reports a copy or fill of ROWS at PTR that accesses memory which it must not access. The message
 * begins with WHAT, such as "reads from". */
void rt_report_bad_range(struct emu_device *device, const char *what, const void *ptr,
                         const struct rt_rows *rows);
/* Returns the number of bytes that the program can use from PTR on, if malloc() has returned PTR.
 * Returns SIZE_MAX if this number is unknown. Also may return SIZE_MAX if the number is at least
 * WANTED. */
size_t rt_host_room(const void *ptr, size_t wanted);
/* Reports a copy of ROWS to or from an array on the host that has only ROOM bytes. */
void rt_report_host_array(const char *what, const struct rt_rows *rows, size_t room);
/* Reports a row of WIDTH bytes that is longer than the pitch; WHOSE is "target's" or "source's". */
void rt_report_small_pitch(const char *whose, const void *ptr, size_t pitch, size_t width);
/* Reports a pitch that is not a multiple of its allocation's pitch. Also reports a call that passes
 * the pitch of memory on the GPU for an array on the host. FROM may be NULL. */
void rt_check_pitches(const void *to, size_t to_pitch, const void *from, size_t from_pitch,
                      size_t width);
/* Reports device memory that the program has not freed. IS_END says that the program ends.
 * Otherwise the device is about to be reset. Then only arrays are reported, because the program may
 * still try to free other memory. */
void rt_report_leaks(bool is_end);

/* --- module.c: kernels and variables that the program registered before main() ---------------- */

struct rt_module;

/* A kernel. The address of this struct is the cudaKernel_t that programs get. */
struct rt_function {
    const void *host; /* address of its stub in the program; NULL if the kernel is in a library */
    char *name;       /* mangled name, as in the PTX */
    struct rt_module *module;
    bool loaded;
    uint32_t kernel; /* handle of the kernel; like `info`, only valid after loading */
    struct emu_kernel_info info;
    int max_dynamic_shared; /* set by cudaFuncSetAttribute(), or -1 for the default */
    int carveout;
    /* default cluster size of its launches; x is 0 if there is none */
    dim3 cluster;
    bool wide_clusters;       /* clusters may have more than RT_PORTABLE_CLUSTER blocks */
    bool needs_cluster;       /* launches must set a cluster size */
    const void *from;         /* return address of the program's first launch of it, or NULL */
    struct rt_function *next; /* next kernel in the module */
};

/* Finds the kernel FUNC, which is the address of a stub or a cudaKernel_t, and loads its module.
 * Returns cudaErrorInvalidDeviceFunction if FUNC is NULL, and cudaErrorInvalidResourceHandle if
 * FUNC is not registered. Any other error means that the module cannot be loaded. */
cudaError_t rt_find_function(struct emu_device *device, const void *func,
                             struct rt_function **function);

/* Adds a library, which is a module outside of the executable. TEXT is PTX of SIZE bytes, followed
 * by a NUL. This function takes ownership of TEXT, even if it fails. Like every module, a library
 * is loaded at its first use. */
cudaError_t rt_module_add(char *text, size_t size, struct rt_module **module);
/* Unloads and removes a library. Returns false if MODULE is not a library that exists. */
bool rt_module_remove(struct emu_device *device, struct rt_module *module);
/* Returns the PTX of a library, or NULL if MODULE is not a library that exists. */
const char *rt_module_text(const struct rt_module *module);
/* Find the kernel NAME, or the variable NAME, of a library. */
cudaError_t rt_module_kernel(struct emu_device *device, struct rt_module *module, const char *name,
                             struct rt_function **function);
cudaError_t rt_module_variable(struct emu_device *device, struct rt_module *module,
                               const char *name, emu_addr *addr, size_t *size);

/* Unloads all modules from the device. Each module is loaded again at its next use. */
void rt_modules_reset(struct emu_device *device);

/* Finds the device address and the size of the variable that the host variable at SYMBOL
 * represents. */
cudaError_t rt_find_symbol(struct emu_device *device, const void *symbol, emu_addr *addr,
                           size_t *size);

/* --- ranges.c: the program's memory, sorted by address ---------------------------------------- */

enum rt_kind {
    RT_DEVICE = 1,      /* from cudaMalloc() and similar functions */
    RT_POOL = 2,        /* from cudaMallocAsync() */
    RT_MANAGED = 4,     /* from cudaMallocManaged() */
    RT_VARIABLE = 8,    /* a __managed__ variable */
    RT_HOST = 16,       /* from cudaMallocHost() and similar functions */
    RT_REGISTERED = 32, /* the program's own memory, after cudaHostRegister() */
    RT_GRAPH = 64       /* allocated by launching a graph */
};
/* memory that host and device share */
#define RT_ON_BOTH (RT_MANAGED | RT_VARIABLE | RT_HOST | RT_REGISTERED)

struct rt_range {
    const void *ptr;
    size_t size;
    enum rt_kind kind;
    unsigned flags;        /* flags of the call that allocated it */
    unsigned long long id; /* unique number, which rt_range_add() sets */
    cudaMemPool_t pool;    /* for RT_POOL: its pool */
    /* distance in bytes from one row to the next, or 0 if the memory has no rows */
    size_t pitch;
    size_t width;                 /* bytes per row that the program requested */
    size_t filled;                /* size of the latest write that rt_range_fill() recorded */
    struct emu_place made, freed; /* lines of the program that allocated and freed it */
    bool is_reset;                /* cudaDeviceReset() has freed it, but the program has not */
};
/* Returns advice that names the function with which memory of RANGE's kind is freed (misuse.c). */
const char *rt_freed_by(const struct rt_range *range);

/* Adds a range. Returns false when out of memory, or if it overlaps another range. */
bool rt_range_add(struct rt_range range);
/* Finds the range that contains PTR. */
bool rt_range_find(const void *ptr, struct rt_range *range);
/* Records that the host writes SIZE bytes at PTR. Returns true if a range longer than SIZE begins
 * at PTR, and the size differs from that of the previous such write. */
bool rt_range_fill(const void *ptr, size_t size);
/* Removes the range that begins at PTR, if its kind is one of KINDS. */
bool rt_range_take(const void *ptr, unsigned kinds, struct rt_range *range);
/* Removes one of the ranges whose kind is one of KINDS, and stores it in *RANGE. Returns false if
 * there is none. */
bool rt_range_take_any(unsigned kinds, struct rt_range *range);
/* Adds a removed range to the list of freed ranges. */
void rt_range_add_freed(struct rt_range range);
/* Finds the freed range that contained PTR. Fails if a range that still exists contains PTR. */
bool rt_range_find_freed(const void *ptr, struct rt_range *range);
/* Calls VISIT for each range whose kind is one of KINDS, in the order of addresses. VISIT must not
 * add or remove ranges. */
void rt_range_each(unsigned kinds, void (*visit)(void *context, const struct rt_range *range),
                   void *context);
/* Does the same for ranges that cudaDeviceReset() has freed, but the program has not. */
void rt_range_each_reset(unsigned kinds, void (*visit)(void *context, const struct rt_range *range),
                         void *context);

/* --- memory.c --------------------------------------------------------------------------------- */

/* Allocates SIZE bytes of device memory as a range of KIND. If SIZE is 0, sets *PTR to NULL. */
cudaError_t rt_allocate(void **ptr, size_t size, enum rt_kind kind, unsigned flags);
/* Frees device memory of the program that begins at PTR. */
cudaError_t rt_free(struct emu_device *device, void *ptr);
/* If the host writes SIZE bytes at the beginning of a longer range at TO, records the program's
 * line. Skips this if the previous such write had the same size. */
void rt_note_fill(struct emu_device *device, const void *to, size_t size);
/* Frees all memory of the program, except __managed__ variables. */
void rt_memory_reset(struct emu_device *device);

/* --- pool.c ----------------------------------------------------------------------------------- */

/* Subtracts RANGE from the counts of its pool. RANGE is of kind RT_POOL and has been freed. */
void rt_pool_freed(const struct rt_range *range);

/* --- event.c ---------------------------------------------------------------------------------- */

/* Returns whether EVENT exists, and other processes may use it. */
bool rt_event_is_shared(cudaEvent_t event);
struct order_clock;
/* Returns the clock of EVENT (gpu/order/order.h), or NULL if EVENT does not exist. */
struct order_clock *rt_event_clock(cudaEvent_t event);
/* Records EVENT now. All earlier work in its stream must have ended. */
cudaError_t rt_event_record(cudaEvent_t event);
/* Do the same as cudaEventRecord() and cudaStreamWaitEvent(). */
cudaError_t rt_event_record_in(cudaEvent_t event, cudaStream_t stream);
cudaError_t rt_stream_waits(cudaStream_t stream, cudaEvent_t event);
/* Creates or destroys an event between two nodes of a graph. On a GPU, recording such an event
 * takes no time. */
cudaError_t rt_event_new(cudaEvent_t *event);
cudaError_t rt_event_free(cudaEvent_t event);
bool rt_event_is_of_graph(cudaEvent_t event);

/* --- managed.c: memory with the same address on the host and the device ----------------------- */

/* Maps host memory at ADDR, and adds it as a range of KIND. The caller has allocated SIZE bytes of
 * device memory at ADDR. Returns false if the host already uses these addresses. */
bool rt_managed_add(struct emu_device *device, emu_addr addr, size_t size, enum rt_kind kind,
                    unsigned flags);
/* Unmaps the host pages of RANGE. The caller must have removed RANGE and freed its device
 * memory. */
void rt_managed_unmap(const struct rt_range *range);

/* --- advice.c: advice and prefetches for managed memory --------------------------------------- */

/* Returns whether the COUNT bytes at PTR are managed memory. */
bool rt_is_managed(const void *ptr, size_t count);
cudaError_t rt_prefetch(const void *ptr, size_t count, struct cudaMemLocation location,
                        cudaStream_t stream);
/* Removes the advice for RANGE, which has been freed. */
void rt_advice_forget(const struct rt_range *range);

/* --- copy.c ----------------------------------------------------------------------------------- */

/* Returns whether SIZE bytes at PTR are mapped in this process. */
bool rt_is_mapped(const void *ptr, size_t size);

/* --- gpu.c ------------------------------------------------------------------------------------ */

/* Returns the value in attributes.def, or 0 if the attribute is not listed there. */
int rt_attribute(enum cudaDeviceAttr attribute);

/* --- launch.c, cluster.c, occupancy.c --------------------------------------------------------- */

struct rt_launch; /* defined in work.h */

/* Returns the cluster size of a launch that requests ASKED. In both, x is 0 if there are no
 * clusters. */
dim3 rt_cluster_size(const struct rt_function *function, dim3 asked);
/* Checks the clusters of LAUNCH, and reports a mistake. Uses only the members grid, cluster and
 * from. */
cudaError_t rt_check_cluster(const struct rt_function *function, const struct rt_launch *launch);
/* Returns the cluster size in the attributes of a launch. If they have none, x is 0. */
dim3 rt_cluster_asked(const cudaLaunchConfig_t *config);

/* Returns the line of the program that launched LAUNCH. */
struct emu_place rt_launch_place(const struct rt_launch *launch);
/* Returns the maximum size of dynamic shared memory, in bytes, for a block of FUNCTION. */
size_t rt_dynamic_limit(const struct rt_function *function);
/* Returns the resources that a block needs if it has DYNAMIC bytes of dynamic shared memory. */
struct emu_demand rt_demand(const struct emu_kernel_info *info, unsigned threads, size_t dynamic);
/* Sets *DYNAMIC to the number of bytes of dynamic shared memory that each block can have if BLOCKS
 * blocks run on one multiprocessor. Returns false if BLOCKS blocks do not fit. */
bool rt_dynamic_left(const struct emu_kernel_info *info, unsigned blocks, unsigned threads,
                     size_t *dynamic);

/* --- stream.c --------------------------------------------------------------------------------- */

/* Fails with cudaErrorInvalidResourceHandle if STREAM does not exist. */
cudaError_t rt_check_stream(cudaStream_t stream);
/* Calls rt_device(), then rt_check_stream(). */
cudaError_t rt_stream_device(cudaStream_t stream, struct emu_device **device);

/* Returns a pointer to the member of STREAM that holds its part of a capture (graphs.h). STREAM
 * must exist. Returns NULL for the legacy default stream, which cannot be captured. */
struct rt_capture **rt_stream_capture(cudaStream_t stream);

/* Create and destroy a non-blocking stream that the library itself uses. */
cudaError_t rt_stream_new(cudaStream_t *stream);
cudaError_t rt_stream_free(cudaStream_t stream);

/* Returns the supported priority that is closest to WANTED. */
int rt_stream_priority(int wanted);

/* --- per_thread.c ----------------------------------------------------------------------------- */

/* Returns whether this thread is executing an API function for which stream 0 is the thread's own
 * default stream. */
bool rt_default_is_per_thread(void);

#endif
