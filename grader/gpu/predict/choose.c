/* Translates a single instruction as ptxas does: by the table machine.def, and by rules for the
 * instructions that need more than the opcode and its first type. */
#include "gpu/predict/machine_parts.h"

/* --- the table -------------------------------------------------------------------------------- */

static const struct {
    uint16_t opcode;
    char class;
    uint8_t pipe, count, depth;
} table[] = {
#define M(opcode, class, pipe, count, depth)                                                       \
    {PTX_OP_##opcode, #class[0], PIPE_##pipe, count, depth},
#include "gpu/predict/machine.def"
#undef M
};

char class_of(uint8_t type)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)type);
    switch (ptx_type_class((enum ptx_type)type)) {
    case 'P':
        return 'p';
    case 'F':
        return type == PTX_f32 ? 'f' : type == PTX_f64 ? 'd' : 'h';
    default:
        return bytes == 8 ? 'l' : 'i';
    }
}

static struct choice look_up(const struct ptx_instruction *in)
{
    char class = in->type_count ? class_of(in->types[0]) : '*';
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].opcode == in->opcode && (table[i].class == '*' || table[i].class == class))
            return (struct choice){table[i].pipe, table[i].count, table[i].depth, !table[i].count};
    return (struct choice){PIPE_ALU, 1, 1, false};
}

/* Chooses the machine instructions of an approximate function. Without .ftz, which flushes denormal
 * floats to zero, some of these functions need a multiplication before and after. */
static struct choice choose_approximation(const struct ptx_instruction *in, struct choice choice)
{
    if (in->opcode == PTX_OP_div)
        choice = ptx_has(in, PTX_MOD_full) ? (struct choice){PIPE_SFU, 4, 3, false}
                                           : (struct choice){PIPE_SFU, 2, 2, false};
    else if (in->opcode == PTX_OP_rcp)
        choice = (struct choice){PIPE_SFU, 1, 1, false};
    else if (in->opcode == PTX_OP_sqrt)
        choice = (struct choice){PIPE_SFU, 2, 2, false};
    if (in->opcode == PTX_OP_sin || in->opcode == PTX_OP_cos)
        choice.count = choice.depth = 2;
    else if (!ptx_has(in, PTX_MOD_ftz) && in->opcode != PTX_OP_rcp && in->opcode != PTX_OP_div)
        choice.count = 4, choice.depth = 3;
    return choice;
}

static struct choice choose_conversion(const struct ptx_instruction *in)
{
    char to = class_of(in->types[0]), from = class_of(in->types[1]);
    bool is_signed = ptx_type_class((enum ptx_type)in->types[1]) == 'S';
    if (to == 'l' && from == 'i')
        return (struct choice){PIPE_ALU, is_signed, is_signed, !is_signed};
    if (to == 'i' && from == 'l')
        return (struct choice){PIPE_ALU, 0, 0, true};
    if (to == 'i' && from == 'i') {
        bool widens = ptx_type_bytes((enum ptx_type)in->types[0]) >
                      ptx_type_bytes((enum ptx_type)in->types[1]);
        return (struct choice){PIPE_ALU, widens, widens, !widens};
    }
    if (to == 'd' || from == 'd')
        return (struct choice){PIPE_SFU, 1, 1, false};
    if ((to == 'h' || from == 'h') && to != 'i' && from != 'i')
        return (struct choice){PIPE_ALU, 1, 1, false};
    return (struct choice){PIPE_SFU, to == 'l' || from == 'l' ? 2 : 1, 1, false};
}

/* Returns whether ptxas reads the special register from constant memory. This is so for the sizes
 * of the grid and of blocks, but not for indices. */
static bool is_constant(uint32_t special)
{
    return special != PTX_SPECIAL_tid_x && special != PTX_SPECIAL_tid_y &&
           special != PTX_SPECIAL_tid_z && special != PTX_SPECIAL_ctaid_x &&
           special != PTX_SPECIAL_ctaid_y && special != PTX_SPECIAL_ctaid_z &&
           special != PTX_SPECIAL_laneid;
}

static struct choice choose_move(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    bool again =
        (to->kind == PTX_REGISTER || to->kind == PTX_PREDICATE) && pass->facts[to->index].defs > 1;
    if (from->kind == PTX_SPECIAL_REGISTER)
        return is_constant(from->index) ? (struct choice){PIPE_ALU, 0, 0, true}
                                        : (struct choice){PIPE_ALU, 1, 6, false};
    /* A move that initialises a loop's variable is an instruction. Any other move only renames a
     * value. */
    bool is_value = from->kind == PTX_IMMEDIATE || from->kind == PTX_VARIABLE;
    return (struct choice){PIPE_ALU, again && is_value, again && is_value, !(again && is_value)};
}

bool is_parameter(const struct ptx_instruction *in)
{
    return ptx_space_of(in) == PTX_PARAM;
}

/* Returns whether IN loads a constant from an address that is known when ptxas runs. ptxas makes
 * such a constant an operand of the instructions that use it. */
static bool is_operand(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_ld && ptx_space_of(in) == PTX_CONST &&
           in->operands[1].index == PTX_NONE;
}

bool has_slow_path(const struct ptx_instruction *in)
{
    if (ptx_has(in, PTX_MOD_approx) || ptx_has(in, PTX_MOD_full) || !in->type_count)
        return false;
    char class = class_of(in->types[0]);
    bool is_root = in->opcode == PTX_OP_sqrt || in->opcode == PTX_OP_rcp;
    return (in->opcode == PTX_OP_div || is_root) && (class == 'f' || class == 'd');
}

struct choice choose(const struct pass *pass, const struct ptx_instruction *in)
{
    struct choice choice = look_up(in);
    switch (in->opcode) {
    case PTX_OP_mov:
        return choose_move(pass, in);
    case PTX_OP_cvt:
        return choose_conversion(in);
    case PTX_OP_mul:
    case PTX_OP_mad:
        return ptx_has(in, PTX_MOD_wide) ? (struct choice){PIPE_IMAD, 1, 1, false} : choice;
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
        /* a kernel's parameters are in constant memory, those of other functions in registers */
        if (is_parameter(in))
            return pass->function->is_kernel
                       ? (struct choice){PIPE_ALU, 1, 6, false}
                       : (struct choice){PIPE_ALU, 0, 0, in->opcode != PTX_OP_st};
        if (is_operand(in))
            return (struct choice){PIPE_MEMORY, 0, 0, false};
        return (struct choice){PIPE_MEMORY, 1, 1, false};
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_shfl:
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_suld:
    case PTX_OP_sust:
    case PTX_OP_cp_async:
    case PTX_OP_wmma_load_a:
    case PTX_OP_wmma_load_b:
    case PTX_OP_wmma_load_c:
    case PTX_OP_wmma_store_d:
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
        return (struct choice){PIPE_MEMORY, 1, 1, false};
    case PTX_OP_wmma_mma:
    case PTX_OP_mma:
        return (struct choice){PIPE_MATRIX, 2, 2, false};
    default:
        return ptx_has(in, PTX_MOD_approx) || ptx_has(in, PTX_MOD_full)
                   ? choose_approximation(in, choice)
                   : choice;
    }
}
