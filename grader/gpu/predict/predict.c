/* Computes the time of a launch from the cycles of one simulated multiprocessor. */
#include "gpu/predict/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/occupancy.h"
#include "gpu/predict/machine.h"
#include "gpu/predict/memo.h"
#include "gpu/predict/sample.h"
#include "gpu/predict/sm.h"

/* The uncertainty of a predicted time T: the interval from T / INTERVAL to T * INTERVAL. It
 * contains the measured times of more than nine of ten launches in grader/tests/hardware/times. */
#define INTERVAL 1.4

static const char *const part_names[] = {
#define P(name, text) #name,
    PREDICT_PARTS
#undef P
};
static const char *const part_texts[] = {
#define P(name, text) text,
    PREDICT_PARTS
#undef P
};

const char *predict_part_name(enum predict_part part)
{
    return part_names[part];
}

const char *predict_part_text(enum predict_part part)
{
    return part_texts[part];
}

struct predictor *predictor_new(const struct emu_chip *chip)
{
    struct predictor *predictor = calloc(1, sizeof *predictor);
    if (!predictor)
        return NULL;
    predictor->chip = *chip;
    predictor->l2 = l2_new();
    predictor->memo = calloc(1, sizeof *predictor->memo);
    pthread_mutex_init(&predictor->lock, NULL);
    if (predictor->l2 && predictor->memo)
        return predictor;
    predictor_free(predictor);
    return NULL;
}

void predictor_free(struct predictor *predictor)
{
    if (!predictor)
        return;
    predictor_forget_kernels(predictor);
    l2_free(predictor->l2);
    free(predictor->memo);
    free(predictor->last.share);
    pthread_mutex_destroy(&predictor->lock);
    free(predictor);
}

void predictor_forget_kernels(struct predictor *predictor)
{
    if (predictor && predictor->memo)
        memo_clear(predictor->memo);
}

const struct emu_chip *predictor_chip(const struct predictor *predictor)
{
    return &predictor->chip;
}

const struct prediction *predictor_result(const struct predictor *predictor)
{
    return &predictor->last;
}

/* --- facts about the launch ------------------------------------------------------------------- */

struct work {
    struct predictor *predictor;
    const struct launch_view *launch;
    const struct sample *sample;
    struct machine *machine;
    struct memo_key key;
    double misses[MOST_BUFFERS], cold[MOST_BUFFERS];
    struct sm_memory memory;
    double dram_sectors; /* sectors that DRAM moves in the whole launch */
    double dram_lines;   /* DRAM's time for these sectors, in units of its time for a whole line */
    /* number of instructions of the busiest multiprocessor, divided by that of the simulated one */
    double imbalance;
    struct sm_pace alone; /* the speed of the longest warp if only waiting for results took time */
    double ratio;         /* the launch's time, divided by the simulated multiprocessor's time */
    /* the traffic of the whole launch; `passes` includes the passes that take time */
    struct sm_traffic traffic;
    struct emu_counters totals;
};

/* Returns the fraction of the sampled CTAs' instructions that the sample has kept in their walks
 * (walk.h). */
static double coverage(const struct sample *sample)
{
    double executed = 0, kept = 0;
    for (const struct walk_cta *cta = sample->ctas; cta; cta = cta->next) {
        executed += (double)walk_executed(cta);
        kept += (double)walk_kept(cta);
    }
    return executed > 0 ? kept / executed : 1;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns a sorted array of the lines in SPACE that the sample accesses, by atomics if ATOMICS is
 * true, otherwise by loads. Returns NULL when out of memory. */
static uint64_t *collect_lines(const struct sample *sample, enum ptx_space space, bool atomics,
                               size_t *count)
{
    size_t room = 0;
    for (const struct walk_cta *cta = sample->ctas; cta; cta = cta->next)
        for (uint32_t w = 0; w < cta->warps; w++)
            room += cta->walk[w].line_count;
    uint64_t *lines = malloc((room + 1) * sizeof *lines);
    *count = 0;
    for (const struct walk_cta *cta = sample->ctas; cta && lines; cta = cta->next)
        for (uint32_t w = 0; w < cta->warps; w++) {
            size_t last = 0; /* number of lines of the access before */
            for (uint32_t i = 0; i < cta->walk[w].access_count; i++) {
                const struct walk_access *access = &cta->walk[w].accesses[i];
                bool is_atomic = access->kind == OBS_ATOMIC || access->kind == OBS_REDUCTION;
                bool fits = atomics ? is_atomic : access->kind == OBS_LOAD;
                if (!fits || access->space != space)
                    continue;
                size_t bytes = access->line_count * sizeof *lines;
                const uint64_t *own = &cta->walk[w].lines[access->lines];
                /* most loops read the same lines several times in a row */
                if (access->line_count == last && !memcmp(lines + *count - last, own, bytes))
                    continue;
                last = access->line_count;
                memcpy(lines + *count, own, bytes);
                *count += last;
            }
        }
    if (lines)
        qsort(lines, *count, sizeof *lines, by_value);
    return lines;
}

/* Returns the number of distinct sectors in the sorted LINES between addresses BEGIN and END. */
static double count_sectors(const uint64_t *lines, size_t count, uint64_t begin, uint64_t end)
{
    double sectors = 0;
    uint32_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t line = WALK_LINE(lines[i]);
        if (line + 128 <= begin || line >= end)
            continue;
        seen |= WALK_SECTORS(lines[i]);
        if (i + 1 < count && WALK_LINE(lines[i + 1]) == line)
            continue;
        sectors += __builtin_popcount(seen);
        seen = 0;
    }
    return sectors;
}

/* Computes the fractions `misses` and `cold` of each buffer (see struct sm_memory). DRAM's reads
 * are assumed to be distributed evenly among the launch's CTAs. `misses` is the number of sectors
 * that DRAM reads for the simulated multiprocessor, divided by the number of distinct sectors that
 * this multiprocessor loads. */
static bool find_misses(struct work *work, double covered)
{
    const struct sample *sample = work->sample;
    double part = (double)sample->cta_count / (double)work->launch->cta_count * covered;
    size_t count;
    uint64_t *lines = collect_lines(sample, PTX_GLOBAL, false, &count);
    if (!lines)
        return false;
    for (unsigned i = 0; i < work->memory.buffer_count; i++) {
        const struct l2_buffer *buffer = &work->key.buffers[i];
        double own = count_sectors(lines, count, buffer->begin, buffer->end);
        double misses = own > 0 ? buffer->missed * part / own : 0;
        work->misses[i] = misses < 1 ? misses : 1;
        work->cold[i] = buffer->touched > 0 ? buffer->missed / buffer->touched : 0;
    }
    free(lines);
    return true;
}

/* Returns the number of distinct pages in the sorted LINES. */
static double count_pages(const uint64_t *lines, size_t count)
{
    double pages = 0;
    for (size_t i = 0; i < count; i++)
        pages += !i || WALK_LINE(lines[i]) / PAGE_BYTES != WALK_LINE(lines[i - 1]) / PAGE_BYTES;
    return pages;
}

/* Returns how many multiprocessors execute atomics in the same page, on average. This follows from
 * the number of pages in which one multiprocessor executes atomics, the number of multiprocessors,
 * and the number of distinct pages in which the launch executes atomics. */
static double find_sharing(const struct work *work)
{
    size_t count;
    uint64_t *lines = collect_lines(work->sample, PTX_GLOBAL, true, &count);
    double own = lines ? count_pages(lines, count) : 0;
    double all = fmax(work->key.added, own);
    free(lines);
    double most = work->memory.active;
    return own > 0 ? fmax(own * most / all, 1) : most;
}

/* Returns the average number of threads that compete for the same word at the same time, in loops
 * that repeat a compare-and-swap until it succeeds. */
static double find_rivals(const struct work *work, const struct emu_counters *counters)
{
    const struct launch_view *launch = work->launch;
    double words = sketch_count(&work->sample->footprint.swapped), threads = 0;
    for (uint32_t b = 0; counters && words > 0 && b < work->machine->block_count; b++) {
        const struct machine_block *block = &work->machine->blocks[b];
        for (uint32_t i = 0; i < block->count && block->first; i++)
            if (work->machine->ops[block->ops + i].is_retried)
                /* the instruction before the loop is executed once per thread */
                threads += (double)counters[block->first - 1].value[EMU_thread_instructions];
    }
    double resident = (double)work->sample->spread.resident * work->sample->spread.sms;
    double share = fmin(1, resident / (double)launch->cta_count);
    return words > 0 ? fmax(threads * share / words, 1) : 1;
}

/* Returns the number of distinct lines of constants that the sample loads. */
static uint32_t count_constants(const struct sample *sample)
{
    size_t count;
    uint64_t *lines = collect_lines(sample, PTX_CONST, false, &count);
    double sectors = lines ? count_sectors(lines, count, 0, UINT64_MAX) : 0;
    free(lines);
    return (uint32_t)(sectors * 32 / CONSTANT_LINE);
}

static uint32_t l1_bytes(const struct work *work)
{
    const struct emu_chip *chip = &work->predictor->chip;
    uint64_t bytes = work->launch->shared_bytes;
    uint64_t shared = bytes ? emu_occupancy_shared(chip->limits, bytes) : 0;
    double left =
        chip->sm_l1 - emu_limits_split(chip->limits, shared * work->sample->spread.resident);
    return left > 0 ? (uint32_t)left : 0;
}

/* Returns work.imbalance. The CTAs of the simulated multiprocessor that are not in the sample are
 * assumed to be like those in the sample. */
static double find_imbalance(const struct sample *sample)
{
    double executed = 0, busiest = balance_busiest(sample);
    for (const struct walk_cta *cta = sample->ctas; cta; cta = cta->next)
        executed += (double)walk_executed(cta);
    double simulated = executed / sample->cta_count * (double)sample->spread.each;
    return busiest > 0 && simulated > 0 ? busiest / simulated : 1;
}

/* The costs that `wastes()` compares with the ideal costs, which are the counters after them. */
static const enum emu_counter costs[] = {EMU_global_load_sectors, EMU_global_store_sectors,
                                         EMU_shared_load_wavefronts, EMU_shared_store_wavefronts};

/* Updates the contents of the second-level cache. This must be done even for a launch that cannot
 * be predicted, because later launches depend on it. Sets work->key. */
static void run_cache(struct work *work, const struct emu_counters *counters)
{
    const struct launch_view *launch = work->launch;
    const struct sample *sample = work->sample;
    struct memo_key *key = &work->key;
    for (uint32_t pc = 0; counters && pc <= launch->code_count; pc++)
        emu_counters_add(&work->totals, &counters[pc]);
    key->kernel = launch->kernel;
    key->cta_count = launch->cta_count;
    key->shared_bytes = launch->shared_bytes;
    key->sms = sample->spread.sms;
    key->each = sample->spread.each;
    key->resident = sample->spread.resident;
    key->cta_slots = sample->spread.cta_slots;
    for (unsigned i = 0; i < sizeof costs / sizeof *costs; i++)
        memcpy(&key->costs[2 * i], &work->totals.value[costs[i]], 2 * sizeof *key->costs);
    key->added = sketch_count(&sample->footprint.added);
    key->buffer_count =
        l2_launch(work->predictor->l2, &sample->footprint, sample->parts,
                  work->predictor->chip.l2_bytes, launch->memory, key->buffers, MOST_BUFFERS);
}

static bool prepare(struct work *work, const struct emu_counters *counters)
{
    work->memory.buffers = work->key.buffers;
    work->memory.misses = work->misses;
    work->memory.cold = work->cold;
    work->memory.active = work->sample->spread.sms;
    work->memory.l1_bytes = l1_bytes(work);
    work->memory.constant_lines = count_constants(work->sample);
    work->memory.buffer_count = (unsigned)work->key.buffer_count;
    double written = 0, stored = (double)work->totals.value[EMU_global_store_sectors];
    for (unsigned i = 0; i < work->memory.buffer_count; i++) {
        const struct l2_buffer *buffer = &work->key.buffers[i];
        written += buffer->write_cost;
        work->dram_sectors += buffer->read + buffer->written;
        work->dram_lines += buffer->read_cost + buffer->write_cost;
    }
    work->memory.write_backs = stored > 0 ? written / stored : 0;
    work->memory.atomics_sharing = find_sharing(work);
    work->imbalance = find_imbalance(work->sample);
    work->machine = machine_make(work->launch);
    if (!work->machine)
        return false;
    work->memory.rivals = find_rivals(work, counters);
    return find_misses(work, coverage(work->sample));
}

/* --- cycles of the simulated multiprocessor --------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Estimates the cycles of a multiprocessor for all its CTAs. RESULT is the simulation of the
 * first COUNT of them. Let N be the number of CTAs that the multiprocessor holds at a time. If
 * COUNT is at least 2 * N, the average time between the ends of two CTAs is assumed to stay the
 * same. Otherwise, all CTAs are assumed to run in waves of N, each of which takes as long as the
 * first. */
static double extend(const struct work *work, const struct sm_result *result, uint32_t count)
{
    const struct spread *spread = &work->sample->spread;
    double left = (double)(spread->each - count);
    if (!left)
        return result->cycles;
    uint32_t from = spread->resident;
    qsort(result->ended, count, sizeof *result->ended, by_time);
    if (count < 2 * from) {
        double all = result->ended[from - 1] * (double)spread->each / from;
        return all > result->cycles ? all : result->cycles;
    }
    uint32_t first = from / 2, last = count - 1 - (from - 1) / 2;
    double pace = (result->ended[last] - result->ended[first]) / (last - first);
    return result->cycles + left * pace;
}

/* Simulates the sample. Returns the cycles that the multiprocessor would take if its CTAs executed
 * only the instructions that the sample has kept, or 0 when out of memory. */
static double simulate(const struct work *work, const struct sm_options *options,
                       struct sm_result *result)
{
    const struct sample *sample = work->sample;
    result->ended = calloc(sample->cta_count + 1u, sizeof *result->ended);
    bool ok =
        result->ended && sm_run(&work->predictor->chip, work->machine, &work->memory, sample->ctas,
                                sample->cta_count, sample->spread.resident, options, result);
    double cycles = ok ? extend(work, result, sample->cta_count) : 0;
    free(result->ended);
    result->ended = NULL;
    return cycles;
}

/* Returns the cycles for which the simulated CTAs occupy their multiprocessor's share of the
 * second-level cache's bandwidth. */
static double l2_cycles(const struct work *work, const struct sm_result *result)
{
    const struct emu_chip *chip = &work->predictor->chip;
    double share = chip->l2_bytes_cycle / work->memory.active;
    share = share < chip->sm_l2_bytes ? share : chip->sm_l2_bytes;
    double stores = chip->l2_store_bytes_cycle / work->memory.active;
    double packets = result->packets * 32 / share, stored = result->store_packets * 32 / stores;
    return packets > stored ? packets : stored;
}

/* Returns the cycles for which the simulated CTAs occupy the unit that is busiest. */
static double busiest_unit(const struct work *work, const struct sm_result *result)
{
    const struct emu_chip *chip = &work->predictor->chip;
    double dram = chip->dram_gbs * 1e3 / chip->clock_mhz / work->memory.active;
    const double cycles[] = {result->issue, result->shared + result->l1, l2_cycles(work, result),
                             result->atomic_cycles, result->dram_sectors * 32 / dram};
    double most = 0;
    for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++)
        most = cycles[i] > most ? cycles[i] : most;
    for (unsigned i = 0; i < PIPES; i++)
        most = result->busy[i] > most ? result->busy[i] : most;
    return most;
}

/* Returns the launch's time, divided by the simulated multiprocessor's time. If RESULT is NULL,
 * only waiting for results is assumed to take time. */
static double find_ratio(const struct work *work, const struct sm_result *result)
{
    const struct emu_chip *chip = &work->predictor->chip;
    double kept = 0;
    for (const struct walk_cta *cta = work->sample->ctas; cta; cta = cta->next)
        kept += (double)walk_kept(cta);
    struct balance_pace pace = {.alone = work->alone,
                                .unit = result && kept > 0 ? busiest_unit(work, result) / kept : 0,
                                .start = result ? chip->start_latency : 0,
                                .next = chip->block_latency};
    /* the longest warp of each CTA is not known */
    if (work->launch->cta_count > work->sample->work_count)
        pace.alone = (struct sm_pace){0};
    return balance_ratio(work->sample, &pace);
}

/* --- the launch ------------------------------------------------------------------------------- */

static double to_us(const struct work *work, double cycles)
{
    return cycles / work->predictor->chip.clock_mhz;
}

/* Sets part_us of each unit, and the numbers of instructions and bytes for the report. */
static void fill_parts(struct work *work, const struct sm_result *result, struct prediction *p)
{
    const struct sample *sample = work->sample;
    double scale =
        (double)sample->spread.each / sample->cta_count / coverage(sample) * work->imbalance;
    const double cycles[] = {
        [PREDICT_issue] = result->issue,
        [PREDICT_fp32] = result->busy[PIPE_FP32],
        [PREDICT_integer] = result->busy[PIPE_ALU] > result->busy[PIPE_IMAD]
                                ? result->busy[PIPE_ALU]
                                : result->busy[PIPE_IMAD],
        [PREDICT_fp64] = result->busy[PIPE_FP64],
        [PREDICT_special] = result->busy[PIPE_SFU],
        [PREDICT_matrix] = result->busy[PIPE_MATRIX],
        [PREDICT_shared] = result->shared,
        [PREDICT_l1] = result->l1,
        [PREDICT_atomics] = result->atomic_cycles,
    };
    for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++)
        p->part_us[i] = to_us(work, cycles[i] * scale);
    const struct emu_chip *chip = &work->predictor->chip;
    p->part_us[PREDICT_l2] = to_us(work, l2_cycles(work, result) * scale);
    p->part_us[PREDICT_dram] = work->dram_lines * 128 / (chip->dram_gbs * 1e3);
    if (!chip->l2_bytes) { /* the chip has no cache, so DRAM serves each request */
        if (p->part_us[PREDICT_l2] > p->part_us[PREDICT_dram])
            p->part_us[PREDICT_dram] = p->part_us[PREDICT_l2];
        p->part_us[PREDICT_l2] = 0;
    }
    double executed = 0, all = 0;
    for (const struct walk_cta *cta = sample->ctas; cta; cta = cta->next)
        executed += (double)walk_kept(cta);
    for (uint64_t i = 0; i < sample->work_count; i++)
        all += (double)sample->work[i];
    p->instructions = executed > 0 ? result->instructions * all / executed : 0;
    /* the work of the launch, divided by that of the sample */
    double more = executed > 0 ? all / executed : 0;
    double passes = result->shared + result->l1 + result->traffic.passes;
    work->traffic = (struct sm_traffic){.passes = passes * more,
                                        .received = result->traffic.received * more,
                                        .sent = result->traffic.sent * more,
                                        .crossed = result->traffic.crossed * more};
    p->dram_bytes = work->dram_sectors * 32;
    p->l2_bytes = executed > 0 ? result->l2_sectors * 32 * all / executed : 0;
    p->shared_bytes = executed > 0 ? result->shared * 128 * all / executed : 0;
    double missed = result->l2_sectors > 0 ? result->dram_sectors / result->l2_sectors : 0;
    /* DRAM also writes the data that earlier launches stored, so MISSED can exceed 1 */
    p->l2_hits = missed < 1 ? 1 - missed : 0;
}

/* Returns how much of the time US would be saved if all multiprocessors had the same work. */
static double tail_of(const struct work *work, double us)
{
    double all = 0, sms = work->predictor->chip.sms, busiest = balance_busiest(work->sample);
    for (uint64_t i = 0; i < work->sample->work_count; i++)
        all += (double)work->sample->work[i];
    return busiest > 0 ? us * (1 - all / sms / busiest) : 0;
}

/* Returns the fraction of the chip that other launches cannot use. This is the maximum of two
 * fractions: the launch's part of the chip's slots for CTAs, and the part of the time US for which
 * the busiest unit works. */
static double share_of_chip(const struct work *work, const struct prediction *p, double us)
{
    const struct spread *spread = &work->sample->spread;
    double slots = work->predictor->chip.sms * spread->cta_slots;
    double share = (double)work->launch->cta_count / slots;
    for (int i = 0; i < PREDICT_latency; i++)
        share = p->part_us[i] / us > share ? p->part_us[i] / us : share;
    return share < 1 ? share : 1;
}

/* Returns the time that the launch would take under OPTIONS, in microseconds. */
static double without(const struct work *work, struct sm_options options)
{
    struct sm_result result = {0};
    return to_us(work, simulate(work, &options, &result) * work->ratio);
}

#define WORTH_MENDING 1.05 /* a cost above this multiple of the ideal cost is worth reducing */

static bool wastes(const struct work *work, enum emu_counter cost)
{
    return (double)work->totals.value[cost] > WORTH_MENDING * (double)work->totals.value[cost + 1];
}

/* Returns the time that the launch would take if only waiting for results took time, in
 * microseconds. Sets work->alone to the speed of a warp in this case. */
static double find_latency(struct work *work)
{
    struct sm_options options = {.no_limits = true};
    struct sm_result result = {0};
    double cycles = simulate(work, &options, &result);
    work->alone = result.pace;
    return to_us(work, cycles * find_ratio(work, NULL));
}

static void fill(struct work *work, struct prediction *p)
{
    const struct emu_chip *chip = &work->predictor->chip;
    struct sm_options options = {0};
    struct sm_result result = {.blame = calloc(work->launch->code_count + 1u, sizeof(double))};
    double latency = find_latency(work), cycles = simulate(work, &options, &result);
    work->ratio = find_ratio(work, &result);
    cycles *= work->ratio;
    double us = to_us(work, cycles);
    if (!(cycles > 0)) {
        free(result.blame);
        return;
    }
    fill_parts(work, &result, p);
    p->part_us[PREDICT_latency] = latency;
    p->part_us[PREDICT_launch] = chip->launch_us;
    p->part_us[PREDICT_tail] = tail_of(work, us);
    predict_use(p, chip, &work->traffic, us);
    predict_limit(p, us);
    predict_waves(work->sample, p->warps, PREDICT_MOMENTS);
    p->share_of_chip = share_of_chip(work, p, us);
    p->cycles = cycles;
    p->us = us + chip->launch_us;
    p->low_us = p->us / INTERVAL;
    p->high_us = p->us * INTERVAL;
    if (wastes(work, EMU_global_load_sectors) || wastes(work, EMU_global_store_sectors))
        p->without_us[0] =
            chip->launch_us + without(work, (struct sm_options){.ideal_sectors = true});
    if (wastes(work, EMU_shared_load_wavefronts) || wastes(work, EMU_shared_store_wavefronts))
        p->without_us[1] =
            chip->launch_us + without(work, (struct sm_options){.ideal_passes = true});
    double all = 0;
    for (uint32_t pc = 0; result.blame && pc < work->launch->code_count; pc++)
        all += result.blame[pc];
    for (uint32_t pc = 0; result.blame && pc < work->launch->code_count; pc++)
        result.blame[pc] /= all > 0 ? all : 1;
    p->share = result.blame;
    p->share_count = work->launch->code_count;
    p->is_known = true;
}

/* Predicts the launch, or copies the prediction of an equal launch. The sample and the key say
 * nothing about the rivals of a compare-and-swap. */
static void predict(struct work *work, struct sample *sample, const struct emu_counters *counters)
{
    struct predictor *predictor = work->predictor;
    bool is_determined = sketch_count(&sample->footprint.swapped) == 0;
    const struct prediction *old =
        is_determined ? memo_find(predictor->memo, &work->key, sample) : NULL;
    if (old && prediction_copy(&predictor->last, old))
        return;
    if (prepare(work, counters))
        fill(work, &predictor->last);
    machine_free(work->machine);
    if (!predictor->last.is_known)
        return;
    predictor->last.number = ++predictor->number;
    if (is_determined)
        memo_keep(predictor->memo, &work->key, sample, &predictor->last);
}

void predict_launch(struct predictor *predictor, const struct launch_view *launch,
                    struct sample *sample, const struct emu_counters *counters)
{
    struct work *work = calloc(1, sizeof *work);
    free(predictor->last.share);
    predictor->last = (struct prediction){0};
    if (!work)
        return;
    work->predictor = predictor;
    work->launch = launch;
    work->sample = sample;
    run_cache(work, counters);
    if (!predict_find_gap(launch, counters, &predictor->last) && sample->ctas)
        predict(work, sample, counters);
    predictor->last.flops = predict_flops(launch, counters);
    free(work);
}
