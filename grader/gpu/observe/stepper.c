/* The stepper records one block, step by step. stepper.h describes the recording.
 *
 *   access, fault events ──> kept until the instruction ends
 *   state event          ──> compare the machine with the model, write one record
 *
 * All other blocks run at full speed: the stepper does not want their events. */
#include "gpu/observe/stepper.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/observe/step_write.h"

#define MOST_STEPS    200000u
#define MOST_BYTES    ((size_t)24 << 20)
#define MOST_ACCESSES 64u /* of one instruction: generic addresses can make several */
#define MOST_FAULTS   32u

/* What the next record's parts can be left out against, for each warp. */
struct progress {
    uint32_t pc, lanes;
    struct obs_group groups[WARP];
    unsigned group_count;
    uint32_t barrier; /* pc of the barrier at which it waits, if the barrier has a result */
};

/* The cost of an instruction's latest access. Accesses whose addresses differ by a multiple of
 * COST_REPEATS bytes cost the same. */
#define COST_REPEATS 128u
struct measured {
    uint64_t addr[WARP];
    uint32_t mask, cost, ideal;
    uint8_t space, bytes;
};

struct state {
    const struct launch_view *launch;
    const struct emu_steps *wanted;
    struct obs_steps *steps; /* NULL: the block runs elsewhere, or later */
    struct step_model model;
    struct step_buffer out, extras, body, results;
    struct progress progress[MAX_WARPS];
    struct obs_access accesses[MOST_ACCESSES];
    uint32_t access_count, fault_count;
    struct obs_fault faults[MOST_FAULTS];
    uint64_t (*patterns)[WARP]; /* for each pc: the address differences of its latest access */
    struct measured *measured;  /* for each pc */
    uint64_t seen;              /* instructions so far */
    uint32_t warp;              /* of the latest record */
    bool sweeps;                /* other CTAs may have changed shared memory */
};

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
    struct state *state = aligned_alloc(_Alignof(struct state), sizeof *state);
    if (!state)
        return NULL;
    memset(state, 0, sizeof *state);
    state->launch = launch;
    state->wanted = launch->options->steps;
    return state;
}

static void stepper_free_state(struct state *state)
{
    stepper_free(state->steps);
    step_model_close(&state->model);
    free(state->out.bytes);
    free(state->extras.bytes);
    free(state->body.bytes);
    free(state->results.bytes);
    free(state->patterns);
    free(state->measured);
    free(state);
}

static bool open_steps(struct state *state, uint64_t cta)
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
    struct state *state = argument;
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

static void stepper_ended(void *argument, uint64_t cta, uint64_t instructions)
{
    struct state *state = argument;
    if (state->steps && state->steps->cta == cta)
        state->steps->executed = instructions;
}

static void stepper_join(void *into, void *argument)
{
    struct state *total = into, *state = argument;
    if (!total->steps) {
        total->steps = state->steps;
        total->out = state->out;
        state->steps = NULL;
        state->out = (struct step_buffer){0};
    }
    stepper_free_state(state);
}

static void stepper_end(void *argument, const struct launch_view *launch,
                        struct emu_counters *per_instruction)
{
    struct state *state = argument;
    (void)per_instruction;
    if (state->steps) {
        state->steps->bytes = state->out.bytes;
        state->steps->size = state->out.size;
        state->out = (struct step_buffer){0};
        launch->recording->steps = state->steps;
        state->steps = NULL;
    }
    stepper_free_state(state);
}

/* --- events of the current instruction -------------------------------------------------------- */

static bool is_here(const struct state *state, uint64_t cta)
{
    return state->steps && state->steps->cta == cta && !state->steps->is_cut;
}

static void stepper_access(void *argument, const struct obs_access *access)
{
    struct state *state = argument;
    if (is_here(state, access->cta) && state->access_count < MOST_ACCESSES)
        state->accesses[state->access_count++] = *access;
}

static enum obs_answer stepper_repeat(void *argument, const struct obs_repeat *repeat)
{
    const struct state *state = argument;
    return repeat->times == 1 && is_here(state, repeat->cta) ? OBS_FULL : OBS_COUNT_ONLY;
}

static void stepper_fault(void *argument, const struct launch_view *launch,
                          const struct obs_fault *fault)
{
    struct state *state = argument;
    const uint32_t *grid = launch->request->grid;
    uint64_t cta =
        fault->cta[0] + (uint64_t)grid[0] * (fault->cta[1] + (uint64_t)grid[1] * fault->cta[2]);
    if (is_here(state, cta) && state->fault_count < MOST_FAULTS)
        state->faults[state->fault_count++] = *fault;
}

static void stepper_order(void *argument, const struct obs_order *order)
{
    struct state *state = argument;
    if (order->kind == OBS_CTA_RUNS && state->launch->cluster_size > 1)
        state->sweeps = true;
}

/* --- accesses --------------------------------------------------------------------------------- */

enum address_form {
    ADDRESS_PREDICTED,
    ADDRESS_UNIFORM,
    ADDRESS_AFFINE,
    ADDRESS_PATTERN,
    ADDRESS_RAW
};

/* Whether the addresses are those of the instruction's register and offset. */
static bool is_predicted(const struct state *state, const struct step_code *code,
                         const struct obs_access *access, uint32_t warp)
{
    if (code->address == STEP_NONE)
        return false;
    uint32_t width = state->steps->widths[code->address];
    const uint32_t *words = step_register(&state->model, warp, code->address);
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t value = words[l] | (width == 8 ? (uint64_t)words[WARP + l] << 32 : 0);
        value += (uint64_t)code->offset;
        if (access->addr[l] != (width == 8 ? value : (uint32_t)value))
            return false;
    }
    return true;
}

/* The form of the addresses. FIRST and STRIDE are set for the forms that need them. */
static unsigned form_of(struct state *state, const struct step_code *code,
                        const struct obs_access *access, uint64_t *first, int64_t *stride)
{
    unsigned low = (unsigned)__builtin_ctz(access->mask);
    unsigned high = 31 - (unsigned)__builtin_clz(access->mask);
    const uint64_t *addr = access->addr, *pattern = state->patterns[access->pc];
    int64_t apart = (int64_t)(addr[high] - addr[low]);
    bool affine = high == low || apart % (high - low) == 0, repeats = true;
    *first = addr[low];
    *stride = high > low ? apart / (int64_t)(high - low) : 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        affine &= addr[l] == *first + (uint64_t)((int64_t)(l - low) * *stride);
        repeats &= addr[l] - *first == pattern[l] - pattern[low];
    }
    return is_predicted(state, code, access, access->warp) ? ADDRESS_PREDICTED
           : affine && !*stride                            ? ADDRESS_UNIFORM
           : affine                                        ? ADDRESS_AFFINE
           : repeats                                       ? ADDRESS_PATTERN
                                                           : ADDRESS_RAW;
}

static unsigned space_code(uint8_t space)
{
    return space == PTX_GLOBAL    ? 0
           : space == PTX_SHARED  ? 1
           : space == PTX_LOCAL   ? 2
           : space == PTX_CONST   ? 3
           : space == PTX_CLUSTER ? 4
                                  : 5;
}

/* The access's cost in sectors or wavefronts, and the ideal cost. */
static const struct measured *measure(struct state *state, const struct obs_access *access)
{
    struct measured *m = &state->measured[access->pc];
    uint64_t apart = access->addr[0] - m->addr[0], differs = apart % COST_REPEATS;
    for (unsigned l = 0; l < WARP; l++)
        differs |= access->addr[l] - m->addr[l] - apart;
    if (!differs && m->mask == access->mask && m->space == access->space &&
        m->bytes == access->bytes)
        return m;
    *m = (struct measured){.mask = access->mask, .space = access->space, .bytes = access->bytes};
    memcpy(m->addr, access->addr, sizeof m->addr);
    if (access->space == PTX_GLOBAL || (access->space == PTX_SHARED && access->kind <= OBS_STORE))
        obs_measure(access, &m->cost, &m->ideal);
    return m;
}

/* Writes an access: a byte (form of the addresses, 8: a word with the lanes follows, 16 * space),
 * the lanes, bytes of a lane, kind, the addresses, its cost and the ideal cost. */
static void put_access(struct state *state, struct step_buffer *to, const struct step_code *code,
                       const struct obs_access *access, uint32_t active)
{
    uint64_t first;
    int64_t stride;
    unsigned form = form_of(state, code, access, &first, &stride);
    step_put_byte(to, form | (access->mask != active ? 8 : 0) | space_code(access->space) << 4);
    if (access->mask != active)
        step_put_word(to, access->mask);
    step_put_byte(to, access->bytes);
    step_put_byte(to, access->kind);
    if (form != ADDRESS_PREDICTED)
        step_put_number(to, first);
    if (form == ADDRESS_AFFINE)
        step_put_signed(to, stride);
    uint64_t last = first;
    for (uint32_t left = access->mask & (access->mask - 1); left && form == ADDRESS_RAW;
         left &= left - 1) {
        uint64_t addr = access->addr[__builtin_ctz(left)];
        step_put_signed(to, (int64_t)(addr - last));
        last = addr;
    }
    for (unsigned l = 0; l < WARP && form == ADDRESS_RAW; l++)
        state->patterns[access->pc][l] = access->mask >> l & 1 ? access->addr[l] : first;
    const struct measured *m = measure(state, access);
    step_put_number(to, m->cost);
    step_put_number(to, m->ideal);
}

/* --- memory ----------------------------------------------------------------------------------- */

static bool is_modelled(const struct obs_access *access)
{
    return access->space == PTX_SHARED || access->space == PTX_GLOBAL || access->space == PTX_CONST;
}

/* The machine's word at ADDR. False: nothing is allocated there. */
static bool read_word(const struct state *state, const struct obs_state *now, bool shared,
                      uint64_t addr, uint32_t *word)
{
    const uint8_t *bytes = NULL;
    if (!shared)
        bytes = mem_range(state->launch->memory, addr, 4);
    else if (addr + 4 <= state->launch->shared_bytes)
        bytes = view_shared(now->machine) + addr;
    if (bytes)
        memcpy(word, bytes, sizeof *word);
    return bytes;
}

/* Adds an extra if the machine's word at ADDR is not the model's. */
static void check_word(struct state *state, const struct obs_state *now, bool shared, uint64_t addr)
{
    uint32_t word;
    if (!read_word(state, now, shared, addr, &word) ||
        word == step_word(&state->model, shared, addr))
        return;
    step_put_byte(&state->extras, STEP_MEMORY);
    step_put_byte(&state->extras, shared);
    step_put_number(&state->extras, 1);
    step_put_number(&state->extras, addr);
    step_put_word(&state->extras, word);
    step_set_word(&state->model, shared, addr, word);
}

/* Adds extras for all shared memory that differs from the model. */
static void sweep_shared(struct state *state, const struct obs_state *now)
{
    const uint8_t *shared = view_shared(now->machine);
    size_t whole = (size_t)state->launch->shared_bytes & ~(size_t)3;
    if (memcmp(shared, state->model.shared, whole) == 0)
        return;
    for (uint64_t at = 0; at < whole; at += 4) {
        uint64_t end = at;
        while (end < whole && memcmp(shared + end, &state->model.shared[end / 4], 4) != 0)
            end += 4;
        if (end == at)
            continue;
        step_put_byte(&state->extras, STEP_MEMORY);
        step_put_byte(&state->extras, 1);
        step_put_number(&state->extras, (end - at) / 4);
        step_put_number(&state->extras, at);
        for (; at < end; at += 4) {
            memcpy(&state->model.shared[at / 4], shared + at, 4);
            step_put_word(&state->extras, state->model.shared[at / 4]);
        }
    }
}

/* Updates the model's memory as the reader does, then adds what the machine's memory has else. */
static void follow_stores(struct state *state, const struct obs_state *now,
                          const struct step_code *code)
{
    for (uint32_t i = 0; i < state->access_count; i++) {
        const struct obs_access *access = &state->accesses[i];
        bool shared = access->space == PTX_SHARED;
        /* a load of a part of a word leaves the model without the word's other bytes */
        bool is_part = code->is_load && code->element < 4;
        if (!is_modelled(access) || (access->kind == OBS_LOAD && !is_part) || code->sweeps)
            continue;
        for (uint32_t left = code->is_store ? access->mask : 0; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            step_store_lane(&state->model, code, now->warp, l, shared, access->addr[l]);
        }
        for (uint32_t left = access->mask; left; left &= left - 1) {
            uint64_t addr = access->addr[__builtin_ctz(left)], word = addr & ~(uint64_t)3;
            for (; word < addr + access->bytes; word += 4)
                check_word(state, now, shared, word);
        }
    }
}

/* The values that a load has read, and the model did not know, become the model's. */
static void learn(struct state *state, const struct step_code *code, unsigned k, uint32_t width,
                  uint32_t mask, const uint32_t *words)
{
    const struct obs_access *access = &state->accesses[0];
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        step_store(&state->model, access->space == PTX_SHARED,
                   access->addr[l] + (uint64_t)k * code->element, code->element, words[l],
                   width == 8 ? words[WARP + l] : 0);
    }
}

/* --- registers -------------------------------------------------------------------------------- */

static bool same_values(const uint32_t *a, const uint32_t *b, uint32_t width, uint32_t mask)
{
    unsigned count = width <= 4 ? 1 : width / 4;
    uint32_t differs = 0;
    for (unsigned k = 0; k < count; k++)
        for (unsigned l = 0; l < WARP; l++)
            differs |= (uint32_t)(a[k * WARP + l] != b[k * WARP + l]) << l;
    return !(differs & mask);
}

static void keep_values(uint32_t *into, const uint32_t *words, uint32_t width, uint32_t mask)
{
    unsigned count = width <= 4 ? 1 : width / 4;
    if (!width)
        *into = (*into & ~mask) | (*words & mask);
    for (unsigned k = 0; k < count && width; k++)
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            into[k * WARP + l] = words[k * WARP + l];
        }
}

/* Writes the values of the registers that the instruction wrote. Returns whether any was not
 * predicted. Predictions use the registers before the instruction. */
static bool put_results(struct state *state, const struct obs_state *now,
                        const struct step_code *code, struct step_buffer *to)
{
    static _Thread_local uint32_t actual[STEP_DESTS][STEP_WORDS];
    const struct obs_access *access = &state->accesses[0];
    bool is_simple = code->op != STEP_LOAD || (state->access_count == 1 && is_modelled(access) &&
                                               access->mask == now->active);
    bool shared = access->space == PTX_SHARED, any = false;
    for (unsigned k = 0; k < code->dest_count && now->active; k++) {
        uint32_t width = state->steps->widths[code->dest[k]], want[STEP_WORDS] = {0};
        step_copy_register(
            view_register(now->machine, now->warp, now->frame, code->dest[k] - code->base), width,
            actual[k]);
        bool good = is_simple &&
                    step_predict(&state->model, code, now->warp, k, width, now->active, shared,
                                 access->addr, want) &&
                    same_values(want, actual[k], width, now->active);
        if (good)
            step_put_byte(to, STEP_PREDICTED);
        else
            step_put_values(to, actual[k], width, now->active);
        any |= !good;
        if (!good && code->is_load && is_simple)
            learn(state, code, k, width, now->active, actual[k]);
    }
    for (unsigned k = 0; k < code->dest_count && now->active; k++)
        keep_values(step_register(&state->model, now->warp, code->dest[k]), actual[k],
                    state->steps->widths[code->dest[k]], now->active);
    return any;
}

/* Adds an extra if register REG of the frame is not the model's. */
static void check_register(struct state *state, const struct obs_state *now, uint32_t warp,
                           const struct frame *frame, uint32_t base, uint32_t reg, uint32_t lanes)
{
    uint32_t words[STEP_WORDS], width = state->steps->widths[base + reg];
    uint32_t *model = step_register(&state->model, warp, base + reg);
    step_copy_register(view_register(now->machine, warp, frame, reg), width, words);
    if (width ? same_values(words, model, width, lanes) : !((*words ^ *model) & lanes))
        return;
    step_put_byte(&state->extras, STEP_REGISTER);
    step_put_number(&state->extras, warp);
    step_put_number(&state->extras, base + reg);
    step_put_word(&state->extras, lanes);
    step_put_values(&state->extras, words, width, lanes);
    keep_values(model, words, width, lanes);
}

/* After a call or a return, the lanes have other registers. */
static void check_frames(struct state *state, const struct obs_state *now,
                         const struct obs_group *groups, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t lanes = groups[i].lanes & now->active, first, end, index;
        if (!lanes)
            continue;
        uint32_t number = view_frame_function(state->launch, groups[i].frame);
        view_range(state->launch, number, &first, &end);
        const struct ptx_function *f = view_function(state->launch, first, &index);
        for (uint32_t reg = 0; reg < f->register_count; reg++)
            check_register(state, now, now->warp, groups[i].frame, state->steps->code[first].base,
                           reg, lanes);
    }
}

/* --- records ---------------------------------------------------------------------------------- */

static void put_groups(struct step_buffer *to, const struct obs_group *groups, unsigned count)
{
    step_put_number(to, count);
    for (unsigned i = 0; i < count; i++) {
        step_put_word(to, groups[i].lanes);
        step_put_number(to, groups[i].pc);
        step_put_byte(to, groups[i].standing);
    }
}

static bool same_groups(const struct obs_group *a, const struct obs_group *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (a[i].lanes != b[i].lanes || a[i].pc != b[i].pc || a[i].standing != b[i].standing)
            return false;
    return true;
}

/* Moves the group that ran to the next pc, as the reader does if a record has no groups. */
static void advance(struct progress *progress, const struct obs_state *now)
{
    if (!progress->group_count) {
        progress->groups[0] = (struct obs_group){now->lanes, now->pc, OBS_READY, NULL};
        progress->group_count = 1;
    }
    for (unsigned i = 0; i < progress->group_count; i++)
        if (progress->groups[i].pc == now->pc && progress->groups[i].lanes == now->lanes) {
            progress->groups[i].pc++;
            progress->groups[i].standing = OBS_READY;
        }
}

static void put_faults(struct state *state)
{
    for (uint32_t i = 0; i < state->fault_count; i++) {
        const struct obs_fault *fault = &state->faults[i];
        const uint32_t *block = state->launch->request->block;
        uint32_t thread =
            fault->thread[0] + block[0] * (fault->thread[1] + block[1] * fault->thread[2]);
        step_put_byte(&state->extras, STEP_FAULT);
        step_put_byte(&state->extras, fault->kind);
        step_put_number(&state->extras, thread % WARP);
        step_put_number(&state->extras, fault->addr < (uint64_t)1 << 53 ? fault->addr : 0);
    }
    state->fault_count = 0;
}

static void mark(struct state *state)
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
        steps->marks[steps->mark_count++] = state->out.size;
    }
    steps->steps++;
}

/* Writes the record of an instruction, whose parts are in BODY and EXTRAS. */
static void put_record(struct state *state, const struct obs_state *now, unsigned parts,
                       const struct step_buffer *body, const struct obs_group *groups,
                       unsigned count)
{
    struct progress *progress = &state->progress[now->warp];
    parts |= now->warp != state->warp ? STEP_WARP : 0;
    parts |= now->pc != progress->pc + 1 ? STEP_PC : 0;
    parts |= now->lanes != progress->lanes ? STEP_LANES : 0;
    parts |= now->active != now->lanes ? STEP_ACTIVE : 0;
    parts |= state->extras.size ? STEP_EXTRAS : 0;
    advance(progress, now);
    if (count != progress->group_count || !same_groups(groups, progress->groups, count))
        parts |= STEP_GROUPS;
    struct step_buffer *to = &state->out;
    step_put_byte(to, parts);
    if (parts & STEP_WARP)
        step_put_number(to, now->warp);
    if (parts & STEP_PC)
        step_put_signed(to, (int64_t)now->pc - (int64_t)(progress->pc + 1));
    if (parts & STEP_LANES)
        step_put_word(to, now->lanes);
    if (parts & STEP_ACTIVE)
        step_put_word(to, now->active);
    step_put_bytes(to, body);
    if (parts & STEP_EXTRAS) {
        step_put_bytes(to, &state->extras);
        step_put_byte(to, STEP_END);
    }
    if (parts & STEP_GROUPS)
        put_groups(to, groups, count);
    memcpy(progress->groups, groups, count * sizeof *groups);
    progress->group_count = count;
    progress->pc = now->pc;
    progress->lanes = now->lanes;
    state->warp = now->warp;
}

static void record_instruction(struct state *state, const struct obs_state *now)
{
    const struct step_code *code = &state->steps->code[now->pc];
    struct step_buffer *body = &state->body, *results = &state->results;
    struct obs_group groups[WARP];
    unsigned count = view_groups(now->machine, now->warp, groups), parts = 0;
    state->extras.size = body->size = results->size = 0;
    if (state->access_count) {
        parts |= STEP_ACCESSES;
        step_put_number(body, state->access_count);
        for (uint32_t i = 0; i < state->access_count; i++)
            put_access(state, body, code, &state->accesses[i], now->active);
    }
    if (put_results(state, now, code, results)) {
        parts |= STEP_VALUES;
        step_put_bytes(body, results);
    }
    follow_stores(state, now, code);
    if (code->sweeps || state->sweeps || state->steps->steps == 1)
        sweep_shared(state, now);
    state->sweeps = false;
    if (code->is_call)
        check_frames(state, now, groups, count);
    if (code->is_barrier)
        state->progress[now->warp].barrier = code->dest_count ? now->pc : NO_PC;
    put_faults(state);
    put_record(state, now, parts, body, groups, count);
    state->out.failed |= body->failed || results->failed;
}

/* The results of a barrier with a reduction are written when it opens. */
static void check_votes(struct state *state, const struct obs_state *now, uint32_t warp,
                        const struct obs_group *groups, unsigned count)
{
    uint32_t pc = state->progress[warp].barrier;
    if (pc == NO_PC)
        return;
    const struct step_code *code = &state->steps->code[pc];
    for (unsigned i = 0; i < count; i++)
        if (groups[i].pc == pc + 1)
            check_register(state, now, warp, groups[i].frame, code->base,
                           code->dest[0] - code->base, groups[i].lanes);
    state->progress[warp].barrier = NO_PC;
}

static void record_opening(struct state *state, const struct obs_state *now)
{
    struct step_buffer body = {0};
    struct obs_group groups[WARP];
    uint32_t warps = 0;
    state->extras.size = 0;
    for (uint32_t w = 0; w < state->launch->warps; w++) {
        struct progress *progress = &state->progress[w];
        unsigned count = view_groups(now->machine, w, groups);
        if (count == progress->group_count && same_groups(groups, progress->groups, count))
            continue;
        warps |= 1u << w;
        put_groups(&body, groups, count);
        memcpy(progress->groups, groups, count * sizeof *groups);
        progress->group_count = count;
        check_votes(state, now, w, groups, count);
    }
    struct step_buffer *to = &state->out;
    step_put_byte(to, STEP_WARP | (state->extras.size ? STEP_EXTRAS : 0));
    step_put_number(to, STEP_OPENED);
    step_put_word(to, warps);
    step_put_bytes(to, &body);
    if (state->extras.size) {
        step_put_bytes(to, &state->extras);
        step_put_byte(to, STEP_END);
    }
    state->out.failed |= body.failed;
    free(body.bytes);
}

static void dump_if_wanted(struct state *state, const struct obs_state *now)
{
    const struct emu_steps *wanted = state->wanted;
    uint64_t step = state->steps->steps - 1;
    for (uint32_t i = 0; i < wanted->dump_count; i++)
        if (wanted->dump[i] == step)
            step_dump(wanted->dump_fd, state->launch, now, step,
                      state->access_count ? &state->accesses[0] : NULL);
}

static void stepper_state(void *argument, const struct obs_state *now)
{
    struct state *state = argument;
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
        record_opening(state, now);
    else
        record_instruction(state, now);
    dump_if_wanted(state, now);
    state->access_count = 0;
    if (state->out.failed || state->extras.failed || state->model.failed ||
        state->out.size > MOST_BYTES || state->steps->steps == MOST_STEPS)
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
