/* Parses declarations of registers, and of variables with type, alignment, size and initial
 * value. */
#include "gpu/ptx/parser.h"

#include <string.h>

#define MAX_REGISTERS 65536 /* maximum registers of one function; ptxas accepts far fewer */
#define MAX_VARIABLE  ((uint64_t)1 << 32)

enum ptx_type parse_expect_type(struct parser *p)
{
    int type = p->token.kind == PTX_DOT ? ptx_find_type(parse_name_of(p->token)) : -1;
    if (type < 0)
        parse_fail(p, "unsupported type '.%.*s'", (int)p->token.length, p->token.text);
    parse_take(p);
    return type < 0 ? PTX_b32 : (enum ptx_type)type;
}

static void put_constant(struct parser *p, uint8_t *bytes, unsigned size)
{
    bool negative = parse_accept(p, '-');
    struct ptx_token token = parse_take(p);
    uint64_t bits = token.value;
    if (token.kind == PTX_F64 && size == 4) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)(negative ? -wide : wide);
        memcpy(bytes, &narrow, sizeof narrow);
        return;
    }
    if (token.kind != PTX_INT && token.kind != PTX_F32 && token.kind != PTX_F64)
        parse_fail(p, "expected a constant before '%.*s'", (int)token.length, token.text);
    if (negative)
        bits = token.kind == PTX_INT ? -bits : bits ^ (uint64_t)1 << (size * 8 - 1);
    memcpy(bytes, &bits, size); /* little-endian, as on a GPU */
}

/* Parses an address, such as name or generic(name)+8, in a variable's initial value. Records it in
 * a struct ptx_pointer, because the address is not known until the module is in device memory. */
static void put_pointer(struct parser *p, struct ptx_variable *variable, uint64_t at)
{
    struct ptx_pointer *pointer = parse_take_memory(p, sizeof *pointer);
    if (!pointer)
        return;
    pointer->at = at;
    pointer->target = parse_expect_word(p);
    if (ptx_name_is(pointer->target, "generic")) {
        pointer->generic = true;
        parse_expect(p, '(');
        pointer->target = parse_expect_word(p);
        parse_expect(p, ')');
    }
    if (parse_accept(p, '+'))
        pointer->addend = (int64_t)parse_expect_int(p);
    pointer->next = variable->pointers;
    variable->pointers = pointer;
}

/* Parses a constant, or a nested list of constants. Writes it to BYTES at offset *AT and advances
 * *AT. */
static void initial_value(struct parser *p, struct ptx_variable *variable, uint8_t *bytes,
                          unsigned element, uint64_t *at)
{
    if (parse_accept(p, '{')) {
        if (++p->depth > PARSE_MAX_DEPTH)
            parse_fail(p, "braces nested too deeply");
        while (!parse_at_end(p) && !parse_at_punct(p, '}')) {
            initial_value(p, variable, bytes, element, at);
            if (!parse_accept(p, ','))
                break;
        }
        p->depth--;
        parse_expect(p, '}');
        return;
    }
    if (*at + element > variable->size) {
        parse_fail(p, "'%.*s' has more initial values than elements", (int)variable->name.length,
                   variable->name.text);
        return;
    }
    if (p->token.kind == PTX_WORD && element == 8)
        put_pointer(p, variable, *at);
    else
        put_constant(p, bytes + *at, element);
    *at += element;
}

static uint64_t array_size(struct parser *p, uint64_t element)
{
    uint64_t size = element;
    while (parse_accept(p, '[')) {
        uint64_t count = parse_at_punct(p, ']') ? 0 : parse_expect_int(p);
        if (size && count > MAX_VARIABLE / size) {
            parse_fail(p, "a variable is larger than 4 GiB");
            count = 0;
        }
        size *= count;
        parse_expect(p, ']');
    }
    return size;
}

static bool is_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

struct ptx_variable *parse_variable(struct parser *p, enum ptx_space space)
{
    struct ptx_variable *var = parse_take_memory(p, sizeof *var);
    if (!var)
        return NULL;
    if (parse_accept_dot(p, "attribute")) /* .attribute(.managed), which only the host needs */
        while (!parse_at_end(p) && !parse_accept(p, ')'))
            parse_take(p);
    uint64_t align = parse_accept_dot(p, "align") ? parse_expect_int(p) : 0;
    unsigned lanes = parse_accept_dot(p, "v2") ? 2 : parse_accept_dot(p, "v4") ? 4 : 1;
    enum ptx_type type = parse_expect_type(p);
    unsigned element = ptx_type_bytes(type);
    /* .ptr states the state space and alignment of a pointer's target, which only an optimiser
     * needs */
    if (parse_accept_dot(p, "ptr")) {
        while (p->token.kind == PTX_DOT)
            if (ptx_name_is(parse_name_of(parse_take(p)), "align"))
                parse_expect_int(p);
    }
    if (!align)
        align = (uint64_t)element * lanes;
    if (!element || !is_power_of_two(align) || align > 65536)
        parse_fail(p, "a variable has a bad alignment or type");
    var->space = space;
    var->unit = p->unit;
    var->align = (uint32_t)align;
    var->name = parse_expect_word(p);
    var->size = array_size(p, (uint64_t)element * lanes);
    if (parse_accept(p, '=') && !p->failed) {
        uint8_t *bytes = parse_take_memory(p, var->size ? var->size : 1);
        uint64_t at = 0;
        if (bytes)
            initial_value(p, var, bytes, element, &at);
        var->initial = bytes;
    }
    return var;
}

void parse_place(struct ptx_variable **list, struct ptx_variable *var, uint32_t *used)
{
    if (*list)
        (*list)->last->next = var;
    else
        *list = var;
    (*list)->last = var;
    var->offset = ((uint64_t)*used + var->align - 1) & ~(uint64_t)(var->align - 1);
    uint64_t end = var->offset + var->size;
    *used = end > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)end;
}

/* Reserves constant memory for VAR. The emulator enforces a GPU's limit on the size of this memory.
 * Without the limit, a program could hide the cost of large tables in constant memory, because
 * reads of constant memory count as requests, but not as sectors. */
static void take_constant(struct parser *p, const struct ptx_variable *var)
{
    uint32_t used = p->module->const_bytes;
    if (var->size > PTX_CONST_BYTES - used)
        parse_fail(p, "more than the %u bytes of constant memory of a GPU", PTX_CONST_BYTES);
    else
        p->module->const_bytes = used + (uint32_t)var->size;
}

void parse_declare_variable(struct parser *p, struct ptx_variable *var)
{
    if (p->failed || !var)
        return;
    struct ptx_function *function = p->function;
    uint32_t ignored = 0;
    if (function && var->space == PTX_SHARED && var->size)
        parse_place(&function->shared, var, &function->shared_bytes);
    else if (function && var->space == PTX_LOCAL)
        parse_place(&function->locals, var, &function->local_bytes);
    else if (function && var->space == PTX_FRAME)
        parse_place(&function->call_params, var, &function->frame_bytes);
    else if (!function) {
        parse_place(&p->module->variables, var, &ignored);
        var->number = ++p->variable_count;
    }
    if (var->space == PTX_CONST && !var->is_extern)
        take_constant(p, var);
    if (!ptx_scope_add(p->scope,
                       (struct ptx_symbol){PTX_SYMBOL_VARIABLE, var->name, .variable = var}))
        parse_fail(p, "out of memory");
}

/* Parses a declaration such as .reg .b32 %r<21>; or .reg .pred p, q; */
void parse_declare_registers(struct parser *p)
{
    struct ptx_function *function = p->function;
    if (parse_accept_dot(p, "v2") || parse_accept_dot(p, "v4"))
        parse_fail(p, "vector registers are not supported");
    enum ptx_type type = parse_expect_type(p);
    do {
        struct ptx_name name = parse_expect_word(p);
        uint64_t count = 1;
        bool range = parse_accept(p, '<');
        if (range) {
            count = parse_expect_int(p);
            parse_expect(p, '>');
        }
        if (p->failed || count > MAX_REGISTERS - function->register_count) {
            parse_fail(p, "a function has more than %d registers", MAX_REGISTERS);
            return;
        }
        struct ptx_symbol symbol = {range ? PTX_SYMBOL_RANGE : PTX_SYMBOL_REGISTER, name,
                                    .index = function->register_count, .count = (uint32_t)count};
        if (!ptx_scope_add(p->scope, symbol))
            parse_fail(p, "out of memory");
        for (uint64_t i = 0; i < count && !p->failed; i++) {
            function->registers = parse_grow(p, function->registers, function->register_count,
                                             &p->register_room, sizeof *function->registers);
            if (!p->failed)
                function->registers[function->register_count++] = (struct ptx_register){name, type};
        }
    } while (parse_accept(p, ','));
    parse_expect(p, ';');
}
