/* Simulates one multiprocessor that executes the recorded instructions of some CTAs (walk.h).
 *
 * Each warp issues its instructions in order, as soon as their operands are ready. So it waits for
 * a load only where the loaded value is used. Units that warps share (schedulers, pipes, the
 * address unit, the port to the second-level cache, memory) serve one request after another, so
 * each unit has a time at which it becomes free. This is enough to model the bandwidth of memory,
 * and the waits that result if too few accesses are in flight. */
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
    /* Two fractions for each buffer. `misses`: of the distinct sectors that the simulated
     * multiprocessor loads, the fraction that occupies its share of DRAM. `cold`: of the distinct
     * sectors that the whole launch reads, the fraction that comes from DRAM. */
    const double *misses, *cold;
    unsigned buffer_count;
    double write_backs; /* number of lines that DRAM writes per stored sector */
    double rivals;      /* number of threads that compete for one word by compare-and-swap */
    /* number of multiprocessors whose atomics use the same units at the same time */
    double atomics_sharing;
    uint32_t l1_bytes;
    uint32_t constant_lines; /* number of distinct lines of constants that the sample loads */
    uint32_t active;         /* multiprocessors that share the chip's bandwidth */
    /* the contents of the second-level cache, used if there are no buffers; NULL if it holds
     * everything */
    const struct l2 *l2;
};

struct sm_options {
    /* assume that each access touches the ideal number of sectors, or takes the ideal number of
     * passes */
    bool ideal_sectors, ideal_passes;
    bool no_limits; /* assume that only waiting for results takes time */
};

/* A warp's speed: N instructions take FIXED + N * EACH cycles. */
struct sm_pace {
    double fixed, each;
};

/* The traffic of the caches, as Nsight Compute counts it (limit.c). It does not affect the
 * simulation.
 *
 * passes    passes through the first-level cache and shared memory that take no time in the
 *           simulation: one for each index of a thread, and one for each word of a wide access,
 *           even if all lanes access the same words
 * received  packets to the second-level cache: a request for a line, or a sector that is stored. A
 *           slice of the cache receives one packet per cycle.
 * sent      sectors from the second-level cache, divided by the two that a slice sends per cycle
 * crossed   traffic between the two halves of the second-level cache. An address belongs to one of
 *           the halves, so half of the sectors that are stored or come from DRAM cross. This counts
 *           these sectors, and half a sector for each line. */
struct sm_traffic {
    double passes, received, sent, crossed;
};

struct sm_result {
    double cycles;       /* cycles until all work is done */
    struct sm_pace pace; /* the speed of the warp with the most instructions */
    uint64_t most;       /* the number of this warp's instructions */
    double instructions; /* machine instructions issued */
    /* for each pipe, its busy cycles in the scheduler in which it is busiest */
    double busy[PIPES];
    double issue;      /* cycles in which the busiest scheduler issued instructions */
    double shared, l1; /* cycles of the address unit for shared memory, and for other spaces */
    double l2_sectors, dram_sectors; /* numbers of sectors that L2 and DRAM moved */
    /* among the units and words that execute atomics, the busy cycles of the busiest one */
    double atomic_cycles;
    /* The work of the second-level cache, in packets: for all requests, and for stores only. A
     * request for a line is one packet, and each of its sectors is one more. */
    double packets, store_packets;
    struct sm_traffic traffic;
    double *ended; /* the time when each CTA ended */
    double *blame; /* for each pc, the cycles in which warps issued it or waited for its result */
};

/* Simulates the first COUNT CTAs of the list CTAS, RESIDENT of them at a time. The caller allocates
 * RESULT's arrays; each may be NULL. Returns false when out of memory. */
bool sm_run(const struct emu_chip *chip, const struct machine *machine,
            const struct sm_memory *memory, const struct walk_cta *ctas, uint32_t count,
            uint32_t resident, const struct sm_options *options, struct sm_result *result);

#endif
