#include "gpu/observe/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"

/* Thresholds: smaller losses are not reported. Even correct programs lose a little in an incomplete
 * last block, in the last step of a reduction, and at the halo of a stencil. */
#define LEAST_WASTE 8 /* sectors or wavefronts */
/* warp instructions; a launch for a single element executes about as many */
#define LEAST_INSTRUCTIONS 16
#define LEAST_SHARE        0.05 /* share of the launch's sectors, wavefronts or instructions */
#define LEAST_RATIO        1.2  /* ratio of cost to ideal */
#define MANY_BRANCHES      0.1  /* share of diverging warps among those that reach a branch */
#define MANY_LEVELS        8    /* share_out() runs for at most this many levels of calls */
/* with fewer active lanes on average, a single lane does most of the work */
#define FEW_LANES 2.0
/* two accesses with fewer bytes between them count as accesses to the same array */
#define SAME_ARRAY (1ull << 16)
/* a kernel with fewer warp instructions is too short to report */
#define LONG_WORK       1000
#define HALF_OCCUPANCY  (EMU_SM_WARPS / 2)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* All losses of one kind on one line. */
struct loss {
    const char *id;
    struct source_line place;
    uint32_t pc; /* the instruction whose sample is the most wasteful */
    uint64_t requests, cost, ideal, again;
    bool has_good; /* another access of this kind on the same line wastes nothing */
    /* The remaining fields are only for branches. latest_cost and latest_ideal are the part of
     * `cost` and `ideal` that the latest branch added, and latest_end is the end of its code.
     * `entries` counts how often warps reached a branch of the line. has_bad: one of the branches
     * alone is bad enough for a finding. is_loop: one of them closes a loop. */
    uint64_t latest_cost, latest_ideal;
    uint32_t latest_end;
    double entries;
    bool has_bad, is_loop;
};

/* The cost of an instruction in warp instructions and thread instructions. For a call, this
 * includes the called function. */
struct expense {
    double warps, threads;
};

struct report {
    const struct launch_view *launch;
    const struct emu_counters *counters;
    const struct sample *samples;
    struct emu_counters totals;
    struct expense *expenses; /* for each pc */
    uint32_t *loads;          /* pcs of the loads from global memory */
    uint32_t load_count;
    struct loss *list;
    uint32_t count, room;
};

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

static uint64_t ratio_of(uint64_t part, double share)
{
    return (uint64_t)((double)part * share);
}

static void add_finding(const struct report *report, const struct loss *loss,
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

/* --- memory ----------------------------------------------------------------------------------- */

struct traffic_kind {
    /* this counter is followed by those of the cost and the ideal cost */
    enum emu_counter requests;
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

/* Finds the first warp whose latest accesses at PC and at OTHER were made by the same lanes of the
 * same CTA. Returns the access at PC and sets *WARP. */
static const struct access_seen *first_pair(const struct report *report, uint32_t pc,
                                            uint32_t other, uint32_t *warp)
{
    const struct access_seen *a = report->samples[pc].seen, *b = report->samples[other].seen;
    for (*warp = 0; a && b && *warp < MAX_WARPS; ++*warp)
        if (a[*warp].mask && a[*warp].mask == b[*warp].mask && a[*warp].cta == b[*warp].cta)
            return &a[*warp];
    return NULL;
}

/* Returns whether the loads at PC and OTHER are on one line and read the same words. If so, they
 * are copies of one load in an unrolled loop. */
static bool is_copy(const struct report *report, uint32_t pc, uint32_t other)
{
    uint32_t warp = 0;
    const struct access_seen *a = first_pair(report, pc, other, &warp),
                             *b = a ? &report->samples[other].seen[warp] : NULL;
    if (pc == other || !a || a->first != b->first || a->form != b->form ||
        view_instruction(report->launch, pc).bytes != view_instruction(report->launch, other).bytes)
        return false;
    struct source_line one = view_line(report->launch, pc), two = view_line(report->launch, other);
    return one.file == two.file && one.line == two.line;
}

/* Returns whether the load at PC may read new values each time. This is assumed if the kernel has
 * barriers and, in the same part of memory, stores at least half as often as it loads. */
static bool is_rewritten(const struct report *report, uint32_t pc)
{
    uint64_t loads = report->counters[pc].value[EMU_global_load_requests];
    if (!report->totals.value[EMU_barriers])
        return false;
    for (uint32_t i = 0; i < report->launch->code_count; i++) {
        uint64_t stores = report->counters[i].value[EMU_global_store_requests];
        uint32_t warp;
        const struct access_seen *load =
            2 * stores >= loads ? first_pair(report, pc, i, &warp) : NULL;
        if (load && report->samples[i].seen[warp].first - load->first + SAME_ARRAY < 2 * SAME_ARRAY)
            return true;
    }
    return false;
}

/* Reports the load at PC as redundant if warps mostly repeat their previous load, at PC or at a
 * copy of PC in an unrolled loop. Ignores loads that may poll, because polling has to repeat the
 * load. */
static void add_again(struct report *report, uint32_t pc)
{
    const uint64_t *value = &report->counters[pc].value[EMU_global_load_requests];
    uint64_t again = report->samples[pc].again;
    bool repeats = again && 2 * again >= value[0];
    for (uint32_t i = 0; i < report->load_count; i++)
        if (is_copy(report, pc, report->loads[i])) {
            repeats = true;
            again = report->loads[i] < pc ? value[0] : again;
        }
    if (!repeats || view_instruction(report->launch, pc).may_poll || is_rewritten(report, pc))
        return;
    struct loss *loss = loss_at(report, "redundant-load", pc);
    if (!loss)
        return;
    loss->requests += value[0];
    loss->again += again;
    loss->cost += value[1];
    loss->ideal += value[1] * (value[0] - again) / value[0];
}

/* Returns the total number of sectors in the launch, or of wavefronts if SHARED is true. */
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

/* Returns whether the load at PC reads a sliding window, that is, whether another load by the same
 * warp partly overlaps it. */
static bool is_of_window(const struct report *report, uint32_t pc)
{
    const struct sample *sample = &report->samples[pc];
    if (2 * sample->slid >= report->counters[pc].value[EMU_global_load_requests])
        return true;
    for (uint32_t i = 0; i < report->load_count; i++) {
        uint32_t other = report->loads[i], warp;
        const struct access_seen *seen = first_pair(report, pc, other, &warp);
        if (seen && access_is_near(seen->first, report->samples[other].seen[warp].first))
            return true;
    }
    return false;
}

/* Returns whether the program cannot avoid the loss. In a stencil, some accesses to neighbouring
 * words begin in the middle of a sector. An access probably belongs to a stencil if another access
 * on its line wastes nothing, or if other loads overlap it. A histogram needs atomics at scattered
 * addresses. */
static bool is_unavoidable(const struct report *report, const struct loss *loss,
                           const struct sample *sample)
{
    struct shape shape = shape_find(&sample->access);
    bool is_offset = shape.kind == SHAPE_STRIDE && shape.step == sample->access.bytes;
    return (is_offset && loss->has_good) ||
           (is_offset && sample->kind == OBS_LOAD && is_of_window(report, loss->pc)) ||
           (shape.kind == SHAPE_SCATTERED && sample->kind >= OBS_ATOMIC);
}

/* a stride of at most this many bytes can be the size of a structure */
#define MOST_FIELDS 64

/* Code that accesses the fields of an array of structures has several accesses with the same
 * stride, which fill each other's gaps. Returns the line of such an access that belongs to the
 * access at PC, or 0 if there is none. */
static uint32_t line_of_rest(const struct report *report, uint32_t pc, const struct shape *shape)
{
    struct source_line here = view_line(report->launch, pc);
    if (shape->kind != SHAPE_STRIDE || shape->step < 8 || shape->step > MOST_FIELDS)
        return 0;
    for (uint32_t other = 0; other < report->launch->code_count; other++) {
        const struct sample *sample = &report->samples[other];
        struct source_line there = view_line(report->launch, other);
        bool is_same = there.line == here.line && there.column == here.column;
        if (is_same || !sample->access.mask ||
            view_instruction(report->launch, other).access > OBS_STORE)
            continue;
        struct shape beside = shape_find(&sample->access);
        uint64_t apart =
            beside.low > shape->low ? beside.low - shape->low : shape->low - beside.low;
        if (beside.kind == SHAPE_STRIDE && beside.step == shape->step && apart < SAME_ARRAY &&
            apart % (uint64_t)shape->step)
            return there.line;
    }
    return 0;
}

static void tell_structures(const struct report *report, const struct loss *loss, char *cause,
                            size_t size)
{
    const struct shape_access *access = &report->samples[loss->pc].access;
    struct shape shape = shape_find(access);
    size_t used = strlen(cause);
    uint32_t line = line_of_rest(report, loss->pc, &shape);
    if (line == view_line(report->launch, loss->pc).line)
        snprintf(cause + used, size - used,
                 ": this line also accesses the other bytes, like fields of structures");
    else if (line)
        snprintf(cause + used, size - used,
                 ": line %" PRIu32 " accesses the other bytes, like fields of structures", line);
}

static void report_access_loss(const struct report *report, const struct loss *loss)
{
    const struct traffic_kind *kind = kind_of(report, loss);
    const struct sample *sample = &report->samples[loss->pc];
    uint64_t waste = loss->cost - loss->ideal, all = all_traffic(report, kind->shared);
    char cause[400];
    const char *help;
    if (waste < LEAST_WASTE || waste < ratio_of(all, LEAST_SHARE) ||
        (double)loss->cost < LEAST_RATIO * (double)loss->ideal ||
        (!kind->shared && is_unavoidable(report, loss, sample)))
        return;
    if (kind->shared) {
        shape_describe_shared(cause, sizeof cause, &sample->access, kind->verb);
        help = shape_help_shared(&sample->access);
    } else {
        shape_describe_global(cause, sizeof cause, &sample->access, kind->verb);
        tell_structures(report, loss, cause, sizeof cause);
        help = sample->kind < OBS_ATOMIC ? shape_help_global(&sample->access) : NULL;
    }
    add_finding(report, loss, sample, cause, help);
}

static void report_redundant_loads(const struct report *report, const struct loss *loss)
{
    char cause[100];
    uint64_t all = 0, fresh = loss->requests - loss->again;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        all += kinds[i].shared ? 0 : report->totals.value[kinds[i].requests];
    if (loss->again < LEAST_WASTE || loss->again < ratio_of(all, 2 * LEAST_SHARE))
        return;
    snprintf(cause, sizeof cause, "a warp loads the same words %" PRIu64 " times",
             loss->requests / (fresh ? fresh : 1));
    add_finding(report, loss, NULL, cause, NULL);
}

static void report_traffic(struct report *report)
{
    for (uint32_t pc = 0; pc < report->launch->code_count; pc++) {
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
            add_traffic(report, &kinds[i], pc);
        if (report->counters[pc].value[EMU_global_load_requests])
            add_again(report, pc);
    }
    for (uint32_t i = 0; i < report->count; i++) {
        if (strcmp(report->list[i].id, "redundant-load") == 0)
            report_redundant_loads(report, &report->list[i]);
        else
            report_access_loss(report, &report->list[i]);
    }
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
    uint64_t share = ratio_of(report->totals.value[EMU_warp_instructions], LEAST_SHARE);
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
    add_finding(report, loss, NULL, cause, advice_for_branch(loss));
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
    add_finding(report, &loss, NULL, cause, NULL);
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
    add_finding(report, &loss, NULL, cause, helps[o->limit]);
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
        report_traffic(&report);
        if (!report_serial(&report))
            report_branches(&report);
        report_occupancy(&report);
    }
    free(report.loads);
    free(report.expenses);
    free(report.list);
}
