#include "emulator/observe/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator/device.h"
#include "emulator/execute/machine.h"

/* What is too little to be told of. Correct programs have edges: a ragged last block, the final step of
 * a reduction, the halo of a stencil. */
#define LEAST_WASTE     8    /* sectors or wavefronts */
#define LEAST_SHARE     0.05 /* of all sectors, wavefronts or instructions of the launch */
#define LEAST_RATIO     1.2  /* of cost to ideal */
#define MANY_BRANCHES   0.1  /* of a branch's executions, that diverge */
#define FEW_LANES       2.0  /* active on average: one does the work */
#define LONG_WORK       1000 /* warp instructions */
#define HALF_OCCUPANCY  (EMU_SM_WARPS / 2)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Losses of one kind on one line. */
struct loss {
    const char *id;
    struct source_line place;
    uint32_t pc; /* whose sample is the worst */
    uint64_t requests, cost, ideal, again;
    bool has_good; /* another access of this kind on this line wastes nothing */
};

struct report {
    const struct obs_launch *launch;
    const struct kernel *kernel;
    const struct emu_counters *counters;
    const struct sample *samples;
    struct emu_counters totals;
    struct loss *list;
    uint32_t count, room;
};

static uint64_t ratio_of(uint64_t part, double share)
{
    return (uint64_t)((double)part * share);
}

static void add_finding(const struct report *report, const struct loss *loss,
                        const struct sample *worst, const char *cause)
{
    struct finding *finding =
        findings_add_pair(report->launch->findings, loss->id, loss->pc, NO_PC, loss->requests);
    if (finding) {
        snprintf(finding->message, sizeof finding->message, "%s", cause);
        finding->cost = loss->cost;
        finding->ideal = loss->ideal;
        finding->worst_cost = worst ? worst->cost : 0;
        finding->worst_ideal = worst ? worst->ideal : 0;
    }
    findings_unlock(report->launch->findings);
}

/* --- memory -------------------------------------------------------------------------------------- */

struct traffic_kind {
    enum emu_counter requests; /* then cost and ideal */
    const char *id, *verb;
    bool shared;
};

static const struct traffic_kind kinds[] = {
    {EMU_global_load_requests, "uncoalesced-load", "read", false},
    {EMU_global_store_requests, "uncoalesced-store", "write", false},
    {EMU_global_atomic_requests, "uncoalesced-atomic", "update", false},
    {EMU_global_reduction_requests, "uncoalesced-atomic", "update", false},
    {EMU_shared_load_requests, "bank-conflict", "read", true},
    {EMU_shared_store_requests, "bank-conflict", "write", true},
};

static uint64_t waste_of(const struct sample *sample)
{
    return sample->cost - sample->ideal;
}

static struct loss *loss_at(struct report *report, const char *id, uint32_t pc)
{
    struct source_line place = kernel_line(report->kernel, pc);
    for (uint32_t i = report->count; i-- > 0;) {
        struct loss *loss = &report->list[i];
        if (loss->id == id && loss->place.file == place.file && loss->place.line == place.line)
            return loss;
    }
    if (report->count == report->room)
        return NULL;
    struct loss *loss = &report->list[report->count++];
    *loss = (struct loss){.id = id, .place = place, .pc = pc};
    return loss;
}

static void add_traffic(struct report *report, const struct traffic_kind *kind, uint32_t pc)
{
    const uint64_t *value = &report->counters[pc].value[kind->requests];
    struct loss *loss = value[0] ? loss_at(report, kind->id, pc) : NULL;
    if (!loss)
        return;
    if (waste_of(&report->samples[pc]) > waste_of(&report->samples[loss->pc]))
        loss->pc = pc;
    loss->requests += value[0];
    loss->cost += value[1];
    loss->ideal += value[2];
    loss->has_good = loss->has_good || value[1] == value[2];
}

/* A load most of whose requests repeat the one before. One that may wait for another thread must. */
static void add_again(struct report *report, uint32_t pc)
{
    const uint64_t *value = &report->counters[pc].value[EMU_global_load_requests];
    uint64_t again = report->samples[pc].again;
    if (!value[0] || !again || 2 * again < value[0] || report->kernel->code[pc].observes)
        return;
    struct loss *loss = loss_at(report, "redundant-load", pc);
    if (!loss)
        return;
    loss->requests += value[0];
    loss->again += again;
    loss->cost += value[1];
    loss->ideal += value[1] * (value[0] - again) / value[0];
}

/* All sectors, or all wavefronts, of the launch. */
static uint64_t all_traffic(const struct report *report, bool shared)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        sum += kinds[i].shared == shared ? report->totals.value[kinds[i].requests + 1] : 0;
    return sum;
}

static const struct traffic_kind *kind_of(const struct report *report, const struct loss *loss)
{
    size_t i = 0;
    while (kinds[i].id != loss->id ||
           (!report->counters[loss->pc].value[kinds[i].requests] && i + 1 < COUNT_OF(kinds)))
        i++;
    return &kinds[i];
}

/* Neighbouring words that only begin in the middle of a sector: a stencil cannot but do that, as
 * another access of its line shows. Atomics on scattered places are what histograms are made of. */
static bool is_unavoidable(const struct loss *loss, const struct sample *sample)
{
    struct shape shape = shape_find(&sample->access);
    bool is_offset = shape.kind == SHAPE_STRIDE && shape.step == sample->access.bytes;
    return (is_offset && loss->has_good) ||
           (shape.kind == SHAPE_SCATTERED && sample->kind >= OBS_ATOMIC);
}

static void tell_traffic(const struct report *report, const struct loss *loss)
{
    const struct traffic_kind *kind = kind_of(report, loss);
    const struct sample *sample = &report->samples[loss->pc];
    uint64_t waste = loss->cost - loss->ideal, all = all_traffic(report, kind->shared);
    char cause[400];
    if (waste < LEAST_WASTE || waste < ratio_of(all, LEAST_SHARE) ||
        (double)loss->cost < LEAST_RATIO * (double)loss->ideal || is_unavoidable(loss, sample))
        return;
    if (kind->shared)
        shape_tell_shared(cause, sizeof cause, &sample->access, kind->verb);
    else
        shape_tell_global(cause, sizeof cause, &sample->access, kind->verb);
    add_finding(report, loss, sample, cause);
}

static void tell_again(const struct report *report, const struct loss *loss)
{
    char cause[100];
    uint64_t all = 0, fresh = loss->requests - loss->again;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        all += kinds[i].shared ? 0 : report->totals.value[kinds[i].requests];
    if (loss->again < LEAST_WASTE || loss->again < ratio_of(all, 2 * LEAST_SHARE))
        return;
    snprintf(cause, sizeof cause, "a warp loads the same words %" PRIu64 " times in a row",
             loss->requests / (fresh ? fresh : 1));
    add_finding(report, loss, NULL, cause);
}

static void report_traffic(struct report *report)
{
    for (uint32_t pc = 0; pc < report->kernel->code_count; pc++) {
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
            add_traffic(report, &kinds[i], pc);
        add_again(report, pc);
    }
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->list[i].again)
            tell_again(report, &report->list[i]);
        else
            tell_traffic(report, &report->list[i]);
    }
}

/* --- branches ------------------------------------------------------------------------------------ */

/* What warps executed between the branch at PC and the place where its lanes meet again, and as few
 * instructions as would do if all lanes that came to the branch had stayed together. */
static void add_branch(struct report *report, uint32_t pc)
{
    const struct inst *inst = &report->kernel->code[pc];
    const uint64_t *value = report->counters[pc].value;
    uint64_t warps = 0, threads = 0;
    if (inst->kind != KIND_BRANCH || !value[EMU_divergent_branches] ||
        value[EMU_divergent_branches] < ratio_of(value[EMU_branches], MANY_BRANCHES))
        return;
    uint32_t first = inst->branch.target < pc ? inst->branch.target : pc + 1;
    uint32_t end = inst->branch.meet;
    if (end <= first || end > report->kernel->code_count)
        end = report->kernel->code_count;
    for (uint32_t at = first; at < end; at++) {
        warps += report->counters[at].value[EMU_warp_instructions];
        threads += report->counters[at].value[EMU_thread_instructions];
    }
    double lanes = (double)value[EMU_thread_instructions] / (double)value[EMU_warp_instructions];
    uint64_t ideal = (uint64_t)((double)threads / lanes + 0.999);
    struct loss *loss = ideal < warps ? loss_at(report, "divergent-branch", pc) : NULL;
    if (!loss)
        return;
    if (warps - ideal > loss->cost - loss->ideal) { /* of nested ones on a line, the outer */
        loss->cost = warps;
        loss->ideal = ideal;
    }
    loss->requests += value[EMU_divergent_branches];
}

static void report_branches(struct report *report)
{
    uint32_t before = report->count;
    uint64_t all = report->totals.value[EMU_warp_instructions];
    for (uint32_t pc = 0; pc < report->kernel->code_count; pc++)
        if (report->counters[pc].value[EMU_branches])
            add_branch(report, pc);
    for (uint32_t i = before; i < report->count; i++) {
        const struct loss *loss = &report->list[i];
        char cause[100];
        snprintf(cause, sizeof cause, "behind it %.1f of 32 lanes work on average",
                 32.0 * (double)loss->ideal / (double)loss->cost);
        if (loss->cost - loss->ideal >= LEAST_WASTE &&
            loss->cost - loss->ideal >= ratio_of(all, LEAST_SHARE))
            add_finding(report, loss, NULL, cause);
    }
}

/* --- the whole kernel ------------------------------------------------------------------------------ */

static uint32_t busiest(const struct report *report)
{
    uint32_t most = 0;
    for (uint32_t pc = 0; pc < report->kernel->code_count; pc++)
        if (report->counters[pc].value[EMU_warp_instructions] >
            report->counters[most].value[EMU_warp_instructions])
            most = pc;
    return most;
}

/* Does one lane do nearly all of it? Its line is the one that is executed most. */
static bool report_serial(const struct report *report)
{
    char cause[100];
    uint64_t warps = report->totals.value[EMU_warp_instructions];
    uint64_t threads = report->totals.value[EMU_thread_instructions];
    if (warps < LONG_WORK || (double)threads >= FEW_LANES * (double)warps)
        return false;
    snprintf(cause, sizeof cause, "%.1f of 32 lanes work on average",
             (double)threads / (double)warps);
    struct loss loss = {.id = "serial-kernel",
                        .pc = busiest(report),
                        .requests = 1,
                        .cost = warps,
                        .ideal = (threads + 31) / 32};
    add_finding(report, &loss, NULL, cause);
    return true;
}

/* Worth a word only where there are blocks enough for all multiprocessors. */
static void report_occupancy(const struct report *report)
{
    const struct launch *launch = report->launch->launch;
    const struct emu_occupancy *o = &launch->occupancy;
    char cause[100];
    if (o->warps >= HALF_OCCUPANCY || launch->cta_count < EMU_MULTIPROCESSORS)
        return;
    snprintf(cause, sizeof cause, "%u of %u warps fit at once, limited by %s", o->warps,
             EMU_SM_WARPS, emu_occupancy_limit_name(o->limit));
    struct loss loss = {.id = "low-occupancy", .requests = 1};
    add_finding(report, &loss, NULL, cause);
}

void losses_report(const struct obs_launch *launch, const struct emu_counters *counters,
                   const struct sample *samples)
{
    const struct kernel *kernel = launch->kernel;
    struct report report = {launch, kernel, counters, samples, .room = 4 * kernel->code_count};
    report.list = calloc(report.room ? report.room : 1, sizeof *report.list);
    if (!report.list)
        return; /* feedback, and no grade depends on it */
    for (uint32_t pc = 0; pc < kernel->code_count; pc++)
        emu_counters_add(&report.totals, &counters[pc]);
    report_traffic(&report);
    if (!report_serial(&report))
        report_branches(&report);
    report_occupancy(&report);
    free(report.list);
}
