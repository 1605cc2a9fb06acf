/* Parses the body of a function: instructions, labels and nested scopes. */
#include "gpu/ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INSTRUCTIONS (1u << 20)

/* Takes the tokens of the opcode at the beginning of a mnemonic. Returns the opcode, or -1 if it is
 * unknown. */
static int take_opcode(struct parser *p)
{
    const char *text = p->token.text;
    int found = ptx_find_opcode((struct ptx_name){text, (uint32_t)(p->lexer.end - text)});
    size_t length = found >= 0 ? strlen(ptx_opcodes[found].name) : 0;
    while (!p->failed && p->token.text < text + length)
        parse_take(p);
    return found;
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

/* Parses the words after the opcode: types and modifiers, if opcodes.def allows them. */
static void suffixes(struct parser *p, struct ptx_instruction *in)
{
    const struct ptx_opcode_info *info = &ptx_opcodes[in->opcode];
    while (!p->failed && p->token.kind == PTX_DOT) {
        struct ptx_name word = parse_name_of(p->token);
        int type = ptx_find_type(word), modifier = type >= 0 ? -1 : ptx_find_modifier(word);
        if (type >= 0 && in->type_count < sizeof in->types)
            in->types[in->type_count++] = (uint8_t)type;
        else if (modifier >= 0 && word_in(info->modifiers, word) &&
                 in->modifier_count < PTX_MAX_MODIFIERS)
            in->modifiers[in->modifier_count++] = (uint8_t)modifier;
        else
            parse_fail(p, "unsupported: '.%.*s' in instruction '%s'", (int)word.length, word.text,
                       info->name);
        parse_take(p);
    }
    bool typed = info->types != 0;
    if (!p->failed &&
        (typed != (in->type_count > 0) || (typed && !(info->types >> in->types[0] & 1)))) {
        char text[64];
        parse_fail(p, "unsupported instruction '%s'", ptx_mnemonic(in, text, sizeof text));
    }
}

/* Returns whether an element of a vector is an undeclared name, which is an error. The parser has
 * made such a name a PTX_LABEL. */
static bool has_label_inside(const struct ptx_operand *op)
{
    for (uint32_t i = 0; i < op->count; i++)
        if (op->elements[i].kind == PTX_LABEL || has_label_inside(&op->elements[i]))
            return true;
    return false;
}

static void operands(struct parser *p, struct ptx_instruction *in)
{
    uint32_t first_use = p->use_count;
    while (!parse_at_end(p) && !parse_at_punct(p, ';')) {
        if (in->operand_count == PTX_MAX_OPERANDS) {
            parse_fail(p, "an instruction has too many operands");
            return;
        }
        in->operands[in->operand_count] = parse_operand(p);
        for (; first_use < p->use_count; first_use++)
            p->uses[first_use].operand = in->operand_count;
        if (has_label_inside(&in->operands[in->operand_count]))
            parse_fail(p, "unknown name in a vector");
        in->operand_count++;
        /* a video instruction can select a part of an operand, such as .b0 */
        if (p->token.kind == PTX_DOT)
            parse_fail(p, "unsupported: '.%.*s' after an operand of '%s'", (int)p->token.length,
                       p->token.text, ptx_opcodes[in->opcode].name);
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, ';');
}

static void check_operand_count(struct parser *p, const struct ptx_instruction *in)
{
    const char *letters = ptx_opcodes[in->opcode].operands, *optional = strchr(letters, '?');
    size_t most = strlen(letters) - !!optional;
    size_t least = optional ? (size_t)(optional - letters) : most;
    if (in->operand_count < least || in->operand_count > most)
        parse_fail(p, "'%s' has %u operands where %zu are needed", ptx_opcodes[in->opcode].name,
                   in->operand_count, least);
}

/* Parses a call's list of parameters or results, such as (a, b). Returns an empty list if there is
 * no list. */
static struct ptx_operand call_list(struct parser *p)
{
    struct ptx_operand list = {.kind = PTX_VECTOR};
    uint32_t room = 0;
    if (!parse_accept(p, '('))
        return list;
    while (!parse_at_end(p) && !parse_at_punct(p, ')')) {
        list.elements = parse_grow(p, list.elements, list.count, &room, sizeof *list.elements);
        struct ptx_operand element = parse_operand(p);
        if (!p->failed && element.kind != PTX_VARIABLE)
            parse_fail(p, "unsupported: an operand of a call is not a .param variable");
        if (!p->failed)
            list.elements[list.count++] = element;
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, ')');
    return list;
}

/* Parses the operands of a call. Only the target is required:
 *
 *     call (results), target, (parameters), prototype; */
static void call_operands(struct parser *p, struct ptx_instruction *in)
{
    in->operand_count = 3;
    in->operands[2] = call_list(p);
    if (in->operands[2].count)
        parse_expect(p, ',');
    uint32_t use = p->use_count;
    in->operands[0] = parse_operand(p);
    for (; use < p->use_count; use++)
        p->uses[use].operand = 0;
    in->operands[1] =
        parse_accept(p, ',') ? call_list(p) : (struct ptx_operand){.kind = PTX_VECTOR};
    if (parse_accept(p, ','))
        /* ignore the prototype, because it contains only the function's types */
        parse_expect_word(p);
    parse_expect(p, ';');
}

static uint32_t guard(struct parser *p, bool *negated)
{
    if (!parse_accept(p, '@'))
        return PTX_NONE;
    *negated = parse_accept(p, '!');
    struct ptx_operand op = parse_named_operand(p);
    if (op.kind != PTX_PREDICATE)
        parse_fail(p, "expected a predicate after '@'");
    return op.index;
}

static void add_instruction(struct parser *p, const struct ptx_instruction *in)
{
    struct ptx_function *f = p->function;
    if (f->code_count == MAX_INSTRUCTIONS)
        parse_fail(p, "a function has more than %u instructions", MAX_INSTRUCTIONS);
    if (f->code_count == p->code_room) {
        uint32_t room = p->code_room ? 2 * p->code_room : 256;
        struct ptx_instruction *code = realloc(p->code, room * sizeof *code);
        if (!code) {
            parse_fail(p, "out of memory");
            return;
        }
        p->code = code;
        p->code_room = room;
    }
    f->code = p->code;
    if (!p->failed)
        f->code[f->code_count++] = *in;
}

/* Returns the length in bytes of the mnemonic at TEXT, including its suffixes. */
static size_t mnemonic_length(const char *text, const char *end)
{
    size_t length = 0;
    while (text + length < end && length < 100 && !strchr(" \t\r\n;,[{", text[length]))
        length++;
    return length;
}

void parse_instruction(struct parser *p)
{
    struct ptx_instruction in = {.line = p->token.line};
    in.loc = p->function->loc_count ? p->function->loc_count - 1 : PTX_NONE;
    in.guard = guard(p, &in.guard_negated);
    struct ptx_name name = parse_name_of(p->token);
    int opcode = p->token.kind == PTX_WORD ? take_opcode(p) : -1;
    if (opcode < 0) {
        name.length = (uint32_t)mnemonic_length(name.text, p->lexer.end);
        parse_expect_word(p);
        parse_fail(p, "unsupported instruction '%.*s'", (int)name.length, name.text);
        return;
    }
    in.opcode = (uint16_t)opcode;
    suffixes(p, &in);
    if (in.opcode == PTX_OP_call)
        call_operands(p, &in);
    else
        operands(p, &in);
    check_operand_count(p, &in);
    add_instruction(p, &in);
}

/* Parses a line such as .loc 3 97 13, function_name $L__info_string1, inlined_at 2 509 9 */
static void location(struct parser *p)
{
    struct ptx_function *f = p->function;
    struct ptx_loc loc = {0};
    loc.file = ptx_file_id(p->unit, parse_expect_int(p));
    loc.line = (uint32_t)parse_expect_int(p);
    loc.column = (uint32_t)parse_expect_int(p);
    while (parse_accept(p, ',')) {
        struct ptx_name word = parse_expect_word(p);
        if (ptx_name_is(word, "function_name")) {
            parse_expect_word(p);
            parse_offset(p);
        } else if (ptx_name_is(word, "inlined_at")) {
            loc.at_file = ptx_file_id(p->unit, parse_expect_int(p));
            loc.at_line = (uint32_t)parse_expect_int(p);
            loc.at_column = (uint32_t)parse_expect_int(p);
        } else {
            parse_fail(p, "unknown word '%.*s' in .loc", (int)word.length, word.text);
        }
    }
    f->locs = parse_grow(p, f->locs, f->loc_count, &p->loc_room, sizeof *f->locs);
    if (!p->failed)
        f->locs[f->loc_count++] = loc;
}

static void label(struct parser *p, struct ptx_name name)
{
    struct ptx_symbol symbol = {PTX_SYMBOL_LABEL, name, .index = p->function->code_count};
    if (!ptx_scope_add(p->scope, symbol))
        parse_fail(p, "out of memory");
}

/* Resolves the uses of labels that this scope declares. Keeps the other uses for the enclosing
 * scope. */
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
        /* the name is not a label, so the decoder will look for a function */
        if (here && p->depth == 1) {
            p->function->code[use.instruction].operands[use.operand].kind = PTX_FUNCTION;
            continue;
        }
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

static void statement(struct parser *p)
{
    if (parse_at_punct(p, '{'))
        parse_body(p);
    else if (parse_accept(p, ';'))
        return;
    else if (parse_accept_dot(p, "reg"))
        parse_declare_registers(p);
    else if (parse_accept_dot(p, "loc"))
        location(p);
    else if (parse_is_dot(p, "pragma") || parse_is_dot(p, "callprototype") ||
             parse_is_dot(p, "calltargets"))
        parse_skip_statement(p);
    else if (parse_is_dot(p, "shared") || parse_is_dot(p, "local") || parse_is_dot(p, "param")) {
        struct ptx_name word = parse_name_of(parse_take(p));
        enum ptx_space space = ptx_name_is(word, "shared")  ? PTX_SHARED
                               : ptx_name_is(word, "local") ? PTX_LOCAL
                                                            : PTX_FRAME;
        parse_declare_variable(p, parse_variable(p, space));
        parse_expect(p, ';');
    } else if (p->token.kind == PTX_DOT) {
        parse_fail(p, "unsupported: '.%.*s'", (int)p->token.length, p->token.text);
    } else if (is_label(p)) {
        label(p, parse_name_of(parse_take(p)));
        parse_take(p);
    } else {
        parse_instruction(p);
    }
}

void parse_body(struct parser *p)
{
    parse_expect(p, '{');
    if (++p->depth > PARSE_MAX_DEPTH)
        parse_fail(p, "braces nested too deeply");
    ptx_scope_enter(p->scope);
    while (!parse_at_end(p) && !parse_at_punct(p, '}'))
        statement(p);
    resolve_labels(p);
    ptx_scope_leave(p->scope);
    p->depth--;
    parse_expect(p, '}');
}
