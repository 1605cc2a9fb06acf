#include "grade/visible.h"

#include <string.h>

static const char *const integers[] = {"int",     "unsigned", "long",     "short",    "size_t",
                                       "int32_t", "int64_t",  "uint32_t", "uint64_t", NULL};
static const char *const reals[] = {"float", "double", NULL};

/* --- variables -------------------------------------------------------------------------------- */

/* Returns the number of the bracket that closes the bracket I, or END. */
static size_t find_closing(const struct code *code, size_t i, size_t end)
{
    int depth = 0;
    for (; i < end; ++i) {
        const struct token *token = &code->tokens[i];
        depth += token->length == 1 && strchr("([{", *token->begin);
        depth -= token->length == 1 && strchr(")]}", *token->begin);
        if (depth == 0)
            break;
    }
    return i;
}

/* Returns the number of the last token of the statement that begins at token I. */
static size_t end_of_statement(const struct code *code, size_t i, size_t end)
{
    static const char *const words[] = {"for", "if", "while", NULL};
    while (i < end && token_is_one_of(&code->tokens[i], words))
        i = find_closing(code, i + 1, end) + 1;
    if (i < end && token_is(&code->tokens[i], "{"))
        return find_closing(code, i, end);
    while (i < end && !token_is(&code->tokens[i], ";"))
        ++i;
    return i;
}

/* Returns whether a type begins at token I. NAME gets the number of the type's name. */
static bool is_type(const struct code *code, size_t i, size_t *name)
{
    static const char *const others[] = {"char",         "bool",        "dim3",   "__half",
                                         "__half2",      "float2",      "float4", "uchar4",
                                         "cudaStream_t", "cudaEvent_t", NULL};
    const struct token *token = &code->tokens[i];
    *name = i + token_is(token, "struct");
    return token_is(token, "struct") || token_is_one_of(token, integers) ||
           token_is_one_of(token, reals) || token_is_one_of(token, others);
}

/* Reads the variable whose declarator begins at token I: stars, then a name. Returns the number of
 * the token after its name and indices, or 0 if it is no declarator. */
static size_t read_declarator(const struct code *code, size_t i, size_t end,
                              struct variable *variable)
{
    static const char *const words[] = {"*",   "&",    "const",      "__restrict__",
                                        "int", "long", "__restrict", NULL};
    for (; i < end && token_is_one_of(&code->tokens[i], words); ++i)
        variable->is_pointer |= token_is(&code->tokens[i], "*");
    if (i + 1 >= end || !token_is_name(&code->tokens[i]) ||
        !strchr("=;,)[:", *code->tokens[i + 1].begin) || token_is(&code->tokens[i + 1], "=="))
        return 0;
    variable->name = &code->tokens[i++];
    while (i < end && token_is(&code->tokens[i], "[")) {
        variable->is_pointer = true;
        i = find_closing(code, i, end) + 1;
    }
    return i;
}

/* Returns the number of the token after the initial value that begins at token I. */
static size_t end_of_value(const struct code *code, size_t i, size_t end)
{
    for (; i < end && !strchr(";,)}", *code->tokens[i].begin); ++i)
        if (strchr("([{", *code->tokens[i].begin))
            i = find_closing(code, i, end);
    return i;
}

/* Adds the variables whose declaration begins at token I, the name of a type. PATTERN has what they
 * share. Leaves out those whose value ends after token AT, because AT may belong to this value. */
static size_t add_declared(const struct code *code, size_t i, size_t at, struct variable pattern,
                           struct variable list[VISIBLE_MOST], size_t count)
{
    size_t name;
    for (++i; i < at && count < VISIBLE_MOST; ++i) {
        struct variable variable = pattern;
        size_t value = read_declarator(code, i, code->token_count, &variable);
        size_t end = value > 0 ? end_of_value(code, value, code->token_count) : at;
        if (end >= at)
            break;
        list[count++] = variable;
        i = end;
        /* after the comma between two parameters, another type follows */
        if (!token_is(&code->tokens[end], ",") || token_is(&code->tokens[end + 1], "const") ||
            is_type(code, end + 1, &name))
            break;
    }
    return count;
}

/* Returns the type of the constant TOKEN. A number with a point is a float. A hexadecimal number is
 * a mask, which is no number. */
static const struct token *type_of_macro(const struct code *code, const struct token *token)
{
    static const struct token real = {"float", 5, 0}, integer = {"int", 3, 0}, mask = {"0x", 2, 0};
    for (size_t i = 1; i + 1 < code->token_count; ++i) {
        const char *value = code->tokens[i + 1].begin;
        if (token_is(&code->tokens[i - 1], "define") && token_is_same(&code->tokens[i], token))
            return memchr(value, '.', strcspn(value, "\n")) ? &real
                   : strncmp(value, "0x", 2) == 0           ? &mask
                                                            : &integer;
    }
    return &integer;
}

/* Adds the constants of the file. */
static size_t add_macros(const struct code *code, struct variable list[VISIBLE_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < code->token_count && count < VISIBLE_MOST / 2; ++i) {
        const struct token *token = &code->tokens[i];
        bool is_call = token_is(&token[1], "(") && token[1].begin == token->begin + token->length;
        bool is_new = token_is_constant(token) && !is_call && !token_is(token, "NULL");
        for (size_t k = 0; k < count; ++k)
            is_new &= !token_is_same(list[k].name, token);
        if (is_new)
            list[count++] = (struct variable){
                .name = token, .type = type_of_macro(code, token), .is_macro = true};
    }
    return count;
}

size_t visible_find(const struct code *code, struct span part, size_t at,
                    struct variable list[VISIBLE_MOST])
{
    enum { DEEPEST = 16 };
    size_t counts[DEEPEST] = {0}, depth = 0, count = add_macros(code, list), kept = 0, name;
    size_t end = part.first + part.count, header_end = 0, loop_end = 0;
    for (size_t i = part.first; i < at; ++i) {
        const struct token *token = &code->tokens[i];
        if (token_is(token, "{") && depth < DEEPEST)
            counts[depth++] = count;
        else if (token_is(token, "}") && depth > 0)
            count = counts[--depth];
        else if (token_is(token, "for")) {
            header_end = find_closing(code, i + 1, end);
            loop_end = end_of_statement(code, i, end);
        } else if (is_type(code, i, &name)) {
            bool in_header = i < header_end;
            struct variable pattern = {.type = &code->tokens[name],
                                       .header_end = in_header ? header_end : 0,
                                       .end = in_header ? loop_end : 0};
            count = add_declared(code, name, at, pattern, list, count);
        }
    }
    for (size_t i = 0; i < count; ++i)
        if (list[i].end == 0 || list[i].end >= at)
            list[kept++] = list[i];
    return kept;
}

bool visible_is_alike(const struct variable *a, const struct variable *b)
{
    if (a->is_pointer || b->is_pointer)
        return a->is_pointer && b->is_pointer && token_is_same(a->type, b->type);
    return token_is_same(a->type, b->type) ||
           (token_is_one_of(a->type, integers) && token_is_one_of(b->type, integers)) ||
           (token_is_one_of(a->type, reals) && token_is_one_of(b->type, reals));
}

bool visible_is_integer(const struct variable *variable)
{
    return !variable->is_pointer && token_is_one_of(variable->type, integers);
}

size_t visible_members(const struct code *code, const struct token *token,
                       struct variable list[VISIBLE_MOST])
{
    for (size_t i = 0; i < code->part_count; ++i) {
        struct span part = code->parts[i];
        if (!code_type(code, part) || !code_has_token(code, part, token))
            continue;
        while (part.count > 0 && !token_is(&code->tokens[part.first], "{"))
            ++part.first, --part.count;
        size_t count =
            part.count > 0 ? visible_find(code, part, part.first + part.count - 2, list) : 0;
        for (size_t k = 0; k < count; ++k)
            if (token_is_same(list[k].name, token))
                return count;
    }
    return 0;
}

/* --- places ----------------------------------------------------------------------------------- */

static bool is_place(const struct places *places, const struct token *token)
{
    for (size_t i = 0; i < places->count; ++i)
        if (token_is_same(places->names[i], token))
            return true;
    return false;
}

static void add_place(struct places *places, const struct token *token)
{
    static const char *const words[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                        "float",     "int",      NULL};
    static const char *const axes[] = {"x", "y", "z", NULL};
    bool is_axis = token_is(&token[-1], ".") && token_is_one_of(token, axes);
    if (token_is_name(token) && places->count < PLACES_MOST && !is_place(places, token) &&
        !is_axis && !token_is_one_of(token, words))
        places->names[places->count++] = token;
}

static bool is_assignment(const struct token *token)
{
    static const char *const operators[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", ">>=", "<<=", NULL};
    return token_is_one_of(token, operators);
}

/* Returns whether token I declares an array. */
static bool is_array(const struct code *code, size_t i)
{
    static const char *const words[] = {"return", "else", NULL};
    return token_is_name(&code->tokens[i - 1]) && token_is(&code->tokens[i + 1], "[") &&
           !token_is_one_of(&code->tokens[i - 1], words);
}

/* Returns the number of the operator if token I, one of PLACES, gets a value here. Returns 0 if it
 * does not. */
static size_t find_assignment(const struct places *places, const struct code *code, size_t i)
{
    size_t at = i + 1, known = 0;
    while (known < places->index_count && !token_is_same(places->names[known], &code->tokens[i]))
        ++known;
    while (known < places->index_count && token_is(&code->tokens[at], "["))
        at = find_closing(code, at, code->token_count) + 1;
    return at < code->token_count && is_assignment(&code->tokens[at]) &&
                   !token_is(&code->tokens[i - 1], ".") && !token_is(&code->tokens[i - 1], "->")
               ? at
               : 0;
}

/* Returns whether token I is an argument of a call, alone or as the first term of a sum: it may be
 * a pointer. */
static bool is_argument(const struct code *code, size_t i)
{
    const struct token *before = &code->tokens[i - 1], *after = before + 2;
    return (token_is(before, "(") || token_is(before, ",")) &&
           (token_is(after, ",") || token_is(after, ")") || token_is(after, "+"));
}

/* Returns whether token I is a pointer before `[`, is compared, or is an argument of a call. */
static bool begins_place(const struct code *code, size_t i)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", NULL};
    return token_is(&code->tokens[i + 1], "[") || is_argument(code, i) ||
           token_is_one_of(&code->tokens[i + 1], comparisons) ||
           token_is_one_of(&code->tokens[i - 1], comparisons) ||
           (token_is(&code->tokens[i - 1], "*") && !token_is_name(&code->tokens[i - 2]) &&
            !strchr(")]", *code->tokens[i - 2].begin));
}

/* Adds the names in indices and conditions; or, if IN_INDEX is false, the other names that begin a
 * place. */
static void add_places(struct places *places, const struct code *code, struct span part,
                       bool in_index)
{
    size_t condition_end = 0, end = part.first + part.count - 1;
    int depth = 0;
    for (size_t i = part.first + 2; i < end; ++i) {
        const struct token *token = &code->tokens[i];
        depth += token_is(token, "[") - token_is(token, "]");
        depth += token_is(token, "<<<") - token_is(token, ">>>");
        if (in_index ? depth > 0 || i < condition_end : begins_place(code, i))
            add_place(places, token);
        if (token_is(token, "if"))
            condition_end = find_closing(code, i + 1, end);
    }
}

void places_find(const struct code *code, struct span part, struct places *places)
{
    enum { STEPS = 3 }; /* how far the values of places are followed */
    size_t end = part.first + part.count - 1, before;
    *places = (struct places){0};
    add_places(places, code, part, true);
    places->index_count = places->count;
    add_places(places, code, part, false);
    for (unsigned step = 0; step < STEPS; ++step) {
        before = places->count;
        for (size_t i = part.first + 2; i < end; ++i)
            if (is_place(places, &code->tokens[i]) && find_assignment(places, code, i) > 0)
                for (size_t j = find_assignment(places, code, i) + 1;
                     j < end && !token_is(&code->tokens[j], ";"); ++j)
                    add_place(places, &code->tokens[j]);
        if (places->count == before)
            break;
    }
}

bool places_sets(const struct places *places, const struct code *code, struct span part,
                 unsigned line)
{
    bool found = false, is_first = true;
    for (size_t i = part.first + 1; i + 1 < part.first + part.count; ++i) {
        const struct token *token = &code->tokens[i];
        if (token->line != line)
            continue;
        if (is_first && token_is(token, "for"))
            return false;
        is_first = false;
        found |= token_is_name(token) && is_place(places, token) &&
                 (is_array(code, i) || find_assignment(places, code, i) > 0);
    }
    return found;
}
