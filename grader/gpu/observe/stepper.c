/* The stepper records one block, step by step. stepper.h describes the recording.
 *
 *   access, fault events ──> are kept until the instruction ends
 *   state event          ──> compares the emulator with the model and writes one record
 *
 * All other blocks run at full speed, because the stepper requests no events of them. */
#include <stdlib.h>
#include <string.h>

#include "gpu/observe/step_state.h"

#define MOST_STEPS 200000u
#define MOST_BYTES ((size_t)24 << 20)
/* --- beginning and end ------------------------------------------------------------------------ */

void stepper_free(struct obs_steps *steps)
{
    if (!steps)
        return;
    free(steps->code);
    free(steps->widths);
    free(steps->bytes);
    free(steps->marks);
    free(steps);
}

static void *stepper_begin(const struct launch_view *launch)
{
    struct step_state *state = aligned_alloc(_Alignof(struct step_state), sizeof *state);
    if (!state)
        return NULL;
    memset(state, 0, sizeof *state);
    state->launch = launch;
    state->wanted = launch->options->steps;
    return state;
}

static void stepper_free_state(struct step_state *state)
{
    stepper_free(state->steps);
    step_model_close(&state->model);
    free(state->stream.bytes);
    free(state->out.bytes);
    free(state->values.bytes);
    free(state->extras.bytes);
    free(state->body.bytes);
    free(state->results.bytes);
    free(state->patterns);
    free(state->measured);
    free(state);
}

static bool open_steps(struct step_state *state, uint64_t cta)
{
    struct obs_steps *steps = calloc(1, sizeof *steps);
    state->steps = steps;
    if (!steps)
        return false;
    steps->cta = cta;
    steps->code = step_describe(state->launch, &steps->widths, &steps->registers);
    state->patterns = calloc((size_t)state->launch->code_count + 1, sizeof *state->patterns);
    for (unsigned w = 0; w < MAX_WARPS; w++)
        state->progress[w] =
            (struct progress){.pc = UINT32_MAX, .lanes = ALL_LANES, .barrier = NO_PC};
    state->measured = calloc((size_t)state->launch->code_count + 1, sizeof *state->measured);
    return steps->code && state->patterns && state->measured &&
           step_model_open(&state->model, state->launch, steps->widths, steps->registers);
}

static bool stepper_follows(void *argument, uint64_t cta)
{
    struct step_state *state = argument;
    if (state->launch->number != state->wanted->launch || cta != state->wanted->block ||
        state->steps)
        return false;
    if (open_steps(state, cta))
        return true;
    stepper_free(state->steps);
    state->steps = NULL;
    return false;
}

static void stepper_step(void *argument, const struct obs_step *step)
{
    (void)argument, (void)step;
}

static void stepper_ended(void *argument, uint64_t cta, uint64_t instructions, uint64_t longest)
{
    struct step_state *state = argument;
    (void)longest;
    if (state->steps && state->steps->cta == cta)
        state->steps->executed = instructions;
}

/* Appends the last segment to the stream. */
static void close_piece(struct step_state *state)
{
    if (!state->out.size)
        return;
    step_put_number(&state->stream, state->out.size);
    step_put_bytes(&state->stream, &state->out);
    step_put_bytes(&state->stream, &state->values);
    state->out.size = state->values.size = 0;
}

static void stepper_join(void *into, void *argument)
{
    struct step_state *total = into, *state = argument;
    close_piece(state);
    if (!total->steps) {
        total->steps = state->steps;
        total->stream = state->stream;
        state->steps = NULL;
        state->stream = (struct step_buffer){0};
    }
    stepper_free_state(state);
}

static void stepper_end(void *argument, const struct launch_view *launch,
                        struct emu_counters *per_instruction)
{
    struct step_state *state = argument;
    (void)per_instruction;
    close_piece(state);
    if (state->steps) {
        state->steps->bytes = state->stream.bytes;
        state->steps->size = state->stream.size;
        state->stream = (struct step_buffer){0};
        launch->recording->steps = state->steps;
        state->steps = NULL;
    }
    stepper_free_state(state);
}

/* --- events of the current instruction -------------------------------------------------------- */

static bool is_here(const struct step_state *state, uint64_t cta)
{
    return state->steps && state->steps->cta == cta && !state->steps->is_cut;
}

static void stepper_access(void *argument, const struct obs_access *access)
{
    struct step_state *state = argument;
    if (!access->is_texture && is_here(state, access->cta) && state->access_count < MOST_ACCESSES)
        state->accesses[state->access_count++] = *access;
}

static enum obs_answer stepper_repeat(void *argument, const struct obs_repeat *repeat)
{
    const struct step_state *state = argument;
    return repeat->times == 1 && is_here(state, repeat->cta) ? OBS_FULL : OBS_COUNT_ONLY;
}

static void stepper_fault(void *argument, const struct launch_view *launch,
                          const struct obs_fault *fault)
{
    struct step_state *state = argument;
    const uint32_t *grid = launch->request->grid;
    uint64_t cta =
        fault->cta[0] + (uint64_t)grid[0] * (fault->cta[1] + (uint64_t)grid[1] * fault->cta[2]);
    if (is_here(state, cta) && state->fault_count < MOST_FAULTS)
        state->faults[state->fault_count++] = *fault;
}

static void stepper_order(void *argument, const struct obs_order *order)
{
    struct step_state *state = argument;
    if (order->kind == OBS_CTA_RUNS && state->launch->cluster_size > 1)
        state->sweeps = true;
}
/* --- records ---------------------------------------------------------------------------------- */

static void mark(struct step_state *state)
{
    struct obs_steps *steps = state->steps;
    if (steps->steps % STEP_MARK == 0) {
        if (steps->mark_count == steps->mark_room) {
            size_t room = 2 * steps->mark_room + 64;
            size_t *marks = realloc(steps->marks, room * sizeof *marks);
            if (!marks) {
                steps->is_cut = true;
                return;
            }
            steps->marks = marks;
            steps->mark_room = room;
        }
        close_piece(state);
        steps->marks[steps->mark_count++] = state->stream.size;
    }
    steps->steps++;
}

static void dump_if_wanted(struct step_state *state, const struct obs_state *now)
{
    const struct emu_steps *wanted = state->wanted;
    bool is_wanted = !wanted->dump_count;
    for (uint32_t i = 0; i < wanted->dump_count; i++)
        is_wanted |= wanted->dump[i] == state->steps->steps - 1;
    if (is_wanted && wanted->dump_fd >= 0)
        step_dump(state, now);
}

static void stepper_state(void *argument, const struct obs_state *now)
{
    struct step_state *state = argument;
    if (!is_here(state, now->cta))
        return;
    state->seen += !now->opened;
    if (state->seen <= state->wanted->from) {
        state->steps->left_out = state->seen;
        state->access_count = state->fault_count = 0;
        return;
    }
    mark(state);
    if (now->opened)
        step_record_opening(state, now);
    else
        step_record_instruction(state, now);
    dump_if_wanted(state, now);
    state->access_count = 0;
    size_t size = state->stream.size + state->out.size + state->values.size;
    if (state->stream.failed || state->out.failed || state->values.failed || state->extras.failed ||
        state->model.failed || size > MOST_BYTES || state->steps->steps == MOST_STEPS)
        state->steps->is_cut = true;
}

const struct observer obs_stepper = {
    .name = "stepper",
    .events = OBS_ACCESS | OBS_FAULT | OBS_ORDER | OBS_STEP,
    .begin = stepper_begin,
    .access = stepper_access,
    .repeat = stepper_repeat,
    .fault = stepper_fault,
    .order = stepper_order,
    .follows = stepper_follows,
    .step = stepper_step,
    .state = stepper_state,
    .ended = stepper_ended,
    .join = stepper_join,
    .end = stepper_end,
};
