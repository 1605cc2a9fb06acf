#include "gpu/record/repeats.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/predict/predict.h"

/* Maximum number of findings of a launch that may repeat. The reader of the record adds up the
 * findings again for each repetition, so this limit keeps the reader fast. */
#define MOST_FINDINGS 16u
/* maximum number of instructions of a launch that may repeat; their counters are copied and
 * compared */
#define MOST_CODE (1u << 14)

/* The values that determine a launch's line in the record. */
struct repeated {
    uint64_t id;
    uint64_t prediction; /* its number, see struct prediction; 0 if there is none */
    const struct ptx_function *function;
    uint32_t grid[3], block[3], dynamic_shared_bytes, code_count, finding_count;
    uint64_t constants;
    struct emu_counters totals;
    const char *watched;
    struct finding *findings;
    struct emu_counters *per_instruction; /* NULL if the launch was not counted */
};

static const struct prediction *prediction_of(const struct launch_view *launch)
{
    return launch->predictor ? predictor_result(launch->predictor) : NULL;
}

/* Returns whether another launch could have the same line in the record. This is not possible for a
 * launch with errors, because their messages contain addresses and threads. Launches that cannot be
 * predicted are not compared. */
static bool may_repeat(const struct launch_view *launch, const struct record_result *result)
{
    const struct prediction *p = prediction_of(launch);
    if (result->status != EMU_OK || (p && !p->number) || launch->recording->count ||
        launch->code_count > MOST_CODE || launch->findings->count > MOST_FINDINGS)
        return false;
    for (uint32_t i = 0; i < launch->findings->count; i++)
        if (!launch->findings->list[i].cost)
            return false;
    return true;
}

static bool is_same(const struct repeated *old, const struct launch_view *launch,
                    const struct record_result *result)
{
    const struct emu_launch *request = launch->request;
    const struct findings *findings = launch->findings;
    const struct prediction *p = prediction_of(launch);
    return (!p || old->prediction == p->number) && old->function == launch->function &&
           memcmp(old->grid, request->grid, sizeof old->grid) == 0 &&
           memcmp(old->block, request->block, sizeof old->block) == 0 &&
           old->dynamic_shared_bytes == request->dynamic_shared_bytes &&
           old->constants == launch->memory->constants &&
           memcmp(&old->totals, result->totals, sizeof old->totals) == 0 &&
           old->watched == result->watched && old->finding_count == findings->count &&
           (!findings->count ||
            memcmp(old->findings, findings->list, findings->count * sizeof *old->findings) == 0) &&
           !old->per_instruction == !result->per_instruction &&
           (!old->per_instruction || memcmp(old->per_instruction, result->per_instruction,
                                            old->code_count * sizeof *old->per_instruction) == 0);
}

uint64_t repeats_find(const struct repeats *repeats, const struct launch_view *launch,
                      const struct record_result *result)
{
    if (may_repeat(launch, result))
        for (unsigned i = 0; i < REPEATS; i++)
            if (repeats->list[i] && is_same(repeats->list[i], launch, result))
                return repeats->list[i]->id;
    return 0;
}

static void forget(struct repeated *old)
{
    if (!old)
        return;
    free(old->findings);
    free(old->per_instruction);
    free(old);
}

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size);
    return copy ? memcpy(copy, bytes, size) : NULL;
}

uint64_t repeats_keep(struct repeats *repeats, const struct launch_view *launch,
                      const struct record_result *result)
{
    const struct emu_launch *request = launch->request;
    const struct findings *findings = launch->findings;
    struct repeated *one = may_repeat(launch, result) ? calloc(1, sizeof *one) : NULL;
    if (!one)
        return 0;
    one->prediction = prediction_of(launch) ? prediction_of(launch)->number : 0;
    one->function = launch->function;
    memcpy(one->grid, request->grid, sizeof one->grid);
    memcpy(one->block, request->block, sizeof one->block);
    one->dynamic_shared_bytes = request->dynamic_shared_bytes;
    one->constants = launch->memory->constants;
    one->code_count = launch->code_count;
    one->totals = *result->totals;
    one->watched = result->watched;
    one->finding_count = findings->count;
    if (findings->count)
        one->findings = copy_of(findings->list, findings->count * sizeof *findings->list);
    if (result->per_instruction)
        one->per_instruction =
            copy_of(result->per_instruction, launch->code_count * sizeof *one->per_instruction);
    if ((findings->count && !one->findings) || (result->per_instruction && !one->per_instruction)) {
        forget(one);
        return 0;
    }
    struct repeated **place = &repeats->list[repeats->count++ % REPEATS];
    one->id = (uint64_t)getpid() << 32 | (repeats->count & UINT32_MAX);
    forget(*place);
    *place = one;
    return one->id;
}

void repeats_clear(struct repeats *repeats)
{
    for (unsigned i = 0; i < REPEATS; i++) {
        forget(repeats->list[i]);
        repeats->list[i] = NULL;
    }
}
