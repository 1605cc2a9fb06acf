/* Parses operands. */
#include "gpu/ptx/parser.h"

#include <stdio.h>
#include <string.h>

struct ptx_operand parse_operand(struct parser *p);

static bool special_register(struct parser *p, struct ptx_name name, struct ptx_operand *op)
{
    static const char *const spellings[] = {
#define SPECIAL(id, spelling, bytes, when) spelling,
#include "gpu/ptx/names.def"
#undef SPECIAL
    };
    char full[40];
    bool dotted = p->token.kind == PTX_DOT && p->token.text == name.text + name.length + 1;
    int n = snprintf(full, sizeof full, "%.*s", (int)name.length, name.text);
    if (dotted && n < (int)sizeof full)
        snprintf(full + n, sizeof full - (size_t)n, ".%.*s", (int)p->token.length, p->token.text);
    for (uint32_t i = 0; i < PTX_SPECIAL_COUNT; i++) {
        if (strcmp(spellings[i], full) == 0) {
            if (dotted)
                parse_take(p);
            *op = (struct ptx_operand){.kind = PTX_SPECIAL_REGISTER, .index = i};
            return true;
        }
    }
    return false;
}

static struct ptx_operand register_operand(const struct parser *p, uint32_t index)
{
    bool predicate = p->function->registers[index].type == PTX_pred;
    return (struct ptx_operand){.kind = predicate ? PTX_PREDICATE : PTX_REGISTER, .index = index};
}

int64_t parse_offset(struct parser *p)
{
    bool minus = parse_at_punct(p, '-');
    if (!minus && !parse_at_punct(p, '+'))
        return 0;
    parse_take(p);
    minus ^= parse_accept(p, '-'); /* nvcc writes [%rd1+-4] */
    int64_t offset = (int64_t)parse_expect_int(p);
    return minus ? (int64_t)(0 - (uint64_t)offset) : offset;
}

/* Parses an operand that is a name: a register, a special register or a variable. Any other name
 * becomes a PTX_LABEL: it is a label or a function, which can be declared later. */
struct ptx_operand parse_named_operand(struct parser *p)
{
    struct ptx_name name = parse_expect_word(p);
    struct ptx_operand op = {.kind = PTX_SINK};
    if (ptx_name_is(name, "_") || p->failed)
        return op;
    struct ptx_symbol symbol;
    uint32_t index;
    if (ptx_scope_register(p->scope, name, &index))
        return register_operand(p, index);
    if (*name.text == '%') {
        if (ptx_name_is(name, "%WARP_SZ") || !special_register(p, name, &op))
            parse_fail(p, "unsupported register '%.*s'", (int)name.length, name.text);
        return op;
    }
    if (ptx_name_is(name, "WARP_SZ"))
        return (struct ptx_operand){.kind = PTX_IMMEDIATE, .value = 32};
    if (ptx_scope_find(p->scope, name, PTX_SYMBOL_VARIABLE, &symbol)) {
        op = (struct ptx_operand){.kind = PTX_VARIABLE, .variable = symbol.variable};
        op.value = parse_offset(p);
        if (symbol.variable->space == PTX_SHARED && !symbol.variable->size)
            p->function->uses_dynamic_shared = true;
        return op;
    }
    struct label_use use = {name, p->function->code_count, PTX_NONE, p->depth};
    p->uses = parse_grow(p, p->uses, p->use_count, &p->use_room, sizeof *p->uses);
    if (!p->failed)
        p->uses[p->use_count++] = use;
    return (struct ptx_operand){.kind = PTX_LABEL, .name = name};
}

static struct ptx_operand number_operand(struct parser *p)
{
    bool minus = parse_accept(p, '-');
    struct ptx_token token = parse_take(p);
    struct ptx_operand op = {.kind = PTX_IMMEDIATE, .value = (int64_t)token.value};
    op.is_f32 = token.kind == PTX_F32;
    op.is_f64 = token.kind == PTX_F64;
    if (token.kind != PTX_INT && token.kind != PTX_F32 && token.kind != PTX_F64)
        parse_fail(p, "expected an operand before '%.*s'", (int)token.length, token.text);
    if (minus && token.kind == PTX_INT)
        op.value = (int64_t)(0 - (uint64_t)op.value);
    else if (minus)
        op.value ^= (int64_t)((uint64_t)1 << (op.is_f32 ? 31 : 63));
    return op;
}

static struct ptx_operand vector_operand(struct parser *p)
{
    struct ptx_operand op = {.kind = PTX_VECTOR};
    op.elements = parse_take_memory(p, 8 * sizeof *op.elements);
    parse_expect(p, '{');
    do {
        if (op.count == 8)
            parse_fail(p, "a vector has more than 8 elements");
        else if (!p->failed)
            op.elements[op.count++] = parse_operand(p);
    } while (parse_accept(p, ','));
    parse_expect(p, '}');
    return op;
}

static struct ptx_operand address_operand(struct parser *p)
{
    struct ptx_operand op = {.kind = PTX_ADDRESS, .index = PTX_NONE};
    parse_expect(p, '[');
    if (p->token.kind == PTX_WORD) {
        struct ptx_operand base = parse_named_operand(p);
        if (base.kind == PTX_REGISTER)
            op.index = base.index;
        else if (base.kind == PTX_VARIABLE)
            op.variable = base.variable;
        else
            parse_fail(p, "an address must be a register, a variable or a number");
        op.value = base.kind == PTX_VARIABLE ? base.value : parse_offset(p);
    } else {
        op.value = number_operand(p).value;
    }
    if (parse_accept(p, ',')) { /* the coordinates of a texture follow */
        struct ptx_operand point = vector_operand(p);
        op.elements = point.elements;
        op.count = point.count;
    }
    parse_expect(p, ']');
    return op;
}

static struct ptx_operand pair_operand(struct parser *p, struct ptx_operand first)
{
    struct ptx_operand op = {.kind = PTX_PAIR, .count = 2};
    op.elements = parse_take_memory(p, 2 * sizeof *op.elements);
    if (p->failed)
        return first;
    op.elements[0] = first;
    op.elements[1] = parse_named_operand(p);
    return op;
}

struct ptx_operand parse_operand(struct parser *p)
{
    if (p->depth > PARSE_MAX_DEPTH)
        parse_fail(p, "operands nested too deeply");
    if (parse_at_punct(p, '{')) {
        struct ptx_operand vector = vector_operand(p);
        return parse_accept(p, '|') ? pair_operand(p, vector) : vector;
    }
    if (parse_at_punct(p, '['))
        return address_operand(p);
    if (parse_accept(p, '!')) {
        struct ptx_operand op = parse_named_operand(p);
        if (op.kind != PTX_PREDICATE)
            parse_fail(p, "expected a predicate after '!'");
        op.negated = true;
        return op;
    }
    if (p->token.kind != PTX_WORD)
        return number_operand(p);
    struct ptx_operand op = parse_named_operand(p);
    return parse_accept(p, '|') ? pair_operand(p, op) : op;
}
