/* Records which sectors of memory a launch reads and writes. From these, l2.c computes the contents
 * of the second-level cache (L2) and the traffic to DRAM.
 *
 * Tracking all sectors would take too much memory. Therefore only one in 2^shift pages of 4 KiB is
 * tracked ("watched"). The pages are chosen by a hash of their number. A launch is divided into
 * parts: ranges of CTAs that run at about the same time. For each sector of a tracked page, the
 * footprint has the set of the parts that read it, and the set of the parts that write it. Each
 * worker thread makes its own footprint. Footprints can be joined in any order, so the result does
 * not depend on the number of worker threads. */
#ifndef GPU_PREDICT_FOOTPRINT_H
#define GPU_PREDICT_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/memory/memory.h"

#define PAGE_BYTES   4096u
#define PAGE_SECTORS (PAGE_BYTES / 32)
#define MOST_PARTS   64u

struct page {
    uint64_t number; /* address / PAGE_BYTES */
    /* for each sector, two bit sets of the launch's parts: those that read it, and those that write
     * it */
    uint64_t read[PAGE_SECTORS], written[PAGE_SECTORS];
    /* for each sector, a bit set of its words that were written */
    uint8_t words[PAGE_SECTORS];
};

enum footprint_use {
    FOOTPRINT_READS,
    FOOTPRINT_WRITES,
    FOOTPRINT_ADDS, /* an atomic */
};

#define SKETCH_BITS 65536u

/* Estimates the number of distinct keys (linear counting). Each key sets the bit that a hash
 * chooses. The number of keys is computed from the fraction of bits that are set. */
struct sketch {
    uint64_t bits[SKETCH_BITS / 64];
};

static inline void sketch_add(struct sketch *sketch, uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u; /* a single multiplication would spread regular keys too evenly */
    key = (key ^ key >> 32) * 0xbf58476d1ce4e5b9u;
    uint32_t bit = (uint32_t)(key >> 32) % SKETCH_BITS;
    sketch->bits[bit / 64] |= (uint64_t)1 << bit % 64;
}
double sketch_count(const struct sketch *sketch);

struct footprint {
    struct page **pages; /* a hash table */
    /* added: the pages that atomics access, tracked or not. swapped: the words that
     * compare-and-swaps access. */
    struct sketch added, swapped;
    uint32_t room, count;
    unsigned shift;
    bool failed; /* memory ran out, so pages are missing */
};

static inline bool footprint_watches(const struct footprint *footprint, uint64_t page)
{
    return !(page * 0x9e3779b97f4a7c15u >> 32 & ((1u << footprint->shift) - 1));
}

/* Returns the smallest shift for which at most 512 KiB of BYTES bytes of memory are tracked. */
unsigned footprint_shift(uint64_t bytes);
/* Records that PART uses the sectors from BEGIN to END, which are all in one tracked page. */
void footprint_note(struct footprint *footprint, uint64_t begin, uint64_t end, unsigned part,
                    enum footprint_use use);
/* Adds FROM to INTO and frees the contents of FROM. */
void footprint_join(struct footprint *into, struct footprint *from);
void footprint_free(struct footprint *footprint);

/* --- the second-level cache ------------------------------------------------------------------- */

/* The contents of the cache between launches: for each line of the tracked pages, the time of its
 * last use, and the sectors of it that the cache holds. */
struct l2;
struct l2 *l2_new(void);
void l2_free(struct l2 *l2);

/* Returns whether the cache held a sector of LINE when the latest launch ended. If the line's page
 * is not tracked, uses the same line of the closest tracked page before it. */
bool l2_holds(const struct l2 *l2, uint64_t line);

/* The traffic between the second-level cache and DRAM that a launch causes for one allocation, in
 * sectors. */
struct l2_buffer {
    uint64_t begin, end;
    double touched; /* number of distinct sectors that the launch reads */
    /* number of sectors that the launch reads from DRAM because the cache does not hold them */
    double missed;
    double read, written; /* sectors that DRAM reads and writes; reads come in pairs */
    /* DRAM's time for reads and writes, in units of the time for a whole line (see dram_cost()). If
     * the launch stored only a part of a sector, DRAM reads the sector before it writes it. The
     * time of this read is in write_cost. */
    double read_cost, write_cost;
};

/* DRAM is fastest with whole lines of 128 bytes. A transfer takes the time of DRAM_LINE halves of a
 * line, plus the time of the halves that it moves. So half a line takes more than half of the time
 * of a whole line. On an H200, single sectors reach a third of the bandwidth of whole lines
 * (chip/h200.txt: sparse_1of4_every1 and so on). */
#define DRAM_LINE 1.6
/* Returns the time that DRAM takes for HALVES halves of a line, divided by its time for a whole
 * line. */
static inline double dram_cost(unsigned halves)
{
    return halves ? (halves + DRAM_LINE) / (2 + DRAM_LINE) : 0;
}
/* Returns how many halves of a line contain SECTORS, a bit mask of the line's four sectors. */
static inline unsigned dram_halves(uint32_t sectors)
{
    return ((sectors & 3) != 0) + ((sectors & 12) != 0);
}

/* Updates the contents of a cache of BYTES bytes for a launch with FOOTPRINT, which has PARTS
 * parts. Writes the launch's traffic to BUFFERS, which has ROOM entries. Returns the number of
 * entries used, or 0 when out of memory. */
unsigned l2_launch(struct l2 *l2, const struct footprint *footprint, unsigned parts, double bytes,
                   const struct memory *memory, struct l2_buffer *buffers, unsigned room);

#endif
