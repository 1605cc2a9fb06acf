/* Computes how evenly the work of a launch's CTAs is spread over the multiprocessors. */
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/sample.h"

/* Restores the order of the heap, with the least load on top, after LOAD[i] has grown. */
static void sink(uint64_t *load, uint32_t count, uint32_t i)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            return;
        child += child + 1 < count && load[child + 1] < load[child];
        if (load[i] <= load[child])
            return;
        uint64_t other = load[i];
        load[i] = load[child];
        load[child] = other;
        i = child;
    }
}

/* Returns the instructions of the busiest multiprocessor. The first CTAs go to the multiprocessors
 * in turn, until these are full. Each later CTA goes to the multiprocessor that has done the least
 * work so far, because it has room first. */
double balance_busiest(const struct sample *sample)
{
    uint32_t sms = sample->spread.sms;
    uint64_t *load = calloc(sms, sizeof *load), most = 0;
    uint64_t first = (uint64_t)sms * sample->spread.resident;
    if (!load)
        return 0;
    for (uint64_t i = 0; i < sample->work_count && i < first; i++)
        load[i % sms] += sample->work[i];
    for (uint32_t i = sms; first < sample->work_count && i-- > 0;)
        sink(load, sms, i);
    for (uint64_t i = first; i < sample->work_count; i++) {
        load[0] += sample->work[i];
        sink(load, sms, 0);
    }
    for (uint32_t i = 0; i < sms; i++)
        most = load[i] > most ? load[i] : most;
    free(load);
    return (double)most;
}

/* --- the least times -------------------------------------------------------------------------- */

#define MOST_PLACES 64u

/* A multiprocessor takes at least as long as its busiest unit, and as its CTAs that follow each
 * other in one place, each of which takes as long as its longest warp. So twice the work takes
 * twice as long only if a unit is the limit: CTAs that run at the same time also wait at the same
 * time. */
struct bound {
    double work;               /* instructions of all its CTAs */
    double place[MOST_PLACES]; /* the time when the last CTA in each place ends */
};

static double time_of(const struct bound *bound, uint32_t places, const struct balance_pace *pace)
{
    double last = bound->work * pace->unit;
    for (uint32_t i = 0; i < places; i++)
        last = bound->place[i] > last ? bound->place[i] : last;
    return pace->start + last;
}

/* Adds a CTA with WORK instructions, whose longest warp has LONGEST of them, in the place that is
 * free first. */
static void add(struct bound *bound, uint32_t places, const struct balance_pace *pace, double work,
                double longest)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < places; i++)
        first = bound->place[i] < bound->place[first] ? i : first;
    double *place = &bound->place[first];
    bound->work += work;
    *place += (*place > 0 ? pace->next : 0) + pace->alone.fixed + pace->alone.each * longest;
}

/* Returns the time from which on BOUND has room for one more CTA. */
static double free_at(const struct bound *bound, uint32_t places, const struct balance_pace *pace)
{
    double first = bound->place[0], works = bound->work * pace->unit;
    for (uint32_t i = 1; i < places; i++)
        first = bound->place[i] < first ? bound->place[i] : first;
    return first > works ? first : works;
}

/* Restores the order of the heap, with the multiprocessor on top that has room first. */
static void sink_bound(struct bound **heap, double *at, uint32_t count, uint32_t i)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            return;
        child += child + 1 < count && at[child + 1] < at[child];
        if (at[i] <= at[child])
            return;
        struct bound *bound = heap[i];
        double time = at[i];
        heap[i] = heap[child];
        at[i] = at[child];
        heap[child] = bound;
        at[child] = time;
        i = child;
    }
}

/* Gives all CTAs to the multiprocessors BOUNDS. */
static void give_out(const struct sample *sample, const struct balance_pace *pace,
                     struct bound *bounds, struct bound **heap, double *at)
{
    uint32_t sms = sample->spread.sms, places = sample->spread.resident;
    uint64_t first = (uint64_t)sms * places, i = 0;
    for (; i < sample->work_count && i < first; i++)
        add(&bounds[i % sms], places, pace, (double)sample->work[i], (double)sample->longest[i]);
    for (uint32_t s = 0; s < sms; s++) {
        heap[s] = &bounds[s];
        at[s] = free_at(&bounds[s], places, pace);
    }
    for (uint32_t s = sms; s-- > 0;)
        sink_bound(heap, at, sms, s);
    for (; i < sample->work_count; i++) {
        add(heap[0], places, pace, (double)sample->work[i], (double)sample->longest[i]);
        at[0] = free_at(heap[0], places, pace);
        sink_bound(heap, at, sms, 0);
    }
}

/* Returns the least time of the simulated multiprocessor, all of whose CTAs are like those of the
 * sample. Only the kept parts of their walks were simulated. */
static double simulated(const struct sample *sample, const struct balance_pace *pace)
{
    struct bound bound = {0};
    const struct walk_cta *cta = sample->ctas;
    for (uint64_t i = 0; i < sample->spread.each; i++) {
        uint64_t longest = 0;
        for (uint32_t w = 0; w < cta->warps; w++)
            longest = cta->walk[w].kept > longest ? cta->walk[w].kept : longest;
        add(&bound, sample->spread.resident, pace, (double)walk_kept(cta), (double)longest);
        cta = cta->next ? cta->next : sample->ctas;
    }
    return time_of(&bound, sample->spread.resident, pace);
}

double balance_ratio(const struct sample *sample, const struct balance_pace *pace)
{
    uint32_t sms = sample->spread.sms;
    struct bound *bounds = calloc(sms, sizeof *bounds), **heap = calloc(sms, sizeof(void *));
    double *at = calloc(sms, sizeof *at), most = 0, least = simulated(sample, pace);
    bool known =
        bounds && heap && at && sample->work_count && sample->spread.resident <= MOST_PLACES;
    if (known)
        give_out(sample, pace, bounds, heap, at);
    for (uint32_t s = 0; known && s < sms; s++) {
        double time = time_of(&bounds[s], sample->spread.resident, pace);
        most = time > most ? time : most;
    }
    free(bounds);
    free(heap);
    free(at);
    return most > 0 && least > 0 ? most / least : 1;
}
