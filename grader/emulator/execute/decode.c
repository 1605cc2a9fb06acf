/* Decoding: PTX instructions, with names and types, to struct inst, with functions and slots.
 *
 * It happens once for each kernel. Registers and the special registers that a kernel uses get slots
 * in the warp's register memory; immediates and addresses of variables become 32 equal lanes in the
 * kernel's constants, so that at run time every operand is just 32 values somewhere. */
#include "emulator/execute/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/analyse/flow.h"
#include "emulator/analyse/lines.h"

static void check_operand_count(struct decoder *d)
{
    const char *letters = ptx_opcodes[d->in->opcode].operands, *optional = strchr(letters, '?');
    size_t most = strlen(letters) - !!optional;
    size_t least = optional ? (size_t)(optional - letters) : most;
    if (d->in->operand_count < least || d->in->operand_count > most)
        decode_fail(d, "%u operands where %zu are needed", d->in->operand_count, least);
}

static void decode_typed(struct decoder *d)
{
    switch (d->in->opcode) {
    case PTX_OP_mov:
        decode_mov(d);
        break;
    case PTX_OP_cvt:
        decode_cvt(d);
        break;
    case PTX_OP_cvta:
        decode_cvta(d);
        break;
    case PTX_OP_ld:
    case PTX_OP_ldu:
        decode_load_store(d, true);
        break;
    case PTX_OP_st:
        decode_load_store(d, false);
        break;
    case PTX_OP_atom:
    case PTX_OP_red:
        decode_atomic(d);
        break;
    case PTX_OP_setp:
        decode_setp(d);
        break;
    case PTX_OP_set:
        decode_set(d);
        break;
    case PTX_OP_testp:
        decode_testp(d);
        break;
    case PTX_OP_selp:
        decode_selp(d);
        break;
    case PTX_OP_slct:
        decode_slct(d);
        break;
    case PTX_OP_shfl:
        decode_shfl(d);
        break;
    case PTX_OP_vote:
        decode_vote(d);
        break;
    case PTX_OP_activemask:
    case PTX_OP_nanosleep:
        decode_control(d);
        break;
    default:
        if (decode_type_of(d) == PTX_pred)
            decode_predicate_logic(d);
        else
            decode_alu(d);
    }
}

static void decode_instruction(struct decoder *d, uint32_t pc)
{
    d->pc = pc;
    d->in = &d->kernel->function->code[pc];
    d->out = &d->kernel->code[pc];
    *d->out = (struct inst){.guard = NO_SLOT, .dst = no_slot, .mode = MODE_DEFAULT};
    check_operand_count(d);
    if (d->failed)
        return;
    if (d->in->guard != PTX_NONE) {
        d->out->guard = d->slots[d->in->guard];
        d->out->guard_negated = d->in->guard_negated;
    }
    if (d->in->type_count)
        decode_typed(d);
    else
        decode_control(d);
}

static bool allocate(struct decoder *d)
{
    struct kernel *k = d->kernel;
    const struct ptx_function *f = k->function;
    size_t n = (size_t)f->code_count + 1;
    k->code_count = f->code_count;
    k->code = calloc(n, sizeof *k->code);
    k->vectors = malloc(n * 8 * sizeof *k->vectors);
    k->params = calloc((size_t)f->param_count + 1, sizeof *k->params);
    d->slots = malloc(((size_t)f->register_count + 1) * sizeof *d->slots);
    d->meet = malloc(n * sizeof *d->meet);
    d->is_reduction = calloc(n, sizeof *d->is_reduction);
    return k->code && k->vectors && k->params && d->slots && d->meet && d->is_reduction &&
           analyse_reconvergence(f, d->meet) && analyse_reductions(f, d->is_reduction);
}

static void place_registers(struct decoder *d)
{
    struct kernel *k = d->kernel;
    for (uint32_t i = 0; i < k->function->register_count; i++)
        d->slots[i] =
            decode_take_slot(&k->register_bytes, ptx_type_bytes(k->function->registers[i].type));
    for (uint32_t i = 0; i < PTX_SPECIAL_COUNT; i++)
        k->special[i] = NO_SLOT;
    uint32_t i = 0;
    for (const struct ptx_variable *p = k->function->params; p; p = p->next)
        k->params[i++] = (struct emu_param){(uint32_t)p->offset, (uint32_t)p->size};
}

/* "a.cu:12: " in front of an error of the parser, which stopped behind the last .loc it read. */
static void explain_parse_error(const struct ptx_module *module, const struct ptx_function *f,
                                char *error, size_t size)
{
    const struct ptx_loc *loc = f->loc_count ? &f->locs[f->loc_count - 1] : NULL;
    struct ptx_name path = ptx_file_path(module, loc ? loc->file : 0);
    if (path.length)
        snprintf(error, size, "%.*s:%u: %s", (int)path.length, path.text, loc->line, f->error);
    else
        snprintf(error, size, "%s", f->error);
}

static void explain_decode_error(const struct decoder *d, char *error, size_t size)
{
    struct source_line line = analyse_line(d->kernel->function, d->pc);
    struct ptx_name path = ptx_file_path(d->kernel->module, line.file);
    char text[256];
    snprintf(text, sizeof text, "%s", error);
    if (path.length)
        snprintf(error, size, "%.*s:%u: %s", (int)path.length, path.text, line.line, text);
}

struct kernel *kernel_decode(const struct ptx_module *module, const struct ptx_function *function,
                             symbol_fn *symbol, void *context, char *error, size_t error_size)
{
    if (function->error) {
        explain_parse_error(module, function, error, error_size);
        return NULL;
    }
    struct kernel *kernel = calloc(1, sizeof *kernel);
    struct decoder d = {.kernel = kernel, .symbol = symbol, .context = context};
    d.error = error;
    d.error_size = error_size;
    snprintf(error, error_size, "out of memory");
    if (!kernel)
        return NULL;
    kernel->module = module;
    kernel->function = function;
    d.failed = !allocate(&d);
    if (!d.failed) {
        place_registers(&d);
        for (uint32_t pc = 0; pc < function->code_count && !d.failed; pc++)
            decode_instruction(&d, pc);
        if (d.failed)
            explain_decode_error(&d, error, error_size);
        kernel->code[function->code_count] = (struct inst){.kind = KIND_EXIT, .guard = NO_SLOT};
    }
    kernel->register_bytes = (kernel->register_bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
    free(d.slots);
    free(d.meet);
    free(d.is_reduction);
    free(d.constants);
    if (!d.failed)
        return kernel;
    kernel_free(kernel);
    return NULL;
}

void kernel_free(struct kernel *kernel)
{
    if (!kernel)
        return;
    free(kernel->code);
    free(kernel->constants);
    free(kernel->vectors);
    free(kernel->params);
    free(kernel);
}
