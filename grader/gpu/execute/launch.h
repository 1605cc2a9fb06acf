/* Launches: one run of a kernel's grid. The device fills in the first part of struct launch, and begins, runs and ends it. */
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
#define RESERVED_SHARED 1024u /* of a CTA: cooperative groups of several warps meet there */

struct children;
struct cta;
struct heap;
struct memory;
struct worker;

/* What kernels have printed and nobody has fetched yet; the first assertion of a launch that failed. */
struct output {
    pthread_mutex_t lock;
    struct {
        char *text;
        size_t length;
    } streams[EMU_STREAMS];
    size_t limit; /* bytes of each; what does not fit is lost */
    char assertion[160];
};

/* The first part is set by the caller, the rest must be zero. */
struct launch {
    struct emu_launch request;
    const struct kernel *kernel;
    struct memory *memory;
    struct heap *heap;
    struct output *output;
    const struct observer *const *observers;
    unsigned observer_count;
    unsigned wanted;                   /* events that some observer subscribed to */
    bool is_counted;                   /* its counters go to somebody */
    struct launch_view view;           /* of it, for observers and the record */
    const struct emu_options *options; /* the device's */
    const struct emu_texture *textures;
    uint64_t texture_count;
    uint64_t cta_count, grid_id;
    uint32_t cluster_size; /* CTAs that share a worker, and reach each other's memory */
    bool is_in_clusters;   /* as the kernel or the program says */
    uint32_t threads, warps, shared_bytes; /* of a CTA */
    uint32_t reserved_shared; /* the last ones of these, which are not the program's own */
    uint32_t local_bytes;     /* of a thread: variables and stack */
    uint32_t own_bytes;       /* of these: the kernel's own variables */
    struct emu_occupancy occupancy;
    uint32_t workers;
    uint32_t resident;         /* CTAs that one worker keeps going at once */
    uint64_t limit;            /* warp instructions; 0: none */
    uint64_t clock;            /* of the device when the launch begins */
    uint64_t workspace;        /* of a cooperative launch: where its grid waits; or 0 */
    struct children *children; /* what its kernels launch */
    unsigned depth;            /* 0: the host launched it; 1: a kernel of the host's, and so on */
    bool may_park;             /* it stops for a while where nothing but the host could help it */
    bool goes_on;              /* it has done so before */

    atomic_uint_fast64_t next_cluster, executed;
    atomic_int status;                    /* enum emu_status: the first thing that went wrong */
    atomic_bool stopping;                 /* nothing more is executed */
    struct worker *crew;                  /* all of them */
    atomic_uint_fast64_t epoch;           /* see standstill.c */
    atomic_bool has_waited;               /* for others, a cluster: most need not count */
    atomic_uint_fast64_t ended;           /* clusters, since then */
    atomic_bool is_stuck;                 /* all that is left will wait for ever */
    atomic_bool is_parked;                /* or for the host: that is sure, or may be */
    atomic_bool is_still;                 /* it is sure */
    struct emu_counters *per_instruction; /* code_count + 1, or NULL; the caller's */
    uint64_t longest, instructions;       /* of one warp; of all */
    uint8_t *values;                      /* BANK_LAUNCH, while it runs */
};

/* A launch: begins with COUNT workers, at least 1; runs, until it is over, or parked if it may be: false, and
 * it can be told to go on; ends, and returns how. What fails at the beginning is known at the end. */
void launch_begin(struct launch *launch, unsigned count);
bool launch_go(struct launch *launch);
enum emu_status launch_end(struct launch *launch);
/* While it was parked, memory may have been allocated and freed: what workers know of it is forgotten. */
void launch_forget_memory(struct launch *launch);
/* A number that grows when the launch changes memory. */
uint64_t launch_changes(const struct launch *launch);
bool launch_sees_lent(const struct launch *launch); /* it has looked at memory that is lent */
void launch_totals(const struct launch *launch, struct emu_counters *totals);

/* The launch will end with STATUS, unless something else went wrong before. It goes on meanwhile, so
 * that more can be found. */
static inline void launch_fail(struct launch *launch, enum emu_status status)
{
    int none = EMU_OK;
    atomic_compare_exchange_strong(&launch->status, &none, (int)status);
}

/* The same, and execution ends as soon as each worker sees it. */
static inline void launch_stop(struct launch *launch, enum emu_status status)
{
    launch_fail(launch, status);
    atomic_store(&launch->stopping, true);
}

/* view.c: describes the launch to observers and to the record, once all that its caller sets is set. */
void launch_describe(struct launch *launch, struct findings *findings,
                     struct obs_recording *recording);

/* Tells the observers that LANE of WARP did what it must not at the current instruction. ACCESS is
 * NULL when it is not about memory. */
void warp_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane,
                const struct obs_access *access);

/* The same with a MASK of lanes, and one of them: see struct obs_fault. */
void warp_mask_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane, uint32_t mask,
                     unsigned other);

/* Tells them what orders accesses. */
void cta_tell_order(const struct cta *cta, struct obs_order order);

#endif
