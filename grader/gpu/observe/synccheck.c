/* The synccheck observer reports deadlocks, misuse of barriers, and misuse of operations that take
 * a mask of lanes, such as shuffles.
 *
 * The emulator detects these faults: those of barriers in cta.c, those of masks in control.c. The
 * CUDA programming guide has this rule for a mask: it must contain every lane that makes the call,
 * and each lane in the mask must make the call or have exited. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/lanes.h"
#include "gpu/observe/describe.h"

static const char *const fault_ids[] = {
    [OBS_DIVERGENT_BARRIER] = "divergent-barrier",
    [OBS_BAD_BARRIER] = "bad-barrier",
    [OBS_WARP_MASK] = "bad-warp-mask",
    [OBS_ABSENT_LANE] = "bad-warp-mask",
    [OBS_DEADLOCK] = "deadlock",
    [OBS_POLLS_FOREVER] = "deadlock",
    [OBS_POLLS_HOST] = "deadlock",
    [OBS_CLUSTER_ARRIVES_TWICE] = "bad-cluster-barrier",
    [OBS_CLUSTER_WAITS_ONLY] = "bad-cluster-barrier",
};

bool obs_is_synccheck(unsigned kind)
{
    return kind < sizeof fault_ids / sizeof *fault_ids && fault_ids[kind];
}

static void *synccheck_begin(const struct launch_view *launch)
{
    (void)launch;
    /* synccheck has no state, but begin() may return NULL only when out of memory */
    return malloc(1);
}

static void print_mask(char *text, size_t size, const struct obs_fault *fault, uint32_t lane,
                       const char *thread)
{
    if (fault->other == lane)
        snprintf(text, size,
                 "%s passes mask 0x%08" PRIx32 ", which leaves out its own lane %" PRIu32, thread,
                 fault->mask, lane);
    else
        snprintf(text, size,
                 "%s passes mask 0x%08" PRIx32 ", but lane %" PRIu32
                 " of this mask does not make the call",
                 thread, fault->mask, fault->other);
}

/* Describes a shuffle that reads the value of a lane that does not take part in the shuffle. */
static void print_absent(char *text, size_t size, const struct obs_fault *fault, const char *thread)
{
    bool is_named = fault->mask >> fault->other & 1;
    if (is_named)
        snprintf(text, size,
                 "%s reads the value of lane %" PRIu32 ", which does not make this call", thread,
                 fault->other);
    else
        snprintf(text, size, "%s reads lane %" PRIu32 ", which is not in its mask 0x%08" PRIx32,
                 thread, fault->other, fault->mask);
}

static const char *awaited(uint8_t kind)
{
    return kind == OBS_DEADLOCK     ? "threads that never arrive"
           : kind == OBS_POLLS_HOST ? "main(), which waits for the kernel"
                                    : "a value that no thread writes";
}

static void print_fault(char *text, size_t size, const struct launch_view *launch,
                        const struct obs_fault *fault)
{
    const uint32_t *block = launch->request->block;
    uint32_t linear =
        (fault->thread[2] * block[1] + fault->thread[1]) * block[0] + fault->thread[0];
    int others = __builtin_popcount(fault->mask) - 1;
    char thread[96], more[32] = "";
    describe_fault_thread(thread, sizeof thread, launch, fault);
    if (others > 0)
        snprintf(more, sizeof more, " and %d more in its warp", others);
    switch (fault->kind) {
    case OBS_DIVERGENT_BARRIER:
        snprintf(text, size, "only part of a warp reaches this barrier: %s%s", thread, more);
        break;
    case OBS_BAD_BARRIER:
        snprintf(text, size, "this barrier does not exist: a block has barriers 0 to %u; %s",
                 BARRIERS - 1, thread);
        break;
    case OBS_CLUSTER_ARRIVES_TWICE:
        snprintf(text, size, "%s arrives at the cluster's barrier twice without waiting in between",
                 thread);
        break;
    case OBS_CLUSTER_WAITS_ONLY:
        snprintf(text, size, "%s waits at the cluster's barrier without having arrived", thread);
        break;
    case OBS_ABSENT_LANE:
        print_absent(text, size, fault, thread);
        break;
    case OBS_WARP_MASK:
        print_mask(text, size, fault, linear % WARP, thread);
        break;
    default:
        snprintf(text, size, "deadlock: %s%s %s here for %s", thread, more,
                 others > 0 ? "wait" : "waits", awaited(fault->kind));
        break;
    }
}

static void synccheck_fault(void *state, const struct launch_view *launch,
                            const struct obs_fault *fault)
{
    (void)state;
    if (!obs_is_synccheck(fault->kind))
        return;
    struct finding *finding = findings_add(launch->findings, fault_ids[fault->kind], fault->pc);
    if (finding && fault->kind == OBS_ABSENT_LANE)
        finding->help =
            "a lane whose value is read must call the shuffle, too: call it with all 32 lanes, "
            "outside of any if, &&, || and ?:, and before any return; or use offsets that reach "
            "only calling lanes";
    if (finding && fault->kind == OBS_POLLS_HOST)
        finding->help = "let main() write the value before it waits for the kernel, as in "
                        "cudaDeviceSynchronize() or cudaMemcpy()";
    if (finding)
        print_fault(finding->message, sizeof finding->message, launch, fault);
    findings_unlock(launch->findings);
}

static void synccheck_join(void *into, void *state)
{
    (void)into;
    free(state);
}

static void synccheck_end(void *state, const struct launch_view *launch,
                          struct emu_counters *per_instruction)
{
    (void)launch;
    (void)per_instruction;
    free(state);
}

const struct observer obs_synccheck = {
    .name = "synccheck",
    .events = OBS_FAULT,
    .begin = synccheck_begin,
    .fault = synccheck_fault,
    .join = synccheck_join,
    .end = synccheck_end,
};
