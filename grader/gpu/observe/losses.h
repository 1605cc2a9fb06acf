/* Losses are the waste of a launch, reported as findings of severity "warning" on the responsible
 * lines.
 *
 * The counters observer keeps one sample for each instruction: its most wasteful access, whose
 * addresses show the cause (shape.h). The choice does not depend on the number of workers. When the
 * launch ends, losses_report() adds up the losses by source line and reports the large ones. */
#ifndef GPU_OBSERVE_LOSSES_H
#define GPU_OBSERVE_LOSSES_H

#include <stdlib.h>
#include <string.h>

#include "gpu/counters.h"
#include "gpu/lanes.h"
#include "gpu/observe/shape.h"
#include "gpu/observe/view.h"

/* The latest access of a warp to global memory by one instruction, with just enough to recognise a
 * repeat. FIRST is lane 0's address, FORM a hash of the other lanes' distances from it. */
struct access_seen {
    uint64_t cta, first, form;
    uint32_t mask; /* 0 if no access yet */
};

struct sample {
    struct shape_access access;
    uint32_t cost, ideal; /* sectors or wavefronts, or 0 if no sample yet */
    uint32_t warp;
    uint8_t kind, space;
    uint64_t cta;
    /* `again` counts how often a warp repeated its previous global access, and `slid` how often an
     * access partly overlapped the warp's previous access. */
    uint64_t again, slid;
    uint64_t form; /* as in access_seen, for the latest global access that was not dense */
    /* the latest access of each warp of the last CTA; NULL before the first access, or when out of
     * memory */
    struct access_seen *seen;
};

/* Returns whether an access by WARP of CTA replaces the sample. The access costs COST, and IDEAL at
 * best. */
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

/* Returns a hash of the active lanes' distances from lane 0's address. */
static inline uint64_t access_form(const uint64_t addr[32], uint32_t mask)
{
    uint64_t form = 0;
    for (unsigned l = 0; l < 32; l++)
        form += (mask >> l & 1) * (addr[l] - addr[0]) * (2 * l + 1);
    return form;
}

#define WINDOW 128 /* bytes, one float per lane */

static inline bool access_is_near(uint64_t one, uint64_t other)
{
    return one != other && one - other + WINDOW < 2 * WINDOW;
}

/* Compares SEEN, an access by WARP, with the warp's previous access. Counts SEEN in `again` if it
 * was made at the same address with the same distances between lanes (REPEATS), and in `slid` if it
 * partly overlaps the previous access. */
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

/* Adds another worker's SAMPLE to INTO. INTO may take over memory that SAMPLE owns. */
void sample_join(struct sample *into, struct sample *sample);

/* Adds a finding for each loss that COUNTERS and SAMPLES show; both have an entry for each
 * instruction. */
void losses_report(const struct launch_view *launch, const struct emu_counters *counters,
                   const struct sample *samples);

#endif
