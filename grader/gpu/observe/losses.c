#include "gpu/observe/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"
#include "gpu/observe/losses_parts.h"

/* Thresholds: smaller losses are not reported. Even correct programs lose a little in an incomplete
 * last block, in the last step of a reduction, and at the halo of a stencil. */
/* warp instructions; a launch for a single element executes about as many */
#define LEAST_INSTRUCTIONS 16
#define MANY_BRANCHES      0.1 /* share of diverging warps among those that reach a branch */
#define MANY_LEVELS        8   /* share_out() runs for at most this many levels of calls */
/* with fewer active lanes on average, a single lane does most of the work */
#define FEW_LANES 2.0
/* a kernel with fewer warp instructions is too short to report */
#define LONG_WORK      1000
#define HALF_OCCUPANCY (EMU_SM_WARPS / 2)

void sample_join(struct sample *into, struct sample *sample)
{
    uint64_t again = into->again + sample->again, slid = into->slid + sample->slid;
    struct access_seen *seen = into->seen ? into->seen : sample->seen, *other = sample->seen;
    for (uint32_t warp = 0; seen && other && warp < MAX_WARPS; warp++)
        if (other[warp].mask && (!seen[warp].mask || other[warp].cta > seen[warp].cta))
            seen[warp] = other[warp];
    if (seen == other)
        sample->seen = NULL;
    if (sample_is_worse(into, sample->cost, sample->ideal, sample->cta, sample->warp))
        *into = *sample;
    into->again = again;
    into->slid = slid;
    into->seen = seen;
}

uint64_t loss_ratio_of(uint64_t part, double share)
{
    return (uint64_t)((double)part * share);
}

void loss_add_finding(const struct report *report, const struct loss *loss,
                      const struct sample *worst, const char *cause, const char *help)
{
    struct finding *finding =
        findings_add_pair(report->launch->findings, loss->id, loss->pc, NO_PC, loss->requests);
    if (finding) {
        snprintf(finding->message, sizeof finding->message, "%s", cause);
        finding->help = help;
        finding->cost = loss->cost;
        finding->ideal = loss->ideal;
        finding->worst_cost = worst ? worst->cost : 0;
        finding->worst_ideal = worst ? worst->ideal : 0;
    }
    findings_unlock(report->launch->findings);
}

struct loss *loss_at(struct report *report, const char *id, uint32_t pc)
{
    struct source_line place = view_line(report->launch, pc);
    if (analyse_is_library(report->launch->module, place.file))
        return NULL; /* students cannot change the code of a library */
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

/* --- what calls cost -------------------------------------------------------------------------- */

static struct expense expense_of(const struct report *report, uint32_t pc)
{
    const uint64_t *value = report->counters[pc].value;
    return (struct expense){(double)value[EMU_warp_instructions],
                            (double)value[EMU_thread_instructions]};
}

static struct expense expense_from(const struct report *report, uint32_t first, uint32_t end)
{
    struct expense sum = {0, 0};
    for (uint32_t pc = first; pc < end; pc++) {
        sum.warps += report->expenses[pc].warps;
        sum.threads += report->expenses[pc].threads;
    }
    return sum;
}

static bool is_call_of(const struct report *report, uint32_t pc, uint32_t function)
{
    struct view_instruction in = view_instruction(report->launch, pc);
    return in.kind == VIEW_CALL && in.callee == function;
}

/* Adds the cost of FUNCTION, as known so far, to its calls, in proportion to the number of warps
 * and lanes of each call. */
static void share_out(struct report *report, uint32_t function)
{
    uint32_t first, end;
    view_range(report->launch, function, &first, &end);
    struct expense inside = expense_from(report, first, end), calls = {0, 0};
    for (int shares = 0; shares < 2; shares++)
        for (uint32_t pc = 0; pc < report->launch->code_count; pc++) {
            struct expense own = expense_of(report, pc);
            if (!own.warps || !is_call_of(report, pc, function))
                continue;
            if (shares)
                report->expenses[pc] =
                    (struct expense){own.warps + inside.warps * own.warps / calls.warps,
                                     own.threads + inside.threads * own.threads / calls.threads};
            else
                calls = (struct expense){calls.warps + own.warps, calls.threads + own.threads};
        }
}

/* Computes the cost of each instruction. Calls share_out() once for each level of calls. The result
 * is approximate for recursive calls. */
static void find_expenses(struct report *report)
{
    const struct launch_view *launch = report->launch;
    for (uint32_t pc = 0; pc < launch->code_count; pc++)
        report->expenses[pc] = expense_of(report, pc);
    for (uint32_t level = 1; level < launch->function_count && level <= MANY_LEVELS; level++)
        for (uint32_t function = 1; function < launch->function_count; function++)
            share_out(report, function);
}

/* --- branches --------------------------------------------------------------------------------- */

/* Returns the pc whose execution count tells how many warps reach the branch at PC. For a backward
 * branch of a loop, this is the instruction before the loop, because most iterations execute the
 * branch with only some of the lanes. Otherwise it is PC itself. */
static uint32_t entry_of(const struct report *report, uint32_t pc)
{
    uint32_t before = view_instruction(report->launch, pc).target - 1;
    if (before >= pc || !report->counters[before].value[EMU_warp_instructions])
        return pc;
    struct view_instruction in = view_instruction(report->launch, before);
    bool falls =
        in.kind != VIEW_EXIT && in.kind != VIEW_RETURN && (in.kind != VIEW_BRANCH || in.has_guard);
    return falls ? before : pc;
}

static uint64_t least_branch_waste(const struct report *report)
{
    uint64_t share = loss_ratio_of(report->totals.value[EMU_warp_instructions], LEAST_SHARE);
    return share > LEAST_INSTRUCTIONS ? share : LEAST_INSTRUCTIONS;
}

/* Adds the cost of a branch whose code is from FIRST to END. The costs of consecutive branches, as
 * in an unrolled loop, are added up. Of nested branches, only the most wasteful one counts. */
static void add_to_branches(struct loss *loss, uint32_t first, uint32_t end, uint64_t cost,
                            uint64_t ideal)
{
    if (first < loss->latest_end) {
        if (cost - ideal <= loss->latest_cost - loss->latest_ideal)
            return;
        loss->cost -= loss->latest_cost;
        loss->ideal -= loss->latest_ideal;
    }
    loss->cost += cost;
    loss->ideal += ideal;
    loss->latest_cost = cost;
    loss->latest_ideal = ideal;
    loss->latest_end = end;
}

/* Adds the branch at PC. Its cost is the number of warp instructions until its lanes reconverge.
 * Its ideal cost is the number that would be needed if its lanes stayed together. */
static void add_branch(struct report *report, uint32_t pc)
{
    struct view_instruction in = view_instruction(report->launch, pc);
    uint64_t divergent = report->counters[pc].value[EMU_divergent_branches];
    struct loss *loss = in.kind == VIEW_BRANCH ? loss_at(report, "divergent-branch", pc) : NULL;
    if (!loss)
        return;
    struct expense entry = expense_of(report, entry_of(report, pc));
    loss->entries += entry.warps;
    loss->requests += divergent;
    if (!divergent)
        return;
    uint32_t first = in.target < pc ? in.target : pc + 1;
    uint32_t end = in.meet;
    if (end <= first || end > report->launch->code_count)
        end = report->launch->code_count;
    struct expense inside = expense_from(report, first, end);
    uint64_t cost = (uint64_t)(inside.warps + 0.5);
    uint64_t ideal = (uint64_t)(inside.threads * entry.warps / entry.threads + 0.999);
    if (ideal >= cost)
        return;
    add_to_branches(loss, first, end, cost, ideal);
    loss->is_loop |= in.target <= pc;
    loss->has_bad |= (double)divergent >= MANY_BRANCHES * entry.warps &&
                     cost - ideal >= least_branch_waste(report);
}

/* Returns advice for a branch, or NULL if the general advice fits. If a single lane takes the
 * branch, the advice is to share its work. */
static const char *advice_for_branch(const struct loss *loss)
{
    if (loss->is_loop)
        return "give the lanes of a warp equal numbers of iterations: sort the work, or share each "
               "loop among the lanes";
    return 32 * loss->ideal < 2 * loss->cost
               ? "one lane works while 31 wait: if there is enough work, share it among the lanes, "
                 "as a tree or with __shfl_down_sync() (lab 04 shows how)"
               : NULL;
}

/* Reports the branches of a line if they waste enough. The last steps of a reduction tree always
 * diverge, but they are few and short, so they are not reported. */
static void report_branch_loss(const struct report *report, const struct loss *loss)
{
    char cause[100];
    if (loss->cost - loss->ideal < least_branch_waste(report) ||
        (!loss->has_bad && (double)loss->requests < MANY_BRANCHES * loss->entries))
        return;
    snprintf(cause, sizeof cause, "%.1f of 32 lanes work on average until the warp reconverges",
             32.0 * (double)loss->ideal / (double)loss->cost);
    loss_add_finding(report, loss, NULL, cause, advice_for_branch(loss));
}

static void report_branches(struct report *report)
{
    uint32_t before = report->count;
    for (uint32_t pc = 0; pc < report->launch->code_count; pc++)
        if (report->counters[pc].value[EMU_branches])
            add_branch(report, pc);
    for (uint32_t i = before; i < report->count; i++)
        report_branch_loss(report, &report->list[i]);
}

/* --- the whole kernel ------------------------------------------------------------------------- */

static uint32_t busiest(const struct report *report)
{
    uint32_t most = 0;
    for (uint32_t pc = 0; pc < report->launch->code_count; pc++)
        if (report->counters[pc].value[EMU_warp_instructions] >
            report->counters[most].value[EMU_warp_instructions])
            most = pc;
    return most;
}

/* Reports a kernel in which a single lane does nearly all the work. The finding is on the line that
 * is executed most often. */
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
    loss_add_finding(report, &loss, NULL, cause, NULL);
    return true;
}

/* Reports low occupancy. A launch with fewer blocks than multiprocessors is not reported. */
static void report_occupancy(const struct report *report)
{
    const struct launch_view *launch = report->launch;
    const struct emu_occupancy *o = &launch->occupancy;
    static const char *const helps[] = {
        [EMU_BY_BLOCKS] = "use larger blocks: a multiprocessor holds at most 32 blocks",
        [EMU_BY_REGISTERS] =
            "keep fewer values per thread at a time, or limit registers with __launch_bounds__()",
        [EMU_BY_SHARED] = "use less shared memory per block, or let more threads share it",
        [EMU_OCCUPANCY_LIMITS] = NULL};
    char cause[100];
    /* true for blocks of one warp: the limit of 32 blocks per multiprocessor halves the
     * occupancy */
    bool is_half = o->warps == HALF_OCCUPANCY && o->limit == EMU_BY_BLOCKS;
    if ((o->warps >= HALF_OCCUPANCY && !is_half) || launch->cta_count < EMU_MULTIPROCESSORS)
        return;
    snprintf(cause, sizeof cause, "%u of %u warps fit on a multiprocessor, limited by %s", o->warps,
             EMU_SM_WARPS, emu_occupancy_limit_name(o->limit));
    struct loss loss = {.id = "low-occupancy", .requests = 1};
    loss_add_finding(report, &loss, NULL, cause, helps[o->limit]);
}

/* Allocates the arrays of a report. Returns false when out of memory. */
static bool report_open(struct report *report)
{
    uint32_t count = report->launch->code_count;
    report->list = malloc(report->room * sizeof *report->list);
    report->expenses = calloc(count, sizeof *report->expenses);
    report->loads = calloc(count, sizeof *report->loads);
    if (!report->list || !report->expenses || !report->loads)
        return false;
    for (uint32_t pc = 0; pc < count; pc++) {
        if (report->counters[pc].value[EMU_warp_instructions])
            emu_counters_add(&report->totals, &report->counters[pc]);
        if (report->counters[pc].value[EMU_global_load_requests])
            report->loads[report->load_count++] = pc;
    }
    find_expenses(report);
    return true;
}

void losses_report(const struct launch_view *launch, const struct emu_counters *counters,
                   const struct sample *samples)
{
    struct report report = {launch, counters, samples, .room = 5 * launch->code_count};
    /* if memory runs out, findings are missing, but grades do not depend on them */
    if (report_open(&report)) {
        losses_report_traffic(&report);
        if (!report_serial(&report))
            report_branches(&report);
        report_occupancy(&report);
    }
    free(report.loads);
    free(report.expenses);
    free(report.list);
}
