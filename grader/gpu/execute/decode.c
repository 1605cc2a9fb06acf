/* Decodes PTX instructions, which have names and types, to struct inst, which has functions and
 * slots.
 *
 * A kernel is decoded once. Registers get slots in a function's frame. Special registers and
 * parameters get slots in banks of the launch, the CTA or the warp. Each immediate or address of a
 * variable becomes 32 equal values in the kernel's constants. So at run time, every operand is 32
 * values in memory. */
#include "gpu/execute/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/flags.h"
#include "gpu/analyse/flow.h"
#include "gpu/analyse/lifetimes.h"
#include "gpu/analyse/lines.h"
#include "gpu/analyse/origins.h"
#include "gpu/analyse/unwritten.h"
#include "gpu/analyse/usage.h"
#include "gpu/device.h"
#include "gpu/execute/kin.h"
#include "gpu/execute/quads.h"
#include "gpu/execute/wide.h"

/* --- errors ----------------------------------------------------------------------------------- */

/* Rejects a function in which the parser stopped at an error. */
static void refuse_unread(struct decoder *d, const struct ptx_function *f)
{
    snprintf(d->refusal->why, sizeof d->refusal->why, "%s", f->error);
    d->refusal->at = analyse_last_line(d->kernel->module, f);
    d->failed = true;
}

/* --- images ----------------------------------------------------------------------------------- */

static void add_image(struct decoder *d, const struct ptx_function *function)
{
    struct kernel *k = d->kernel;
    if (d->image_of[function->index] != NO_IMAGE)
        return;
    struct image *images = realloc(k->images, (k->image_count + 1) * sizeof *images);
    if (!images) {
        d->failed = true;
        return;
    }
    k->images = images;
    d->image_of[function->index] = k->image_count;
    k->images[k->image_count++] = (struct image){
        .function = function,
        .start = k->code_count,
        .end = k->code_count + function->code_count,
        .frame_bytes = (function->frame_bytes + 15u) & ~15u,
        .local_slot = NO_SLOT,
        .address = kernel_function_address(function),
    };
    k->code_count += function->code_count + 1;
    k->local_bytes += (function->local_bytes + 15u) & ~15u;
}

/* Finds all functions that the kernel may call. A call through a pointer may reach any function
 * of the module. */
static void find_images(struct decoder *d)
{
    struct kernel *k = d->kernel;
    bool indirect = false;
    size_t bytes = k->module->function_count * sizeof *d->image_of;
    d->image_of = malloc(bytes);
    d->failed = !d->image_of;
    if (d->failed)
        return;
    memset(d->image_of, 0xff, bytes);
    add_image(d, k->function);
    for (uint32_t i = 0; i < k->image_count && !d->failed; i++) {
        const struct ptx_function *f = k->images[i].function;
        if (f->error)
            refuse_unread(d, f);
        for (uint32_t pc = 0; pc < f->code_count && !d->failed; pc++) {
            const struct ptx_operand *target = &f->code[pc].operands[0];
            k->uses_stack |= f->code[pc].opcode == PTX_OP_alloca;
            if (f->code[pc].opcode != PTX_OP_call)
                continue;
            const struct ptx_function *callee =
                target->kind == PTX_FUNCTION ? ptx_find_function(k->module, target->name, f->unit)
                                             : NULL;
            if (callee)
                add_image(d, callee);
            indirect |= target->kind == PTX_REGISTER;
        }
        for (const struct ptx_function *g = k->module->functions; g && indirect; g = g->next)
            if (!g->is_kernel && !g->error)
                add_image(d, g);
    }
    k->uses_stack |= k->image_count > 1;
    if (k->uses_stack)
        k->local_bytes += KERNEL_STACK;
}

#define SIZES 6 /* number of register sizes: a predicate, or 1, 2, 4, 8 or 16 bytes per lane */

static unsigned size_of(const struct ptx_function *f, uint32_t reg)
{
    unsigned bytes = ptx_type_bytes(f->registers[reg].type);
    return bytes ? 1 + (unsigned)__builtin_ctz(bytes) : 0;
}

/* The free places in the frame for each register size, and the registers whose lifetime begins or
 * ends at each instruction. */
struct places {
    const struct ptx_function *function;
    const struct lifetime *lifetimes;
    /* linked lists of registers, in which NO_SLOT ends a list; begin and end are indexed by pc,
     * next_begin and next_end by register */
    uint32_t *begin, *end, *next_begin, *next_end;
    uint32_t *free[SIZES], free_count[SIZES]; /* indexed by size_of() */
};

static bool open_places(struct places *places)
{
    const struct ptx_function *f = places->function;
    size_t code = (size_t)f->code_count + 1, registers = (size_t)f->register_count + 1;
    uint32_t *words = malloc((2 * code + (2 + SIZES) * registers) * sizeof *words);
    if (!words)
        return false;
    places->begin = words;
    places->end = words + code;
    places->next_begin = words + 2 * code;
    places->next_end = places->next_begin + registers;
    for (unsigned size = 0; size < SIZES; size++)
        places->free[size] = places->next_end + registers * (1 + size);
    memset(words, 0xff, 2 * code * sizeof *words);
    for (uint32_t i = f->register_count; i-- > 0;) {
        struct lifetime life = places->lifetimes[i];
        if (life.first > life.last)
            continue;
        places->next_begin[i] = places->begin[life.first];
        places->begin[life.first] = i;
        places->next_end[i] = places->end[life.last];
        places->end[life.last] = i;
    }
    return true;
}

/* Lets registers share a place in the frame if their lifetimes do not overlap. With fewer places,
 * more of them stay in the CPU's caches, and more CTAs fit in memory. */
static bool share_slots(struct decoder *d, const struct lifetime *lifetimes, uint32_t *used)
{
    const struct ptx_function *f = d->image->function;
    struct places p = {.function = f, .lifetimes = lifetimes};
    if (!open_places(&p))
        return false;
    for (uint32_t pc = 0; pc < f->code_count; pc++) {
        for (uint32_t i = p.begin[pc]; i != NO_SLOT; i = p.next_begin[i]) {
            unsigned size = size_of(f, i);
            d->image->slots[i] = p.free_count[size]
                                     ? p.free[size][--p.free_count[size]]
                                     : decode_take_slot(used, ptx_type_bytes(f->registers[i].type));
        }
        for (uint32_t i = p.end[pc]; i != NO_SLOT; i = p.next_end[i]) {
            unsigned size = size_of(f, i);
            p.free[size][p.free_count[size]++] = d->image->slots[i];
        }
    }
    free(p.begin);
    return true;
}

/* Returns whether the function reads the carry, which is a register without a name. */
static bool uses_carry(const struct ptx_function *f)
{
    bool any = false;
    for (uint32_t pc = 0; pc < f->code_count; pc++)
        any |= f->code[pc].opcode == PTX_OP_addc || f->code[pc].opcode == PTX_OP_subc ||
               f->code[pc].opcode == PTX_OP_madc;
    return any;
}

/* Gives each register a place in the frame, unless its value is fixed. If the function is too large
 * to analyse, registers do not share places. */
static bool place_all(struct decoder *d, uint32_t *used)
{
    const struct ptx_function *f = d->image->function;
    const struct slot *fixed = d->image->fixed;
    struct lifetime *lifetimes = malloc(((size_t)f->register_count + 1) * sizeof *lifetimes);
    bool ok = lifetimes != NULL, all_written = false;
    bool known = ok && analyse_lifetimes(f, lifetimes, &all_written);
    for (uint32_t i = 0; i < f->register_count && known; i++)
        if (fixed[i].offset != NO_SLOT)
            lifetimes[i] = (struct lifetime){.first = UINT32_MAX};
    if (known)
        ok = share_slots(d, lifetimes, used);
    for (uint32_t i = 0; i < f->register_count && ok && !known; i++)
        if (fixed[i].offset == NO_SLOT)
            d->image->slots[i] = decode_take_slot(used, ptx_type_bytes(f->registers[i].type));
    d->image->needs_zeros = !all_written || uses_carry(f);
    free(lifetimes);
    return ok;
}

static bool place_registers(struct decoder *d)
{
    const struct ptx_function *f = d->image->function;
    size_t n = (size_t)f->code_count + 1;
    d->image->first_register = d->kernel->register_count;
    d->kernel->register_count += f->register_count;
    d->image->slots = calloc((size_t)f->register_count + 1, sizeof *d->image->slots);
    d->meet = malloc(n * sizeof *d->meet);
    d->is_reduction = calloc(n, sizeof *d->is_reduction);
    d->polls = calloc(n, sizeof *d->polls);
    d->origins = malloc(((size_t)f->register_count + 1) * sizeof *d->origins);
    if (!d->image->slots || !d->meet || !d->is_reduction || !d->polls || !d->origins ||
        !analyse_reconvergence(f, d->meet) || !analyse_reductions(f, d->is_reduction))
        return false;
    analyse_polls(f, d->polls);
    analyse_origins(f, d->origins);
    if (!decode_fixed(d))
        return false;
    uint32_t *used = &d->image->register_bytes;
    if (!place_all(d, used))
        return false;
    d->carry = (struct slot){.offset = decode_take_slot(used, 0)};
    if (!f->is_kernel && f->locals)
        d->image->local_slot = decode_take_slot(used, 8);
    *used = (*used + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
    return true;
}

static void decode_image(struct decoder *d, struct image *image)
{
    d->image = image;
    bool began = place_registers(d) || d->failed;
    d->failed |= !began;
    for (uint32_t pc = image->start; pc < image->end && !d->failed; pc++)
        decode_instruction(d, pc);
    if (began && d->failed)
        d->refusal->at = kernel_line(d->kernel, d->pc);
    d->kernel->code[image->end] = (struct inst){.kind = KIND_EXIT, .guard = NO_SLOT};
    free(d->meet);
    free(d->is_reduction);
    free(d->polls);
    free(d->origins);
}

/* Estimates the number of registers that a thread uses. If a function is too large to analyse,
 * returns the maximum for a thread. */
static uint32_t estimate_registers(const struct kernel *k)
{
    uint32_t most = 0, limit = usage_limit(k->function);
    for (uint32_t i = 0; i < k->image_count; i++) {
        struct usage usage;
        uint32_t own =
            analyse_usage(k->images[i].function, &usage) ? usage_registers(&usage) : USAGE_MOST;
        most = own > most ? own : most;
    }
    return most < limit ? most : limit;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static bool is_product(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_wmma_mma || in->opcode == PTX_OP_mma;
}

/* Returns an upper bound for the number of entries in kernel->vectors that all instructions
 * together need. */
static size_t vector_room(const struct kernel *k)
{
    size_t room = (size_t)k->code_count * VECTOR_ROOM;
    for (uint32_t i = 0; i < k->image_count; i++)
        for (uint32_t pc = 0; pc < k->images[i].function->code_count; pc++)
            if (is_product(&k->images[i].function->code[pc]))
                room += MATRIX_ROOM;
    return room;
}

static bool allocate(struct decoder *d)
{
    struct kernel *k = d->kernel;
    k->code = aligned_alloc(_Alignof(struct inst), k->code_count * sizeof *k->code);
    k->vectors = malloc(vector_room(k) * sizeof *k->vectors);
    k->params = calloc((size_t)k->function->param_count + 1, sizeof *k->params);
    if (!k->code || !k->vectors || !k->params)
        return false;
    memset(k->code, 0, k->code_count * sizeof *k->code);
    for (uint32_t i = 0; i < PTX_SPECIAL_COUNT; i++)
        k->special[i] = NO_SLOT;
    uint32_t i = 0;
    for (const struct ptx_variable *p = k->function->params; p; p = p->next)
        k->params[i++] = (struct emu_param){(uint32_t)p->offset, (uint32_t)p->size};
    return true;
}

struct kernel *kernel_decode(const struct ptx_module *module, const struct ptx_function *function,
                             symbol_fn *symbol, void *context, struct refusal *refusal)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    struct decoder d = {.kernel = kernel, .symbol = symbol, .context = context, .refusal = refusal};
    *refusal = (struct refusal){.why = "out of memory"};
    if (!kernel)
        return NULL;
    kernel->module = module;
    kernel->function = function;
    find_images(&d);
    decode_place_shared(&d);
    d.failed = d.failed || !allocate(&d);
    for (uint32_t i = 0; i < kernel->image_count && !d.failed; i++)
        decode_image(&d, &kernel->images[i]);
    free(d.constants);
    free(d.image_of);
    free(d.shared_at);
    d.failed = d.failed || !stretches_find(kernel) || !products_fuse(kernel) || !kin_find(kernel) ||
               !wide_find(kernel);
    if (!d.failed) {
        quads_find(kernel);
        kernel->registers = estimate_registers(kernel);
        kernel->unwritten = analyse_unwritten(function);
        return kernel;
    }
    kernel_free(kernel);
    return NULL;
}

static void image_free(struct image *image)
{
    free(image->slots);
    free(image->fixed);
}

void kernel_free(struct kernel *kernel)
{
    if (!kernel)
        return;
    for (uint32_t i = 0; i < kernel->image_count; i++)
        image_free(&kernel->images[i]);
    free(kernel->images);
    free(kernel->shared);
    free(kernel->parameters);
    for (unsigned i = 0; i < BANK_COUNT; i++)
        free(kernel->early[i].list);
    free(kernel->code);
    free(kernel->constants);
    free(kernel->vectors);
    free(kernel->params);
    free(kernel);
}

const struct image *kernel_image(const struct kernel *kernel, uint32_t pc)
{
    /* the image's index is at least `low` and below `high` */
    uint32_t low = 0, high = kernel->image_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (kernel->images[middle].start <= pc)
            low = middle;
        else
            high = middle;
    }
    return &kernel->images[low];
}

struct source_line kernel_line(const struct kernel *kernel, uint32_t pc)
{
    const struct image *image = kernel_image(kernel, pc);
    return pc < image->end ? analyse_line(kernel->module, image->function, pc - image->start)
                           : (struct source_line){0};
}
