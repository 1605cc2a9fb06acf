/* A launch is one run of a kernel's grid.
 *
 * The device sets the first part of struct launch. Then it begins, runs and ends the launch. A
 * launch that polls the host's memory can be parked: launch_go() returns before the launch is
 * complete, and a later call continues it. */
#ifndef GPU_EXECUTE_LAUNCH_H
#define GPU_EXECUTE_LAUNCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/execute/kernel.h"
#include "gpu/observe/view.h"
#include "gpu/occupancy.h"

#define EMU_MAX_WORKERS 64u
/* bytes per CTA that CUDA reserves for synchronising groups of several warps */
#define RESERVED_SHARED 1024u

struct children;
struct cta;
struct heap;
struct memory;
struct predictor;
struct worker;

/* Text that kernels have printed and the host has not yet fetched, and the text of the first
 * assertion that failed. */
struct output {
    pthread_mutex_t lock;
    struct {
        char *text;
        size_t length;
    } streams[EMU_STREAMS];
    size_t limit; /* maximum bytes of each stream; text beyond this is lost */
    char assertion[160];
};

/* The conditions of graphs. A condition's handle is its index + CONDITION_FIRST. This constant
 * distinguishes handles from addresses and from small numbers, which a kernel may pass by
 * mistake. */
#define CONDITION_FIRST 0xc0de0000c0de0000ull
struct conditions {
    uint32_t *values;
    uint64_t count;
};

/* Returns a pointer to the condition's value, or NULL if HANDLE is not the handle of a
 * condition. */
static inline uint32_t *condition_find(const struct conditions *conditions, uint64_t handle)
{
    uint64_t index = handle - CONDITION_FIRST;
    return index < conditions->count ? &conditions->values[index] : NULL;
}

/* A launch. The caller sets the first part; all other fields must be zero. */
struct launch {
    struct emu_launch request;
    const struct kernel *kernel;
    struct memory *memory;
    struct heap *heap;
    const struct conditions *conditions;
    struct output *output;
    struct predictor *predictor; /* NULL if the launch's time is not predicted */
    const struct observer *const *observers;
    unsigned observer_count;
    unsigned wanted;                   /* kinds of events that some observer wants */
    bool is_counted;                   /* the launch's counters will be read */
    struct launch_view view;           /* the launch as observers and the record see it */
    const struct emu_options *options; /* options of the device */
    const struct emu_texture *textures;
    uint64_t texture_count;
    uint64_t cta_count, grid_id;
    /* CTAs per cluster; they share a worker and can access each other's shared memory */
    uint32_t cluster_size;
    bool is_in_clusters;                   /* the kernel or the program asks for clusters */
    uint32_t threads, warps, shared_bytes; /* per CTA */
    uint32_t reserved_shared; /* bytes at the end of shared memory that the program may not use */
    uint32_t local_bytes;     /* bytes of local memory per thread, for variables and the stack */
    uint32_t own_bytes;       /* part of local_bytes for the kernel's own variables */
    struct emu_occupancy occupancy;
    uint32_t workers;
    uint32_t resident;         /* maximum number of CTAs that one worker runs in turn */
    uint64_t limit;            /* maximum warp instructions, or 0 for no limit */
    uint64_t clock;            /* the device's clock, in cycles, when the launch begins */
    double timer;              /* predicted nanoseconds of all earlier launches */
    uint64_t workspace;        /* address of a cooperative launch's grid barrier, or 0 */
    struct children *children; /* grids that its kernels launch */
    /* depth of nested launches: 0 if the host launched this grid, 1 if a grid of depth 0 did, and
     * so on */
    unsigned depth;
    bool may_park; /* the launch may be parked when only the host can let it continue */
    bool goes_on;  /* launch_go() has returned at least once */

    atomic_uint_fast64_t next_cluster, executed;
    atomic_int status;    /* the first error, as enum emu_status */
    atomic_bool stopping; /* workers stop as soon as they see this flag */
    struct worker *pool;  /* array of most_workers workers */
    /* The watch is the first part of a launch. It runs on a single worker, because some observers
     * need this. When its cost exceeds the limit, these observers are removed and the other workers
     * join. */
    /* limit of watch_cost, in the unit of emu_options.watch_budget, or 0 for no limit */
    uint64_t watch_limit;
    uint64_t watch_cost; /* sum of the workers' costs; valid after launch_end() */
    bool watch_is_over;
    uint32_t most_workers;      /* number of workers after the watch */
    atomic_uint_fast64_t epoch; /* see standstill.c */
    atomic_bool has_waited;     /* some cluster has waited for other clusters */
    /* number of clusters that have ended since has_waited became true */
    atomic_uint_fast64_t ended;
    uint64_t begun; /* time of the call of launch_go(), in seconds of a monotonic clock */
    /* seconds from `begun` until the emulator prints a line about the launch's progress */
    atomic_uint patience;
    atomic_bool is_interrupted;           /* the user has pressed Ctrl-C */
    atomic_bool is_stuck;                 /* no remaining thread can ever continue */
    atomic_bool is_parked;                /* all remaining threads seem to wait for the host */
    atomic_bool is_still;                 /* all remaining threads certainly wait for the host */
    struct emu_counters *per_instruction; /* code_count + 1 entries, or NULL; the caller frees it */
    uint64_t longest, instructions; /* warp instructions of the longest warp, and of all warps */
    uint64_t occupied;              /* the counter occupied_instructions */
    uint8_t *values;                /* BANK_LAUNCH, while the launch runs */
};

/* Begins a launch with COUNT workers, at least 1. launch_end() reports errors. If watch_limit is
 * set, the launch begins with one worker; the others join when the watch is over. */
void launch_begin(struct launch *launch, unsigned count);
/* Runs the launch. Returns false if the launch was parked; another call continues it. */
bool launch_go(struct launch *launch);
/* Returns the launch's first error, or EMU_OK. */
enum emu_status launch_end(struct launch *launch);
/* Ends the launch's watch. Call this between two slices of WORKER, the launch's only worker. */
void launch_end_watch(struct worker *worker);
/* Empties the workers' caches of memory blocks. Must be called if the host may have allocated or
 * freed memory while the launch was parked. */
void launch_forget_memory(struct launch *launch);
/* Returns a number that grows when the launch changes memory. */
uint64_t launch_changes(const struct launch *launch);
/* Returns whether the launch has accessed memory that it shares with the host. */
bool launch_sees_lent(const struct launch *launch);
/* Adds up the counts of COUNT workers, and joins the observers' states (launch_totals.c). Frees the
 * workers' memory. */
void launch_join_workers(struct launch *launch, struct worker *workers, unsigned count);
void launch_totals(const struct launch *launch, struct emu_counters *totals);

/* Sets the launch's status unless an earlier error has set it. The launch continues, so that it can
 * report more errors. */
static inline void launch_fail(struct launch *launch, enum emu_status status)
{
    int none = EMU_OK;
    atomic_compare_exchange_strong(&launch->status, &none, (int)status);
}

/* Does the same as launch_fail(), and makes the workers stop as soon as they notice it. */
static inline void launch_stop(struct launch *launch, enum emu_status status)
{
    launch_fail(launch, status);
    atomic_store(&launch->stopping, true);
}

/* Sets launch->view, which describes the launch to observers and the record. The caller's part of
 * the launch must be complete (view.c). */
void launch_describe(struct launch *launch, struct findings *findings,
                     struct obs_recording *recording);

/* Reports to the observers a fault of LANE at the warp's current instruction. ACCESS is NULL if the
 * fault is not about memory. */
void warp_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane,
                const struct obs_access *access);

/* Reports that the user has stopped the launch. */
void warp_interrupt_fault(struct warp *warp, unsigned lane);
/* Reports a fault about the lanes in MASK and the lane OTHER (see struct obs_fault). */
void warp_mask_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane, uint32_t mask,
                     unsigned other);

/* Reports an ordering event to the observers. */
void cta_report_order(const struct cta *cta, struct obs_order order);
/* Does the same for an event of the whole CTA. */
void cta_report_event(const struct cta *cta, enum obs_order_kind kind);

/* Reports to the observers that the state of CTA has just changed. CTA must have is_watched. Sets
 * NOW's machine and cta. */
void cta_report_state(const struct cta *cta, struct obs_state *now);

#endif
