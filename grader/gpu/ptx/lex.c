/* The lexer skips white space and comments. The first character after them decides the kind of the
 * token. */
#include "gpu/ptx/lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t size)
{
    /* a fat binary pads PTX with NUL bytes, so the text ends at the first NUL */
    *lexer = (struct ptx_lexer){text, text + strnlen(text, size), 1};
}

static int peek(const struct ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? (unsigned char)lexer->at[ahead] : 0;
}

static void skip_block_comment(struct ptx_lexer *lexer)
{
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return;
        }
        if (*lexer->at == '\n')
            lexer->line++;
    }
}

static void skip_blank(struct ptx_lexer *lexer)
{
    for (;;) {
        int c = peek(lexer, 0);
        if (c == '\n')
            lexer->line++;
        if (c && isspace(c))
            lexer->at++;
        else if (c == '/' && peek(lexer, 1) == '/')
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        else if (c == '/' && peek(lexer, 1) == '*')
            skip_block_comment(lexer);
        else
            return;
    }
}

static bool is_word_start(int c)
{
    return isalpha(c) || c == '_' || c == '$' || c == '%';
}

bool ptx_is_word(int c)
{
    return isalnum(c) || c == '_' || c == '$';
}

static uint64_t hex_digits(struct ptx_lexer *lexer, int most)
{
    uint64_t value = 0;
    for (; most > 0 && isxdigit(peek(lexer, 0)); most--, lexer->at++) {
        int c = tolower(*lexer->at);
        value = value << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return value;
}

/* Reads a decimal fraction such as 1.5e-3, which occurs only in inline assembly. Returns false if
 * there is none. */
static bool lex_fraction(struct ptx_lexer *lexer, struct ptx_token *token)
{
    size_t digits = 0;
    while (isdigit(peek(lexer, digits)))
        digits++;
    if (peek(lexer, digits) != '.' || !isdigit(peek(lexer, digits + 1)))
        return false;
    char copy[64];
    size_t n = 0;
    for (; n + 1 < sizeof copy; n++) {
        int c = peek(lexer, n);
        bool sign = (c == '-' || c == '+') && n && tolower(copy[n - 1]) == 'e';
        if (!isdigit(c) && c != '.' && tolower(c) != 'e' && !sign)
            break;
        copy[n] = (char)c;
    }
    copy[n] = 0;
    char *stop;
    double value = strtod(copy, &stop);
    memcpy(&token->value, &value, sizeof value);
    token->kind = PTX_F64;
    lexer->at += stop - copy;
    return true;
}

static void lex_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
    int second = tolower(peek(lexer, 1));
    token->kind = PTX_INT;
    if (peek(lexer, 0) == '0' && (second == 'f' || second == 'd' || second == 'x')) {
        lexer->at += 2;
        token->kind = second == 'f' ? PTX_F32 : second == 'd' ? PTX_F64 : PTX_INT;
        token->value = hex_digits(lexer, second == 'f' ? 8 : 16);
    } else if (peek(lexer, 0) == '0' && second == 'b') {
        for (lexer->at += 2; peek(lexer, 0) == '0' || peek(lexer, 0) == '1'; lexer->at++)
            token->value = token->value << 1 | (uint64_t)(*lexer->at - '0');
    } else if (!lex_fraction(lexer, token)) {
        unsigned base = peek(lexer, 0) == '0' ? 8 : 10;
        for (; isdigit(peek(lexer, 0)); lexer->at++)
            token->value = token->value * base + (uint64_t)(*lexer->at - '0');
    }
    if (token->kind == PTX_INT && peek(lexer, 0) == 'U')
        lexer->at++;
}

static void lex_string(struct ptx_lexer *lexer, struct ptx_token *token)
{
    const char *start = ++lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at += peek(lexer, 0) == '\\' && peek(lexer, 1) == '"' ? 2 : 1;
    token->kind = PTX_STRING;
    token->text = start;
    token->length = (uint32_t)(lexer->at - start);
    if (lexer->at < lexer->end)
        lexer->at++;
}

static void skip_word(struct ptx_lexer *lexer)
{
    while (ptx_is_word(peek(lexer, 0)))
        lexer->at++;
}

/* Returns whether "::" and the rest of a word follow. Words such as .shared::cta and .L2::64B are
 * one token each. */
static bool at_scope_mark(const struct ptx_lexer *lexer)
{
    return peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && ptx_is_word(peek(lexer, 2));
}

/* Returns whether a name follows the dot at the current position. Names do not begin with a digit,
 * except 1d, 2d and 3d in texture instructions. */
static bool is_dotted(const struct ptx_lexer *lexer)
{
    return is_word_start(peek(lexer, 1)) || (isdigit(peek(lexer, 1)) && peek(lexer, 2) == 'd');
}

struct ptx_token ptx_lex(struct ptx_lexer *lexer)
{
    skip_blank(lexer);
    struct ptx_token token = {.kind = PTX_END, .text = lexer->at, .line = lexer->line};
    int c = peek(lexer, 0);
    if (!c)
        return token;
    if (c == '"') {
        lex_string(lexer, &token);
        return token;
    }
    if (is_word_start(c) || (c == '.' && is_dotted(lexer))) {
        token.kind = c == '.' ? PTX_DOT : PTX_WORD;
        token.text += c == '.';
        lexer->at++;
        skip_word(lexer);
        while (c == '.' && at_scope_mark(lexer)) {
            lexer->at += 2;
            skip_word(lexer);
        }
    } else if (isdigit(c)) {
        lex_number(lexer, &token);
    } else {
        token.kind = strchr("{}()[]<>,;:=+-*!|@", c) ? PTX_PUNCT : PTX_BAD;
        lexer->at++;
    }
    token.length = (uint32_t)(lexer->at - token.text);
    return token;
}
