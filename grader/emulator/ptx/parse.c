/* The parser: recursive descent, one function for each thing that PTX can say.
 *
 *   module   = { directive | variable | function }
 *   function = [.visible] .entry name ( params ) { directive } body
 *   body     = "{" { .reg | variable | .loc | label | instruction | body } "}"
 *
 * The first error is kept and every later token reads as the end of the text, so no caller has to
 * check. An error inside a body belongs to that function alone: parsing goes on behind its brace. */
#include "emulator/ptx/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/arena.h"
#include "emulator/ptx/lex.h"
#include "emulator/ptx/scope.h"

#define MAX_REGISTERS    65536 /* of one function; ptxas itself gives up long before */
#define MAX_INSTRUCTIONS (1u << 20)
#define MAX_DEPTH        64
#define MAX_VARIABLE     ((uint64_t)1 << 32)

/* A use of a label, to be filled in when the scope that declares it ends. */
struct label_use {
    struct ptx_name name;
    uint32_t instruction, operand, depth;
};

struct parser {
    struct ptx_module *module;
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next one, not yet taken */
    struct ptx_scope *scope;
    struct ptx_function *function; /* the one being parsed, or NULL */
    uint32_t register_room, code_room, loc_room;
    struct label_use *uses;
    uint32_t use_count, use_room;
    unsigned depth;
    bool failed;
    char error[256];
};

/* --- tokens ------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void fail(struct parser *p, const char *format, ...)
{
    if (p->failed)
        return;
    p->failed = true;
    int n = snprintf(p->error, sizeof p->error, "PTX line %u: ", p->token.line);
    va_list args;
    va_start(args, format);
    vsnprintf(p->error + n, sizeof p->error - (size_t)n, format, args);
    va_end(args);
}

static struct ptx_token take(struct parser *p)
{
    struct ptx_token token = p->token;
    if (p->failed)
        token.kind = PTX_END;
    else
        p->token = ptx_lex(&p->lexer);
    return token;
}

static bool at_punct(const struct parser *p, char c)
{
    return !p->failed && p->token.kind == PTX_PUNCT && *p->token.text == c;
}

static bool at_end(const struct parser *p)
{
    return p->failed || p->token.kind == PTX_END;
}

static bool accept(struct parser *p, char c)
{
    bool yes = at_punct(p, c);
    if (yes)
        take(p);
    return yes;
}

static void expect(struct parser *p, char c)
{
    if (!accept(p, c))
        fail(p, "expected '%c' before '%.*s'", c, (int)p->token.length, p->token.text);
}

static struct ptx_name name_of(struct ptx_token token)
{
    return (struct ptx_name){token.text, token.length};
}

static bool is_dot(const struct parser *p, const char *text)
{
    return !p->failed && p->token.kind == PTX_DOT && ptx_name_is(name_of(p->token), text);
}

static bool accept_dot(struct parser *p, const char *text)
{
    bool yes = is_dot(p, text);
    if (yes)
        take(p);
    return yes;
}

static struct ptx_name expect_word(struct parser *p)
{
    if (p->token.kind != PTX_WORD)
        fail(p, "expected a name before '%.*s'", (int)p->token.length, p->token.text);
    return name_of(take(p));
}

static uint64_t expect_int(struct parser *p)
{
    if (p->token.kind != PTX_INT)
        fail(p, "expected a number before '%.*s'", (int)p->token.length, p->token.text);
    return p->failed ? 0 : take(p).value;
}

static void *take_memory(struct parser *p, size_t size)
{
    void *memory = ptx_arena_take(p->module->arena, size);
    if (!memory)
        fail(p, "out of memory");
    return memory;
}

/* Makes room for one more element in an array of the arena; the old array is left to it. */
static void *grow(struct parser *p, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    uint32_t wanted = *room ? *room * 2 : 64;
    void *bigger = take_memory(p, wanted * size);
    if (!bigger)
        return NULL;
    if (count)
        memcpy(bigger, array, count * size);
    *room = wanted;
    return bigger;
}

static void skip_balanced(struct parser *p)
{
    unsigned depth = 0;
    do {
        depth += at_punct(p, '{');
        depth -= at_punct(p, '}');
        take(p);
    } while (depth && !at_end(p));
}

static void skip_statement(struct parser *p)
{
    while (!at_end(p) && !accept(p, ';'))
        take(p);
}

/* --- types and variables ------------------------------------------------------------------------ */

static int find_type(struct ptx_name name)
{
    for (int i = 0; i < PTX_TYPE_COUNT; i++)
        if (ptx_name_is(name, ptx_type_name((enum ptx_type)i)))
            return i;
    return -1;
}

static enum ptx_type expect_type(struct parser *p)
{
    int type = p->token.kind == PTX_DOT ? find_type(name_of(p->token)) : -1;
    if (type < 0)
        fail(p, "unsupported type '.%.*s'", (int)p->token.length, p->token.text);
    take(p);
    return type < 0 ? PTX_b32 : (enum ptx_type)type;
}

static void put_constant(struct parser *p, uint8_t *bytes, unsigned size)
{
    bool negative = accept(p, '-');
    struct ptx_token token = take(p);
    uint64_t bits = token.value;
    if (token.kind == PTX_F64 && size == 4) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)(negative ? -wide : wide);
        memcpy(bytes, &narrow, sizeof narrow);
        return;
    }
    if (token.kind != PTX_INT && token.kind != PTX_F32 && token.kind != PTX_F64)
        fail(p, "expected a constant before '%.*s'", (int)token.length, token.text);
    if (negative)
        bits = token.kind == PTX_INT ? -bits : bits ^ (uint64_t)1 << (size * 8 - 1);
    memcpy(bytes, &bits, size); /* little-endian, as the GPU is */
}

/* generic(name)+8 or name: an address that is known once the module is in device memory. */
static void put_pointer(struct parser *p, struct ptx_variable *variable, uint64_t at)
{
    struct ptx_pointer *pointer = take_memory(p, sizeof *pointer);
    if (!pointer)
        return;
    pointer->at = at;
    pointer->target = expect_word(p);
    if (ptx_name_is(pointer->target, "generic")) {
        pointer->generic = true;
        expect(p, '(');
        pointer->target = expect_word(p);
        expect(p, ')');
    }
    if (accept(p, '+'))
        pointer->addend = (int64_t)expect_int(p);
    pointer->next = variable->pointers;
    variable->pointers = pointer;
}

/* A constant or a nested list of them, written from *AT on. */
static void initial_value(struct parser *p, struct ptx_variable *variable, uint8_t *bytes,
                          unsigned element, uint64_t *at)
{
    if (accept(p, '{')) {
        if (++p->depth > MAX_DEPTH)
            fail(p, "braces nested too deeply");
        while (!at_end(p) && !at_punct(p, '}')) {
            initial_value(p, variable, bytes, element, at);
            if (!accept(p, ','))
                break;
        }
        p->depth--;
        expect(p, '}');
        return;
    }
    if (*at + element > variable->size) {
        fail(p, "more initial values than '%.*s' has room for", (int)variable->name.length,
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
    while (accept(p, '[')) {
        uint64_t count = at_punct(p, ']') ? 0 : expect_int(p);
        if (size && count > MAX_VARIABLE / size) {
            fail(p, "a variable of more than 4 GiB");
            count = 0;
        }
        size *= count;
        expect(p, ']');
    }
    return size;
}

static bool is_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* [.align 8] [.v4] .b8 name[16] [= value], behind its state space; parameters have no ';'. */
static struct ptx_variable *variable(struct parser *p, enum ptx_space space, bool is_extern)
{
    struct ptx_variable *var = take_memory(p, sizeof *var);
    if (!var)
        return NULL;
    uint64_t align = accept_dot(p, "align") ? expect_int(p) : 0;
    unsigned lanes = accept_dot(p, "v2") ? 2 : accept_dot(p, "v4") ? 4 : 1;
    enum ptx_type type = expect_type(p);
    unsigned element = ptx_type_bytes(type);
    if (accept_dot(p, "ptr")) { /* what a pointer parameter points at: a hint */
        while (p->token.kind == PTX_DOT)
            if (ptx_name_is(name_of(take(p)), "align"))
                expect_int(p);
    }
    if (!align)
        align = (uint64_t)element * lanes;
    if (!element || !is_power_of_two(align) || align > 65536)
        fail(p, "bad alignment or type of a variable");
    var->space = space;
    var->is_extern = is_extern;
    var->align = (uint32_t)align;
    var->name = expect_word(p);
    var->size = array_size(p, (uint64_t)element * lanes);
    if (accept(p, '=') && !p->failed) {
        uint8_t *bytes = take_memory(p, var->size ? var->size : 1);
        uint64_t at = 0;
        if (bytes)
            initial_value(p, var, bytes, element, &at);
        var->initial = bytes;
    }
    return var;
}

/* Appends VAR to LIST at the next aligned offset behind *USED. */
static void place(struct ptx_variable **list, struct ptx_variable *var, uint32_t *used)
{
    while (*list)
        list = &(*list)->next;
    *list = var;
    var->offset = ((uint64_t)*used + var->align - 1) & ~(uint64_t)(var->align - 1);
    uint64_t end = var->offset + var->size;
    *used = end > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)end;
}

static void declare_variable(struct parser *p, struct ptx_variable *var)
{
    if (p->failed || !var)
        return;
    struct ptx_function *function = p->function;
    uint32_t ignored = 0;
    uint32_t *used = var->space == PTX_SHARED ? &p->module->shared_bytes : &ignored;
    if (function && var->space == PTX_SHARED && var->size)
        place(&function->shared, var, &function->shared_bytes);
    else if (function && var->space == PTX_LOCAL)
        place(&function->locals, var, &function->local_bytes);
    else if (!function)
        place(&p->module->variables, var, used);
    if (!ptx_scope_add(p->scope, (struct ptx_symbol){PTX_SYMBOL_VARIABLE, var->name, .variable = var}))
        fail(p, "out of memory");
}

/* .reg .b32 %r<21>;   .reg .pred p, q; */
static void declare_registers(struct parser *p)
{
    struct ptx_function *function = p->function;
    if (accept_dot(p, "v2") || accept_dot(p, "v4"))
        fail(p, "unsupported: vector registers");
    enum ptx_type type = expect_type(p);
    do {
        struct ptx_name name = expect_word(p);
        uint64_t count = 1;
        bool range = accept(p, '<');
        if (range) {
            count = expect_int(p);
            expect(p, '>');
        }
        if (p->failed || function->register_count + count > MAX_REGISTERS) {
            fail(p, "more than %d registers", MAX_REGISTERS);
            return;
        }
        struct ptx_symbol symbol = {range ? PTX_SYMBOL_RANGE : PTX_SYMBOL_REGISTER, name,
                                    .index = function->register_count, .count = (uint32_t)count};
        if (!ptx_scope_add(p->scope, symbol))
            fail(p, "out of memory");
        for (uint64_t i = 0; i < count && !p->failed; i++) {
            function->registers = grow(p, function->registers, function->register_count,
                                       &p->register_room, sizeof *function->registers);
            if (!p->failed)
                function->registers[function->register_count++] = (struct ptx_register){name, type};
        }
    } while (accept(p, ','));
    expect(p, ';');
}

/* --- operands ----------------------------------------------------------------------------------- */

static struct ptx_operand operand(struct parser *p);

static bool special_register(struct parser *p, struct ptx_name name, struct ptx_operand *op)
{
    static const char *const spellings[] = {
#define SPECIAL(id, spelling, bytes, when) spelling,
#include "emulator/ptx/names.def"
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
                take(p);
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

static int64_t offset_behind(struct parser *p)
{
    bool minus = at_punct(p, '-');
    if (!minus && !at_punct(p, '+'))
        return 0;
    take(p);
    minus ^= accept(p, '-'); /* nvcc writes [%rd1+-4] */
    int64_t offset = (int64_t)expect_int(p);
    return minus ? (int64_t)(0 - (uint64_t)offset) : offset;
}

/* A name: register, special register, variable, or else a label that may come later. */
static struct ptx_operand named_operand(struct parser *p)
{
    struct ptx_name name = expect_word(p);
    struct ptx_operand op = {.kind = PTX_SINK};
    if (ptx_name_is(name, "_") || p->failed)
        return op;
    struct ptx_symbol symbol;
    uint32_t index;
    if (ptx_scope_register(p->scope, name, &index))
        return register_operand(p, index);
    if (*name.text == '%') {
        if (ptx_name_is(name, "%WARP_SZ") || !special_register(p, name, &op))
            fail(p, "unsupported register '%.*s'", (int)name.length, name.text);
        return op;
    }
    if (ptx_name_is(name, "WARP_SZ"))
        return (struct ptx_operand){.kind = PTX_IMMEDIATE, .value = 32};
    if (ptx_scope_find(p->scope, name, PTX_SYMBOL_VARIABLE, &symbol)) {
        op = (struct ptx_operand){.kind = PTX_VARIABLE, .variable = symbol.variable};
        op.value = offset_behind(p);
        if (symbol.variable->space == PTX_SHARED && !symbol.variable->size)
            p->function->uses_dynamic_shared = true;
        return op;
    }
    struct label_use use = {name, p->function->code_count, PTX_NONE, p->depth};
    p->uses = grow(p, p->uses, p->use_count, &p->use_room, sizeof *p->uses);
    if (!p->failed)
        p->uses[p->use_count++] = use;
    return (struct ptx_operand){.kind = PTX_LABEL};
}

static struct ptx_operand number_operand(struct parser *p)
{
    bool minus = accept(p, '-');
    struct ptx_token token = take(p);
    struct ptx_operand op = {.kind = PTX_IMMEDIATE, .value = (int64_t)token.value};
    op.is_f32 = token.kind == PTX_F32;
    op.is_f64 = token.kind == PTX_F64;
    if (token.kind != PTX_INT && token.kind != PTX_F32 && token.kind != PTX_F64)
        fail(p, "expected an operand before '%.*s'", (int)token.length, token.text);
    if (minus && token.kind == PTX_INT)
        op.value = (int64_t)(0 - (uint64_t)op.value);
    else if (minus)
        op.value ^= (int64_t)((uint64_t)1 << (op.is_f32 ? 31 : 63));
    return op;
}

static struct ptx_operand vector_operand(struct parser *p)
{
    struct ptx_operand op = {.kind = PTX_VECTOR};
    op.elements = take_memory(p, 8 * sizeof *op.elements);
    expect(p, '{');
    do {
        if (op.count == 8)
            fail(p, "a vector of more than 8 elements");
        else if (!p->failed)
            op.elements[op.count++] = operand(p);
    } while (accept(p, ','));
    expect(p, '}');
    return op;
}

static struct ptx_operand address_operand(struct parser *p)
{
    struct ptx_operand op = {.kind = PTX_ADDRESS, .index = PTX_NONE};
    expect(p, '[');
    if (p->token.kind == PTX_WORD) {
        struct ptx_operand base = named_operand(p);
        if (base.kind == PTX_REGISTER)
            op.index = base.index;
        else if (base.kind == PTX_VARIABLE)
            op.variable = base.variable;
        else
            fail(p, "an address must be a register, a variable or a number");
        op.value = base.kind == PTX_VARIABLE ? base.value : offset_behind(p);
    } else {
        op.value = number_operand(p).value;
    }
    expect(p, ']');
    return op;
}

static struct ptx_operand pair_operand(struct parser *p, struct ptx_operand first)
{
    struct ptx_operand op = {.kind = PTX_PAIR, .count = 2};
    op.elements = take_memory(p, 2 * sizeof *op.elements);
    if (p->failed)
        return first;
    op.elements[0] = first;
    op.elements[1] = named_operand(p);
    return op;
}

static struct ptx_operand operand(struct parser *p)
{
    if (p->depth > MAX_DEPTH)
        fail(p, "nested too deeply");
    if (at_punct(p, '{'))
        return vector_operand(p);
    if (at_punct(p, '['))
        return address_operand(p);
    if (accept(p, '!')) {
        struct ptx_operand op = named_operand(p);
        if (op.kind != PTX_PREDICATE)
            fail(p, "'!' before something that is no predicate");
        op.negated = true;
        return op;
    }
    if (p->token.kind != PTX_WORD)
        return number_operand(p);
    struct ptx_operand op = named_operand(p);
    return accept(p, '|') ? pair_operand(p, op) : op;
}

/* --- instructions ------------------------------------------------------------------------------- */

static int find_opcode(struct ptx_name name)
{
    for (int i = 0; i < PTX_OPCODE_COUNT; i++)
        if (ptx_name_is(name, ptx_opcodes[i].name))
            return i;
    return -1;
}

static bool word_in(const char *list, struct ptx_name word)
{
    for (const char *at = list; (at = strchr(at, word.text[0])); at++) {
        bool starts = at == list || at[-1] == ' ';
        if (starts && strncmp(at, word.text, word.length) == 0 &&
            (at[word.length] == ' ' || at[word.length] == 0))
            return true;
    }
    return false;
}

static int find_modifier(struct ptx_name name)
{
    for (int i = 0; i < PTX_MOD_COUNT; i++)
        if (ptx_name_is(name, ptx_modifier_name((enum ptx_modifier)i)))
            return i;
    return -1;
}

/* The words behind the opcode: types and modifiers that opcodes.def allows it. */
static void suffixes(struct parser *p, struct ptx_instruction *in)
{
    const struct ptx_opcode_info *info = &ptx_opcodes[in->opcode];
    while (!p->failed && p->token.kind == PTX_DOT) {
        struct ptx_name word = name_of(p->token);
        int type = find_type(word), modifier = find_modifier(word);
        if (type >= 0 && in->type_count < 2)
            in->types[in->type_count++] = (uint8_t)type;
        else if (modifier >= 0 && word_in(info->modifiers, word) &&
                 in->modifier_count < PTX_MAX_MODIFIERS)
            in->modifiers[in->modifier_count++] = (uint8_t)modifier;
        else
            fail(p, "unsupported instruction: '.%.*s' of '%s'", (int)word.length, word.text,
                 info->name);
        take(p);
    }
    bool typed = info->types != 0;
    if (!p->failed && (typed != (in->type_count > 0) ||
                       (typed && !(info->types >> in->types[0] & 1)))) {
        char text[64];
        fail(p, "unsupported instruction '%s'", ptx_mnemonic(in, text, sizeof text));
    }
}

static void operands(struct parser *p, struct ptx_instruction *in)
{
    uint32_t first_use = p->use_count;
    while (!at_end(p) && !at_punct(p, ';')) {
        if (in->operand_count == PTX_MAX_OPERANDS) {
            fail(p, "too many operands");
            return;
        }
        in->operands[in->operand_count] = operand(p);
        for (; first_use < p->use_count; first_use++)
            p->uses[first_use].operand = in->operand_count;
        if (in->operands[in->operand_count].kind == PTX_VECTOR ||
            in->operands[in->operand_count].kind == PTX_PAIR)
            for (uint32_t i = 0; i < in->operands[in->operand_count].count; i++)
                if (in->operands[in->operand_count].elements[i].kind == PTX_LABEL)
                    fail(p, "unknown name in a vector");
        in->operand_count++;
        if (!accept(p, ','))
            break;
    }
    expect(p, ';');
}

static uint32_t guard(struct parser *p, bool *negated)
{
    if (!accept(p, '@'))
        return PTX_NONE;
    *negated = accept(p, '!');
    struct ptx_operand op = named_operand(p);
    if (op.kind != PTX_PREDICATE)
        fail(p, "'@' before something that is no predicate");
    return op.index;
}

static void add_instruction(struct parser *p, const struct ptx_instruction *in)
{
    struct ptx_function *f = p->function;
    if (f->code_count == MAX_INSTRUCTIONS)
        fail(p, "more than %u instructions", MAX_INSTRUCTIONS);
    f->code = grow(p, f->code, f->code_count, &p->code_room, sizeof *f->code);
    if (!p->failed)
        f->code[f->code_count++] = *in;
}

static void instruction(struct parser *p)
{
    struct ptx_instruction in = {.line = p->token.line};
    in.loc = p->function->loc_count ? p->function->loc_count - 1 : PTX_NONE;
    in.guard = guard(p, &in.guard_negated);
    struct ptx_name name = expect_word(p);
    int opcode = find_opcode(name);
    if (opcode < 0) {
        fail(p, "unsupported instruction '%.*s'", (int)name.length, name.text);
        return;
    }
    in.opcode = (uint16_t)opcode;
    suffixes(p, &in);
    operands(p, &in);
    add_instruction(p, &in);
}

/* .loc 3 97 13, function_name $L__info_string1, inlined_at 2 509 9 */
static void location(struct parser *p)
{
    struct ptx_function *f = p->function;
    struct ptx_loc loc = {0};
    loc.file = (uint32_t)expect_int(p);
    loc.line = (uint32_t)expect_int(p);
    loc.column = (uint32_t)expect_int(p);
    while (accept(p, ',')) {
        struct ptx_name word = expect_word(p);
        if (ptx_name_is(word, "function_name")) {
            expect_word(p);
            offset_behind(p);
        } else if (ptx_name_is(word, "inlined_at")) {
            loc.at_file = (uint32_t)expect_int(p);
            loc.at_line = (uint32_t)expect_int(p);
            loc.at_column = (uint32_t)expect_int(p);
        } else {
            fail(p, "unknown part of .loc '%.*s'", (int)word.length, word.text);
        }
    }
    f->locs = grow(p, f->locs, f->loc_count, &p->loc_room, sizeof *f->locs);
    if (!p->failed)
        f->locs[f->loc_count++] = loc;
}

static void label(struct parser *p, struct ptx_name name)
{
    struct ptx_symbol symbol = {PTX_SYMBOL_LABEL, name, .index = p->function->code_count};
    if (!ptx_scope_add(p->scope, symbol))
        fail(p, "out of memory");
}

/* Fills in the uses of this scope's labels; the others are left to the scope around it. */
static void resolve_labels(struct parser *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->use_count && !p->failed; i++) {
        struct label_use use = p->uses[i];
        struct ptx_symbol symbol;
        bool here = use.depth == p->depth;
        if (here && ptx_scope_find(p->scope, use.name, PTX_SYMBOL_LABEL, &symbol)) {
            p->function->code[use.instruction].operands[use.operand].value = symbol.index;
            continue;
        }
        if (here && p->depth == 1)
            fail(p, "unknown name '%.*s'", (int)use.name.length, use.name.text);
        use.depth -= here;
        p->uses[kept++] = use;
    }
    p->use_count = kept;
}

static bool is_label(const struct parser *p)
{
    struct ptx_lexer ahead = p->lexer;
    struct ptx_token next = ptx_lex(&ahead);
    return p->token.kind == PTX_WORD && next.kind == PTX_PUNCT && *next.text == ':';
}

static void body(struct parser *p);

static void statement(struct parser *p)
{
    if (at_punct(p, '{'))
        body(p);
    else if (accept(p, ';'))
        return;
    else if (accept_dot(p, "reg"))
        declare_registers(p);
    else if (accept_dot(p, "loc"))
        location(p);
    else if (accept_dot(p, "pragma"))
        skip_statement(p);
    else if (is_dot(p, "shared") || is_dot(p, "local")) {
        enum ptx_space space = ptx_name_is(name_of(take(p)), "shared") ? PTX_SHARED : PTX_LOCAL;
        declare_variable(p, variable(p, space, false));
        expect(p, ';');
    } else if (p->token.kind == PTX_DOT) {
        fail(p, "unsupported: '.%.*s'", (int)p->token.length, p->token.text);
    } else if (is_label(p)) {
        label(p, name_of(take(p)));
        take(p);
    } else {
        instruction(p);
    }
}

static void body(struct parser *p)
{
    expect(p, '{');
    if (++p->depth > MAX_DEPTH)
        fail(p, "braces nested too deeply");
    ptx_scope_enter(p->scope);
    while (!at_end(p) && !at_punct(p, '}'))
        statement(p);
    resolve_labels(p);
    ptx_scope_leave(p->scope);
    p->depth--;
    expect(p, '}');
}

/* --- functions ---------------------------------------------------------------------------------- */

static void parameters(struct parser *p, struct ptx_function *f)
{
    if (!accept(p, '('))
        return;
    while (accept_dot(p, "param")) {
        struct ptx_variable *var = variable(p, PTX_PARAM, false);
        if (p->failed)
            return;
        place(&f->params, var, &f->param_bytes);
        f->param_count++;
        if (!ptx_scope_add(p->scope,
                           (struct ptx_symbol){PTX_SYMBOL_VARIABLE, var->name, .variable = var}))
            fail(p, "out of memory");
        if (!accept(p, ','))
            break;
    }
    expect(p, ')');
}

/* .maxntid 256, 1, 1 and the like, between the parameters and the body. */
static void performance_directives(struct parser *p, struct ptx_function *f)
{
    while (!p->failed && p->token.kind == PTX_DOT) {
        struct ptx_name name = name_of(take(p));
        uint64_t product = 1;
        while (p->token.kind == PTX_INT || p->token.kind == PTX_STRING) {
            uint64_t value = take(p).value;
            product = value && product <= UINT32_MAX / value ? product * value : product;
            if (!accept(p, ','))
                break;
        }
        if (ptx_name_is(name, "pragma"))
            accept(p, ';');
        if ((ptx_name_is(name, "maxntid") || ptx_name_is(name, "reqntid")) && product <= 1024)
            f->max_threads = (uint32_t)product;
    }
}

/* A body that is not understood makes this function an error, not the module. */
static void body_or_error(struct parser *p, struct ptx_function *f)
{
    struct ptx_lexer lexer = p->lexer;
    struct ptx_token token = p->token;
    p->function = f;
    p->register_room = p->code_room = p->loc_room = p->use_count = 0;
    body(p);
    p->function = NULL;
    if (!p->failed)
        return;
    size_t length = strlen(p->error) + 1;
    char *copy = ptx_arena_take(p->module->arena, length);
    if (!copy)
        return;
    f->error = memcpy(copy, p->error, length);
    p->failed = false;
    p->depth = 0;
    p->lexer = lexer;
    p->token = token;
    skip_balanced(p);
}

static void function(struct parser *p, bool is_kernel)
{
    struct ptx_function *f = take_memory(p, sizeof *f);
    if (!f)
        return;
    ptx_scope_enter(p->scope);
    if (!is_kernel && at_punct(p, '(')) /* the value that a device function returns */
        while (!at_end(p) && !accept(p, ')'))
            take(p);
    f->line = p->token.line;
    f->is_kernel = is_kernel;
    f->max_threads = 1024;
    f->shared_bytes = p->module->shared_bytes;
    f->name = expect_word(p);
    parameters(p, f);
    performance_directives(p, f);
    if (accept(p, ';')) { /* a prototype */
        ptx_scope_leave_to(p->scope, 1);
        return;
    }
    struct ptx_function **list = &p->module->functions;
    while (*list)
        list = &(*list)->next;
    *list = f;
    body_or_error(p, f);
    ptx_scope_leave_to(p->scope, 1);
}

/* --- module ------------------------------------------------------------------------------------- */

static void file_directive(struct parser *p)
{
    struct ptx_file *file = take_memory(p, sizeof *file);
    if (!file)
        return;
    file->id = (uint32_t)expect_int(p);
    if (p->token.kind != PTX_STRING)
        fail(p, "expected a path behind .file");
    file->path = name_of(take(p));
    while (accept(p, ','))
        expect_int(p);
    file->next = p->module->files;
    p->module->files = file;
}

static void version_directive(struct parser *p)
{
    struct ptx_token token = take(p);
    double version = 0;
    if (token.kind == PTX_F64)
        memcpy(&version, &token.value, sizeof version);
    if (version < 1 || version > 99)
        fail(p, "expected a version such as 9.0");
    else
        p->module->version = (uint32_t)(version * 10 + 0.5);
}

static void target_directive(struct parser *p)
{
    do {
        struct ptx_name name = expect_word(p);
        if (name.length > 3 && memcmp(name.text, "sm_", 3) == 0)
            p->module->sm = (uint32_t)strtoul(name.text + 3, NULL, 10);
    } while (accept(p, ','));
}

static void top_level(struct parser *p)
{
    bool is_extern = false;
    while (is_dot(p, "visible") || is_dot(p, "extern") || is_dot(p, "weak") || is_dot(p, "common"))
        is_extern |= ptx_name_is(name_of(take(p)), "extern");
    struct ptx_token token = take(p);
    struct ptx_name name = name_of(token);
    if (token.kind != PTX_DOT)
        fail(p, "expected a directive before '%.*s'", (int)token.length, token.text);
    else if (ptx_name_is(name, "entry") || ptx_name_is(name, "func"))
        function(p, ptx_name_is(name, "entry"));
    else if (ptx_name_is(name, "version"))
        version_directive(p);
    else if (ptx_name_is(name, "target"))
        target_directive(p);
    else if (ptx_name_is(name, "address_size"))
        (void)(expect_int(p) == 64 || (fail(p, "only 64-bit PTX is supported"), 0));
    else if (ptx_name_is(name, "file"))
        file_directive(p);
    else if (ptx_name_is(name, "section")) {
        while (!at_end(p) && !at_punct(p, '{'))
            take(p);
        skip_balanced(p);
    } else if (ptx_name_is(name, "global") || ptx_name_is(name, "const") ||
               ptx_name_is(name, "shared")) {
        enum ptx_space space = *name.text == 'g'   ? PTX_GLOBAL
                               : *name.text == 'c' ? PTX_CONST
                                                   : PTX_SHARED;
        declare_variable(p, variable(p, space, is_extern));
        expect(p, ';');
    } else if (ptx_name_is(name, "pragma") || ptx_name_is(name, "alias")) {
        skip_statement(p);
    } else {
        fail(p, "unsupported: '.%.*s'", (int)name.length, name.text);
    }
}

static bool has_line_number(const char *error)
{
    return strncmp(error, "PTX line", 8) == 0;
}

struct ptx_module *ptx_parse(const char *text, size_t size, char *error, size_t error_size)
{
    struct parser p = {0};
    struct ptx_arena *arena = ptx_arena_new();
    p.module = arena ? ptx_arena_take(arena, sizeof *p.module) : NULL;
    char *copy = arena ? ptx_arena_take(arena, size + 1) : NULL;
    p.scope = ptx_scope_new();
    if (!p.module || !copy || !p.scope) {
        snprintf(error, error_size, "out of memory");
        ptx_scope_free(p.scope);
        ptx_arena_free(arena);
        return NULL;
    }
    p.module->arena = arena;
    memcpy(copy, text, size);
    ptx_lex_init(&p.lexer, copy, size);
    p.token = ptx_lex(&p.lexer);
    if (!is_dot(&p, "version"))
        fail(&p, "a PTX text must begin with .version");
    while (!at_end(&p))
        top_level(&p);
    ptx_scope_free(p.scope);
    if (!p.failed)
        return p.module;
    snprintf(error, error_size, "%s%s", has_line_number(p.error) ? "" : "PTX: ", p.error);
    ptx_arena_free(arena);
    return NULL;
}
