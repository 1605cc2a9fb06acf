/* Simulates one multiprocessor that executes the walks of some CTAs.
 *
 * Each warp issues its instructions in order, as soon as their operands are ready, so it waits for
 * a load only where the loaded value is used. Units that warps share (schedulers, pipes, the
 * address unit, the port to the second-level cache, memory) serve one request after another, so
 * each unit has a time at which it becomes free. No further rules are needed for the bandwidth of
 * memory, or for the waits when too few accesses are in flight. */
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
    /* For each buffer, two fractions. `misses`: of the different sectors that the simulated
     * multiprocessor loads, the fraction that occupies its share of DRAM. `cold`: of the different
     * sectors that the whole launch reads, the fraction that comes from DRAM. */
    const double *misses, *cold;
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
    /* as if each access touched the ideal number of sectors, or took the ideal number of passes */
    bool ideal_sectors, ideal_passes;
    bool no_limits; /* as if only the waits for results took time */
};

/* The cycles of a warp with N instructions: FIXED + N * EACH. */
struct sm_pace {
    double fixed, each;
};

/* What the caches move, as Nsight Compute counts it (limit.c). It does not change the simulation.
 *
 * passes    through the first-level cache and shared memory, which take no time in the simulation:
 *           for each index of a thread, and as many as a wide access has words, even if all lanes
 *           access the same words
 * received  packets to the second-level cache: a request for a line, or a sector that is stored. A
 *           slice of the cache receives one packet in a cycle.
 * sent      sectors from the second-level cache, divided by the two that a slice sends in a cycle
 * crossed   sectors of which half cross from one half of the second-level cache to the other, and
 *           half a sector for each line. They are stored or come from DRAM; each address belongs to
 *           one of the halves. */
struct sm_traffic {
    double passes, received, sent, crossed;
};

struct sm_result {
    double cycles;       /* cycles until all work is done */
    struct sm_pace pace; /* the pace of the warp with the most instructions */
    uint64_t most;       /* the number of this warp's instructions */
    double instructions; /* machine instructions issued */
    double busy[PIPES];  /* for each pipe, its busy cycles in the scheduler where it is busiest */
    double issue;        /* cycles in which the busiest scheduler issued */
    double shared, l1;   /* cycles of the address unit for shared memory, and for other spaces */
    double l2_sectors, dram_sectors; /* sectors that these moved */
    double atomic_cycles;            /* cycles of the busiest unit or word that executes atomics */
    /* The work of the second-level cache for all requests, and for stores. A request for a line
     * counts as one packet, and each of its sectors as one more. */
    double packets, store_packets;
    struct sm_traffic traffic;
    double *ended; /* the time when each CTA ended */
    double *blame; /* for each pc, the cycles in which warps waited for its result or issued it */
};

/* Simulates the COUNT CTAs of the list CTAS, RESIDENT at a time. RESULT's arrays are the caller's,
 * or NULL. Returns false when out of memory. */
bool sm_run(const struct emu_chip *chip, const struct machine *machine,
            const struct sm_memory *memory, const struct walk_cta *ctas, uint32_t count,
            uint32_t resident, const struct sm_options *options, struct sm_result *result);

#endif
