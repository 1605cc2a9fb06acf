/* The state of initcheck for one launch. */
#ifndef GPU_OBSERVE_INIT_H
#define GPU_OBSERVE_INIT_H

#include "gpu/observe/view.h"

/* The threads of a CTA that had exited when the other threads reached a barrier. */
struct init_gone {
    uint32_t count, first; /* `first` is the index of the first such thread in its CTA */
};

struct init_cta {
    uint64_t cta;
    uint8_t *shared, *local; /* one flag per byte, 1 if the byte was written */
    struct init_gone gone;
};

/* The data that initcheck keeps about one instruction, called a site. */
struct init_site {
    /* the range that the instruction wrote, in `space`; `high` is 0 if it wrote nothing */
    uint64_t low, high;
    /* number of uninitialised reads; addr, cta and thread describe the first of them */
    uint64_t count;
    uint64_t addr, cta;
    /* global memory: the number of bytes, from the start of the allocation, that were written
     * before the read */
    uint64_t prefix;
    /* shared memory: the range of the array that the CTA had written before the read; own_end is 0
     * if there was no such range, or more than one */
    uint64_t own_low, own_end;
    /* if there was more than one such range: the unwritten gap that contains the read */
    uint64_t gap_low, gap_end;
    struct init_gone gone; /* shared memory: the CTA's threads that had exited before the read */
    uint32_t thread;
    uint8_t space;
    bool uses_old;                 /* an atomic whose result depends on the old value */
    bool is_copy;                  /* cp.async, cp.async.bulk */
    const struct mem_block *block; /* the allocation that the instruction accessed last */
};

struct init {
    const struct launch_view *launch;
    struct init_site *sites; /* for each pc */
    /* the running CTA, and the CTA at each seat (see view.h) */
    struct init_cta *current, *seats;
    size_t local_bytes;
    bool failed; /* memory ran out, so the rest of the launch is not checked */
};

/* Reports the uninitialised reads of the instruction at PC. */
void init_report(const struct init *init, uint32_t pc);

#endif
