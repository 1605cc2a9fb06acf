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
