/* Declares the emulated GPU. Programs reach the emulator only through the functions of this header.
 *
 * A device has memory, modules of PTX and a record of its launches. Arguments and results are only
 * plain integers and byte ranges, so the device can run in a different process from its program.
 * Device addresses are never host addresses, except those of lent memory (see emu_lend()). CTA is
 * PTX's term for a thread block.
 *
 * Most calls return an emu_status. A failed call changes nothing, and emu_message() gives the
 * reason in one line. emu_launch() returns when the launch has ended or is parked (see struct
 * emu_parked). Any thread may call these functions, because a lock serialises the calls on a
 * device. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "rules.h"
#include "touch.h"

typedef uint64_t emu_addr; /* an address in the device's global memory; 0 is never valid */

enum emu_status {
    EMU_OK = 0,
    EMU_INVALID_VALUE,   /* an argument is not valid */
    EMU_INVALID_ADDRESS, /* the range is not inside one live allocation */
    EMU_OUT_OF_MEMORY,
    EMU_NOT_FOUND, /* there is no such module, kernel, variable, allocation or handle */
    /* the PTX is malformed or not supported; the message gives the kernel, the line and the PTX
     * text */
    EMU_INVALID_PTX,
    EMU_INVALID_CONFIG,   /* the device cannot run this grid or block */
    EMU_OUT_OF_RESOURCES, /* a CTA needs more shared memory or registers than it may have */
    /* The ways in which a launch can fail. The findings in the record give the reason. */
    EMU_ILLEGAL_ADDRESS, /* a kernel accessed memory that is not allocated */
    /* a kernel used an address that is not a multiple of the access's width */
    EMU_MISALIGNED_ADDRESS,
    EMU_TRAP,            /* a kernel executed trap, or misused a barrier or a texture */
    EMU_BAD_INSTRUCTION, /* a kernel misused a tensor map */
    EMU_ASSERT,          /* assert() failed in a kernel */
    EMU_DEADLOCK,        /* no thread can ever continue */
    EMU_TIMEOUT,         /* a launch exceeded options.max_warp_instructions, or Ctrl-C stopped it */
    EMU_INTERNAL,        /* the emulator itself failed */
    EMU_PARKED,          /* the launch has not ended; emu_go_on() continues it */
};

/* Chooses the memory accesses to record. For each launch, the record gets one access of each chosen
 * source line: the access with the largest difference between its cost and its ideal cost. EMU_ANY
 * chooses all blocks, warps or steps. */
#define EMU_ANY UINT64_MAX
struct emu_trace {
    const char *file; /* the source file's path or the last parts of it; NULL for any file */
    uint32_t line;    /* line of the source file, or 0 for every line */
    /* index of the block in the grid (x varies fastest), index of the warp in the block, and number
     * of the access in the warp, from 1 */
    uint64_t block, warp, step;
};

/* The kind of memory from which loads return wrong values. */
enum emu_scramble { EMU_SCRAMBLE_NOTHING, EMU_SCRAMBLE_SHARED, EMU_SCRAMBLE_CONSTANT };

struct emu_chip;

/* The CTA to record step by step (gpu/observe/stepper.h). */
struct emu_steps {
    uint64_t launch; /* number of the launch, from 1 */
    uint64_t block;  /* index of the block in the grid; x varies fastest */
    uint64_t from;   /* number of warp instructions of the block that the recording skips */
    int fd;          /* descriptor that the recording is written to */
    /* The steps, in ascending order, after which the machine's state is written to dump_fd. If
     * dump_fd is -1, the state is not written. If this list is empty, the state is written after
     * every step, but without registers. */
    const uint64_t *dump;
    uint32_t dump_count;
    int dump_fd;
};

struct emu_options {
    unsigned workers;   /* CPU threads that run CTAs, or 0 for one thread per core */
    bool deterministic; /* one worker runs all CTAs in order, so every execution is the same */
    uint64_t max_warp_instructions; /* limit for each launch, or 0 for no limit */
    /* bytes of device memory, or 0 for 16 GiB; unused pages cost nothing */
    uint64_t memory_bytes;
    /* seed of the bytes in new allocations, or 0 to zero new allocations */
    uint64_t poison;
    unsigned tools; /* a set of bits of enum emu_tool; faults are always reported */
    /* cost at which racecheck and initcheck end, in units of about 0.1 microseconds; 0 for no
     * limit */
    uint64_t watch_budget;
    /* the rules by which addresses are counted as memory traffic; 0 is for today's GPUs */
    enum emu_rules rules;
    /* A worker calls this function if a launch takes several seconds. LINE says which thread runs
     * and which instruction it executes. NULL if not wanted. */
    void (*tell)(const char *line);
    const struct emu_trace *trace; /* must outlive the device; NULL if no access is recorded */
    const struct emu_steps *steps; /* must outlive the device; NULL if no block is recorded */
    /* Starts the CTAs, and the warps of each CTA, in reverse order. After an atomic whose old value
     * is used, the lanes continue one after another until they wait for each other. */
    bool backwards;
    enum emu_scramble scrambles; /* loads from this memory return wrong values */
    bool ignores_order;          /* the runtime library does not check the order of work */
    bool ignores_strays;         /* accesses just past the end of an allocation do not fail */
    uint64_t wider_pitch; /* multiples of EMU_PITCH that emu_alloc_rows() adds to the pitch */
    /* descriptor that the record is written to, or -1 for no record */
    int record_fd;
    /* once the record has this size in bytes, it gets no more lines; 0 for no limit */
    uint64_t record_bytes;
    /* chip for which launch times are predicted, or NULL for no prediction */
    const struct emu_chip *chip;
    bool predicts_clock; /* the clocks that programs read show predicted time, if there is a chip */
};

struct emu_device;

/* Opens a device. Sets *DEVICE to NULL on failure. */
enum emu_status emu_open(const struct emu_options *options, struct emu_device **device);
void emu_close(struct emu_device *device); /* accepts NULL */

/* Stops all running launches of this process and reports a finding for them. Returns false if no
 * launch is running. Signal handlers may call this function. */
bool emu_interrupt(void);

/* Returns the reason for the latest failure as one line, which is valid until the same thread's
 * next call. If the fault is in PTX that was compiled from a source line, the message begins with
 * "FILE:LINE: ", where FILE is the compiler's name of the file. */
const char *emu_message(struct emu_device *device);

/* --- conditions of graphs --------------------------------------------------------------------- */

/* A condition is a number that decides which work of a graph runs. Kernels set it by
 * cudaGraphSetConditional(). Makes a condition with the value 0, which exists until the device is
 * closed. */
enum emu_status emu_condition_make(struct emu_device *device, uint64_t *handle);
/* Set or read a condition. Return EMU_NOT_FOUND if HANDLE is not the handle of a condition. */
enum emu_status emu_condition_set(struct emu_device *device, uint64_t handle, uint32_t value);
enum emu_status emu_condition_get(struct emu_device *device, uint64_t handle, uint32_t *value);

/* --- memory: sizes in bytes ------------------------------------------------------------------- */

/* Allocates SIZE > 0 bytes at a multiple of 512. */
enum emu_status emu_alloc(struct emu_device *device, uint64_t size, emu_addr *addr);
/* Allocates COUNT > 0 rows of WIDTH > 0 bytes each. Rows begin *PITCH bytes apart. *PITCH is the
 * smallest multiple of EMU_PITCH that is at least WIDTH, plus options.wider_pitch * EMU_PITCH. */
#define EMU_PITCH 512u
enum emu_status emu_alloc_rows(struct emu_device *device, uint64_t width, uint64_t count,
                               emu_addr *addr, uint64_t *pitch);
/* Frees memory from emu_alloc(), emu_alloc_rows() or emu_lend(). Does nothing if ADDR is 0. */
enum emu_status emu_free(struct emu_device *device, emu_addr addr);
/* A line of the program's source that allocates or frees memory, for findings. FILE is copied and
 * can be NULL. */
struct emu_place {
    const char *file;
    uint32_t line;
};
/* Records PLACE for the allocation at ADDR. For a freed allocation, PLACE is the line that freed
 * it. For a live allocation, PLACE is the line that allocated it or, if FILLS is true, the line of
 * host code that wrote the allocation's first bytes, but not all of its bytes. */
void emu_set_place(struct emu_device *device, emu_addr addr, struct emu_place place, bool fills);

/* Finds the live allocation that contains ADDR. Returns EMU_NOT_FOUND if there is none. BASE and
 * SIZE can be NULL. */
enum emu_status emu_find(struct emu_device *device, emu_addr addr, emu_addr *base, uint64_t *size);
/* Lends the program's SIZE bytes at HOST to the device until emu_free(). Kernels then use these
 * bytes as the device's memory at ADDR. ADDR is either the start of a live allocation of SIZE
 * bytes, which moves to HOST, or an address outside of all allocations. */
enum emu_status emu_lend(struct emu_device *device, emu_addr addr, void *host, uint64_t size);
/* Promises that only kernels, and calls of this header's functions, write to the lent memory at
 * ADDR. With the tool "origins", the device then also tracks which of these bytes kernels wrote.
 * CLEARED says that the memory holds zeros, which count as written by kernels. */
void emu_watch_lent(struct emu_device *device, emu_addr addr, bool cleared);
/* Finds the first range of bytes that were cleared or last written by kernels. Searches the
 * allocation that contains *AT, from *AT on. Sets *AT to the beginning of the range and returns its
 * size. Returns 0 if there is no such range. */
uint64_t emu_find_made(struct emu_device *device, emu_addr *at);
enum emu_status emu_write(struct emu_device *device, emu_addr to, const void *from, uint64_t size);
enum emu_status emu_read(struct emu_device *device, void *to, emu_addr from, uint64_t size);
/* If the tool "origins" is on, adds to the record that the host has read the SIZE bytes at FROM and
 * received SEEN. SAME says that the twin, a second device with other input data
 * (gpu/remote/twin.h), has equal bytes there. Returns whether kernels wrote all of these bytes. */
bool emu_note_read(struct emu_device *device, emu_addr from, const void *seen, uint64_t size,
                   bool same);
/* Copies SIZE bytes in device memory. The two ranges may overlap. */
enum emu_status emu_copy(struct emu_device *device, emu_addr to, emu_addr from, uint64_t size);

/* The shape of COUNT > 0 rows of WIDTH > 0 bytes each. A pitch is the distance in bytes from the
 * start of one row to the start of the next. On the device, it is at least WIDTH. */
struct emu_rows {
    uint64_t width, count, to_pitch, from_pitch;
};
/* Do the same as emu_write(), emu_read() and emu_copy(), for each row. A copy changes nothing
 * unless all its rows are inside memory. */
enum emu_status emu_write_rows(struct emu_device *device, emu_addr to, const void *from,
                               const struct emu_rows *rows);
enum emu_status emu_read_rows(struct emu_device *device, void *to, emu_addr from,
                              const struct emu_rows *rows);
enum emu_status emu_copy_rows(struct emu_device *device, emu_addr to, emu_addr from,
                              const struct emu_rows *rows);

/* Fills SIZE bytes by repeating the four bytes of PATTERN, the lowest byte first. */
enum emu_status emu_set(struct emu_device *device, emu_addr to, uint32_t pattern, uint64_t size);
/* Does the same as emu_set(), for each row. Does not use from_pitch. */
enum emu_status emu_set_rows(struct emu_device *device, emu_addr to, uint32_t pattern,
                             const struct emu_rows *rows);
/* The limits of kernels, in bytes: the size of a thread's stack (default 1024), of the heap for
 * malloc() in kernels (default 8 MiB), and of the text that kernels print between two calls of
 * emu_output() (default 8.25 MiB). Once a kernel that calls malloc() has been launched,
 * emu_set_limit() returns EMU_INVALID_VALUE for the heap. */
enum emu_limit { EMU_STACK, EMU_HEAP, EMU_PRINT, EMU_LIMITS };
enum emu_status emu_set_limit(struct emu_device *device, enum emu_limit limit, uint64_t bytes);
uint64_t emu_get_limit(struct emu_device *device, enum emu_limit limit);

/* Sets *FREE_BYTES to the number of free bytes of device memory, and *TOTAL_BYTES to its size. */
void emu_memory(struct emu_device *device, uint64_t *free_bytes, uint64_t *total_bytes);

/* --- textures and surfaces in device memory --------------------------------------------------- */

enum emu_address_mode { EMU_WRAP, EMU_CLAMP, EMU_MIRROR, EMU_BORDER };

struct emu_texture {
    emu_addr addr;
    /* texels in each dimension, at least 1; `depth` is the number of layers if the texture is
     * layered */
    uint32_t width, height, depth;
    uint64_t pitch, slice; /* bytes from one row to the next, and from one layer to the next */
    /* 1 to 4 channels of 8, 16 or 32 bits each; `kind` is 'u' (unsigned), 's' (signed) or 'f'
     * (float) */
    uint8_t channels, bits, kind;
    uint8_t address[3];       /* for each dimension, an enum emu_address_mode */
    bool layered, is_surface; /* kernels can read and write a surface, but not fetch from it */
    bool linear; /* fetches interpolate between texels; otherwise they take the nearest texel */
    bool normalized_coords; /* coordinates are from 0 to 1 */
    bool normalized_float;  /* integers are read as floats from 0 to 1, or from -1 to 1 */
    uint32_t border[4];     /* the value outside of the texture, for address mode EMU_BORDER */

    /* A mipmap. Each level is half as large as the previous level in each dimension, and follows it
     * directly in memory. */
    uint8_t levels; /* number of levels; 0 counts as 1 */
    /* fetches interpolate between levels; otherwise they take the nearest level */
    bool level_linear;
    /* the layers are square, six for each cube, and fetched by direction */
    bool cube;
    float level_bias;           /* added to the level of a fetch */
    float level_min, level_max; /* limits of the level, applied after level_bias */
};

/* Returns level LEVEL of TEXTURE as a texture with a single level. The level must exist. */
struct emu_texture emu_texture_level(const struct emu_texture *texture, unsigned level);
/* Returns the number of bytes from the first texel of the first level to the last texel of the last
 * level. */
uint64_t emu_texture_bytes(const struct emu_texture *texture);

/* Opens a texture or surface for kernels. Its memory must stay allocated as long as kernels use
 * *HANDLE. Handles are small numbers; the handle of a closed texture is reused. */
enum emu_status emu_texture_open(struct emu_device *device, const struct emu_texture *texture,
                                 uint64_t *handle);
enum emu_status emu_texture_close(struct emu_device *device, uint64_t handle);

/* --- modules and kernels ---------------------------------------------------------------------- */

#define EMU_MAX_PARAMS 1024 /* maximum number of .param entries of one kernel */

/* Parses SIZE bytes of PTX, which may end with NUL bytes as padding, and places its variables in
 * device memory. */
enum emu_status emu_load(struct emu_device *device, const char *ptx, size_t size, uint32_t *module);
enum emu_status emu_unload(struct emu_device *device, uint32_t module);
/* Gets the address and size of a .global or .const variable. */
enum emu_status emu_symbol(struct emu_device *device, uint32_t module, const char *name,
                           emu_addr *addr, uint64_t *size);
/* Gets a kernel's handle. Handles are never reused. NAME is the mangled name in the PTX. */
enum emu_status emu_kernel(struct emu_device *device, uint32_t module, const char *name,
                           uint32_t *kernel);

struct emu_param {
    uint32_t offset, size; /* bytes, in the launch's `params` */
};

struct emu_kernel_info {
    uint32_t param_count;
    const struct emu_param *params; /* owned by the module */
    uint32_t param_bytes;
    uint32_t registers;    /* per thread, at most 255; an estimate of ptxas's choice */
    uint32_t shared_bytes; /* bytes of static shared memory per CTA */
    uint32_t local_bytes;  /* bytes per thread */
    uint32_t const_bytes;  /* bytes per module */
    uint32_t max_threads;  /* threads per CTA, from .maxntid, or 1024 */
    /* ptx_version is 90 for 9.0, and sm_version is 75 for sm_75 */
    uint32_t ptx_version, sm_version;
    /* CTAs per cluster along x, y and z; cluster[0] is 0 if any size is allowed */
    uint32_t cluster[3];
    uint32_t max_cluster; /* maximum CTAs per cluster */
    bool needs_cluster;   /* a launch must set the cluster's size */
};
enum emu_status emu_kernel_info(struct emu_device *device, uint32_t kernel,
                                struct emu_kernel_info *info);

/* --- launches --------------------------------------------------------------------------------- */

/* The memory for which emu_touched() lists the ranges that a launch touched: none, only lent
 * memory, or all global memory. */
enum emu_touches { EMU_TOUCHES_NONE, EMU_TOUCHES_LENT, EMU_TOUCHES_ALL };

struct emu_launch {
    /* source file and line of the program's call, for findings; "" if unknown or not needed */
    char file[236];
    uint32_t line;
    uint32_t kernel;
    uint32_t grid[3], block[3]; /* along x, y and z */
    /* CTAs per cluster along x, y and z; if cluster[0] is 0, the kernel's own size, or 1 */
    uint32_t cluster[3];
    uint32_t dynamic_shared_bytes;
    const void *params; /* param_bytes bytes in the layout of struct emu_kernel_info */
    uint32_t param_bytes;
    bool cooperative; /* all CTAs run at the same time, because grid.sync() needs this */
    bool alone; /* the program only waits for the launch, so the host does not change lent memory */
    bool may_park;   /* the launch may return EMU_PARKED */
    uint8_t touches; /* enum emu_touches */
};

/* Runs the launch until it ends or is parked. If the launch has begun, appends it to the record at
 * its end. COUNTERS, if not NULL, gets the launch's totals, even if it failed. */
enum emu_status emu_launch(struct emu_device *device, const struct emu_launch *launch,
                           struct emu_counters *counters);

/* Takes the list of the ranges that this thread's latest emu_launch() touched. The list includes
 * ranges touched by grids that the kernel launched, but no accesses to textures. The list is empty
 * if the launch failed or was parked. The caller frees *LIST. */
void emu_touched(struct emu_device *device, struct emu_touch **list, size_t *count);

/* --- the order of work ------------------------------------------------------------------------ */

/* A device with options.chip predicts when the program's work would run on that chip
 * (gpu/order/timeline.h). For this, the program's runtime library calls emu_step() after each piece
 * of work and after each call that orders work. The record gets the timeline at EMU_STEP_END or
 * when the device is closed. */
enum emu_step_type {
    EMU_STEP_WORK,       /* a piece of work has run in STREAM */
    EMU_STEP_RECORD,     /* STREAM records EVENT */
    EMU_STEP_WAIT,       /* later work in STREAM waits for EVENT */
    EMU_STEP_FORGET,     /* EVENT is no longer used */
    EMU_STEP_HOST_EVENT, /* the host waits: for EVENT, for STREAM, or for all work */
    EMU_STEP_HOST_STREAM,
    EMU_STEP_HOST_ALL,
    EMU_STEP_END, /* the program has ended */
    EMU_STEP_TYPES
};

/* The kinds of work. One step of kind EMU_IN_A_KERNEL stands for all launches since the previous
 * step of this kind. */
enum emu_step_work {
    EMU_IN_A_KERNEL,
    EMU_COPY_TO_DEVICE,
    EMU_COPY_FROM_DEVICE,
    EMU_COPY_ON_DEVICE,
    EMU_FILL_DEVICE,
    EMU_ON_THE_HOST, /* work that does not use the GPU, such as a host function */
    EMU_STEP_WORKS
};

enum emu_step_flags {
    EMU_STEP_LEGACY = 1,   /* STREAM is the legacy default stream */
    EMU_STEP_BLOCKING = 2, /* STREAM and the legacy default stream wait for each other */
    EMU_STEP_PAGEABLE = 4, /* one end of the copy is host memory that is not page-locked */
    EMU_STEP_JOINS = 8,    /* the host waits for the work */
    /* recording EVENT takes no time, for example between two nodes of a graph */
    EMU_STEP_FREE = 16,
    EMU_STEP_FLAGS = 31
};

struct emu_step {
    enum emu_step_type type;
    enum emu_step_work work;
    unsigned flags;
    uint64_t stream, event; /* numbers that the caller chooses */
    uint64_t bytes;         /* bytes of a copy or fill */
    emu_addr host;          /* for a copy between host and device, the host's address */
};

/* Returns whether the device predicts when work runs. If it does not, emu_step() has no effect. */
bool emu_is_timed(struct emu_device *device);
void emu_step(struct emu_device *device, const struct emu_step *step);
/* Advances the timeline until EVENT is recorded. Sets *US to the predicted microseconds since the
 * program's first work. Returns false if the time is unknown. */
bool emu_event_time(struct emu_device *device, uint64_t event, double *us);

/* --- parked launches -------------------------------------------------------------------------- */

/* A launch with may_park is parked (stopped, to be continued later) when its threads only poll
 * memory that does not change. The caller changes memory and then continues the launch. The change
 * can be made by calls, by other launches, or in lent memory. A few hundred launches can be parked
 * at the same time. */
struct emu_parked {
    uint64_t launch;  /* number of the launch, unique in the device */
    bool sees_lent;   /* the launch has polled lent memory */
    bool has_changed; /* the launch has changed memory since it last started or continued */
    /* the launch can continue only after the host or another launch changes memory */
    bool is_still;
};
/* Returns the launch that this thread's latest call has parked. Call this after a call has returned
 * EMU_PARKED. */
struct emu_parked emu_parked(struct emu_device *device);

enum emu_patience {
    /* runs until parked again, and does not count failed polls as executed instructions */
    EMU_POLL,
    EMU_WAIT, /* runs until parked again, and counts all instructions */
    /* runs to the end, because no other thread will change the memory that the launch polls */
    EMU_FINISH
};
/* Continues a parked launch. Returns the same as emu_launch(). */
enum emu_status emu_go_on(struct emu_device *device, uint64_t launch, enum emu_patience patience);
/* Ends a parked launch immediately. The record shows the launch as successful. */
enum emu_status emu_abandon(struct emu_device *device, uint64_t launch);

/* The streams that kernels print to. printf prints to EMU_STDOUT, and failed assertions print to
 * EMU_STDERR. */
enum emu_stream { EMU_STDOUT, EMU_STDERR, EMU_STREAMS };

/* Takes the text that kernels have printed to STREAM since the previous call. The caller frees
 * *TEXT, which is NULL if there is no text. */
void emu_output(struct emu_device *device, enum emu_stream stream, char **text, size_t *length);

/* --- the record ------------------------------------------------------------------------------- */

/* Returns whether the device writes a record of launches and findings. */
bool emu_has_record(struct emu_device *device);
/* Appends LINE to the record. LINE comes from the program's runtime library. LINE has SIZE bytes of
 * JSON without a newline (see gpu/record/record.h). Fails if there is no record. */
enum emu_status emu_note(struct emu_device *device, const char *line, size_t size);

/* Limits of the virtual GPU, equal to an H100's, that are not in gpu/limits.h. */
#define EMU_MULTIPROCESSORS 132u
#define EMU_MAX_CLUSTER     16u /* CTAs; a program must opt in to more than 8 */
#define EMU_WARP_SIZE       32u

#endif
