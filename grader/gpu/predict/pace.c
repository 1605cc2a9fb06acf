#include "gpu/predict/pace.h"

#include <stdlib.h>

#include "gpu/lanes.h"
#include "gpu/predict/sm_parts.h"

/* a warp's clock is updated after this many runs of instructions (walk.h) */
#define MOST_PENDING 4096u

/* A CTA that is being executed. Two phases of its barrier can be in progress at the same time: some
 * warps have not yet continued after the first, while others have already arrived at the next. */
struct paced_cta {
    /* the warps' instructions since their clocks were last updated (walk.h) */
    struct walk_cta *walks;
    struct sm sm;
    double arrived[2];         /* the time of the latest arrival at each of these phases */
    uint64_t newest;           /* the latest phase at which a warp has arrived */
    uint64_t phase[MAX_WARPS]; /* the phase that each warp has reached */
    bool waits[MAX_WARPS];     /* whether the warp waits for the end of that phase */
    struct paced_cta *next;
};

struct pace {
    const struct launch_view *launch;
    const struct emu_chip *chip;
    struct machine *machine;
    bool *is_barrier; /* for each pc, whether it is a barrier */
    struct walk_cost *costs;
    struct sm_memory memory;
    struct sm_options options;
    struct sm_result result; /* not used */
    struct paced_cta *ctas;
};

struct pace *pace_new(const struct launch_view *launch, const struct emu_chip *chip,
                      const struct l2 *l2)
{
    struct pace *pace = calloc(1, sizeof *pace);
    if (!pace)
        return NULL;
    pace->launch = launch;
    pace->chip = chip;
    pace->machine = machine_make(launch);
    pace->is_barrier = calloc(launch->code_count + 1u, sizeof *pace->is_barrier);
    pace->costs = calloc(launch->code_count + 1u, sizeof *pace->costs);
    pace->options.no_limits = true;
    pace->memory = (struct sm_memory){.rivals = 1,
                                      .atomics_sharing = 1,
                                      .active = 1,
                                      .l2 = l2,
                                      .l1_bytes = (uint32_t)chip->sm_l1};
    if (!pace->machine || !pace->is_barrier || !pace->costs) {
        pace_free(pace);
        return NULL;
    }
    for (uint32_t i = 0; i < pace->machine->op_count; i++)
        if (pace->machine->ops[i].kind == OP_BARRIER)
            pace->is_barrier[pace->machine->ops[i].pc] = true;
    return pace;
}

static void free_cta(struct paced_cta *cta)
{
    sm_close(&cta->sm);
    walk_free(cta->walks);
    free(cta);
}

void pace_free(struct pace *pace)
{
    if (!pace)
        return;
    for (struct paced_cta *cta = pace->ctas, *next; cta; cta = next) {
        next = cta->next;
        free_cta(cta);
    }
    machine_free(pace->machine);
    free(pace->is_barrier);
    free(pace->costs);
    free(pace);
}

static struct paced_cta *begin_cta(struct pace *pace, uint64_t number)
{
    struct paced_cta *cta = calloc(1, sizeof *cta);
    if (!cta)
        return NULL;
    cta->walks = walk_new(number, pace->launch->warps);
    cta->sm = (struct sm){.chip = pace->chip,
                          .machine = pace->machine,
                          .memory = &pace->memory,
                          .options = &pace->options,
                          .result = &pace->result,
                          .resident = 1,
                          .queues = 1};
    if (!cta->walks || !sm_open(&cta->sm, pace->launch->warps)) {
        free_cta(cta);
        return NULL;
    }
    /* For sm_access(), the number must be above 0: the CTA does not belong to the first wave. Then
     * lines that CTAs share are in the cache, because earlier CTAs have fetched them. */
    cta->sm.blocks[0].number = 1;
    for (uint32_t w = 0; w < pace->launch->warps; w++) {
        struct sm_warp *warp = &cta->sm.warps[w];
        warp->walk = &cta->walks->walk[w];
        for (uint32_t i = 0; i < pace->machine->registers; i++)
            warp->ready[i] = 0;
    }
    cta->next = pace->ctas;
    return pace->ctas = cta;
}

static struct paced_cta *find_cta(struct pace *pace, uint64_t number)
{
    struct paced_cta *cta = pace->ctas;
    while (cta && cta->walks->cta != number)
        cta = cta->next;
    return cta;
}

/* --- the barrier ------------------------------------------------------------------------------ */

static void arrive(struct paced_cta *cta, uint32_t w)
{
    uint64_t phase = ++cta->phase[w];
    double *arrived = &cta->arrived[phase % 2], now = cta->sm.warps[w].now;
    *arrived = phase > cta->newest || now > *arrived ? now : *arrived;
    cta->newest = phase > cta->newest ? phase : cta->newest;
    cta->waits[w] = true;
}

/* Lets warp W continue after a barrier at which all warps have arrived. */
static void pass(const struct pace *pace, struct paced_cta *cta, uint32_t w)
{
    double at = cta->arrived[cta->phase[w] % 2] + pace->chip->barrier_latency +
                pace->chip->barrier_warp_cycles * pace->launch->warps;
    cta->waits[w] = false;
    cta->sm.warps[w].now = at > cta->sm.warps[w].now ? at : cta->sm.warps[w].now;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Updates the warp's clock: simulates the instructions that the warp has executed since the last
 * update. */
static void catch_up(struct paced_cta *cta, uint32_t w)
{
    struct sm_warp *warp = &cta->sm.warps[w];
    struct walk *walk = &cta->walks->walk[w];
    for (sm_enter(&cta->sm, warp); warp->op; sm_next_op(&cta->sm, warp)) {
        bool is_barrier = warp->op->kind == OP_BARRIER;
        sm_execute(&cta->sm, warp, sm_ready_at(&cta->sm, warp));
        if (is_barrier)
            arrive(cta, w);
    }
    walk->run_count = walk->access_count = walk->line_count = 0;
}

void pace_step(struct pace *pace, const struct obs_step *step)
{
    struct paced_cta *cta = find_cta(pace, step->cta);
    if (!cta && !(cta = begin_cta(pace, step->cta)))
        return;
    struct walk *walk = &cta->walks->walk[step->warp];
    if (cta->waits[step->warp])
        pass(pace, cta, step->warp);
    if (walk->run_count >= MOST_PENDING)
        catch_up(cta, step->warp);
    walk_step(walk, step, UINT64_MAX);
    if (pace->is_barrier[step->pc])
        catch_up(cta, step->warp);
}

void pace_access(struct pace *pace, const struct obs_access *access)
{
    struct paced_cta *cta = find_cta(pace, access->cta);
    if (cta)
        walk_access(&cta->walks->walk[access->warp], access, &pace->costs[access->pc],
                    pace->chip->half_warps != 0);
}

void pace_ended(struct pace *pace, uint64_t number)
{
    struct paced_cta **at = &pace->ctas;
    while (*at && (*at)->walks->cta != number)
        at = &(*at)->next;
    struct paced_cta *cta = *at;
    if (!cta)
        return;
    *at = cta->next;
    free_cta(cta);
}

double pace_now(struct pace *pace, uint64_t number, uint32_t warp)
{
    struct paced_cta *cta = find_cta(pace, number);
    if (!cta)
        return 0;
    catch_up(cta, warp);
    return cta->sm.warps[warp].now;
}
