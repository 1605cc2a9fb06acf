/* Reports the losses of accesses to memory: waste, and words that a warp loads again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/observe/losses_parts.h"

/* Thresholds: smaller losses are not reported, as in losses.c. */
#define LEAST_WASTE 8   /* sectors or wavefronts */
#define LEAST_RATIO 1.2 /* ratio of cost to ideal */
/* two accesses with fewer bytes between them count as accesses to the same array */
#define SAME_ARRAY      (1ull << 16)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

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
    if (waste < LEAST_WASTE || waste < loss_ratio_of(all, LEAST_SHARE) ||
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
    loss_add_finding(report, loss, sample, cause, help);
}

static void report_redundant_loads(const struct report *report, const struct loss *loss)
{
    char cause[100];
    uint64_t all = 0, fresh = loss->requests - loss->again;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        all += kinds[i].shared ? 0 : report->totals.value[kinds[i].requests];
    if (loss->again < LEAST_WASTE || loss->again < loss_ratio_of(all, 2 * LEAST_SHARE))
        return;
    snprintf(cause, sizeof cause, "a warp loads the same words %" PRIu64 " times",
             loss->requests / (fresh ? fresh : 1));
    loss_add_finding(report, loss, NULL, cause, NULL);
}

void losses_report_traffic(struct report *report)
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
