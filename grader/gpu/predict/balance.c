/* Estimates how evenly the work of a launch's CTAs is distributed over the multiprocessors. */
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/sample.h"

/* An entry of a min-heap of multiprocessors. The key is the multiprocessor's work so far, or the
 * time when it can start another CTA. */
struct entry {
    double key;
    uint32_t sm;
};

/* Restores the order of the heap after the key of entry I has grown. */
static void sink(struct entry *heap, uint32_t count, uint32_t i)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            return;
        child += child + 1 < count && heap[child + 1].key < heap[child].key;
        if (heap[i].key <= heap[child].key)
            return;
        struct entry entry = heap[i];
        heap[i] = heap[child];
        heap[child] = entry;
        i = child;
    }
}

/* Returns the number of instructions of the busiest multiprocessor. The first CTAs go to the
 * multiprocessors in round-robin order until all of these are full. Each later CTA goes to the
 * multiprocessor that has done the least work so far, because there a CTA ends first. */
double balance_busiest(const struct sample *sample)
{
    uint32_t sms = sample->spread.sms;
    struct entry *heap = calloc(sms, sizeof *heap);
    double most = 0;
    uint64_t first = (uint64_t)sms * sample->spread.resident;
    if (!heap)
        return 0;
    for (uint64_t i = 0; i < sample->work_count && i < first; i++)
        heap[i % sms].key += (double)sample->work[i];
    for (uint32_t i = sms; first < sample->work_count && i-- > 0;)
        sink(heap, sms, i);
    for (uint64_t i = first; i < sample->work_count; i++) {
        heap[0].key += (double)sample->work[i];
        sink(heap, sms, 0);
    }
    for (uint32_t i = 0; i < sms; i++)
        most = heap[i].key > most ? heap[i].key : most;
    free(heap);
    return most;
}

/* --- lower bounds of time --------------------------------------------------------------------- */

#define MOST_SLOTS 64u

/* The lower bound of a multiprocessor's time is the maximum of two times:
 *
 * - the time that the busiest unit needs for the instructions of all CTAs
 * - the time when the last slot ends. A slot executes one CTA after another, and each CTA takes
 *   at least as long as its longest warp would take alone. */
struct bound {
    double work;              /* instructions of all its CTAs */
    double ended[MOST_SLOTS]; /* for each slot for a CTA, the time when its last CTA ends */
};

static double time_of(const struct bound *bound, uint32_t slots, const struct balance_pace *pace)
{
    double last = bound->work * pace->unit;
    for (uint32_t i = 0; i < slots; i++)
        last = bound->ended[i] > last ? bound->ended[i] : last;
    return pace->start + last;
}

/* Adds a CTA with WORK instructions, LONGEST of them in its longest warp, to the slot that becomes
 * free first. */
static void add(struct bound *bound, uint32_t slots, const struct balance_pace *pace, double work,
                double longest)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < slots; i++)
        first = bound->ended[i] < bound->ended[first] ? i : first;
    double *ended = &bound->ended[first];
    bound->work += work;
    *ended += (*ended > 0 ? pace->next : 0) + pace->alone.fixed + pace->alone.each * longest;
}

/* Returns the earliest time at which the multiprocessor can start another CTA. */
static double free_at(const struct bound *bound, uint32_t slots, const struct balance_pace *pace)
{
    double first = bound->ended[0], works = bound->work * pace->unit;
    for (uint32_t i = 1; i < slots; i++)
        first = bound->ended[i] < first ? bound->ended[i] : first;
    return first > works ? first : works;
}

/* Assigns each CTA to the multiprocessor that can start it first. BOUNDS and HEAP have an entry for
 * each multiprocessor. */
static void give_out(const struct sample *sample, const struct balance_pace *pace,
                     struct bound *bounds, struct entry *heap)
{
    uint32_t sms = sample->spread.sms, slots = sample->spread.resident;
    uint64_t first = (uint64_t)sms * slots, i = 0;
    for (; i < sample->work_count && i < first; i++)
        add(&bounds[i % sms], slots, pace, (double)sample->work[i], (double)sample->longest[i]);
    for (uint32_t s = 0; s < sms; s++)
        heap[s] = (struct entry){free_at(&bounds[s], slots, pace), s};
    for (uint32_t s = sms; s-- > 0;)
        sink(heap, sms, s);
    for (; i < sample->work_count; i++) {
        struct bound *bound = &bounds[heap[0].sm];
        add(bound, slots, pace, (double)sample->work[i], (double)sample->longest[i]);
        heap[0].key = free_at(bound, slots, pace);
        sink(heap, sms, 0);
    }
}

/* Returns the lower bound for the simulated multiprocessor. It executes the CTAs of the sample over
 * and over, and of each only the instructions that the sample has kept. */
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
    struct bound *bounds = calloc(sms, sizeof *bounds);
    struct entry *heap = calloc(sms, sizeof *heap);
    double most = 0, base = simulated(sample, pace);
    bool known = bounds && heap && sample->work_count && sample->spread.resident <= MOST_SLOTS;
    if (known)
        give_out(sample, pace, bounds, heap);
    for (uint32_t s = 0; known && s < sms; s++) {
        double time = time_of(&bounds[s], sample->spread.resident, pace);
        most = time > most ? time : most;
    }
    free(bounds);
    free(heap);
    return most > 0 && base > 0 ? most / base : 1;
}
