/* Writes one record of a recording. Compares the emulator's state with the model, and writes the
 * values that the reader cannot compute from the model. */
#include <string.h>

#include "gpu/observe/step_state.h"

/* --- accesses --------------------------------------------------------------------------------- */

enum address_form {
    ADDRESS_PREDICTED,
    ADDRESS_UNIFORM,
    ADDRESS_AFFINE,
    ADDRESS_PATTERN,
    ADDRESS_RAW
};

/* Returns whether the address of each lane in MASK equals the lane's register plus OFFSET, compared
 * in the bits of CUT only. LOW and HIGH are the halves of the register. */
LANES_CLONES static bool add_up(const uint64_t *addr, const uint32_t *low, const uint32_t *high,
                                uint64_t offset, uint64_t cut, uint32_t mask)
{
    uint64_t differs = 0;
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t value = (low[l] | (uint64_t)high[l] << 32) + offset;
        differs |= (addr[l] ^ (value & cut)) & -(uint64_t)(mask >> l & 1);
    }
    return !differs;
}

/* Returns whether the reader can compute the addresses from the register and the offset in the
 * instruction's description. */
static bool is_predicted(const struct step_state *state, const struct step_code *code,
                         const struct obs_access *access, uint32_t warp)
{
    static const uint32_t zeros[WARP];
    if (code->address == STEP_NONE)
        return false;
    bool is_wide = state->steps->widths[code->address] == 8;
    const uint32_t *words = step_register(&state->model, warp, code->address);
    return add_up(access->addr, words, is_wide ? words + WARP : zeros, (uint64_t)code->offset,
                  is_wide ? UINT64_MAX : UINT32_MAX, access->mask);
}

/* Returns the form in which to write the addresses. Sets FIRST and STRIDE if the form needs
 * them. */
static unsigned form_of(struct step_state *state, const struct step_code *code,
                        const struct obs_access *access, uint64_t *first, int64_t *stride)
{
    unsigned low = (unsigned)__builtin_ctz(access->mask);
    *first = access->addr[low];
    if (is_predicted(state, code, access, access->warp))
        return ADDRESS_PREDICTED;
    unsigned high = 31 - (unsigned)__builtin_clz(access->mask);
    const uint64_t *addr = access->addr, *pattern = state->patterns[access->pc];
    int64_t apart = (int64_t)(addr[high] - addr[low]);
    bool affine = high == low || apart % (high - low) == 0, repeats = true;
    *stride = high > low ? apart / (int64_t)(high - low) : 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        affine &= addr[l] == *first + (uint64_t)((int64_t)(l - low) * *stride);
        repeats &= addr[l] - *first == pattern[l] - pattern[low];
    }
    return affine && !*stride ? ADDRESS_UNIFORM
           : affine           ? ADDRESS_AFFINE
           : repeats          ? ADDRESS_PATTERN
                              : ADDRESS_RAW;
}

unsigned step_space(uint8_t space)
{
    return space == PTX_GLOBAL    ? 0
           : space == PTX_SHARED  ? 1
           : space == PTX_LOCAL   ? 2
           : space == PTX_CONST   ? 3
           : space == PTX_CLUSTER ? 4
                                  : 5;
}

/* Returns whether the addresses A and B differ by the same number in every lane. */
LANES_CLONES static bool same_differences(const uint64_t *a, const uint64_t *b)
{
    uint64_t differs = 0;
    for (unsigned l = 0; l < WARP; l++)
        differs |= (a[l] - b[l]) ^ (a[0] - b[0]);
    return !differs;
}

/* Stores the access and its costs in M, unless they are still right. Returns whether costs, kind
 * and size are the same as before. */
static bool measure(struct measured *m, const struct obs_access *access)
{
    const uint32_t cost = m->cost, ideal = m->ideal;
    const bool is_alike = m->kind == access->kind && m->bytes == access->bytes;
    uint64_t apart = access->addr[0] - m->addr[0];
    if (is_alike && m->mask == access->mask && m->space == access->space &&
        apart % (access->space == PTX_SHARED ? BANK_BYTES : SECTOR_BYTES) == 0 &&
        same_differences(access->addr, m->addr))
        return true;
    *m = (struct measured){
        .mask = access->mask, .space = access->space, .kind = access->kind, .bytes = access->bytes};
    memcpy(m->addr, access->addr, sizeof m->addr);
    if (step_has_cost(access))
        obs_measure(access, &m->cost, &m->ideal);
    return is_alike && m->cost == cost && m->ideal == ideal;
}

/* Writes an access:
 *
 *   a byte            the form of the addresses, plus 8 if a mask of lanes follows, plus
 *                     16 * space, plus 128 if size, kind and costs are left out because they equal
 *                     those of this instruction's previous access
 *   lanes             a word
 *   size, kind        bytes that one lane accesses, and enum obs_access_kind; a byte each
 *   addresses         depend on the form
 *   cost, ideal cost  two numbers */
static void put_access(struct step_state *state, struct step_buffer *to,
                       const struct step_code *code, const struct obs_access *access,
                       uint32_t active)
{
    uint64_t first;
    int64_t stride;
    unsigned form = form_of(state, code, access, &first, &stride);
    struct measured *m = &state->measured[access->pc];
    bool is_alike = measure(m, access);
    step_put_byte(to, form | (access->mask != active ? 8 : 0) | step_space(access->space) << 4 |
                          (is_alike ? 128 : 0));
    if (access->mask != active)
        step_put_word(to, access->mask);
    if (!is_alike) {
        step_put_byte(to, access->bytes);
        step_put_byte(to, access->kind);
    }
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
    if (!is_alike) {
        step_put_number(to, m->cost);
        step_put_number(to, m->ideal);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static bool is_modelled(const struct obs_access *access)
{
    return access->space == PTX_SHARED || access->space == PTX_GLOBAL || access->space == PTX_CONST;
}

/* Reads the word at ADDR from the emulator's memory. BLOCK is the allocation that contains the
 * address of the access's first lane. Returns false if ADDR is not in an allocation. */
static bool read_word(const struct step_state *state, const struct obs_state *now, bool shared,
                      const struct mem_block *block, uint64_t addr, uint32_t *word)
{
    const uint8_t *bytes = NULL;
    if (!shared && block && block->host && addr >= block->addr &&
        addr + 4 <= block->addr + block->size)
        bytes = block->host + (addr - block->addr);
    else if (!shared)
        bytes = mem_range(state->launch->memory, addr, 4);
    else if (addr + 4 <= state->launch->shared_bytes)
        bytes = view_shared(now->machine) + addr;
    if (bytes)
        memcpy(word, bytes, sizeof *word);
    return bytes;
}

/* If the word at ADDR differs between the emulator and the model, writes it to the record as an
 * extra (enum step_extra) and corrects the model. */
static void check_word(struct step_state *state, const struct obs_state *now, bool shared,
                       const struct mem_block *block, uint64_t addr)
{
    uint32_t word;
    if (!read_word(state, now, shared, block, addr, &word) ||
        word == step_word(&state->model, shared, addr))
        return;
    step_put_byte(&state->extras, STEP_MEMORY);
    step_put_byte(&state->extras, shared);
    step_put_number(&state->extras, 1);
    step_put_number(&state->extras, addr);
    step_put_word(&state->extras, word);
    step_set_word(&state->model, shared, addr, word);
}

/* Writes each range of shared memory that differs from the model as an extra (enum step_extra). */
static void sweep_shared(struct step_state *state, const struct obs_state *now)
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

/* Applies stores to the model's memory, as the reader does. Then writes each word that still
 * differs from the emulator's as an extra (enum step_extra). */
static void follow_stores(struct step_state *state, const struct obs_state *now,
                          const struct step_code *code)
{
    for (uint32_t i = 0; i < state->access_count; i++) {
        const struct obs_access *access = &state->accesses[i];
        bool shared = access->space == PTX_SHARED;
        /* learn() has handled loads of whole words; sweep_shared() will handle all of shared memory
         * if the instruction sweeps */
        bool is_learned = access->kind == OBS_LOAD && code->is_load && code->element >= 4 &&
                          state->access_count == 1;
        if (!is_modelled(access) || is_learned || (shared && code->sweeps))
            continue;
        for (uint32_t left = code->is_store || code->adds ? access->mask : 0; left;
             left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            step_store_lane(&state->model, code, now->warp, l, shared, access->addr[l]);
        }
        const struct mem_block *block =
            shared ? NULL : mem_block_at(state->launch->memory, access->addr[0]);
        for (uint32_t left = access->mask; left; left &= left - 1) {
            uint64_t addr = access->addr[__builtin_ctz(left)], word = addr & ~(uint64_t)3;
            for (; word < addr + access->bytes; word += 4)
                check_word(state, now, shared, block, word);
        }
    }
}

/* Stores loaded values, which the model could not predict, in the model's memory. */
static void learn(struct step_state *state, const struct step_code *code, unsigned k,
                  uint32_t width, uint32_t mask, const uint32_t *words)
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
    if (!width)
        return !((*a ^ *b) & mask);
    if (mask == ALL_LANES)
        return memcmp(a, b, count * WARP * sizeof *a) == 0;
    for (unsigned k = 0; k < count; k++)
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            if (a[k * WARP + l] != b[k * WARP + l])
                return false;
        }
    return true;
}

static void keep_values(uint32_t *into, const uint32_t *words, uint32_t width, uint32_t mask)
{
    unsigned count = width <= 4 ? 1 : width / 4;
    if (!width)
        *into = (*into & ~mask) | (*words & mask);
    else if (mask == ALL_LANES)
        memcpy(into, words, count * WARP * sizeof *words);
    else
        for (unsigned k = 0; k < count; k++)
            for (uint32_t left = mask; left; left &= left - 1) {
                unsigned l = (unsigned)__builtin_ctz(left);
                into[k * WARP + l] = words[k * WARP + l];
            }
}

/* Writes the values of the registers that the instruction wrote. The model predicts them from the
 * registers before the instruction. Returns whether any prediction was wrong. */
static bool put_results(struct step_state *state, const struct obs_state *now,
                        const struct step_code *code, struct step_buffer *to)
{
    const struct obs_access *access = &state->accesses[0];
    bool is_simple =
        (code->op != STEP_LOAD && code->op != STEP_FETCH) ||
        (state->access_count == 1 && is_modelled(access) && access->mask == now->active);
    bool shared = access->space == PTX_SHARED, any = false;
    for (unsigned k = 0; k < code->dest_count && now->active; k++) {
        uint32_t width = state->steps->widths[code->dest[k]], want[STEP_WORDS];
        const uint32_t *actual = state->actual[k] = step_read_register(
            view_register(now->machine, now->warp, now->frame, code->dest[k] - code->base), width,
            state->copies[k]);
        bool good = is_simple &&
                    step_predict(&state->model, code, now->warp, k, width, now->active, shared,
                                 access->addr, want) &&
                    same_values(want, actual, width, now->active);
        if (good)
            step_put_byte(to, STEP_PREDICTED);
        else
            step_put_values(to, &state->values, actual, width, now->active);
        any |= !good;
        if (!good && code->is_load && is_simple)
            learn(state, code, k, width, now->active, actual);
    }
    for (unsigned k = 0; k < code->dest_count && now->active; k++)
        keep_values(step_register(&state->model, now->warp, code->dest[k]), state->actual[k],
                    state->steps->widths[code->dest[k]], now->active);
    return any;
}

/* If register REG of FRAME differs from the model's, writes it as an extra (enum step_extra) and
 * corrects the model. */
static void check_register(struct step_state *state, const struct obs_state *now, uint32_t warp,
                           const struct frame *frame, uint32_t base, uint32_t reg, uint32_t lanes)
{
    uint32_t room[STEP_WORDS], width = state->steps->widths[base + reg];
    uint32_t *model = step_register(&state->model, warp, base + reg);
    const uint32_t *words =
        step_read_register(view_register(now->machine, warp, frame, reg), width, room);
    if (same_values(words, model, width, lanes))
        return;
    step_put_byte(&state->extras, STEP_REGISTER);
    step_put_number(&state->extras, warp);
    step_put_number(&state->extras, base + reg);
    step_put_word(&state->extras, lanes);
    step_put_values(&state->extras, &state->values, words, width, lanes);
    keep_values(model, words, width, lanes);
}

/* Compares all registers after a call or a return, because the lanes then use another frame. */
static void check_frames(struct step_state *state, const struct obs_state *now,
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

/* Returns whether two lists of groups are the same. Compares `standing` between `lanes` and `pc`:
 * otherwise the compiler would combine these two into one read of 8 bytes, and the CPU would stall,
 * because advance() has just written `pc` alone. */
static bool same_groups(const struct obs_group *a, const struct obs_group *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (a[i].lanes != b[i].lanes || a[i].standing != b[i].standing || a[i].pc != b[i].pc)
            return false;
    return true;
}

/* Moves the group that executed the instruction to the next pc. The reader does the same if a
 * record has no groups. */
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

static void put_faults(struct step_state *state)
{
    for (uint32_t i = 0; i < state->fault_count; i++) {
        const struct obs_fault *fault = &state->faults[i];
        const uint32_t *block = state->launch->request->block;
        uint32_t thread =
            fault->thread[0] + block[0] * (fault->thread[1] + block[1] * fault->thread[2]);
        step_put_byte(&state->extras, STEP_FAULT);
        step_put_byte(&state->extras, fault->kind);
        step_put_number(&state->extras, thread);
        step_put_number(&state->extras, fault->addr < (uint64_t)1 << 53 ? fault->addr : 0);
    }
    state->fault_count = 0;
}

/* Returns the lanes that load bytes of global memory that nothing has written. */
static uint32_t unset_lanes(const struct step_state *state, const struct obs_access *access)
{
    const struct mem_block *block = mem_block_at(state->launch->memory, access->addr[0]);
    uint32_t unset = 0;
    if (!block || !block->marks[MEM_WRITTEN] || block->whole[MEM_WRITTEN])
        return 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t at = access->addr[l] - block->addr;
        if (access->addr[l] >= block->addr && at + access->bytes <= block->size &&
            mem_first_unmarked(block, MEM_WRITTEN, at, access->bytes) < access->bytes)
            unset |= 1u << l;
    }
    return unset;
}

/* Writes uninitialised reads of global memory as an extra (enum step_extra). The reader finds
 * uninitialised reads of shared memory itself. */
static void put_unset(struct step_state *state, const struct obs_state *now)
{
    uint32_t unset = 0;
    for (uint32_t i = 0; i < state->access_count; i++) {
        const struct obs_access *access = &state->accesses[i];
        if (access->kind == OBS_LOAD && access->space == PTX_GLOBAL)
            unset |= unset_lanes(state, access);
    }
    if (!unset || !view_is_init_checked(now->machine))
        return;
    step_put_byte(&state->extras, STEP_UNSET);
    step_put_word(&state->extras, unset);
}

/* Writes the record of an instruction. BODY and EXTRAS hold its parts. */
static void put_record(struct step_state *state, const struct obs_state *now, unsigned parts,
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
    if (parts & STEP_GROUPS) {
        put_groups(to, groups, count);
        memcpy(progress->groups, groups, count * sizeof *groups);
        progress->group_count = count;
    }
    progress->pc = now->pc;
    progress->lanes = now->lanes;
    state->warp = now->warp;
}

void step_record_instruction(struct step_state *state, const struct obs_state *now)
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
    put_unset(state, now);
    put_record(state, now, parts, body, groups, count);
    state->out.failed |= body->failed || results->failed;
}

/* Checks the registers that a barrier with a reduction, such as __syncthreads_count(), writes. The
 * emulator writes them when the barrier opens, not when a warp arrives at it. */
static void check_votes(struct step_state *state, const struct obs_state *now, uint32_t warp,
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

void step_record_opening(struct step_state *state, const struct obs_state *now)
{
    struct step_buffer *body = &state->body;
    struct obs_group groups[WARP];
    uint32_t warps = 0;
    state->extras.size = body->size = 0;
    for (uint32_t w = 0; w < state->launch->warps; w++) {
        struct progress *progress = &state->progress[w];
        unsigned count = view_groups(now->machine, w, groups);
        if (count == progress->group_count && same_groups(groups, progress->groups, count))
            continue;
        warps |= 1u << w;
        put_groups(body, groups, count);
        memcpy(progress->groups, groups, count * sizeof *groups);
        progress->group_count = count;
        check_votes(state, now, w, groups, count);
    }
    struct step_buffer *to = &state->out;
    step_put_byte(to, STEP_WARP | (state->extras.size ? STEP_EXTRAS : 0));
    step_put_number(to, STEP_OPENED);
    step_put_word(to, warps);
    step_put_bytes(to, body);
    if (state->extras.size) {
        step_put_bytes(to, &state->extras);
        step_put_byte(to, STEP_END);
    }
    state->out.failed |= body->failed;
}
