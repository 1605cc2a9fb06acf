/* A loss is waste in a launch. It is reported as a warning on the source line that causes it.
 *
 * The counters observer keeps one sample for each instruction: its most wasteful access, whose
 * addresses show the cause (shape.h). The choice does not depend on the number of workers. When
 * the launch ends, losses_report() adds up the losses of each source line and reports the large
 * ones. */
#ifndef GPU_OBSERVE_LOSSES_H
#define GPU_OBSERVE_LOSSES_H

#include <stdlib.h>
#include <string.h>

#include "gpu/counters.h"
#include "gpu/lanes.h"
#include "gpu/observe/shape.h"
#include "gpu/observe/view.h"

/* A warp's latest access to global memory by one instruction, reduced to the data that show whether
 * the next access repeats it. FIRST is the address of lane 0. FORM is a hash of all lanes'
 * distances from lane 0. */
struct access_seen {
    uint64_t cta, first, form;
    uint32_t mask; /* active lanes, or 0 if there is no access yet */
};

struct sample {
    struct shape_access access;
    uint32_t cost, ideal; /* sectors or wavefronts, or 0 if there is no sample yet */
    uint32_t warp;
    uint8_t kind, space;
    uint64_t cta;
    /* `again` is the number of accesses to global memory that repeat the warp's previous access.
     * `slid` is the number of accesses that partly overlap it. */
    uint64_t again, slid;
    /* hash of the latest access to global memory that was not dense, as in access_seen */
    uint64_t form;
    /* the latest access of each warp, indexed by the warp's number in its CTA; NULL before the
     * first access, or if memory ran out */
    struct access_seen *seen;
};

/* Returns whether an access by WARP of CTA wastes more than the sample, so that it must replace the
 * sample. COST is the access's cost and IDEAL its smallest possible cost. If both waste the same,
 * the lower CTA and warp win. */
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

/* Returns a hash of the active lanes' distances in bytes from lane 0. */
static inline uint64_t access_form(const uint64_t addr[32], uint32_t mask)
{
    uint64_t form = 0;
    for (unsigned l = 0; l < 32; l++)
        form += (mask >> l & 1) * (addr[l] - addr[0]) * (2 * l + 1);
    return form;
}

#define WINDOW 128 /* bytes of an access with one float per lane */

static inline bool access_is_near(uint64_t one, uint64_t other)
{
    return one != other && one - other + WINDOW < 2 * WINDOW;
}

/* Compares SEEN, an access by WARP, with the warp's previous access. Adds 1 to `again` if both are
 * at the same address and REPEATS is true: the distances between the lanes are the same. Adds 1 to
 * `slid` if the two partly overlap. */
static inline void sample_again(struct sample *sample, bool repeats, uint32_t warp,
                                struct access_seen seen)
{
    if (__builtin_expect(!sample->seen, 0))
        sample->seen = calloc(MAX_WARPS, sizeof *sample->seen);
    if (!sample->seen)
        return;
    struct access_seen *last = &sample->seen[warp];
    if (last->cta == seen.cta && last->mask == seen.mask) {
        sample->again += repeats && last->first == seen.first;
        sample->slid += access_is_near(last->first, seen.first);
    }
    *last = seen;
}

/* Does the same for all repeats of a series except the first. */
static inline void sample_move(struct sample *sample, const struct obs_series *series)
{
    uint64_t step = (uint64_t)series->step, more = series->times - 1;
    if (!more || !sample->seen)
        return;
    sample->again += step ? 0 : more;
    sample->slid += access_is_near(0, step) ? more : 0;
    sample->seen[series->warp].first += more * step;
}

/* Merges SAMPLE, from another worker, into INTO. INTO may take over memory that SAMPLE owns. */
void sample_join(struct sample *into, struct sample *sample);

/* Adds a finding for each large loss. COUNTERS and SAMPLES are indexed by pc. */
void losses_report(const struct launch_view *launch, const struct emu_counters *counters,
                   const struct sample *samples);

#endif
