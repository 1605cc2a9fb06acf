/* Losses: what a launch wasted, as findings of severity "warning" on the lines that did it.
 *
 * The counters observer keeps a sample of each instruction: of its accesses the one that wasted most,
 * whose addresses tell the cause (shape.h). Which one that is does not depend on how many workers there
 * are. When the launch ends, losses_report() adds up by source line what is worth a finding. */
#ifndef GPU_OBSERVE_LOSSES_H
#define GPU_OBSERVE_LOSSES_H

#include <stdlib.h>
#include <string.h>

#include "gpu/counters.h"
#include "gpu/lanes.h"
#include "gpu/observe/shape.h"
#include "gpu/observe/view.h"

/* A warp's latest access to global memory by an instruction, as far as it takes to know the same one again:
 * FIRST is lane 0's address, FORM a hash of how the other lanes' lie to it. */
struct access_seen {
    uint64_t cta, first, form;
    uint32_t mask; /* 0: there was none */
};

struct sample {
    struct shape_access access;
    uint32_t cost, ideal; /* sectors or wavefronts; 0: no sample yet */
    uint32_t warp;
    uint8_t kind, space;
    uint64_t cta;
    /* Of global accesses that a warp repeats, or that lie in part over the warp's one before: how often. */
    uint64_t again, slid;
    uint64_t form;            /* of the latest global access, but of dense ones */
    struct access_seen *seen; /* of each warp of the last CTA; NULL: none, or memory ran out */
};

/* Does an access at COST and IDEAL by WARP of CTA say more than what is there? */
static inline bool sample_is_worse(const struct sample *sample, uint32_t cost, uint32_t ideal,
                                   uint64_t cta, uint32_t warp)
{
    uint32_t waste = cost - ideal, known = sample->cost - sample->ideal;
    return waste > known || (waste && waste == known &&
                             (cta < sample->cta || (cta == sample->cta && warp < sample->warp)));
}

static inline void sample_take(struct sample *sample, const struct obs_access *access,
                               uint32_t cost, uint32_t ideal)
{
    if (__builtin_expect(!sample_is_worse(sample, cost, ideal, access->cta, access->warp), 1))
        return;
    memcpy(sample->access.addr, access->addr, sizeof sample->access.addr);
    sample->access.mask = access->mask;
    sample->access.bytes = access->bytes;
    sample->cost = cost;
    sample->ideal = ideal;
    sample->cta = access->cta;
    sample->warp = access->warp;
    sample->kind = access->kind;
    sample->space = access->space;
}

#define DENSE_FORM 1

/* How the active lanes' addresses lie to lane 0's. */
static inline uint64_t access_form(const uint64_t addr[32], uint32_t mask)
{
    uint64_t form = 0;
    for (unsigned l = 0; l < 32; l++)
        form += (mask >> l & 1) * (addr[l] - addr[0]) * (2 * l + 1);
    return form;
}

#define WINDOW 128 /* bytes: a warp's words, if they are floats */

static inline bool access_is_near(uint64_t one, uint64_t other)
{
    return one != other && one - other + WINDOW < 2 * WINDOW;
}

/* Counts an access by WARP to what it touched here the last time, if all its lanes' addresses lie to the
 * first as they did then (REPEATS), or to a window that has slid on. */
static inline void sample_again(struct sample *sample, bool repeats, uint32_t warp,
                                const struct access_seen *seen)
{
    if (__builtin_expect(!sample->seen, 0))
        sample->seen = calloc(MAX_WARPS, sizeof *sample->seen);
    if (!sample->seen)
        return;
    struct access_seen *last = &sample->seen[warp];
    bool same_lanes = last->cta == seen->cta && last->mask == seen->mask;
    sample->again += repeats && same_lanes && last->first == seen->first;
    sample->slid += same_lanes && access_is_near(last->first, seen->first);
    *last = *seen;
}

/* Adds what another worker saw. It may take memory from SAMPLE. */
void sample_join(struct sample *into, struct sample *sample);

/* Adds to the launch's findings what COUNTERS and SAMPLES, of each instruction, show. */
void losses_report(const struct launch_view *launch, const struct emu_counters *counters,
                   const struct sample *samples);

#endif
