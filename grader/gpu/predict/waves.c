/* Estimates how many warps of a launch are resident at each moment. Simulates the launch, given
 * each CTA's number of instructions. A CTA starts as soon as another CTA ends on the same
 * multiprocessor, and the CTAs of a multiprocessor share its speed evenly. */
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/sample.h"

#define MOST_RESIDENT 64u

struct replayed_sm {
    double now; /* the present time, measured in instructions */
    /* number of instructions that a CTA would have executed by now if it had run from the start */
    double done;
    double end[MOST_RESIDENT]; /* for each resident CTA, the value of `done` at which it ends */
    uint32_t count, first;     /* number of resident CTAs, and index of the CTA that ends first */
    double next;               /* the time when that CTA ends */
    /* total number of instructions of all CTAs that this multiprocessor has received so far */
    double given;
};

struct replay {
    struct replayed_sm *sms;
    uint32_t sm_count;
    /* average number of resident warps in COUNT equal intervals of the time until END, or NULL if
     * not needed */
    double *warps;
    unsigned count;
    double end;
};

static void find_next(struct replayed_sm *sm)
{
    sm->first = 0;
    for (uint32_t i = 1; i < sm->count; i++)
        if (sm->end[i] < sm->end[sm->first])
            sm->first = i;
    sm->next = sm->now + (sm->count ? (sm->end[sm->first] - sm->done) * sm->count : 0);
}

/* Adds the CTAs that SM holds from now until the first of them ends to replay->warps. */
static void hold(struct replay *replay, const struct replayed_sm *sm)
{
    double scale = replay->count / replay->end, from = sm->now * scale, to = sm->next * scale;
    for (unsigned i = (unsigned)from; i < replay->count && i < to; i++) {
        double begin = from > i ? from : i, stop = to < i + 1 ? to : i + 1;
        replay->warps[i] += (stop - begin) * sm->count;
    }
}

/* Ends the CTA of SM that ends first. If MORE is not 0, a new CTA with MORE instructions takes its
 * place. */
static void end_first(struct replay *replay, struct replayed_sm *sm, uint64_t more)
{
    if (replay->warps)
        hold(replay, sm);
    sm->done = sm->end[sm->first];
    sm->now = sm->next;
    sm->given += (double)more;
    sm->end[sm->first] = more ? sm->done + (double)more : sm->end[--sm->count];
    find_next(sm);
}

/* Returns the multiprocessor on which a CTA ends first. If there are several, returns the one whose
 * CTAs so far have the fewest instructions. */
static struct replayed_sm *earliest(const struct replay *replay)
{
    struct replayed_sm *found = replay->sms;
    for (uint32_t s = 1; s < replay->sm_count; s++) {
        struct replayed_sm *sm = &replay->sms[s];
        double later = (sm->next - found->next) / (found->next + 1);
        if (later < -1e-9 || (later < 1e-9 && sm->given < found->given))
            found = sm;
    }
    return found;
}

/* Returns the time when the last CTA ends. */
static double run(struct replay *replay, const struct sample *sample)
{
    uint32_t most = sample->spread.resident;
    uint64_t first = (uint64_t)replay->sm_count * (most < MOST_RESIDENT ? most : MOST_RESIDENT);
    uint64_t next = 0;
    double last = 0;
    memset(replay->sms, 0, replay->sm_count * sizeof *replay->sms);
    for (; next < sample->work_count && next < first; next++) {
        struct replayed_sm *sm = &replay->sms[next % replay->sm_count];
        sm->end[sm->count++] = (double)sample->work[next];
        sm->given += (double)sample->work[next];
    }
    for (uint32_t s = 0; s < replay->sm_count; s++)
        find_next(&replay->sms[s]);
    for (; next < sample->work_count; next++)
        end_first(replay, earliest(replay), sample->work[next]);
    for (uint32_t s = 0; s < replay->sm_count; s++) {
        while (replay->sms[s].count)
            end_first(replay, &replay->sms[s], 0);
        last = replay->sms[s].now > last ? replay->sms[s].now : last;
    }
    return last;
}

void predict_waves(const struct sample *sample, double *warps, unsigned count)
{
    struct replay replay = {.sm_count = sample->spread.sms, .count = count};
    replay.sms = malloc(replay.sm_count * sizeof *replay.sms);
    if (!replay.sms)
        return;
    replay.end = run(&replay, sample);
    replay.warps = warps;
    if (replay.end > 0)
        run(&replay, sample);
    for (unsigned i = 0; i < count; i++)
        warps[i] *= sample->spread.warps;
    free(replay.sms);
}
