/* Simulates one multiprocessor that executes the walks of some CTAs.
 *
 * Each warp issues its instructions in order, as soon as their operands are ready, so it waits for
 * a load only where the loaded value is used. Units that warps share (schedulers, pipes, the
 * address unit, the port to the second-level cache, memory) serve one request after another, so
 * each unit has a time from which on it is free. The bandwidth of memory, and the waits when too
 * few accesses are in flight, follow from this without further rules. */
#ifndef GPU_PREDICT_SM_H
#define GPU_PREDICT_SM_H

#include "gpu/chips.h"
#include "gpu/predict/footprint.h"
#include "gpu/predict/machine.h"
#include "gpu/predict/walk.h"

#define CONSTANT_LINE 64u /* bytes of a line in the caches of constants */

/* The properties of memory that the simulation of a multiprocessor needs. */
struct sm_memory {
    const struct l2_buffer *buffers;
    /* for each buffer, the fraction of the SM's first accesses that DRAM serves */
    const double *misses;
    /* for each buffer, the fraction of the sectors read by the launch that DRAM serves */
    const double *cold;
    unsigned buffer_count;
    double write_backs;     /* lines that DRAM writes for each sector that is stored */
    double rivals;          /* threads that compete for one word with compare-and-swap */
    double atomics_sharing; /* multiprocessors whose atomics use the same units at the same time */
    uint32_t l1_bytes;
    uint32_t constant_lines; /* different lines of constants that the sample loads */
    uint32_t active;         /* multiprocessors that share the chip's bandwidth */
    /* the contents of the second-level cache, used if there are no buffers; NULL if it holds
     * everything */
    const struct l2 *l2;
};

struct sm_options {
    /* as if accesses took the ideal number of sectors, or passes */
    bool ideal_sectors, ideal_passes;
    bool no_limits; /* as if only the waits for results took time */
};

/* The cycles of a warp with N instructions: FIXED + N * EACH. */
struct sm_pace {
    double fixed, each;
};

struct sm_result {
    double cycles;       /* cycles until all work is done */
    struct sm_pace pace; /* the pace of the warp with the most instructions */
    uint64_t most;       /* the number of its instructions */
    double instructions; /* machine instructions issued */
    double busy[PIPES];  /* cycles of each pipe, for the busiest scheduler */
    double issue;        /* cycles in which the busiest scheduler issued */
    double shared, l1;   /* cycles of the address unit for shared memory, and for other spaces */
    double l2_sectors, dram_sectors, atomic_cycles;
    /* work of the second-level cache in sectors: a request for a line counts as one more sector */
    double packets, store_packets;
    double *ended; /* the time when each CTA ended */
    double *blame; /* for each pc, the cycles in which warps waited for its result or issued it */
};

/* Simulates the COUNT CTAs of the list CTAS, RESIDENT at a time. RESULT's arrays are the caller's,
 * or NULL. Returns false when out of memory. */
bool sm_run(const struct emu_chip *chip, const struct machine *machine,
            const struct sm_memory *memory, const struct walk_cta *ctas, uint32_t count,
            uint32_t resident, const struct sm_options *options, struct sm_result *result);

#endif
