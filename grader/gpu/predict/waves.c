/* Estimates how many warps of a launch are resident at each moment. Simulates the launch, given
 * each CTA's number of instructions. A CTA starts as soon as another CTA ends on the same
 * multiprocessor, and the CTAs of a multiprocessor share its speed evenly. */
#include <stdlib.h>

#include "gpu/predict/sample.h"

#define MOST_RESIDENT 64u

struct replayed_sm {
    double now; /* the present time, measured in instructions */
    /* number of instructions that a CTA would have executed by now if it had run from the start */
    double done;
    double end[MOST_RESIDENT]; /* for each resident CTA, the value of `done` at which it ends */
    uint32_t count, first;     /* number of resident CTAs, and index of the CTA that ends first */
};

/* An interval of time in which a multiprocessor holds COUNT CTAs. */
struct held {
    double from, to;
    uint32_t count;
};

struct replay {
    struct replayed_sm *sms;
    uint32_t sm_count;
    /* for each multiprocessor: the time when its next CTA ends, and the total number of
     * instructions of all CTAs that it has received so far */
    double *next, *given;
    struct held *held; /* one interval for each CTA, which ends with the CTA */
    uint64_t held_count;
};

static void find_next(struct replay *replay, uint32_t s)
{
    struct replayed_sm *sm = &replay->sms[s];
    sm->first = 0;
    for (uint32_t i = 1; i < sm->count; i++)
        if (sm->end[i] < sm->end[sm->first])
            sm->first = i;
    replay->next[s] = sm->now + (sm->count ? (sm->end[sm->first] - sm->done) * sm->count : 0);
}

/* Ends the CTA of multiprocessor S that ends first. If MORE is not 0, a new CTA with MORE
 * instructions takes its place. */
static void end_first(struct replay *replay, uint32_t s, uint64_t more)
{
    struct replayed_sm *sm = &replay->sms[s];
    replay->held[replay->held_count++] = (struct held){sm->now, replay->next[s], sm->count};
    sm->done = sm->end[sm->first];
    sm->now = replay->next[s];
    replay->given[s] += (double)more;
    sm->end[sm->first] = more ? sm->done + (double)more : sm->end[--sm->count];
    find_next(replay, s);
}

/* Returns the multiprocessor on which a CTA ends first. If there are several, returns the one whose
 * CTAs so far have the fewest instructions. */
static uint32_t earliest(const struct replay *replay)
{
    const double *next = replay->next, *given = replay->given;
    double slack = 1e-9 * (next[0] + 1);
    uint32_t found = 0;
    for (uint32_t s = 1; s < replay->sm_count; s++) {
        double later = next[s] - next[found];
        if (later >= slack || (later >= -slack && given[s] >= given[found]))
            continue;
        found = s;
        slack = 1e-9 * (next[s] + 1);
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
    for (; next < sample->work_count && next < first; next++) {
        uint32_t s = (uint32_t)(next % replay->sm_count);
        replay->sms[s].end[replay->sms[s].count++] = (double)sample->work[next];
        replay->given[s] += (double)sample->work[next];
    }
    for (uint32_t s = 0; s < replay->sm_count; s++)
        find_next(replay, s);
    for (; next < sample->work_count; next++)
        end_first(replay, earliest(replay), sample->work[next]);
    for (uint32_t s = 0; s < replay->sm_count; s++) {
        while (replay->sms[s].count)
            end_first(replay, s, 0);
        last = replay->sms[s].now > last ? replay->sms[s].now : last;
    }
    return last;
}

/* Adds to WARPS the CTAs that are held in an interval. WARPS divides the time until END into COUNT
 * equal intervals. */
static void hold(const struct held *held, double end, double *warps, unsigned count)
{
    double scale = count / end, from = held->from * scale, to = held->to * scale;
    for (unsigned i = (unsigned)from; i < count && i < to; i++) {
        double begin = from > i ? from : i, stop = to < i + 1 ? to : i + 1;
        warps[i] += (stop - begin) * held->count;
    }
}

void predict_waves(const struct sample *sample, double *warps, unsigned count)
{
    uint32_t sms = sample->spread.sms;
    struct replay replay = {.sm_count = sms,
                            .sms = calloc(sms, sizeof *replay.sms),
                            .next = calloc(sms, sizeof *replay.next),
                            .given = calloc(sms, sizeof *replay.given),
                            .held = malloc((sample->work_count + 1) * sizeof *replay.held)};
    bool ok = replay.sms && replay.next && replay.given && replay.held;
    double end = ok ? run(&replay, sample) : 0;
    for (uint64_t i = 0; end > 0 && i < replay.held_count; i++)
        hold(&replay.held[i], end, warps, count);
    for (unsigned i = 0; i < count; i++)
        warps[i] *= sample->spread.warps;
    free(replay.sms);
    free(replay.next);
    free(replay.given);
    free(replay.held);
}
