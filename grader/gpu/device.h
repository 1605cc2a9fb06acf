/* The emulated GPU: the only door to the emulator.
 *
 * A device holds memory, modules of PTX and a record of what ran. Everything crosses this door as
 * plain integers and byte ranges, so that the device can live in another process than the program
 * that uses it. Device addresses are never host addresses, except those of memory that is lent.
 *
 * Every call returns an emu_status and changes nothing when it fails; emu_message() then says why in
 * one line. A launch runs to its end before emu_launch() returns, unless it may be parked. Calls on one device
 * are serialised by a lock: any thread may make them. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "rules.h"

typedef uint64_t emu_addr; /* an address in the device's global memory; 0 is never valid */

enum emu_status {
    EMU_OK = 0,
    EMU_INVALID_VALUE,   /* an argument makes no sense */
    EMU_INVALID_ADDRESS, /* a range that is not wholly inside one live allocation */
    EMU_OUT_OF_MEMORY,
    EMU_NOT_FOUND,      /* no such module, kernel or symbol */
    EMU_INVALID_PTX,    /* malformed, or not understood; the message names kernel, line and text */
    EMU_INVALID_CONFIG, /* a grid or block that the device cannot run */
    EMU_OUT_OF_RESOURCES, /* more shared memory or registers than a CTA may have */
    /* How a launch can end. Each has its findings in the record. */
    EMU_ILLEGAL_ADDRESS,    /* a kernel accessed memory that is not allocated */
    EMU_MISALIGNED_ADDRESS, /* a kernel accessed memory at an address its width does not divide */
    EMU_TRAP,               /* trap, or a malformed program state */
    EMU_ASSERT,             /* assert() failed in a kernel */
    EMU_DEADLOCK,           /* no lane can ever proceed */
    EMU_TIMEOUT,            /* more warp instructions than options.max_warp_instructions */
    EMU_INTERNAL,           /* the emulator's own fault */
    EMU_PARKED,             /* it has not: see emu_go_on() */
};

/* Memory accesses to record: of each source line that is chosen, and of each launch, the one that costs
 * most beyond its ideal. EMU_ANY: whichever it is. */
#define EMU_ANY UINT64_MAX
struct emu_trace {
    const char *file;           /* the end of its path; NULL: any */
    uint32_t line;              /* 0: each */
    uint64_t block, warp, step; /* x first; in the block; its accesses by this line, from 1 */
};

struct emu_options {
    unsigned workers;               /* CPU threads that run CTAs; 0: one for each core */
    bool deterministic;             /* one worker, CTAs in order: same bytes and counts twice */
    uint64_t max_warp_instructions; /* per launch; 0: no limit */
    uint64_t memory_bytes;          /* device memory; 0: 16 GiB (taken only when touched) */
    uint64_t poison;                /* if not 0, the seed of the bytes in fresh allocations */
    unsigned tools;                 /* of enum emu_tool (tools.h); faults are always told */
    enum emu_rules rules;           /* what accesses cost; 0: today's */
    const struct emu_trace *trace;  /* NULL: no access is recorded; outlives the device */
    bool backwards;                 /* the last CTA goes first, and of a CTA the last warp */
    bool ignores_strays;   /* accesses close behind an allocation fail no launch: see memory.h */
    int record_fd;         /* where launches and findings are written; -1: nowhere */
    uint64_t record_bytes; /* in a record that is longer nothing more is written; 0: no limit */
};

struct emu_device;

/* Opens a device. On failure *DEVICE is NULL. */
enum emu_status emu_open(const struct emu_options *options, struct emu_device **device);
void emu_close(struct emu_device *device); /* NULL is allowed */

/* Why the latest failing call failed: one line, valid until the next call by the same thread. Where PTX that came
 * from a line of the program is to blame, it begins with "FILE:LINE: ", FILE as the compiler names it. */
const char *emu_message(struct emu_device *device);

/* --- memory: sizes in bytes --------------------------------------------------------------------- */

/* Allocates SIZE > 0 bytes, aligned to 512. */
enum emu_status emu_alloc(struct emu_device *device, uint64_t size, emu_addr *addr);
/* Allocates COUNT > 0 rows of WIDTH > 0 bytes, *PITCH bytes from one to the next: a multiple of EMU_PITCH. */
#define EMU_PITCH 512u
enum emu_status emu_alloc_rows(struct emu_device *device, uint64_t width, uint64_t count,
                               emu_addr *addr, uint64_t *pitch);
/* Frees what these have returned; 0 does nothing. */
enum emu_status emu_free(struct emu_device *device, emu_addr addr);
/* Where the program's source allocates or frees: findings tell it. FILE, which is copied, may be NULL. */
struct emu_place {
    const char *file;
    uint32_t line;
};
/* Notes where the live allocation that begins at ADDR was made, or the freed one was freed. */
void emu_set_place(struct emu_device *device, emu_addr addr, struct emu_place place);

/* The live allocation that holds ADDR, or EMU_NOT_FOUND. BASE and SIZE may be NULL. */
enum emu_status emu_find(struct emu_device *device, emu_addr addr, emu_addr *base, uint64_t *size);
/* Lends the program's own SIZE bytes at HOST to the device, as its memory at ADDR, until emu_free():
 * kernels and the program then share them. ADDR is the start of a live allocation of SIZE bytes, which
 * moves there, or the program's own name for its memory: an address that no allocation has. */
enum emu_status emu_lend(struct emu_device *device, emu_addr addr, void *host, uint64_t size);
enum emu_status emu_write(struct emu_device *device, emu_addr to, const void *from, uint64_t size);
enum emu_status emu_read(struct emu_device *device, void *to, emu_addr from, uint64_t size);
/* With the tool "origins": notes in the record that the host was given SEEN for the SIZE bytes at FROM, and
 * whether another device had the SAME there. Tells whether kernels made all of what is there. */
bool emu_note_read(struct emu_device *device, emu_addr from, const void *seen, uint64_t size,
                   bool same);
/* Ranges may overlap. */
enum emu_status emu_copy(struct emu_device *device, emu_addr to, emu_addr from, uint64_t size);

/* COUNT > 0 rows of WIDTH > 0 bytes. They begin a pitch apart, which is at least WIDTH on the device. */
struct emu_rows {
    uint64_t width, count, to_pitch, from_pitch;
};
/* The same as the three above, of a row each. A copy that does not wholly lie in memory changes nothing. */
enum emu_status emu_write_rows(struct emu_device *device, emu_addr to, const void *from,
                               const struct emu_rows *rows);
enum emu_status emu_read_rows(struct emu_device *device, void *to, emu_addr from,
                              const struct emu_rows *rows);
enum emu_status emu_copy_rows(struct emu_device *device, emu_addr to, emu_addr from,
                              const struct emu_rows *rows);

enum emu_status emu_set(struct emu_device *device, emu_addr to, uint8_t value, uint64_t size);
/* The same of rows; there is no from_pitch. */
enum emu_status emu_set_rows(struct emu_device *device, emu_addr to, uint8_t value,
                             const struct emu_rows *rows);
/* What kernels may use up: bytes of a thread's stack (default 1024), of the heap for malloc() in
 * kernels (8 MiB), and of what they print between two calls of emu_output() (8.25 MiB). The heap's size
 * cannot change once a kernel that allocates has been launched: EMU_INVALID_VALUE. */
enum emu_limit { EMU_STACK, EMU_HEAP, EMU_PRINT, EMU_LIMITS };
enum emu_status emu_set_limit(struct emu_device *device, enum emu_limit limit, uint64_t bytes);
uint64_t emu_get_limit(struct emu_device *device, enum emu_limit limit);

/* Bytes still free, and in all. */
void emu_memory(struct emu_device *device, uint64_t *free_bytes, uint64_t *total_bytes);

/* --- textures and surfaces: how instructions see a part of device memory ------------------------- */

enum emu_address_mode { EMU_WRAP, EMU_CLAMP, EMU_MIRROR, EMU_BORDER };

struct emu_texture {
    emu_addr addr;
    uint32_t width, height, depth; /* texels, 1 or more; with layers, depth is their number */
    uint64_t pitch, slice;         /* bytes from row to row, and from layer to layer */
    uint8_t channels, bits, kind;  /* 1 to 4, of 8, 16 or 32 bits; 'u', 's' or 'f' */
    uint8_t address[3];            /* enum emu_address_mode of each dimension */
    bool layered, is_surface;      /* a surface can be written, and cannot be fetched from */
    bool linear;                   /* filtered; else the nearest texel */
    bool normalized_coords;        /* from 0 to 1 */
    bool normalized_float;         /* integers are read as 0 to 1, or -1 to 1 */
    uint32_t border[4];            /* what is outside, if the address mode is EMU_BORDER */

    /* A mipmap: each level is half as large in each dimension, and follows the one before without gaps. */
    uint8_t levels;    /* 0 and 1: there is only this one */
    bool level_linear; /* filtered between levels; else the nearest one */
    bool cube;         /* six layers of width x width, or six times as many: fetched by direction */
    float level_bias;  /* is added to what a fetch asks for, which then is held between these: */
    float level_min, level_max;
};

/* LEVEL alone, which there must be, as a texture of one level. */
struct emu_texture emu_texture_level(const struct emu_texture *texture, unsigned level);
/* Bytes from the first texel of the first level to the last of the last. */
uint64_t emu_texture_bytes(const struct emu_texture *texture);

/* Gives a texture or surface a handle, which kernels take. Its memory must be allocated when it is
 * used. Handles are small numbers, used again after they are destroyed. */
enum emu_status emu_texture_open(struct emu_device *device, const struct emu_texture *texture,
                                 uint64_t *handle);
enum emu_status emu_texture_close(struct emu_device *device, uint64_t handle);

/* --- modules and kernels ------------------------------------------------------------------------ */

#define EMU_MAX_PARAMS 1024 /* .param entries of one kernel */

/* Parses SIZE bytes of PTX (NUL padding allowed) and lays out its variables in device memory. */
enum emu_status emu_load(struct emu_device *device, const char *ptx, size_t size, uint32_t *module);
enum emu_status emu_unload(struct emu_device *device, uint32_t module);
/* A .global or .const variable's address and size. */
enum emu_status emu_symbol(struct emu_device *device, uint32_t module, const char *name,
                           emu_addr *addr, uint64_t *size);
/* A kernel's handle: ids are not reused. NAME is mangled, as PTX has it. */
enum emu_status emu_kernel(struct emu_device *device, uint32_t module, const char *name,
                           uint32_t *kernel);

struct emu_param {
    uint32_t offset, size; /* in the launch's parameter bytes */
};

struct emu_kernel_info {
    uint32_t param_count;
    const struct emu_param *params; /* owned by the module */
    uint32_t param_bytes;
    uint32_t registers;    /* of a thread: an estimate of what ptxas would take, at most 255 */
    uint32_t shared_bytes; /* static, a CTA */
    uint32_t local_bytes;  /* a thread */
    uint32_t const_bytes;  /* the module's */
    uint32_t max_threads;  /* a CTA, by .maxntid or 1024 */
    uint32_t ptx_version, sm_version; /* 90 for 9.0; 75 for sm_75 */
    uint32_t cluster[3];              /* CTAs that its clusters have, x first; [0] is 0: any */
    uint32_t max_cluster;             /* CTAs that they may have, in all */
    bool needs_cluster;               /* a launch must say how many they have */
};
enum emu_status emu_kernel_info(struct emu_device *device, uint32_t kernel,
                                struct emu_kernel_info *info);

/* --- launches ----------------------------------------------------------------------------------- */

struct emu_launch {
    uint32_t kernel;
    uint32_t grid[3], block[3]; /* x, y, z */
    uint32_t cluster[3];        /* CTAs of a cluster; [0] is 0: as many as the kernel says, or 1 */
    uint32_t dynamic_shared_bytes;
    const void *params; /* param_bytes bytes, laid out as emu_kernel_info says */
    uint32_t param_bytes;
    /* all CTAs are kept going at once, and may wait for each other by grid.sync() */
    bool cooperative;
    bool alone;    /* the program waits for it in its only thread: what it lends stays as it is */
    bool may_park; /* EMU_PARKED is an answer, too */
};

/* Runs the launch to its end and, if it began, appends it to the record.
 * COUNTERS (may be NULL) gets its totals, also when it ended badly. */
enum emu_status emu_launch(struct emu_device *device, const struct emu_launch *launch,
                           struct emu_counters *counters);

/* A launch that may park does so when all that its threads do is to look whether memory has changed: it goes on
 * when it is told to, after whoever launched it has changed some, by calls, by other launches, or in memory that
 * it lends. A few hundred launches can be parked. */
struct emu_parked {
    uint64_t launch;  /* its name: no two of a device have the same */
    bool sees_lent;   /* it has looked at memory that is lent */
    bool has_changed; /* it has changed memory since it began, or was told to go on */
    bool is_still; /* it never will again, unless others do: else it may be on its way to an end */
};
/* After EMU_PARKED: the launch that this thread's latest call has parked. */
struct emu_parked emu_parked(struct emu_device *device);

enum emu_patience {
    EMU_POLL, /* until it is parked again; if it has found nothing new, that is not counted as executed */
    EMU_WAIT,  /* the same, and it is counted */
    EMU_FINISH /* to its end: what it waits for will not come any more */
};
/* Lets a parked launch go on. Its end is as that of emu_launch(). */
enum emu_status emu_go_on(struct emu_device *device, uint64_t launch, enum emu_patience patience);
/* Ends a parked launch where it is. It is recorded as one that went well so far. */
enum emu_status emu_abandon(struct emu_device *device, uint64_t launch);

/* Where kernels print: printf to EMU_STDOUT, failed assertions to EMU_STDERR. */
enum emu_stream { EMU_STDOUT, EMU_STDERR, EMU_STREAMS };

/* Takes what kernels have printed there since the last call: *TEXT is the caller's to free, and NULL
 * if there is nothing. */
void emu_output(struct emu_device *device, enum emu_stream stream, char **text, size_t *length);

/* --- the record ---------------------------------------------------------------------------------- */

/* Whether launches and findings are written anywhere. */
bool emu_has_record(struct emu_device *device);
/* Appends LINE, SIZE bytes of JSON without a newline, that the program's library has to say; see
 * report/record.h. Fails if there is no record. */
enum emu_status emu_note(struct emu_device *device, const char *line, size_t size);

/* Limits of the virtual GPU: those of an H100, compute capability 9.0. */
#define EMU_MAX_THREADS 1024u /* a CTA */
#define EMU_MAX_SHARED                                                                             \
    232448u /* a CTA, static and dynamic; what a program must opt in to is
                                       the runtime library's affair */
#define EMU_MULTIPROCESSORS 132u
#define EMU_MAX_CLUSTER     16u /* CTAs; more than 8 need the program's consent */
#define EMU_WARP_SIZE       32u

#endif
