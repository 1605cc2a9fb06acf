/* The state of initcheck for one launch. */
#ifndef GPU_OBSERVE_INIT_H
#define GPU_OBSERVE_INIT_H

#include "gpu/observe/view.h"

/* The threads of a CTA that ended before a barrier of the others. */
struct init_gone {
    uint32_t count, first; /* `first` is the first thread's number */
};

struct init_cta {
    uint64_t cta;
    uint8_t *shared, *local; /* a flag for each byte, which is 1 if the byte was written */
    struct init_gone gone;
};

/* The accesses of one instruction. */
struct init_site {
    uint64_t low, high; /* the range that it wrote, in `space`; `high` is 0 if it wrote nothing */
    /* number of its faulty reads; addr, cta and thread are those of the first faulty read */
    uint64_t count;
    uint64_t addr, cta;
    /* in global memory, the number of bytes from the allocation's start that were written before
     * the read */
    uint64_t prefix;
    /* in shared memory, the only range of the array that the CTA had written before the read; end
     * is 0 if there was no such range, or more than one */
    uint64_t own_low, own_end;
    /* if there was more than one, the unwritten range of the faulty read between two of them */
    uint64_t gap_low, gap_end;
    struct init_gone gone; /* in shared memory, the CTA's threads that had ended */
    uint32_t thread;
    uint8_t space;
    bool uses_old;                 /* an atomic whose result depends on the old value */
    bool is_copy;                  /* cp.async, cp.async.bulk */
    const struct mem_block *block; /* the block that it accessed last */
};

struct init {
    const struct launch_view *launch;
    struct init_site *sites;          /* one for each pc */
    struct init_cta *current, *seats; /* the running CTA, and all resident CTAs by seat */
    size_t local_bytes;
    bool failed; /* memory ran out, so nothing more is checked */
};

/* Reports the faulty reads of the instruction at PC. */
void init_report(const struct init *init, uint32_t pc);

#endif
