/* Lays out a block's shared memory. Module-scope variables come first, if the kernel or a function
 * that it may call uses them. Each function's own variables follow. Unused module-scope variables
 * are left out: with -rdc=true, nvcc puts nearly all shared variables at module scope, including
 * those of other kernels. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/decode.h"

#define NOWHERE UINT32_MAX
#define MOST    (UINT32_MAX / 2) /* limit for sizes, in bytes; far more than any block can have */
/* largest alignment of arrays without a size, in bytes; a larger alignment would only waste
 * memory */
#define MOST_PADDING 1024u
#define ALIGNMENT    16u /* smallest alignment of a function's variables, in bytes */

/* Reserves SIZE bytes after all variables placed so far. Returns their offset. */
static uint32_t take(struct kernel *kernel, uint32_t align, uint64_t size)
{
    uint64_t at = ((uint64_t)kernel->shared_bytes + align - 1) & ~(uint64_t)(align - 1);
    uint64_t end = at + size;
    kernel->shared_bytes = end < MOST ? (uint32_t)end : MOST;
    return (uint32_t)at;
}

/* Records in kernel->shared that V is at offset AT. */
static void keep(struct decoder *d, const struct ptx_variable *v, uint32_t at)
{
    struct kernel *kernel = d->kernel;
    struct shared_variable *shared =
        realloc(kernel->shared, (kernel->shared_count + 1) * sizeof *shared);
    d->failed |= !shared;
    if (!shared)
        return;
    kernel->shared = shared;
    shared[kernel->shared_count++] = (struct shared_variable){v, at};
}

static void place_variable(struct decoder *d, const struct ptx_variable *v)
{
    if (!v || v->space != PTX_SHARED || !v->number)
        return;
    v = ptx_definition(v);
    uint32_t *at = &d->shared_at[v->number - 1];
    if (*at != NOWHERE)
        return;
    *at = v->size ? take(d->kernel, v->align, v->size) : 0;
    if (!v->size && v->align > d->kernel->dynamic_align)
        d->kernel->dynamic_align = v->align < MOST_PADDING ? v->align : MOST_PADDING;
    keep(d, v, *at);
}

static void place_operand(struct decoder *d, const struct ptx_operand *op)
{
    place_variable(d, op->variable);
    for (uint32_t i = 0; i < op->count; i++)
        place_variable(d, op->elements[i].variable);
}

static void place_own(struct decoder *d, struct image *image)
{
    const struct ptx_function *f = image->function;
    uint32_t align = ALIGNMENT;
    for (const struct ptx_variable *v = f->shared; v; v = v->next)
        align = v->align > align ? v->align : align;
    image->shared_shift = f->shared ? take(d->kernel, align, f->shared_bytes) : 0;
    for (const struct ptx_variable *v = f->shared; v; v = v->next)
        keep(d, v, image->shared_shift + (uint32_t)v->offset);
}

void decode_place_shared(struct decoder *d)
{
    struct kernel *kernel = d->kernel;
    const struct ptx_variable *all = kernel->module->variables;
    size_t bytes = ((all ? all->last->number : 0) + 1u) * sizeof *d->shared_at;
    d->shared_at = malloc(bytes);
    d->failed |= !d->shared_at;
    if (d->failed)
        return;
    memset(d->shared_at, 0xff, bytes);
    for (uint32_t i = 0; i < kernel->image_count; i++) {
        const struct ptx_function *f = kernel->images[i].function;
        for (uint32_t pc = 0; pc < f->code_count; pc++)
            for (unsigned k = 0; k < f->code[pc].operand_count; k++)
                place_operand(d, &f->code[pc].operands[k]);
    }
    for (uint32_t i = 0; i < kernel->image_count; i++)
        place_own(d, &kernel->images[i]);
}

uint64_t decode_shared_address(const struct decoder *d, const struct ptx_variable *v)
{
    if (!v->size)
        return kernel_dynamic_shared(d->kernel);
    return v->number ? d->shared_at[ptx_definition(v)->number - 1]
                     : v->offset + d->image->shared_shift;
}
