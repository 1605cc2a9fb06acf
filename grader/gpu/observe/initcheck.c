/* The initcheck observer finds uninitialised reads.
 *
 * For each byte of global memory, memory.c has a bit that is set when a kernel or the host writes
 * the byte. Variables count as written. Page-locked and managed memory also counts as written,
 * because the host can write to it without the emulator noticing. For each byte of a CTA's shared
 * memory and of the kernel's own local variables, this file keeps a flag. Local variables of called
 * functions are not checked.
 *
 * When a program copies a structure, it also reads the padding of the structure. So there are two
 * special cases: a read of one or two bytes that may be padding, and a read of several bytes of
 * which some are written. Such a read is a fault only if the code uses an unwritten value for more
 * than a store. The stored bytes then count as written. The compiler may also load a local variable
 * before it is known whether the value is needed. Such a load is not a fault if a selp instruction
 * then selects or drops the value. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/operands.h"
#include "gpu/lanes.h"
#include "gpu/observe/init.h"

/* --- uses of a loaded value ------------------------------------------------------------------- */

struct search {
    uint32_t wanted;
    bool found;
};

static void compare_register(void *context, uint32_t reg)
{
    struct search *search = context;
    search->found |= reg == search->wanted;
}

static bool reads(const struct ptx_instruction *in, uint32_t reg)
{
    struct search search = {reg, false};
    operands_read(in, compare_register, &search);
    return search.found;
}

static bool is_copy(const struct ptx_instruction *in, uint32_t reg)
{
    return in->opcode == PTX_OP_st && in->guard != reg && in->operands[0].index != reg;
}

/* Returns whether the code uses the bytes of REG after the first WRITTEN bytes for more than a
 * store. Follows at most STEPS conversions to fewer bytes, which extract a member of a copied
 * structure. */
static bool uses_more(const struct ptx_function *f, uint32_t reg, unsigned written, unsigned steps)
{
    for (uint32_t i = 0; i < f->code_count; i++) {
        const struct ptx_instruction *in = &f->code[i];
        if (!reads(in, reg) || is_copy(in, reg))
            continue;
        if (in->opcode != PTX_OP_cvt || in->guard == reg || !steps)
            return true;
        unsigned to = ptx_type_bytes(in->types[0]), from = ptx_type_bytes(in->types[1]);
        if ((to < from ? to : from) > written &&
            uses_more(f, in->operands[0].index, written, steps - 1))
            return true;
    }
    return false;
}

/* Returns whether the code uses element K of the load at PC for more than a store. Ignores the
 * first WRITTEN bytes of the element. */
static bool is_used(const struct launch_view *launch, uint32_t pc, uint32_t k, unsigned written)
{
    uint32_t index;
    const struct ptx_function *f = view_function(launch, pc, &index);
    const struct ptx_operand *to = &f->code[index].operands[0];
    const struct ptx_operand *element = to->kind == PTX_VECTOR ? &to->elements[k] : to;
    return element->kind == PTX_REGISTER && uses_more(f, element->index, written, 3);
}

static bool is_choice(const struct ptx_instruction *in, uint32_t reg)
{
    return in->opcode == PTX_OP_selp && in->guard != reg && in->operands[3].index != reg;
}

/* Returns whether the code uses the value of the load at PC only as an input that selp may drop. */
static bool is_only_chosen(const struct launch_view *launch, uint32_t pc)
{
    uint32_t index;
    const struct ptx_function *f = view_function(launch, pc, &index);
    const struct ptx_operand *to = &f->code[index].operands[0];
    bool chosen = false;
    for (uint32_t i = 0; i < f->code_count && to->kind == PTX_REGISTER; i++) {
        if (!reads(&f->code[i], to->index))
            continue;
        chosen = is_choice(&f->code[i], to->index);
        if (!chosen)
            return false;
    }
    return chosen;
}

static bool is_same_place(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == b->kind && a->index == b->index && a->variable == b->variable &&
           a->value == b->value;
}

/* Returns whether the code only changes some bits of REG and stores the result where LOAD read it.
 * It may mask REG and then combine it with other bits, in at most STEPS instructions. REG holds
 * LOAD's value, or a value computed from it. MASKED says that this value has been masked. */
static bool goes_back(const struct ptx_function *f, const struct ptx_instruction *load,
                      uint32_t reg, bool masked, unsigned steps)
{
    bool any = false;
    for (uint32_t i = 0; i < f->code_count; i++) {
        const struct ptx_instruction *in = &f->code[i];
        if (!reads(in, reg))
            continue;
        any = true;
        if (is_copy(in, reg) && masked && is_same_place(&in->operands[0], &load->operands[1]))
            continue;
        bool masks = in->opcode == PTX_OP_and && in->operands[2].kind == PTX_IMMEDIATE;
        bool sets = in->opcode == PTX_OP_or && masked;
        if ((!masks && !sets) || in->guard == reg || !steps ||
            !goes_back(f, load, in->operands[0].index, true, steps - 1))
            return false;
    }
    return any;
}

/* Returns whether the load at PC serves only to set a bit-field. If so, the other bits of the word
 * may be unwritten. */
static bool is_for_bits(const struct launch_view *launch, uint32_t pc)
{
    uint32_t index;
    const struct ptx_function *f = view_function(launch, pc, &index);
    const struct ptx_instruction *in = &f->code[index];
    return in->opcode == PTX_OP_ld && in->operands[0].kind == PTX_REGISTER &&
           goes_back(f, in, in->operands[0].index, false, 6);
}

/* --- marks ------------------------------------------------------------------------------------ */

/* The marks that show whether a lane's bytes were written. They are in FLAGS for shared and local
 * memory, and in BLOCK for global memory. Both are NULL if the bytes are not checked. */
struct init_place {
    uint8_t *flags;
    const struct mem_block *block;
};

/* Returns the allocation that contains all bytes from LOW up to END, exclusive. Returns NULL if
 * there is none, or if it is not checked. */
static const struct mem_block *find_block(const struct init *init, struct init_site *site,
                                          uint64_t low, uint64_t end)
{
    const struct mem_block *block = site->block;
    if (!block || low < block->addr || low - block->addr >= block->size)
        site->block = block = mem_block_at(init->launch->memory, low);
    bool inside = block && block->host && low < end && low - block->addr < block->size &&
                  end - low <= block->size - (low - block->addr);
    return inside && block->marks[MEM_WRITTEN] ? block : NULL;
}

static bool is_shared(uint8_t space)
{
    return space == PTX_SHARED || space == PTX_CLUSTER;
}

/* Returns the flags of the bytes at ADDR in the shared memory of the CTA that is accessed. Returns
 * NULL if that CTA is not running. */
static uint8_t *shared_flags(const struct init *init, const struct obs_access *access,
                             uint64_t addr)
{
    if (access->space == PTX_SHARED)
        return init->current->shared + addr;
    return access->seat == OBS_NO_SEAT ? NULL : init->seats[access->seat].shared + addr;
}

static struct init_place find_place(const struct init *init, const struct obs_access *access,
                                    uint32_t lane)
{
    const struct launch_view *launch = init->launch;
    uint64_t addr = access->addr[lane], own = launch->function->local_bytes;
    struct init_place place = {NULL, NULL};
    if (addr % access->bytes)
        return place; /* memcheck reports such an access */
    if (access->space == PTX_GLOBAL)
        place.block = find_block(init, &init->sites[access->pc], addr, addr + access->bytes);
    else if (is_shared(access->space) && addr < launch->shared_bytes &&
             access->bytes <= launch->shared_bytes - addr)
        place.flags = shared_flags(init, access, addr);
    else if (access->space == PTX_LOCAL && addr < own && access->bytes <= own - addr)
        place.flags =
            init->current->local + (access->warp * WARP + lane) * launch->own_bytes + addr;
    return place;
}

/* Returns the index of the first unwritten byte among SIZE bytes at ADDR, or SIZE if all are
 * written. */
static unsigned first_unwritten(struct init_place place, uint64_t addr, unsigned size)
{
    if (place.block)
        return (unsigned)mem_first_unmarked(place.block, MEM_WRITTEN, addr - place.block->addr,
                                            size);
    const uint8_t *zero = place.flags ? memchr(place.flags, 0, size) : NULL;
    return zero ? (unsigned)(zero - place.flags) : size;
}

static bool is_any_written(struct init_place place, uint64_t addr, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        struct init_place byte = {place.flags ? place.flags + i : NULL, place.block};
        if (first_unwritten(byte, addr + i, 1) == 1)
            return true;
    }
    return false;
}

/* Returns whether all bytes that a lane of ACCESS reads at ADDR may be padding of a structure. At
 * any one place, a structure has fewer bytes of padding than its alignment. */
static bool can_be_padding(const struct init *init, const struct obs_access *access, uint64_t addr)
{
    uint64_t begin;
    const struct ptx_variable *variable =
        access->space == PTX_SHARED ? view_shared_variable(init->launch, addr, &begin) : NULL;
    return access->bytes <= 2 && (!variable || access->bytes < variable->align);
}

/* Returns whether LANE's read is a fault. Sets *AT to the index of its first unwritten byte. */
static bool is_fault(struct init *init, const struct obs_access *access, uint32_t lane,
                     struct init_place place, unsigned *at)
{
    uint64_t addr = access->addr[lane];
    unsigned element = access->element ? access->element : access->bytes;
    *at = first_unwritten(place, addr, access->bytes);
    if (*at == access->bytes ||
        (!place.block && view_author(init->launch, access->pc) != VIEW_STUDENT))
        return false;
    bool is_part = can_be_padding(init, access, addr) || is_any_written(place, addr, access->bytes);
    if ((access->space == PTX_LOCAL && is_only_chosen(init->launch, access->pc)) ||
        (access->kind == OBS_LOAD && is_for_bits(init->launch, access->pc)))
        return false;
    if (access->kind != OBS_LOAD || !is_part)
        return true;
    for (unsigned k = 0; access->element && k < access->bytes / element; k++) {
        struct init_place part = {place.flags ? place.flags + k * element : NULL, place.block};
        unsigned first = first_unwritten(part, addr + k * element, element);
        if (first < element && is_used(init->launch, access->pc, k, first)) {
            *at = k * element + first;
            return true;
        }
    }
    return false;
}

static void mark(struct init *init, struct init_place place, uint64_t addr, unsigned size)
{
    if (place.block)
        mem_mark(init->launch->memory, MEM_WRITTEN, addr, size, true);
    else if (place.flags)
        memset(place.flags, 1, size);
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Notes in SITE which range of the array in shared memory the CTA had written before the read. */
static void note_own_range(const struct init *init, struct init_site *site)
{
    uint64_t begin = 0, end = init->launch->shared_bytes;
    const struct ptx_variable *v = view_shared_variable(init->launch, site->addr, &begin);
    const uint8_t *flags = init->current->shared;
    end = v && v->size ? begin + v->size : end;
    uint64_t low = v ? begin : end;
    while (low < end && !flags[low])
        ++low;
    uint64_t next = low;
    while (next < end && flags[next])
        ++next;
    bool is_only = low < next && !memchr(flags + next, 1, end - next);
    site->own_low = is_only ? low : 0;
    site->own_end = is_only ? next : 0;
    if (is_only || low >= site->addr)
        return;
    const uint8_t *after = memchr(flags + site->addr, 1, end - site->addr);
    const uint8_t *before = memrchr(flags + low, 1, site->addr - low);
    if (before && after) {
        site->gap_low = (uint64_t)(before + 1 - flags);
        site->gap_end = (uint64_t)(after - flags);
    }
}

static void add_fault(struct init *init, const struct obs_access *access, uint32_t lane,
                      unsigned at)
{
    struct init_site *site = &init->sites[access->pc];
    if (site->count++)
        return;
    site->addr = access->addr[lane] + at;
    site->cta = init->current->cta;
    site->thread = access->warp * WARP + lane;
    site->space = is_shared(access->space) ? PTX_SHARED : access->space;
    const struct mem_block *block =
        site->space == PTX_GLOBAL ? mem_block_at(init->launch->memory, site->addr) : NULL;
    if (block)
        site->prefix = mem_first_unmarked(block, MEM_WRITTEN, 0, block->size);
    if (access->space == PTX_SHARED) {
        note_own_range(init, site);
        site->gone = init->current->gone;
    }
}

static void note_reach(struct init_site *site, uint8_t space, uint64_t low, uint64_t end)
{
    /* the fields of a copy whose read was a fault describe this read, so the copy's write must not
     * change them */
    if (site->is_copy && site->count)
        return;
    site->space = is_shared(space) ? PTX_SHARED : space;
    site->low = !site->high || low < site->low ? low : site->low;
    site->high = end > site->high ? end : site->high;
}

/* Returns whether the access uses the old value. An exchange does not count: it returns the old
 * value, but its purpose is to write. */
static bool reads_first(const struct init *init, const struct obs_access *access)
{
    return access->kind == OBS_LOAD ||
           ((access->kind == OBS_ATOMIC || access->kind == OBS_REDUCTION) &&
            init->sites[access->pc].uses_old);
}

/* --- quick checks ----------------------------------------------------------------------------- */

/* The quick check is tried only for accesses whose addresses span at most this many bytes. In
 * nearly every access, all bytes are already written, so a read is no fault and a write changes
 * nothing. The quick check also covers the bytes between those of the lanes. */
#define QUICK_BYTES 1024u

/* Returns whether all bytes from LOW up to END are written. */
static bool is_range_written(const struct init *init, uint32_t pc, uint8_t space, uint64_t low,
                             uint64_t end)
{
    const struct mem_block *block;
    if (low >= end || (space == PTX_SHARED && end > init->launch->shared_bytes))
        return false;
    if (space == PTX_SHARED)
        return end - low <= QUICK_BYTES && !memchr(init->current->shared + low, 0, end - low);
    block = space == PTX_GLOBAL ? find_block(init, &init->sites[pc], low, end) : NULL;
    return block &&
           (block->whole[MEM_WRITTEN] ||
            (end - low <= QUICK_BYTES &&
             mem_first_unmarked(block, MEM_WRITTEN, low - block->addr, end - low) == end - low));
}

/* Returns whether all bytes that the lanes access in shared memory are written. The addresses may
 * be far apart, but all are below END. */
LANES_INLINE bool is_scatter_written(const struct init *init, const struct obs_access *access,
                                     uint64_t end)
{
    uint64_t bits = 0;
    uint32_t unwritten = 0;
    if (access->space != PTX_SHARED || (access->bytes != 4 && access->bytes != 8) ||
        end > init->launch->shared_bytes)
        return false;
    for (uint32_t l = 0; l < WARP; l++)
        bits |= access->addr[l];
    for (uint32_t l = 0; l < WARP && !(bits & (access->bytes - 1u)); l++) {
        const uint32_t *flags =
            (const uint32_t *)(const void *)(init->current->shared + access->addr[l]);
        unwritten |= flags[0] ^ 0x01010101u;
        if (access->bytes == 8)
            unwritten |= flags[1] ^ 0x01010101u;
    }
    return !unwritten && !(bits & (access->bytes - 1u));
}

/* Marks all bytes of a dense store in one step. Returns false, without marking anything, if the
 * access is not a dense store to watched memory. */
static bool mark_dense(const struct init *init, const struct obs_access *access, uint64_t end)
{
    uint64_t low = access->addr[0];
    if (!access->dense || access->kind != OBS_STORE || low % access->bytes)
        return false;
    if (access->space == PTX_SHARED && end <= init->launch->shared_bytes)
        memset(init->current->shared + low, 1, end - low);
    else if (access->space == PTX_GLOBAL && find_block(init, &init->sites[access->pc], low, end))
        mem_mark(init->launch->memory, MEM_WRITTEN, low, end - low, true);
    else
        return false;
    return true;
}

LANES_CLONES static void initcheck_access(void *state, const struct obs_access *access)
{
    struct init *init = state;
    bool is_read = reads_first(init, access), is_write = access->kind != OBS_LOAD;
    /* initcheck_order() marks the bytes of a copy once the copy has arrived */
    bool is_copy = init->sites[access->pc].is_copy && access->space != PTX_GLOBAL;
    uint64_t low = access->addr[0], high = low;
    if (init->failed || !init->current || !access->mask || access->space == PTX_CONST)
        return;
    for (uint32_t l = 0; l < WARP; l++) { /* inactive lanes repeat an active lane's address */
        low = access->addr[l] < low ? access->addr[l] : low;
        high = access->addr[l] > high ? access->addr[l] : high;
    }
    uint64_t end = high + access->bytes;
    bool is_done = is_range_written(init, access->pc, access->space, low, end) ||
                   is_scatter_written(init, access, end) || mark_dense(init, access, end);
    for (uint32_t left = is_done ? 0 : access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        unsigned at;
        struct init_place place = find_place(init, access, lane);
        if (!place.block && !place.flags)
            continue;
        if (is_read && is_fault(init, access, lane, place, &at))
            add_fault(init, access, lane, at);
        if (is_write && !is_copy)
            mark(init, place, access->addr[lane], access->bytes);
    }
    if (is_write)
        note_reach(&init->sites[access->pc], access->space, low, end);
}

static enum obs_answer initcheck_repeat(void *state, const struct obs_repeat *repeat)
{
    struct init *init = state;
    uint64_t low = repeat->first + (uint64_t)(int64_t)repeat->low;
    uint64_t end = repeat->first + (uint64_t)(int64_t)repeat->high + repeat->bytes;
    if (init->failed || !init->current || repeat->space == PTX_CONST)
        return OBS_DONE;
    if (!is_range_written(init, repeat->pc, repeat->space, low, end))
        return OBS_FULL;
    if (repeat->kind != OBS_LOAD)
        note_reach(&init->sites[repeat->pc], repeat->space, low, end);
    return OBS_DONE;
}

/* --- CTAs ------------------------------------------------------------------------------------- */

/* Returns the state of EVENT's CTA, or NULL when out of memory. If the CTA has just started, marks
 * all bytes as unwritten. */
static struct init_cta *take_cta(struct init *init, const struct obs_order *event)
{
    struct init_cta *cta = &init->seats[event->seat];
    size_t shared = init->launch->shared_bytes;
    bool is_new = !cta->shared;
    if (!is_new && cta->cta == event->cta)
        return cta;
    if (is_new) {
        cta->shared = malloc(shared + 1);
        cta->local = malloc(init->local_bytes + 1);
    }
    if (!cta->shared || !cta->local)
        return NULL;
    memset(cta->shared, 0, shared);
    memset(cta->local, 0, init->local_bytes);
    cta->gone = (struct init_gone){0};
    cta->cta = event->cta;
    return cta;
}

static void initcheck_forget_memory(void *state)
{
    struct init *init = state;
    for (uint32_t pc = 0; pc < init->launch->code_count; pc++)
        init->sites[pc].block = NULL;
}

/* At a barrier that all remaining threads have reached, counts the threads that have exited. */
static void count_gone(const struct init *init, const struct obs_order *event)
{
    const uint32_t *block = init->launch->request->block;
    uint32_t threads = block[0] * block[1] * block[2];
    struct init_gone *gone = &init->current->gone;
    if (gone->count)
        return;
    for (uint32_t thread = 0; thread < threads; thread++)
        if (!(event->arrived[thread / WARP] >> thread % WARP & 1) && gone->count++ == 0)
            gone->first = thread;
}

static void initcheck_order(void *state, const struct obs_order *event)
{
    struct init *init = state;
    if (event->kind == OBS_BARRIER && event->whole && init->current && !init->failed)
        count_gone(init, event);
    bool ends = event->kind == OBS_CTA_ENDS;
    for (uint32_t left = event->kind == OBS_COPIED ? event->lanes : 0; left; left &= left - 1)
        if (init->current)
            memset(init->current->shared + event->place[__builtin_ctz(left)], 1, event->bytes);
    if (init->failed || (event->kind != OBS_CTA_RUNS && !ends))
        return;
    init->current = ends ? NULL : take_cta(init, event);
    init->failed = !ends && !init->current;
}

/* --- beginning and end ------------------------------------------------------------------------ */

static void initcheck_free(struct init *init)
{
    for (uint32_t i = 0; init->seats && i < init->launch->resident; i++) {
        free(init->seats[i].shared);
        free(init->seats[i].local);
    }
    free(init->seats);
    free(init->sites);
    free(init);
}

static void *initcheck_begin(const struct launch_view *launch)
{
    struct init *init = calloc(1, sizeof *init);
    if (!init)
        return NULL;
    init->launch = launch;
    init->local_bytes = (size_t)launch->own_bytes * WARP * launch->warps;
    init->sites = calloc((size_t)launch->code_count + 1, sizeof *init->sites);
    init->seats = calloc(launch->resident, sizeof *init->seats);
    for (uint32_t pc = 0; init->sites && pc < launch->code_count; pc++) {
        struct view_instruction in = view_instruction(launch, pc);
        init->sites[pc].uses_old = (in.kind == VIEW_ATOMIC && in.op != PTX_MOD_exch) ||
                                   (in.kind == VIEW_COPY && in.access == OBS_REDUCTION);
        init->sites[pc].is_copy = in.kind == VIEW_COPY;
    }
    if (init->sites && init->seats)
        return init;
    initcheck_free(init);
    return NULL;
}

/* a single worker runs the launch, so there is no second state to join */
static void initcheck_join(void *into, void *state)
{
    (void)into;
    initcheck_free(state);
}

static void initcheck_end(void *state, const struct launch_view *launch,
                          struct emu_counters *per_instruction)
{
    struct init *init = state;
    (void)per_instruction;
    for (uint32_t pc = 0; pc < launch->code_count; pc++)
        if (init->sites[pc].count)
            init_report(init, pc);
    initcheck_free(init);
}

const struct observer obs_initcheck = {
    .name = "initcheck",
    .events = OBS_ACCESS | OBS_ORDER,
    .is_serial = true,
    .begin = initcheck_begin,
    .access = initcheck_access,
    .repeat = initcheck_repeat,
    .order = initcheck_order,
    .forget_memory = initcheck_forget_memory,
    .join = initcheck_join,
    .end = initcheck_end,
};
