/* This observer collects the data for a prediction.
 *
 * CTAs are distributed to the multiprocessors in round-robin order, and all multiprocessors do
 * about the same work. So only one multiprocessor is simulated. It gets one CTA of each round (see
 * cta_of()). The executed instructions (walk.h) of the first of these CTAs are kept, until they
 * exceed a budget. The choice does not depend on the number of worker threads, because a CTA is
 * left out only if the CTAs before it fill the budget. Of all other CTAs, only the accessed pages
 * are recorded. */
#include "gpu/predict/sample.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"
#include "gpu/lanes.h"
#include "gpu/occupancy.h"
#include "gpu/predict/pace.h"

/* Data that the worker threads of a launch share. */
struct sampling {
    const struct launch_view *launch;
    /* number of instructions of each CTA, or, in a large launch, of each group of neighbouring
     * CTAs */
    uint64_t *work;
    /* for each CTA or group, the number of instructions of its longest warp */
    uint64_t *longest;
    uint64_t work_count;
    struct sampling *next;
    uint32_t workers;
    /* number of instructions kept of each CTA of the sample, or 0 if not known */
    uint64_t length[SAMPLE_MOST];
};

#define NOTED 1024u

/* What an instruction accesses, as ranges of bytes relative to the first lane's address. A repeat
 * accesses the same ranges, relative to its own first address. */
#define MOST_RANGES WARP

struct ranges {
    uint32_t count;
    uint64_t begin[MOST_RANGES], end[MOST_RANGES]; /* modulo 2^64 */
};

#define SERIES 512u

/* A range of bytes that was read TIMES times in PART, each time STEP bytes further on. */
struct noted_series {
    uint64_t first, size, step, times;
    unsigned part;
};

struct state {
    const struct launch_view *launch;
    struct predictor *predictor;
    struct sampling *sampling;
    struct footprint footprint;
    struct walk_cost *costs; /* for each instruction */
    struct ranges *ranges;   /* for each instruction, those of its latest pattern not dense */
    struct spread spread;
    unsigned parts;
    /* the CTA whose accesses are recorded, and the CTA to which `part` belongs (part_now()) */
    uint64_t cta, part_cta;
    unsigned part;
    uint64_t noted[NOTED]; /* hash table of lines that were recorded recently (see was_noted()) */
    struct noted_series series[SERIES]; /* the same for series (see was_read()) */
    uint64_t most;                      /* maximum number of instructions kept of each warp */
    struct walk_cta *ctas;
    uint64_t found_cta; /* the CTA that find_cta() has looked for last, and its answer */
    struct walk_cta *found;
    /* NULL unless the kernel reads a clock that shows predicted time */
    struct pace *pace;
};

struct emu_occupancy predict_occupancy(const struct launch_view *launch,
                                       const struct emu_chip *chip)
{
    /* ptxas gives a thread at most as many registers as the chip allows */
    uint32_t most = chip->limits->thread_registers;
    struct emu_demand demand = {launch->warps * EMU_WARP_SIZE,
                                launch->registers < most ? launch->registers : most,
                                launch->shared_bytes};
    return emu_occupancy_of(chip->limits, &demand);
}

struct spread sample_spread(const struct launch_view *launch, const struct emu_chip *chip)
{
    uint64_t sms = (uint64_t)chip->sms;
    struct spread spread = {.warps = launch->warps};
    spread.sms = (uint32_t)(launch->cta_count < sms ? launch->cta_count : sms);
    spread.each = (launch->cta_count + sms - 1) / sms;
    uint32_t fit = predict_occupancy(launch, chip).ctas;
    fit = fit ? fit : 1;
    spread.cta_slots = fit;
    spread.resident = (uint32_t)(spread.each < fit ? spread.each : fit);
    return spread;
}

/* --- begin ------------------------------------------------------------------------------------ */

/* Returns the data that the launch's worker threads share. The first of them creates it. */
static struct sampling *join_sampling(struct predictor *predictor, const struct launch_view *launch)
{
    pthread_mutex_lock(&predictor->lock);
    struct sampling *sampling = predictor->sampling;
    while (sampling && sampling->launch != launch)
        sampling = sampling->next;
    if (!sampling && (sampling = calloc(1, sizeof *sampling))) {
        sampling->launch = launch;
        sampling->work_count = launch->cta_count < SAMPLE_WORK ? launch->cta_count : SAMPLE_WORK;
        sampling->work = calloc(sampling->work_count, sizeof *sampling->work);
        sampling->longest = calloc(sampling->work_count, sizeof *sampling->longest);
        sampling->next = predictor->sampling;
        predictor->sampling = sampling;
    }
    if (sampling)
        sampling->workers++;
    pthread_mutex_unlock(&predictor->lock);
    return sampling;
}

static void leave_sampling(struct predictor *predictor, struct sampling *sampling)
{
    pthread_mutex_lock(&predictor->lock);
    struct sampling **at = &predictor->sampling;
    while (*at != sampling)
        at = &(*at)->next;
    if (--sampling->workers == 0) {
        *at = sampling->next;
        free(sampling->work);
        free(sampling->longest);
        free(sampling);
    }
    pthread_mutex_unlock(&predictor->lock);
}

static void *sample_begin(const struct launch_view *launch)
{
    struct predictor *predictor = launch->predictor;
    struct state *state = calloc(1, sizeof *state);
    struct walk_cost *costs = calloc(launch->code_count + 1u, sizeof *costs);
    struct ranges *ranges = calloc(launch->code_count + 1u, sizeof *ranges);
    if (!state || !costs || !ranges || !(state->sampling = join_sampling(predictor, launch))) {
        free(state);
        free(costs);
        free(ranges);
        return NULL;
    }
    state->costs = costs;
    state->ranges = ranges;
    state->launch = launch;
    state->predictor = predictor;
    state->spread = sample_spread(launch, &predictor->chip);
    unsigned shift = footprint_shift(launch->memory->used);
    predictor->shift = shift > predictor->shift ? shift : predictor->shift;
    state->footprint.shift = predictor->shift;
    uint64_t at_a_time = (uint64_t)state->spread.resident * state->spread.sms;
    uint64_t waves = (launch->cta_count + at_a_time - 1) / at_a_time;
    state->parts = waves < MOST_PARTS ? (unsigned)waves : MOST_PARTS;
    state->part_cta = state->found_cta = UINT64_MAX;
    state->most = SAMPLE_BUDGET / (state->spread.resident * state->spread.warps);
    state->most = state->most > SAMPLE_MIN_WALK ? state->most : SAMPLE_MIN_WALK;
    if (launch->reads_clock && launch->options->predicts_clock)
        state->pace = pace_new(launch, &predictor->chip, predictor->l2);
    return state;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Returns the index of the CTA that has NUMBER in the sample. In each round, every multiprocessor
 * gets one CTA. The sample has one CTA of each round, at a varying position, so that its CTAs are
 * not all in the same column of the grid. */
static uint64_t cta_of(const struct state *state, uint64_t number)
{
    uint64_t sms = (uint64_t)state->predictor->chip.sms, first = number * sms;
    uint64_t left = state->launch->cta_count - first;
    return first + (sms / 3 + number * 53) % (left < sms ? left : sms);
}

/* Returns CTA's number in the sample, or SAMPLE_MOST if it is not in the sample. */
static uint64_t number_of(const struct state *state, uint64_t cta)
{
    uint64_t number = cta / (uint64_t)state->predictor->chip.sms;
    return number < SAMPLE_MOST && cta_of(state, number) == cta ? number : SAMPLE_MOST;
}

/* Shares the numbers of instructions that this worker thread has kept with the other worker
 * threads. The caller holds the lock. */
static void publish(struct state *state)
{
    for (const struct walk_cta *cta = state->ctas; cta; cta = cta->next)
        state->sampling->length[number_of(state, cta->cta)] = walk_kept(cta);
}

/* Returns whether CTA is in the sample. If so, prepares to record its instructions. */
static bool takes(struct state *state, uint64_t cta)
{
    uint64_t number = number_of(state, cta), before = 0;
    if (number == SAMPLE_MOST)
        return false;
    pthread_mutex_lock(&state->predictor->lock);
    publish(state);
    for (uint64_t i = 0; i < number; i++)
        before += state->sampling->length[i];
    pthread_mutex_unlock(&state->predictor->lock);
    if (number >= state->spread.resident && before >= SAMPLE_BUDGET)
        return false;
    struct walk_cta *walks = walk_new(cta, state->spread.warps);
    if (!walks)
        return false;
    walks->next = state->ctas;
    state->ctas = state->found = walks;
    state->found_cta = cta;
    return true;
}

static bool sample_follows(void *argument, uint64_t cta)
{
    struct state *state = argument;
    return takes(state, cta) || state->pace;
}

/* Returns the walks of CTA, or NULL if it is not in the sample. */
static struct walk_cta *find_cta(struct state *state, uint64_t cta)
{
    if (state->found_cta == cta)
        return state->found;
    state->found_cta = cta;
    state->found = number_of(state, cta) == SAMPLE_MOST ? NULL : state->ctas;
    while (state->found && state->found->cta != cta)
        state->found = state->found->next;
    return state->found;
}

/* Sets *VALUE to the maximum of *VALUE and OTHER. Other threads may do so at the same time. */
static void raise_to(uint64_t *value, uint64_t other)
{
    uint64_t now = __atomic_load_n(value, __ATOMIC_RELAXED);
    while (now < other && !__atomic_compare_exchange_n(value, &now, other, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED))
        ;
}

static void sample_ended(void *argument, uint64_t cta, uint64_t instructions, uint64_t longest)
{
    const struct state *state = argument;
    struct sampling *sampling = state->sampling;
    uint64_t at = cta * sampling->work_count / state->launch->cta_count;
    if (sampling->work && sampling->longest) {
        __atomic_fetch_add(&sampling->work[at], instructions, __ATOMIC_RELAXED);
        raise_to(&sampling->longest[at], longest);
    }
    if (state->pace)
        pace_ended(state->pace, cta);
}

static void sample_step(void *argument, const struct obs_step *step)
{
    struct state *state = argument;
    struct walk_cta *cta = find_cta(state, step->cta);
    if (cta)
        walk_step(&cta->walk[step->warp], step, state->most);
    if (state->pace)
        pace_step(state->pace, step);
}

static double sample_now(void *argument, uint64_t cta, uint32_t warp)
{
    struct state *state = argument;
    return state->pace ? pace_now(state->pace, cta, warp) : 0;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Returns the part of the CTA whose accesses are recorded. */
static unsigned part_now(struct state *state)
{
    if (state->part_cta != state->cta)
        state->part = (unsigned)(state->cta * state->parts / state->launch->cta_count);
    state->part_cta = state->cta;
    return state->part;
}

/* Returns whether the sectors from BEGIN to END, all in one line, were recently recorded as read in
 * this part. If not, remembers them. This saves time, because most loads read sectors that an
 * earlier warp has read. */
static bool was_noted(struct state *state, uint64_t begin, uint64_t end)
{
    uint64_t line = begin >> 7, first = begin >> 5 & 3, last = (end - 1) >> 5 & 3;
    uint64_t sectors = (2u << last) - (1u << first), key = line << 12 | part_now(state) << 4;
    uint64_t *place = &state->noted[line % NOTED];
    if ((*place ^ key) >> 4)
        *place = key;
    bool known = !(sectors & ~*place);
    *place |= sectors;
    return known;
}

/* Records the sectors from BEGIN to END that are in tracked pages. */
static void note_pages(struct state *state, uint64_t begin, uint64_t end, enum footprint_use use)
{
    while (begin < end) {
        uint64_t page = begin / PAGE_BYTES, left = PAGE_BYTES - begin % PAGE_BYTES;
        uint64_t stop = end - begin < left ? end : begin + left; /* does not overflow */
        bool is_line = begin >> 7 == (stop - 1) >> 7;
        if (use == FOOTPRINT_ADDS)
            sketch_add(&state->footprint.added, page);
        if (footprint_watches(&state->footprint, page) &&
            (use != FOOTPRINT_READS || !is_line || !was_noted(state, begin, stop)))
            footprint_note(&state->footprint, begin, stop, part_now(state), use);
        begin = stop;
    }
}

/* Returns whether the bytes are all in a page that is not tracked, so nothing is to be recorded. */
static bool is_untracked(const struct state *state, uint64_t begin, uint64_t end,
                         enum footprint_use use)
{
    uint64_t page = begin / PAGE_BYTES;
    return use != FOOTPRINT_ADDS && (end - 1) / PAGE_BYTES == page &&
           !footprint_watches(&state->footprint, page);
}

static void note_range(struct state *state, uint64_t begin, uint64_t end, enum footprint_use use)
{
    if (!is_untracked(state, begin, end, use))
        note_pages(state, begin, end, use);
}

static enum footprint_use use_of(uint8_t kind)
{
    return kind == OBS_LOAD    ? FOOTPRINT_READS
           : kind == OBS_STORE ? FOOTPRINT_WRITES
                               : FOOTPRINT_ADDS;
}

/* Remembers what ACCESS accesses, for its repeats. The gaps in a range that is read are smaller
 * than a sector, so all its sectors are read. */
static void keep_ranges(struct ranges *ranges, const struct obs_access *access)
{
    uint64_t begin = 0, end = 0, size = access->bytes, gap = access->kind == OBS_LOAD ? 31 : 0;
    ranges->count = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint64_t from = access->addr[__builtin_ctz(left)] - access->addr[0], to = from + size;
        if (ranges->count && from - begin + size + gap <= end - begin + size + 2 * gap) {
            begin = (int64_t)(from - begin) < 0 ? from : begin;
            end = (int64_t)(to - end) > 0 ? to : end;
        } else {
            begin = from;
            end = to;
            ranges->count++;
        }
        ranges->begin[ranges->count - 1] = begin;
        ranges->end[ranges->count - 1] = end;
    }
}

/* Returns whether these reads were recently recorded. If not, remembers them. Most warps read what
 * another warp has read. */
static bool was_read(struct state *state, struct noted_series now)
{
    struct noted_series *last =
        &state->series[(now.first ^ now.size) * 0x9e3779b97f4a7c15u >> 32 & (SERIES - 1)];
    bool known = last->first == now.first && last->size == now.size && last->step == now.step &&
                 last->times == now.times && last->part == now.part;
    *last = now;
    return known;
}

/* Records the accesses of SERIES to the bytes from BEGIN to END, relative to the first lane's
 * address. If no sector lies between two of these accesses, records them together. */
static void note_moves(struct state *state, const struct obs_series *series, uint64_t begin,
                       uint64_t end, enum footprint_use use)
{
    uint64_t first = series->first + begin, size = end - begin;
    uint64_t step = (uint64_t)series->step, distance = series->step < 0 ? 0 - step : step;
    uint64_t times = series->times, gap = use == FOOTPRINT_READS ? 31 : 0;
    if (distance <= size + gap) {
        first = series->step < 0 ? first + step * (times - 1) : first;
        size += distance * (times - 1);
        times = 1;
    }
    if (times == 1 && is_untracked(state, first, first + size, use))
        return;
    struct noted_series all = {first, size, step, times, part_now(state)};
    if (use == FOOTPRINT_READS && series->times > 1 && was_read(state, all))
        return;
    for (uint64_t t = 0; t < times; t++, first += step)
        note_range(state, first, first + size, use);
}

/* Records a series of accesses to RANGES or, if RANGES is NULL, of dense accesses to BYTES for each
 * lane. */
static void note_series(struct state *state, const struct obs_series *series,
                        const struct ranges *ranges, uint32_t bytes, enum footprint_use use)
{
    uint64_t first = series->first;
    state->cta = series->cta;
    if (!ranges)
        note_moves(state, series, 0, WARP * bytes, use);
    for (uint32_t i = 0; ranges && i < ranges->count; i++)
        if (series->times == 1)
            note_range(state, first + ranges->begin[i], first + ranges->end[i], use);
        else
            note_moves(state, series, ranges->begin[i], ranges->end[i], use);
}

/* Records the words that a compare-and-swap accesses. */
static void note_swaps(struct state *state, const struct obs_access *access)
{
    uint32_t index;
    const struct ptx_function *f = view_function(state->launch, access->pc, &index);
    if (!ptx_has(&f->code[index], PTX_MOD_cas))
        return;
    for (uint32_t left = access->mask; left; left &= left - 1)
        sketch_add(&state->footprint.swapped, access->addr[__builtin_ctz(left)] / 4);
}

static void note_access(struct state *state, const struct obs_access *access)
{
    struct ranges *ranges = access->dense ? NULL : &state->ranges[access->pc];
    if (ranges && !access->repeats)
        keep_ranges(ranges, access);
    struct obs_series series = {.first = access->addr[0], .cta = access->cta, .times = 1};
    note_series(state, &series, ranges, access->bytes, use_of(access->kind));
}

static void sample_access(void *argument, const struct obs_access *access)
{
    struct state *state = argument;
    /* sm_execute.c predicts the time of texture fetches without their addresses */
    if (access->is_texture)
        return;
    if (access->space == PTX_GLOBAL)
        note_access(state, access);
    state->costs[access->pc].is_latest &= access->repeats;
    if (access->space == PTX_GLOBAL && access->kind == OBS_ATOMIC)
        note_swaps(state, access);
    if (state->pace)
        pace_access(state->pace, access);
    struct walk_cta *cta = find_cta(state, access->cta);
    if (cta)
        walk_access(&cta->walk[access->warp], access, &state->costs[access->pc],
                    state->predictor->chip.half_warps != 0);
}

static enum obs_answer sample_repeat(void *argument, const struct obs_repeat *repeat)
{
    struct state *state = argument;
    if (repeat->times > 1 || (!repeat->first && !repeat->high && !repeat->low))
        return OBS_DONE; /* nothing can be recorded of repeats without addresses */
    if (state->pace || find_cta(state, repeat->cta))
        return OBS_FULL;
    if (repeat->space != PTX_GLOBAL)
        return OBS_COUNT_ONLY;
    const struct ranges *ranges = repeat->dense ? NULL : &state->ranges[repeat->pc];
    struct obs_series series = {.first = repeat->first, .cta = repeat->cta, .times = 1};
    note_series(state, &series, ranges, repeat->bytes, use_of(repeat->kind));
    return OBS_SERIES;
}

static void sample_series(void *argument, const struct obs_series_list *list)
{
    struct state *state = argument;
    const struct ranges *ranges = list->dense ? NULL : &state->ranges[list->pc];
    for (uint32_t i = 0; i < list->count && list->space == PTX_GLOBAL; i++)
        note_series(state, &list->series[i], ranges, list->bytes, use_of(list->kind));
}

/* --- end -------------------------------------------------------------------------------------- */

static void sample_free(struct state *state)
{
    leave_sampling(state->predictor, state->sampling);
    footprint_free(&state->footprint);
    walk_free_list(state->ctas);
    pace_free(state->pace);
    free(state->costs);
    free(state->ranges);
    free(state);
}

static void sample_join(void *into, void *argument)
{
    struct state *total = into, *state = argument;
    footprint_join(&total->footprint, &state->footprint);
    struct walk_cta **last = &total->ctas;
    while (*last)
        last = &(*last)->next;
    *last = state->ctas;
    state->ctas = NULL;
    sample_free(state);
}

static struct walk_cta *take(struct walk_cta **list, uint64_t number)
{
    while (*list && (*list)->cta != number)
        list = &(*list)->next;
    struct walk_cta *cta = *list;
    if (cta)
        *list = cta->next;
    return cta;
}

/* Sorts the CTAs and drops those that exceed the budget. A worker thread may have recorded such
 * CTAs, because it did not know yet that earlier ones fill the budget. */
static void choose_ctas(struct state *state, struct sample *sample)
{
    uint64_t kept = 0;
    struct walk_cta **end = &sample->ctas, *cta;
    for (uint64_t i = 0; i < SAMPLE_MOST && i < state->spread.each; i++) {
        if (!(cta = take(&state->ctas, cta_of(state, i))))
            break;
        if (i >= state->spread.resident && kept >= SAMPLE_BUDGET) {
            walk_free(cta);
            break;
        }
        kept += walk_kept(cta);
        cta->next = NULL;
        *end = cta;
        end = &cta->next;
        sample->cta_count++;
    }
}

static void sample_end(void *argument, const struct launch_view *launch,
                       struct emu_counters *per_instruction)
{
    struct state *state = argument;
    struct sample sample = {.spread = state->spread,
                            .footprint = state->footprint,
                            .parts = state->parts,
                            .work = state->sampling->work,
                            .longest = state->sampling->longest};
    if (sample.work && sample.longest)
        sample.work_count = state->sampling->work_count;
    choose_ctas(state, &sample);
    predict_launch(state->predictor, launch, &sample, per_instruction);
    walk_free_list(sample.ctas);
    sample_free(state);
}

const struct observer obs_predict = {
    .name = "predict",
    .events = OBS_ACCESS | OBS_STEP,
    .begin = sample_begin,
    .access = sample_access,
    .repeat = sample_repeat,
    .series = sample_series,
    .follows = sample_follows,
    .step = sample_step,
    .ended = sample_ended,
    .now = sample_now,
    .join = sample_join,
    .end = sample_end,
};
