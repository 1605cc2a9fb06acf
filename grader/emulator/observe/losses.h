/* Losses: what a launch wasted, as findings of severity "warning" on the lines that did it.
 *
 * The counters observer keeps a sample of each instruction: of its accesses the one that wasted most,
 * whose addresses tell the cause (shape.h). Which one that is does not depend on how many workers there
 * are. When the launch ends, losses_report() adds up by source line what is worth a finding. */
#ifndef OBSERVE_LOSSES_H
#define OBSERVE_LOSSES_H

#include <string.h>

#include "emulator/counters.h"
#include "emulator/observe/observer.h"
#include "emulator/observe/shape.h"

struct sample {
    struct shape_access access;
    uint32_t cost, ideal; /* sectors or wavefronts; 0: no sample yet */
    uint32_t warp;
    uint8_t kind, space;
    uint64_t cta;
    /* Of a global access by one warp right after the same one: how often. */
    uint64_t again, last_cta, last_first;
    uint32_t last_warp, last_mask;
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

/* Counts a load of what the same warp loaded here the last time: FIRST is lane 0's address, and to it the
 * other lanes' lie as they did the last time, if it REPEATS. */
static inline void sample_again(struct sample *sample, bool repeats, uint64_t first, uint64_t cta,
                                uint32_t warp, uint32_t mask)
{
    sample->again += repeats && sample->last_first == first && sample->last_warp == warp &&
                     sample->last_cta == cta && sample->last_mask == mask;
    sample->last_first = first;
    sample->last_warp = warp;
    sample->last_cta = cta;
    sample->last_mask = mask;
}

static inline void sample_join(struct sample *into, const struct sample *sample)
{
    uint64_t again = into->again + sample->again;
    if (sample_is_worse(into, sample->cost, sample->ideal, sample->cta, sample->warp))
        *into = *sample;
    into->again = again;
}

/* Adds to the launch's findings what COUNTERS and SAMPLES, of each instruction, show. */
void losses_report(const struct obs_launch *launch, const struct emu_counters *counters,
                   const struct sample *samples);

#endif
