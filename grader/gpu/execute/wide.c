/* Finds wide operations: operations with which a kernel can add floats in a higher precision than
 * float.
 *
 *     cvt.f64.f32   d, x         a conversion from double or to double, or of a float to 64 bits
 *     fma.rn.f64    d, d, d, e   arithmetic in double
 *     wmma.mma, mma …            a product by tensor cores, of numbers of any type
 *     ld.global.u32 a, [p]       not a wide operation itself, but register a now holds data
 *     add.u32       s, s, a      integer arithmetic on data
 *
 * Data are numbers that were floats or that come from memory. Integers from memory count as data
 * because nvcc loads a float as .u32 if the code uses only its bits, as a shuffle does. Every
 * register computed from data holds data. Loop counters, thread indices, parameters and constants
 * are not data. So arithmetic on indices and addresses counts only if an index comes from memory.
 * Moves and comparisons of data do not count. */
#include "gpu/execute/wide.h"

#include <stdlib.h>

#include "gpu/analyse/operands.h"

struct search {
    bool *is_data;  /* whether each register of all images holds data */
    bool *here;     /* the part of is_data that belongs to the image's registers */
    bool is_passed; /* a call passes data as a parameter or result */
    bool grew, any;
};

/* --- kinds of instructions -------------------------------------------------------------------- */

static bool names_float(const struct ptx_instruction *in)
{
    bool any = false;
    for (unsigned i = 0; i < in->type_count; i++)
        any |= ptx_type_is_float(in->types[i]);
    return any;
}

static bool names_double(const struct ptx_instruction *in)
{
    return in->type_count && (in->types[0] == PTX_f64 || in->types[in->type_count - 1] == PTX_f64);
}

static bool is_atomic(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_atom || in->opcode == PTX_OP_red;
}

bool wide_adds_in(const struct ptx_instruction *in, enum ptx_type type)
{
    switch (in->opcode) {
    case PTX_OP_atom:
    case PTX_OP_red:
        return in->types[0] == type && ptx_has(in, PTX_MOD_add);
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_fma:
        return in->types[0] == type;
    default:
        return false;
    }
}

/* Returns whether the instruction is arithmetic in double, a conversion, or a product by tensor
 * cores. */
static bool is_wide(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_div:
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
        return in->types[0] == PTX_f64;
    case PTX_OP_cvt:
        return names_double(in) || (ptx_type_is_float(in->types[1]) &&
                                    ptx_type_bytes((enum ptx_type)in->types[0]) == 8);
    case PTX_OP_wmma_mma:
    case PTX_OP_mma:
        return true;
    default:
        return wide_adds_in(in, PTX_f64);
    }
}

/* Returns whether the instruction is arithmetic on integers or bits. In opcodes.def, their opcodes
 * come before the comparisons. */
static bool is_integer_arithmetic(const struct ptx_instruction *in)
{
    if (!in->type_count || ptx_type_is_float(in->types[0]))
        return false;
    return in->opcode < PTX_OP_setp || in->opcode == PTX_OP_redux ||
           (is_atomic(in) && !ptx_has(in, PTX_MOD_exch) && !ptx_has(in, PTX_MOD_cas));
}

/* --- data ------------------------------------------------------------------------------------- */

/* Returns the state space of an access, or PTX_FRAME for parameters and results of calls. */
static enum ptx_space space_in(const struct ptx_function *function,
                               const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[in->opcode != PTX_OP_st];
    enum ptx_space space = ptx_space_of(in);
    if (address->variable)
        return address->variable->space;
    return space == PTX_PARAM && !function->is_kernel ? PTX_FRAME : space;
}

/* Returns whether the atomic adds a constant other than 0. The result of such an atomic is a
 * ticket, such as the next free index, and not data. */
static bool draws_ticket(const struct ptx_instruction *in)
{
    const struct ptx_operand *added = &in->operands[2];
    return ptx_has(in, PTX_MOD_add) && added->kind == PTX_IMMEDIATE && added->value != 0;
}

static bool reads_memory(const struct search *search, const struct ptx_function *function,
                         const struct ptx_instruction *in)
{
    enum ptx_space space;
    switch (in->opcode) {
    case PTX_OP_ld:
        space = space_in(function, in);
        return space == PTX_FRAME ? search->is_passed : space != PTX_PARAM && space != PTX_CONST;
    case PTX_OP_atom:
        return !draws_ticket(in);
    case PTX_OP_ldu:
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_suld:
    case PTX_OP_wmma_load_a:
    case PTX_OP_wmma_load_b:
    case PTX_OP_wmma_load_c:
    case PTX_OP_ldmatrix:
        return true;
    default:
        return false;
    }
}

static bool compares(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_setp || in->opcode == PTX_OP_set || in->opcode == PTX_OP_testp;
}

static void ask(void *context, uint32_t reg)
{
    struct search *search = context;
    search->any |= search->here[reg];
}

static bool uses_data(struct search *search, const struct ptx_instruction *in)
{
    search->any = false;
    operands_used(in, ask, search);
    return search->any;
}

static void mark(void *context, uint32_t reg)
{
    struct search *search = context;
    search->grew |= !search->here[reg];
    search->here[reg] = true;
}

static void follow(struct search *search, const struct ptx_function *function,
                   const struct ptx_instruction *in)
{
    bool uses = uses_data(search, in);
    if (in->opcode == PTX_OP_st && uses && space_in(function, in) == PTX_FRAME) {
        search->grew |= !search->is_passed;
        search->is_passed = true;
    }
    if (!compares(in) && (uses || names_float(in) || reads_memory(search, function, in)))
        operands_written(in, mark, search);
}

static void find_data(struct search *search, const struct kernel *kernel)
{
    do {
        search->grew = false;
        for (uint32_t i = 0; i < kernel->image_count; i++) {
            const struct image *image = &kernel->images[i];
            search->here = search->is_data + image->first_register;
            for (uint32_t k = 0; k < image->function->code_count; k++)
                follow(search, image->function, &image->function->code[k]);
        }
    } while (search->grew);
}

bool wide_find(struct kernel *kernel)
{
    struct search search = {0};
    search.is_data = calloc((size_t)kernel->register_count + 1, sizeof *search.is_data);
    if (!search.is_data)
        return false;
    find_data(&search, kernel);
    uint32_t adds = 0;
    for (uint32_t i = 0; i < kernel->image_count; i++) {
        const struct image *image = &kernel->images[i];
        search.here = search.is_data + image->first_register;
        for (uint32_t k = 0; k < image->function->code_count; k++) {
            const struct ptx_instruction *in = &image->function->code[k];
            kernel->code[image->start + k].is_wide =
                is_wide(in) || (is_integer_arithmetic(in) && uses_data(&search, in));
            kernel->code[image->start + k].adds = adds;
            adds += wide_adds_in(in, PTX_f32);
        }
        kernel->code[image->end].adds = adds; /* the exit that the decoder adds */
    }
    free(search.is_data);
    return true;
}
