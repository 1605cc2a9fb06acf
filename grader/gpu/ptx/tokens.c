/* Implements the parser's functions for tokens, errors and memory. */
#include "gpu/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/ptx/arena.h"

__attribute__((format(printf, 2, 3))) void parse_fail(struct parser *p, const char *format, ...)
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

struct ptx_token parse_take(struct parser *p)
{
    struct ptx_token token = p->token;
    if (p->failed)
        token.kind = PTX_END;
    else
        p->token = ptx_lex(&p->lexer);
    return token;
}

bool parse_at_punct(const struct parser *p, char c)
{
    return !p->failed && p->token.kind == PTX_PUNCT && *p->token.text == c;
}

bool parse_at_end(const struct parser *p)
{
    return p->failed || p->token.kind == PTX_END;
}

bool parse_accept(struct parser *p, char c)
{
    bool yes = parse_at_punct(p, c);
    if (yes)
        parse_take(p);
    return yes;
}

void parse_expect(struct parser *p, char c)
{
    if (!parse_accept(p, c))
        parse_fail(p, "expected '%c' before '%.*s'", c, (int)p->token.length, p->token.text);
}

struct ptx_name parse_name_of(struct ptx_token token)
{
    return (struct ptx_name){token.text, token.length};
}

bool parse_is_dot(const struct parser *p, const char *text)
{
    return !p->failed && p->token.kind == PTX_DOT && ptx_name_is(parse_name_of(p->token), text);
}

bool parse_accept_dot(struct parser *p, const char *text)
{
    bool yes = parse_is_dot(p, text);
    if (yes)
        parse_take(p);
    return yes;
}

struct ptx_name parse_expect_word(struct parser *p)
{
    if (p->token.kind != PTX_WORD)
        parse_fail(p, "expected a name before '%.*s'", (int)p->token.length, p->token.text);
    return parse_name_of(parse_take(p));
}

uint64_t parse_expect_int(struct parser *p)
{
    if (p->token.kind != PTX_INT)
        parse_fail(p, "expected a number before '%.*s'", (int)p->token.length, p->token.text);
    return p->failed ? 0 : parse_take(p).value;
}

void *parse_take_memory(struct parser *p, size_t size)
{
    void *memory = ptx_arena_take(p->module->arena, size);
    if (!memory)
        parse_fail(p, "out of memory");
    return memory;
}

void *parse_grow(struct parser *p, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    uint32_t wanted = *room ? *room * 2 : 8;
    void *bigger = parse_take_memory(p, wanted * size);
    if (!bigger)
        return NULL;
    if (count)
        memcpy(bigger, array, count * size);
    *room = wanted;
    return bigger;
}

void parse_skip_balanced(struct parser *p)
{
    unsigned depth = 0;
    do {
        depth += parse_at_punct(p, '{');
        depth -= parse_at_punct(p, '}');
        parse_take(p);
    } while (depth && !parse_at_end(p));
}

void parse_skip_statement(struct parser *p)
{
    while (!parse_at_end(p) && !parse_accept(p, ';'))
        parse_take(p);
}
